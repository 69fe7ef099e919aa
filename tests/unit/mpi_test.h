/* Frame of a test program that runs on several ranks: a failed check ends all ranks at once, so
 * that none waits for ever for the one that failed. */
#ifndef HF_MPI_TEST_H
#define HF_MPI_TEST_H

#include "test.h"

#include <mpi.h>

#include "hf/context.h"

/** Runs the tests of the file between MPI_Init and MPI_Finalize; which is left out when they leave a thread
 *  `stuck_in_mpi`. */
#define HF_RUN_MPI_TESTS(argc, argv, stuck_in_mpi)                                                 \
    do {                                                                                           \
        setenv("CMOCKA_TEST_ABORT", "1", 1);                                                       \
        int thread_level;                                                                          \
        MPI_Init_thread(&(argc), &(argv), MPI_THREAD_MULTIPLE, &thread_level);                     \
        const int n_failed = cmocka_run_group_tests(test_list, NULL, NULL);                        \
        if (n_failed != 0) MPI_Abort(MPI_COMM_WORLD, 1);                                           \
        hf_leave_mpi(stuck_in_mpi, 0);                                                             \
        return 0;                                                                                  \
    } while (0)

/** The program of tests that need no arguments. */
#define MPI_TEST_MAIN                                                                              \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        HF_RUN_MPI_TESTS(argc, argv, false);                                                       \
    }

/** This rank of MPI_COMM_WORLD, and how many there are. */
static inline int rank_here(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static inline int rank_count(void)
{
    int n_rank;
    MPI_Comm_size(MPI_COMM_WORLD, &n_rank);
    return n_rank;
}

/** For a case that finds the same on any number of ranks (kernels, formulas, solutions): one and two ranks, which each build
 *  of tools/check --all has one of, see all of it. */
static inline void leave_out_on_many_ranks(void)
{
    if (rank_count() > 2) skip();
}

/** For a long case that only asks for a number, and whose code others go through as well: sanitizers make it ten to twenty times
 *  as long. */
static inline void leave_out_under_sanitizers(void)
{
#if defined __SANITIZE_ADDRESS__
    skip();
#endif
}

/** Context over all ranks; fails the test when there is none. */
static inline struct hf_context *test_context(void)
{
    struct hf_context *context = NULL;
    assert_ok(hf_context_create(MPI_COMM_WORLD, &context, &error));
    return context;
}

/** Destroys the context after checking that everything allocated from it was released. */
static inline void test_context_done(struct hf_context **context)
{
    assert_int_equal(hf_memory_current_bytes((*context)->memory), 0);
    hf_context_destroy(context);
}

/** A context that lasts to the end of the block. */
#define TEST_CONTEXT(name)                                                                         \
    struct hf_context *name __attribute__((cleanup(test_context_done))) = test_context()

#endif
