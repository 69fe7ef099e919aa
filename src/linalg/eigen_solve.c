/* Eigenvalues and the lowest eigenvectors: reduction to tridiagonal form, divide and conquer, back transformation.
 *
 *     A = Q T Q^T      T = U e U^T      Z = Q U
 *
 * These are the steps of dsyevd and pdsyevd, the first one as in pdsyevr if that is faster. Separate steps save
 * work. The last step (a third of the work for all vectors) is done for the requested vectors only. Without vectors
 * the second step is of order n^2. Bisection or MRRR for some vectors, as in dsyevr, takes longer than divide and
 * conquer for all (measured for a fifth of the vectors at n = 300 to 1300). */
#include "linalg_private.h"

#include "base/arena.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

const struct hf_eigensolver *const hf_eigensolver_list[] = {
    &hf_eigensolver_lapack,
#ifdef HF_HAVE_ELPA
    &hf_eigensolver_elpa,
#endif
    &hf_eigensolver_scalapack,
    NULL,
};

/** Work arrays of one rank. */
struct space {
    struct hf_arena arena;
    double *diagonal;     /**< local part of the diagonal of T, ScaLAPACK only */
    double *local_beside; /**< local part of the elements beside the diagonal, ScaLAPACK only */
    double *beside;       /**< [n] elements beside the diagonal */
    double *reflector;    /**< scalar factors of Q; with ScaLAPACK the local ones */
    double *all;          /**< [n] scalar factors of Q for all columns, ScaLAPACK only */
    double *work;
    int *integer;
    int n_work, n_integer;
};

/** Local. This rank has at most n_column columns of T. `n_work` is the number of doubles for work; it grows like the
 *  matrix. */
static hf_status space_make(const struct hf_matrix *a, int n_column, double n_work,
                            double n_integer, struct space *space, struct hf_error *error)
{
    const int n = a->n_row;
    const size_t n_local = (size_t)n_column + 1;
    if (n_work > INT32_MAX || n_integer > INT32_MAX) /* LAPACK counts in int */
        return hf_fail(error, HF_NO_RESOURCE,
                       "LAPACK cannot diagonalise a matrix of order %d: use more ranks", n);
    space->n_work = (int)n_work;
    space->n_integer = (int)n_integer;
    space->arena = (struct hf_arena){
        .memory = a->linalg->context->memory, .kind = HF_MEMORY_MATRIX, .label = "diagonalisation"};
    space->diagonal = hf_arena_take(&space->arena, n_local, sizeof(double));
    space->local_beside = hf_arena_take(&space->arena, n_local, sizeof(double));
    space->beside = hf_arena_take(&space->arena, (size_t)n, sizeof(double));
    space->reflector = hf_arena_take(&space->arena, (size_t)n + 1, sizeof(double));
    space->all = hf_arena_take(&space->arena, a->linalg->parallel ? (size_t)n : 1, sizeof(double));
    space->work = hf_arena_take(&space->arena, (size_t)n_work, sizeof(double));
    space->integer = hf_arena_take(&space->arena, (size_t)n_integer, sizeof(int));
    return hf_arena_check(&space->arena, error);
}

static hf_status failed(struct hf_error *error, int n, const char *library, const char *routine,
                        int info)
{
    return hf_fail(error, HF_NO_RESOURCE,
                   "%s could not diagonalise a matrix of order %d (%s info %d)", library, n,
                   routine, info);
}

/** LAPACK on rank 0; other ranks do nothing. Local. */
static hf_status solve_serial(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *z,
                              int n_vector, struct hf_error *error)
{
    /* block size of dormtr, which also needs room for triangular factors */
    enum { MAX_BLOCK = 64 };
    const int n = a->n_row;
    const double blocked = (n + MAX_BLOCK + 1.0) * (MAX_BLOCK + 1.0);
    const double divided = n_vector > 0 ? 1.0 + 4.0 * n + (double)n * n : 0.0;
    struct space space = {0};
    const char *routine = "dsytrd";
    int info = 0;
    if (!a->linalg->inside) return HF_OK;
    hf_status status =
        space_make(a, 0, blocked > divided ? blocked : divided, 3.0 + 5.0 * n, &space, error);
    if (status != HF_OK) goto cleanup;
    dsytrd_("L", &n, a->data, &n, eigenvalue, space.beside, space.reflector, space.work,
            &space.n_work, &info);
    if (info == 0 && n_vector == 0) {
        routine = "dsterf";
        dsterf_(&n, eigenvalue, space.beside, &info);
    } else if (info == 0) {
        routine = "dstedc";
        dstedc_("I", &n, eigenvalue, space.beside, z->data, &n, space.work, &space.n_work,
                space.integer, &space.n_integer, &info);
        if (info == 0) routine = "dormtr";
        if (info == 0)
            dormtr_("L", "L", "N", &n, &n_vector, a->data, &n, space.reflector, z->data, &n,
                    space.work, &space.n_work, &info);
    }
    if (info != 0) status = failed(error, n, "LAPACK", routine, info);
cleanup:
    hf_arena_done(&space.arena);
    return status;
}

/** A ScaLAPACK routine that reduces a matrix to tridiagonal form. */
struct reduction {
    const char *name;
    void (*reduce)(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
                   const int *desc_a, double *d, double *e, double *tau, double *work,
                   const int *lwork, int *info);
};

/** pdsyntrd sends half as many messages per column, but only uses a square number of ranks. Of two ranks it uses one:
 *  at order 764 it then takes 24 ms (pdsytrd on both: 32 ms), at 1,200 both take the same time. */
static const struct reduction *choose_reduction(const struct hf_linalg *grid, int n)
{
    static const struct reduction on_square = {"pdsyntrd", pdsyntrd_},
                                  on_all = {"pdsytrd", pdsytrd_};
    return hf_reduces_on_square(n, grid->n_grid_row, grid->n_grid_col) ? &on_square : &on_all;
}

/** Work space that a reduction asks for. Collective over the grid. */
static double reduction_work(const struct reduction *reduction, const struct hf_matrix *a)
{
    const int one = 1, ask = -1;
    int info = 0;
    double answer = 0.0, nothing = 0.0;
    if (a->linalg->inside)
        reduction->reduce("L", &a->n_row, a->data, &one, &one, a->descriptor, &nothing, &nothing,
                          &nothing, &answer, &ask, &info);
    return answer;
}

/** The first of two steps. Reduces `a`, which then contains the reflectors of Q. All ranks of its grid get the whole
 *  of T and, if `others`, the factors of Q (other ranks need them). Collective over the grid. */
static int reduce(struct hf_matrix *a, double eigenvalue[], bool others, const struct space *space)
{
    const int n = a->n_row, one = 1;
    int info = 0;
    const struct {
        const double *local;
        double *all;
    } part[] = {{space->diagonal, eigenvalue},
                {space->local_beside, space->beside},
                {space->reflector, space->all}};
    choose_reduction(a->linalg, n)
        ->reduce("L", &n, a->data, &one, &one, a->descriptor, space->diagonal, space->local_beside,
                 space->reflector, space->work, &space->n_work, &info);
    for (int k = 0; k < (others ? 3 : 2) && info == 0; k++)
        pdlared1d_(&n, &one, &one, a->descriptor, part[k].local, part[k].all, space->work,
                   &space->n_work);
    return info;
}

/** Copies reflectors, T and the factors of Q from the ranks that reduced `from` to all ranks of `to`. Collective over
 *  these. */
static void spread_reduced(const struct hf_matrix *from, struct hf_matrix *to, double eigenvalue[],
                           const struct space *space)
{
    MPI_Comm members = to->linalg->members;
    hf_move_matrix(to->linalg, from, to);
    MPI_Bcast(eigenvalue, to->n_row, MPI_DOUBLE, 0, members);
    MPI_Bcast(space->beside, to->n_row, MPI_DOUBLE, 0, members);
    MPI_Bcast(space->all, to->n_row, MPI_DOUBLE, 0, members);
    for (int j = 0; j < to->local_col; j++) space->reflector[j] = space->all[hf_global_col(to, j)];
}

/** The second step: finds the eigenvectors of T, and from them those of the matrix; `a` contains its reflectors.
 *  Collective over the grid. */
static int find_vectors(const struct hf_matrix *a, double eigenvalue[], struct hf_matrix *z,
                        int n_vector, const struct space *space, const char **routine)
{
    const int n = a->n_row, one = 1;
    const double off = 0.0, on = 1.0;
    int info = 0;
    *routine = "pdstedc";
    pdlaset_("Full", &n, &n, &off, &on, z->data, &one, &one, z->descriptor);
    pdstedc_("I", &n, eigenvalue, space->beside, z->data, &one, &one, z->descriptor, space->work,
             &space->n_work, space->integer, &space->n_integer, &info);
    if (info != 0) return info;
    *routine = "pdormtr";
    pdormtr_("L", "L", "N", &n, &n_vector, a->data, &one, &one, a->descriptor, space->reflector,
             z->data, &one, &one, z->descriptor, space->work, &space->n_work, &info);
    return info;
}

/** Allocates the work space of both steps; the first reduces `reduced`. Collective over all ranks. */
static hf_status make_parallel_space(const struct hf_matrix *a, const struct hf_matrix *reduced,
                                     int n_vector, struct space *space, struct hf_error *error)
{
    const struct hf_linalg *grid = a->linalg;
    const int n = a->n_row, block = grid->block;
    /* The workspace query of pdstedc returns too little. The bound used is its real need, for one more block of rows
     * and columns. Steps follow each other, so the largest need counts. */
    const double rows = (double)a->local_row + block, columns = (double)a->local_col + block;
    const double divided = n_vector > 0 ? 6.0 * n + 2.0 * rows * columns : 0.0;
    const double blocked = 3.0 * block * (rows + columns + reduced->local_row + reduced->local_col);
    const double asked = reduction_work(choose_reduction(reduced->linalg, n), reduced);
    const double n_work = fmax(fmax(divided, blocked), asked) + 2.0 * n + 1024.0;
    const double n_integer = 15.0 * n + 8.0 * grid->n_grid_col + 1024.0;
    const int n_column = a->local_col > reduced->local_col ? a->local_col : reduced->local_col;
    hf_status status = HF_OK;
    if (grid->inside) status = space_make(a, n_column, n_work, n_integer, space, error);
    return hf_agree(grid->context->comm, status, error);
}

/** ScaLAPACK on the ranks of the grid; the first step on fewer ranks if that is faster (see below). Vectors
 *  take less time the more ranks there are. Collective over all ranks. */
static hf_status solve_parallel(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *z,
                                int n_vector, struct hf_error *error)
{
    const struct hf_linalg *grid = a->linalg;
    const int n = a->n_row;
    struct space space = {0};
    struct hf_matrix *moved = NULL, *reduced = a;
    const char *routine = choose_reduction(grid->fewer != NULL ? grid->fewer : grid, n)->name;
    int info = 0;
    hf_status status = HF_OK;
    if (grid->fewer != NULL) {
        HF_TRY(hf_matrix_create(grid->fewer, "diagonalisation", n, n, &moved, error));
        reduced = moved;
    }
    HF_TRY(make_parallel_space(a, reduced, n_vector, &space, error));
    if (moved != NULL) hf_move_matrix(grid, a, moved);
    if (reduced->linalg->inside) info = reduce(reduced, eigenvalue, moved != NULL, &space);
    if (info == 0 && n_vector == 0 && reduced->linalg->inside) {
        routine = "dsterf";
        dsterf_(&n, eigenvalue, space.beside, &info);
    }
    if (moved != NULL && grid->inside && n_vector > 0) {
        MPI_Bcast(&info, 1, MPI_INT, 0, grid->members);
        if (info == 0) spread_reduced(moved, a, eigenvalue, &space);
    }
    if (info == 0 && n_vector > 0 && grid->inside)
        info = find_vectors(a, eigenvalue, z, n_vector, &space, &routine);
    if (info != 0) status = failed(error, n, "ScaLAPACK", routine, info);
cleanup:
    hf_arena_done(&space.arena);
    hf_matrix_destroy(&moved);
    return status;
}

static bool lapack_serves(const struct hf_linalg *grid, int n, int n_vector)
{
    (void)n;
    (void)n_vector;
    return !grid->parallel;
}

const struct hf_eigensolver hf_eigensolver_lapack = {
    .name = "LAPACK", .serves = lapack_serves, .solve = solve_serial};

static bool scalapack_serves(const struct hf_linalg *grid, int n, int n_vector)
{
    (void)n;
    (void)n_vector;
    return grid->parallel;
}

const struct hf_eigensolver hf_eigensolver_scalapack = {
    .name = "ScaLAPACK", .serves = scalapack_serves, .solve = solve_parallel};

const struct hf_eigensolver *hf_eigensolver_choose(const struct hf_linalg *grid, int n,
                                                   int n_vector)
{
    if (grid->wanted != NULL && grid->wanted->serves(grid, n, n_vector)) return grid->wanted;
    int k = 0;
    while (n < hf_eigensolver_list[k]->smallest_order ||
           !hf_eigensolver_list[k]->serves(grid, n, n_vector))
        k++; /* the first or the last solver can do every matrix */
    return hf_eigensolver_list[k];
}

hf_status hf_eigen_solve_here(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                              struct hf_error *error)
{
    struct hf_linalg *grid = a->linalg;
    struct hf_matrix *z = NULL; /* all eigenvectors of the tridiagonal matrix */
    const int n = a->n_row, n_vector = vector != NULL ? vector->n_col : 0;
    hf_status status = HF_OK;
    if (n_vector > 0 && n_vector < n)
        HF_TRY(hf_matrix_create(grid, "diagonalisation", n, n, &z, error));
    status = hf_eigensolver_choose(grid, n, n_vector)
                 ->solve(a, eigenvalue, z != NULL ? z : vector, n_vector, error);
    if (z != NULL) hf_matrix_copy_columns(z, 0, n_vector, NULL, vector, 0);
cleanup:
    hf_matrix_destroy(&z);
    return status;
}

/* ---- On fewer ranks -------------------------------------------------------------------------- */

/* Diagonalisation that uses fewer ranks than the matrix is spread over for a part of the work. The reduction to
 * tridiagonal form treats n columns one after another, each with messages along rows and columns of the grid that no
 * work can hide. On many ranks these messages take most of the time, so fewer ranks are faster. Then all ranks
 * compute the vectors (eigen_solve.c). */

/** The ranks of grid->fewer do the whole diagonalisation. */
static hf_status solve_on_fewer(const struct hf_matrix *a, double eigenvalue[],
                                struct hf_matrix *vector, struct hf_error *error)
{
    const struct hf_linalg *all = a->linalg;
    const char *label = "diagonalisation";
    const int n = a->n_row;
    struct hf_matrix *moved = NULL, *found = NULL;
    hf_status status;
    HF_TRY(hf_matrix_create(all->fewer, label, n, n, &moved, error));
    if (vector != NULL)
        HF_TRY(hf_matrix_create(all->fewer, label, n, vector->n_col, &found, error));
    hf_move_matrix(all, a, moved);
    status = hf_eigen_solve_here(moved, eigenvalue, found, error);
    if (vector != NULL) /* also after a failure, because other ranks may not know of it */
        hf_move_matrix(all, found, vector);
cleanup:
    hf_matrix_destroy(&found);
    hf_matrix_destroy(&moved);
    return status;
}

hf_status hf_eigen_solve(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                         struct hf_error *error)
{
    const struct hf_linalg *fewer = a->linalg->fewer;
    const int n_vector = vector != NULL ? vector->n_col : 0;
    if (fewer != NULL &&
        hf_eigensolver_choose(fewer, a->n_row, n_vector) != &hf_eigensolver_scalapack)
        return solve_on_fewer(a, eigenvalue, vector, error);
    return hf_eigen_solve_here(a, eigenvalue, vector, error);
}
