/* First densities from the orbitals of another calculation, which may have another basis, geometry, charge or
 * multiplicity (book section 8.2).
 *
 * Old orbitals C_old over n_old functions are replaced by the closest ones in the new space:
 *
 *     C = S^-1 S_mixed C_old          S_mixed [n][n_old] overlap of new and old functions
 *
 * In the new orthonormal basis C' = X^T S_mixed C_old. Loewdin's method makes them orthonormal again with the
 * smallest change: C' (C'^T C')^-1/2. The overlap is computed for both bases joined, so that the usual distributed
 * matrices can be used:
 *
 *           ours  old
 *     ours | S  | S_mixed |       | 0     |       | S_mixed C_old |
 *     old  |    | S_old   |   x   | C_old |   =   | ...           | */
#include "guess/guess_input.h"

#include "base/arena.h"
#include "hamiltonian/hamiltonian.h"
#include "hf/guess.h"
#include "hf/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** If the square of an orbital's norm is smaller, it is mostly rounding error. */
static const double SMALLEST_SQUARE = 1e-6;

/** Rows of the old orbitals after rows of zeros. */
struct embedding {
    const struct hf_scf_orbitals *from;
    int spin, n_zero, n_column; /**< the first n_column columns are read */
};

static hf_status give_rows(void *data, int first, int n, double rows[], struct hf_error *error)
{
    const struct embedding *self = data;
    const struct hf_scf_orbitals *from = self->from;
    const size_t n_wanted = (size_t)self->n_column, n_there = (size_t)from->n_column[self->spin];
    int n_zero = self->n_zero - first;
    if (n_zero < 0) n_zero = 0;
    if (n_zero > n) n_zero = n;
    memset(rows, 0, (size_t)n_zero * n_wanted * sizeof *rows);
    if (n_zero == n) return HF_OK;
    const size_t n_read = (size_t)(n - n_zero);
    double *read = malloc(n_read * n_there * sizeof *read);
    if (read == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for rows of orbitals");
    const hf_status status = from->read(from->data, HF_RESTART_ORBITALS, 0, self->spin,
                                        first + n_zero - self->n_zero, n - n_zero, read, error);
    for (size_t i = 0; i < n_read && status == HF_OK; i++)
        memcpy(rows + ((size_t)n_zero + i) * n_wanted, read + i * n_there, n_wanted * sizeof *rows);
    free(read);
    return status;
}

bool hf_orbitals_follow_atoms(const struct hf_molecule *from, const struct hf_molecule *to)
{
    if (from->n_atom != to->n_atom) return false;
    for (int a = 0; a < to->n_atom; a++)
        if (from->atom[a].atomic_number != to->atom[a].atomic_number) return false;
    return true;
}

/** Computes the overlap of both bases joined. If the functions are the same, S_mixed is the overlap of the new basis
 *  alone. */
static hf_status make_joined_overlap(const struct hf_guess_input *input,
                                     const struct hf_scf_orbitals *from, struct hf_matrix **overlap,
                                     struct hf_error *error)
{
    const bool follow = hf_orbitals_follow_atoms(from->molecule, input->molecule);
    const bool same = from->coefficient[0] != NULL;
    struct hf_basis *joined = NULL;
    struct hf_hamiltonian *hamiltonian = NULL;
    hf_status status = same ? hf_basis_move(input->basis, input->molecule, &joined, error)
                            : hf_basis_join(input->basis, from->basis,
                                            follow ? input->molecule : NULL, &joined, error);
    HF_TRY(hf_agree(input->context->comm, status, error));
    HF_TRY(hf_matrix_create(input->linalg, "overlap of two bases", joined->n_function,
                            joined->n_function, overlap, error));
    HF_TRY(hf_hamiltonian_create(input->context, input->linalg, joined, input->molecule,
                                 &hamiltonian, error));
    HF_TRY(hf_operator_matrix(hamiltonian, HF_OVERLAP, *overlap, error));
cleanup:
    hf_hamiltonian_destroy(&hamiltonian);
    hf_basis_destroy(&joined);
    return status;
}

/** New *projected [m][o] = X^T S_mixed C_old for the o lowest orbitals of a spin. */
static hf_status project_spin(const struct hf_guess_input *input,
                              const struct hf_scf_orbitals *from, int spin,
                              const struct hf_matrix *overlap, int o, struct hf_matrix **projected,
                              struct hf_error *error)
{
    hf_status status;
    const int n = input->basis->n_function, n_both = hf_matrix_n_row(overlap);
    struct embedding embedding = {.from = from, .spin = spin, .n_zero = n, .n_column = o};
    struct hf_matrix *old = NULL, *all = NULL, *ours = NULL;
    HF_TRY(hf_matrix_create(input->linalg, "orbitals of another basis", n_both, o, &old, error));
    if (from->coefficient[spin] != NULL)
        hf_matrix_copy(from->coefficient[spin], old);
    else
        HF_TRY(hf_matrix_receive_rows(old, give_rows, &embedding, error));
    HF_TRY(
        hf_matrix_create_product("overlap with orbitals", false, overlap, false, old, &all, error));
    HF_TRY(hf_matrix_create(input->linalg, "overlap with orbitals", n, o, &ours, error));
    hf_matrix_copy_first_rows(all, ours);
    HF_TRY(hf_matrix_create_product("projected orbitals", true, input->of.x[0], false, ours,
                                    projected, error));
cleanup:
    HF_DESTROY_MATRICES(&ours, &all, &old);
    return status;
}

/** factor[i] = square[i]^-1/2; the squares are eigenvalues of the products of projected orbitals. */
static hf_status invert_roots(int o, const double square[], double factor[], struct hf_error *error)
{
    if (!(square[0] > SMALLEST_SQUARE))
        return hf_fail(error, HF_BAD_INPUT,
                       "the basis set cannot represent the initial orbitals: the norm of one of "
                       "them becomes %.1e; is it the same molecule at the same place?",
                       sqrt(fmax(square[0], 0.0)));
    for (int i = 0; i < o; i++) factor[i] = 1.0 / sqrt(square[i]);
    return HF_OK;
}

/** orthonormal [m][o] = P (P^T P)^-1/2, P = projected. */
static hf_status orthonormalise(struct hf_context *context, const struct hf_matrix *projected,
                                struct hf_matrix *orthonormal, struct hf_error *error)
{
    const int o = hf_matrix_n_col(projected);
    struct hf_arena arena = {.memory = context->memory, .label = "projected orbitals"};
    struct hf_matrix *product = NULL, *vector = NULL, *scaled = NULL;
    hf_status status;
    double *square = HF_TAKE(&arena, square, (size_t)o);
    double *factor = HF_TAKE(&arena, factor, (size_t)o);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(HF_CREATE_MATRICES(hf_matrix_grid(projected), "products of orbitals", error,
                              {&product, o, o}, {&vector, o, o}));
    hf_matrix_multiply_to_symmetric(1.0, true, projected, false, projected, product);
    HF_TRY(hf_matrix_eigen(product, square, vector, error));
    HF_TRY(invert_roots(o, square, factor, error)); /* the same on every rank */
    HF_TRY(hf_matrix_create_columns("products of orbitals", vector, 0, o, factor, &scaled, error));
    hf_matrix_destroy(&product);
    HF_TRY(hf_matrix_create_product("products of orbitals", false, scaled, true, vector, &product,
                                    error));
    hf_matrix_multiply(1.0, false, projected, false, product, 0.0, orthonormal);
cleanup:
    HF_DESTROY_MATRICES(&scaled, &vector, &product);
    hf_arena_done(&arena);
    return status;
}

/** Checks that there are enough orbitals. Not collective. */
static hf_status check(const struct hf_scf_orbitals *from, int spin, int n_occupied,
                       struct hf_error *error)
{
    const int n = from->n_column[spin];
    if (n == 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "there are no initial orbitals: that calculation ended in its first "
                       "iteration");
    if (n < n_occupied)
        return hf_fail(error, HF_BAD_INPUT,
                       "there are %d initial orbitals, but %d are occupied; a finished "
                       "calculation also stores virtual orbitals",
                       n, n_occupied);
    return HF_OK;
}

/** orthonormal [m][o] = the o lowest orbitals of a spin, projected and orthonormalised. */
static hf_status take(const struct hf_guess_input *input, const struct hf_scf_orbitals *from,
                      int spin, const struct hf_matrix *overlap, struct hf_matrix *orthonormal,
                      struct hf_error *error)
{
    hf_status status;
    const int o = hf_matrix_n_col(orthonormal);
    struct hf_matrix *projected = NULL;
    HF_CHECK(check(from, spin, o, error));
    HF_TRY(project_spin(input, from, spin, overlap, o, &projected, error));
    HF_TRY(orthonormalise(input->context, projected, orthonormal, error));
cleanup:
    hf_matrix_destroy(&projected);
    return status;
}

/** Rotates alpha orbitals [m][o] among themselves so that those closest to the occupied beta orbitals come first, for
 *  orbitals shared by both spins. Uses the eigenvectors of -U^T U, where U = B^T A is the overlap with the beta
 *  orbitals. Orbital energies are no criterion, because a singly occupied orbital often lies below doubly occupied
 *  ones. Source   Amos, Hall, Proc. R. Soc. A 263, 483 (1961). */
static hf_status put_shared_first(const struct hf_guess_input *input,
                                  const struct hf_scf_orbitals *from,
                                  const struct hf_matrix *overlap, struct hf_matrix *alpha,
                                  struct hf_error *error)
{
    hf_status status;
    struct hf_arena arena = {.memory = input->context->memory, .label = "projected orbitals"};
    const int m = hf_matrix_n_row(alpha), o = hf_matrix_n_col(alpha), b = input->of.n_electron.beta;
    struct hf_matrix *beta = NULL, *both = NULL, *square = NULL, *vector = NULL, *kept = NULL;
    double *value = HF_TAKE(&arena, value, (size_t)o);
    HF_TRY(hf_agree(input->context->comm, hf_arena_check(&arena, error), error));
    HF_TRY(HF_CREATE_MATRICES(input->linalg, "projected orbitals", error, {&beta, m, b},
                              {&square, o, o}, {&vector, o, o}));
    HF_TRY(take(input, from, 1, overlap, beta, error));
    HF_TRY(
        hf_matrix_create_product("overlap of both spins", true, beta, false, alpha, &both, error));
    hf_matrix_multiply_to_symmetric(-1.0, true, both, false, both, square);
    HF_TRY(hf_matrix_eigen(square, value, vector, error));
    HF_TRY(hf_matrix_create_copy("projected orbitals", alpha, &kept, error));
    hf_matrix_multiply(1.0, false, kept, false, vector, 0.0, alpha);
cleanup:
    HF_DESTROY_MATRICES(&vector, &square, &both, &kept, &beta);
    hf_arena_done(&arena);
    return status;
}
hf_status hf_scf_project_orbitals(const struct hf_guess_input *input,
                                  const struct hf_scf_orbitals *from,
                                  struct hf_matrix *const density[], struct hf_error *error)
{
    hf_status status;
    const struct hf_determinant *of = &input->of;
    const struct hf_spin_count n_electron = of->n_electron;
    const bool shares = of->method->n_set < from->n_spin && n_electron.beta > 0 &&
                        n_electron.alpha > n_electron.beta;
    struct hf_matrix *overlap = NULL;
    HF_TRY(make_joined_overlap(input, from, &overlap, error));
    for (int k = 0; k < of->method->n_set; k++) {
        const int spin = k < from->n_spin ? k : 0;
        if (of->occupied[k] != NULL)
            HF_TRY(take(input, from, spin, overlap, of->occupied[k], error));
    }
    if (shares) HF_TRY(put_shared_first(input, from, overlap, of->occupied[0], error));
    HF_TRY(hf_method_densities(of, density, error));
cleanup:
    hf_matrix_destroy(&overlap);
    return status;
}
