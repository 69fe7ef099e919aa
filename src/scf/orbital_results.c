/* What is made of the orbitals of a calculation, be it for its next build, a checkpoint or the
 * caller. */
#include "scf_state.h"

#include <stdlib.h>

hf_status hf_scf_create_densities(const struct hf_scf *scf, const char *label,
                                  struct hf_matrix *density[], struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = scf->result->n_function;
    for (int s = 0; s < scf->method->n_density; s++)
        HF_TRY(hf_matrix_create(scf->linalg, label, n, n, &density[s], error));
cleanup:
    return status;
}

hf_status hf_scf_make_densities(const struct hf_scf *scf, const char *label,
                                struct hf_matrix *density[], struct hf_error *error)
{
    hf_status status = hf_scf_create_densities(scf, label, density, error);
    if (status == HF_OK)
        status = hf_method_densities(scf->method, scf->linalg, scf->n_electron, scf->x,
                                     scf->occupied, density, error);
    return status;
}

hf_status hf_scf_describe_orbitals(const struct hf_scf *scf, int k, struct hf_orbitals *orbitals,
                                   struct hf_error *error)
{
    const int m = scf->result->n_orbital;
    orbitals->n_orbital = m;
    orbitals->n_occupied = hf_set_size(scf->n_electron, k);
    orbitals->occupation = calloc((size_t)m, sizeof *orbitals->occupation);
    if (orbitals->occupation == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d occupations", m);
    hf_scf_occupations(scf, k, orbitals->occupation);
    return HF_OK;
}

hf_status hf_scf_coefficients(const struct hf_scf *scf, const struct hf_matrix *orthonormal,
                              struct hf_matrix **coefficient, struct hf_error *error)
{
    const hf_status status =
        hf_matrix_create(scf->linalg, "orbital coefficients", scf->result->n_function,
                         hf_matrix_n_col(orthonormal), coefficient, error);
    if (status == HF_OK)
        hf_matrix_multiply(1.0, false, scf->x, false, orthonormal, 0.0, *coefficient);
    return status;
}
