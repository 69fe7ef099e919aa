/* What earlier runs of a job have finished, from the JSON lines that they wrote.
 *
 * A record is known by the hash of its text and of the settings. Records that are equal are counted. */
#ifndef HF_EACH_FINISHED_H
#define HF_EACH_FINISHED_H

#include "hf/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Initialise with = {0}. */
struct hf_finished {
    int64_t n, n_failed; /**< lines; those of failures */
    uint64_t *hash;      /**< [n] ascending */
    int32_t *n_taken;    /**< [n] of the first of equal ones: how many hf_finished_take has given */
    int64_t room;        /**< private */
};

/** Reads the file. Without its last line, if that is incomplete; if `retry`, also without failures: the file is then
 *  written anew. No file: nothing is finished. Local. HF_BAD_INPUT: the file has other lines than those of such a job;
 *  HF_NO_RESOURCE. */
hf_status hf_finished_read(struct hf_finished *finished, const char *path, bool retry,
                           struct hf_error *error) HF_MUST_CHECK;

/** Whether a record is finished that has not been taken before. Local. */
bool hf_finished_take(struct hf_finished *finished, uint64_t hash);

/** Accepts a cleared one. Local. */
void hf_finished_done(struct hf_finished *finished);

#endif
