/* Pseudo-canonical orbitals of domains: X = U s^-1/2 of the eigenvalues s of S that are not too small, then the
 * eigenvectors of X^T F X. */
#include "local_iterate.h"

#include <math.h>
#include <string.h>

/** square[1] = X, from S in square[0]; the number of its columns. Local. */
static hf_status make_orthogonal(const struct hf_local *local, const struct hf_local_domain *domain,
                                 struct hf_local_room *room, int *n_kept, struct hf_error *error)
{
    const int n = domain->n_function;
    const size_t length = hf_padded(n);
    double *s = room->square[0], *orthogonal = room->square[1], *value = room->square[3];
    hf_local_between(local->overlap, domain, domain, s);
    HF_CHECK(hf_eigen_small(n, s, value, error));
    *n_kept = 0;
    for (int k = n - 1; k >= 0 && value[k] > local->settings->redundant; k--) { /* falling */
        const double factor = 1.0 / sqrt(value[k]);
        for (int m = 0; m < n; m++)
            orthogonal[(size_t)m * length + (size_t)*n_kept] =
                factor * s[(size_t)k * (size_t)n + (size_t)m];
        ++*n_kept;
    }
    return HF_OK;
}

/** The rest: F in these, its eigenvectors, and the product. Local. */
static hf_status make_canonical(const struct hf_local *local, struct hf_local_room *room,
                                struct hf_arena *arena, struct hf_local_domain *domain,
                                struct hf_error *error)
{
    const int n = domain->n_function;
    const size_t length = hf_padded(n), n_kept = (size_t)domain->n_kept;
    const int m = domain->n_kept;
    double *fock = room->square[0], *orthogonal = room->square[1], *product = room->square[2],
           *small = room->square[3];
    hf_local_between(local->fock, domain, domain, fock);
    hf_local_multiply(room, (struct hf_local_left){n, n, fock, (size_t)n, 1}, orthogonal, length,
                      product); /* F X */
    HF_TAKE(arena, domain->energy, n_kept);
    HF_TAKE(arena, domain->vector, (size_t)n * n_kept);
    if (arena->failed) return hf_arena_check(arena, error);
    hf_local_multiply(room, (struct hf_local_left){m, n, orthogonal, 1, length}, product, length,
                      small); /* X^T F X */
    for (size_t a = 0; a < n_kept; a++)
        for (size_t b = 0; b < n_kept; b++)
            fock[a * n_kept + b] = 0.5 * (small[a * length + b] + small[b * length + a]);
    HF_CHECK(hf_eigen_small(m, fock, domain->energy, error));
    memset(product, 0, n_kept * length * sizeof *product);
    for (size_t a = 0; a < n_kept; a++)
        for (size_t b = 0; b < n_kept; b++) product[b * length + a] = fock[a * n_kept + b];
    hf_local_multiply(room, (struct hf_local_left){n, m, orthogonal, length, 1}, product, length,
                      small);
    for (size_t k = 0; k < (size_t)n; k++)
        memcpy(domain->vector + k * n_kept, small + k * length, n_kept * sizeof *small);
    return HF_OK;
}

hf_status hf_local_find_vectors(const struct hf_local *local, struct hf_local_room *room,
                                struct hf_arena *arena, struct hf_local_domain *domain,
                                struct hf_error *error)
{
    HF_CHECK(make_orthogonal(local, domain, room, &domain->n_kept, error));
    return make_canonical(local, room, arena, domain, error);
}

hf_status hf_local_domain_vectors(struct hf_local *local, struct hf_local_domain *domain,
                                  struct hf_error *error)
{
    struct hf_local_room room;
    hf_status status = HF_OK;
    if (!hf_local_room_init(&room, local, domain->n_function))
        status = hf_arena_check(&room.arena, error);
    if (status == HF_OK)
        status = hf_local_find_vectors(local, &room, &local->vectors, domain, error);
    hf_arena_done(&room.arena);
    return status;
}

hf_status hf_local_make_vectors(struct hf_local *local, struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int k = 0; k < local->n_own && status == HF_OK; k++) {
        struct hf_local_domain *domain = &local->domain[local->pair[local->own[k]].domain];
        const struct hf_trace_span span = hf_trace_begin_span(local->context->trace);
        if (domain->vector != NULL) continue;
        status = hf_local_domain_vectors(local, domain, error);
        hf_trace_end_span(local->context->trace, 0, HF_TRACE_TASK, local->own[k], span);
    }
    return hf_agree_to_go_on(local->context, status, error);
}
