/* The front of the Fock builders: list of builders, checks, agreement, timers. */
#include "fock/coulomb_choice.h"
#include "fock_private.h"
#include "local_sums.h"

#include "text/trace.h"

#include <stdio.h>
#include <string.h>

const struct hf_fock_ops *const hf_fock_list[] = {&hf_fock_replicated, &hf_fock_distributed, NULL};

const struct hf_phase hf_phase_fock_compute = {.name = "Fock: computing"};
const struct hf_phase hf_phase_fock_coulomb = {.name = "Fock: Coulomb pass"};
const struct hf_phase hf_phase_fock_wait_blocks = {.name = "Fock: waiting for blocks"};
const struct hf_phase hf_phase_fock_wait_task = {.name = "Fock: waiting for tasks"};
const struct hf_phase hf_phase_fock_wait_ranks = {.name = "Fock: waiting for the last rank"};
const struct hf_phase hf_phase_fock_reduce = {.name = "Fock: moving matrices"};

void hf_fock_declare_phases(struct hf_timers *timers)
{
    hf_timers_declare(timers, &hf_phase_fock_compute);
    hf_timers_declare(timers, &hf_phase_fock_coulomb);
    hf_timers_declare(timers, &hf_phase_fock_wait_blocks);
    hf_timers_declare(timers, &hf_phase_fock_wait_task);
    hf_timers_declare(timers, &hf_phase_fock_wait_ranks);
    hf_timers_declare(timers, &hf_phase_fock_reduce);
}

static const struct hf_fock_ops *find_builder(const char *name)
{
    for (int i = 0; hf_fock_list[i] != NULL; i++)
        if (strcmp(hf_fock_list[i]->name, name) == 0) return hf_fock_list[i];
    return NULL;
}

bool hf_fock_is_distributed(const char *builder)
{
    const struct hf_fock_ops *ops = find_builder(builder);
    return ops != NULL && ops->distributed;
}

struct hf_fock_memory hf_fock_memory(const char *builder, const struct hf_fock_size *size)
{
    const struct hf_fock_ops *ops = find_builder(builder);
    struct hf_fock_memory memory = {.of_rank = 0.0};
    if (ops == NULL) return memory;
    memory = ops->memory(size);
    memory.of_thread = hf_local_sums_bytes(size->most_of_atom, size->n_coulomb, size->n_density);
    return memory;
}

bool hf_fock_may_separate(const struct hf_fock_settings *settings, const struct hf_basis *merged)
{
    /* For a higher guess, the true share is surely above HF_PAYING_EXCHANGE_SHARE */
    const double sure = 0.9;
    if (settings->coulomb != HF_COULOMB_AUTO) return settings->coulomb != HF_COULOMB_EXACT;
    return hf_guess_exchange_share(merged, settings->store_threshold) < sure;
}

double hf_fock_task_bytes(const struct hf_fock_settings *settings, int n_rank,
                          const struct hf_pair_memory *pairs)
{
    const struct hf_fock_ops *ops = find_builder(settings->builder);
    const double for_ranks = settings->tasks_for > 0 ? settings->tasks_for : n_rank;
    const int n_thread = settings->n_thread > 1 ? settings->n_thread : 1;
    if (ops == NULL || (n_rank == 1 && settings->tasks_for <= 1)) return 0.0;
    const struct hf_task_order order = ops->order(settings->grain);
    return hf_work_cost_bytes(&order, for_ranks * n_thread, pairs->n_pair, pairs->n_atom_pair);
}

/** Creates the quartet work with the builder's order of tasks. Collective. */
static hf_status create_work(struct hf_fock_builder *self, struct hf_error *error)
{
    const struct hf_fock_settings *settings = &self->settings;
    hf_status status;
    self->account.n_shell = self->pairs->basis->n_shell;
    status = hf_work_create(self->context, self->pairs,
                            &(struct hf_work_settings){
                                .schedule = settings->schedule,
                                .order = self->ops->order(settings->grain),
                                .tasks_for = settings->tasks_for,
                                .n_thread = settings->n_thread,
                                .memory_bytes = settings->memory_bytes,
                                .single = settings->precision == HF_MIXED_PRECISION,
                                .store_threshold = settings->store_threshold,
                                .strips_alike = settings->reproducible,
                                .store_weighed = settings->store_weighed,
                                .phases = {.compute = &hf_phase_fock_compute,
                                           .wait_task = &hf_phase_fock_wait_task,
                                           .wait_ranks = &hf_phase_fock_wait_ranks},
                            },
                            &self->work, error);
    if (status == HF_OK) self->account.scheduler = hf_work_scheduler(self->work);
    return status;
}

/** hf_pair_owner.rank: the owner of the block of J. */
static int owner_of_pair(void *builder, int i)
{
    const struct hf_fock_builder *self = builder;
    const struct hf_atom_pair *pair = &self->pairs->atom_pair[i];
    return hf_block_layout_find(self->layout, pair->atom_a, pair->atom_b).rank;
}

/** Creates the Coulomb pass if the settings ask for it. Collective. */
static hf_status create_coulomb(struct hf_fock_builder *self, struct hf_error *error)
{
    const struct hf_fock_settings *settings = &self->settings;
    enum hf_coulomb_choice choice = settings->coulomb;
    if (choice == HF_COULOMB_AUTO) {
        self->account.exchange_share = hf_exchange_share(self->pairs, settings->store_threshold);
        choice = self->account.exchange_share <= HF_PAYING_EXCHANGE_SHARE ? HF_COULOMB_MULTIPOLES
                                                                          : HF_COULOMB_EXACT;
    }
    if (choice == HF_COULOMB_EXACT) return HF_OK;
    return hf_coulomb_create(
        self->context, self->pairs,
        &(struct hf_coulomb_settings){.schedule = settings->schedule,
                                      .n_thread = settings->n_thread,
                                      .tasks_for = settings->tasks_for,
                                      .single = settings->precision == HF_MIXED_PRECISION,
                                      .multipoles = choice == HF_COULOMB_MULTIPOLES,
                                      .phase = &hf_phase_fock_coulomb,
                                      .owner = {.rank = owner_of_pair, .data = self}},
        &self->coulomb, error);
}

hf_status hf_build_coulomb_apart(
    struct hf_fock_builder *self,
    const double *(*lend)(void *builder, int k, const struct hf_atom_pair *pair, int *stride),
    void (*add)(void *builder, int k, const struct hf_atom_pair *pair, double *block),
    struct hf_error *error)
{
    if (self->coulomb == NULL) return HF_OK;
    return hf_coulomb_build(
        self->coulomb, self->build.jobs.n - self->build.first_coulomb, self->build.threshold,
        &(struct hf_coulomb_target){.data = self, .lend = lend, .add = add}, error);
}

/** Reproducible sums depend on the densities alone. Stored quartets and single precision are off, since their
 *  bits differ from computed ones. The grain is fixed, since it decides which pair of a quartet is the bra. */
struct hf_fock_settings hf_fock_settings_in_use(const struct hf_fock_settings *settings)
{
    struct hf_fock_settings own = *settings;
    if (!own.reproducible) return own;
    own.precision = HF_DOUBLE_PRECISION;
    own.coulomb = HF_COULOMB_EXACT;
    own.grain = HF_GRAIN_ATOM_QUARTET;
    own.memory_bytes = 0.0;
    return own;
}

/** Joins the notes of the builder and of the rooms below. */
static void collect_notes(struct hf_fock_builder *self)
{
    const char *const note[] = {hf_work_note(self->work), self->note,
                                hf_shell_pairs_note(self->pairs)};
    size_t length = 0;
    for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
        if (note[i] == NULL || note[i][0] == '\0' || length >= sizeof self->notes) continue;
        length += (size_t)snprintf(self->notes + length, sizeof self->notes - length, "%s%s",
                                   length > 0 ? "; " : "", note[i]);
    }
}

hf_status hf_fock_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                         const struct hf_fock_settings *settings, struct hf_fock_builder **builder,
                         struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_fock_ops *ops = find_builder(settings->builder);
    struct hf_fock_builder *made = NULL;
    if (ops == NULL) {
        status = hf_fail(error, HF_BAD_INPUT, "unknown Fock builder '%s'", settings->builder);
    } else {
        if (HF_NEW(made, context->memory, "the Fock builder") != NULL)
            made->data = hf_arena_take(&made->arena, 1, ops->data_bytes);
    }
    HF_CHECK(hf_arena_agree_new(context, &made, status, error));
    hf_fock_declare_phases(&context->timers);
    made->ops = ops;
    made->context = context;
    made->pairs = pairs;
    made->settings = hf_fock_settings_in_use(settings);
    if (settings->reproducible)
        HF_TRY(hf_agree(context->comm, hf_exact_sums_create(pairs, &made->exact, error), error));
    HF_TRY(hf_atom_layout_create(context, pairs->basis, &made->layout, error));
    HF_TRY(create_coulomb(made, error));
    HF_TRY(create_work(made, error));
    HF_TRY(hf_agree(context->comm, ops->create(made, error), error));
    collect_notes(made);
    *builder = made;
    return HF_OK;
cleanup:
    hf_fock_destroy(&made);
    return status;
}

void hf_fock_destroy(struct hf_fock_builder **builder)
{
    struct hf_fock_builder *old = *builder;
    if (old != NULL) {
        old->ops->destroy(old);
        hf_coulomb_destroy(&old->coulomb);
        hf_exact_sums_destroy(&old->exact);
        hf_work_destroy(&old->work);
        hf_block_layout_destroy(&old->layout);
    }
    hf_arena_free(builder);
}

/** Sums the counts of a build over the ranks, as doubles: they are far below 2^50. */
static void reduce_account(struct hf_fock_builder *builder, double busy_seconds)
{
    struct hf_fock_account *account = &builder->account;
    const int64_t n_shell = builder->pairs->basis->n_shell;
    const int64_t n_pair = n_shell * (n_shell + 1) / 2;
    struct hf_work_account work = hf_work_account(builder->work);
    if (!builder->build.has_round) work.n_computed = work.n_read = work.n_single = work.n_task = 0;
    struct hf_coulomb_account coulomb = {.n_pair = 0};
    if (builder->coulomb != NULL) coulomb = hf_coulomb_account(builder->coulomb);
    enum { N = 7 };
    const double value[N] = {
        (double)work.n_computed, (double)work.n_read,      work.stored_bytes, (double)work.n_single,
        (double)coulomb.n_pair,  (double)coulomb.n_single, busy_seconds};
    struct hf_statistic of[N];
    int64_t count[N];
    hf_statistics_reduce(builder->context->comm, N, value, of);
    for (int i = 0; i < N; i++) count[i] = llround(of[i].mean * builder->context->n_rank);
    account->busy_seconds = of[6];
    account->n_quartet_computed = count[0];
    account->n_quartet_read = count[1];
    account->n_quartet_single = count[3];
    account->coulomb_apart = builder->coulomb != NULL;
    account->n_product_pair = count[4];
    account->n_product_single = count[5];
    account->n_coulomb_ket = coulomb.n_ket;
    account->n_coulomb_sent = coulomb.n_sent;
    account->n_coulomb_product = coulomb.n_product;
    account->stored_bytes = (double)count[2];
    account->stored_share = work.stored_share;
    account->outlook = work.outlook;
    account->exact_range = builder->exact != NULL ? hf_exact_sums_range(builder->exact) : 0.0;
    account->n_task = work.n_task;
    account->n_listed = work.n_listed;
    account->n_quartet_total = n_pair * (n_pair + 1) / 2;
}

/** A build of sorted jobs. */
static struct hf_build plan_build(const struct hf_fock_builder *self, int n_job,
                                  const struct hf_fock_job job[], double threshold)
{
    int first = 0;
    while (first < n_job && job[first].coulomb == NULL) first++;
    struct hf_job_shape shape = {.n = n_job, .first_coulomb = first, .n_alone = first};
    while (shape.n_antisymmetric < first && job[shape.n_antisymmetric].antisymmetric)
        shape.n_antisymmetric++;
    if (self->coulomb != NULL) {
        shape.first_coulomb = n_job;
        if (first == 0) shape.n_alone = n_job;
    }
    for (int i = 0; i < n_job; i++) shape.n_exchange += job[i].exchange != NULL;
    return (struct hf_build){.threshold = threshold,
                             .single = self->settings.precision == HF_MIXED_PRECISION,
                             .jobs = shape,
                             .first_coulomb = first,
                             .has_round = shape.n_exchange > 0 || hf_n_coulomb(&shape) > 0};
}

/** Refuses jobs that sort_jobs would leave out. The same on every rank. */
static hf_status check_jobs(int n_job, const struct hf_fock_job job[], struct hf_error *error)
{
    for (int i = 0; i < n_job; i++)
        if (job[i].antisymmetric && job[i].coulomb != NULL)
            return hf_fail(
                error, HF_BAD_INPUT,
                "a Fock build: density %d is antisymmetric, so its Coulomb matrix is zero; "
                "expected a job of exchange alone",
                i + 1);
    return HF_OK;
}

/** Sorts the jobs for hf_fock_ops.build, without empty ones; returns their number. */
static int sort_jobs(int n_job, const struct hf_fock_job job[], struct hf_fock_job sorted[])
{
    int n_sorted = 0;
    for (int kind = -1; kind < 3; kind++) {
        for (int i = 0; i < n_job; i++) {
            const bool coulomb = job[i].coulomb != NULL, exchange = job[i].exchange != NULL;
            if (coulomb == (kind > 0) && exchange == (kind < 2) &&
                job[i].antisymmetric == (kind < 0))
                sorted[n_sorted++] = job[i];
        }
    }
    return n_sorted;
}

hf_status hf_fock_build(struct hf_fock_builder *builder, int n_job, const struct hf_fock_job job[],
                        double threshold, struct hf_error *error)
{
    hf_status status = HF_OK;
    enum { FEW = 8 }; /* so few jobs need no allocation and no agreement */
    struct hf_fock_job few[FEW], *sorted = few;
    struct hf_arena arena = {.label = "the jobs of a Fock build"};
    struct hf_timers *timers = &builder->context->timers;
    const double before = hf_timer_seconds(timers, &hf_phase_fock_compute);
    HF_CHECK(check_jobs(n_job, job, error));
    builder->account.threshold = threshold;
    builder->account.number = hf_trace_begin_build(builder->context->trace);
    if (n_job > FEW) {
        HF_TAKE(&arena, sorted, (size_t)n_job);
        HF_TRY(hf_agree(builder->context->comm, hf_arena_check(&arena, error), error));
    }
    const int n_sorted = sort_jobs(n_job, job, sorted);
    builder->build = plan_build(builder, n_sorted, sorted, threshold);
    HF_TRY(builder->ops->build(builder, n_sorted, sorted, error));
    reduce_account(builder, hf_timer_seconds(timers, &hf_phase_fock_compute) - before);
cleanup:
    hf_trace_end_build(builder->context->trace);
    hf_arena_done(&arena);
    return status;
}

struct hf_fock_account hf_fock_account(const struct hf_fock_builder *builder)
{
    return builder->account;
}

const char *hf_fock_note(const struct hf_fock_builder *builder)
{
    return builder->notes;
}
