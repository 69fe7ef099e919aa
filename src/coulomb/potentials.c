/* The potential at every product: tasks, each the bras of a leaf or of a piece of it. */
#include "coulomb_private.h"

#include "base/threads.h"
#include "hf/interruption.h"
#include "text/trace.h"

#include <math.h>
#include <string.h>

/** A bra of the current piece. */
static void set_bra(const struct hf_coulomb *coulomb, int64_t product, float bound,
                    struct hf_listed_bra *bra)
{
    *bra = (struct hf_listed_bra){.product = product,
                                  .bound = bound,
                                  .wide = coulomb->settings.single &&
                                          hf_is_wide_product(coulomb->products, product)};
}

/** Sorts bras of raised products by their weights with the density. */
static void sort_bras(const struct hf_coulomb *coulomb, const struct hf_ket_group *group, int n,
                      struct hf_listed_bra bra[])
{
    const float *weight = hf_bra_weights(coulomb->kets, group);
    uint64_t key[HF_LEAF_MOST];
    for (int i = 0; i < n; i++) {
        const int place = (int)(bra[i].product - group->first);
        key[i] = hf_weight_key(weight[place], place);
    }
    hf_sort_weight_keys(n, key);
    for (int i = 0; i < n; i++) {
        const int place = (int)(uint32_t)key[i];
        set_bra(coulomb, group->first + place, weight[place], &bra[i]);
    }
}

/** Lists the bras of a piece by order and falling bound. */
static void list_bras(const struct hf_coulomb *coulomb, const struct hf_leaf_piece *piece,
                      struct hf_bra_list *list)
{
    const struct hf_products *products = coulomb->products;
    int n = 0;
    for (int order = 0; order <= products->max_order; order++) {
        const struct hf_leaf_piece part = hf_order_of_piece(products, piece, order);
        list->first_of_order[order] = n;
        for (int64_t i = part.begin; i < part.end; i++)
            set_bra(coulomb, i, products->bound[i], &list->bra[n++]);
        const int first = list->first_of_order[order];
        if (products->raise != 0)
            sort_bras(coulomb, hf_ket_group(coulomb->kets, piece->leaf, order), n - first,
                      list->bra + first);
    }
    list->first_of_order[products->max_order + 1] = n;
}

/** Kets of one order in a leaf with bras of one order; bra_order includes the order by which V is raised. */
struct meeting {
    int bra_order, ket_order;
    const struct hf_ket_group *group;
};

/** Number of kets of a group that a bra takes in double precision. The first `n` kets matter; rounding to single precision
 *  would matter for the first `heavy`. */
static int count_plain(const struct hf_coulomb *coulomb, const struct meeting *meeting,
                       const struct hf_listed_bra *bra, int heavy, int n)
{
    if (!coulomb->settings.single ||
        meeting->bra_order > HF_MOST_SINGLE_ORDER + coulomb->products->raise ||
        meeting->ket_order > HF_MOST_SINGLE_ORDER || bra->wide)
        return n;
    const int n_wide = meeting->group->n_wide;
    const int n_plain = heavy > n_wide ? heavy : n_wide;
    const int most = (n_plain + HF_KET_BLOCK - 1) / HF_KET_BLOCK * HF_KET_BLOCK; /* whole blocks */
    return most < n ? most : n;
}

/** One bra with the first n kets of a group, of which the first n_plain are in double precision. */
static void add_kets(struct hf_coulomb *coulomb, struct hf_coulomb_worker *worker,
                     const struct meeting *meeting, int64_t bra, int n_plain, int n)
{
    const struct hf_products *products = coulomb->products;
    const struct hf_coulomb_bra of_bra = {
        .centre = {products->centre[0][bra], products->centre[1][bra], products->centre[2][bra]},
        .exponent = products->exponent[bra]};
    const struct hf_kets *kets = coulomb->kets;
    double *v = coulomb->v + products->first[bra];
    if (n_plain > 0)
        coulomb->plain->add(&coulomb->tables, &of_bra, meeting->bra_order, meeting->ket_order,
                            n_plain, hf_ket_plain(kets, meeting->group), v);
    if (n > n_plain) {
        const int n_row = HF_KET_SINGLE_ROWS + hf_n_hermite(meeting->ket_order);
        coulomb->single->add(&coulomb->tables, &of_bra, meeting->bra_order, meeting->ket_order,
                             n - n_plain,
                             hf_ket_single(kets, meeting->group) + (int64_t)n_plain * n_row, v);
        worker->n_single += n - n_plain;
    }
    worker->n_pair += n;
}

static int kets_of_steps(const struct hf_ket_group *group, int n_step)
{
    const int n = n_step * HF_KET_STEP;
    return n < group->n ? n : group->n;
}

/** The bras of one order, [n_bra], with the kets of one group: as their bounds fall, fewer kets matter. */
static void meet(struct hf_coulomb *coulomb, struct hf_coulomb_worker *worker, int n_bra,
                 const struct hf_listed_bra bra[], const struct meeting *meeting)
{
    const float *weight = hf_ket_weights(coulomb->kets, meeting->group);
    const double threshold = coulomb->limits.least, fine = coulomb->limits.fine;
    int n = 0, heavy = 0; /* steps */
    for (int i = 0; i < n_bra; i++) {
        const double bound = (double)bra[i].bound;
        if (i == 0) {
            n = hf_ket_steps_above(coulomb->kets, meeting->group, threshold / bound);
            heavy = hf_ket_steps_above(coulomb->kets, meeting->group, fine / bound);
        }
        while (n > 0 && (double)weight[n - 1] * bound < threshold) n--;
        while (heavy > 0 && (double)weight[heavy - 1] * bound < fine) heavy--;
        if (n == 0) return;
        const int n_ket = kets_of_steps(meeting->group, n);
        add_kets(
            coulomb, worker, meeting, bra[i].product,
            count_plain(coulomb, meeting, &bra[i], kets_of_steps(meeting->group, heavy), n_ket),
            n_ket);
    }
}

/** The potential of the kets of a leaf at the listed bras. */
static void add_near(struct hf_coulomb *coulomb, struct hf_coulomb_worker *worker, int leaf)
{
    const struct hf_products *products = coulomb->products;
    const struct hf_bra_list *list = &worker->bras;
    for (int i = 0; i <= products->max_order; i++) {
        const int first = list->first_of_order[i];
        for (int j = 0; j <= products->max_order; j++) {
            const struct meeting meeting = {.bra_order = i + products->raise,
                                            .ket_order = j,
                                            .group = hf_ket_group(coulomb->kets, leaf, j)};
            if (meeting.group->n > 0)
                meet(coulomb, worker, list->first_of_order[i + 1] - first, list->bra + first,
                     &meeting);
        }
    }
}

/** Asks for what the bras of a list read of a leaf: its weights, or the first kets of its groups. With few bras the processor
 *  waits for these longer than it computes. */
static void prefetch_leaf(const struct hf_coulomb *coulomb, int leaf, bool of_kets)
{
    const struct hf_kets *kets = coulomb->kets;
    enum { LINE = 64 };
    for (int j = 0; j <= coulomb->products->max_order; j++) {
        const struct hf_ket_group *group = hf_ket_group(kets, leaf, j);
        if (!of_kets) {
            __builtin_prefetch(hf_ket_weights(kets, group));
        } else if (group->n > 0) {
            const char *data = (const char *)hf_ket_single(kets, group);
            const int n =
                (HF_KET_SINGLE_ROWS + hf_n_hermite(j)) * HF_KET_BLOCK * (int)sizeof(float);
            for (int k = 0; k < n; k += LINE) __builtin_prefetch(data + k);
        }
    }
}

/** Zeroes V of the products of a piece of a leaf. */
static void clear_piece(struct hf_coulomb *coulomb, const struct hf_leaf_piece *piece)
{
    const int64_t *first = coulomb->products->first;
    memset(coulomb->v + first[piece->begin], 0,
           (size_t)(first[piece->end] - first[piece->begin]) * sizeof *coulomb->v);
}

/** The potential of everything at the bras of a piece of a leaf: near leaves by kernels, the others by
 *  their expansions. HF_INTERRUPTED, HF_NO_RESOURCE. */
static hf_status do_piece(struct hf_coulomb *coulomb, int thread, const struct hf_leaf_piece *piece,
                          struct hf_error *error)
{
    enum { LEAVES_PER_LOOK = 16 }; /* a millisecond at most */
    struct hf_coulomb_worker *worker = &coulomb->worker[thread];
    int n = coulomb->products->n_leaf;
    const int *near = NULL;
    if (piece->begin == piece->end) return HF_OK;
    clear_piece(coulomb, piece);
    list_bras(coulomb, piece, &worker->bras);
    if (coulomb->far != NULL) {
        near = hf_far_field_near(coulomb->far, thread, piece->leaf, &n);
        if (near == NULL)
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for the near leaves of a leaf");
        hf_far_field_add(coulomb->far, thread, piece, coulomb->v);
    }
    for (int i = 0; i < n; i++) {
        const int reason =
            i % LEAVES_PER_LOOK == 0
                ? hf_interruption_look(coulomb->context->interruption, coulomb->n_worker == 1)
                : 0;
        if (reason != 0) return hf_interrupted(error, reason);
        if (i + 2 < n) prefetch_leaf(coulomb, near != NULL ? near[i + 2] : i + 2, false);
        if (i + 1 < n) prefetch_leaf(coulomb, near != NULL ? near[i + 1] : i + 1, true);
        add_near(coulomb, worker, near != NULL ? near[i] : i);
    }
    return HF_OK;
}

/** Task number `task`, recorded in seconds of the thread's processor. */
static hf_status do_task(struct hf_coulomb *coulomb, int thread, int64_t task,
                         struct hf_error *error)
{
    struct hf_trace *trace = coulomb->context->trace;
    const struct hf_trace_span span = hf_trace_begin_span(trace);
    const hf_status status = do_piece(coulomb, thread, &coulomb->piece[task], error);
    coulomb->done[task] = 1;
    hf_trace_end_span(trace, thread, HF_TRACE_COULOMB_TASK, task, span);
    return status;
}

/** The rank takes no more tasks. The thread holds the lock. */
static void give_up(struct hf_coulomb *coulomb)
{
    if (!coulomb->ended) hf_scheduler_abandon(coulomb->scheduler);
    coulomb->ended = true;
}

/** The next task of the rank; -1: there is none, or the rank is to stop. */
static hf_status next_task(struct hf_coulomb *coulomb, int64_t *task, struct hf_error *error)
{
    hf_status status = HF_OK;
    *task = -1;
    pthread_mutex_lock(&coulomb->lock);
    if (!coulomb->ended) {
        const int reason = hf_interruption_look(coulomb->context->interruption, true);
        if (reason == 0) {
            *task = hf_scheduler_next(coulomb->scheduler);
            coulomb->ended = *task < 0;
        } else {
            give_up(coulomb);
            status = hf_interrupted(error, reason);
        }
    }
    pthread_mutex_unlock(&coulomb->lock);
    return status;
}

/** hf_thread_work */
static hf_status do_tasks(void *self, int thread, int n_thread, struct hf_error *error)
{
    struct hf_coulomb *coulomb = self;
    hf_status status;
    int64_t task;
    (void)n_thread;
    for (;;) {
        status = next_task(coulomb, &task, error);
        if (status != HF_OK || task < 0) return status;
        status = do_task(coulomb, thread, task, error);
        if (status != HF_OK) break;
    }
    pthread_mutex_lock(&coulomb->lock);
    give_up(coulomb);
    pthread_mutex_unlock(&coulomb->lock);
    return status;
}

/** Runs the round of tasks. A rank whose preparations failed (`before`) takes none. The timer of the phase is stopped meanwhile,
 *  so that a trace has records of single tasks and none of the phase for that time. Collective. */
static hf_status run_tasks(struct hf_coulomb *coulomb, hf_status before, struct hf_error *error)
{
    struct hf_timers *timers = &coulomb->context->timers;
    hf_status status = before;
    hf_timer_stop(timers, coulomb->settings.phase);
    const double start = hf_wall_seconds();
    if (before == HF_OK)
        status = hf_threads_run(coulomb->n_worker, do_tasks, coulomb, error);
    else
        give_up(coulomb);
    hf_scheduler_finish(coulomb->scheduler);
    hf_timer_add(timers, coulomb->settings.phase, hf_wall_seconds() - start);
    hf_timer_start(timers, coulomb->settings.phase);
    return status;
}

/** Packs V of products whose pairs of atoms other nodes have. *n_here: numbers of products of this node's own pairs that it
 *  has computed itself, and will not receive. Tasks that cost nothing have no products. Local. */
static hf_status pack_potentials(struct hf_coulomb *coulomb, int64_t *n_here,
                                 struct hf_error *error)
{
    const struct hf_products *products = coulomb->products;
    const int node = products->shares->node;
    *n_here = 0;
    hf_parcels_clear(coulomb->to_owners);
    for (int64_t task = 0; task < coulomb->n_task; task++) {
        if (coulomb->done[task] == 0) continue;
        const struct hf_leaf_piece *piece = &coulomb->piece[task];
        for (int64_t i = piece->begin; i < piece->end; i++) {
            if (products->owner[i] == node)
                *n_here += hf_product_size(products, i);
            else
                hf_parcels_add(coulomb->to_owners, i, products->owner[i]);
        }
    }
    return hf_parcels_pack(coulomb->to_owners, coulomb->v, error);
}

/** Agrees on the outcome of the tasks and brings V to the owners of pairs of atoms. Collective. */
static hf_status end_tasks(struct hf_coulomb *coulomb, hf_status status, struct hf_error *error)
{
    int64_t n_here = 0;
    hf_node_memory_sync(coulomb->shared);
    if (status == HF_OK && coulomb->to_owners != NULL)
        status = pack_potentials(coulomb, &n_here, error);
    status = hf_agree_to_go_on(coulomb->context, status, error);
    if (status == HF_OK && coulomb->to_owners != NULL)
        hf_parcels_exchange(coulomb->to_owners, coulomb->n_own_component - n_here, coulomb->v);
    hf_node_memory_sync(coulomb->shared);
    return status;
}

/** Of the tasks, from the first rank. */
static void trace_levels(const struct hf_coulomb *coulomb)
{
    double largest = 0.0;
    if (coulomb->context->rank > 0) return;
    for (int64_t i = 0; i < coulomb->n_task; i++) largest = fmax(largest, coulomb->cost[i]);
    for (int64_t i = 0; i < coulomb->n_task; i += HF_TRACE_EIGHT) {
        unsigned char level[HF_TRACE_EIGHT] = {0};
        for (int64_t k = i; k < coulomb->n_task && k < i + HF_TRACE_EIGHT; k++)
            level[k - i] = (unsigned char)hf_cost_level(coulomb->cost[k], largest);
        hf_trace_add_levels(coulomb->context->trace, HF_TRACE_COULOMB_TASK, i, HF_TRACE_EIGHT,
                            level);
    }
}

hf_status hf_coulomb_potentials(struct hf_coulomb *coulomb, hf_status before,
                                struct hf_error *error)
{
    hf_status status;
    const bool cut = coulomb->n_task > 0;
    if (!cut) hf_coulomb_cut(coulomb);
    HF_TRY(cut ? hf_scheduler_start_again(coulomb->scheduler, error)
               : hf_scheduler_start_by_cost(coulomb->scheduler, coulomb->n_task, coulomb->cost,
                                            error));
    if (coulomb->context->trace != NULL) trace_levels(coulomb);
    coulomb->ended = false;
    hf_interruption_begin(coulomb->context->interruption);
    status = end_tasks(coulomb, run_tasks(coulomb, before, error), error);
cleanup:
    return status;
}
