/* A pass: what the threads of a rank do with items that they take one after another. Each thread has a state of its own,
 * which is made when the thread begins and added up when it ends. Items are the tasks of a round of work (work/work.h), or
 * the numbers 0 to n - 1. */
#ifndef HF_PASS_H
#define HF_PASS_H

#include "base/arena.h"
#include "hf/context.h"
#include "work/work.h"

/** One thread of a pass. */
struct hf_pass_thread {
    int number;
    struct hf_worker *worker; /**< of the round of work; NULL in hf_pass_items */
    void *data;               /**< of the pass */
    struct hf_arena arena;    /**< memory until the end of the pass */
};

/** A constant table. */
struct hf_pass {
    const char *label; /**< of the memory of threads, and in the message if there is not enough */
    size_t own_bytes;  /**< of a thread's state, which begins as zeros */

    /** Makes the state, with arrays from thread->arena; if one of these is missing the pass fails afterwards. NULL: nothing to do. */
    hf_status (*begin)(void *own, struct hf_pass_thread *thread, void *data,
                       struct hf_error *error);

    hf_status (*item)(void *own, struct hf_pass_thread *thread, int64_t item,
                      struct hf_error *error);

    /** Instead of `item`: takes all tasks of a round of work itself (hf_work_next_task). */
    hf_status (*run)(void *own, struct hf_pass_thread *thread, struct hf_error *error);

    /** Adds what the thread has found to `data`, and frees what is not in the arena. Called by one thread at a
     *  time, also after a failure (even of `begin`). NULL: nothing to do. */
    void (*end)(void *own, void *data);
};

/** Does all tasks that this thread gets. For hf_round.run. Not collective. */
hf_status hf_work_do_pass(struct hf_worker *worker, const struct hf_pass *pass, void *data,
                          struct hf_error *error) HF_MUST_CHECK;

/** What hf_run_pass is given. */
struct hf_pass_data {
    const struct hf_pass *pass;
    void *data;
};

/** hf_round.run: the same; the round's data is a struct hf_pass_data or begins with one. Not collective. */
hf_status hf_run_pass(void *data, struct hf_worker *worker, struct hf_error *error) HF_MUST_CHECK;

/** Does items 0 to n - 1 with n_thread threads. Ends early if the run is interrupted; hf_agree_to_go_on then
 *  reports it. Not collective. */
hf_status hf_pass_items(struct hf_context *context, int n_thread, int64_t n,
                        const struct hf_pass *pass, void *data,
                        struct hf_error *error) HF_MUST_CHECK;

#endif
