/* Finds the occupied orbitals of a Fock matrix from those of a similar one, without diagonalisation. F must be
 * nearly diagonal, and the first o basis functions nearly the occupied orbitals. Orbitals Y = (1; X) span the
 * occupied space if
 *
 *     G = F Y - Y Z = 0     Z the first o rows of F Y      in full: F_vo + F_vv X - X F_oo - X F_ov X = 0
 *
 * The blocks of G between virtual and occupied orbitals are the elements of F between them, times a factor below 1.
 * A sweep computes G (2 m^2 o operations) and subtracts G_ai / (F_aa - F_ii) from X_ai. Then the last sweeps are
 * combined so that the sum of corrections is shortest (DIIS). The loop ends when the *predicted* norm of G after the
 * next step is below the limit. The prediction assumes the same reduction as in the sweep before (right within a
 * factor of two in all steps of six molecules). Orthonormal orbitals are Y L^-T, with L L^T = Y^T Y.
 *
 * The search fails if the rotation is large, levels change places or come close, or sweeps do not converge. Then the
 * matrix must be diagonalised.
 *
 * Source   Stewart, Csaszar, Pulay, J. Comput. Chem. 3, 227 (1982); Pulay, ibid. 3, 556 (1982). */
#include "orbitals/orbitals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_GAP = 0.1;        /* least gap between diagonal elements, hartree */
static const double LARGEST_ROTATION = 0.5; /* of an orbital: length of a column of X */
/* largest ratio of the norm of G to that two sweeps before */
static const double LEAST_PROGRESS = 0.7;
/* smallest reduction per sweep that is assumed in the prediction */
static const double BEST_PROGRESS = 0.05;
enum { MOST_SWEEPS = 16, DEPTH = 3 };

/** Data of a search. */
struct search {
    struct hf_context *context;
    const struct hf_matrix *fock;
    int m, o;
    double *diagonal;
    struct hf_matrix *y, *product, *top;            /**< Y; F Y, later G [m][o]; Z [o][o] */
    struct hf_matrix *first;                        /**< work space of begin(), [o][o] */
    struct hf_matrix *trial[DEPTH], *change[DEPTH]; /**< ring of Y - P and P = G / (F_aa - F_ii) */
    double square[DEPTH][DEPTH];                    /**< products of the changes */
    int n_stored;
};
static hf_status create(struct search *self, struct hf_error *error)
{
    const int m = self->m, o = self->o;
    return HF_CREATE_MATRICES(hf_matrix_grid(self->fock), "rotation of orbitals", error,
                              {&self->y, m, o}, {&self->product, m, o}, {&self->top, o, o},
                              {&self->first, o, o});
}

static void destroy(struct search *self)
{
    HF_DESTROY_MATRICES(&self->y, &self->product, &self->top, &self->first);
    for (int i = 0; i < DEPTH; i++) HF_DESTROY_MATRICES(&self->trial[i], &self->change[i]);
}

static double put_unit(void *data, int row, int column, double value)
{
    const struct search *self = data;
    return row < self->o ? row == column : value;
}

/** Computes Y = C A^T (A A^T)^-1 from orthonormal orbitals C = (A; B); false: A is singular. */
static bool begin(struct search *self, const struct hf_matrix *occupied)
{
    struct hf_matrix *first = self->first;
    hf_matrix_copy_first_rows(occupied, first);
    hf_matrix_multiply(1.0, false, first, true, first, 0.0, self->top);
    hf_matrix_multiply(1.0, false, occupied, true, first, 0.0, self->y);
    if (!hf_matrix_cholesky(self->top)) return false;
    hf_matrix_divide(self->top, true, self->y);
    hf_matrix_divide(self->top, false, self->y);
    hf_matrix_map(self->y, put_unit, self);
    hf_matrix_destroy(&self->first); /* others need the memory */
    return true;
}

/** Allocates the next pair of the ring. */
static hf_status make_room(struct search *self, int slot, struct hf_error *error)
{
    if (self->trial[slot] != NULL) return HF_OK;
    return HF_CREATE_MATRICES(hf_matrix_grid(self->fock), "rotation of orbitals", error,
                              {&self->trial[slot], self->m, self->o},
                              {&self->change[slot], self->m, self->o});
}

/** Computes self->product = G, then Y - P, P and the products of P. *largest: largest element of G. */
static hf_status find_rest(struct search *self, double *largest, struct hf_error *error)
{
    const int slot = self->n_stored % DEPTH;
    struct hf_matrix *rest = self->product;
    double reduced[DEPTH + 1];
    HF_CHECK(make_room(self, slot, error));
    const int n = ++self->n_stored < DEPTH ? self->n_stored : DEPTH;
    struct hf_matrix *change = self->change[slot], *trial = self->trial[slot];
    hf_matrix_multiply_unit(self->fock, self->y, self->o, rest);
    hf_matrix_copy_first_rows(rest, self->top);
    hf_matrix_multiply(-1.0, false, self->y, false, self->top, 1.0, rest);
    hf_matrix_copy(rest, change);
    hf_matrix_divide_differences(change, self->o, self->diagonal);
    hf_matrix_copy(self->y, trial);
    hf_matrix_add(-1.0, change, 1.0, trial);
    hf_matrix_dots_here(change, n, (const struct hf_matrix *const *)self->change, reduced);
    reduced[n] = hf_matrix_max_abs_here(rest);
    hf_linalg_reduce(hf_matrix_grid(rest), n, 1, reduced);
    for (int i = 0; i < n; i++) self->square[i][slot] = self->square[slot][i] = reduced[i];
    *largest = reduced[n];
    return HF_OK;
}

/** Finds coefficient [n], with sum 1, of the shortest combination of the last changes; the newest change alone if the
 *  equations are singular. Rank 0 solves for all ranks. */
static void find_combination(const struct search *self, int n, double coefficient[DEPTH])
{
    double matrix[(DEPTH + 1) * (DEPTH + 1)] = {0.0}, x[DEPTH + 1] = {0.0};
    const int newest = (self->n_stored - 1) % DEPTH;
    struct hf_error ignored;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i * (n + 1) + j] = self->square[i][j] / self->square[newest][newest];
        matrix[i * (n + 1) + n] = matrix[n * (n + 1) + i] = 1.0;
    }
    x[n] = 1.0;
    const bool solved = hf_solve_symmetric(n + 1, matrix, x, &ignored) == HF_OK;
    for (int i = 0; i < n; i++) coefficient[i] = solved ? x[i] : i == newest;
    hf_broadcast_bytes(self->context->comm, 0, (size_t)n * sizeof *coefficient, coefficient);
}

/** Computes the next Y. */
static void step(struct search *self)
{
    const int n = self->n_stored < DEPTH ? self->n_stored : DEPTH;
    double coefficient[DEPTH];
    find_combination(self, n, coefficient);
    hf_matrix_combine(n, coefficient, (const struct hf_matrix *const *)self->trial, self->y);
}

/** occupied = Y L^-T with L L^T = Y^T Y; false: the rotation is too large. */
static bool orthonormalise(struct search *self, struct hf_matrix *occupied)
{
    double largest; /* on the diagonal: 1 + sum_a X_ai^2 */
    hf_matrix_multiply(1.0, true, self->y, false, self->y, 0.0, self->top);
    hf_matrix_max_abs(self->top, &largest);
    if (!(largest < 1.0 + LARGEST_ROTATION * LARGEST_ROTATION)) return false;
    if (!hf_matrix_cholesky(self->top)) return false;
    hf_matrix_copy(self->y, occupied);
    hf_matrix_divide(self->top, true, occupied);
    return true;
}

/** Smallest difference of diagonal elements of virtual and occupied orbitals. */
static double gap_of(const struct search *self)
{
    double highest = -INFINITY, lowest = INFINITY;
    for (int i = 0; i < self->o; i++) highest = fmax(highest, self->diagonal[i]);
    for (int a = self->o; a < self->m; a++) lowest = fmin(lowest, self->diagonal[a]);
    return lowest - highest;
}

/** Sweeps until G is below the tolerance, or is predicted to be below it after the next step; *found: it is. */
static hf_status sweep(struct search *self, double tolerance, bool *found, int *n_sweep,
                       struct hf_error *error)
{
    double before[2] = {INFINITY, INFINITY};
    for (*n_sweep = 0;;) {
        double rest;
        HF_CHECK(find_rest(self, &rest, error));
        ++*n_sweep;
        *found = rest < tolerance;
        if (*found || *n_sweep == MOST_SWEEPS) break;
        if (!(rest < LEAST_PROGRESS * before[1])) break;
        step(self);
        *found = *n_sweep > 1 && rest * fmax(rest / before[0], BEST_PROGRESS) < tolerance;
        if (*found) break;
        before[1] = before[0];
        before[0] = rest;
    }
    return HF_OK;
}

hf_status hf_rotate_orbitals(struct hf_context *context, const struct hf_matrix *fock,
                             double tolerance, double diagonal[], struct hf_matrix *occupied,
                             bool *found, int *n_sweep, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct search search = {.context = context,
                            .fock = fock,
                            .m = hf_matrix_n_row(occupied),
                            .o = hf_matrix_n_col(occupied),
                            .diagonal = diagonal};
    *found = false;
    *n_sweep = 0;
    hf_matrix_diagonal(fock, diagonal);
    if (!(gap_of(&search) > LEAST_GAP)) return HF_OK;
    HF_TRY(create(&search, error));
    *found = begin(&search, occupied);
    if (*found) HF_TRY(sweep(&search, tolerance, found, n_sweep, error));
    if (*found) *found = orthonormalise(&search, occupied);
cleanup:
    destroy(&search);
    return status;
}
