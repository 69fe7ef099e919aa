/* Windows of MPI: what cannot be made is the same error on all ranks, and the program goes on. */
#include "../mpi_test.h"

#include "base/mpi_window.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/** Stands in for a library that makes no windows. */
static bool refuse;

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window)
{
    MPI_Errhandler handler;
    if (!refuse) return PMPI_Win_allocate(size, unit, info, comm, base, window);
    MPI_Comm_get_errhandler(comm, &handler); /* as a library does, which then ends the job */
    assert_true(handler == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    return MPI_ERR_WIN;
}

enum { LINE = 64 };

static void check_same_message(const struct hf_error *failure, const char *part)
{
    struct hf_error first = *failure;
    MPI_Bcast(first.message, (int)sizeof first.message, MPI_CHAR, 0, MPI_COMM_WORLD);
    assert_string_equal(failure->message, first.message);
    assert_non_null(strstr(failure->message, part));
}

static void expect_refusal(size_t n_bytes, const char *part)
{
    TEST_CONTEXT(context);
    MPI_Win window;
    void *memory;
    assert_int_equal(hf_mpi_window_allocate(context->comm, context->node, n_bytes, 1, "test",
                                            &memory, &window, &error),
                     HF_NO_RESOURCE);
    assert_true(window == MPI_WIN_NULL);
    check_same_message(&error, part);
}

TEST(every_rank_reaches_the_memory_of_the_next)
{
    TEST_CONTEXT(context);
    MPI_Win window;
    void *memory;
    int found = -1;
    assert_ok(hf_mpi_window_allocate(context->comm, context->node, LINE, sizeof(int), "test",
                                     &memory, &window, &error));
    MPI_Win_fence(0, window);
    *(int *)memory = context->rank;
    MPI_Win_fence(0, window);
    MPI_Get(&found, 1, MPI_INT, (context->rank + 1) % context->n_rank, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    assert_int_equal(found, (context->rank + 1) % context->n_rank);
    MPI_Win_free(&window);
}

TEST(a_library_that_refuses_does_not_end_the_program)
{
    refuse = true;
    expect_refusal(LINE, "the MPI library refuses windows here (");
    refuse = false;
    every_rank_reaches_the_memory_of_the_next(state);
}

TEST(what_no_node_has_is_not_asked_of_the_library)
{
    expect_refusal((size_t)1 << 55, "no room for the test");
    expect_refusal(SIZE_MAX / 2 / LINE * LINE, "no room for the test");
}

/** Bytes of address space that this process has. */
static size_t address_bytes(void)
{
    size_t n_page = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%zu", &n_page) != 1) fail();
    fclose(file);
    return n_page * (size_t)sysconf(_SC_PAGESIZE);
}

/** One rank's limit of address space, which it would notice while the others wait. The sanitizer for
 *  addresses cannot live with one. */
TEST(a_limit_of_one_rank_is_an_error_of_all)
{
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    const size_t n_bytes = (size_t)1 << 29;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = address_bytes() + n_bytes / 2;
    if (rank_here() == rank_count() - 1) assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    expect_refusal(n_bytes, "no room for the test");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

MPI_TEST_MAIN
