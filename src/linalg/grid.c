/* The process grid: which ranks take part in linear algebra. */
#include "linalg_private.h"

#include "linalg/grids.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_BLOCK = 64, MAX_ASPECT = 3 };
/** Order of matrices from which several ranks are faster than one: on few ranks, and on more. */
enum { FEW_RANKS = 8, ORDER_ON_FEW = 500, ORDER_ON_MORE = 150 };

/** Below this order LAPACK on one rank is faster than ScaLAPACK on several. Measured on two ranks; for more ranks
 *  from the model of docs/measurements/scaling.md, where they are faster already at smaller orders. */
static int smallest_parallel_order(int n_rank)
{
    return n_rank <= FEW_RANKS ? ORDER_ON_FEW : ORDER_ON_MORE;
}

void openblas_set_num_threads(int n) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));

void hf_linalg_set_blas_threads(int n)
{
    if (openblas_set_num_threads != NULL) openblas_set_num_threads(n);
}

int hf_linalg_blas_threads(void)
{
    return openblas_get_num_threads != NULL ? openblas_get_num_threads() : 1;
}

/** Describes the grid, for the report. */
static void describe(struct hf_linalg *made, int n)
{
    char threads[32] = "", fewer[48] = "";
    const int n_thread = hf_linalg_blas_threads();
    const struct hf_linalg *solving = made->fewer != NULL ? made->fewer : made;
    if (n_thread > 1 && made->context->n_thread > 1)
        snprintf(threads, sizeof threads, ", %d threads", n_thread);
    if (made->fewer != NULL)
        snprintf(fewer, sizeof fewer, " (diagonalisations begin on %d x %d)", solving->n_grid_row,
                 solving->n_grid_col);
    if (made->parallel)
        snprintf(made->description, sizeof made->description,
                 "%sScaLAPACK, %d x %d grid, blocks of %d%s%s",
                 hf_eigensolver_choose(solving, n, n) == &hf_eigensolver_scalapack ? ""
                                                                                   : "ELPA and ",
                 made->n_grid_row, made->n_grid_col, made->block, fewer, threads);
    else
        snprintf(made->description, sizeof made->description, "LAPACK on rank 0%s", threads);
}

/** Chooses the grid of at most n_rank processes that multiplies matrices of order n in the least time, or with
 *  `spread` the grid with most processes. The grid is at most MAX_ASPECT times as wide as high (long rows of
 *  processes scale badly) and has at most as many rows and columns as there are blocks. Of equally good grids the one
 *  closest to a square is chosen. */
static void choose_grid(int n_rank, int n, int block, bool spread, int *n_row, int *n_col)
{
    const int n_block = n / block + (n % block != 0);
    double best = INFINITY;
    *n_row = *n_col = 1;
    for (int rows = 1; rows <= n_rank / rows && rows <= n_block; rows++) {
        for (int cols = rows; cols <= n_rank / rows && cols <= MAX_ASPECT * rows && cols <= n_block;
             cols++) {
            const double found =
                spread ? -(double)rows * cols : hf_product_seconds(n, rows, cols, block);
            if (found > best || (found == best && rows == *n_row)) continue;
            best = found;
            *n_row = rows;
            *n_col = cols;
        }
    }
}

static void start_blacs(struct hf_linalg *made)
{
    /* The handle is freed because grids over the same communicator share it; a grid has its own communicators. */
    const int system = Csys2blacs_handle(made->context->comm);
    made->blacs = system;
    Cblacs_gridinit(&made->blacs, "Row", made->n_grid_row, made->n_grid_col);
    Cfree_blacs_system_handle(system);
    made->inside = made->context->rank < made->n_grid_row * made->n_grid_col;
    made->grid_row = made->grid_col = -1;
    MPI_Comm_split(made->context->comm, made->inside ? 0 : MPI_UNDEFINED, 0, &made->members);
    if (made->inside) {
        int n_row, n_col;
        Cblacs_gridinfo(made->blacs, &n_row, &n_col, &made->grid_row, &made->grid_col);
    }
}

/** Makes a grid of the first n_row * n_col ranks and prepares BLAS. */
static hf_status make_grid(struct hf_context *context, int n_row, int n_col, int block,
                           struct hf_linalg **linalg, struct hf_error *error)
{
    struct hf_linalg *made = HF_NEW(made, NULL, "linear algebra");
    HF_CHECK(hf_arena_agree_new(context, &made, hf_linalg_prepare_blas(error), error));
    made->context = context;
    made->block = block;
    made->n_grid_row = n_row;
    made->n_grid_col = n_col;
    made->parallel = n_row * n_col > 1;
    made->inside = context->rank == 0;
    made->members = MPI_COMM_NULL;
    if (made->parallel) start_blacs(made);
    *linalg = made;
    return HF_OK;
}

/** As hf_linalg_create_ext. */
static hf_status create(struct hf_context *context, int n, int smallest_parallel_order,
                        int block_size, bool spread, struct hf_linalg **linalg,
                        struct hf_error *error)
{
    assert(n >= 0 && block_size > 0);
    int n_row = 1, n_col = 1;
    if (context->n_rank > 1 && n >= smallest_parallel_order)
        choose_grid(context->n_rank, n, block_size, spread, &n_row, &n_col);
    HF_CHECK(make_grid(context, n_row, n_col, block_size, linalg, error));
    describe(*linalg, n);
    return HF_OK;
}

hf_status hf_linalg_create_ext(struct hf_context *context, int n, int smallest_parallel_order,
                               int block_size, struct hf_linalg **linalg, struct hf_error *error)
{
    return create(context, n, smallest_parallel_order, block_size, true, linalg, error);
}

hf_status hf_linalg_diagonalise_on(struct hf_linalg *linalg, int n_side, struct hf_error *error)
{
    return make_grid(linalg->context, n_side, n_side, linalg->block, &linalg->fewer, error);
}

bool hf_linalg_set_eigensolver(struct hf_linalg *linalg, const char *name)
{
    if (linalg->fewer != NULL) return hf_linalg_set_eigensolver(linalg->fewer, name);
    for (int k = 0; hf_eigensolver_list[k] != NULL; k++) {
        if (strcmp(hf_eigensolver_list[k]->name, name) != 0) continue;
        linalg->wanted = hf_eigensolver_list[k];
        return true;
    }
    return false;
}

hf_status hf_linalg_create(struct hf_context *context, int n, struct hf_linalg **linalg,
                           struct hf_error *error)
{
    const int smallest = context->reproducible ? INT_MAX : smallest_parallel_order(context->n_rank);
    hf_status status;
    HF_TRY(create(context, n, smallest, DEFAULT_BLOCK, false, linalg, error));
    const int n_side = hf_eigen_fewer(n, (*linalg)->n_grid_row, (*linalg)->n_grid_col);
    if (n_side == 0) return HF_OK;
    HF_TRY(hf_linalg_diagonalise_on(*linalg, n_side, error));
    describe(*linalg, n);
cleanup:
    if (status != HF_OK) hf_linalg_destroy(linalg);
    return status;
}

/** Block size that gives all ranks about equal shares. */
static int spread_block(int n, int n_rank)
{
    enum { BLOCKS_PER_RANK = 8, SMALLEST_BLOCK = 4, LARGEST_BLOCK = 32 };
    const int block = (int)(n / (BLOCKS_PER_RANK * sqrt((double)n_rank)));
    if (block > LARGEST_BLOCK) return LARGEST_BLOCK;
    return block < SMALLEST_BLOCK ? SMALLEST_BLOCK : block;
}

/** Share of n rows or columns on the first of n_process processes, which has at least as many blocks as any other. */
static double first_share(int n, int block, int n_process)
{
    const int n_block = n / block + (n % block != 0);
    const int first = (n_block + n_process - 1) / n_process * block;
    return n > 0 ? fmin(1.0, (double)first / n) : 1.0;
}

/** Shape of a grid. */
struct shape {
    int n_row, n_col, block;
};

/** Shape of the grid of n_rank ranks for matrices of order n, or with `solving` of the ranks that reduce them to
 *  tridiagonal form. */
static struct shape find_shape(int n, int n_rank, bool spread, bool solving)
{
    struct shape shape = {1, 1, spread ? spread_block(n, n_rank) : DEFAULT_BLOCK};
    if (n_rank == 1 || (!spread && n < smallest_parallel_order(n_rank))) return shape;
    choose_grid(n_rank, n, shape.block, spread, &shape.n_row, &shape.n_col);
    const int n_side = solving && !spread ? hf_eigen_fewer(n, shape.n_row, shape.n_col) : 0;
    if (n_side > 0) shape.n_row = shape.n_col = n_side;
    return shape;
}

struct hf_linalg_grids hf_linalg_grids(int n, int n_rank)
{
    const struct shape all = find_shape(n, n_rank, false, false);
    const struct shape some = find_shape(n, n_rank, false, true);
    return (struct hf_linalg_grids){all.n_row,  all.n_col,
                                    some.n_row, some.n_col,
                                    all.block,  hf_reduces_on_square(n, some.n_row, some.n_col)};
}

static double largest_share(int n, struct shape shape)
{
    return first_share(n, shape.block, shape.n_row) * first_share(n, shape.block, shape.n_col);
}

double hf_linalg_largest_share(int n, int n_rank, bool spread)
{
    return largest_share(n, find_shape(n, n_rank, spread, false));
}

double hf_linalg_solving_share(int n, int n_rank, bool spread)
{
    return largest_share(n, find_shape(n, n_rank, spread, true));
}

double hf_linalg_product_seconds(int n, int n_rank, bool spread)
{
    const struct shape shape = find_shape(n, n_rank, spread, false);
    return hf_product_seconds(n, shape.n_row, shape.n_col, shape.block);
}

double hf_linalg_eigen_seconds(int n, int n_rank, bool spread)
{
    const struct shape all = find_shape(n, n_rank, spread, false);
    const struct shape some = find_shape(n, n_rank, spread, true);
    return hf_reduction_seconds(n, some.n_row, some.n_col) +
           hf_vector_seconds(n, all.n_row, all.n_col, all.block);
}

hf_status hf_linalg_create_spread(struct hf_context *context, int n, struct hf_linalg **linalg,
                                  struct hf_error *error)
{
    if (context->reproducible) return hf_linalg_create(context, n, linalg, error);
    return hf_linalg_create_ext(context, n, 0, spread_block(n, context->n_rank), linalg, error);
}

void hf_linalg_destroy(struct hf_linalg **linalg)
{
    struct hf_linalg *old = linalg != NULL ? *linalg : NULL;
    if (old == NULL) return;
    hf_linalg_destroy(&old->fewer);
    hf_drop_kept_matrices(old);
    if (old->parallel && old->inside) {
        MPI_Comm_free(&old->members);
        Cblacs_gridexit(old->blacs);
    }
    hf_arena_free(linalg);
}

const char *hf_linalg_description(const struct hf_linalg *linalg)
{
    return linalg->description;
}
