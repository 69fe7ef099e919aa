/* T of all pairs: on every rank (Eq. 10.8), or with the owners of the pairs, from where blocks are fetched while other
 * ones are used. */
#include "local_iterate.h"

#include "base/gather.h"
#include "local/local_mp2.h"
#include "localise/localise.h"
#include "text/json.h"

#include <limits.h>

static const char label[] = "amplitudes of pairs";

static void make_lists(struct hf_local_amplitudes *self)
{
    const size_t n = (size_t)self->local->n_pair;
    for (int s = 0; s < 2; s++) HF_TAKE(self->arena, self->where[s], n);
    HF_TAKE(self->arena, self->mark, n);
    HF_TAKE(self->arena, self->batch_end, (size_t)self->local->n_own + 1);
}

/** Room for all, and where each pair is. */
static void make_replicated(struct hf_local_amplitudes *self)
{
    const struct hf_local *local = self->local;
    struct hf_context *context = local->context;
    const size_t n = (size_t)local->first_of_rank[context->n_rank];
    HF_TAKE(self->arena, self->all, n);
    if (self->arena->failed) return;
    self->own = self->all + local->first_of_rank[context->rank];
    for (int p = 0; p < local->n_pair; p++)
        self->where[0][p] = self->where[1][p] =
            self->all + local->first_of_rank[local->pair[p].owner] + local->pair[p].offset;
}

hf_status hf_local_amplitudes_init(struct hf_local_amplitudes *self, const struct hf_local *local,
                                   struct hf_arena *arena, struct hf_error *error)
{
    const struct hf_local_settings *settings = local->settings;
    *self = (struct hf_local_amplitudes){.local = local, .arena = arena};
    make_lists(self);
    if (settings->replicated) make_replicated(self);
    HF_CHECK(hf_agree(local->context->comm, hf_arena_check(arena, error), error));
    if (!settings->replicated) {
        HF_CHECK(hf_onesided_create(local->context, &settings->onesided, &self->onesided, error));
        HF_CHECK(hf_window_create(self->onesided, local->n_number, label, &self->window, error));
        self->own = hf_window_local(self->window);
        for (int q = 0; q < local->n_own; q++)
            self->where[0][local->own[q]] = self->where[1][local->own[q]] =
                self->own + local->pair[local->own[q]].offset;
    }
    return HF_OK;
}

void hf_local_amplitudes_done(struct hf_local_amplitudes *self)
{
    if (self->local == NULL) return;
    hf_window_destroy(&self->window);
    hf_onesided_destroy(&self->onesided);
}

/** hf_part_begin */
static int64_t part_begin(const void *self, int rank)
{
    return ((const struct hf_local *)self)->first_of_rank[rank];
}

void hf_local_amplitudes_share(struct hf_local_amplitudes *self)
{
    const struct hf_local *local = self->local;
    const struct hf_context *context = local->context;
    if (self->all == NULL) {
        hf_window_fence(self->window);
        return;
    }
    hf_gather_parts(context->comm, part_begin, local, local->scratch, sizeof *self->all, self->all);
    self->n_received += (double)((size_t)local->first_of_rank[context->n_rank] - local->n_number);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/** Numbers of a block that has to be fetched. */
static size_t size_of(const struct hf_local *local, int pair)
{
    const size_t n = (size_t)hf_local_pair_domain(local, &local->pair[pair])->n_function;
    return n * n;
}

static bool is_foreign(const struct hf_local_amplitudes *self, int pair)
{
    return self->all == NULL && self->local->pair[pair].owner != self->local->context->rank;
}

/** Numbers that pair q needs beyond those marked with this stamp, which are marked. */
static size_t mark_needed(struct hf_local_amplitudes *self, const struct hf_local_terms *terms,
                          int q)
{
    size_t n = 0;
    for (size_t p = terms->begin[q]; p < terms->begin[q + 1]; p++) {
        const int pair = terms->term[p].pair;
        if (!is_foreign(self, pair) || self->mark[pair] == self->stamp) continue;
        self->mark[pair] = self->stamp;
        n += size_of(self->local, pair);
    }
    return n;
}

hf_status hf_local_amplitudes_plan(struct hf_local_amplitudes *self,
                                   const struct hf_local_terms *terms, struct hf_error *error)
{
    const struct hf_local *local = self->local;
    const size_t limit =
        local->n_number > HF_LOCAL_LEAST_ROOM ? local->n_number : HF_LOCAL_LEAST_ROOM;
    size_t filled = 0, most = 0;
    self->n_batch = 0;
    self->stamp++;
    for (int q = 0; q < local->n_own; q++) {
        size_t n = mark_needed(self, terms, q);
        if (filled > 0 && filled + n > limit) {
            self->batch_end[self->n_batch++] = q;
            self->stamp++;
            filled = 0;
            n = mark_needed(self, terms, q);
        }
        filled += n;
        if (filled > most) most = filled;
    }
    if (local->n_own > 0) self->batch_end[self->n_batch++] = local->n_own;
    if (most <= self->n_room) return HF_OK;
    for (int s = 0; s < 2; s++) hf_arena_release(self->arena, self->buffer[s]);
    for (int s = 0; s < 2; s++) HF_TAKE_UNSET(self->arena, self->buffer[s], most);
    self->n_room = most;
    return hf_arena_check(self->arena, error);
}

/** The oldest get ends. */
static void end_one(struct hf_local_amplitudes *self)
{
    hf_window_end_get(self->window, &self->request[self->n_ended++ % HF_LOCAL_MOST_GETS]);
}

void hf_local_amplitudes_begin(struct hf_local_amplitudes *self, const struct hf_local_terms *terms,
                               int batch)
{
    const struct hf_local *local = self->local;
    const int first = batch > 0 ? self->batch_end[batch - 1] : 0, slot = batch % 2;
    double *to = self->buffer[slot];
    if (self->all != NULL) return;
    self->n_begun = self->n_ended = 0;
    self->stamp++;
    for (size_t p = terms->begin[first]; p < terms->begin[self->batch_end[batch]]; p++) {
        const int pair = terms->term[p].pair;
        if (!is_foreign(self, pair) || self->mark[pair] == self->stamp) continue;
        const struct hf_window_range range = {local->pair[pair].owner, local->pair[pair].offset,
                                              size_of(local, pair)};
        if (self->n_begun - self->n_ended == HF_LOCAL_MOST_GETS) end_one(self);
        hf_window_begin_get(self->window, range, to,
                            &self->request[self->n_begun++ % HF_LOCAL_MOST_GETS]);
        self->mark[pair] = self->stamp;
        self->where[slot][pair] = to;
        self->n_received += (double)range.n;
        to += range.n;
    }
}

void hf_local_amplitudes_end(struct hf_local_amplitudes *self)
{
    while (self->n_ended < self->n_begun) end_one(self);
}

void hf_local_put_model(struct hf_json to)
{
    HF_PUT(to, "sweep_blocks", HF_MOST_SWEEP_BLOCKS, NULL, "blocks of orbitals in a sweep");
}
