/* Queues of quartets: kets of one class wait for a bra, are computed together and written to strips. */
#include "work_private.h"

#include <string.h>

/** Whether the round is to end; any thread may ask in the middle of a task. */
static bool is_interrupted(struct hf_work *work)
{
    return hf_interruption_look(work->context->interruption, work->n_worker == 1) != 0;
}

/** Copies the integrals of a queue to their places in strips. */
static void write_strips(const struct hf_worker *worker, const struct hf_shell_pair *bra, int kind,
                         const struct hf_quartet_queue *queue, int n,
                         const struct hf_integral_batch *made)
{
    const struct hf_basis *basis = worker->work->pairs->basis;
    struct hf_strip_group group = {.n_i = basis->shell[queue->pair[0]->a].n_function,
                                   .n_j = basis->shell[queue->pair[0]->b].n_function,
                                   .n_ab = basis->shell[bra->a].n_function *
                                           basis->shell[bra->b].n_function,
                                   .bra_is_row = made->fixed_is_row,
                                   .narrow = kind != HF_QUEUE_PLAIN};
    for (int first = 0; first < n; first += group.n) {
        const int left = n - first;
        group.width = hf_batch_width(made, first);
        group.n = left < group.width ? left : group.width;
        if (made->single != NULL)
            group.single = made->single + (size_t)first * made->stride;
        else
            group.value = made->value + (size_t)first * made->stride;
        for (int l = 0; l < group.n; l++)
            group.lane[l] = &queue->lane[made->order != NULL ? made->order[first + l] : first + l];
        worker->work->kernels->write(&group);
    }
}

void hf_worker_count(struct hf_worker *worker, size_t n_number)
{
    /* An integral of high shells takes a nanosecond, a call of the engine for contracted shells up to
     * milliseconds. So checks are a few milliseconds apart; reading the clock takes 25 nanoseconds. */
    enum { PER_CALL = 1 << 12, PER_LOOK = 1 << 16 };
    worker->since_look += n_number + PER_CALL;
    if (worker->since_look < PER_LOOK) return;
    worker->since_look = 0;
    worker->interrupted = is_interrupted(worker->work);
}

/** Whether the time of this call is measured. */
static bool is_sampled(struct hf_worker *worker)
{
    enum { CALLS_PER_SAMPLE = 16 }; /* reading the thread's clock takes up to a microsecond */
    return worker->work->prices_wanted && worker->n_call++ % CALLS_PER_SAMPLE == 0;
}

/** Notes time and cost of a call. */
static void sample(struct hf_worker *worker, const struct hf_shell_pair *bra,
                   const struct hf_quartet_queue *queue, int n,
                   const struct hf_integral_batch *made, double seconds)
{
    const struct hf_shell_pairs *pairs = worker->work->pairs;
    const int precision = made->single != NULL ? HF_PRECISION_SINGLE : HF_PRECISION_DOUBLE;
    double cost = 0.0;
    for (int i = 0; i < n; i++) cost += hf_shell_pair_cost(pairs, queue->pair[i]);
    worker->sampled[precision].seconds += seconds;
    worker->sampled[precision].cost += cost * hf_shell_pair_cost(pairs, bra);
}

/** Hands the quartets of a bra in a queue to a consumer that computes by itself. */
static void let_use(struct hf_worker *worker, const struct hf_shell_pair *bra,
                    const struct hf_quartet_queue *queue, int n)
{
    const struct hf_pair_class *class_of = worker->work->pairs->class_of;
    const size_t n_number = (size_t)class_of[bra->pair_class].n_function *
                            (size_t)class_of[queue->pair[0]->pair_class].n_function;
    worker->consumer->use(worker->self, bra, n, queue->pair);
    worker->n_computed += n;
    hf_worker_count(worker, (size_t)n * n_number);
}

/** Computes the n quartets of a bra in a queue, or drops them after an interruption. */
static void compute(struct hf_worker *worker, const struct hf_shell_pair *bra, int kind,
                    const struct hf_quartet_queue *queue, int n)
{
    if (worker->interrupted) return;
    if (worker->consumer->use != NULL) {
        let_use(worker, bra, queue, n);
        return;
    }
    const bool timed = worker->work->settings.timed, sampled = is_sampled(worker);
    const double start = timed ? hf_wall_seconds() : sampled ? hf_thread_seconds() : 0.0;
    const struct hf_integral_batch made = hf_engine_two_electron_lanes(
        worker->engine, bra, n, queue->pair,
        kind == HF_QUEUE_SINGLE ? HF_PRECISION_SINGLE : HF_PRECISION_DOUBLE);
    if (timed)
        worker->consumer->count(worker->self,
                                &(struct hf_engine_call){.bra = bra,
                                                         .ket_class = queue->pair[0]->pair_class,
                                                         .n = n,
                                                         .seconds = hf_wall_seconds() - start});
    if (worker->consumer->take != NULL) write_strips(worker, bra, kind, queue, n, &made);
    if (sampled && !timed) sample(worker, bra, queue, n, &made, hf_thread_seconds() - start);
    worker->n_computed += n;
    if (made.single != NULL) worker->n_single += n;
    hf_worker_count(worker, (size_t)n * made.stride);
}

/** Moves the kets at the end of a queue behind those at its front. */
static void close_gap(struct hf_quartet_queue *queue, struct hf_queue_fill fill, int end)
{
    if (fill.back == 0 || fill.front + fill.back == end) return;
    const size_t n = (size_t)fill.back, from = (size_t)end - n, to = (size_t)fill.front;
    memmove(queue->pair + to, queue->pair + from, n * sizeof(const struct hf_shell_pair *));
    memmove(queue->lane + to, queue->lane + from, n * sizeof *queue->lane);
}

/** Empties queue number q. */
static void flush(struct hf_worker *worker, const struct hf_shell_pair *bra, int q)
{
    struct hf_queue_fill *fill = &worker->fill[q];
    close_gap(&worker->queue[q], *fill, worker->work->settings.largest_queue);
    compute(worker, bra, q % HF_N_QUEUE, &worker->queue[q], fill->front + fill->back);
    fill->front = fill->back = 0;
}

void hf_worker_flush(struct hf_worker *worker, const struct hf_shell_pair *bra)
{
    for (int q = 0; q < worker->work->pairs->n_class * HF_N_QUEUE; q++)
        if ((worker->fill[q].front | worker->fill[q].back) != 0) flush(worker, bra, q);
}

struct hf_strip_lane *hf_worker_queue(struct hf_worker *worker, const struct hf_shell_pair *bra,
                                      const struct hf_waiting_ket *ket)
{
    const int kind = (ket->kind & HF_KIND_SINGLE) != 0   ? HF_QUEUE_SINGLE
                     : (ket->kind & HF_KIND_NARROW) != 0 ? HF_QUEUE_NARROW
                                                         : HF_QUEUE_PLAIN;
    const int q = ket->pair->pair_class * HF_N_QUEUE + kind;
    const int most = worker->work->settings.largest_queue;
    struct hf_queue_fill *fill = &worker->fill[q];
    if (fill->front + fill->back == most) flush(worker, bra, q);
    /* a consumer without strips gets kets in their order */
    const bool at_end = ket->turned && worker->consumer->take != NULL;
    const int at = at_end ? most - ++fill->back : fill->front++;
    worker->queue[q].pair[at] = ket->pair;
    return &worker->queue[q].lane[at];
}
