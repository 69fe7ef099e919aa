/* Pseudo-canonical orbitals of domains: X = U s^-1/2 of the eigenvalues s of S that are not too small, then the
 * eigenvectors of X^T F X. */
#include "local_iterate.h"

#include "work/pass.h"

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
                                struct hf_local_domain *domain, struct hf_error *error)
{
    const int n = domain->n_function;
    const size_t length = hf_padded(n), n_kept = (size_t)domain->n_kept;
    const int m = domain->n_kept;
    double *fock = room->square[0], *orthogonal = room->square[1], *product = room->square[2],
           *small = room->square[3];
    hf_local_between(local->fock, domain, domain, fock);
    hf_local_multiply(room, (struct hf_local_left){n, n, fock, (size_t)n, 1}, orthogonal, length,
                      product); /* F X */
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

/** Room for W. */
static void take_vectors(struct hf_local *local, struct hf_local_domain *domain)
{
    const size_t n = (size_t)domain->n_function;
    HF_TAKE(&local->vectors, domain->energy, n);
    HF_TAKE(&local->vectors, domain->vector, n * n);
}

/** W of a domain that has room for it. Local. */
static hf_status find_vectors(const struct hf_local *local, struct hf_local_room *room,
                              struct hf_local_domain *domain, struct hf_error *error)
{
    HF_CHECK(make_orthogonal(local, domain, room, &domain->n_kept, error));
    return make_canonical(local, room, domain, error);
}

hf_status hf_local_domain_vectors(struct hf_local *local, struct hf_local_domain *domain,
                                  struct hf_error *error)
{
    struct hf_local_room room;
    take_vectors(local, domain);
    hf_status status = hf_arena_check(&local->vectors, error);
    if (!hf_local_room_init(&room, local, domain->n_function) && status == HF_OK)
        status = hf_arena_check(&room.arena, error);
    if (status == HF_OK) status = find_vectors(local, &room, domain, error);
    hf_arena_done(&room.arena);
    return status;
}

/* ---- Domains of the pairs of this rank --------------------------------------------------------- */

/** What threads share. */
struct making {
    struct hf_local *local;
    int most;    /**< PAOs of the largest domain */
    int *domain; /**< [n_own][2] of each pair: those that no pair before it has; -1 */
};

/** hf_pass.begin */
static hf_status begin_thread(void *own, struct hf_pass_thread *thread, void *data,
                              struct hf_error *error)
{
    const struct making *self = data;
    struct hf_local_room *room = own;
    (void)thread;
    return hf_local_room_init(room, self->local, self->most) ? HF_OK
                                                             : hf_arena_check(&room->arena, error);
}

/** hf_pass.item */
static hf_status do_pair_domains(void *own, struct hf_pass_thread *thread, int64_t item,
                                 struct hf_error *error)
{
    const struct making *self = thread->data;
    struct hf_local *local = self->local;
    const int *number = self->domain + 2 * item;
    const struct hf_trace_span span = hf_trace_begin_span(local->context->trace);
    if (number[0] < 0 && number[1] < 0) return HF_OK;
    for (int k = 0; k < 2; k++)
        if (number[k] >= 0) HF_CHECK(find_vectors(local, own, &local->domain[number[k]], error));
    hf_trace_end_span(local->context->trace, thread->number, HF_TRACE_TASK, local->own[item], span);
    return HF_OK;
}

/** hf_pass.end */
static void end_thread(void *own, void *data)
{
    struct hf_local_room *room = own;
    (void)data;
    hf_arena_done(&room->arena);
}

/** Room for W of all domains. Local. */
static hf_status list_domains(struct making *self, struct hf_error *error)
{
    struct hf_local *local = self->local;
    HF_TAKE(&local->arena, self->domain, 2 * (size_t)local->n_own);
    for (int k = 0; k < local->n_own && self->domain != NULL; k++) {
        const struct hf_local_pair *pair = &local->pair[local->own[k]];
        const int both[2] = {pair->domain, pair->outer};
        for (int c = 0; c < 2; c++) {
            struct hf_local_domain *domain = &local->domain[both[c]];
            self->domain[2 * k + c] = domain->vector == NULL ? both[c] : -1;
            if (domain->vector == NULL) take_vectors(local, domain);
            if (domain->n_function > self->most) self->most = domain->n_function;
        }
    }
    HF_CHECK(hf_arena_check(&local->arena, error));
    return hf_arena_check(&local->vectors, error);
}

hf_status hf_local_make_vectors(struct hf_local *local, struct hf_error *error)
{
    static const struct hf_pass pass = {.label = "orbitals of domains",
                                        .own_bytes = sizeof(struct hf_local_room),
                                        .begin = begin_thread,
                                        .item = do_pair_domains,
                                        .end = end_thread};
    struct making self = {.local = local};
    hf_status status = list_domains(&self, error);
    if (status == HF_OK)
        status = hf_pass_items(local->context, local->n_thread, local->n_own, &pass, &self, error);
    hf_arena_release(&local->arena, self.domain);
    return hf_agree_to_go_on(local->context, status, error);
}
