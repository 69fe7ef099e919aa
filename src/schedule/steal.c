/* Stealing: every rank begins with an even share of the list by cost (deal.h). A rank without tasks asks
 * other ranks for half of their remaining tasks, also by cost (book section 6.1.2.2).
 *
 *     thief                         victim, in its next or finish
 *       | -- request ----------------> |
 *       | <--- progressions ---------- |  every other task of each level; none: a refusal
 *
 * The states of a rank, in all of which it answers requests:
 *
 *      +----------- tasks arrive ------------+
 *      v                                     |
 *     busy --- last task taken ---------> seeking: asks one rank, or pauses; joins waves
 *      |                                     |                     |
 *      | abandon, interruption               | interruption        | a wave counts n_task tasks
 *      v                                     v                     v
 *     closed: asks nobody; joins waves ---- a wave counts ----> done --- finish: last answer, barrier --> ended
 *
 * A thief asks the ranks of its node first, then all others. It skips ranks that refused or that asked it for
 * tasks, since they have none, until only such ranks remain. A busy rank looks into MPI when a thief of its
 * node has rung its bell (below), and now and then for thieves of other nodes.
 *
 * The end. No new tasks appear. So all tasks are taken when the counts of tasks taken by each rank add up to
 * n_task; then only refusals are on their way. Waves add up the counts: non-blocking reductions, which a rank
 * joins when it has no tasks, so that busy ranks are not disturbed. All ranks see the same sums and so join
 * the same number of waves. If a count is out of date when its wave ends, the next wave has the new one. In
 * finish every rank waits for the answer to its last request before it joins a barrier, and answers requests
 * until all ranks have joined it. Then every request has an answer, every answer was received, and no message
 * remains in the communicator. */
#include "base/arithmetic.h"
#include "base/node_memory.h"
#include "deal.h"
#include "hf/context.h"
#include "hf/timer.h"
#include "schedule_private.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { TAG_REQUEST = 1, TAG_REPLY = 2 };

/** A thief asks this many ranks without a pause. Then the pauses grow, so that many idle ranks do not disturb
 *  the last busy ones: with the longest pause a thief sends 500 requests per second, to all ranks in turn. */
enum { ASKED_AT_ONCE = 8 };
static const double FIRST_PAUSE_SECONDS = 20e-6, LONGEST_PAUSE_SECONDS = 2e-3;

/** Looks of an idle rank before it begins to nap, and how long it naps at most: a worker may need
 * its core. */
enum { LOOKS_BEFORE_NAP = 100 };
static const long LONGEST_NAP_NS = 50000;

/** Most progressions that a thief gets: a message that libraries send at once (4 kB). */
enum { MOST_STOLEN = 160 };

/* ---- Bells ----------------------------------------------------------------------------------- */

/* Without MPI, a rank signals to another rank of its node that a message is on its way. A computing
 * rank notices that by one load from memory. A call of MPI would take microseconds; or a time slice of
 * milliseconds, if the library yields the core when it finds no message (mpi_yield_when_idle of Open MPI, the
 * default if a node has more ranks than cores). */

/** Bells of the ranks of this node, which are context->neighbour [n_node_rank]: numbers in the communicator, in
 *  rising order, this rank included. */
struct bells {
    struct hf_context *context; /**< borrowed, or `own` */
    struct hf_context *own;     /**< created for the bells, or NULL */
    struct hf_node_memory *memory;
};

/** The bell of one rank; only that rank reads it. It has its own cache line. */
struct bell {
    _Alignas(64) atomic_llong n_rung;
};

/** For the ranks of `comm`. `context` has the same ranks in the same order and is borrowed, or is NULL on all of them.
 *  Collective. */
static hf_status init_bells(MPI_Comm comm, struct hf_context *context, struct bells *bells,
                            struct hf_error *error)
{
    if (context == NULL) HF_CHECK(hf_context_create(comm, &bells->own, error));
    bells->context = context != NULL ? context : bells->own;
    return hf_node_memory_create(bells->context, HF_MEMORY_OTHER, "bells of the scheduler",
                                 (size_t)bells->context->n_node_rank * sizeof(struct bell),
                                 &bells->memory, error);
}

/** Accepts a struct that is zero or half made. Collective. */
static void end_bells(struct bells *bells)
{
    hf_node_memory_destroy(&bells->memory);
    hf_context_destroy(&bells->own);
}

/** Whether bells work: not if the ranks of some node share no memory. */
static bool bells_work(const struct bells *bells)
{
    return !bells->memory->refused;
}

/** Rings the bell of a neighbour. */
static void ring(struct bells *bells, int neighbour)
{
    struct bell *bell = bells->memory->data;
    if (bells_work(bells))
        atomic_fetch_add_explicit(&bell[neighbour].n_rung, 1, memory_order_release);
}

/** How often this rank's bell was rung since init_bells. */
static long long n_rung(const struct bells *bells)
{
    const struct bell *bell = bells->memory->data;
    if (!bells_work(bells)) return 0;
    return atomic_load_explicit(&bell[bells->memory->rank].n_rung, memory_order_acquire);
}

/* ---- The state of a rank --------------------------------------------------------------------- */

/** The order in which a thief asks: through some ranks, from a random one on, in random steps. */
struct tour {
    int64_t at, step, n_left;
};

struct stealing {
    struct hf_cost_list list;
    struct hf_share mine; /**< remaining tasks of this rank */
    struct bells bells;
    bool all_ring;        /**< every other rank rings before it asks */
    long long n_rung_by;  /**< requests answered whose thieves rang */
    unsigned char *empty; /**< [n_rank] bits: this rank knows of no tasks there */
    int n_empty;
    int64_t n_taken; /**< tasks this rank has begun or abandoned */
    bool closed;     /**< this rank takes no more tasks */
    bool done;       /**< all tasks are taken, all ranks know it */
    struct hf_looks looks;

    bool in_wave;
    int64_t wave_taken, wave_sum;
    MPI_Request wave;

    bool asked; /**< a request is on its way, or its answer */
    int victim;
    int rings; /**< for the request: the thief rings, or not */
    struct hf_progression reply[MOST_STOLEN];
    MPI_Request request, receive;
    int n_refused; /**< since the last success */
    double pause, next_request;
    struct tour near, far; /**< through the neighbours, and through all ranks */
    uint64_t random;
};

/** How an idle rank waits. */
struct patience {
    int n_look;
    long nap_ns;
};

static const struct patience fresh = {.nap_ns = 20000};

static size_t mark_bytes(const struct hf_scheduler *self)
{
    return (size_t)self->n_rank / 8 + 1;
}

static hf_status create(struct hf_scheduler *self, struct hf_error *error)
{
    struct stealing *data = self->data;
    data->random = UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)self->rank + 1);
    HF_TAKE(&self->arena, data->empty, mark_bytes(self));
    HF_CHECK(hf_agree(self->comm, hf_arena_check(&self->arena, error), error));
    HF_CHECK(init_bells(self->comm, self->settings.context, &data->bells, error));
    data->all_ring = data->bells.context->n_node_rank == self->n_rank && bells_work(&data->bells);
    return HF_OK;
}

static void destroy(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    end_bells(&data->bells);
}

/** Forgets which ranks have no tasks. */
static void forget(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    memset(data->empty, 0, mark_bytes(self));
    data->n_empty = 0;
}

static bool is_empty(const struct stealing *data, int rank)
{
    return (data->empty[rank / 8] >> rank % 8 & 1) != 0;
}

/** Notes whether another rank has no tasks. */
static void mark(struct stealing *data, int rank, bool empty)
{
    if (is_empty(data, rank) == empty) return;
    data->empty[rank / 8] = (unsigned char)(data->empty[rank / 8] ^ 1u << rank % 8);
    data->n_empty += empty ? 1 : -1;
}

static hf_status start(struct hf_scheduler *self, struct hf_error *error)
{
    struct stealing *data = self->data;
    hf_cost_list_make(&self->levels, &data->list);
    forget(self);
    data->n_taken = 0;
    data->closed = data->done = data->in_wave = data->asked = false;
    data->wave = data->request = data->receive = MPI_REQUEST_NULL;
    data->n_refused = 0;
    data->pause = data->next_request = 0.0;
    data->near = data->far = (struct tour){.n_left = 0};
    return hf_deal(&data->list, hf_schedule_n_dealt(self), self->rank, &data->mine, error);
}

/* ---- The victim ---- */

/** Answers requests that have arrived; at most as many as there are ranks, so that the rank's own work goes
 *  on. */
static void serve(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    for (int n = 0; n < self->n_rank; n++) {
        struct hf_progression part[MOST_STOLEN];
        MPI_Status from;
        int there;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_REQUEST, self->comm, &there, &from);
        if (!there) return;
        const int thief = from.MPI_SOURCE;
        int rang;
        MPI_Recv(&rang, 1, MPI_INT, thief, TAG_REQUEST, self->comm, MPI_STATUS_IGNORE);
        data->n_rung_by += rang;
        const int n_part = hf_share_split(&data->list, &data->mine, MOST_STOLEN, part);
        MPI_Send(part, 3 * n_part, MPI_INT64_T, thief, TAG_REPLY, self->comm);
        mark(data, thief, n_part == 0);
    }
}

static bool has_tasks(const struct stealing *data)
{
    return data->mine.begin < data->mine.end;
}

/* ---- The end ---- */

/** Joins the next wave if this rank is in none and has no tasks, and tests whether it has ended. True: it
 *  joined, or the wave ended. */
static bool advance_wave(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    const bool joins = !data->in_wave && !has_tasks(data);
    int over = 0;
    if (joins) {
        data->wave_taken = data->n_taken;
        MPI_Iallreduce(&data->wave_taken, &data->wave_sum, 1, MPI_INT64_T, MPI_SUM, self->comm,
                       &data->wave);
        data->in_wave = true;
    }
    if (data->in_wave) MPI_Test(&data->wave, &over, MPI_STATUS_IGNORE);
    if (over) {
        data->in_wave = false;
        data->done = data->wave_sum == self->n_task;
    }
    return joins || over;
}

/* ---- The thief ---- */

/** xorshift64: any sequence that differs from rank to rank will do. */
static int64_t random_below(struct stealing *data, int64_t n)
{
    data->random ^= data->random << 13;
    data->random ^= data->random >> 7;
    data->random ^= data->random << 17;
    return (int64_t)(data->random % (uint64_t)n);
}

/** The next number of a tour below n. Steps without a common divisor with n reach all numbers. */
static int64_t next_of_tour(struct stealing *data, struct tour *tour, int64_t n)
{
    if (tour->n_left == 0) {
        *tour = (struct tour){.at = random_below(data, n), .n_left = n};
        do {
            tour->step = n > 1 ? 1 + random_below(data, n - 1) : 1;
        } while (hf_greatest_common_divisor(n, tour->step) != 1);
    }
    tour->at = (tour->at + tour->step) % n;
    tour->n_left--;
    return tour->at;
}

/** The next rank to ask, never this one; there must be others. Neighbours come first; *bell is the place of a
 *  neighbour, or -1. */
static int next_victim(struct hf_scheduler *self, int *bell)
{
    struct stealing *data = self->data;
    if (data->n_empty == self->n_rank - 1) forget(self); /* they may have stolen since */
    const struct hf_context *node = data->bells.context;
    for (int i = 0; i < node->n_node_rank; i++) {
        *bell = (int)next_of_tour(data, &data->near, node->n_node_rank);
        const int rank = node->neighbour[*bell];
        if (rank != self->rank && !is_empty(data, rank)) return rank;
    }
    *bell = -1; /* no neighbour has tasks, so none is found below */
    for (;;) {
        const int rank = (int)next_of_tour(data, &data->far, self->n_rank);
        if (rank != self->rank && !is_empty(data, rank)) return rank;
    }
}

/** Asks a rank for tasks when the pause is over. The send is completed with the answer and not here: the victim
 *  may be away from MPI for long. */
static void ask(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    if (self->n_rank == 1 || hf_wall_seconds() < data->next_request) return;
    int bell;
    data->victim = next_victim(self, &bell);
    data->rings = bell >= 0 && bells_work(&data->bells);
    MPI_Irecv(data->reply, 3 * MOST_STOLEN, MPI_INT64_T, data->victim, TAG_REPLY, self->comm,
              &data->receive);
    MPI_Isend(&data->rings, 1, MPI_INT, data->victim, TAG_REQUEST, self->comm, &data->request);
    if (data->rings) ring(&data->bells, bell);
    data->asked = true;
}

/** When to ask again after a refusal; not all thieves at the same time. */
static void set_pause(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    const int at_once = self->n_rank - 1 < ASKED_AT_ONCE ? self->n_rank - 1 : ASKED_AT_ONCE;
    if (++data->n_refused < at_once) return;
    data->pause = data->pause > 0.0 ? 2.0 * data->pause : FIRST_PAUSE_SECONDS;
    if (data->pause > LONGEST_PAUSE_SECONDS) data->pause = LONGEST_PAUSE_SECONDS;
    const double factor = 0.5 + (double)random_below(data, 1024) / 1024.0;
    data->next_request = hf_wall_seconds() + factor * data->pause;
}

/** Takes the answer if it has arrived. */
static void take_reply(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    MPI_Status status;
    int there, n_number;
    MPI_Test(&data->receive, &there, &status);
    if (!there) return;
    MPI_Wait(&data->request, MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_INT64_T, &n_number);
    data->asked = false;
    data->mine.begin = 0;
    data->mine.end = n_number / 3;
    memcpy(data->mine.part, data->reply, (size_t)data->mine.end * sizeof *data->reply);
    mark(data, data->victim, n_number == 0);
    if (n_number > 0) {
        data->n_refused = 0;
        data->pause = 0.0;
    } else {
        set_pause(self);
    }
}

static void wait_a_little(struct patience *patience)
{
    if (patience->n_look < LOOKS_BEFORE_NAP) {
        patience->n_look++;
        sched_yield();
        return;
    }
    const struct timespec nap = {.tv_nsec = patience->nap_ns};
    nanosleep(&nap, NULL);
    if (patience->nap_ns < LONGEST_NAP_NS) patience->nap_ns += patience->nap_ns / 4;
}

/** Takes no more tasks; the remaining ones count as abandoned. */
static void stop_taking(struct stealing *data)
{
    data->n_taken += hf_share_size(&data->mine);
    data->mine.begin = data->mine.end;
    data->closed = true;
}

/** Asks one rank after the other until this rank has tasks, or no rank has. After an interruption no more ranks
 *  are asked, and the tasks of the last answer are abandoned. */
static void seek(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    struct patience patience = fresh;
    for (;;) {
        serve(self);
        if (advance_wave(self)) patience = fresh; /* the next step is near */
        if (data->done) return;
        const bool ends = hf_schedule_is_interrupted(self);
        if (data->asked)
            take_reply(self);
        else if (!ends)
            ask(self);
        if (ends && !data->asked) stop_taking(data);
        if (has_tasks(data) || data->closed) return;
        wait_a_little(&patience);
    }
}

/* ---- The table's functions ---- */

/** Between two tasks a busy rank answers thieves: neighbours when they ring, others at intervals. */
static void serve_now_and_then(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    const bool rung = n_rung(&data->bells) > data->n_rung_by;
    if (!rung && data->all_ring) return;
    const double now = hf_wall_seconds();
    if (!rung && now < data->looks.next) return;
    serve(self);
    hf_look_done(self, &data->looks, now);
}

static int64_t next(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    if (has_tasks(data)) {
        if (self->n_rank > 1) serve_now_and_then(self);
    } else if (!data->done && !data->closed) {
        const double now = hf_wall_seconds();
        seek(self);
        self->account.wait_seconds += hf_wall_seconds() - now;
    }
    const int64_t position = hf_share_take(&data->mine);
    if (position < 0) return -1;
    data->n_taken++;
    if (!has_tasks(data)) advance_wave(self); /* others may learn of the end during this task */
    return position;
}

/** Outside of `next` a rank has a request on its way only if all is done, so no tasks can arrive. */
static void abandon(struct hf_scheduler *self)
{
    stop_taking(self->data);
}

static void finish(struct hf_scheduler *self)
{
    struct stealing *data = self->data;
    struct patience patience = fresh;
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool joined = false;
    int all_here = 0;
    abandon(self); /* a rank that got -1 has no tasks */
    for (;;) {
        serve(self);
        if (!data->done) {
            if (advance_wave(self)) patience = fresh;
        } else if (data->asked) {
            take_reply(self);
        } else if (!joined) {
            MPI_Ibarrier(self->comm, &barrier);
            joined = true;
        } else {
            MPI_Test(&barrier, &all_here, MPI_STATUS_IGNORE);
        }
        if (all_here) return;
        (void)hf_schedule_is_interrupted(self); /* tells other ranks of an interruption */
        wait_a_little(&patience);
    }
}

const struct hf_scheduler_ops hf_schedule_steal = {
    .name = "steal",
    .about = "equal shares at first; an idle rank takes half of another rank's remaining tasks",
    .cite = "C. L. Janssen, I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008), "
            "section 6.1.2.2",
    .data_bytes = sizeof(struct stealing),
    .create = create,
    .start = start,
    .next = next,
    .abandon = abandon,
    .finish = finish,
    .destroy = destroy,
};
