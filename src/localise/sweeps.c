/* Rotations of two orbitals, shared by ranks and threads. */
#include "localise_private.h"

#include "base/gather.h"
#include "base/growing.h"
#include "base/threads.h"
#include "text/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What is smaller than this is round-off, relative to 1 (Q^2). */
static const double NOTHING = 1e-13;

/** Smaller elements and derivatives are not listed. The first err in second derivatives only. */
static const double LEAST_ELEMENT = 1e-5, LEAST_DERIVATIVE = 1e-10;

static int n_centre(const struct hf_sweeps *self)
{
    return self->ops->n_centre(self->basis);
}

/** Orbitals of a block: begin .. end-1 of this and the next block. */
static int first_of(const struct hf_sweeps *self, int block)
{
    return (int)((int64_t)block * self->n_orbital / self->n_block);
}

static int seat_of(const struct hf_sweeps *self, int round, int block)
{
    const int turn = self->n_block - 1;
    const int position = block == 0 ? 0 : 1 + ((block - 1 - round) % turn + turn) % turn;
    return position < self->n_block - 1 - position ? position : self->n_block - 1 - position;
}

static int rank_of_seat(const struct hf_sweeps *self, int seat)
{
    return (int)((int64_t)seat * self->context->n_rank / (self->n_block / 2));
}

static int rank_of(const struct hf_sweeps *self, int round, int block)
{
    return rank_of_seat(self, seat_of(self, round, block));
}

/** Block at a position in this round. */
static int block_at(const struct hf_sweeps *self, int position)
{
    return position == 0 ? 0 : 1 + (position - 1 + self->round) % (self->n_block - 1);
}

static size_t block_length(const struct hf_sweeps *self, int block)
{
    return (size_t)(first_of(self, block + 1) - first_of(self, block)) * self->length;
}

/* ---- Room ------------------------------------------------------------------------------------ */

/** Two blocks may arrive before two others have left. */
static hf_status make_room(struct hf_sweeps *self, struct hf_error *error)
{
    struct hf_arena *arena = &self->arena;
    int n_mine = 2;
    for (int x = 0; x < self->n_block; x++) n_mine += rank_of(self, 0, x) == self->context->rank;
    const size_t each =
        ((size_t)(self->n_orbital + self->n_block - 1) / (size_t)self->n_block) * self->length;
    *arena = (struct hf_arena){
        .memory = self->context->memory, .kind = HF_MEMORY_MATRIX, .label = "orbitals to localise"};
    HF_TAKE(arena, self->block, (size_t)self->n_block);
    HF_TAKE(arena, self->spare, (size_t)n_mine);
    HF_TAKE(arena, self->elements, 3 * (size_t)self->n_thread * (size_t)n_centre(self));
    HF_TAKE(arena, self->largest, (size_t)self->n_thread);
    HF_TAKE(arena, self->lists, (size_t)self->n_thread);
    HF_TAKE(arena, self->of_orbital, (size_t)self->n_orbital);
    while (!arena->failed && self->n_spare < n_mine)
        self->spare[self->n_spare++] = hf_arena_take(arena, each, sizeof(double));
    if (arena->failed) return hf_arena_check(arena, error);
    for (int x = 0; x < self->n_block; x++)
        if (rank_of(self, 0, x) == self->context->rank)
            self->block[x] = self->spare[--self->n_spare];
    return HF_OK;
}

hf_status hf_sweeps_init(struct hf_sweeps *self, struct hf_error *error)
{
    const int even = self->n_orbital + self->n_orbital % 2;
    self->n_block = even < HF_MOST_SWEEP_BLOCKS ? even : HF_MOST_SWEEP_BLOCKS;
    if (self->n_block < 2) self->n_block = 2;
    self->length =
        (size_t)self->ops->n_vector * (size_t)self->basis->n_function + (size_t)self->n_orbital;
    return hf_agree(self->context->comm, make_room(self, error), error);
}

double *hf_sweeps_orbital(const struct hf_sweeps *self, int i)
{
    for (int x = 0; x < self->n_block; x++) {
        const int first = first_of(self, x);
        if (i >= first_of(self, x + 1)) continue;
        return self->block[x] == NULL ? NULL : self->block[x] + (size_t)(i - first) * self->length;
    }
    return NULL;
}

/* ---- Rotations ------------------------------------------------------------------------------- */

/** The angle that makes the sum largest. The sum over both orbitals grows by a + (a^2 + b^2)^(1/2).
 *  Source: Edmiston, Ruedenberg, Rev. Mod. Phys. 35, 457 (1963); Pipek, Mezey, Eqs. 29 to 31. */
static double best_angle(int n, const double *q_ii, const double *q_ij, const double *q_jj)
{
    double a = 0.0, b = 0.0, scale = 0.0;
    for (int c = 0; c < n; c++) {
        const double difference = q_ii[c] - q_jj[c];
        a += q_ij[c] * q_ij[c] - 0.25 * difference * difference;
        b += q_ij[c] * difference;
        scale += q_ij[c] * q_ij[c] + q_ii[c] * q_ii[c] + q_jj[c] * q_jj[c];
    }
    if (hypot(a, b) < NOTHING * scale) return 0.0;
    return 0.25 * atan2(b, -a);
}

static void append(struct hf_pair_list *list, struct hf_pair_element element)
{
    if (hf_grow(&list->element, list->n + 1, &list->n_room, sizeof element))
        list->element[list->n++] = element;
    else
        list->failed = true;
}

/** Lists the elements of two orbitals, or of one, if there are any. */
static void list_elements(struct hf_pair_list *list, int n, int i, int j, const double *q_ii,
                          const double *q_ij, const double *q_jj)
{
    double derivative = 0.0, most = 0.0;
    for (int c = 0; c < n; c++) {
        derivative += 4.0 * q_ij[c] * (q_ii[c] - q_jj[c]);
        most = fmax(most, fabs(q_ij[c]));
    }
    if (most < LEAST_ELEMENT && fabs(derivative) < LEAST_DERIVATIVE) return;
    append(list, (struct hf_pair_element){i, j, -1, derivative});
    for (int c = 0; c < n; c++)
        if (fabs(q_ij[c]) >= LEAST_ELEMENT)
            append(list, (struct hf_pair_element){i, j, c, q_ij[c]});
}

/** Rotates two orbitals, of numbers n_i and n_j, or lists their elements; returns the size of the rotation. */
static double visit(const struct hf_sweeps *self, int thread, int n_i, double *i, int n_j,
                    double *j)
{
    const int n = n_centre(self);
    double *q_ii = self->elements + 3 * (size_t)thread * (size_t)n, *q_ij = q_ii + n,
           *q_jj = q_ij + n, angle = 0.0;
    if (self->angle != NULL) {
        angle = self->angle[(size_t)n_i * (size_t)self->n_orbital + (size_t)n_j];
    } else {
        self->ops->elements(self->basis, i, i, q_ii);
        self->ops->elements(self->basis, i, j, q_ij);
        self->ops->elements(self->basis, j, j, q_jj);
        if (self->list != NULL)
            list_elements(&self->list[thread], n, n_i, n_j, q_ii, q_ij, q_jj);
        else
            angle = best_angle(n, q_ii, q_ij, q_jj);
    }
    if (angle == 0.0) return 0.0;
    const double c = cos(angle), s = sin(angle);
    for (size_t m = 0; m < self->length; m++) {
        const double before = i[m];
        i[m] = c * before + s * j[m];
        j[m] = c * j[m] - s * before;
    }
    return fabs(angle);
}

/** All pairs of an orbital of one block with one of another block, or of one block; for lists also an orbital with
 *  itself. */
static double visit_blocks(const struct hf_sweeps *self, int thread, int x, int y)
{
    const int first_x = first_of(self, x), n_x = first_of(self, x + 1) - first_x;
    const int first_y = first_of(self, y), n_y = first_of(self, y + 1) - first_y;
    const int next = self->list != NULL ? 0 : 1;
    double largest = 0.0;
    for (int i = 0; i < n_x; i++)
        for (int j = x == y ? i + next : 0; j < n_y; j++)
            largest = fmax(largest, visit(self, thread, first_x + i,
                                          self->block[x] + (size_t)i * self->length, first_y + j,
                                          self->block[y] + (size_t)j * self->length));
    return largest;
}

/** hf_thread_work: a round of a thread, its share of the seats of this rank. */
static hf_status do_seats(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct hf_sweeps *self = data;
    int n = 0;
    (void)error;
    for (int seat = 0; seat < self->n_block / 2; seat++) {
        if (rank_of_seat(self, seat) != self->context->rank || n++ % n_thread != thread) continue;
        const int x = block_at(self, seat), y = block_at(self, self->n_block - 1 - seat);
        double largest = 0.0;
        if (self->round == 0)
            largest = fmax(visit_blocks(self, thread, x, x), visit_blocks(self, thread, y, y));
        largest = fmax(largest, visit_blocks(self, thread, x < y ? x : y, x < y ? y : x));
        self->largest[thread] = fmax(self->largest[thread], largest);
    }
    return HF_OK;
}

/** Blocks to the ranks that have them in the next round. */
static void move(struct hf_sweeps *self)
{
    const int next = (self->round + 1) % (self->n_block - 1), rank = self->context->rank;
    MPI_Request request[8];
    int gone[4], n_request = 0, n_gone = 0;
    for (int x = 0; x < self->n_block; x++) {
        const int from = rank_of(self, self->round, x), to = rank_of(self, next, x);
        const int n = (int)block_length(self, x);
        if (from == to) continue;
        if (from == rank) {
            MPI_Isend(self->block[x], n, MPI_DOUBLE, to, x, self->context->comm,
                      &request[n_request++]);
            gone[n_gone++] = x;
        } else if (to == rank) {
            self->block[x] = self->spare[--self->n_spare];
            MPI_Irecv(self->block[x], n, MPI_DOUBLE, from, x, self->context->comm,
                      &request[n_request++]);
        }
    }
    for (int k = 0; k < n_request; k++) MPI_Wait(&request[k], MPI_STATUS_IGNORE);
    for (int k = 0; k < n_gone; k++) {
        self->spare[self->n_spare++] = self->block[gone[k]];
        self->block[gone[k]] = NULL;
    }
    self->round = next;
}

hf_status hf_sweeps_run(struct hf_sweeps *self, double *largest, struct hf_error *error)
{
    HF_CHECK(hf_agree_to_go_on(self->context, HF_OK, error));
    for (int t = 0; t < self->n_thread; t++) self->largest[t] = 0.0;
    for (int r = 0; r < self->n_block - 1; r++) {
        const struct hf_trace_span span = hf_trace_begin_span(self->context->trace);
        (void)!hf_threads_run(self->n_thread, do_seats, self, error); /* never fails */
        hf_trace_end_span(self->context->trace, 0, HF_TRACE_TASK, 0, span);
        move(self);
    }
    *largest = 0.0;
    for (int t = 0; t < self->n_thread; t++) *largest = fmax(*largest, self->largest[t]);
    MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE, MPI_MAX, self->context->comm);
    return HF_OK;
}

/* ---- Second order ---------------------------------------------------------------------------- */

/** The lists of all threads and ranks, in any order. Collective. */
static hf_status gather(struct hf_sweeps *self, struct hf_pair_list list[],
                        struct hf_curvature *curvature, struct hf_error *error)
{
    hf_status status = HF_OK;
    int n_mine = 0;
    bool failed = false;
    for (int t = 0; t < self->n_thread; t++) {
        n_mine += list[t].n;
        failed = failed || list[t].failed;
    }
    struct hf_pair_element *mine = calloc((size_t)n_mine + 1, sizeof *mine);
    if (failed || mine == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for pairs");
    n_mine = 0;
    for (int t = 0; t < self->n_thread && status == HF_OK; t++)
        for (int e = 0; e < list[t].n; e++) mine[n_mine++] = list[t].element[e];
    status = hf_gather_lists(self->context->comm, n_mine, mine, sizeof *mine, "pairs",
                             &curvature->n_element, &curvature->element, status, error);
    free(mine);
    return status;
}

/** Elements of all pairs and what follows from them. Collective. */
static hf_status find_curvature(struct hf_sweeps *self, struct hf_curvature *curvature,
                                struct hf_error *error)
{
    hf_status status;
    double largest;
    struct hf_pair_list *list = self->list = self->lists;
    memset(list, 0, (size_t)self->n_thread * sizeof *list);
    status = hf_sweeps_run(self, &largest, error);
    self->list = NULL;
    HF_TRY(status);
    curvature->context = self->context;
    curvature->n_thread = self->n_thread;
    curvature->n_orbital = self->n_orbital;
    curvature->n_centre = n_centre(self);
    HF_TRY(gather(self, list, curvature, error));
    status = hf_curvature_init(curvature, self->context->memory, error);
cleanup:
    for (int t = 0; t < self->n_thread; t++) free(list[t].element);
    return status;
}

hf_status hf_sweeps_step(struct hf_sweeps *self, double least, struct hf_second_order *step,
                         struct hf_error *error)
{
    hf_status status;
    struct hf_curvature curvature = {0};
    const size_t o = (size_t)self->n_orbital;
    double largest;
    double *angle = HF_TAKE(&self->arena, angle, o * o);
    HF_TRY(hf_agree(self->context->comm, hf_arena_check(&self->arena, error), error));
    status = find_curvature(self, &curvature, error);
    HF_TRY(hf_agree(self->context->comm, status, error));
    HF_TRY(hf_second_order_step(&curvature, step, angle, error));
    if (step->saddle || step->largest > least) {
        self->angle = angle;
        status = hf_sweeps_run(self, &largest, error);
        self->angle = NULL;
    }
cleanup:
    hf_curvature_done(&curvature);
    hf_arena_release(&self->arena, angle);
    return status;
}

double hf_sweeps_value(struct hf_sweeps *self)
{
    const int n = n_centre(self);
    double *of_orbital = self->of_orbital, value = 0.0;
    for (int i = 0; i < self->n_orbital; i++) {
        of_orbital[i] = 0.0;
        const double *orbital = hf_sweeps_orbital(self, i);
        if (orbital == NULL) continue;
        self->ops->elements(self->basis, orbital, orbital, self->elements);
        for (int c = 0; c < n; c++) of_orbital[i] += self->elements[c] * self->elements[c];
    }
    hf_sum_over_ranks(self->context->comm, (size_t)self->n_orbital, of_orbital);
    for (int i = 0; i < self->n_orbital; i++) value += of_orbital[i];
    return value;
}
