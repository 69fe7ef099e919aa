/* Windows: operations on the memory of other ranks. An operation takes half the way, is served by its target, one after
 * the other, and its answer takes the other half. By the machine's progress rule a target serves at once, or when it calls
 * MPI. Blocks travel along the lines of both ranks as messages do. */
#include "network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A rank's part. */
struct part {
    char *memory;
    int holder; /**< 1 + the rank that has locked it for itself; 0: none */
    struct hf_sim_operation *first_waiter, **last_waiter;
    int n_under_way; /**< operations of this rank on any part */
};

struct hf_sim_window {
    MPI_Comm comm;
    int unit, n_freed;
    struct part *part;
};

enum kind { GET, PUT, FETCH, LOCK, UNLOCK };

struct hf_sim_operation {
    enum kind kind;
    MPI_Win window;
    int from, to; /**< ranks of the communicator */
    size_t at, n_bytes;
    int n;
    MPI_Datatype type;
    MPI_Op op;
    void *result;
    MPI_Request request; /**< or NULL */
    struct hf_sim_operation *next;
    char data[];
};

static int world_of(const struct hf_sim_operation *self, int rank)
{
    return hf_sim_in_world(self->window->comm, rank);
}

/** Half of the way of an operation there and back. In a node it is as much shorter as a message. */
static double trip_seconds(int from, int to)
{
    const struct hf_sim_machine *machine = hf_sim_the_machine();
    const double trip =
        0.5 * fmax(0.0, machine->counter_seconds - machine->counter_service_seconds);
    if (from == to) return 0.0;
    if (!hf_sim_near(from, to) || !(machine->alpha_seconds > 0.0)) return trip;
    return trip * fmin(1.0, machine->node_alpha_seconds / machine->alpha_seconds);
}

/* ---- At the caller ---- */

static void end(void *data)
{
    struct hf_sim_operation *self = data;
    self->window->part[self->from].n_under_way--;
    if (self->request != NULL) self->request->done = true;
    hf_sim_wake(world_of(self, self->from));
    free(self);
}

/* ---- At the target ---- */

static void answer(struct hf_sim_operation *self)
{
    const int from = world_of(self, self->to), to = world_of(self, self->from);
    double time = hf_sim_now() + trip_seconds(from, to);
    if (self->kind == GET && from != to)
        time = fmax(time, hf_sim_send(from, to, (double)self->n_bytes));
    hf_sim_at(time, end, self);
}

/** The lock goes to the first operation that waits for it. */
static void grant(struct part *part)
{
    struct hf_sim_operation *first = part->first_waiter;
    if (part->holder != 0 || first == NULL) return;
    part->holder = first->from + 1;
    part->first_waiter = first->next;
    answer(first);
}

static void apply(void *data)
{
    struct hf_sim_operation *self = data;
    struct part *part = &self->window->part[self->to];
    char *place = part->memory + self->at;
    switch (self->kind) {
    case GET: memcpy(self->result, place, self->n_bytes); break;
    case FETCH: memcpy(self->result, place, self->n_bytes); /* fall through */
    case PUT: hf_sim_combine(place, self->data, self->n, self->type, self->op); break;
    case LOCK:
        if (part->first_waiter == NULL) part->last_waiter = &part->first_waiter;
        *part->last_waiter = self;
        part->last_waiter = &self->next;
        grant(part);
        return;
    case UNLOCK:
        part->holder = 0;
        grant(part);
        break;
    }
    answer(self);
}

static void serve(struct hf_sim_operation *self)
{
    double *next = &hf_sim_process(world_of(self, self->to))->serve_free;
    self->next = NULL;
    *next = fmax(*next, hf_sim_now()) + hf_sim_the_machine()->counter_service_seconds;
    hf_sim_at(*next, apply, self);
}

/** Operations that wait go in the order in which they came. */
static void arrive(void *data)
{
    struct hf_sim_operation *self = data;
    const int target = world_of(self, self->to);
    struct hf_sim_operation **place = &hf_sim_process(target)->waiting;
    if (!(hf_sim_the_machine()->counter_needs_home > 0.0) || hf_sim_waits(target) ||
        self->from == self->to) {
        serve(self);
        return;
    }
    while (*place != NULL) place = &(*place)->next;
    *place = self;
    hf_sim_wake(target);
}

void hf_sim_serve(int rank)
{
    struct hf_sim_operation *one = hf_sim_process(rank)->waiting;
    hf_sim_process(rank)->waiting = NULL;
    while (one != NULL) {
        struct hf_sim_operation *next = one->next;
        serve(one);
        one = next;
    }
}

/* ---- Operations ---- */

/** Begins an operation on n numbers of a rank's part, of which `data` are copied. */
static struct hf_sim_operation *begin(MPI_Win window, enum kind kind, int rank, MPI_Aint at, int n,
                                      MPI_Datatype type, const void *data)
{
    const size_t n_bytes = (size_t)n * (size_t)(type % HF_SIM_KIND);
    struct hf_sim_operation *made = malloc(sizeof *made + n_bytes);
    if (made == NULL) made = hf_sim_memory(SIZE_MAX - 1, 1);
    *made = (struct hf_sim_operation){.kind = kind,
                                      .window = window,
                                      .to = rank,
                                      .at = (size_t)at * (size_t)window->unit,
                                      .n_bytes = n_bytes,
                                      .n = n,
                                      .type = type};
    if (data != NULL) memcpy(made->data, data, n_bytes);
    MPI_Comm_rank(window->comm, &made->from);
    window->part[made->from].n_under_way++;
    const int from = hf_sim_rank(), to = world_of(made, rank);
    hf_sim_serve(from);
    double time = hf_sim_now() + trip_seconds(from, to);
    if (data != NULL && kind != FETCH && from != to)
        time = fmax(time, hf_sim_send(from, to, (double)n_bytes));
    hf_sim_at(time, arrive, made);
    return made;
}

/** Until all operations of this rank are over. */
int hf_sim_flush(MPI_Win window)
{
    int rank;
    MPI_Comm_rank(window->comm, &rank);
    hf_sim_serve(hf_sim_rank());
    while (window->part[rank].n_under_way > 0) hf_sim_block_in_mpi();
    return MPI_SUCCESS;
}

int hf_sim_get(void *to, int n, MPI_Datatype type, int rank, ptrdiff_t at, MPI_Win window,
               MPI_Request *request)
{
    struct hf_sim_operation *made = begin(window, GET, rank, at, n, type, NULL);
    made->result = to;
    if (request != NULL) made->request = *request = hf_sim_memory(1, sizeof **request);
    return MPI_SUCCESS;
}

int hf_sim_put(const void *from, int n, MPI_Datatype type, int rank, ptrdiff_t at, MPI_Op op,
               MPI_Win window)
{
    begin(window, PUT, rank, at, n, type, from)->op = op;
    return MPI_SUCCESS;
}

int MPI_Fetch_and_op(const void *from, void *to, MPI_Datatype type, int rank, MPI_Aint at,
                     MPI_Op op, MPI_Win window)
{
    struct hf_sim_operation *made = begin(window, FETCH, rank, at, 1, type, from);
    made->result = to;
    made->op = op;
    return MPI_SUCCESS;
}

int hf_sim_lock(int kind, int rank, MPI_Win window)
{
    if (kind == MPI_LOCK_SHARED) return MPI_SUCCESS;
    begin(window, LOCK, rank, 0, 0, MPI_BYTE, NULL);
    return hf_sim_flush(window);
}

int MPI_Win_unlock(int rank, MPI_Win window)
{
    int self;
    MPI_Comm_rank(window->comm, &self);
    hf_sim_flush(window);
    if (window->part[rank].holder == self + 1) begin(window, UNLOCK, rank, 0, 0, MPI_BYTE, NULL);
    return MPI_SUCCESS;
}

/* ---- Creation ---- */

int hf_sim_window(size_t n_bytes, int unit, MPI_Comm comm, void *memory, MPI_Win *window)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        *window = hf_sim_memory(1, sizeof **window);
        **window = (struct hf_sim_window){.comm = comm, .unit = unit};
        (*window)->part = hf_sim_memory((size_t)comm->n, sizeof *(*window)->part);
    }
    MPI_Bcast(window, sizeof *window, MPI_BYTE, 0, comm);
    (*window)->part[rank].memory = hf_sim_memory(n_bytes, 1);
    hf_sim_window_memory(*window, rank, memory);
    return MPI_Barrier(comm);
}

int hf_sim_window_memory(MPI_Win window, int rank, void *memory)
{
    memcpy(memory, &window->part[rank].memory, sizeof(void *));
    return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *window)
{
    struct hf_sim_window *old = *window;
    hf_sim_flush(old);
    MPI_Barrier(old->comm);
    *window = MPI_WIN_NULL;
    if (++old->n_freed < old->comm->n) return MPI_SUCCESS;
    for (int r = 0; r < old->comm->n; r++) free(old->part[r].memory);
    free(old->part);
    free(old);
    return MPI_SUCCESS;
}
