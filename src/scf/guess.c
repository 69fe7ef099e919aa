/* The list of guesses, and what several of them do. */
#include "steps.h"

#include <stdio.h>
#include <string.h>

const struct hf_guess_ops *const hf_guess_list[] = {&hf_guess_sad, &hf_guess_sap, &hf_guess_core,
                                                    NULL};

const char *hf_guess_name(const struct hf_guess_ops *guess)
{
    return guess->name;
}

const char *hf_guess_about(const struct hf_guess_ops *guess)
{
    return guess->about;
}

hf_status hf_guess_find(const char *name, const struct hf_guess_ops **guess, struct hf_error *error)
{
    char names[256] = "";
    for (int i = 0; hf_guess_list[i] != NULL; i++) {
        if (name != NULL && strcmp(hf_guess_list[i]->name, name) == 0) {
            *guess = hf_guess_list[i];
            return HF_OK;
        }
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                 hf_guess_list[i]->name);
    }
    return hf_fail(error, HF_BAD_INPUT, "there is no guess \"%s\"; there are: %s",
                   name != NULL ? name : "", names);
}

static int n_orbital(const struct hf_matrix *occupied)
{
    return occupied != NULL ? hf_matrix_n_col(occupied) : 0;
}

hf_status hf_guess_from_matrix(const struct hf_guess_input *input, struct hf_matrix *matrix,
                               struct hf_matrix *const density[],
                               struct hf_matrix *const occupied[], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_context *context = input->context;
    const int m = hf_matrix_n_row(matrix);
    int most = 0; /* the orbitals of the others are among its */
    double *orbital_energy =
        hf_memory_allocate(context->memory, "orbital energies", (size_t)m, sizeof *orbital_energy);
    if (orbital_energy == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %d orbital energies", m);
    HF_TRY(hf_agree(context->comm, status, error));
    for (int k = 1; k < input->method->n_fock; k++)
        if (n_orbital(occupied[k]) > n_orbital(occupied[most])) most = k;
    HF_TRY(hf_lowest_orbitals(context, matrix, orbital_energy, occupied[most], error));
    for (int k = 0; k < input->method->n_fock; k++)
        if (k != most && occupied[k] != NULL)
            hf_matrix_copy_columns(occupied[most], 0, n_orbital(occupied[k]), NULL, occupied[k], 0);
    HF_TRY(input->method->densities(input->linalg, input->x, occupied, density, error));
cleanup:
    hf_memory_release(context->memory, orbital_energy);
    return status;
}
