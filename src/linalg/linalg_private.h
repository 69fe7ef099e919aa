/* Inside the linear algebra room: the two layouts and the Fortran routines they call. */
#ifndef HF_LINALG_PRIVATE_H
#define HF_LINALG_PRIVATE_H

#include "base/arena.h"
#include "hf/linalg.h"

#include <stdbool.h>
#include <stddef.h>

enum { HF_MOST_KEPT = 24 };

/** A process grid. If it has one process, that is rank 0, and only BLAS and LAPACK are used. Otherwise it has the
 *  first n_grid_row * n_grid_col ranks, row by row. */
struct hf_linalg {
    struct hf_arena arena;
    struct hf_context *context; /**< borrowed */
    bool parallel;              /**< ScaLAPACK on more than one rank */
    bool inside;                /**< this rank is part of the grid */
    int blacs;                  /**< BLACS context, if parallel */
    int n_grid_row, n_grid_col, grid_row, grid_col;
    int block;
    MPI_Comm members; /**< the ranks of the grid, if parallel; MPI_COMM_NULL on other ranks */
    const struct hf_eigensolver *wanted; /**< see hf_linalg_set_eigensolver; NULL: the best one */
    /** a smaller grid that reduces matrices to tridiagonal form faster; NULL: all ranks reduce */
    struct hf_linalg *fewer;
    char description[160];
    /** destroyed matrices, to be reused for new ones of the same shape */
    struct hf_matrix *kept[HF_MOST_KEPT];
    int n_kept;
    size_t kept_bytes;
};

/** A method for eigenvalues and eigenvectors. Each is one constant; all are in hf_eigensolver_list. */
struct hf_eigensolver {
    const char *name;   /**< name in reports */
    int smallest_order; /**< least order for which it is chosen */
    /** Whether it can find n_vector eigenvectors of a matrix of order n on such a grid. */
    bool (*serves)(const struct hf_linalg *grid, int n, int n_vector);
    /** As hf_eigen_solve. */
    hf_status (*solve)(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *z, int n_vector,
                       struct hf_error *error);
};

/** All eigensolvers of this build, the best first; ends with NULL. */
extern const struct hf_eigensolver *const hf_eigensolver_list[];
extern const struct hf_eigensolver hf_eigensolver_lapack, hf_eigensolver_scalapack,
    hf_eigensolver_elpa;

/** The eigensolver that hf_eigen_solve uses. */
const struct hf_eigensolver *hf_eigensolver_choose(const struct hf_linalg *grid, int n,
                                                   int n_vector);

struct hf_matrix {
    struct hf_arena arena;    /**< has the elements */
    struct hf_linalg *linalg; /**< borrowed */
    int n_row, n_col;
    int local_row, local_col; /**< shape of `data`, 0 x 0 outside the grid */
    double *data;             /**< column-major, leading dimension max(local_row, 1) */
    int descriptor[9];        /**< descriptor of ScaLAPACK, if parallel */
};

/** Frees kept matrices, also those of grid->fewer. False: there were none. The same on all ranks. */
bool hf_drop_kept_matrices(struct hf_linalg *grid);

/** Global index of local row or column `local` (all from 0). */
static inline int hf_global_index(int local, int block, int coordinate, int n_process)
{
    return (local / block * n_process + coordinate) * block + local % block;
}

static inline int hf_global_row(const struct hf_matrix *m, int local)
{
    if (!m->linalg->parallel) return local;
    return hf_global_index(local, m->linalg->block, m->linalg->grid_row, m->linalg->n_grid_row);
}

static inline int hf_global_col(const struct hf_matrix *m, int local)
{
    if (!m->linalg->parallel) return local;
    return hf_global_index(local, m->linalg->block, m->linalg->grid_col, m->linalg->n_grid_col);
}

static inline size_t hf_local_size(const struct hf_matrix *m)
{
    return (size_t)m->local_row * (size_t)m->local_col;
}

static inline bool hf_same_shape(const struct hf_matrix *a, const struct hf_matrix *b)
{
    return a->linalg == b->linalg && a->n_row == b->n_row && a->n_col == b->n_col;
}

/** to = a from; a is symmetric and given by its lower triangle. Collective. */
void hf_matrix_multiply_symmetric(const struct hf_matrix *a, const struct hf_matrix *from,
                                  struct hf_matrix *to);

/** Eigenvalues [n] (ascending, at least on rank 0) of a symmetric matrix, and as many of its lowest eigenvectors as
 *  `vector` has columns (NULL: none). Only the lower triangle is read; the matrix may be destroyed. Signs of the
 *  vectors are not fixed, and nothing is checked. Collective; HF_NO_RESOURCE on rank 0 and possibly on others. */
hf_status hf_eigen_solve(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                         struct hf_error *error) HF_MUST_CHECK;

/** The same, on all ranks of the grid of the matrix. */
hf_status hf_eigen_solve_here(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *vector,
                              struct hf_error *error) HF_MUST_CHECK;

/** Copies a matrix to one of the same shape on another grid. One of the two grids is `all`, which contains the other.
 *  Collective over `all`. */
void hf_move_matrix(const struct hf_linalg *all, const struct hf_matrix *from,
                    struct hf_matrix *to);

/** Seconds by a model, on n_row x n_col ranks: of a product of matrices of order n; of the reduction of one to
 *  tridiagonal form; of all its eigenvectors then. Not collective. */
double hf_product_seconds(int n, int n_row, int n_col, int block);
double hf_reduction_seconds(int n, int n_row, int n_col);
double hf_vector_seconds(int n, int n_row, int n_col, int block);

/** Whether ScaLAPACK reduces a matrix of order n on such a grid with a square number of ranks only, which halves the
 *  number of messages. Not collective. */
bool hf_reduces_on_square(int n, int n_row, int n_col);

/** Side of the square grid, smaller than n_row x n_col, that reduces a matrix of order n to tridiagonal form in the
 *  least time; 0: all ranks are faster. Not collective. */
int hf_eigen_fewer(int n, int n_row, int n_col);

/* BLAS and LAPACK. */
void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta,
            double *c, const int *ldc);
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e,
             double *tau, double *work, const int *lwork, int *info);
void dsterf_(const int *n, double *d, double *e, int *info);
void dstedc_(const char *compz, const int *n, double *d, double *e, double *z, const int *ldz,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dormtr_(const char *side, const char *uplo, const char *trans, const int *m, const int *n,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc,
             double *work, const int *lwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dsysv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, int *pivot,
            double *b, const int *ldb, double *work, const int *lwork, int *info);

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb);

/* ScaLAPACK, PBLAS and BLACS. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int n_row, int n_col);
void Cblacs_gridinfo(int context, int *n_row, int *n_col, int *row, int *col);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *coordinate, const int *source,
            const int *n_process);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb,
               const int *row_source, const int *col_source, const int *context, const int *lld,
               int *info);
void pdgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desc_a,
             const double *b, const int *ib, const int *jb, const int *desc_b, const double *beta,
             double *c, const int *ic, const int *jc, const int *desc_c);
void pdsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desc_a, const double *b,
             const int *ib, const int *jb, const int *desc_b, const double *beta, double *c,
             const int *ic, const int *jc, const int *desc_c);
void pdgeadd_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
              const int *ia, const int *ja, const int *desc_a, const double *beta, double *c,
              const int *ic, const int *jc, const int *desc_c);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, int *info);
void pdtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
             const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desc_a, double *b, const int *ib, const int *jb, const int *desc_b);
void pdsytrd_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desc_a, double *d, double *e, double *tau, double *work, const int *lwork,
              int *info);
void pdsyntrd_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
               const int *desc_a, double *d, double *e, double *tau, double *work, const int *lwork,
               int *info);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
               const int *desc_a, double *b, const int *ib, const int *jb, const int *desc_b,
               const int *context);
void pdlared1d_(const int *n, const int *ia, const int *ja, const int *desc,
                const double *by_column, double *everywhere, double *work, const int *lwork);
void pdlaset_(const char *uplo, const int *m, const int *n, const double *off_diagonal,
              const double *diagonal, double *a, const int *ia, const int *ja, const int *desc_a);
void pdstedc_(const char *compz, const int *n, double *d, double *e, double *q, const int *iq,
              const int *jq, const int *desc_q, double *work, const int *lwork, int *iwork,
              const int *liwork, int *info);
void pdormtr_(const char *side, const char *uplo, const char *trans, const int *m, const int *n,
              const double *a, const int *ia, const int *ja, const int *desc_a, const double *tau,
              double *c, const int *ic, const int *jc, const int *desc_c, double *work,
              const int *lwork, int *info);

#endif
