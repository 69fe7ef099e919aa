/* Results on their way to the files. Each rank sends its lines to rank 0 and goes on; rank 0, the one writer, takes what
 * has arrived between its molecules, while it waits, and at intervals while it computes.
 *
 *     hf_results_open                         collective
 *     hf_results_add                          any rank, as often as there are results
 *     hf_results_take                         rank 0, now and then
 *     hf_results_collect                      collective: all that was added is written
 *     hf_results_close                        collective
 */
#ifndef HF_EACH_RESULTS_H
#define HF_EACH_RESULTS_H

#include "finished.h"
#include "hf/context.h"
#include "molecule.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** What was written, on rank 0. */
struct hf_results_account {
    int64_t n_good, n_failed;
    double slowest_seconds;
    int most_functions;
    char slowest[256], largest[256]; /**< names of records */
};

/** The files; NULL: not wanted. Names are borrowed. */
struct hf_results_files {
    const char *json, *xyz, *csv;
    bool hartree; /**< in xyz */
};

/** Initialise with = {0}. */
struct hf_results {
    struct hf_context *context; /**< borrowed */
    MPI_Comm comm;              /**< of the messages */
    struct hf_results_files files;
    FILE *json, *xyz, *csv; /**< on rank 0 */
    struct hf_results_account account;
    int64_t n_added;    /**< on this rank */
    int64_t n_received; /**< on rank 0, without its own */
    hf_status status;   /**< of writing, on rank 0 */
    struct hf_error error;
    bool from_any_thread; /**< messages may be taken while other threads compute */
    int n_sending;
    int64_t sending_room;
    struct hf_sending *sending;  /**< [n_sending] */
    void (*written)(void *data); /**< called on rank 0 after each result; NULL: nothing */
    void *data;
};

/** Reads what earlier runs have finished, and opens the files to add to them; xyz and csv are made again from the JSON
 *  lines of earlier runs. Collective. HF_BAD_INPUT: other contents; HF_NO_RESOURCE. */
hf_status hf_results_open(struct hf_results *results, struct hf_context *context,
                          const struct hf_results_files *files, bool retry,
                          struct hf_finished *finished, struct hf_error *error) HF_MUST_CHECK;

/** Sends or writes a result. Local. HF_NO_RESOURCE: memory. */
hf_status hf_results_add(struct hf_results *results, const char *name,
                         const struct hf_molecule_result *result,
                         struct hf_error *error) HF_MUST_CHECK;

/** Writes results that have arrived. Local; only rank 0 does something. */
void hf_results_take(struct hf_results *results);

/** Waits for all results. Collective. HF_NO_RESOURCE: they could not be written. */
hf_status hf_results_collect(struct hf_results *results, struct hf_error *error) HF_MUST_CHECK;

/** Accepts a half-made one. Collective. */
void hf_results_close(struct hf_results *results);

#endif
