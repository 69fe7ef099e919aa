/* Computes the next density from a Fock matrix in the orthonormal basis. */
#include "orbitals/orbitals.h"
hf_status hf_to_orthonormal(const struct hf_matrix *x, const struct hf_matrix *fock,
                            struct hf_matrix *fock_orthonormal, struct hf_error *error)
{
    struct hf_matrix *half = NULL;
    HF_CHECK(hf_matrix_create_like("half-transformed Fock matrix", x, &half, error));
    hf_matrix_multiply(1.0, false, fock, false, x, 0.0, half);
    hf_matrix_multiply_to_symmetric(1.0, true, x, false, half, fock_orthonormal);
    hf_matrix_destroy(&half);
    return HF_OK;
}

/** commutator = product - product^T, product = F' D'. */
static void antisymmetrise(const struct hf_matrix *product, struct hf_matrix *commutator)
{
    hf_matrix_copy(product, commutator);
    hf_matrix_add_transposed(-1.0, product, 1.0, commutator);
}
hf_status hf_commutator(const struct hf_matrix *fock_orthonormal,
                        const struct hf_matrix *density_orthonormal, struct hf_matrix *commutator,
                        struct hf_error *error)
{
    struct hf_matrix *product = NULL;
    HF_CHECK(hf_matrix_create_product("Fock times density", false, fock_orthonormal, false,
                                      density_orthonormal, &product, error));
    antisymmetrise(product, commutator);
    hf_matrix_destroy(&product);
    return HF_OK;
}
hf_status hf_commutator_of_orbitals(double electrons, const struct hf_matrix *fock_orthonormal,
                                    const struct hf_matrix *occupied, struct hf_matrix *commutator,
                                    struct hf_error *error)
{
    struct hf_matrix *half = NULL, *product = NULL;
    const int m = hf_matrix_n_row(fock_orthonormal);
    if (occupied == NULL) {
        hf_matrix_add(0.0, commutator, 0.0, commutator);
        return HF_OK;
    }
    HF_CHECK(HF_CREATE_MATRICES(hf_matrix_grid(occupied), "Fock times orbitals", error,
                                {&half, m, hf_matrix_n_col(occupied)}, {&product, m, m}));
    hf_matrix_multiply(electrons, false, fock_orthonormal, false, occupied, 0.0, half);
    hf_matrix_multiply(1.0, false, half, true, occupied, 0.0, product);
    antisymmetrise(product, commutator);
    HF_DESTROY_MATRICES(&product, &half);
    return HF_OK;
}
hf_status hf_density_of_orbitals(double electrons, const struct hf_matrix *x,
                                 const struct hf_matrix *occupied, struct hf_matrix *density,
                                 struct hf_error *error)
{
    struct hf_matrix *coefficient = NULL;
    if (occupied == NULL) {
        hf_matrix_add(0.0, density, 0.0, density);
        return HF_OK;
    }
    HF_CHECK(hf_matrix_create_product("occupied orbitals", false, x, false, occupied, &coefficient,
                                      error));
    hf_matrix_multiply_to_symmetric(electrons, false, coefficient, true, coefficient, density);
    hf_matrix_destroy(&coefficient);
    return HF_OK;
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
