/* Costs of molecules before they are computed: a model, corrected by the times of those that were.
 *
 *     seconds = factor(size) f(task, method) (a N^2 + b N + c)          N pairs of functions
 *
 * Pairs of functions on atoms that are far apart do not count. The factor is kept for each octave of the model's
 * seconds. */
#ifndef HF_EACH_COST_H
#define HF_EACH_COST_H

#include "hf/basis.h"
#include "hf/molecule.h"
#include "text/option.h"

#include <mpi.h>

enum { HF_COST_OCTAVES = 40 };

/** What the model says of a molecule. */
struct hf_cost {
    double seconds; /**< of one rank, not corrected */
    double bytes;   /**< of a rank for matrices and integrals of MP2, an upper estimate */
};

/** Times by octave of the model's seconds. Initialise with = {0}. */
struct hf_cost_times {
    double model[HF_COST_OCTAVES], measured[HF_COST_OCTAVES]; /**< sums, the same on all ranks */
    double new_model[HF_COST_OCTAVES], new_measured[HF_COST_OCTAVES]; /**< of this rank */
    double n_new;        /**< molecules of this rank since the last agreement */
    double mean_seconds; /**< of a molecule, between the last two agreements; 0: unknown */
};

/** Local. */
struct hf_cost hf_cost_model(const struct hf_molecule *molecule, const struct hf_basis *basis,
                             const struct hf_options *options);

/** Seconds on one rank, corrected. Local. */
double hf_cost_seconds(const struct hf_cost_times *times, double model_seconds);

/** Adds a measured time. Local. */
void hf_cost_add(struct hf_cost_times *times, double model_seconds, double measured_seconds);

/** Adds the new times of all ranks; earlier times count half. Collective. */
void hf_cost_agree(struct hf_cost_times *times, MPI_Comm comm);

#endif
