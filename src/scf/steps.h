/* Inside the scf room: checks of settings, occupations, the two-electron matrices, thresholds. Shapes and
 * words are those of hf/orbitals.h. */
#ifndef HF_SCF_STEPS_H
#define HF_SCF_STEPS_H

#include "hf/diis.h"
#include "hf/fock.h"
#include "hf/hamiltonian.h"
#include "hf/linalg.h"
#include "hf/orbitals.h"
#include "hf/scf.h"
#include "hf/scf_terms.h"

/** What a calculation is timed by beside hf_phase_setup, the phases of the Fock builds and those in hf/linalg.h:
 *  overlap, kinetic energy, nuclear attraction, dipole; first density. */
extern const struct hf_phase hf_phase_one_electron, hf_phase_guess;

/** Looks at all that can be seen before anything is computed: settings, method, and whether the
 *  method can do the molecule. Not collective. HF_BAD_INPUT. */
hf_status hf_scf_check(const struct hf_molecule *molecule, const struct hf_scf_settings *settings,
                       const struct hf_method_ops **method, struct hf_spin_count *n_electron,
                       struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT on every rank when molecule, basis, settings or whether a wave function is asked for
 *  differ from rank to rank. Collective. */
hf_status hf_scf_check_same(const struct hf_context *context, const struct hf_molecule *molecule,
                            const struct hf_basis *basis, const struct hf_scf_settings *settings,
                            bool wavefunction, struct hf_error *error) HF_MUST_CHECK;

/** Electrons of one spin in each of n orbitals at a temperature kT > 0 (hartree), occupation [n],
 *  from their energies [n] in hartree, ascending; they add up to n_electron <= n. Less than 1e-14
 *  is nothing. Not collective. */
void hf_fermi_occupations(int n, const double energy[], int n_electron, double temperature,
                          double occupation[]);

/** -T S of the electrons of one spin with those occupations [n] at kT, hartree: at most zero. Not
 *  collective. */
double hf_entropy_term(int n, const double occupation[], double temperature);

/** Coulomb and exchange matrices of the current densities of a method: built from whole densities,
 *  or by adding those of their changes, whose quartets are screened away far more often. One pass
 *  over the integrals makes those of all densities.
 *
 *  J and K of the changes add up to no better than the screening thresholds of all builds since the
 *  last whole one, so that a sharper threshold than the last always builds anew. */
struct hf_two_electron {
    struct hf_linalg *linalg;
    struct hf_fock_builder *builder;            /**< borrowed */
    const struct hf_method_ops *method;         /**< has n_density of each of these: */
    struct hf_matrix *density[HF_MAX_DENSITY];  /**< [n][n], whose J and K these are */
    struct hf_matrix *coulomb;                  /**< [n][n] of the total density */
    struct hf_matrix *exchange[HF_MAX_DENSITY]; /**< [n][n] */
    double threshold;                           /**< of the whole build and the changes since;
                                                 *   INFINITY before */
    double energy_change;                       /**< hartree, see hf_two_electron_update */
    int n_change;                               /**< changes at this threshold */
    bool built;                                 /**< false before the first build */
};

/** Matrices [n][n] of zeros. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_two_electron_init(struct hf_two_electron *self, struct hf_linalg *linalg,
                               struct hf_fock_builder *builder, const struct hf_method_ops *method,
                               int n, struct hf_error *error) HF_MUST_CHECK;
void hf_two_electron_done(struct hf_two_electron *self);

/** Moves on from the densities D to D' = density [n_density], which are destroyed. The two-electron
 *  energy is a quadratic form E(D, D) (hf_interaction_energy), so that it changes by exactly
 *
 *      E(D' - D, D) + E(D' - D, D')     closed shells: tr (D' - D) (G + G') / 2, G = J - K/2
 *
 *  `energy_change` is made that way, because an error of J and K then meets the small D' - D only:
 *  it can be trusted far below the thresholds and does not notice a move from one threshold to
 *  another. Collective. */
hf_status hf_two_electron_update(struct hf_two_electron *self, struct hf_matrix *const density[],
                                 double threshold, struct hf_error *error) HF_MUST_CHECK;

/** Screening threshold of the build of iteration result->n_iteration, from the commutator of the
 *  one before. `last` is that one's threshold, INFINITY before the first: it never gets looser
 *  again. Not collective; equal on every rank. */
double hf_next_threshold(const struct hf_scf_settings *settings, const struct hf_scf_result *result,
                         double last);

#endif
