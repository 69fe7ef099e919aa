/* Checks before MPI starts whether there is enough memory and address space for the libraries. Without it they do
 * not return an error: OpenBLAS repeats its request for ever, MPI_Init aborts. */
#include "cli/cli.h"

#include "base/memory_limits.h"
#include "hf/linalg.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__ /* from the headers above */
#include <malloc.h>
#endif

/** Bytes that MPI and other libraries take before the first integral, measured on Debian 12 with Open MPI 4.1, plus a
 *  margin. Address space: BLAS takes 135 MB, MPI_Init 73 MB for all its components (it may crash if only some can be
 *  mapped). Data: two helium atoms took 22 MB in addition to BLAS. In a control group 8 MB per rank were enough. */
static const double START_ADDRESS = 135e6 + 95e6, START_DATA = 135e6 + 45e6, START_MEMORY = 20e6;

/** Settings of libraries that save address space. */
static const struct {
    const char *variable;
    size_t n_name; /**< length of the name, with its = */
} sparing[] = {
    /* Under a limit hf only uses one BLAS thread (hf_launch_use_threads). But OpenBLAS makes a thread for every core
     * when it is loaded, each with a work space of 128 MiB, and repeats failing requests for ever. */
    {"OPENBLAS_NUM_THREADS=1", sizeof "OPENBLAS_NUM_THREADS"},
    /* otherwise malloc takes 128 MiB per thread as long as there is space, and leaves nothing */
    {"MALLOC_ARENA_MAX=1", sizeof "MALLOC_ARENA_MAX"},
};
enum { N_SPARING = sizeof sparing / sizeof *sparing };

static bool is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/** Starts the program again by its own path, because ps, top, pkill and batch systems would show /proc/self/exe as
 *  "exe". Returns if that is refused. */
__attribute__((no_sanitize("address", "undefined"))) static void start_again(char **argv,
                                                                             char **variables)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = '\0';
        execve(path, argv, variables);
    }
    execve("/proc/self/exe", argv, variables); /* if the file was moved, replaced or deleted */
}

/** If address space is limited, starts the program again with the settings that save it. This must happen before the
 *  constructors of shared libraries, so it is in .preinit_array, where the C library is not yet set up. It only uses
 *  system calls and its arguments. */
__attribute__((no_sanitize("address", "undefined"))) static void
spare_address_space(int argc, char **argv, char **variables)
{
    enum { MOST_VARIABLES = 4000 };
    char *with_them[MOST_VARIABLES + N_SPARING + 1];
    int n = 0, n_there = 0;
    (void)argc;
    if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return;
    for (int i = 0; variables[i] != NULL; i++) {
        bool replaced = false;
        for (int k = 0; k < N_SPARING; k++) {
            replaced |= strncmp(variables[i], sparing[k].variable, sparing[k].n_name) == 0;
            n_there += strcmp(variables[i], sparing[k].variable) == 0;
        }
        if (n == MOST_VARIABLES) return;
        if (!replaced) with_them[n++] = variables[i];
    }
    if (n_there >= N_SPARING) return; /* this is the second start */
    for (int k = 0; k < N_SPARING; k++) with_them[n++] = (char *)sparing[k].variable;
    with_them[n] = NULL;
    start_again(argv, with_them);
    /* if that is refused, hf continues with the present threads */
}

typedef void (*start_function)(int argc, char **argv, char **variables);
static const start_function before_libraries __attribute__((section(".preinit_array"), used)) =
    spare_address_space;

/** Makes malloc keep the pages of freed matrices for the next ones. Fresh pages took a third of the linear algebra of
 *  C40H82/6-31G* without the diagonalisations. The values are the largest that glibc itself chooses while a program
 *  runs: up to 64 MiB stay with the process. */
static void keep_freed_pages(void)
{
#ifdef __GLIBC__
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) return;
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

/** A number that some launcher puts into the environment; `otherwise` if there is none. */
static int number_of(const char *const names[], int otherwise)
{
    for (; *names != NULL; names++) {
        const char *text = getenv(*names);
        if (text != NULL && text[0] >= '0' && text[0] <= '9') return atoi(text);
    }
    return otherwise;
}

/** Writes the message of a failure. */
static hf_status too_little(const char *what, double left, double needed, const char *mend,
                            struct hf_error *error)
{
    return hf_fail(
        error, HF_NO_RESOURCE,
        "%s leaves %.0f MB, MPI and the other libraries take about %.0f MB before anything "
        "is computed: %.0f MB too few; %s",
        what, 1e-6 * left, 1e-6 * needed, 1e-6 * (needed - left), mend);
}

hf_status hf_start_check(bool *reports, struct hf_error *error)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
    static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "SLURM_LOCALID", NULL};
    struct hf_memory_limits limits;
    const double all_ranks = START_MEMORY * number_of(sizes, 1);
    *reports = hf_launch_rank() == 0 || number_of(ranks, 0) == 0;
    hf_memory_limits_find("", &limits);
    if (limits.address_free < START_ADDRESS)
        return too_little("the limit of address space (RLIMIT_AS)", limits.address_free,
                          START_ADDRESS, "raise it (ulimit -v)", error);
    if (limits.data_free < START_DATA)
        return too_little("the limit of data (RLIMIT_DATA)", limits.data_free, START_DATA,
                          "raise it (ulimit -d)", error);
    if (limits.group_free < all_ranks)
        return too_little("the control group of the job", limits.group_free, all_ranks,
                          "ask the batch system for more memory", error);
    keep_freed_pages();
    return hf_linalg_prepare_blas(error); /* there is certainly room now */
}
