/* One molecule of a job, from its record to its lines. */
#ifndef HF_EACH_MOLECULE_H
#define HF_EACH_MOLECULE_H

#include "reader.h"
#include "run/calculation.h"
#include "starts.h"
#include "text/option.h"

/** Who computes molecules: a rank, or a group of ranks. */
struct hf_worker {
    struct hf_context *context;
    const struct hf_options *options; /**< of the command line, borrowed */
    struct hf_each_start *start;      /**< NULL: each molecule starts from the guess */
    bool hartree;                     /**< units of xyz */
    bool wants_xyz, wants_csv;
};

/** What became of a molecule, on the first rank of the worker. */
struct hf_molecule_result {
    bool good;
    int n_function; /**< 0: unknown */
    int n_rank;
    double seconds;
    char *json, *xyz, *csv; /**< lines, owned; NULL: none */
};

/** Reads a record with the options of the command line, which count less than its own. `options` and calculation->input
 *  are filled, also after a failure. Collective. HF_BAD_INPUT: not a good record, or one with settings of the whole
 *  job; HF_NO_RESOURCE. */
hf_status hf_molecule_read(const struct hf_worker *worker, const struct hf_molecule_record *record,
                           struct hf_options *options, struct hf_calculation *calculation,
                           struct hf_error *error) HF_MUST_CHECK;

/** Computes a molecule. All failures are results. Collective over the worker. HF_INTERRUPTED: there is no result;
 *  HF_NO_RESOURCE: no memory even for the lines of a failure. */
hf_status hf_molecule_compute(struct hf_worker *worker, const struct hf_molecule_record *record,
                              uint64_t hash, struct hf_molecule_result *result,
                              struct hf_error *error) HF_MUST_CHECK;

void hf_molecule_result_done(struct hf_molecule_result *result);

#endif
