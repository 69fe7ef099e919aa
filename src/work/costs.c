/* Levels, corrections and order of tasks; see costs.h. */
#include "costs.h"

#include "base/growing.h"
#include "base/node_memory.h"
#include "estimate.h"
#include "tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /** Most tasks whose costs are kept: 600 MB on a node. More occur only in studies of grains. */
    MOST_TASKS = 100000000,
    /** Tasks in one piece of levels sent over the network. */
    PIECE = 1 << 20,
    /** Level of the most expensive task by the estimates; corrections may lead to higher levels. */
    HIGHEST = 224,
    /** A correction is between 2^-8 and 2^8. As a byte, 0 stands for none. */
    NO_CORRECTION = 0,
    CORRECTION_BIAS = 128,
    MOST_CORRECTION = 64,
};

/** Measured time of a task or of a part of it. */
struct note {
    int64_t task;
    double seconds;
};

/** Notes of one thread; a separate cache line, since every thread writes here. */
struct notes {
    _Alignas(64) struct note *note;
    size_t n;
    int64_t n_allocated;
};

struct hf_task_costs {
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_task_list *list;    /**< borrowed */
    int64_t n_task;
    struct hf_node_memory *shared;
    struct hf_cost_curve *curve; /**< [n_curve]; this and the next three: in shared memory */
    int32_t *order;              /**< [n_task] tasks that are not empty, by falling level */
    unsigned char *level;        /**< [n_task] */
    unsigned char *correction;   /**< [n_task] levels plus CORRECTION_BIAS */
    unsigned char *piece;        /**< [PIECE] buffer for sums over the ranks */
    double highest;              /**< estimate of level HIGHEST */
    double least;                /**< least product of bounds in the round */
    bool corrected;
    int n_thread;
    struct notes *notes; /**< [n_thread] */
};

double hf_task_costs_bytes(double n_task, double n_curve)
{
    if (n_task > MOST_TASKS) return 0.0;
    return n_task * (sizeof(int32_t) + 2.0) + n_curve * (double)sizeof(struct hf_cost_curve);
}

/** The ranks of a node make the curves. Collective over the node. */
static void make_curves(struct hf_task_costs *costs)
{
    const int64_t n = hf_task_n_curve(costs->list, costs->pairs);
    const int rank = costs->shared->rank, n_rank = costs->shared->n_rank;
    for (int64_t i = n * rank / n_rank; i < n * (rank + 1) / n_rank; i++)
        hf_task_make_curve(costs->list, costs->pairs, i, &costs->curve[i]);
    hf_node_memory_sync(costs->shared);
}

/** Allocates the memory of a rank. */
static struct hf_task_costs *begin(struct hf_context *context, const struct hf_shell_pairs *pairs,
                                   const struct hf_task_list *list, int n_thread)
{
    struct hf_task_costs *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    *made = (struct hf_task_costs){.context = context,
                                   .pairs = pairs,
                                   .list = list,
                                   .n_task = hf_task_list_size(list),
                                   .highest = hf_task_list_highest(list),
                                   .n_thread = n_thread};
    const size_t n_piece = made->n_task < PIECE ? (size_t)made->n_task : PIECE;
    made->piece = hf_memory_allocate(context->memory, "task costs", n_piece + 1, 1);
    made->notes = aligned_alloc(64, (size_t)n_thread * sizeof *made->notes);
    if (made->notes != NULL) memset(made->notes, 0, (size_t)n_thread * sizeof *made->notes);
    return made;
}

hf_status hf_task_costs_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                               const struct hf_task_list *list, int n_thread, bool as_for_many,
                               struct hf_task_costs **costs, struct hf_error *error)
{
    hf_status status = HF_OK;
    const int64_t n_task = hf_task_list_size(list), n_curve = hf_task_n_curve(list, pairs);
    struct hf_task_costs *made = NULL;
    *costs = NULL;
    if ((context->n_rank == 1 && !as_for_many) || n_task == 0 || n_task > MOST_TASKS) return HF_OK;
    made = begin(context, pairs, list, n_thread);
    if (made == NULL || made->piece == NULL || made->notes == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the costs of tasks");
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_node_memory_create(context, HF_MEMORY_OTHER, "task costs",
                                 (size_t)hf_task_costs_bytes((double)n_task, (double)n_curve),
                                 &made->shared, error));
    made->curve = made->shared->data;
    made->order = (int32_t *)(made->curve + n_curve);
    made->level = (unsigned char *)(made->order + n_task);
    made->correction = made->level + n_task;
    make_curves(made);
    *costs = made;
    return HF_OK;
cleanup:
    hf_task_costs_destroy(&made);
    return status;
}

void hf_task_costs_destroy(struct hf_task_costs **costs)
{
    struct hf_task_costs *old = *costs;
    if (old != NULL) {
        hf_node_memory_destroy(&old->shared);
        for (int i = 0; old->notes != NULL && i < old->n_thread; i++) free(old->notes[i].note);
        free(old->notes);
        hf_memory_release(old->context->memory, old->piece);
        free(old);
    }
    *costs = NULL;
}

static double estimate(const struct hf_task_costs *costs, int64_t index)
{
    const struct hf_task task = hf_task_list_get(costs->list, index);
    return hf_task_estimate(costs->list, costs->pairs, costs->curve, &task, costs->least);
}

static int clamp(int least, double value, int most)
{
    return value < least ? least : value > most ? most : (int)value;
}

static unsigned char level_of(const struct hf_task_costs *costs, int64_t index)
{
    const double cost = estimate(costs, index);
    if (!(cost > 0.0)) return 0;
    double level = HIGHEST + HF_LEVELS_PER_OCTAVE * log2(cost / costs->highest);
    if (costs->correction[index] != NO_CORRECTION)
        level += costs->correction[index] - CORRECTION_BIAS;
    return (unsigned char)clamp(1, round(level), HF_N_TASK_LEVEL - 1);
}

/** Sums bytes of the tasks begin .. end-1: each rank has set those of its own tasks, the others to zero. */
static void exchange(struct hf_task_costs *costs, int64_t begin, int64_t end)
{
    MPI_Allreduce(MPI_IN_PLACE, costs->piece, (int)(end - begin), MPI_UINT8_T, MPI_BOR,
                  costs->context->comm);
}

/** First task whose bytes a rank of a node writes to shared memory. */
static int64_t first_of_node_rank(const struct hf_task_costs *costs, int rank)
{
    return costs->n_task * rank / costs->shared->n_rank;
}

/** Writes this rank's part of a piece to shared memory. */
static void keep(const struct hf_task_costs *costs, int64_t begin, int64_t end,
                 unsigned char *shared)
{
    const int64_t mine = first_of_node_rank(costs, costs->shared->rank);
    const int64_t mine_end = first_of_node_rank(costs, costs->shared->rank + 1);
    const int64_t first = begin > mine ? begin : mine, last = end < mine_end ? end : mine_end;
    if (first < last)
        memcpy(shared + first, costs->piece + (first - begin), (size_t)(last - first));
}

/** Counts the tasks of each level: all, and those before this rank's part of the shared memory. */
static void find_levels(struct hf_task_costs *costs, int64_t count[], int64_t before[])
{
    const int rank = costs->context->rank, n_rank = costs->context->n_rank;
    const int64_t mine = first_of_node_rank(costs, costs->shared->rank);
    for (int64_t begin = 0; begin < costs->n_task; begin += PIECE) {
        const int64_t end = begin + PIECE < costs->n_task ? begin + PIECE : costs->n_task;
        memset(costs->piece, 0, (size_t)(end - begin));
#pragma omp parallel for num_threads(costs->n_thread) schedule(static, 16)
        for (int64_t i = begin + rank; i < end; i += n_rank)
            costs->piece[i - begin] = level_of(costs, i);
        exchange(costs, begin, end);
        for (int64_t i = begin; i < end; i++) {
            const int level = costs->piece[i - begin];
            count[level]++;
            if (i < mine) before[level]++;
        }
        keep(costs, begin, end, costs->level);
    }
}

void hf_task_costs_find(struct hf_task_costs *costs, double least, struct hf_task_levels *levels)
{
    int64_t before[HF_N_TASK_LEVEL] = {0}, first = 0;
    *levels = (struct hf_task_levels){{0}};
    costs->least = least;
    find_levels(costs, levels->count, before);
    for (int level = HF_N_TASK_LEVEL - 1; level > 0; level--) {
        before[level] += first;
        first += levels->count[level];
    }
    const int64_t end = first_of_node_rank(costs, costs->shared->rank + 1);
    for (int64_t i = first_of_node_rank(costs, costs->shared->rank); i < end; i++)
        if (costs->level[i] > 0) costs->order[before[costs->level[i]]++] = (int32_t)i;
    levels->count[0] = 0;
    hf_node_memory_sync(costs->shared);
}

int64_t hf_task_costs_task(const struct hf_task_costs *costs, int64_t position)
{
    return costs->order[position];
}

/* ---- Measured times -------------------------------------------------------------------------- */

bool hf_task_costs_wanted(const struct hf_task_costs *costs)
{
    return !costs->corrected;
}

void hf_task_costs_note(struct hf_task_costs *costs, int thread, int64_t task, double seconds)
{
    struct notes *notes = &costs->notes[thread];
    if (notes->n > 0 && notes->note[notes->n - 1].task == task) {
        notes->note[notes->n - 1].seconds += seconds;
        return;
    }
    if (hf_grow(&notes->note, (int64_t)notes->n + 1, &notes->n_allocated, sizeof *notes->note))
        notes->note[notes->n++] = (struct note){task, seconds};
}

static int by_task(const void *left, const void *right)
{
    const struct note *x = left, *y = right;
    return (x->task > y->task) - (x->task < y->task);
}

/** Sorts notes by task and joins notes of the same task. */
static void join_notes(struct notes *notes)
{
    size_t n = 0;
    if (notes->n == 0) return;
    qsort(notes->note, notes->n, sizeof *notes->note, by_task);
    for (size_t i = 1; i < notes->n; i++) {
        if (notes->note[i].task == notes->note[n].task)
            notes->note[n].seconds += notes->note[i].seconds;
        else
            notes->note[++n] = notes->note[i];
    }
    notes->n = n + 1;
}

/** Measured seconds divided by estimates, over all ranks; 0: nothing was measured. Collective. */
static double seconds_per_cost(struct hf_task_costs *costs)
{
    double sum[2] = {0.0, 0.0};
    for (int t = 0; t < costs->n_thread; t++) {
        struct notes *notes = &costs->notes[t];
        join_notes(notes);
        for (size_t i = 0; i < notes->n; i++) {
            sum[0] += notes->note[i].seconds;
            sum[1] += estimate(costs, notes->note[i].task);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, costs->context->comm);
    return sum[1] > 0.0 ? sum[0] / sum[1] : 0.0;
}

/** Puts the corrections of a thread's notes from *next on into the piece. */
static void put_corrections(struct hf_task_costs *costs, const struct notes *notes, double unit,
                            int64_t begin, int64_t end, size_t *next)
{
    for (; *next < notes->n && notes->note[*next].task < end; ++*next) {
        const struct note *note = &notes->note[*next];
        const double factor = note->seconds / (unit * estimate(costs, note->task));
        if (!(factor > 0.0) || isinf(factor)) continue;
        const int levels =
            clamp(-MOST_CORRECTION, round(HF_LEVELS_PER_OCTAVE * log2(factor)), MOST_CORRECTION);
        costs->piece[note->task - begin] = (unsigned char)(CORRECTION_BIAS + levels);
    }
}

void hf_task_costs_correct(struct hf_task_costs *costs)
{
    const double unit = seconds_per_cost(costs);
    size_t *next = calloc((size_t)costs->n_thread, sizeof *next);
    costs->corrected = true;
    for (int64_t begin = 0; begin < costs->n_task && unit > 0.0; begin += PIECE) {
        const int64_t end = begin + PIECE < costs->n_task ? begin + PIECE : costs->n_task;
        memset(costs->piece, NO_CORRECTION, (size_t)(end - begin));
        for (int t = 0; next != NULL && t < costs->n_thread; t++)
            put_corrections(costs, &costs->notes[t], unit, begin, end, &next[t]);
        exchange(costs, begin, end);
        keep(costs, begin, end, costs->correction);
    }
    free(next);
    for (int t = 0; t < costs->n_thread; t++) costs->notes[t].n = 0;
    hf_node_memory_sync(costs->shared);
}

void hf_task_costs_forget(struct hf_task_costs *costs)
{
    const int64_t begin = first_of_node_rank(costs, costs->shared->rank);
    const int64_t end = first_of_node_rank(costs, costs->shared->rank + 1);
    memset(costs->correction + begin, NO_CORRECTION, (size_t)(end - begin));
    costs->corrected = false;
    hf_node_memory_sync(costs->shared);
}
