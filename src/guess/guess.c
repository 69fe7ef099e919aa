/* The list of guesses, and functions that several of them use. */
#include "guess_private.h"

const struct hf_guess_ops *const hf_guess_list[] = {&hf_guess_sad, &hf_guess_sap, &hf_guess_huckel,
                                                    &hf_guess_core, NULL};

const char *hf_guess_name(const struct hf_guess_ops *guess)
{
    return guess->name;
}

const char *hf_guess_about(const struct hf_guess_ops *guess)
{
    return guess->about;
}

static const char *name_of(int i)
{
    return hf_guess_list[i] != NULL ? hf_guess_list[i]->name : NULL;
}

hf_status hf_guess_find(const char *name, const struct hf_guess_ops **guess, struct hf_error *error)
{
    int place;
    const hf_status status = hf_find_named("guess", name, name_of, &place, error);
    if (status == HF_OK) *guess = hf_guess_list[place];
    return status;
}
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
