/* BLAS and a short address space. Without MPI: nothing may have called BLAS before. */
#include "../test.h"
#include "hf/linalg.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/** Leaves the process so many more bytes of address space. */
static void leave(size_t n_bytes)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + n_bytes;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

TEST(blas_is_not_called_without_room_for_its_work_space)
{
    leave((size_t)100 << 20);
    assert_failure(hf_linalg_prepare_blas(&error), HF_NO_RESOURCE, &error,
                   "BLAS needs 135 MB of address space");
    leave((size_t)200 << 20);
    assert_ok(hf_linalg_prepare_blas(&error));
    leave((size_t)10 << 20); /* it has taken what it needs, and keeps it */
    assert_ok(hf_linalg_prepare_blas(&error));
}

TEST_MAIN
