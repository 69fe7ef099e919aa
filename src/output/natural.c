/* Natural orbitals: eigenvectors of a density, whose eigenvalues are their occupations. With orthonormal orbitals C
 *
 *     C^T S D S C u = u n      natural orbitals C u      sum of n = tr D S
 *
 * which is the problem of S^1/2 D S^1/2 without functions that were removed for linear dependence. Of UHF each spin has
 * its own. Occupations of a relaxed density may lie outside 0 to 1, or 2, by what the relaxation adds.
 * Source: Loewdin, Phys. Rev. 97, 1474 (1955). */
#include "output_private.h"

#include "linalg/new_matrix.h"

#include <stdlib.h>

/** -C^T S D S C [m][m] with the density of a spin, or of both, and the orbitals of that spin. Collective. */
static hf_status to_orbitals(const struct hf_wavefunction *of, int spin, struct hf_matrix **between,
                             struct hf_error *error)
{
    hf_status status;
    const struct hf_matrix *coefficient = of->spin[spin].coefficient;
    const int m = of->spin[spin].n_orbital;
    struct hf_matrix *density = NULL, *dual = NULL, *half = NULL;
    HF_TRY(hf_matrix_create_like("natural orbitals", of->density, &density, error));
    HF_TRY(hf_matrix_create_like("natural orbitals", coefficient, &dual, error));
    HF_TRY(hf_matrix_create_like("natural orbitals", coefficient, &half, error));
    HF_TRY(hf_matrix_create(of->linalg, "natural orbitals", m, m, between, error));
    hf_matrix_add(of->n_spin == 1 ? -1.0 : -0.5, of->density, 0.0, density);
    if (of->n_spin > 1) hf_matrix_add(spin == 0 ? -0.5 : 0.5, of->spin_density, 1.0, density);
    hf_matrix_multiply(1.0, false, of->overlap, false, coefficient, 0.0, dual);
    hf_matrix_multiply(1.0, false, density, false, dual, 0.0, half);
    hf_matrix_multiply(1.0, true, dual, false, half, 0.0, *between);
cleanup:
    HF_DESTROY_MATRICES(&density, &dual, &half);
    return status;
}

/** Those of one spin, or of both. Collective. */
static hf_status make_spin(struct hf_context *context, const struct hf_wavefunction *of, int spin,
                           struct hf_orbitals *natural, struct hf_error *error)
{
    hf_status status;
    const int m = natural->n_orbital;
    struct hf_matrix *between = NULL, *vector = NULL;
    natural->coefficient = NULL;
    natural->energy = calloc((size_t)m + 1, sizeof *natural->energy);
    natural->occupation = calloc((size_t)m + 1, sizeof *natural->occupation);
    status = natural->energy != NULL && natural->occupation != NULL
                 ? HF_OK
                 : hf_fail(error, HF_NO_RESOURCE, "out of memory");
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(to_orbitals(of, spin, &between, error));
    HF_TRY(hf_matrix_create_like("natural orbitals", between, &vector, error));
    HF_TRY(hf_matrix_eigen(between, natural->occupation, vector, error));
    for (int k = 0; k < m; k++) natural->occupation[k] = -natural->occupation[k]; /* falling */
    HF_TRY(hf_matrix_create_like("orbitals to draw", of->spin[spin].coefficient,
                                 &natural->coefficient, error));
    hf_matrix_multiply(1.0, false, of->spin[spin].coefficient, false, vector, 0.0,
                       natural->coefficient);
cleanup:
    HF_DESTROY_MATRICES(&between, &vector);
    return status;
}

hf_status hf_natural_show(struct hf_context *context, const struct hf_wavefunction *of,
                          struct hf_wavefunction *shown, struct hf_error *error)
{
    *shown = *of;
    for (int spin = 0; spin < of->n_spin; spin++)
        HF_CHECK(make_spin(context, of, spin, &shown->spin[spin], error));
    return HF_OK;
}
