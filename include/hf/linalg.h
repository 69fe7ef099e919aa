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

/** Phases for the time of work with matrices: eigenvalues; transformations, DIIS, energies. */
extern const struct hf_phase hf_phase_diagonalise, hf_phase_linear_algebra;

/** Grid for matrices of order about `n`. `context` is borrowed and must outlive the result. */
hf_status hf_linalg_create(struct hf_context *context, int n, struct hf_linalg **linalg,
                           struct hf_error *error) HF_MUST_CHECK;
/** Grid that spreads matrices of any size over all ranks, in blocks small enough for equal shares: for
 *  calculations whose memory must fall with the number of ranks. */
hf_status hf_linalg_create_spread(struct hf_context *context, int n, struct hf_linalg **linalg,
                                  struct hf_error *error) HF_MUST_CHECK;
/** As hf_linalg_create, with the smallest order for ScaLAPACK on more than one rank (0: always) and the
 *  block size given by the caller. For tests and tuning. */
hf_status hf_linalg_create_ext(struct hf_context *context, int n, int smallest_parallel_order,
                               int block_size, struct hf_linalg **linalg,
                               struct hf_error *error) HF_MUST_CHECK;
/** Destroy its matrices before. Collective over the ranks of the grid. Accepts NULL and a pointer to
 *  NULL; leaves NULL. */
void hf_linalg_destroy(struct hf_linalg **linalg);

/** One line for the report, e.g. "ScaLAPACK, 6 x 6 grid, blocks of 64 (diagonalisations begin on 4 x 4)" or
 *  "LAPACK on rank 0", with ", 4 threads" if BLAS has several. */
const char *hf_linalg_description(const struct hf_linalg *linalg);

/** Use "LAPACK", "ScaLAPACK" or "ELPA" for matrices of any order that it can diagonalise; for tests and
 *  measurements. False: this build does not have it. Not collective. */
bool hf_linalg_set_eigensolver(struct hf_linalg *linalg, const char *name);

/** Has matrices of a grid of more ranks reduced to tridiagonal form by its first n_side^2, n_side > 1, when they are
 *  diagonalised; hf_linalg_create does it where that takes less time. Collective; HF_NO_RESOURCE. */
hf_status hf_linalg_diagonalise_on(struct hf_linalg *linalg, int n_side,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Part of a matrix of order n that the rank with the most of it would hold, 0 to 1, on a grid as
 *  hf_linalg_create makes it or, `spread`, hf_linalg_create_spread. Not collective. */
double hf_linalg_largest_share(int n, int n_rank, bool spread);
/** The same of a matrix that is reduced to tridiagonal form, on the ranks that do it. */
double hf_linalg_solving_share(int n, int n_rank, bool spread);

/** Seconds, as modelled, of a product of matrices of order n on such a grid, and of a diagonalisation with all vectors on
 *  the ranks that do either part. Not collective. */
double hf_linalg_product_seconds(int n, int n_rank, bool spread);
double hf_linalg_eigen_seconds(int n, int n_rank, bool spread);

/** Threads OpenBLAS may use in this process; does nothing with another BLAS. Each takes 135 MB of
 *  address space, of which it touches less than 1 MB. hf never calls BLAS from several threads at a
 *  time. Not collective. */
void hf_linalg_set_blas_threads(int n);

/** Number of BLAS threads; 1 if not known. Not collective. */
int hf_linalg_blas_threads(void);

/** Makes sure that BLAS has its work space on this thread, the only one that calls it. OpenBLAS asks for
 *  128 MiB of address space at its first computation, and never returns if there is none.
 *  hf_linalg_create also does this. Not collective; HF_NO_RESOURCE. */
hf_status hf_linalg_prepare_blas(struct hf_error *error) HF_MUST_CHECK;

/** The first n_sum of value [n_sum + n_max] become the sums of what the ranks have there, the others the largest of
 *  it, on every rank with the same bits. Numbers of ranks outside of the grid do not count. Collective. */
void hf_linalg_reduce(const struct hf_linalg *linalg, int n_sum, int n_max, double value[]);

/** Matrix of zeros. `label` is a string constant for the memory account. */
hf_status hf_matrix_create(struct hf_linalg *linalg, const char *label, int n_row, int n_col,
                           struct hf_matrix **matrix, struct hf_error *error) HF_MUST_CHECK;
/** A matrix to be created, n_row x n_col. */
struct hf_new_matrix {
    struct hf_matrix **matrix;
    int n_row, n_col;
};
/** Creates several [n] with one agreement; after a failure all are NULL. */
hf_status hf_matrix_create_several(struct hf_linalg *linalg, const char *label, int n,
                                   const struct hf_new_matrix list[],
                                   struct hf_error *error) HF_MUST_CHECK;
/** Small matrices are kept, at most 1 MB on a rank, and become the next of their shape without an
 *  agreement of all ranks. Sends nothing, but all ranks must destroy in the same order; builds with
 *  assertions check it when the next matrix is created. Accepts NULL and a pointer to NULL; leaves NULL. */
void hf_matrix_destroy(struct hf_matrix **matrix);
int hf_matrix_n_row(const struct hf_matrix *matrix);
int hf_matrix_n_col(const struct hf_matrix *matrix);

/** From and to a full column-major array [n_col][n_row]. set: every rank must pass the same values; if
 *  the matrix is on rank 0, only that array is read. gather: every rank gets the whole matrix, with
 *  the same bits. */
void hf_matrix_set_full(struct hf_matrix *matrix, const double *full);
void hf_matrix_gather_full(const struct hf_matrix *matrix, double *full);

/** Copies this rank's elements to their places in a full array; other elements stay. Together the ranks
 *  write each element once. Not collective. */
void hf_matrix_copy_local(const struct hf_matrix *matrix, double *full);

/** to [n][o] = the first n rows of `from`. */
void hf_matrix_copy_first_rows(const struct hf_matrix *from, struct hf_matrix *to);

/** Rows first .. first+n-1 to rank 0's array rows [n][n_col], row by row; n times n_col below 2^31.
 *  The other ranks pass arrays of that size too, which are overwritten. */
void hf_matrix_gather_rows(const struct hf_matrix *matrix, int first, int n, double *rows);

/** to = from (same shape; of this grid or of one that was made alike, of the same context, kind and order). */
void hf_matrix_copy(const struct hf_matrix *from, struct hf_matrix *to);
/** to = alpha from + beta to (same shape). If beta is 0, here and below, `to` is not read: it may
 *  contain anything, also NaN. */
void hf_matrix_add(double alpha, const struct hf_matrix *from, double beta, struct hf_matrix *to);
/** to = alpha from^T + beta to. `to` must not be `from`. */
void hf_matrix_add_transposed(double alpha, const struct hf_matrix *from, double beta,
                              struct hf_matrix *to);
/** c = alpha op(a) op(b) + beta c, op = transpose where the flag is set. `c` must be neither `a`
 *  nor `b`. */
void hf_matrix_multiply(double alpha, bool transpose_a, const struct hf_matrix *a, bool transpose_b,
                        const struct hf_matrix *b, double beta, struct hf_matrix *c);
/** c = a b, where the first n rows of b, and no more than it has columns, are those of a unit matrix: columns of a are
 *  copied there. `c` must be neither `a` nor `b`. */
void hf_matrix_multiply_unit(const struct hf_matrix *a, const struct hf_matrix *b, int n,
                             struct hf_matrix *c);
/** c = alpha op(a) op(b) for a symmetric product: the part below the diagonal is computed in strips and
 *  copied to the part above it. `c` must be neither `a` nor `b`. */
void hf_matrix_multiply_to_symmetric(double alpha, bool transpose_a, const struct hf_matrix *a,
                                     bool transpose_b, const struct hf_matrix *b,
                                     struct hf_matrix *c);
/** to[:, to_first : to_first+n] = from[:, from_first : from_first+n], column j of them multiplied
 *  by factor[j] (factor NULL: 1). `to` must not be `from`. */
void hf_matrix_copy_columns(const struct hf_matrix *from, int from_first, int n,
                            const double *factor, struct hf_matrix *to, int to_first);
/** Every element becomes new_value(data, row, column, element), in any order, each on the rank that
 *  has it. */
void hf_matrix_map(struct hf_matrix *matrix,
                   double (*new_value)(void *data, int row, int column, double value), void *data);
/** Elements a_ij of the rows from `first` on are divided by diagonal[i] - diagonal[j], those of the rows before become 0. */
void hf_matrix_divide_differences(struct hf_matrix *matrix, int first, const double diagonal[]);
/** diagonal [n] of a square matrix of order n, the same on every rank. */
void hf_matrix_diagonal(const struct hf_matrix *matrix, double diagonal[]);
/** Sets sum[i] to the sum of the squares of row or column i, on every rank the same bits. Collective. */
void hf_matrix_row_squares(const struct hf_matrix *matrix, double sum[]);
void hf_matrix_column_squares(const struct hf_matrix *matrix, double sum[]);
/** This rank's part of sum_ij a_ij b_ij, and *result: the sum, on every rank. The first one is not collective: several
 *  parts are summed together by hf_linalg_reduce. */
double hf_matrix_dot_here(const struct hf_matrix *a, const struct hf_matrix *b);
void hf_matrix_dot(const struct hf_matrix *a, const struct hf_matrix *b, double *result);
/** result [n] = the scalar products of a with b [n], n <= HF_MOST_OPERANDS, in one pass: this rank's parts (not
 *  collective), and the sums over the ranks. Each has the bits of hf_matrix_dot. */
void hf_matrix_dots_here(const struct hf_matrix *a, int n, const struct hf_matrix *const b[],
                         double result[]);
void hf_matrix_dots(const struct hf_matrix *a, int n, const struct hf_matrix *const b[],
                    double result[]);
/** to = sum_i factor_i from_i of from [n] (same shape; not `to`), n <= HF_MOST_OPERANDS, in one pass. */
void hf_matrix_combine(int n, const double factor[], const struct hf_matrix *const from[],
                       struct hf_matrix *to);
/** max_ij |a_ij| of this rank's elements (not collective), and *result: of all. */
double hf_matrix_max_abs_here(const struct hf_matrix *a);
void hf_matrix_max_abs(const struct hf_matrix *a, double *result);
/** All eigenvalues (ascending, [n] on every rank) of a symmetric matrix of order n and orthonormal
 *  eigenvectors (columns) of the lowest of them: as many as `vector` [n][k] has columns, k <= n;
 *  none when it is NULL. Fewer vectors cost less. The lower triangle is read and the matrix is
 *  destroyed. The sign of each eigenvector is fixed: its component of largest modulus (the first of
 *  those equal to 1e-6) is positive.
 *  After each call Z^T Z = 1 and Z^T A = e Z^T are checked on a few random vectors, and that the
 *  eigenvalues and their squares add up to the trace and the squared norm of A.
 *  Errors   HF_NO_RESOURCE when the matrix is not finite, the library fails or a check does, or
 *           the part of one rank outgrows the 32-bit counts of LAPACK and ScaLAPACK. Same status
 *           and message on every rank. */
hf_status hf_matrix_eigen(struct hf_matrix *symmetric, double eigenvalue[],
                          struct hf_matrix *vector, struct hf_error *error) HF_MUST_CHECK;
/** The lower triangle of a symmetric positive definite matrix, which alone is read, becomes its Cholesky
 *  factor L: A = L L^T. False on every rank, and the matrix is lost, if it is not positive definite.
 *  Collective. */
bool hf_matrix_cholesky(struct hf_matrix *symmetric);
/** matrix = matrix L^-1, or matrix L^-T if `transposed`, of the factor L in the lower triangle of `factor`.
 *  Collective. */
void hf_matrix_divide(const struct hf_matrix *factor, bool transposed, struct hf_matrix *matrix);
/** Solves the small dense system a x = b on every rank alike, a [n][n] symmetric indefinite; a and
 *  b are destroyed, b becomes x. Not collective. HF_NO_RESOURCE when singular. */
hf_status hf_solve_symmetric(int n, double *a, double *b, struct hf_error *error) HF_MUST_CHECK;
/** Eigenvalues (ascending) and eigenvectors (columns, vector k at a + k n) of a small symmetric matrix a [n][n], which is
 *  overwritten; signs as of hf_matrix_eigen. On this rank alone; one thread at a time. HF_NO_RESOURCE: memory, or the
 *  library fails. */
hf_status hf_eigen_small(int n, double *a, double eigenvalue[],
                         struct hf_error *error) HF_MUST_CHECK;

/** Takes rows first .. first+n-1, rows [n][columns] row by row, or fills them. Called on rank 0
 *  alone. */
typedef hf_status (*hf_matrix_rows_function)(void *data, int first, int n, double rows[],
                                             struct hf_error *error);

/** Hands the rows to `take`, in order. A spread matrix goes in strips of no more than a rank's share
 *  of it and half a megabyte, but of one row at least. Collective; after a failure of `take`, which
 *  every rank then returns, it is not called again. HF_NO_RESOURCE: memory. */
hf_status hf_matrix_send_rows(const struct hf_matrix *matrix, hf_matrix_rows_function take,
                              void *data, struct hf_error *error) HF_MUST_CHECK;

/** Fills the matrix with the rows that `give` fills, in order; else like hf_matrix_send_rows. */
hf_status hf_matrix_receive_rows(struct hf_matrix *matrix, hf_matrix_rows_function give, void *data,
                                 struct hf_error *error) HF_MUST_CHECK;

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
