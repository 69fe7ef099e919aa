/* Shared counters over MPI one-sided communication; two ways to read them. */
#include "schedule/counter.h"

#include "base/arena.h"
#include "base/mpi_window.h"
#include "groups.h"
#include "hf/context.h"

#include <stdbool.h>
#include <string.h>

enum { HOME = 0 }; /* the rank whose window holds the first counter, or the only one */

struct hf_counter {
    struct hf_arena arena;
    MPI_Comm comm; /**< a duplicate, owned */
    enum hf_counter_method method;
    int rank, n_rank;
    int n_counter;   /**< 1 with HF_COUNTER_ARRAY */
    bool home;       /**< this rank holds one */
    MPI_Win window;  /**< at home: one number, or with HF_COUNTER_ARRAY one for each rank */
    int64_t *number; /**< at home: memory of the window */
    int64_t *taken;  /**< [n_rank] HF_COUNTER_ARRAY: own entry exact, others as last read */
};

const char *hf_counter_method_name(enum hf_counter_method method)
{
    return method == HF_COUNTER_ARRAY ? "array" : "fetch-and-op";
}

/** Bytes of this rank's part of the window: whole cache lines, see base/mpi_window.h. */
static size_t window_bytes(const struct hf_counter *counter)
{
    const size_t n = counter->method == HF_COUNTER_ARRAY ? (size_t)counter->n_rank : 1;
    return counter->home ? hf_whole_lines(n * sizeof(int64_t)) : 0;
}

/** Zeroes the window by loads and stores under its lock, which every MPI memory model allows; the window is of
 *  this rank. */
static void clear_window(struct hf_counter *counter)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, counter->rank, 0, counter->window);
    memset(counter->number, 0, window_bytes(counter));
    MPI_Win_unlock(counter->rank, counter->window);
}

/** Memory of this rank for counters over `comm`; NULL: none. Local. */
static struct hf_counter *begin(MPI_Comm comm, enum hf_counter_method method, int n_counter)
{
    struct hf_counter *made;
    if (HF_NEW(made, NULL, "the shared counter") == NULL) return NULL;
    made->comm = MPI_COMM_NULL;
    made->method = method;
    made->n_counter = n_counter;
    made->window = MPI_WIN_NULL;
    MPI_Comm_size(comm, &made->n_rank);
    MPI_Comm_rank(comm, &made->rank);
    made->home = hf_group_of_rank(made->n_rank, n_counter, made->rank).first == made->rank;
    if (method == HF_COUNTER_ARRAY) HF_TAKE(&made->arena, made->taken, (size_t)made->n_rank);
    return made;
}

/** Opens epochs at all homes, so that single atomic operations need no lock. */
static void open_epochs(struct hf_counter *counter)
{
    if (counter->n_counter == 1)
        MPI_Win_lock(MPI_LOCK_SHARED, HOME, 0, counter->window);
    else
        MPI_Win_lock_all(0, counter->window);
}

static void close_epochs(struct hf_counter *counter)
{
    if (counter->n_counter == 1)
        MPI_Win_unlock(HOME, counter->window);
    else
        MPI_Win_unlock_all(counter->window);
}

hf_status hf_counter_create(MPI_Comm comm, enum hf_counter_method method, int n_counter,
                            struct hf_counter **counter, struct hf_error *error)
{
    hf_status status;
    void *memory = NULL;
    struct hf_counter *made = begin(comm, method, method == HF_COUNTER_ARRAY ? 1 : n_counter);
    HF_TRY(hf_agree(comm, hf_arena_check_new(made, error), error));
    MPI_Comm_dup(comm, &made->comm);
    HF_TRY(hf_mpi_window_allocate(made->comm, MPI_COMM_NULL, window_bytes(made), sizeof(int64_t),
                                  "shared counter", &memory, &made->window, error));
    made->number = memory;
    if (made->home) clear_window(made);
    MPI_Barrier(made->comm);
    if (method == HF_COUNTER_FETCH_AND_OP) open_epochs(made);
    *counter = made;
    return HF_OK;
cleanup:
    hf_counter_destroy(&made);
    return status;
}

void hf_counter_destroy(struct hf_counter **counter)
{
    struct hf_counter *old = *counter;
    if (old == NULL) return;
    if (old->window != MPI_WIN_NULL) {
        if (old->method == HF_COUNTER_FETCH_AND_OP) close_epochs(old);
        MPI_Win_free(&old->window);
    }
    if (old->comm != MPI_COMM_NULL) MPI_Comm_free(&old->comm);
    hf_arena_free(counter);
}

static int64_t fetch_and(MPI_Op op, struct hf_counter *counter, int home, int64_t operand)
{
    int64_t value;
    MPI_Fetch_and_op(&operand, &value, MPI_INT64_T, home, 0, op, counter->window);
    MPI_Win_flush(home, counter->window);
    return value;
}

/** The counter's value is the sum of what all ranks have taken. No location is both read and
 *  written in one epoch, as MPI-2 demands: a rank knows its own count without reading it. */
static int64_t take_by_array(struct hf_counter *counter, int64_t increment)
{
    const int left = counter->rank, right = counter->n_rank - counter->rank - 1;
    int64_t *taken = counter->taken, own = taken[left] + increment, value = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, HOME, 0, counter->window);
    if (left > 0) MPI_Get(taken, left, MPI_INT64_T, HOME, 0, left, MPI_INT64_T, counter->window);
    if (right > 0)
        MPI_Get(taken + left + 1, right, MPI_INT64_T, HOME, left + 1, right, MPI_INT64_T,
                counter->window);
    MPI_Put(&own, 1, MPI_INT64_T, HOME, left, 1, MPI_INT64_T, counter->window);
    MPI_Win_unlock(HOME, counter->window);
    for (int r = 0; r < counter->n_rank; r++) value += taken[r];
    taken[left] = own;
    return value;
}

int64_t hf_counter_take(struct hf_counter *counter, int number, int64_t increment)
{
    const int home = hf_first_of_group(counter->n_rank, counter->n_counter, number);
    return counter->method == HF_COUNTER_ARRAY ? take_by_array(counter, increment)
                                               : fetch_and(MPI_SUM, counter, home, increment);
}

void hf_counter_reset(struct hf_counter *counter)
{
    MPI_Barrier(counter->comm); /* no rank takes from the old count any more */
    if (counter->method == HF_COUNTER_ARRAY)
        memset(counter->taken, 0, (size_t)counter->n_rank * sizeof *counter->taken);
    if (counter->home && counter->method == HF_COUNTER_ARRAY)
        clear_window(counter);
    else if (counter->home)
        fetch_and(MPI_REPLACE, counter, counter->rank, 0);
    MPI_Barrier(counter->comm); /* no rank takes before the new one is set */
}
