/* The list of guesses, a function that several of them use, and the simplest guess. */
#include "guess_private.h"

const struct hf_guess_ops *const hf_guess_list[] = {&hf_guess_sad, &hf_guess_sap, &hf_guess_huckel,
                                                    &hf_guess_core, NULL};

HF_DEFINE_NAMED_LIST(guess)

hf_status hf_guess_from_matrix(const struct hf_guess_input *input, struct hf_matrix *matrix,
                               struct hf_matrix *const density[], struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = input->context;
    struct hf_matrix *const *occupied = input->of.occupied;
    struct hf_arena arena = {.memory = context->memory, .label = "orbital energies"};
    double *orbital_energy = HF_TAKE(&arena, orbital_energy, (size_t)hf_matrix_n_row(matrix));
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(hf_lowest_orbitals(context, matrix, orbital_energy, occupied[0], error));
    /* beta orbitals are the first of alpha's */
    if (input->of.method->n_set == 2 && occupied[1] != NULL)
        hf_matrix_copy_columns(occupied[0], 0, hf_matrix_n_col(occupied[1]), NULL, occupied[1], 0);
    HF_TRY(hf_method_densities(&input->of, density, error));
cleanup:
    hf_arena_done(&arena);
    return status;
}

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

/** First density from the orbitals of the core Hamiltonian, in which electrons do not interact. */
const struct hf_guess_ops hf_guess_core = {
    .name = "core",
    .about = "orbitals of the one-electron Hamiltonian",
    .cite = "",
    .from_orbitals = true,
    .densities = core_densities,
};
