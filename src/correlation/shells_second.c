/* Exchange of (iM|jN), and second half of the algorithm "pairs". In each round every rank gets some pairs of
 * orbitals; all ranks send the integrals of these pairs to it (book Eq. 10.7), and it finishes them:
 *
 *     message    [task] number of M and N, then for each pair ij of the owner [m][n] (and [n][m])
 *     matrix     [pair] (iM|jN), rows [n] over N */
#include "shells.h"

#include "hf/interruption.h"
#include "text/trace.h"

#include <string.h>

/** A rank's part of the integrals. */
struct part {
    int64_t n_task, size; /**< size: integrals per pair of orbitals */
};

struct second_half {
    struct hf_mp2 *mp2;             /**< borrowed */
    const struct hf_mp2_half *half; /**< borrowed */
    int64_t n_pair, first;          /**< pairs of the batch; those before `first` are done */
    int at_a_time;                  /**< pairs per rank and round */
    int n_own;                      /**< pairs of this rank in this round */
    struct hf_arena arena;          /**< owns the arrays below */
    struct part *part;              /**< [n_rank] */
    double *sent, *received;
    double **matrix; /**< [at_a_time] rows [n][padded n] */
};

int hf_mp2_pairs_at_a_time(int n_function, int n_thread)
{
    const double size = (double)n_function * (double)hf_padded(n_function);
    const int n = (int)(HF_MP2_MATRIX_NUMBERS / size),
              most = n < HF_MP2_MOST_PAIRS ? n : HF_MP2_MOST_PAIRS;
    return most > n_thread ? most : n_thread;
}

/** Number of pairs of a rank in this round: first + rank + k n_rank. */
static int n_pair_of(const struct second_half *self, int rank)
{
    const int n_rank = self->mp2->context->n_rank;
    const int64_t left = self->n_pair - self->first - rank;
    const int64_t n = left > 0 ? (left + n_rank - 1) / n_rank : 0;
    return n < self->at_a_time ? (int)n : self->at_a_time;
}

static size_t message_size(const struct second_half *self, int from, int to)
{
    const int n = n_pair_of(self, to);
    return n == 0 ? 0 : (size_t)self->part[from].n_task + (size_t)n * (size_t)self->part[from].size;
}

/** Number of a rank's pair k in this round, within the batch. */
static size_t place_of(const struct second_half *self, int rank, int k)
{
    return (size_t)(self->first + rank + (int64_t)k * self->mp2->context->n_rank);
}

/** Fills self->sent for a rank. */
static void collect(const struct second_half *self, int rank)
{
    const struct hf_basis *basis = self->mp2->merged;
    const int n_pair = n_pair_of(self, rank);
    double *to = self->sent;
    for (int64_t t = 0; t < self->half->n_task; t++) {
        const struct hf_mp2_shells *task = &self->half->task[t];
        const size_t size = hf_mp2_shells_size(basis, task->m, task->n);
        *to++ = (double)task->m * basis->n_shell + task->n;
        for (int k = 0; k < n_pair; k++, to += size)
            memcpy(to, task->value + place_of(self, rank, k) * size, size * sizeof *to);
    }
}

/** Copies the numbers of one pair and two shells to its matrix. */
static void put(const struct second_half *self, int m, int n, const double *from, double *matrix)
{
    const struct hf_basis *basis = self->mp2->merged;
    const struct hf_shell *one = &basis->shell[m], *other = &basis->shell[n];
    const size_t length = hf_padded(basis->n_function);
    for (int turn = 0; turn < (m == n ? 1 : 2); turn++) {
        for (int f = 0; f < one->n_function; f++, from += other->n_function)
            memcpy(matrix + (size_t)(one->first_function + f) * length + other->first_function,
                   from, (size_t)other->n_function * sizeof *from);
        one = &basis->shell[n];
        other = &basis->shell[m];
    }
}

static void unpack(const struct second_half *self, int64_t n_task, const double *from)
{
    const struct hf_basis *basis = self->mp2->merged;
    for (int64_t t = 0; t < n_task; t++) {
        const int64_t shells = (int64_t)*from++;
        const int m = (int)(shells / basis->n_shell), n = (int)(shells % basis->n_shell);
        const size_t size = hf_mp2_shells_size(basis, m, n);
        for (int k = 0; k < self->n_own; k++, from += size) put(self, m, n, from, self->matrix[k]);
    }
}

/** Copies the integrals that this rank has of its own pairs. */
static void take_own(const struct second_half *self)
{
    const struct hf_basis *basis = self->mp2->merged;
    for (int64_t t = 0; t < self->half->n_task; t++) {
        const struct hf_mp2_shells *task = &self->half->task[t];
        const size_t size = hf_mp2_shells_size(basis, task->m, task->n);
        for (int k = 0; k < self->n_own; k++)
            put(self, task->m, task->n,
                task->value + place_of(self, self->mp2->context->rank, k) * size, self->matrix[k]);
    }
}

/** Sends the integrals of each rank's pairs to that rank. Collective. */
static void exchange(struct second_half *self)
{
    struct hf_mp2 *mp2 = self->mp2;
    const int rank = mp2->context->rank, n_rank = mp2->context->n_rank;
    const size_t n = (size_t)mp2->merged->n_function;
    const double start = hf_wall_seconds(), begun = hf_thread_seconds();
    self->n_own = n_pair_of(self, rank);
    for (int k = 0; k < self->n_own; k++)
        memset(self->matrix[k], 0, n * hf_padded((int)n) * sizeof *self->matrix[k]);
    take_own(self);
    hf_trace_add(mp2->context->trace, 0, HF_TRACE_COPYING, self->first, start,
                 hf_thread_seconds() - begun);
    for (int step = 1; step < n_rank; step++) {
        const int to = (rank + step) % n_rank, from = (rank + n_rank - step) % n_rank;
        const size_t out = message_size(self, rank, to), in = message_size(self, from, rank);
        if (out > 0) collect(self, to);
        hf_mp2_pass_on(mp2->context, to, self->sent, out, from, self->received, in);
        if (in > 0) unpack(self, self->part[from].n_task, self->received);
        mp2->result->sent_bytes += (double)(out * sizeof *self->sent);
    }
}

/** Finds the orbitals i >= j of a pair of the batch. */
static void orbitals_of(const struct second_half *self, int64_t pair, int *i, int *j)
{
    const int64_t k = pair + hf_mp2_triangle(hf_mp2_batch_begin(self->mp2));
    *i = hf_mp2_batch_begin(self->mp2);
    while (hf_mp2_triangle(*i + 1) <= k) ++*i;
    *j = (int)(k - hf_mp2_triangle(*i));
}

/** Pair k of this rank in this round. */
static struct hf_mp2_pair pair_of(const void *data, int64_t k)
{
    const struct second_half *self = data;
    const struct hf_mp2 *mp2 = self->mp2;
    const int64_t number = (int64_t)place_of(self, mp2->context->rank, (int)k);
    int i, j;
    orbitals_of(self, number, &i, &j);
    return (struct hf_mp2_pair){.number = number,
                                .i = hf_mp2_orbital(mp2, i),
                                .j = hf_mp2_orbital(mp2, j),
                                .x_mn = self->matrix[k]};
}

/** Does one round. Collective. */
static hf_status do_round(struct second_half *self, struct hf_error *error)
{
    struct hf_context *context = self->mp2->context;
    hf_timer_start(&context->timers, &hf_phase_mp2_exchange);
    exchange(self);
    hf_timer_stop(&context->timers, &hf_phase_mp2_exchange);
    hf_interruption_set_fraction(context->interruption, (double)self->first / (double)self->n_pair);
    return hf_mp2_finish_pairs(self->mp2, self->n_own, pair_of, self, error);
}

/* ---- All ------------------------------------------------------------------------------------- */

/** Allocates matrices. Local. */
static hf_status make_room(struct second_half *self, struct hf_error *error)
{
    const struct hf_mp2 *mp2 = self->mp2;
    const size_t n = (size_t)mp2->merged->n_function, n_matrix = (size_t)self->at_a_time;
    HF_TAKE(&self->arena, self->part, (size_t)mp2->context->n_rank);
    HF_TAKE(&self->arena, self->matrix, n_matrix);
    for (size_t k = 0; k < n_matrix && self->matrix != NULL; k++)
        self->matrix[k] = hf_arena_take(&self->arena, n * hf_padded((int)n), sizeof(double));
    return hf_arena_check(&self->arena, error);
}

/** Allocates messages; the ranks must know the size of each part. Local. */
static hf_status make_messages(struct second_half *self, struct hf_error *error)
{
    struct hf_context *context = self->mp2->context;
    size_t sent = 0, received = 0;
    for (int r = 0; r < context->n_rank; r++) {
        if (r == context->rank) continue;
        const size_t out = message_size(self, context->rank, r);
        const size_t in = message_size(self, r, context->rank);
        if (out > sent) sent = out;
        if (in > received) received = in;
    }
    HF_TAKE_UNSET(&self->arena, self->sent, sent);
    HF_TAKE_UNSET(&self->arena, self->received, received);
    return hf_arena_check(&self->arena, error);
}

hf_status hf_mp2_shells_second(struct hf_mp2 *mp2, const struct hf_mp2_half *half,
                               struct hf_error *error)
{
    hf_status status;
    const int n_rank = mp2->context->n_rank;
    struct second_half self = {
        .mp2 = mp2,
        .half = half,
        .arena = hf_mp2_arena(mp2, "integrals of pairs"),
        .n_pair = hf_mp2_triangle(hf_mp2_batch_end(mp2)) - hf_mp2_triangle(hf_mp2_batch_begin(mp2)),
        .at_a_time = hf_mp2_pairs_at_a_time(mp2->merged->n_function, mp2->n_thread)};
    struct part part = {.n_task = half->n_task};
    for (int64_t t = 0; t < half->n_task; t++)
        part.size += (int64_t)hf_mp2_shells_size(mp2->merged, half->task[t].m, half->task[t].n);
    HF_TRY(hf_agree(mp2->context->comm, make_room(&self, error), error));
    MPI_Allgather(&part, 2, MPI_INT64_T, self.part, 2, MPI_INT64_T, mp2->context->comm);
    HF_TRY(hf_agree(mp2->context->comm, make_messages(&self, error), error));
    for (; self.first < self.n_pair; self.first += (int64_t)self.at_a_time * n_rank)
        HF_TRY(do_round(&self, error));
cleanup:
    hf_interruption_set_fraction(mp2->context->interruption, 0.0);
    hf_arena_done(&self.arena);
    return status;
}
