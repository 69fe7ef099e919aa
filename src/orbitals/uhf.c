/* Open shells: alpha and beta electrons have their own orbitals. The energy is the lowest of all determinants with
 * these numbers of electrons. In general the wave function is not a pure spin state.
 *
 *     F_s = H + J[D] - K[D_s]      E = tr D H + tr D J / 2 - sum_s tr D_s K[D_s] / 2
 *
 * Source   Pople, Nesbet, J. Chem. Phys. 22, 571 (1954). */
#include "orbitals/orbitals.h"
static hf_status uhf_commutators(const struct hf_determinant *of, struct hf_matrix *const fock[],
                                 struct hf_matrix *const commutator[], struct hf_error *error)
{
    for (int s = 0; s < 2; s++)
        HF_CHECK(hf_commutator_of_orbitals(1.0, fock[s], of->occupied[s], commutator[s], error));
    return HF_OK;
}

const struct hf_method_ops hf_method_uhf = {
    .name = "uhf",
    .about = "unrestricted Hartree-Fock",
    .cite = "Pople, Nesbet, J. Chem. Phys. 22, 571 (1954)",
    .n_density = 2,
    .n_fock = 2,
    .n_set = 2,
    .commutators = uhf_commutators,
};
