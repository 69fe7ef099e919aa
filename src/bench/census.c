/* What shell quartets cost; see census.h. */
#include "census.h"

#include <math.h>

hf_status hf_census_init(struct hf_census *census, const struct hf_shell_pairs *pairs,
                         double threshold, struct hf_error *error)
{
    const int n_class = pairs->n_class;
    *census = (struct hf_census){.pairs = pairs,
                                 .threshold = threshold,
                                 .n_entry = n_class * (n_class + 1) / 2,
                                 .arena = {.label = "the times of quartets"}};
    HF_TAKE(&census->arena, census->entry, (size_t)census->n_entry);
    HF_TAKE(&census->arena, census->pair_seconds, (size_t)pairs->n_pair);
    return hf_arena_check(&census->arena, error);
}

static void bound(void *self, const struct hf_shell_pair *bra, int n, struct hf_waiting_ket ket[])
{
    const struct hf_census *census = self;
    for (int i = 0; i < n; i++)
        ket[i].wanted = bra->bound * ket[i].pair->bound >= census->threshold;
}

static void count(void *self, const struct hf_engine_call *call)
{
    struct hf_census *census = self;
    const int at = hf_census_index(call->bra->pair_class, call->ket_class);
    struct hf_census_entry *entry = &census->entry[at];
    entry->n_quartet += call->n;
    entry->seconds += call->seconds;
    entry->squares += call->seconds * call->seconds / call->n;
    census->pair_seconds[call->bra - census->pairs->pair] += call->seconds;
}

const struct hf_quartet_consumer hf_census_consumer = {
    .bound = bound,
    .count = count,
};

/** hf_round.run */
static hf_status run(void *census, struct hf_worker *worker, struct hf_error *error)
{
    return hf_work_do_all(worker, &hf_census_consumer, census, error);
}

hf_status hf_census_take(struct hf_census *census, struct hf_context *context, bool batched,
                         struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_work *work = NULL;
    const struct hf_work_settings settings = {
        .schedule.name = "static",
        .order = {.grain = HF_GRAIN_SHELL_PAIR, .largest_row = 1, .most_slices = 1},
        .largest_queue = batched ? 0 : 1,
        .timed = true,
    };
    HF_TRY(hf_work_create(context, census->pairs, &settings, &work, error));
    HF_TRY(
        hf_work_run(work,
                    &(struct hf_round){
                        .threshold = census->threshold, .largest = 1.0, .run = run, .data = census},
                    error));
    _Static_assert(sizeof *census->entry == 3 * sizeof(double), "entries are summed as numbers");
    hf_sum_over_ranks(context->comm, 3 * (size_t)census->n_entry, &census->entry->n_quartet);
    hf_sum_over_ranks(context->comm, (size_t)census->pairs->n_pair, census->pair_seconds);
cleanup:
    hf_work_destroy(&work);
    return status;
}

struct hf_census_statistic hf_census_statistic(double n, double seconds, double squares)
{
    struct hf_census_statistic result = {0};
    if (n <= 0.0 || seconds <= 0.0) return result;
    result.mean_seconds = seconds / n;
    const double variance = squares / n - result.mean_seconds * result.mean_seconds;
    result.relative_deviation = sqrt(fmax(variance, 0.0)) / result.mean_seconds;
    return result;
}
