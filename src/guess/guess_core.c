/* First density from the orbitals of the core Hamiltonian, in which electrons do not interact. */
#include "guess_private.h"
static hf_status core_densities(const struct hf_guess_input *input,
                                struct hf_matrix *const density[], struct hf_error *error)
{
    hf_status status;
    const int m = hf_matrix_n_col(input->of.x[0]);
    struct hf_matrix *core = NULL;
    HF_TRY(hf_matrix_create(input->linalg, "core Hamiltonian", m, m, &core, error));
    HF_TRY(hf_to_orthonormal(input->of.x[0], input->core_hamiltonian, core, error));
    HF_TRY(hf_guess_from_matrix(input, core, density, error));
cleanup:
    hf_matrix_destroy(&core);
    return status;
}

const struct hf_guess_ops hf_guess_core = {
    .name = "core",
    .about = "orbitals of the one-electron Hamiltonian",
    .cite = "",
    .from_orbitals = true,
    .densities = core_densities,
};
