/* Creates and destroys matrices, and keeps small ones for reuse. */
#include "linalg_private.h"

#include "text/text.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

/** Limit of the memory of kept matrices on a rank. For larger matrices, an agreement of all ranks is negligible
 *  beside the work with them. */
static const size_t MOST_KEPT_BYTES = (size_t)1 << 20;

/** Computes the shape of this rank's part. */
static void find_local_shape(struct hf_matrix *m)
{
    const struct hf_linalg *grid = m->linalg;
    const int zero = 0;
    if (!grid->inside) return;
    m->local_row = m->n_row;
    m->local_col = m->n_col;
    if (!grid->parallel) return;
    m->local_row = numroc_(&m->n_row, &grid->block, &grid->grid_row, &zero, &grid->n_grid_row);
    m->local_col = numroc_(&m->n_col, &grid->block, &grid->grid_col, &zero, &grid->n_grid_col);
}

static hf_status make_descriptor(struct hf_matrix *m, struct hf_error *error)
{
    const struct hf_linalg *grid = m->linalg;
    int info = 0;
    const int zero = 0, leading = m->local_row > 1 ? m->local_row : 1;
    for (int i = 0; i < 9; i++) m->descriptor[i] = -1; /* outside the grid */
    if (grid->parallel && hf_local_size(m) > INT_MAX)  /* the PBLAS compute offsets in int */
        return hf_fail(error, HF_NO_RESOURCE,
                       "a %d x %d matrix is too large for ScaLAPACK on %d x %d ranks: use more",
                       m->n_row, m->n_col, grid->n_grid_row, grid->n_grid_col);
    if (grid->parallel && grid->inside)
        descinit_(m->descriptor, &m->n_row, &m->n_col, &grid->block, &grid->block, &zero, &zero,
                  &grid->blacs, &leading, &info);
    if (info == 0) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "ScaLAPACK refused a %d x %d matrix (descinit info %d)",
                   m->n_row, m->n_col, info);
}

/** Bytes of a matrix on the first rank, which has at least as much as any other. The same on all ranks. */
static size_t bytes_of(const struct hf_matrix *m)
{
    const struct hf_linalg *grid = m->linalg;
    const int zero = 0;
    size_t n_row = (size_t)m->n_row, n_col = (size_t)m->n_col;
    if (grid->parallel) {
        n_row = (size_t)numroc_(&m->n_row, &grid->block, &zero, &zero, &grid->n_grid_row);
        n_col = (size_t)numroc_(&m->n_col, &grid->block, &zero, &zero, &grid->n_grid_col);
    }
    return n_row * n_col * sizeof *m->data;
}

/** Removes kept matrix i from the list and returns it. */
static struct hf_matrix *take_from_list(struct hf_linalg *grid, int i)
{
    struct hf_matrix *taken = grid->kept[i];
    grid->kept_bytes -= bytes_of(taken);
    grid->n_kept--;
    for (int k = i; k < grid->n_kept; k++) grid->kept[k] = grid->kept[k + 1];
    return taken;
}

/** Releases the matrix that has been kept longest. */
static void release_kept(struct hf_linalg *grid)
{
    struct hf_matrix *oldest = take_from_list(grid, 0);
    hf_arena_free(&oldest);
}

/** Takes a kept matrix of that shape; NULL: there is none. The same on all ranks, because they create and destroy in
 *  the same order. */
static struct hf_matrix *take_kept(struct hf_linalg *grid, int n_row, int n_col)
{
    for (int i = 0; i < grid->n_kept; i++)
        if (grid->kept[i]->n_row == n_row && grid->kept[i]->n_col == n_col)
            return take_from_list(grid, i);
    return NULL;
}

#ifndef NDEBUG
/** Whether all ranks keep matrices of the same shapes. If not, they destroyed in different orders, and some ranks
 *  would wait for ever in the next agreement. Collective. */
static bool keep_the_same(const struct hf_linalg *grid)
{
    uint64_t hash = HF_HASH_EMPTY;
    for (int i = 0; i < grid->n_kept; i++) {
        const int shape[2] = {grid->kept[i]->n_row, grid->kept[i]->n_col};
        hash = hf_hash_add(hash, sizeof shape, shape);
    }
    uint64_t limit[2] = {hash, ~hash}; /* the largest hash, and the complement of the smallest */
    MPI_Allreduce(MPI_IN_PLACE, limit, 2, MPI_UINT64_T, MPI_MAX, grid->context->comm);
    return limit[0] == ~limit[1];
}
#endif

bool hf_drop_kept_matrices(struct hf_linalg *grid)
{
    const bool fewer = grid->fewer != NULL && hf_drop_kept_matrices(grid->fewer);
    const bool any = grid->n_kept > 0;
    while (grid->n_kept > 0) release_kept(grid);
    return any || fewer;
}

static hf_status make(struct hf_linalg *linalg, const char *label, int n_row, int n_col,
                      struct hf_matrix **matrix, struct hf_error *error)
{
    struct hf_matrix *made = HF_NEW(*matrix, linalg->context->memory, label);
    if (made == NULL) return hf_arena_check_new(made, error);
    made->linalg = linalg;
    made->n_row = n_row;
    made->n_col = n_col;
    find_local_shape(made);
    HF_CHECK(make_descriptor(made, error));
    made->data = hf_arena_take_class(&made->arena, HF_MEMORY_MATRIX, label, hf_local_size(made),
                                     sizeof *made->data);
    if (made->data != NULL) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for a %d x %d matrix (%s)", n_row, n_col,
                   label);
}

/** Makes the matrices of the list that are still NULL. Returns the status of this rank. */
static hf_status make_missing(struct hf_linalg *linalg, const char *label, int n,
                              const struct hf_new_matrix list[], struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < n && status == HF_OK; i++) {
        struct hf_matrix **matrix = list[i].matrix;
        if (*matrix != NULL) continue;
        status = make(linalg, label, list[i].n_row, list[i].n_col, matrix, error);
        if (status != HF_OK) hf_arena_free(matrix);
    }
    return status;
}

hf_status hf_matrix_create_several(struct hf_linalg *linalg, const char *label, int n,
                                   const struct hf_new_matrix list[], struct hf_error *error)
{
    bool all_kept = true;
    assert(keep_the_same(linalg));
    for (int i = 0; i < n; i++) {
        const int n_row = list[i].n_row, n_col = list[i].n_col;
        struct hf_matrix *made = *list[i].matrix = take_kept(linalg, n_row, n_col);
        assert(n_row >= 0 && n_col >= 0);
        all_kept = all_kept && made != NULL;
        if (made != NULL) memset(made->data, 0, hf_local_size(made) * sizeof *made->data);
    }
    if (all_kept) return HF_OK;
    const MPI_Comm comm = linalg->context->comm;
    hf_status status = hf_agree(comm, make_missing(linalg, label, n, list, error), error);
    if (status != HF_OK && hf_drop_kept_matrices(linalg))
        status = hf_agree(comm, make_missing(linalg, label, n, list, error), error);
    for (int i = 0; i < n && status != HF_OK; i++) hf_arena_free(list[i].matrix);
    return status;
}

hf_status hf_matrix_create(struct hf_linalg *linalg, const char *label, int n_row, int n_col,
                           struct hf_matrix **matrix, struct hf_error *error)
{
    const struct hf_new_matrix one = {matrix, n_row, n_col};
    return hf_matrix_create_several(linalg, label, 1, &one, error);
}

void hf_matrix_destroy(struct hf_matrix **matrix)
{
    if (matrix == NULL || *matrix == NULL) return;
    struct hf_matrix *old = *matrix;
    struct hf_linalg *grid = old->linalg;
    if (bytes_of(old) > MOST_KEPT_BYTES) {
        hf_arena_free(matrix);
        return;
    }
    *matrix = NULL;
    while (grid->n_kept == HF_MOST_KEPT ||
           (grid->n_kept > 0 && grid->kept_bytes + bytes_of(old) > MOST_KEPT_BYTES))
        release_kept(grid);
    grid->kept[grid->n_kept++] = old;
    grid->kept_bytes += bytes_of(old);
}
