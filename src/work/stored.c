/* What a build does about stored integrals. The first build at the final threshold stores what the
 * plan has; later builds read that back and compute the rest. Stored tasks stay with the rank that
 * holds them; only the rest is shared out. */
#include "../fock/fock_private.h"

#include <math.h>

/** Later densities may be larger than the first by this much before everything is stored anew. */
static const double DENSITY_MARGIN = 4.0;

/** Ranks and threads do not store quite the same; what does not fit is computed again. */
static const double FILL = 0.9;

void hf_fock_drop_store(struct hf_fock_builder *self)
{
    for (int i = 0; i < self->n_worker; i++) hf_integral_store_destroy(&self->worker[i].store);
    self->stored = false;
}

/** What can be stored of the quartets that matter to densities up to `max_density`. */
static struct hf_store_plan make_plan(const struct hf_fock_builder *self, double max_density)
{
    const double smallest =
        self->settings.store_threshold / (DENSITY_MARGIN * fmax(1.0, max_density));
    const double bytes = FILL * self->settings.memory_bytes * (double)self->context->n_rank;
    return hf_store_plan_make(self->pairs, smallest, bytes);
}

double hf_fock_stored_share(const struct hf_fock_builder *builder)
{
    if (builder->settings.memory_bytes <= 0.0) return 0.0;
    return make_plan(builder, 1.0).share;
}

static hf_status begin_recording(struct hf_fock_builder *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const double memory = self->settings.memory_bytes;
    self->plan = make_plan(self, self->screening.max_density);
    for (int i = 0; i < self->n_worker && status == HF_OK; i++)
        status = hf_integral_store_create(self->pairs, memory / self->n_worker,
                                          &self->worker[i].store, error);
    self->store_use = HF_STORE_RECORD;
    return status;
}

hf_status hf_fock_prepare_store(struct hf_fock_builder *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_screening *screening = &self->screening;
    self->store_use = HF_STORE_NONE;
    if (self->stored && screening->threshold / screening->max_density < self->plan.smallest)
        hf_fock_drop_store(self);
    if (self->stored)
        self->store_use = HF_STORE_SKIP;
    else if (self->settings.memory_bytes > 0.0 &&
             screening->threshold <= self->settings.store_threshold)
        status = begin_recording(self, error);
    for (int i = 0; i < self->n_worker; i++) {
        struct hf_quartet_work *work = &self->worker[i].work;
        work->store_use = self->store_use;
        work->plan = &self->plan;
        work->store = self->worker[i].store;
        work->store_failed = false;
    }
    return status;
}

double hf_fock_least_bound(const struct hf_fock_builder *self)
{
    if (self->store_use != HF_STORE_NONE) return self->plan.smallest;
    return self->screening.threshold / self->screening.max_density;
}

const struct hf_integral_store *hf_fock_next_segment(struct hf_fock_builder *self,
                                                     struct hf_store_segment *segment)
{
    struct hf_fock_round *round = &self->round;
    const struct hf_integral_store *store = NULL;
    if (self->store_use != HF_STORE_SKIP) return NULL;
    pthread_mutex_lock(&round->lock);
    for (; round->reader < self->n_worker; round->reader++, round->segment = 0) {
        store = self->worker[round->reader].store;
        if (round->segment < hf_integral_store_n_segment(store)) break;
        store = NULL;
    }
    if (store != NULL) *segment = hf_integral_store_segment(store, round->segment++);
    pthread_mutex_unlock(&round->lock);
    return store;
}

hf_status hf_fock_begin_segment(struct hf_fock_worker *worker, int64_t task, int32_t part,
                                struct hf_error *error)
{
    if (worker->work.store_use != HF_STORE_RECORD) return HF_OK;
    return hf_integral_store_begin(worker->store, task, part, error);
}

hf_status hf_fock_check_store(const struct hf_fock_worker *worker, struct hf_error *error)
{
    if (!worker->work.store_failed) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the list of stored integrals");
}

bool hf_fock_needs_tasks(const struct hf_fock_builder *self)
{
    return self->store_use != HF_STORE_SKIP || self->plan.cutoff > 0.0;
}
