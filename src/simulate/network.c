/* Ranks, communicators and the cost of messages; see network.h. */
#include "network.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct hf_sim_machine hf_sim_cluster = {.alpha_seconds = 1.5e-6,
                                              .beta_seconds_per_byte = 1e-10,
                                              .node_alpha_seconds = 0.3e-6,
                                              .node_beta_seconds_per_byte = 0.05e-9,
                                              .counter_seconds = 3e-6,
                                              .counter_service_seconds = 2e-7,
                                              .manager_service_seconds = 1e-6,
                                              .addition_seconds = 1e-9,
                                              .nap_seconds = 3e-6,
                                              .ranks_per_node = 1.0};

static struct {
    const struct hf_sim_machine *machine;
    int n_rank, ranks_per_node;
    struct hf_sim_process *process;
    MPI_Comm world;
    struct hf_sim_scale scale;
} net;

/* ---- The machine's file ---- */

static const struct {
    const char *name;
    size_t place;
} members[] = {
#define MEMBER(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct hf_sim_machine, name)                                               \
    }
    MEMBER(alpha_seconds),           MEMBER(beta_seconds_per_byte),      MEMBER(node_alpha_seconds),
    MEMBER(counter_seconds),         MEMBER(node_beta_seconds_per_byte), MEMBER(ranks_per_node),
    MEMBER(counter_service_seconds), MEMBER(manager_service_seconds),    MEMBER(counter_needs_home),
    MEMBER(cores_per_node),          MEMBER(addition_seconds),           MEMBER(nap_seconds),
};

static hf_status set_member(const char *path, const cJSON *item, struct hf_sim_machine *machine,
                            struct hf_error *error)
{
    const double value = cJSON_IsBool(item) ? cJSON_IsTrue(item) : item->valuedouble;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(item->string, members[i].name) != 0) continue;
        if (!(cJSON_IsNumber(item) || cJSON_IsBool(item)) || !isfinite(value) || value < 0.0)
            return hf_fail(error, HF_BAD_INPUT, "%s: %s is not a number of 0 or more", path,
                           item->string);
        memcpy((char *)machine + members[i].place, &value, sizeof value);
        return HF_OK;
    }
    return hf_fail(error, HF_BAD_INPUT, "%s: unknown property '%s' of a machine", path,
                   item->string);
}

hf_status hf_sim_machine_read(const char *path, struct hf_sim_machine *machine,
                              struct hf_error *error)
{
    char text[4096];
    hf_status status = HF_OK;
    FILE *file = fopen(path, "r");
    if (file == NULL) return hf_fail(error, HF_BAD_INPUT, "%s: cannot be read", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cJSON *root = cJSON_Parse(text);
    if (!cJSON_IsObject(root))
        status = hf_fail(error, HF_BAD_INPUT, "%s: no machine, expected an object of JSON", path);
    for (const cJSON *item = status == HF_OK ? root->child : NULL; item != NULL && status == HF_OK;
         item = item->next)
        status = set_member(path, item, machine, error);
    if (status == HF_OK && machine->ranks_per_node < 1.0)
        status = hf_fail(error, HF_BAD_INPUT, "%s: ranks_per_node is below 1", path);
    const double n_core = machine->cores_per_node;
    if (status == HF_OK && (floor(n_core) < n_core || n_core > INT_MAX))
        status = hf_fail(error, HF_BAD_INPUT, "%s: cores_per_node is no whole number", path);
    cJSON_Delete(root);
    return status;
}

/* ---- Ranks ---- */

bool hf_sim_create(const struct hf_sim_machine *machine, int n_rank)
{
    const int in_node = (int)fmin(machine->ranks_per_node, n_rank);
    net.machine = machine;
    net.scale = (struct hf_sim_scale){1.0, 1.0};
    net.n_rank = n_rank;
    net.ranks_per_node = in_node;
    net.process = calloc((size_t)n_rank, sizeof *net.process);
    net.world = hf_sim_comm_make(n_rank, NULL);
    return hf_sim_clock_create(n_rank, (int)machine->cores_per_node, in_node) &&
           net.process != NULL;
}

static void free_comm(MPI_Comm comm)
{
    if (comm == NULL) return;
    free(comm->world);
    free(comm->n_call);
    free(comm);
}

void hf_sim_destroy(void)
{
    for (int r = 0; net.process != NULL && r < net.n_rank; r++) free_comm(net.process[r].alone);
    free(net.process);
    free_comm(net.world);
    hf_sim_clock_destroy();
    net.process = NULL;
}

const struct hf_sim_machine *hf_sim_the_machine(void)
{
    return net.machine;
}

void hf_sim_scale(struct hf_sim_scale scale)
{
    net.scale = scale;
}

const struct hf_sim_scale *hf_sim_the_scale(void)
{
    return &net.scale;
}

struct hf_sim_process *hf_sim_process(int rank)
{
    return &net.process[rank];
}

/* ---- Cost ---- */

bool hf_sim_near(int rank, int other)
{
    return rank / net.ranks_per_node == other / net.ranks_per_node;
}

double hf_sim_latency(int from, int to)
{
    if (from == to) return 0.0;
    return hf_sim_near(from, to) ? net.machine->node_alpha_seconds : net.machine->alpha_seconds;
}

double hf_sim_send(int from, int to, double n_bytes)
{
    const struct hf_sim_machine *machine = net.machine;
    struct hf_sim_process *source = &net.process[from], *target = &net.process[to];
    const double along = n_bytes * (hf_sim_near(from, to) ? machine->node_beta_seconds_per_byte
                                                          : machine->beta_seconds_per_byte);
    source->out_free = fmax(source->out_free, hf_sim_now()) + along;
    target->in_free = fmax(source->out_free + hf_sim_latency(from, to), target->in_free + along);
    return target->in_free;
}

static int n_step(int n)
{
    int step = 0;
    while (1 << step < n) step++;
    return step;
}

double hf_sim_tree_seconds(MPI_Comm comm)
{
    return n_step(comm->n_in_node) * net.machine->node_alpha_seconds +
           n_step(comm->n_node) * net.machine->alpha_seconds;
}

/* ---- Sums ---- */

#define COMBINE(type)                                                                              \
    do {                                                                                           \
        type *sum = to;                                                                            \
        const type *more = from;                                                                   \
        for (int i = 0; i < n; i++) {                                                              \
            if (op == MPI_SUM) sum[i] += more[i];                                                  \
            if (op == MPI_REPLACE || (op == MPI_MIN && more[i] < sum[i]) ||                        \
                (op == MPI_MAX && more[i] > sum[i]))                                               \
                sum[i] = more[i];                                                                  \
        }                                                                                          \
    } while (0)

#define COMBINE_PAIRS(type)                                                                        \
    do {                                                                                           \
        struct {                                                                                   \
            type value;                                                                            \
            int rank;                                                                              \
        } *sum = to;                                                                               \
        const __typeof__(sum) more = (const __typeof__(sum))from;                                  \
        for (int i = 0; i < n; i++)                                                                \
            if ((op == MPI_MINLOC ? more[i].value < sum[i].value                                   \
                                  : more[i].value > sum[i].value) ||                               \
                (!(more[i].value < sum[i].value) && !(more[i].value > sum[i].value) &&             \
                 more[i].rank < sum[i].rank))                                                      \
                sum[i] = more[i];                                                                  \
    } while (0)

void hf_sim_combine(void *to, const void *from, int n, MPI_Datatype type, MPI_Op op)
{
    switch (type) {
    case MPI_INT: COMBINE(int); break;
    case MPI_INT64_T: COMBINE(int64_t); break;
    case MPI_UINT64_T: COMBINE(uint64_t); break;
    case MPI_DOUBLE: COMBINE(double); break;
    case MPI_2INT: COMBINE_PAIRS(int); break;
    case MPI_DOUBLE_INT: COMBINE_PAIRS(double); break;
    default: MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* ---- Communicators ---- */

int hf_sim_in_world(MPI_Comm comm, int rank)
{
    return comm->world != NULL ? comm->world[rank] : rank;
}

MPI_Comm hf_sim_comm_make(int n, int *world)
{
    MPI_Comm made = hf_sim_memory(1, sizeof *made);
    *made = (struct hf_sim_comm){.n = n, .world = world};
    made->n_call = hf_sim_memory((size_t)n, sizeof *made->n_call);
    int last = -1, n_here = 0;
    for (int r = 0; r < n; r++) {
        const int node = hf_sim_in_world(made, r) / net.ranks_per_node;
        n_here = node == last ? n_here + 1 : 1;
        if (node != last) made->n_node++;
        if (n_here > made->n_in_node) made->n_in_node = n_here;
        last = node;
    }
    return made;
}

MPI_Comm hf_sim_comm_world(void)
{
    return net.world;
}

MPI_Comm hf_sim_comm_self(void)
{
    const int rank = hf_sim_rank();
    if (net.process[rank].alone == NULL) {
        int *world = hf_sim_memory(1, sizeof *world);
        *world = rank;
        net.process[rank].alone = hf_sim_comm_make(1, world);
    }
    return net.process[rank].alone;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    const int wanted = hf_sim_rank();
    int low = 0, high = comm->n;
    while (comm->world != NULL && high - low > 1) {
        const int middle = (low + high) / 2;
        if (comm->world[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    *rank = comm->world != NULL ? low : wanted;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = comm->n;
    return MPI_SUCCESS;
}

/** The last rank frees it. */
int MPI_Comm_free(MPI_Comm *comm)
{
    if (++(*comm)->n_freed == (*comm)->n) free_comm(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int hf_sim_attribute(int key, void *value, int *found)
{
    static int largest_tag = 1 << 30, unified = MPI_WIN_UNIFIED;
    int *const place = key == MPI_TAG_UB ? &largest_tag : &unified;
    *found = 1;
    memcpy(value, &place, sizeof place);
    return MPI_SUCCESS;
}

int MPI_Query_thread(int *level)
{
    *level = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code)
{
    fprintf(stderr, "hf-simulate: a simulated rank has called MPI_Abort\n");
    exit(code);
}
