/* Which scheduler hands out tasks, and its settings. */
#ifndef HF_SCHEDULE_SETTINGS_H
#define HF_SCHEDULE_SETTINGS_H

#include <stdbool.h>

struct hf_context;
struct hf_interruption;

/** How a counter shared by all ranks is read. */
enum hf_counter_method {
    /** MPI-3: one MPI_Fetch_and_op on a number on rank 0. Memory: that number. */
    HF_COUNTER_FETCH_AND_OP,
    /** MPI-2 (counter paper, section 2): rank 0 holds, for each rank, the count of numbers that it has taken. In one
     *  exclusive lock a rank reads the counts of the others and writes its own. Memory: one number per rank, in rank
     *  0's window and in a buffer on every rank. Every read moves all of them. */
    HF_COUNTER_ARRAY,
};

/** Which scheduler, and settings of some of them. */
struct hf_scheduler_settings {
    const char *name;               /**< in hf_scheduler_list */
    bool asked_for;                 /**< the user chose it; it is not the default */
    enum hf_counter_method counter; /**< for "counter" */
    /** for "counter": on ranks that have a counter, a thread serves other ranks while the rank computes */
    bool progress_thread;
    /** For "counter" and "manager": largest number of ranks that one counter or manager serves; 0: chosen by hf. If
     *  there are several, each has its own part of the tasks. Ranks that finish their part help with others. */
    int group;
    /** For "steal": a context of the same ranks in the same order; NULL: a new one is made, with its own
     *  communicators. Borrowed. */
    struct hf_context *context;
    struct hf_interruption *interruption; /**< checked while waiting; may be NULL; borrowed */
};

#endif
