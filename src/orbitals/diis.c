/* Direct inversion in the iterative subspace (Pulay 1982). */
#include "diis_private.h"

#include <math.h>
hf_status hf_diis_create(struct hf_context *context, int n_fock, int size, struct hf_diis **diis,
                         struct hf_error *error)
{
    hf_status status;
    const size_t count = size > 1 ? (size_t)size : 1;
    struct hf_diis own = {
        .context = context, .n_fock = n_fock, .size = size, .arena = {.label = "the DIIS history"}};
    HF_TAKE(&own.arena, own.orbitals, count * HF_MAX_SPIN);
    HF_TAKE(&own.arena, own.trace, count * count);
    HF_TAKE(&own.arena, own.history, count * (size_t)n_fock);
    HF_TAKE(&own.arena, own.in_order, count * (size_t)n_fock);
    HF_TAKE(&own.arena, own.product, count * count);
    HF_TAKE(&own.arena, own.coefficient, count + 1);
    HF_TAKE(&own.arena, own.work, count * count + HF_DIIS_WORK(count));
    struct hf_diis *made = HF_TAKE(&own.arena, made, 1);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&own.arena, error), error));
    *made = own;
    *diis = made;
    return HF_OK;
cleanup:
    hf_arena_done(&own.arena);
    return status;
}

void hf_diis_forget(struct hf_diis *self)
{
    for (int i = 0; i < self->size * self->n_fock; i++) hf_matrix_destroy(&self->history[i]);
    for (int i = 0; i < self->size * HF_MAX_SPIN; i++) hf_matrix_destroy(&self->orbitals[i]);
    self->n_stored = 0;
}

void hf_diis_destroy(struct hf_diis **diis)
{
    struct hf_diis *self = *diis;
    if (self == NULL) return;
    hf_diis_forget(self);
    hf_arena_done(&self->arena);
    *diis = NULL;
}

int hf_diis_n_stored(const struct hf_diis *diis)
{
    return diis->n_stored;
}

int hf_diis_slot(const struct hf_diis *self, int i)
{
    return (self->oldest + i) % self->size;
}

static double *product_of(const struct hf_diis *self, int i, int j)
{
    const size_t row = (size_t)hf_diis_slot(self, i), size = (size_t)self->size;
    return &self->product[row * size + (size_t)hf_diis_slot(self, j)];
}

static void drop_oldest(struct hf_diis *self)
{
    self->oldest = (self->oldest + 1) % self->size;
    self->n_stored--;
}

struct hf_matrix **hf_diis_stored(const struct hf_diis *self, int i)
{
    return &self->history[(size_t)hf_diis_slot(self, i) * (size_t)self->n_fock];
}

const struct hf_matrix *const *hf_diis_in_order(struct hf_diis *self)
{
    for (int i = 0; i < self->n_stored; i++)
        for (int k = 0; k < self->n_fock; k++)
            self->in_order[(size_t)i * (size_t)self->n_fock + (size_t)k] =
                hf_diis_stored(self, i)[k];
    return self->in_order;
}

/** product [n_stored] = sum_k <e_k|A_k>, of the newest commutators e [n_fock] with every pair. For the newest pair, e
 *  replaces A = F + e. */
static void find_products(const struct hf_diis *self, struct hf_matrix *const commutator[],
                          double product[])
{
    const int n = self->n_stored;
    const struct hf_matrix *stored[HF_MAX_DIIS];
    double part[HF_MAX_DIIS];
    for (int i = 0; i < n; i++) product[i] = 0.0;
    for (int k = 0; k < self->n_fock; k++) {
        for (int i = 0; i < n - 1; i++) stored[i] = hf_diis_stored(self, i)[k];
        stored[n - 1] = commutator[k];
        hf_matrix_dots(commutator[k], n, stored, part);
        for (int i = 0; i < n; i++) product[i] += part[i];
    }
}

/** Stores copies of `occupied` (NULL: none) as the orbitals of slot `slot`. */
static hf_status put_orbitals(struct hf_diis *self, int slot, struct hf_matrix *const occupied[],
                              struct hf_error *error)
{
    struct hf_matrix **place = &self->orbitals[(size_t)slot * HF_MAX_SPIN];
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        const struct hf_matrix *from = occupied != NULL ? occupied[k] : NULL;
        /* fractional occupations change the number of orbitals */
        if (from == NULL ||
            (place[k] != NULL && hf_matrix_n_col(place[k]) != hf_matrix_n_col(from)))
            hf_matrix_destroy(&place[k]);
        if (from == NULL) continue;
        if (place[k] == NULL)
            HF_CHECK(hf_matrix_create_like("DIIS history", from, &place[k], error));
        hf_matrix_copy(from, place[k]);
    }
    return HF_OK;
}

hf_status hf_diis_remember(struct hf_diis *self, struct hf_matrix *const fock[],
                           struct hf_matrix *const commutator[], struct hf_matrix *const occupied[],
                           struct hf_error *error)
{
    const double unit[2] = {1.0, 1.0};
    double product[HF_MAX_DIIS];
    if (self->size < 2) return HF_OK;
    if (self->n_stored == self->size) drop_oldest(self);
    const int newest = self->n_stored++, slot = hf_diis_slot(self, newest);
    for (int k = 0; k < self->n_fock; k++) {
        struct hf_matrix **place = &hf_diis_stored(self, newest)[k];
        if (*place == NULL) HF_CHECK(hf_matrix_create_like("DIIS history", fock[k], place, error));
        const struct hf_matrix *const part[] = {fock[k], commutator[k]};
        hf_matrix_combine(2, unit, part, *place);
    }
    HF_CHECK(put_orbitals(self, slot, occupied, error));
    find_products(self, commutator, product);
    for (int i = 0; i < newest; i++)
        *product_of(self, i, newest) = *product_of(self, newest, i) = product[i];
    *product_of(self, newest, newest) = product[newest];
    for (int i = 0; i < self->size; i++)
        self->trace[i * self->size + slot] = self->trace[slot * self->size + i] = NAN;
    return HF_OK;
}

/** Sets up the equations for the smallest sum_ij c_i B_ij c_j with sum_i c_i = 1. The unknowns are y_i = c_i / u_i,
 *  u_i = |e_newest| / |e_i|, because the norms differ by many orders of magnitude:
 *
 *      ( e_i.e_j / |e_i||e_j|   u_i ) ( y_j    )   ( 0 )
 *      ( u_j                     0  ) ( lambda ) = ( 1 )
 *
 *  False: a commutator is zero. */
bool hf_diis_find(int n, const double product[], double work[], double coefficient[])
{
    const double largest_coefficient = 1e4, newest = product[n * n - 1];
    double *u = work, *y = u + n, *matrix = y + n + 1;
    for (int i = 0; i < n; i++) {
        if (!(product[i * n + i] > 0.0)) return false;
        u[i] = sqrt(newest / product[i * n + i]);
        y[i] = 0.0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i * (n + 1) + j] = product[i * n + j] * u[i] * u[j] / newest;
        matrix[i * (n + 1) + n] = matrix[n * (n + 1) + i] = u[i];
    }
    matrix[n * (n + 1) + n] = 0.0;
    y[n] = 1.0;
    if (hf_solve_symmetric(n + 1, matrix, y, NULL) != HF_OK) return false;
    for (int i = 0; i < n; i++) {
        coefficient[i] = u[i] * y[i];
        if (!(fabs(coefficient[i]) < largest_coefficient)) return false;
    }
    return true;
}

/** False: the coefficients are not reliable: the combination must not be longer than the newest commutator, which is
 *  one of the choices. */
static bool solve(const struct hf_diis *self, double coefficient[])
{
    const double rounding = 1e-6;
    const int n = self->n_stored;
    double *product = self->work, length = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) product[i * n + j] = *product_of(self, i, j);
    if (!hf_diis_find(n, product, product + n * n, coefficient)) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) length += coefficient[i] * product[i * n + j] * coefficient[j];
    return length <= product[n * n - 1] * (1.0 + rounding);
}

/** Rank 0 solves for all ranks, so that differences between processors cannot lead to different results. False: there
 *  is nothing to combine. */
static bool solve_for_all(struct hf_diis *self)
{
    double *n_used = &self->coefficient[self->size]; /* sent with the coefficients */
    while (self->context->rank == 0 && self->n_stored > 1 && !solve(self, self->coefficient))
        drop_oldest(self);
    *n_used = self->n_stored;
    hf_broadcast_bytes(self->context->comm, 0, ((size_t)self->size + 1) * sizeof *self->coefficient,
                       self->coefficient);
    while (self->n_stored > (int)*n_used) drop_oldest(self);
    return self->n_stored > 1;
}
hf_status hf_diis_combine(const struct hf_diis *self, const double coefficient[],
                          struct hf_matrix *const fock[], struct hf_error *error)
{
    struct hf_matrix *sum = NULL;
    const struct hf_matrix *stored[HF_MAX_DIIS];
    HF_CHECK(hf_matrix_create_like("DIIS combination", fock[0], &sum, error));
    for (int k = 0; k < self->n_fock; k++) {
        for (int i = 0; i < self->n_stored; i++) stored[i] = hf_diis_stored(self, i)[k];
        hf_matrix_combine(self->n_stored, coefficient, stored, sum);
        hf_matrix_add(0.5, sum, 0.0, fock[k]);
        hf_matrix_add_transposed(0.5, sum, 1.0, fock[k]);
    }
    hf_matrix_destroy(&sum);
    return HF_OK;
}

/** matrix = U^T matrix, or with `both` U^T matrix U. */
static hf_status turn_one(const struct hf_matrix *turn, bool both, struct hf_matrix *matrix,
                          struct hf_error *error)
{
    struct hf_matrix *half = NULL;
    HF_CHECK(hf_matrix_create_like("DIIS history", matrix, &half, error));
    if (both)
        hf_matrix_multiply(1.0, false, matrix, false, turn, 0.0, half);
    else
        hf_matrix_copy(matrix, half);
    hf_matrix_multiply(1.0, true, turn, false, half, 0.0, matrix);
    hf_matrix_destroy(&half);
    return HF_OK;
}

hf_status hf_diis_turn(struct hf_diis *self, int k, const struct hf_matrix *turn,
                       struct hf_error *error)
{
    for (int i = 0; i < self->n_stored; i++) {
        struct hf_matrix *orbitals =
            self->orbitals[(size_t)hf_diis_slot(self, i) * HF_MAX_SPIN + (size_t)k];
        HF_CHECK(turn_one(turn, true, hf_diis_stored(self, i)[k], error));
        if (orbitals != NULL) HF_CHECK(turn_one(turn, false, orbitals, error));
    }
    return HF_OK;
}

void hf_diis_recall(const struct hf_diis *self, int i, struct hf_matrix *const fock[],
                    struct hf_matrix *const **occupied)
{
    for (int k = 0; k < self->n_fock; k++) {
        hf_matrix_add(0.5, hf_diis_stored(self, i)[k], 0.0, fock[k]);
        hf_matrix_add_transposed(0.5, hf_diis_stored(self, i)[k], 1.0, fock[k]);
    }
    *occupied = &self->orbitals[(size_t)hf_diis_slot(self, i) * HF_MAX_SPIN];
}

const double *hf_diis_solve(struct hf_diis *self)
{
    return self->size > 1 && solve_for_all(self) ? self->coefficient : NULL;
}

hf_status hf_diis_extrapolate(struct hf_diis *self, struct hf_matrix *const fock_orthonormal[],
                              struct hf_matrix *const commutator[], struct hf_error *error)
{
    HF_CHECK(hf_diis_remember(self, fock_orthonormal, commutator, NULL, error));
    const double *coefficient = hf_diis_solve(self);
    if (coefficient != NULL) HF_CHECK(hf_diis_combine(self, coefficient, fock_orthonormal, error));
    return HF_OK;
}
