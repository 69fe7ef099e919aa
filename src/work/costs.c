/* Levels, corrections and order of tasks; see costs.h. */
#include "costs.h"

#include "base/growing.h"
#include "base/node_memory.h"
#include "cost_curve.h"
#include "tasks.h"
#include "text/trace.h"

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
    struct hf_arena arena;
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

/* ---- Estimates ------------------------------------------------------------------------------- */

/** Cost of a shell pair with the shell pairs of a pair of atoms. */
static double quartets_of_pair(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *bra,
                               const struct hf_cost_curve *ket, double least)
{
    const double product = bra->bound * ket->bound;
    if (product < least) return 0.0;
    const int step = least > 0.0 ? hf_cost_step(product / least) : HF_COST_STEPS - 1;
    return hf_shell_pair_cost(pairs, bra) * (double)ket->above[step];
}

/** Cost of the shell pairs begin .. end-1 with all pairs of atoms up to their own, or with every one. */
static double with_all_kets(const struct hf_shell_pairs *pairs, const struct hf_cost_curve curve[],
                            int64_t begin, int64_t end, bool every, double least)
{
    double sum = 0.0;
    const int n = every ? pairs->n_atom_pair : hf_atom_pair_of(pairs, begin) + 1;
    for (int64_t bra = begin; bra < end; bra++)
        for (int k = 0; k < n; k++)
            sum += quartets_of_pair(pairs, &pairs->pair[bra], &curve[k], least);
    return sum;
}

/** Cost of the quartets of two units. */
static double quartets_of_units(const struct hf_shell_pairs *pairs,
                                const struct hf_cost_curve curve[], bool atoms, int64_t bra,
                                int64_t ket, double least)
{
    if (atoms) return hf_cost_curve_quartets(&curve[bra], &curve[ket], least);
    const struct hf_shell_pair *one = &pairs->pair[bra], *other = &pairs->pair[ket];
    if (one->bound * other->bound < least) return 0.0;
    return hf_shell_pair_cost(pairs, one) * hf_shell_pair_cost(pairs, other);
}

/** Number of curves that an estimate needs: one for each pair of atoms, or for each shell if shells are the units. */
static int64_t n_curve_of(const struct hf_task_list *list, const struct hf_shell_pairs *pairs)
{
    return list->units.kind == HF_TASK_OF_SHELLS ? pairs->basis->n_shell : pairs->n_atom_pair;
}

static void make_curve(const struct hf_task_list *list, const struct hf_shell_pairs *pairs,
                       int64_t i, struct hf_cost_curve *curve)
{
    const struct hf_shell_lists *lists = &list->units.lists;
    if (list->units.kind == HF_TASK_OF_SHELLS)
        hf_cost_curve_of_shell(pairs, lists->first[i + 1] - lists->first[i],
                               lists->pair + lists->first[i], curve);
    else
        hf_cost_curve_make(pairs, &pairs->atom_pair[i], curve);
}

/** Approximate cost of the quartets of a task whose product of bounds is not below costs->least; 0 only if there are
 *  none. */
static double estimate(const struct hf_task_costs *costs, int64_t index)
{
    const struct hf_task_list *list = costs->list;
    const struct hf_shell_pairs *pairs = costs->pairs;
    const struct hf_cost_curve *curve = costs->curve;
    const struct hf_task task = hf_task_list_get(list, index);
    const int64_t *unit = list->units.unit;
    const bool atoms = list->units.grain == HF_GRAIN_ATOM_QUARTET;
    const double least = costs->least;
    double sum = 0.0;
    if (task.kind == HF_TASK_OF_SHELLS)
        return hf_cost_curve_quartets(&curve[unit[task.bra_begin]], &curve[unit[task.ket_begin]],
                                      least);
    if (hf_task_is_bra(&task)) {
        const int64_t bra = unit[task.bra_begin];
        return with_all_kets(pairs, curve, bra, hf_task_units_bra_end(&list->units, pairs, bra),
                             task.kind == HF_TASK_EVERY_KET, least);
    }
    for (int64_t b = task.bra_begin; b < task.bra_end; b++) {
        const int64_t bra = unit[b];
        const int64_t end = task.kind == HF_TASK_TRIANGLE ? b + 1 : task.ket_end;
        for (int64_t k = task.ket_begin; k < end; k++) {
            const int64_t ket = unit[k];
            const double cost = quartets_of_units(pairs, curve, atoms, bra, ket, least);
            sum += bra == ket ? 0.5 * cost : cost;
        }
    }
    return sum / task.n_slice;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

double hf_task_costs_bytes(double n_task, double n_curve)
{
    if (n_task > MOST_TASKS) return 0.0;
    return n_task * (sizeof(int32_t) + 2.0) + n_curve * (double)sizeof(struct hf_cost_curve);
}

/** The ranks of a node make the curves. Collective over the node. */
static void make_curves(struct hf_task_costs *costs)
{
    const int64_t n = n_curve_of(costs->list, costs->pairs);
    const int rank = costs->shared->rank, n_rank = costs->shared->n_rank;
    for (int64_t i = n * rank / n_rank; i < n * (rank + 1) / n_rank; i++)
        make_curve(costs->list, costs->pairs, i, &costs->curve[i]);
    hf_node_memory_sync(costs->shared);
}

hf_status hf_task_costs_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                               const struct hf_task_list *list, int n_thread, bool as_for_many,
                               struct hf_task_costs **costs, struct hf_error *error)
{
    hf_status status;
    const int64_t n_task = list->n_task, n_curve = n_curve_of(list, pairs);
    struct hf_task_costs *made = NULL;
    *costs = NULL;
    if ((context->n_rank == 1 && !as_for_many) || n_task == 0 || n_task > MOST_TASKS) return HF_OK;
    if (HF_NEW(made, context->memory, "the costs of tasks") != NULL) {
        made->context = context;
        made->pairs = pairs;
        made->list = list;
        made->n_task = n_task;
        made->highest = list->highest;
        made->n_thread = n_thread;
        HF_TAKE(&made->arena, made->piece, n_task < PIECE ? (size_t)n_task : PIECE);
        HF_TAKE(&made->arena, made->notes, (size_t)n_thread);
    }
    HF_TRY(hf_agree(context->comm, hf_arena_check_new(made, error), error));
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
    }
    hf_arena_free(costs);
}

/* ---- Levels and order ------------------------------------------------------------------------ */

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
    for (int64_t i = 0; costs->context->rank == 0 && i < costs->n_task; i += HF_TRACE_EIGHT)
        hf_trace_add_levels(costs->context->trace, HF_TRACE_TASK, i, costs->n_task - i,
                            costs->level + i);
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
