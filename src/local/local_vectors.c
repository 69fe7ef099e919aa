/* Pseudo-canonical orbitals of domains: X = U s^-1/2 of the eigenvalues s of S that are not too small, then the
 * eigenvectors of X^T F X. */
#include "base/arena.h"
#include "linalg/matrix_product.h"
#include "local_mp2_private.h"
#include "text/trace.h"

#include <math.h>
#include <string.h>

/** Rooms of one domain; columns of matrices are in rows of `length` numbers. */
struct room {
    struct hf_arena arena;
    int n;
    size_t length;
    double *square;           /**< [n][n] */
    double *value;            /**< [n] eigenvalues */
    double *orthogonal;       /**< [n][length] X */
    double *product, *packed; /**< [n][length]; packed matrices */
    double *vector;           /**< [n][length] */
    const double **row;       /**< [n] */
};

static void room_init(struct room *room, struct hf_memory *memory, int n)
{
    const size_t length = hf_padded(n), wide = (size_t)n;
    *room = (struct room){
        .arena = {.memory = memory, .label = "orbitals of a domain"},
        .n = n,
        .length = length,
    };
    room->square = hf_arena_take(&room->arena, wide * wide, sizeof(double));
    room->value = hf_arena_take(&room->arena, wide, sizeof(double));
    room->orthogonal = hf_arena_take(&room->arena, wide * length, sizeof(double));
    room->product = hf_arena_take(&room->arena, length * length, sizeof(double));
    room->vector = hf_arena_take(&room->arena, wide * length, sizeof(double));
    room->packed = hf_arena_take(&room->arena, hf_packed_size(n, n), sizeof(double));
    HF_TAKE(&room->arena, room->row, wide);
}

/** to [n_row][length] = left right; element (i, k) of left is left[i row_step + k inner_step], right [n_inner][length]. */
static void multiply(struct room *room, int n_row, int n_inner, const double *left, size_t row_step,
                     size_t inner_step, const double *right, double *to)
{
    hf_pack(n_row, n_inner, left, row_step, inner_step, room->packed);
    for (int k = 0; k < n_inner; k++) room->row[k] = right + (size_t)k * room->length;
    const struct hf_product product = {.n_row = n_row,
                                       .n_inner = n_inner,
                                       .n_column = room->length,
                                       .left = room->packed,
                                       .right = room->row,
                                       .to = to,
                                       .to_step = room->length};
    hf_product_kernel()(&product);
}

/** room->orthogonal from S; the number of its columns. Local. */
static hf_status make_orthogonal(const struct hf_local *local, const struct hf_local_domain *domain,
                                 struct room *room, int *n_kept, struct hf_error *error)
{
    const int n = room->n;
    const double least = local->settings->redundant;
    hf_local_between(local->overlap, domain, domain, room->square);
    const hf_status status = hf_eigen_small(n, room->square, room->value, error);
    if (status != HF_OK) return status;
    *n_kept = 0;
    for (int k = n - 1; k >= 0 && room->value[k] > least; k--) { /* the largest come first */
        const double factor = 1.0 / sqrt(room->value[k]);
        for (int m = 0; m < n; m++)
            room->orthogonal[(size_t)m * room->length + (size_t)*n_kept] =
                factor * room->square[(size_t)k * (size_t)n + (size_t)m];
        ++*n_kept;
    }
    return HF_OK;
}

/** The rest: F in these, its eigenvectors, and the product. Local. */
static hf_status make_canonical(const struct hf_local *local, struct room *room,
                                struct hf_local_domain *domain, struct hf_error *error)
{
    const int n = room->n, n_kept = domain->n_kept;
    const size_t length = room->length;
    struct hf_memory *memory = local->context->memory;
    double *fock = room->square, *small = room->vector, *vector = room->vector;
    hf_local_between(local->fock, domain, domain, fock);
    multiply(room, n, n, fock, (size_t)n, 1, room->orthogonal, room->product); /* F X */
    domain->energy =
        hf_memory_allocate(memory, "orbitals of domains", (size_t)n_kept + 1, sizeof(double));
    domain->vector = hf_memory_allocate_matrix(memory, "orbitals of domains",
                                               (size_t)n * (size_t)n_kept + 1, sizeof(double));
    if (domain->energy == NULL || domain->vector == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for orbitals of domains");
    multiply(room, n_kept, n, room->orthogonal, 1, length, room->product, small); /* X^T F X */
    for (int a = 0; a < n_kept; a++)
        for (int b = 0; b < n_kept; b++)
            room->square[(size_t)a * (size_t)n_kept + (size_t)b] =
                0.5 *
                (small[(size_t)a * length + (size_t)b] + small[(size_t)b * length + (size_t)a]);
    const hf_status status = hf_eigen_small(n_kept, room->square, domain->energy, error);
    if (status != HF_OK) return status;
    memset(room->product, 0, (size_t)n_kept * length * sizeof *room->product);
    for (int a = 0; a < n_kept; a++)
        for (int b = 0; b < n_kept; b++)
            room->product[(size_t)b * length + (size_t)a] =
                room->square[(size_t)a * (size_t)n_kept + (size_t)b];
    multiply(room, n, n_kept, room->orthogonal, length, 1, room->product, vector);
    for (int m = 0; m < n; m++)
        memcpy(domain->vector + (size_t)m * (size_t)n_kept, vector + (size_t)m * length,
               (size_t)n_kept * sizeof *vector);
    return HF_OK;
}

hf_status hf_local_domain_vectors(const struct hf_local *local, struct hf_local_domain *domain,
                                  struct hf_error *error)
{
    struct room room;
    room_init(&room, local->context->memory, domain->n_function);
    hf_status status = hf_arena_check(&room.arena, error);
    if (status == HF_OK) status = make_orthogonal(local, domain, &room, &domain->n_kept, error);
    if (status == HF_OK) status = make_canonical(local, &room, domain, error);
    hf_arena_done(&room.arena);
    return status;
}

hf_status hf_local_make_vectors(struct hf_local *local, struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int k = 0; k < local->n_own && status == HF_OK; k++) {
        struct hf_local_domain *domain = &local->domain[local->pair[local->own[k]].domain];
        const double start = hf_wall_seconds(), begun = hf_thread_seconds();
        if (domain->vector != NULL) continue;
        status = hf_local_domain_vectors(local, domain, error);
        hf_trace_add(local->context->trace, 0, HF_TRACE_TASK, local->own[k], start,
                     hf_thread_seconds() - begun);
    }
    return hf_agree_to_go_on(local->context, status, error);
}
