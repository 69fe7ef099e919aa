/* The clock of a simulation: events in the order of their time, and threads that run until they wait.
 *
 *     hf_sim_clock_create(n_rank, cores_per_node, ranks_per_node)
 *     hf_sim_start(rank, run, data)           threads of ranks
 *     hf_sim_run()                            until there are no more events
 *     hf_sim_clock_destroy()
 *
 * MPI calls have no handle, so the simulation that runs is the state of the process: there is one at a time. Threads
 * have stacks of their own and hand over to each other (ucontext); no two run at once.
 *
 * Loops that look for messages would take most of the time. A thread that has looked often without success
 * therefore looks more seldom, an eighth of its waiting time apart at most, unless something happens to its rank: then it
 * looks when the loop would have looked. */
#ifndef HF_SIMULATE_CLOCK_H
#define HF_SIMULATE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

struct hf_sim_thread;

/** Nodes of `ranks_per_node` ranks in their order, with so many cores each (0: one for each thread). False: no memory. */
bool hf_sim_clock_create(int n_rank, int cores_per_node, int ranks_per_node);
/** Frees all. */
void hf_sim_clock_destroy(void);

/** Memory, or the process ends with a message: a simulation cannot go on without it. */
void *hf_sim_memory(size_t n, size_t n_bytes);

/** Runs to the end; returns the number of threads that wait for ever. */
int hf_sim_run(void);

double hf_sim_now(void);

/** Calls act(data) at a time that is not over. */
void hf_sim_at(double time, void (*act)(void *data), void *data);

/** A new thread of a rank, which begins now. */
struct hf_sim_thread *hf_sim_start(int rank, void (*run)(void *data), void *data);
bool hf_sim_has_ended(const struct hf_sim_thread *thread);

/* ---- Of the thread that runs ---- */

int hf_sim_rank(void);

/** So many seconds pass. */
void hf_sim_sleep(double seconds);

/** The same, of which the thread needs a core: with fewer cores than threads it takes longer. */
void hf_sim_compute(double seconds);

/** Until hf_sim_wake of the thread's rank. */
void hf_sim_block(void);
/** The same inside MPI, where the rank serves others meanwhile. */
void hf_sim_block_in_mpi(void);

/** Waits `period`, or longer: see above; at most about `longest`. */
void hf_sim_pause(double period, double longest);

/** A look for messages has found something, or not. Many looks without success take time. */
void hf_sim_look(bool found);

/** All threads of a rank that wait look again. */
void hf_sim_wake(int rank);

/** Whether a thread of the rank waits inside MPI. */
bool hf_sim_waits(int rank);

#endif
