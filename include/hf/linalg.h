/* Dense matrices of a run, spread block-cyclically over a process grid.
 *
 * A struct hf_linalg owns the grid and decides how many ranks take part:
 *
 *     rank 0 alone, with LAPACK    one rank, or matrices too small for ScaLAPACK to be worthwhile
 *     a part of the ranks          more ranks than blocks
 *     all ranks                    otherwise
 *
 * Callers see no difference: every function is collective over the communicator, and scalars have the
 * same bits on every rank. Matrices are column-major. */
#ifndef HF_LINALG_H
#define HF_LINALG_H

#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

struct hf_linalg;
struct hf_matrix;

enum { HF_MOST_OPERANDS = 100 };

/** Phases of matrix work: eigenvalues; all other work (transformations, DIIS, energies). */
extern const struct hf_phase hf_phase_diagonalise, hf_phase_linear_algebra;

/** Grid for matrices of order about `n`. `context` is borrowed and must outlive the result. */
hf_status hf_linalg_create(struct hf_context *context, int n, struct hf_linalg **linalg,
                           struct hf_error *error) HF_MUST_CHECK;
/** Grid that spreads matrices of any size over all ranks. Its blocks are small enough for equal shares. For
 *  calculations whose memory per rank must fall with the number of ranks. */
hf_status hf_linalg_create_spread(struct hf_context *context, int n, struct hf_linalg **linalg,
                                  struct hf_error *error) HF_MUST_CHECK;
/** As hf_linalg_create, but the caller gives the block size and the smallest order for which several ranks use
 *  ScaLAPACK (0: always). For tests and tuning. */
hf_status hf_linalg_create_ext(struct hf_context *context, int n, int smallest_parallel_order,
                               int block_size, struct hf_linalg **linalg,
                               struct hf_error *error) HF_MUST_CHECK;
/** Its matrices must be destroyed before. Collective over the ranks of the grid. Accepts NULL and a pointer to NULL;
 *  leaves NULL. */
void hf_linalg_destroy(struct hf_linalg **linalg);

/** One line for the report, e.g. "ScaLAPACK, 6 x 6 grid, blocks of 64 (diagonalisations begin on 4 x 4)" or
 *  "LAPACK on rank 0", with ", 4 threads" if BLAS has several. */
const char *hf_linalg_description(const struct hf_linalg *linalg);

/** Uses "LAPACK", "ScaLAPACK" or "ELPA" for all matrices that it can diagonalise; for tests and measurements. False:
 *  this build does not have it. Not collective. */
bool hf_linalg_set_eigensolver(struct hf_linalg *linalg, const char *name);

/** Diagonalisations on a larger grid reduce matrices to tridiagonal form on the first n_side^2 ranks, n_side > 1.
 *  hf_linalg_create sets this if it saves time. Collective; HF_NO_RESOURCE. */
hf_status hf_linalg_diagonalise_on(struct hf_linalg *linalg, int n_side,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Share (0 to 1) of a matrix of order n on the rank that holds most of it. The grid is that of hf_linalg_create or,
 *  with `spread`, of hf_linalg_create_spread. Not collective. */
double hf_linalg_largest_share(int n, int n_rank, bool spread);
/** The same for a matrix that is reduced to tridiagonal form, on the ranks that reduce it. */
double hf_linalg_solving_share(int n, int n_rank, bool spread);

/** Seconds by a model, on such a grid: of a product of matrices of order n, and of a diagonalisation with all vectors
 *  (both parts, each on its ranks). Not collective. */
double hf_linalg_product_seconds(int n, int n_rank, bool spread);
double hf_linalg_eigen_seconds(int n, int n_rank, bool spread);

/** Sets the number of threads that OpenBLAS may use in this process; other BLAS libraries are not affected. Each
 *  takes 135 MB of address space, of which it touches less than 1 MB. hf never calls BLAS from several threads at a
 *  time. Not collective. */
void hf_linalg_set_blas_threads(int n);

/** Number of BLAS threads; 1 if not known. Not collective. */
int hf_linalg_blas_threads(void);

/** Makes sure that BLAS has its work space on this thread. No other thread may call BLAS. OpenBLAS takes 128 MiB of
 *  address space at its first computation, and never returns if it gets none. hf_linalg_create also does this. Not
 *  collective; HF_NO_RESOURCE. */
hf_status hf_linalg_prepare_blas(struct hf_error *error) HF_MUST_CHECK;

/** Of value [n_sum + n_max], the first n_sum become sums over the ranks, the others the largest over the ranks. All
 *  ranks get the same bits. Values of ranks outside the grid do not count. Collective. */
void hf_linalg_reduce(const struct hf_linalg *linalg, int n_sum, int n_max, double value[]);

/** Matrix of zeros. `label` is a string constant for the memory account. */
hf_status hf_matrix_create(struct hf_linalg *linalg, const char *label, int n_row, int n_col,
                           struct hf_matrix **matrix, struct hf_error *error) HF_MUST_CHECK;
/** A matrix to create, n_row x n_col. */
struct hf_new_matrix {
    struct hf_matrix **matrix;
    int n_row, n_col;
};
/** Creates several matrices [n] with one agreement. After a failure all are NULL. */
hf_status hf_matrix_create_several(struct hf_linalg *linalg, const char *label, int n,
                                   const struct hf_new_matrix list[],
                                   struct hf_error *error) HF_MUST_CHECK;
/** Small matrices (at most 1 MB in all on a rank) are kept and reused for the next matrices of their shape, which
 *  need no agreement of the ranks. Sends nothing, but all ranks must destroy in the same order; builds with
 *  assertions check this when the next matrix is created. Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_matrix_destroy(struct hf_matrix **matrix);
int hf_matrix_n_row(const struct hf_matrix *matrix);
int hf_matrix_n_col(const struct hf_matrix *matrix);

/** From and to a full column-major array [n_col][n_row]. set: every rank must pass the same values; if the matrix is
 *  on rank 0, only rank 0's array is read. gather: every rank gets the whole matrix, with the same bits. */
void hf_matrix_set_full(struct hf_matrix *matrix, const double *full);
void hf_matrix_gather_full(const struct hf_matrix *matrix, double *full);

/** Copies this rank's elements to their places in a full array; other elements stay. Together the ranks
 *  write each element once. Not collective. */
void hf_matrix_copy_local(const struct hf_matrix *matrix, double *full);

/** to [n][o] = the first n rows of `from`. */
void hf_matrix_copy_first_rows(const struct hf_matrix *from, struct hf_matrix *to);

/** Gathers rows first .. first+n-1 in rank 0's array rows [n][n_col]; n times n_col must be below 2^31. The other
 *  ranks pass arrays of the same size, which are overwritten. */
void hf_matrix_gather_rows(const struct hf_matrix *matrix, int first, int n, double *rows);

/** to = from. Both have the same shape; their grids are the same or were made alike (same context, kind and order). */
void hf_matrix_copy(const struct hf_matrix *from, struct hf_matrix *to);
/** to = alpha from + beta to (same shape). If beta is 0 (also in the functions below), `to` is not read and may
 *  contain NaN. */
void hf_matrix_add(double alpha, const struct hf_matrix *from, double beta, struct hf_matrix *to);
/** to = alpha from^T + beta to. `to` must not be `from`. */
void hf_matrix_add_transposed(double alpha, const struct hf_matrix *from, double beta,
                              struct hf_matrix *to);
/** c = alpha op(a) op(b) + beta c, op = transpose if its flag is set. `c` must be neither `a` nor `b`. */
void hf_matrix_multiply(double alpha, bool transpose_a, const struct hf_matrix *a, bool transpose_b,
                        const struct hf_matrix *b, double beta, struct hf_matrix *c);
/** c = a b. The first n rows of b (at most as many as b has columns) are rows of the unit matrix: their part of the
 *  product is a copy of columns of a. `c` must be neither `a` nor `b`. */
void hf_matrix_multiply_unit(const struct hf_matrix *a, const struct hf_matrix *b, int n,
                             struct hf_matrix *c);
/** c = alpha op(a) op(b) for a symmetric product: the part below the diagonal is computed in strips and
 *  copied to the part above it. `c` must be neither `a` nor `b`. */
void hf_matrix_multiply_to_symmetric(double alpha, bool transpose_a, const struct hf_matrix *a,
                                     bool transpose_b, const struct hf_matrix *b,
                                     struct hf_matrix *c);
/** to[:, to_first : to_first+n] = from[:, from_first : from_first+n], each column j multiplied by factor[j] (factor
 *  NULL: 1). `to` must not be `from`. */
void hf_matrix_copy_columns(const struct hf_matrix *from, int from_first, int n,
                            const double *factor, struct hf_matrix *to, int to_first);
/** Every element becomes new_value(data, row, column, element). Each rank does its own elements, in any order. */
void hf_matrix_map(struct hf_matrix *matrix,
                   double (*new_value)(void *data, int row, int column, double value), void *data);
/** From row `first` on, divides elements a_ij by diagonal[i] - diagonal[j]; the rows before become 0. */
void hf_matrix_divide_differences(struct hf_matrix *matrix, int first, const double diagonal[]);
/** Copies the diagonal [n] of a square matrix of order n, the same on every rank. */
void hf_matrix_diagonal(const struct hf_matrix *matrix, double diagonal[]);
/** Sets sum[i] to the sum of the squares of row i, or of column i. All ranks get identical bits. Collective. */
void hf_matrix_row_squares(const struct hf_matrix *matrix, double sum[]);
void hf_matrix_column_squares(const struct hf_matrix *matrix, double sum[]);
/** The sum of a_ij b_ij: this rank's part (not collective; hf_linalg_reduce adds up several at once), and *result:
 *  the sum over the ranks, on every rank. */
double hf_matrix_dot_here(const struct hf_matrix *a, const struct hf_matrix *b);
void hf_matrix_dot(const struct hf_matrix *a, const struct hf_matrix *b, double *result);
/** Scalar products of a with each b [n], n <= HF_MOST_OPERANDS, in one pass. hf_matrix_dots_here: this rank's parts (not
 *  collective); hf_matrix_dots: sums over ranks, each with the bits of hf_matrix_dot. */
void hf_matrix_dots_here(const struct hf_matrix *a, int n, const struct hf_matrix *const b[],
                         double result[]);
void hf_matrix_dots(const struct hf_matrix *a, int n, const struct hf_matrix *const b[],
                    double result[]);
/** to = sum_i factor_i from_i, from [n] of the same shape and without `to`, n <= HF_MOST_OPERANDS, in one pass. */
void hf_matrix_combine(int n, const double factor[], const struct hf_matrix *const from[],
                       struct hf_matrix *to);
/** max_ij |a_ij|: of this rank's elements (not collective), and *result: of all elements. */
double hf_matrix_max_abs_here(const struct hf_matrix *a);
void hf_matrix_max_abs(const struct hf_matrix *a, double *result);
/** Eigenvalues and eigenvectors of a symmetric matrix of order n: all eigenvalues (ascending, [n] on every rank), and
 *  orthonormal eigenvectors of the lowest k (the columns of `vector` [n][k], k <= n; NULL: none). Fewer vectors cost
 *  less. Only the lower triangle is read; the matrix is destroyed. The sign of each eigenvector is fixed: its
 *  component of largest modulus (the first one, if several are equal to 1e-6) is positive. Each call checks its
 *  results: Z^T Z = 1 and Z^T A = e Z^T on a few random vectors, the sum of the eigenvalues against the trace of A,
 *  and the sum of their squares against its squared norm.
 *  Errors   HF_NO_RESOURCE: the matrix is not finite, the library or a check fails, or one rank's part is too large
 *           for the 32-bit counts of LAPACK and ScaLAPACK. Same status and message on every rank. */
hf_status hf_matrix_eigen(struct hf_matrix *symmetric, double eigenvalue[],
                          struct hf_matrix *vector, struct hf_error *error) HF_MUST_CHECK;
/** A = L L^T: replaces the lower triangle of a symmetric positive definite matrix by its Cholesky factor L. Only the
 *  lower triangle is read. False on every rank: it is not positive definite, and is destroyed. Collective. */
bool hf_matrix_cholesky(struct hf_matrix *symmetric);
/** matrix = matrix L^-1, or with `transposed` matrix L^-T; L is the lower triangle of `factor`. Collective. */
void hf_matrix_divide(const struct hf_matrix *factor, bool transposed, struct hf_matrix *matrix);
/** Solves the small dense system a x = b on each rank alone; a [n][n] is symmetric indefinite. Destroys a; b becomes
 *  x. Not collective. HF_NO_RESOURCE: a is singular. */
hf_status hf_solve_symmetric(int n, double *a, double *b, struct hf_error *error) HF_MUST_CHECK;
/** Eigenvalues (ascending) and eigenvectors (columns, vector k at a + k n) of a small symmetric matrix a [n][n],
 *  which is overwritten; with the signs of hf_matrix_eigen. Not collective; one thread at a time. HF_NO_RESOURCE:
 *  memory, or the library fails. */
hf_status hf_eigen_small(int n, double *a, double eigenvalue[],
                         struct hf_error *error) HF_MUST_CHECK;

/** Takes or fills rows first .. first+n-1 of a matrix: rows [n][columns]. Called on rank 0 only. */
typedef hf_status (*hf_matrix_rows_function)(void *data, int first, int n, double rows[],
                                             struct hf_error *error);

/** Passes the rows to `take`, in order. The rows of a spread matrix come in strips: at most a rank's share of the
 *  matrix and half a megabyte, but at least one row. Collective. If `take` fails, it is not called again and every
 *  rank returns its status. HF_NO_RESOURCE: memory. */
hf_status hf_matrix_send_rows(const struct hf_matrix *matrix, hf_matrix_rows_function take,
                              void *data, struct hf_error *error) HF_MUST_CHECK;

/** Fills the matrix with rows from `give`, in order; otherwise like hf_matrix_send_rows. */
hf_status hf_matrix_receive_rows(struct hf_matrix *matrix, hf_matrix_rows_function give, void *data,
                                 struct hf_error *error) HF_MUST_CHECK;

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
