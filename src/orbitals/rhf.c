/* Closed shells: one density, two electrons in every occupied orbital.
 *
 *     D = 2 C_occ C_occ^T      F = H + J - K/2      E = tr D H + tr D J / 2 - tr D K / 4
 *
 * Source   Roothaan, Rev. Mod. Phys. 23, 69 (1951); book Eqs. 8.4 to 8.6. */
#include "orbitals/orbitals.h"

static hf_status rhf_check(const struct hf_molecule *molecule, struct hf_spin_count n_electron,
                           struct hf_error *error)
{
    if (n_electron.alpha == n_electron.beta) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "%d electrons (charge %+d) with multiplicity %d are an open shell; method rhf "
                   "needs multiplicity 1, uhf and rohf take any",
                   n_electron.alpha + n_electron.beta, molecule->charge, molecule->multiplicity);
}
static hf_status rhf_commutators(const struct hf_determinant *of, struct hf_matrix *const fock[],
                                 struct hf_matrix *const commutator[], struct hf_error *error)
{
    return hf_commutator_of_orbitals(2.0, fock[0], of->occupied[0], commutator[0], error);
}

const struct hf_method_ops hf_method_rhf = {
    .name = "rhf",
    .about = "closed-shell (restricted) Hartree-Fock",
    .cite = "Roothaan, Rev. Mod. Phys. 23, 69 (1951)",
    .n_density = 1,
    .n_fock = 1,
    .n_set = 1,
    .check = rhf_check,
    .commutators = rhf_commutators,
};
