/* Computes the next density from a Fock matrix in the orthonormal basis. */
#include "orbitals/orbitals.h"

void hf_destroy_matrices(size_t n, struct hf_matrix **const matrix[])
{
    for (size_t i = 0; i < n; i++) hf_matrix_destroy(matrix[i]);
}

hf_status hf_to_orthonormal(struct hf_linalg *linalg, const struct hf_matrix *x,
                            const struct hf_matrix *fock, struct hf_matrix *fock_orthonormal,
                            struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *half = NULL;
    HF_TRY(hf_matrix_create(linalg, "half-transformed Fock matrix", hf_matrix_n_row(x),
                            hf_matrix_n_col(x), &half, error));
    hf_matrix_multiply(1.0, false, fock, false, x, 0.0, half);
    hf_matrix_multiply_to_symmetric(1.0, true, x, false, half, fock_orthonormal);
cleanup:
    hf_matrix_destroy(&half);
    return status;
}

/** commutator = product - product^T, product = F' D'. */
static void antisymmetrise(const struct hf_matrix *product, struct hf_matrix *commutator)
{
    hf_matrix_copy(product, commutator);
    hf_matrix_add_transposed(-1.0, product, 1.0, commutator);
}

hf_status hf_commutator(struct hf_linalg *linalg, const struct hf_matrix *fock_orthonormal,
                        const struct hf_matrix *density_orthonormal, struct hf_matrix *commutator,
                        struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *product = NULL;
    const int m = hf_matrix_n_row(fock_orthonormal);
    HF_TRY(hf_matrix_create(linalg, "Fock times density", m, m, &product, error));
    hf_matrix_multiply(1.0, false, fock_orthonormal, false, density_orthonormal, 0.0, product);
    antisymmetrise(product, commutator);
cleanup:
    hf_matrix_destroy(&product);
    return status;
}

hf_status hf_commutator_of_orbitals(struct hf_linalg *linalg, double electrons,
                                    const struct hf_matrix *fock_orthonormal,
                                    const struct hf_matrix *occupied, struct hf_matrix *commutator,
                                    struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *half = NULL, *product = NULL;
    const int m = hf_matrix_n_row(fock_orthonormal);
    if (occupied == NULL) {
        hf_matrix_add(0.0, commutator, 0.0, commutator);
        return HF_OK;
    }

    const struct hf_new_matrix list[] = {{&half, m, hf_matrix_n_col(occupied)}, {&product, m, m}};
    HF_TRY(hf_matrix_create_several(linalg, "Fock times orbitals", 2, list, error));
    hf_matrix_multiply(electrons, false, fock_orthonormal, false, occupied, 0.0, half);
    hf_matrix_multiply(1.0, false, half, true, occupied, 0.0, product);
    antisymmetrise(product, commutator);
cleanup:
    HF_DESTROY_MATRICES(&product, &half);
    return status;
}

hf_status hf_density_of_orbitals(struct hf_linalg *linalg, double electrons,
                                 const struct hf_matrix *x, const struct hf_matrix *occupied,
                                 struct hf_matrix *density, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *coefficient = NULL;
    if (occupied == NULL) {
        hf_matrix_add(0.0, density, 0.0, density);
        return HF_OK;
    }

    HF_TRY(hf_matrix_create(linalg, "occupied orbitals", hf_matrix_n_row(x),
                            hf_matrix_n_col(occupied), &coefficient, error));
    hf_matrix_multiply(1.0, false, x, false, occupied, 0.0, coefficient);
    hf_matrix_multiply_to_symmetric(electrons, false, coefficient, true, coefficient, density);
cleanup:
    hf_matrix_destroy(&coefficient);
    return status;
}

hf_status hf_lowest_orbitals(struct hf_context *context, struct hf_matrix *fock_orthonormal,
                             double orbital_energy[], struct hf_matrix *occupied,
                             struct hf_error *error)
{
    hf_timer_start(&context->timers, &hf_phase_diagonalise);
    const hf_status status = hf_matrix_eigen(fock_orthonormal, orbital_energy, occupied, error);
    hf_timer_stop(&context->timers, &hf_phase_diagonalise);
    return status;
}
