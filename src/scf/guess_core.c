/* First density from the orbitals of the core Hamiltonian: electrons that do not see each other. */
#include "steps.h"

static hf_status core_densities(const struct hf_guess_input *input,
                                struct hf_matrix *const density[],
                                struct hf_matrix *const occupied[], bool *has_orbitals,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_context *context = input->context;
    const int m = hf_matrix_n_col(input->x);
    struct hf_matrix *core = NULL;
    double *orbital_energy =
        hf_memory_allocate(context->memory, "orbital energies", (size_t)m, sizeof *orbital_energy);
    if (orbital_energy == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %d orbital energies", m);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_matrix_create(input->linalg, "core Hamiltonian", m, m, &core, error));
    for (int k = 0; k < input->method->n_fock; k++) {
        HF_TRY(hf_to_orthonormal(input->linalg, input->x, input->core_hamiltonian, core, error));
        HF_TRY(hf_matrix_eigen(core, orbital_energy, occupied[k], error));
    }
    HF_TRY(input->method->densities(input->linalg, input->x, occupied, density, error));
    *has_orbitals = true;
cleanup:
    hf_matrix_destroy(&core);
    hf_memory_release(context->memory, orbital_energy);
    return status;
}

const struct hf_guess_ops hf_guess_core = {
    .name = "core",
    .about = "orbitals of the core Hamiltonian",
    .cite = "",
    .densities = core_densities,
};
