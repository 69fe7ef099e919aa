/* Simulated ranks, their communicators and what messages between them cost. */
#ifndef HF_SIMULATE_NETWORK_H
#define HF_SIMULATE_NETWORK_H

#include "clock.h"
#include "hf/status.h"

#include <mpi.h>
#include <stdbool.h>

/** The simulated machine. A message of l bytes takes alpha + l beta (Janssen and Nielsen, Eq. 5.1), less between ranks
 *  of a node; ranks lie on the nodes in their order. */
struct hf_sim_machine {
    double alpha_seconds, beta_seconds_per_byte;
    double node_alpha_seconds, node_beta_seconds_per_byte;
    /** An operation on the memory of another rank, there and back, with the service; the service keeps others waiting. */
    double counter_seconds, counter_service_seconds;
    double manager_service_seconds; /**< to receive a request and to send the answer */
    double addition_seconds;        /**< of two numbers in a sum over ranks */
    double counter_needs_home;      /**< not 0: a rank serves operations only when it calls MPI */
    double ranks_per_node, cores_per_node; /**< cores 0: one for each thread */
    double nap_seconds; /**< of a core that threads share, to fall asleep, wake up and look */
};

/** Reads a machine from a file of JSON with the names above; members that it does not name keep their values. HF_BAD_INPUT. */
hf_status hf_sim_machine_read(const char *path, struct hf_sim_machine *machine,
                              struct hf_error *error) HF_MUST_CHECK;

/** One of today's clusters, a rank on each node. */
extern const struct hf_sim_machine hf_sim_cluster;

struct hf_sim_operation;

struct hf_sim_process {
    struct hf_sim_message *first, *last; /**< that have arrived */
    double out_free, in_free;            /**< when its lines are free */
    double serve_free;                   /**< when it can serve the next operation on its memory */
    struct hf_sim_operation *waiting;    /**< on its memory, until it calls MPI */
    MPI_Comm alone;
};

struct hf_sim_comm {
    int n, n_freed;
    int *world; /**< [n] rising ranks of the world; NULL: those of the world */
    int n_node, n_in_node;
    long *n_call;                   /**< [n] collective calls of each rank so far */
    struct hf_sim_collective *open; /**< calls that not all ranks have left, the oldest first */
};

/** Ranks and their clock. `machine` is borrowed. False: no memory. */
bool hf_sim_create(const struct hf_sim_machine *machine, int n_rank);
void hf_sim_destroy(void);

const struct hf_sim_machine *hf_sim_the_machine(void);
/** Of a rank of the world. */
struct hf_sim_process *hf_sim_process(int rank);

/** A communicator of n ranks, which takes `world` over. */
MPI_Comm hf_sim_comm_make(int n, int *world);
/** A rank of a communicator in the world. */
int hf_sim_in_world(MPI_Comm comm, int rank);

bool hf_sim_near(int rank, int other);
/** Seconds of a latency between two ranks of the world. */
double hf_sim_latency(int from, int to);
/** When a message arrives that leaves now; it keeps the lines of both ranks. */
double hf_sim_send(int from, int to, double n_bytes);
/** Steps of a latency in a tree over the ranks of each node and the nodes. */
double hf_sim_tree_seconds(MPI_Comm comm);

/** By how much messages and sums of doubles are longer in the run than here, where data are smaller. */
struct hf_sim_scale {
    double messages, sums;
};
void hf_sim_scale(struct hf_sim_scale scale);
const struct hf_sim_scale *hf_sim_the_scale(void);

/** To be called when a rank calls MPI: it serves operations on its memory. */
void hf_sim_serve(int rank);

/** to[i] = op(to[i], from[i]) */
void hf_sim_combine(void *to, const void *from, int n, MPI_Datatype type, MPI_Op op);

/* ---- Requests ---- */

struct hf_sim_request {
    bool done, released;
    void *to; /**< of a receive, and */
    int from, tag;
    MPI_Comm comm;
    MPI_Status status;
    struct hf_sim_collective *collective; /**< of a collective, or NULL */
};

/** Copies the result of a collective call that is over for this rank. False: it is not over. */
bool hf_sim_collective_leave(struct hf_sim_collective *collective, void *to);

#endif
