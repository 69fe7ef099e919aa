/* Computes all orbitals of a determinant, occupied ones first. The Fock matrices need not commute with its density. */
#include "response/rotation.h"

#include <math.h>

/** Energy shift of each kind of orbitals, and number of closed orbitals. */
struct blocks {
    int n_closed;
    double shift;
};

/** Computes an element of B from one of W^T F W; see make_block_diagonal. */
static double of_blocks(void *data, int row, int column, double value)
{
    const struct blocks *blocks = data;
    const bool alike = (row < blocks->n_closed) == (column < blocks->n_closed);
    const double moved = row != column ? 0.0 : (row < blocks->n_closed ? 2.0 : 1.0) * blocks->shift;
    return (alike ? 2.0 : 1.0) * value - moved;
}

/** Removes the blocks of F between closed, open and virtual orbitals, and lowers closed orbitals by 2 s and open ones
 *  by s, so that eigenvectors come in this order:
 *
 *      F - F P - P F + P F P + Pc F Pc + Po F Po - 2 s Pc - s Po = F - Z W^T - W Z^T
 *      Z = F W - W B / 2,  B = W^T F W, with diagonal blocks doubled, minus the shift
 *
 *  P = Pc + Po = W W^T of the occupied orbitals W [m][o]. */
static hf_status make_block_diagonal(int n_closed, const struct hf_matrix *occupied,
                                     struct hf_matrix *fock, struct hf_error *error)
{
    const int m = hf_matrix_n_row(occupied), o = hf_matrix_n_col(occupied);
    struct blocks blocks = {.n_closed = n_closed};
    struct hf_matrix *half = NULL, *inner = NULL, *product = NULL;
    HF_CHECK(HF_CREATE_MATRICES(hf_matrix_grid(fock), "blocks of a Fock matrix", error,
                                {&half, m, o}, {&inner, o, o}, {&product, m, m}));
    /* no eigenvalue is larger than the square root of this */
    hf_matrix_dot(fock, fock, &blocks.shift);
    blocks.shift = 2.0 * sqrt(blocks.shift) + 1.0;
    hf_matrix_multiply(1.0, false, fock, false, occupied, 0.0, half);
    hf_matrix_multiply_to_symmetric(1.0, true, occupied, false, half, inner);
    hf_matrix_map(inner, of_blocks, &blocks);
    hf_matrix_multiply(-0.5, false, occupied, false, inner, 1.0, half);
    hf_matrix_multiply(1.0, false, half, true, occupied, 0.0, product);
    hf_matrix_add(-1.0, product, 1.0, fock);
    hf_matrix_add_transposed(-1.0, product, 1.0, fock);
    HF_DESTROY_MATRICES(&product, &inner, &half);
    return HF_OK;
}

/** Computes the diagonals of the Fock matrices in the orbitals `all` [m][m]. */
static hf_status find_energies(struct hf_rotation_set *set, struct hf_matrix *const fock[],
                               const struct hf_matrix *all, struct hf_error *error)
{
    const int m = hf_matrix_n_row(all);
    struct hf_matrix *half = NULL, *product = NULL;
    HF_CHECK(HF_CREATE_MATRICES(hf_matrix_grid(all), "Fock matrix of orbitals", error,
                                {&half, m, m}, {&product, m, m}));
    for (int s = 0; s < set->n_spin; s++) {
        hf_matrix_multiply(1.0, false, fock[s], false, all, 0.0, half);
        hf_matrix_multiply(1.0, true, all, false, half, 0.0, product);
        hf_matrix_diagonal(product, set->energy + (size_t)s * (size_t)m);
    }
    HF_DESTROY_MATRICES(&product, &half);
    return HF_OK;
}

/** Makes a set; fock [n_spin] are the Fock matrices of its spins. */
static hf_status make_set(struct hf_rotation_space *self, struct hf_context *context,
                          struct hf_rotation_set *set, struct hf_matrix *const fock[],
                          const struct hf_matrix *occupied, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *mean = NULL, *all = NULL;
    HF_TAKE(&self->arena, set->energy, (size_t)set->n_spin * (size_t)self->m);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&self->arena, error), error));
    HF_TRY(hf_matrix_create_copy("Fock matrix", fock[0], &mean, error));
    HF_TRY(hf_matrix_create_like("orbitals", mean, &all, error));
    if (set->n_spin == 2) hf_matrix_add(0.5, fock[1], 0.5, mean);
    HF_TRY(make_block_diagonal(set->n_closed, occupied, mean, error));
    HF_TRY(hf_lowest_orbitals(context, mean, set->energy, all, error));
    hf_matrix_destroy(&mean);
    HF_TRY(hf_matrix_create_columns("occupied orbitals", all, 0, set->n_left, NULL, &set->left,
                                    error));
    HF_TRY(hf_matrix_create_columns("unfilled orbitals", all, set->n_closed, set->n_right, NULL,
                                    &set->right, error));
    HF_TRY(find_energies(set, fock, all, error));
cleanup:
    HF_DESTROY_MATRICES(&all, &mean);
    return status;
}
hf_status hf_rotation_space_init(struct hf_rotation_space *self, struct hf_context *context,
                                 const struct hf_determinant *of, struct hf_matrix *const fock[],
                                 struct hf_error *error)
{
    const struct hf_method_ops *method = of->method;
    *self = (struct hf_rotation_space){.linalg = hf_matrix_grid(fock[0]),
                                       .n_set = method->n_set,
                                       .m = hf_matrix_n_row(fock[0]),
                                       .arena = {.label = "orbital energies"}};
    for (int k = 0; k < self->n_set; k++) {
        struct hf_rotation_set *set = &self->set[k];
        set->n_left = hf_set_size(of->n_electron, k);
        set->n_closed = method->n_set == 2 ? set->n_left : of->n_electron.beta;
        set->n_right = self->m - set->n_closed;
        set->n_spin = method->n_set == 1 ? 2 : 1;
        set->n_occupied[0] = set->n_left;
        set->n_occupied[1] = set->n_closed;
        struct hf_matrix *const of_spin[] = {fock[k], fock[method->n_fock - 1]};
        if (set->n_left > 0 && set->n_right > 0)
            HF_CHECK(make_set(self, context, set, of_spin, of->occupied[k], error));
    }
    return HF_OK;
}
void hf_rotation_space_done(struct hf_rotation_space *self)
{
    for (int k = 0; k < HF_MAX_SPIN; k++)
        HF_DESTROY_MATRICES(&self->set[k].left, &self->set[k].right);
    hf_arena_done(&self->arena);
}
