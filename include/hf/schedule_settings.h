/* Which scheduler hands out tasks, and what it can be told. */
#ifndef HF_SCHEDULE_SETTINGS_H
#define HF_SCHEDULE_SETTINGS_H

#include <stdbool.h>

struct hf_interruption;

/** How a counter shared by all ranks is read. */
enum hf_counter_method {
    /** MPI-3: one MPI_Fetch_and_op on one number of rank 0. Memory: one number, on rank 0. */
    HF_COUNTER_FETCH_AND_OP,
    /** MPI-2 (counter paper, section 2): rank 0 holds what each rank has taken; in one exclusive
     *  lock a rank gets those of the others and puts its own. Memory: one number per rank in rank
     *  0's window and in a buffer on every rank, all of which travel at every read. */
    HF_COUNTER_ARRAY,
};

/** Which scheduler, and what some of them can be told. */
struct hf_scheduler_settings {
    const char *name;               /**< in hf_scheduler_list */
    bool asked_for;                 /**< by whoever runs the program: it is not the default */
    enum hf_counter_method counter; /**< of "counter" */
    bool progress_thread; /**< of "counter": a thread on rank 0, which has the counter, serves
                               the others while it computes */
    /** Ranks of "counter" and "manager" that one counter or manager serves, at most; 0: as many as pays.
     *  With several each has its own part of the tasks, and ranks that are through go on with others. */
    int group;
    struct hf_interruption *interruption; /**< looked at while waiting; may be NULL; borrowed */
};

#endif
