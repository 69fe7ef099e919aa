/* Even shares by cost; see deal.h. */
#include "deal.h"

#include "base/arena.h"
#include "base/arithmetic.h"

#include <stdbool.h>

/** Cost of the tasks that a rank was given so far. */
struct load {
    double cost;
    int rank;
};

/** Loads of all ranks in rising order while tasks are dealt. */
struct table {
    int n;
    struct load *load, *merged; /**< [n] */
    int rank;                   /**< rank whose share is computed */
    int place;                  /**< its place among the loads */
    struct hf_share *share;     /**< its share */
};

/** Gives a task to each of the first `n` ranks and sorts the loads again. */
static void give_to_first(struct table *table, int64_t position, int n, double cost)
{
    struct hf_share *share = table->share;
    int first = 0, rest = n, k = 0;
    if (n == 0) return;
    if (table->place < n)
        share->part[share->end++] = (struct hf_progression){position + table->place, 1, 1};
    for (; k < table->n; k++) {
        const bool given = first < n && (rest == table->n ||
                                         table->load[first].cost + cost <= table->load[rest].cost);
        table->merged[k] = table->load[given ? first++ : rest++];
        if (given) table->merged[k].cost += cost;
        if (table->merged[k].rank == table->rank) table->place = k;
    }
    struct load *before = table->load;
    table->load = table->merged;
    table->merged = before;
}

/** Number of ranks whose load is below the smallest load plus one task of that cost. */
static int n_below(const struct table *table, double cost)
{
    const double limit = table->load[0].cost + cost;
    int64_t n;
    HF_BISECT(n, 0, table->n, i, table->load[i].cost >= limit);
    return (int)n;
}

/** Deals all tasks of a run. */
static void deal_run(struct table *table, const struct hf_cost_run *run, int64_t end)
{
    struct hf_share *share = table->share;
    const int64_t n = table->n;
    int64_t position = run->first;
    for (int k = 0; k < HF_MOST_CATCHING_UP && position < end; k++) {
        int poor = n_below(table, run->cost);
        if (poor == table->n) break;
        if (poor > end - position) poor = (int)(end - position);
        give_to_first(table, position, poor, run->cost);
        position += poor;
    }
    const int64_t each = (end - position) / n;
    if (each > 0) {
        share->part[share->end++] = (struct hf_progression){position + table->place, n, each};
        position += each * n; /* all loads grow by the same cost */
    }
    give_to_first(table, position, (int)(end - position), run->cost);
}

hf_status hf_deal(const struct hf_cost_list *list, int n_rank, int rank, struct hf_share *share,
                  struct hf_error *error)
{
    struct hf_arena arena = {.label = "the shares of all ranks"};
    share->begin = share->end = 0;
    if (rank >= n_rank) return HF_OK;
    struct load *room = HF_TAKE(&arena, room, 2 * (size_t)n_rank);
    if (room == NULL) return hf_arena_check(&arena, error);
    struct table table = {.n = n_rank,
                          .load = room,
                          .merged = room + n_rank,
                          .rank = rank,
                          .place = rank,
                          .share = share};
    for (int r = 0; r < n_rank; r++) room[r] = (struct load){0.0, r};
    for (int i = 0; i < list->n_run; i++) deal_run(&table, &list->run[i], list->run[i + 1].first);
    hf_arena_done(&arena);
    return HF_OK;
}

int64_t hf_share_size(const struct hf_share *share)
{
    int64_t n = 0;
    for (int i = share->begin; i < share->end; i++) n += share->part[i].count;
    return n;
}

/** Takes every second task of a progression, from the first one on if `first`. The other tasks stay in *part. */
static struct hf_progression take_half(struct hf_progression *part, bool first)
{
    const int64_t n = part->count;
    struct hf_progression even = {part->first, 2 * part->stride, (n + 1) / 2};
    struct hf_progression odd = {part->first + part->stride, 2 * part->stride, n / 2};
    *part = first ? odd : even;
    return first ? even : odd;
}

int hf_share_split(const struct hf_cost_list *list, struct hf_share *share, int most,
                   struct hf_progression part[])
{
    double kept = 0.0, taken = 0.0;
    int n = 0, end = share->begin;
    for (int i = share->begin; i < share->end; i++) {
        struct hf_progression mine = share->part[i];
        if (n < most) {
            const double cost = hf_cost_at(list, mine.first);
            const struct hf_progression theirs = take_half(&mine, kept > taken);
            kept += cost * (double)mine.count;
            taken += cost * (double)theirs.count;
            if (theirs.count > 0) part[n++] = theirs;
        }
        if (mine.count > 0) share->part[end++] = mine;
    }
    share->end = end;
    return n;
}
