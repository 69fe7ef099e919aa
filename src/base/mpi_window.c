/* MPI windows whose creation returns errors; see base/mpi_window.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "base/mpi_window.h"

#include "hf/context.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

/** MPI libraries map a little memory in addition to the parts of the ranks. */
static const size_t OWN_BYTES = 262144;

/** MPI libraries map files in /dev/shm even if it has too little room. Then they crash when they write (MPICH 4.0.2),
 *  or one rank notices and the others wait for it (Open MPI 4.1). */
static bool file_system_has_room(size_t n_bytes)
{
    struct statvfs found;
    if (statvfs("/dev/shm", &found) != 0) return true; /* shared memory is made in another way */
    return (double)found.f_bavail * (double)found.f_frsize > (double)n_bytes;
}

/** A limit of file sizes (RLIMIT_FSIZE) also applies to these files: Open MPI then waits for ever. */
static bool file_may_be_so_long(size_t n_bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    return (double)limit.rlim_cur > (double)n_bytes;
}

/** Whether n_bytes of address space can be mapped. If not, one rank would fail inside MPI and the others would wait. */
static bool address_space_has_room(size_t n_bytes)
{
    void *place =
        mmap(NULL, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return false;
    munmap(place, n_bytes);
    return true;
}

bool hf_shared_memory_has_room(size_t n_bytes)
{
    if (n_bytes > SIZE_MAX / 2 - OWN_BYTES) return false;
    return file_system_has_room(n_bytes + n_bytes / 8 + OWN_BYTES) &&
           file_may_be_so_long(n_bytes + OWN_BYTES) && address_space_has_room(n_bytes + OWN_BYTES);
}

bool hf_all_say(MPI_Comm comm, bool mine)
{
    int yes = mine;
    MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_MIN, comm);
    return yes != 0;
}

/** Whether the parts of this node fit. A single rank needs no shared memory. */
static hf_status check_room(MPI_Comm comm, MPI_Comm node, size_t n_bytes, const char *label,
                            struct hf_error *error)
{
    unsigned long long bytes = n_bytes;
    int n_rank;
    MPI_Comm_size(comm, &n_rank);
    if (node != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, node);
    if (n_rank > 1 ? hf_shared_memory_has_room(bytes) : address_space_has_room(bytes + OWN_BYTES))
        return HF_OK;
    return hf_fail(
        error, HF_NO_RESOURCE,
        "no room for the %s: the ranks of a node need %.2f MB of /dev/shm, and as much of "
        "the address space and of the file size (ulimit -v, -f) that each may have",
        label, 1e-6 * (double)(bytes + OWN_BYTES));
}

static hf_status refusal(int code, struct hf_error *error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) text[0] = '\0';
    return hf_fail(error, HF_NO_RESOURCE, "the MPI library refuses windows here (%.200s)", text);
}

hf_status hf_mpi_window_allocate(MPI_Comm comm, MPI_Comm node, size_t n_bytes, int unit,
                                 const char *label, void **memory, MPI_Win *window,
                                 struct hf_error *error)
{
    hf_status status;
    void *made = NULL;
    MPI_Errhandler before;
    *window = MPI_WIN_NULL;
    HF_TRY(hf_agree(comm, check_room(comm, node, n_bytes, label, error), error));
    MPI_Comm_get_errhandler(comm, &before);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int code = MPI_Win_allocate((MPI_Aint)n_bytes, unit, MPI_INFO_NULL, comm, &made, window);
    MPI_Comm_set_errhandler(comm, before);
    MPI_Errhandler_free(&before);
    if (code != MPI_SUCCESS) status = refusal(code, error);
    status = hf_agree(comm, status, error);
    if (status == HF_OK)
        *memory = made;
    else
        *window = MPI_WIN_NULL; /* not freed if only some ranks have it: freeing needs all ranks */
cleanup:
    return status;
}
