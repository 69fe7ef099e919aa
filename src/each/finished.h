/* What earlier runs of a job have finished, from the JSON lines that they wrote.
 *
 * A record is known by the hash of its text and of the settings. Records that are equal are counted. */
#ifndef HF_EACH_FINISHED_H
#define HF_EACH_FINISHED_H

#include "base/arena.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** A line of the file. */
struct hf_finished_line {
    uint64_t hash;
    int32_t n_taken; /**< of the first of equal ones: how often hf_finished_take was asked */
    bool failed;
};

/** Initialise with = {0}. */
struct hf_finished {
    struct hf_arena arena;
    int64_t n; /**< lines */
    int64_t n_taken,
        n_failed; /**< those that hf_finished_take has given; the failures among them */
    long n_byte;  /**< of the complete lines of the file */
    struct hf_finished_line
        *line;    /**< [n] ascending by hash, failures behind others of the same one */
    int64_t room; /**< private */
};

/** Reads the complete lines of the file. No file, or a pipe: nothing is finished. Local. HF_BAD_INPUT: the file has other
 *  lines than those of such a job; HF_NO_RESOURCE. */
hf_status hf_finished_read(struct hf_finished *finished, const char *path,
                           struct hf_error *error) HF_MUST_CHECK;

/** Whether a record is finished that has not been taken before. Local. */
bool hf_finished_take(struct hf_finished *finished, uint64_t hash);

/** Writes the file anew without the failures of records that were taken, or without any if `all`, and reads it again.
 *  Local. HF_NO_RESOURCE. */
hf_status hf_finished_drop_failures(struct hf_finished *finished, const char *path, bool all,
                                    struct hf_error *error) HF_MUST_CHECK;

/** The hash of a line of such a job; false: it has none. Local. */
bool hf_finished_find_hash(const char *line, uint64_t *hash);

/** Drops failures from what was read, but not from the file. Local. */
void hf_finished_forget_failures(struct hf_finished *finished);

/** Accepts a cleared one. Local. */
void hf_finished_done(struct hf_finished *finished);

#endif
