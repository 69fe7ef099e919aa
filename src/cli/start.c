/* Before MPI: is there enough memory and address space to start the libraries? If not, they do not return
 * an error: OpenBLAS repeats its request for ever, MPI_Init aborts. */
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

/** Bytes that MPI and other libraries take between here and the first integral, measured on Debian 12
 *  with Open MPI 4.1, and some more. Of address space BLAS takes 135 MB and MPI_Init 73, for all of its
 *  components; it may crash when it can map only some of them. Of data two helium atoms took 22 MB
 *  beside BLAS', and in a control group 8 MB of a rank sufficed. */
static const double START_ADDRESS = 135e6 + 95e6, START_DATA = 135e6 + 45e6, START_MEMORY = 20e6;

/** Settings of libraries that spare address space. */
static const struct {
    const char *variable;
    size_t n_name; /**< characters of the name with its = */
} sparing[] = {
    /* under a limit hf uses no more (hf_launch_use_threads), but OpenBLAS makes a thread for every core
     * when it is loaded, each with a work space of 128 MiB, which it asks for for ever */
    {"OPENBLAS_NUM_THREADS=1", sizeof "OPENBLAS_NUM_THREADS"},
    /* or else malloc takes 128 MiB for every thread, as long as there are any, and leaves nothing */
    {"MALLOC_ARENA_MAX=1", sizeof "MALLOC_ARENA_MAX"},
};
enum { N_SPARING = sizeof sparing / sizeof *sparing };

static bool is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/** By its own name: what is started as /proc/self/exe is called "exe" by ps, top, pkill and batch
 *  systems. Returns where that is refused. */
__attribute__((no_sanitize("address", "undefined"))) static void start_again(char **argv,
                                                                             char **variables)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = '\0';
        execve(path, argv, variables);
    }
    execve("/proc/self/exe", argv, variables); /* it has been moved, replaced or deleted */
}

/** Starts the program again with the settings that spare address space, where that is limited. This
 *  has to come before the constructors of shared libraries: in .preinit_array, where the C library is
 *  not yet set up. Only system calls are used, and the arguments given. */
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
    /* where that is refused it goes on with the threads that there are */
}

typedef void (*start_function)(int argc, char **argv, char **variables);
static const start_function before_libraries __attribute__((section(".preinit_array"), used)) =
    spare_address_space;

/** Has malloc keep the pages of freed matrices for the next ones: fresh pages took a third of the linear algebra of
 *  C40H82/6-31G* without the diagonalisations. These are the largest values that glibc takes by itself in the course
 *  of a program: up to 64 MiB stay with the process. */
static void keep_freed_pages(void)
{
#ifdef __GLIBC__
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) return;
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

/** A number that some launcher puts into the environment; `otherwise` when none does. */
static int number_of(const char *const names[], int otherwise)
{
    for (; *names != NULL; names++) {
        const char *text = getenv(*names);
        if (text != NULL && text[0] >= '0' && text[0] <= '9') return atoi(text);
    }
    return otherwise;
}

/** The line of a failure. */
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
    return hf_linalg_prepare_blas(error); /* now that there is room for sure */
}
