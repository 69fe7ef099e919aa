/* Energies that several calculations of a molecule are combined to: energies of interaction of its fragments, and limits
 * of basis sets. The calculations are records of a job (each.h) with balance, groups of ranks and restart.
 *
 *     fragments -> clusters of them \
 *     with ghost atoms, without      > records -> hf_each -> JSON lines -> sums -> report, JSON file
 *     basis sets                    /
 */
#ifndef HF_EACH_COMBINATION_H
#define HF_EACH_COMBINATION_H

#include "each/each.h"
#include "run/calculation.h"

/** A combination. Everything is borrowed. */
struct hf_combination_settings {
    struct hf_calculation *calculation; /**< begun, with its input */
    const char *path;                   /**< of the input */
    /** of command line and input; of two basis sets the larger one stays */
    struct hf_options *options;
    struct hf_each_settings each; /**< without source and options */
};

/** Whether options ask for one. Local. */
bool hf_combination_is_asked(const struct hf_options *options);

/** Computes it, reports to each.out, writes the JSON file. With each.rehearsal only the job is estimated. The
 *  calculation is prepared (hf_calculation_prepare).
 *
 *  Call     collective, same outcome on all ranks
 *  Errors   HF_BAD_INPUT; HF_NO_RESOURCE; HF_NOT_CONVERGED: one of the calculations; HF_INTERRUPTED: the same call
 *           continues */
hf_status hf_combine(struct hf_context *context, const struct hf_combination_settings *settings,
                     struct hf_error *error) HF_MUST_CHECK;

/** Writes a table of the keys in the JSON file. Local. */
void hf_combination_describe_json(FILE *page);

#endif
