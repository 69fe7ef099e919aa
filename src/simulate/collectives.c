/* Collective calls: the k-th call of each rank of a communicator belongs together. The last rank that joins starts the
 * clock; then all ranks are woken. */
#include "network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hf_sim_collective {
    MPI_Comm comm;
    long number;
    int n_joined, n_left;
    bool over;
    char *data; /**< sum, or all that was contributed */
    size_t n_bytes;
    int *color;     /**< [n] of a split */
    MPI_Comm *made; /**< [n] of a split; [1] of a copy */
    double seconds;
    struct hf_sim_collective *next;
};

/** The collective call of this rank that comes next; it has `rank` in the communicator. */
static struct hf_sim_collective *join(MPI_Comm comm, int *rank)
{
    MPI_Comm_rank(comm, rank);
    hf_sim_serve(hf_sim_rank());
    const long number = comm->n_call[*rank]++;
    struct hf_sim_collective **place = &comm->open;
    while (*place != NULL && (*place)->number < number) place = &(*place)->next;
    if (*place == NULL || (*place)->number > number) {
        struct hf_sim_collective *made = hf_sim_memory(1, sizeof *made);
        *made = (struct hf_sim_collective){.comm = comm, .number = number, .next = *place};
        *place = made;
    }
    return *place;
}

static void end(void *data)
{
    struct hf_sim_collective *self = data;
    self->over = true;
    for (int r = 0; r < self->comm->n; r++) hf_sim_wake(hf_sim_in_world(self->comm, r));
}

/** The contribution of a rank is here. True: it is the last one. */
static bool is_complete(struct hf_sim_collective *self)
{
    return ++self->n_joined == self->comm->n;
}

/** So many seconds of latencies, and the bytes of the longest way. */
static void begin_after(struct hf_sim_collective *self, double seconds, double n_bytes)
{
    const struct hf_sim_machine *machine = hf_sim_the_machine();
    const double beta = self->comm->n_node > 1 ? machine->beta_seconds_per_byte
                                               : machine->node_beta_seconds_per_byte;
    hf_sim_at(hf_sim_now() + seconds + (self->comm->n > 1 ? n_bytes * beta : 0.0), end, self);
}

/** So many trees of latencies. */
static void begin(struct hf_sim_collective *self, double n_tree, double n_bytes)
{
    begin_after(self, n_tree * hf_sim_tree_seconds(self->comm), n_bytes);
}

bool hf_sim_collective_leave(struct hf_sim_collective *self, void *to)
{
    MPI_Comm comm = self->comm;
    if (!self->over) return false;
    if (to != NULL && self->n_bytes > 0) memcpy(to, self->data, self->n_bytes);
    if (++self->n_left < comm->n) return true;
    struct hf_sim_collective **place = &comm->open;
    while (*place != self) place = &(*place)->next;
    *place = self->next;
    free(self->data);
    free(self->color);
    free(self->made);
    free(self);
    return true;
}

static void wait_for(struct hf_sim_collective *self)
{
    while (!self->over) hf_sim_block_in_mpi();
}

/** Waits and leaves. */
static int finish(struct hf_sim_collective *self, void *to)
{
    wait_for(self);
    hf_sim_look(true);
    (void)hf_sim_collective_leave(self, to);
    return MPI_SUCCESS;
}

static MPI_Request request_of(struct hf_sim_collective *self, void *to)
{
    MPI_Request made = hf_sim_memory(1, sizeof *made);
    *made = (struct hf_sim_request){.collective = self, .to = to};
    return made;
}

/* ---- Sums ---- */

static size_t bytes_of(int n, MPI_Datatype type)
{
    return (size_t)n * (size_t)(type % HF_SIM_KIND);
}

static struct hf_sim_collective *join_sum(const void *from, void *to, int n, MPI_Datatype type,
                                          MPI_Op op, MPI_Comm comm)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    const void *mine = from == MPI_IN_PLACE ? to : from;
    if (self->data == NULL) {
        self->n_bytes = bytes_of(n, type);
        self->data = hf_sim_memory(self->n_bytes, 1);
        memcpy(self->data, mine, self->n_bytes);
    } else {
        hf_sim_combine(self->data, mine, n, type, op);
    }
    const double scale = type == MPI_DOUBLE ? hf_sim_the_scale()->sums : 1.0;
    const double others = scale * (comm->n - 1.0) / comm->n; /* Rabenseifner's: of the numbers */
    const double latency = 2.0 * hf_sim_tree_seconds(comm);
    if (is_complete(self))
        begin_after(self, latency + others * n * hf_sim_the_machine()->addition_seconds,
                    2.0 * others * (double)self->n_bytes);
    return self;
}

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return finish(join_sum(from, to, n, type, op, comm), to);
}

int MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    *request = request_of(join_sum(from, to, n, type, op, comm), to);
    return MPI_SUCCESS;
}

/* ---- Others ---- */

static struct hf_sim_collective *join_barrier(MPI_Comm comm)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    if (is_complete(self)) begin(self, 1.0, 0.0);
    return self;
}

int MPI_Barrier(MPI_Comm comm)
{
    return finish(join_barrier(comm), NULL);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    *request = request_of(join_barrier(comm), NULL);
    return MPI_SUCCESS;
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    if (rank == root) {
        self->n_bytes = bytes_of(n, type);
        self->data = hf_sim_memory(self->n_bytes, 1);
        memcpy(self->data, data, self->n_bytes);
    }
    if (is_complete(self)) begin(self, 1.0, (double)self->n_bytes);
    return finish(self, data);
}

int hf_sim_gather(const void *from, int n, MPI_Datatype type, void *to, MPI_Comm comm)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    const size_t n_bytes = bytes_of(n, type);
    if (self->data == NULL) {
        self->n_bytes = n_bytes * (size_t)comm->n;
        self->data = hf_sim_memory(self->n_bytes, 1);
    }
    memcpy(self->data + (size_t)rank * n_bytes, from, n_bytes);
    if (is_complete(self)) begin(self, 1.0, (double)self->n_bytes);
    return finish(self, to);
}

int hf_sim_gather_parts(void *all, const int n[], const int first[], MPI_Datatype type,
                        MPI_Comm comm)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    const size_t size = bytes_of(1, type), last = (size_t)comm->n - 1;
    if (self->data == NULL) {
        self->n_bytes = (size_t)(first[last] + n[last]) * size;
        self->data = hf_sim_memory(self->n_bytes, 1);
    }
    memcpy(self->data + (size_t)first[rank] * size, (char *)all + (size_t)first[rank] * size,
           (size_t)n[rank] * size);
    if (is_complete(self)) begin(self, 1.0, hf_sim_the_scale()->messages * (double)self->n_bytes);
    return finish(self, all);
}

/** What a rank gives to an exchange between all: while it waits, the others reach its memory. */
struct given {
    const char *from;
    char *to;
    const int *n, *first_from, *first_to; /**< NULL: one number for each rank */
};

/** Copies everything to its place. Returns the seconds of the rank that sends or gets most: of messages that are not empty,
 *  which are copied together and apart. */
static double exchange(const struct hf_sim_collective *self, size_t size)
{
    const struct given *given = (const void *)self->data;
    const struct hf_sim_machine *machine = hf_sim_the_machine();
    const int n = self->comm->n;
    const bool far = self->comm->n_node > 1;
    const double alpha = far ? machine->alpha_seconds : machine->node_alpha_seconds;
    const double near_beta = machine->node_beta_seconds_per_byte;
    const double beta = n == 1 ? 0.0 : far ? machine->beta_seconds_per_byte : near_beta;
    double most = 0.0, *received = hf_sim_memory((size_t)n, sizeof *received);
    for (int from = 0; from < n; from++) {
        const struct given *one = &given[from];
        double sent = 0.0;
        for (int to = 0; to < n; to++) {
            const size_t n_bytes = size * (size_t)(one->n != NULL ? one->n[to] : 1);
            if (n_bytes == 0) continue;
            const int place = one->n != NULL ? one->first_from[to] : to;
            const int target = one->n != NULL ? given[to].first_to[from] : from;
            memcpy(given[to].to + (size_t)target * size, one->from + (size_t)place * size, n_bytes);
            const double seconds =
                (beta + 2.0 * near_beta) * (double)n_bytes * hf_sim_the_scale()->messages +
                (from != to ? alpha : 0.0);
            received[to] += seconds;
            sent += seconds;
        }
        most = fmax(most, sent);
    }
    for (int r = 0; r < n; r++) most = fmax(most, received[r]);
    free(received);
    return most;
}

int hf_sim_exchange(const void *from, const int n[], const int first_from[], void *to,
                    const int first_to[], MPI_Datatype type, MPI_Comm comm)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    if (self->data == NULL) self->data = hf_sim_memory((size_t)comm->n, sizeof(struct given));
    ((struct given *)(void *)self->data)[rank] = (struct given){from, to, n, first_from, first_to};
    if (is_complete(self)) {
        const double seconds = exchange(self, bytes_of(1, type));
        begin_after(self, n != NULL ? seconds : hf_sim_tree_seconds(comm),
                    0.0); /* numbers: a tree */
    }
    return finish(self, NULL);
}

/** The communicator of each color; ranks keep their order. */
static void split(struct hf_sim_collective *self)
{
    const int n = self->comm->n;
    self->made = hf_sim_memory((size_t)n, sizeof *self->made);
    for (int first = 0; first < n; first++) {
        int n_member = 0, n_all = 0;
        if (self->made[first] != NULL || self->color[first] == MPI_UNDEFINED) continue;
        for (int r = first; r < n; r++) n_all += self->color[r] == self->color[first];
        int *world = hf_sim_memory((size_t)n_all, sizeof *world);
        for (int r = first; n_member < n_all; r++)
            if (self->color[r] == self->color[first])
                world[n_member++] = hf_sim_in_world(self->comm, r);
        MPI_Comm made = hf_sim_comm_make(n_all, world);
        for (int r = first; n_member > 0; r++) {
            if (self->color[r] != self->color[first]) continue;
            self->made[r] = made;
            n_member--;
        }
    }
}

int hf_sim_split(MPI_Comm comm, int color, MPI_Comm *made)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    if (self->color == NULL) self->color = hf_sim_memory((size_t)comm->n, sizeof *self->color);
    self->color[rank] = color;
    if (is_complete(self)) {
        split(self);
        begin(self, 2.0, 0.0);
    }
    wait_for(self);
    *made = self->made[rank];
    return finish(self, NULL);
}

int hf_sim_node(void)
{
    int first = hf_sim_rank();
    while (first > 0 && hf_sim_near(first - 1, hf_sim_rank())) first--;
    return first;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    int rank;
    struct hf_sim_collective *self = join(comm, &rank);
    if (self->made == NULL) {
        int *world = NULL;
        self->made = hf_sim_memory(1, sizeof *self->made);
        if (comm->world != NULL) {
            world = hf_sim_memory((size_t)comm->n, sizeof *world);
            memcpy(world, comm->world, (size_t)comm->n * sizeof *world);
        }
        self->made[0] = hf_sim_comm_make(comm->n, world);
    }
    *made = self->made[0];
    if (is_complete(self)) begin(self, 2.0, 0.0);
    return finish(self, NULL);
}
