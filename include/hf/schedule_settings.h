/* Which scheduler hands out tasks, and its settings. */
#ifndef HF_SCHEDULE_SETTINGS_H
#define HF_SCHEDULE_SETTINGS_H

#include <stdbool.h>

struct hf_context;
struct hf_interruption;

/** How a counter shared by all ranks is read. */
enum hf_counter_method {
    /** MPI-3: one MPI_Fetch_and_op on one number of rank 0. Memory: one number, on rank 0. */
    HF_COUNTER_FETCH_AND_OP,
    /** MPI-2 (counter paper, section 2): rank 0 holds the number that each rank has taken. In one
     *  exclusive lock a rank gets the numbers of all others and puts its own. Memory: one number per
     *  rank in rank 0's window and in a buffer on every rank; every read moves all of them. */
    HF_COUNTER_ARRAY,
};

/** Which scheduler, and settings of some of them. */
struct hf_scheduler_settings {
    const char *name;               /**< in hf_scheduler_list */
    bool asked_for;                 /**< the user chose it; it is not the default */
    enum hf_counter_method counter; /**< of "counter" */
    bool progress_thread; /**< of "counter": ranks that hold a counter serve others by a thread */
    /** For "counter" and "manager": most ranks that one counter or manager serves; 0: a suitable number. If
     *  there are several, each has its own part of the tasks. Ranks that finish theirs take tasks of others. */
    int group;
    /** Context of the same ranks in the same order, for "steal"; NULL: one is created, with communicators of
     *  its own. Borrowed. */
    struct hf_context *context;
    struct hf_interruption *interruption; /**< checked while waiting; may be NULL; borrowed */
};

#endif
