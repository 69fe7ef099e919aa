/* Many molecules in one job (hf --each).
 *
 *     files -> window of records -> ranks, or groups of ranks -> lines -> rank 0 -> JSON lines, extended XYZ, CSV
 *
 * Rank 0 reads the files record by record (reader.h) and gives a window of records to all ranks (window.h). The ranks
 * estimate costs (cost.h). Molecules that would be the last to end are computed by groups of ranks at once (divide.h);
 * a scheduler deals the others to single ranks, and to the ranks of groups that are ready. Each result goes to rank 0
 * in a message (results.h), while rank 0 computes, too. Memory depends on the window, not on the number of molecules,
 * apart from 16 bytes for each molecule that an earlier run finished (finished.h).
 *
 * A molecule that fails is a result, too: a FailedOperation that says why. */
#ifndef HF_EACH_H
#define HF_EACH_H

#include "each/reader.h"
#include "hf/context.h"
#include "hf/status.h"
#include "text/option.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** A job. Everything is borrowed. */
struct hf_each_settings {
    struct hf_record_source source;
    /** gets the answers on rank 0 instead of files, with source.data, as of struct hf_run_each_settings; NULL: files */
    void (*result)(void *data, long long i, const char *output);
    const struct hf_options *options; /**< of the command line */
    bool rehearsal;                   /**< only estimates: --check */
    FILE *out;                        /**< what was done, on rank 0; NULL: nothing */
    FILE *progress;                   /**< a terminal; NULL: no line of progress */
    /** Callback as of hf_interruption_watch: whether the job is to end; may be NULL */
    int (*asked)(void *data, double fraction);
    void *asked_data;
};

/** Computes all molecules that an earlier run has not finished, and writes their results.
 *
 *  *all_good  no record of the set has a failure as its result, now or of an earlier run; the same on every rank
 *  Call       collective; same outcome on every rank
 *  Errors     HF_BAD_INPUT: options, a file of the command line that cannot be read; HF_NO_RESOURCE: results cannot be
 *             written, memory; HF_INTERRUPTED. What was written before stays, and the same call continues. */
hf_status hf_each(struct hf_context *context, const struct hf_each_settings *settings,
                  bool *all_good, struct hf_error *error) HF_MUST_CHECK;

#endif
