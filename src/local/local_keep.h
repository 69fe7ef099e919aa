/* What local MP2 keeps in a checkpoint and takes from it: domains, and the integrals of pairs with the orbitals that they
 * are of. The SCF of a restart ends with orbitals that differ by what its convergence leaves; integrals go with their
 * own orbitals, so that the amplitudes have the bits that they would have had without a restart. */
#ifndef HF_LOCAL_KEEP_H
#define HF_LOCAL_KEEP_H

#include "local_mp2_private.h"

/** Orbitals and integrals of a checkpoint. */
struct hf_local_kept {
    bool found;
    struct hf_wavefunction
        wavefunction; /**< borrowed, but for energies and coefficients of its orbitals */
    int n_number;     /**< integrals */
    double digest[2];
};

/** Looks into settings->restart, if there is one, for integrals of orbitals that span the same space as the occupied ones
 *  of the wave function. Collective. HF_BAD_INPUT: it is damaged; HF_NO_RESOURCE. */
hf_status hf_local_kept_find(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                             const struct hf_local_settings *settings, struct hf_local_kept *kept,
                             struct hf_error *error) HF_MUST_CHECK;

/** Whether the integrals are those of this calculation, which was made from kept->wavefunction. Local; the same on
 *  every rank. */
bool hf_local_kept_fits(const struct hf_local_kept *kept, const struct hf_local *local);

/** Integrals k [local->n_number] of this rank's pairs. Collective. Errors as above. */
hf_status hf_local_kept_take(const struct hf_local *local, double k[],
                             struct hf_error *error) HF_MUST_CHECK;

void hf_local_kept_done(struct hf_local_kept *kept);

/** Adds to settings->checkpoint, if there is one: domains, and integrals k if it is worthwhile: if their transformation
 *  took so many seconds. What fails is a warning of the result. Collective. */
void hf_local_keep(const struct hf_local *local, const struct hf_wavefunction *wavefunction,
                   const double k[], double seconds, struct hf_local_result *result);

#endif
