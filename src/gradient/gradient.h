/* Derivatives of the energy of a wave function by the places of atoms and of point charges.
 *
 *     dE/dR = dE_nuc/dR + sum D_mn dh_mn/dR + dE2/dR at fixed densities - sum W_mn dS_mn/dR
 *
 * with the energy-weighted density W (hf_method_weighted_density, hf_method_weigh_removed): of the energy of RHF, UHF and ROHF, and with
 * fractional occupations of the free energy. Its error is of first order in the SCF's commutator.
 *
 * Source: Pulay, Mol. Phys. 17, 197 (1969). */
#ifndef HF_GRADIENT_H
#define HF_GRADIENT_H

#include "base/arena.h"
#include "gradient/relaxed_density.h"
#include "hf/status.h"
#include "hf/wavefunction.h"
#include "pairs/common_pairs.h"
#include "scf/quantity.h"

extern const struct hf_phase hf_phase_gradient_one_electron;

/** What analytic gradients are timed by, ended by NULL. */
extern const struct hf_phase *const hf_gradient_phases[];

/** hartree/bohr. Initialise with = {0}. */
struct hf_gradient {
    int n_atom, n_charge;
    double (*atom)[3];     /**< [n_atom] of nuclei and functions, ghosts included */
    double (*charge)[3];   /**< [n_charge] of the point charges */
    struct hf_arena arena; /**< has these */
};

/** Bytes of a rank, of n_rank that share a calculation, that the derivatives of MP2 and the relaxation of its density take.
 *  The relaxation stores integrals beside them. Not collective. */
double hf_relaxation_bytes(const struct hf_quantity_source *of, int n_rank);

/** Room for all derivatives, zero. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_gradient_create(const struct hf_molecule *molecule, struct hf_gradient *gradient,
                             struct hf_error *error) HF_MUST_CHECK;

/** Frees and clears; accepts a cleared one. Not collective. */
void hf_gradient_done(struct hf_gradient *gradient);

/** Adds up all parts to a gradient of zeros. The wave function has densities and weighted_density; `pairs` are of
 *  its basis and lend a list. Collective; the same bits on every rank. HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_gradient_compute(struct hf_context *context,
                              const struct hf_wavefunction *wavefunction,
                              const struct hf_scf_settings *settings, struct hf_common_pairs *pairs,
                              struct hf_gradient *gradient, struct hf_error *error) HF_MUST_CHECK;

/** The same for the MP2 energy: with D the density of the SCF and P what correlation adds to it,
 *
 *      dE/dR = dE_nuc/dR + sum (D + P)_mn dh_mn/dR + dE2[D + P]/dR - dE2[P]/dR + slope - sum W_mn dS_mn/dR
 *
 *  because the energy has no term of second order in P. */
hf_status
hf_gradient_compute_mp2(struct hf_context *context, const struct hf_scf_settings *settings,
                        struct hf_common_pairs *pairs, const struct hf_mp2_derivatives *derivatives,
                        const struct hf_relaxed_density *relaxed, struct hf_gradient *gradient,
                        struct hf_error *error) HF_MUST_CHECK;

#endif
