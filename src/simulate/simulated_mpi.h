/* The MPI of simulated ranks: the calls that the rooms of meson.build use, with the meaning of the standard, on
 * the clock of clock.h. Their files are compiled against this header unchanged. It also replaces the calls of POSIX
 * that wait, read the clock or start threads. Ranks are threads of one process, and one of them runs at a time. */
#ifndef HF_SIMULATE_MPI_H
#define HF_SIMULATE_MPI_H

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <time.h>

/* ---- Time and threads ---- */

struct hf_sim_mutex {
    int locked;
};
/** Nothing has to be stored: all threads that wait look again after a signal. */
struct hf_sim_condition {
    int unused;
};
struct hf_sim_thread;

/** For calls that need do nothing; returns 0. */
int hf_sim_nothing(void *object);
int hf_sim_yield(void);
int hf_sim_nap(const struct timespec *time);
int hf_sim_clock(clockid_t clock, struct timespec *now);
int hf_sim_mutex_init(struct hf_sim_mutex *mutex);
int hf_sim_mutex_lock(struct hf_sim_mutex *mutex);
int hf_sim_mutex_trylock(struct hf_sim_mutex *mutex);
int hf_sim_mutex_unlock(struct hf_sim_mutex *mutex);
int hf_sim_condition_wait(struct hf_sim_mutex *mutex);
int hf_sim_condition_wait_until(struct hf_sim_mutex *mutex, const struct timespec *time);
int hf_sim_condition_signal(void);
int hf_sim_thread_start(struct hf_sim_thread **thread, void *(*run)(void *), void *data);
int hf_sim_thread_join(struct hf_sim_thread *thread);

/* Of this computer's files and limits the simulated nodes know nothing. */
#define statvfs(path, found)                           ((void)(found), -1)
#define getrlimit(kind, limit)                         ((void)(limit), -1)
#define sched_yield()                                  hf_sim_yield()
#define nanosleep(time, rest)                          hf_sim_nap(time)
#define clock_gettime(clock, now)                      hf_sim_clock(clock, now)
#define pthread_mutex_t                                struct hf_sim_mutex
#define pthread_mutex_init(mutex, attributes)          hf_sim_mutex_init(mutex)
#define pthread_mutex_lock(mutex)                      hf_sim_mutex_lock(mutex)
#define pthread_mutex_trylock(mutex)                   hf_sim_mutex_trylock(mutex)
#define pthread_mutex_unlock(mutex)                    hf_sim_mutex_unlock(mutex)
#define pthread_mutex_destroy(mutex)                   hf_sim_nothing(mutex)
#define pthread_cond_t                                 struct hf_sim_condition
#define pthread_cond_init(condition, attributes)       hf_sim_nothing(condition)
#define pthread_cond_wait(condition, mutex)            hf_sim_condition_wait(mutex)
#define pthread_cond_timedwait(condition, mutex, time) hf_sim_condition_wait_until(mutex, time)
#define pthread_cond_signal(condition)                 hf_sim_condition_signal()
#define pthread_cond_broadcast(condition)              hf_sim_condition_signal()
#define pthread_cond_destroy(condition)                hf_sim_nothing(condition)
#define pthread_condattr_init(attributes)              hf_sim_nothing(attributes)
#define pthread_condattr_setclock(attributes, c)       hf_sim_nothing(attributes)
#define pthread_condattr_destroy(attributes)           hf_sim_nothing(attributes)
#define pthread_detach(thread)                         hf_sim_nothing(thread)
#define pthread_t                                      struct hf_sim_thread *
#define pthread_create(thread, attributes, run, data)  hf_sim_thread_start(thread, run, data)
#define pthread_join(thread, result)                   hf_sim_thread_join(thread)

/* ---- Types and constants ---- */

typedef struct hf_sim_comm *MPI_Comm;
typedef struct hf_sim_window *MPI_Win;
typedef struct hf_sim_request *MPI_Request;
typedef struct hf_sim_message *MPI_Message;
typedef int MPI_Datatype, MPI_Op, MPI_Errhandler, MPI_Info;
typedef ptrdiff_t MPI_Aint;
typedef struct {
    int MPI_SOURCE, MPI_TAG, n_bytes;
} MPI_Status;

#define MPI_COMM_NULL     ((MPI_Comm)NULL)
#define MPI_COMM_WORLD    hf_sim_comm_world()
#define MPI_COMM_SELF     hf_sim_comm_self()
#define MPI_WIN_NULL      ((MPI_Win)NULL)
#define MPI_REQUEST_NULL  ((MPI_Request)NULL)
#define MPI_STATUS_IGNORE ((MPI_Status *)NULL)
#define MPI_IN_PLACE      ((void *)1)

/** A type is its kind of number and its bytes: kind * 4096 + bytes. */
enum {
    HF_SIM_KIND = 4096,
    MPI_BYTE = 1,
    MPI_CHAR = 1,
    MPI_INT = HF_SIM_KIND + 4,
    MPI_INT64_T = 2 * HF_SIM_KIND + 8,
    MPI_UINT64_T = 3 * HF_SIM_KIND + 8,
    MPI_UNSIGNED_LONG_LONG = MPI_UINT64_T,
    MPI_DOUBLE = 4 * HF_SIM_KIND + 8,
    MPI_2INT = 5 * HF_SIM_KIND + 8,
    MPI_DOUBLE_INT = 6 * HF_SIM_KIND + 16,
};
enum { MPI_SUM, MPI_MIN, MPI_MAX, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE };
enum { MPI_SUCCESS, MPI_ERRORS_RETURN, MPI_INFO_NULL, MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE };
enum {
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -1,
    MPI_PROC_NULL = -2,
    MPI_DATATYPE_NULL = 0,
    MPI_UNDEFINED = -1,
    MPI_COMM_TYPE_SHARED = 1
};
enum { MPI_MODE_NOCHECK = 1, MPI_TAG_UB = 1, MPI_WIN_MODEL = 2, MPI_WIN_UNIFIED = 3 };
enum { MPI_THREAD_MULTIPLE = 3, MPI_MAX_ERROR_STRING = 64 };

MPI_Comm hf_sim_comm_world(void);
MPI_Comm hf_sim_comm_self(void);

/* ---- Calls, with the arguments of the standard ---- */

int MPI_Query_thread(int *level);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
int hf_sim_split(MPI_Comm comm, int color, MPI_Comm *made);
/** The first rank of this rank's node: the color of a split by nodes. */
int hf_sim_node(void);
/** Attributes: the largest tag, and that windows have the unified memory model. */
int hf_sim_attribute(int key, void *value, int *found);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int hf_sim_gather(const void *from, int n, MPI_Datatype type, void *to, MPI_Comm comm);
/** Parts of all ranks, each in its place already. */
int hf_sim_gather_parts(void *all, const int n[], const int first[], MPI_Datatype type,
                        MPI_Comm comm);
/** n numbers to each rank; n NULL: one to each. */
int hf_sim_exchange(const void *from, const int n[], const int first_from[], void *to,
                    const int first_to[], MPI_Datatype type, MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request);

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request);
int hf_sim_receive(void *data, int from, int tag, MPI_Comm comm, MPI_Status *status);
int hf_sim_begin_receive(void *data, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Sendrecv(const void *sent, int n_sent, MPI_Datatype type_sent, int to, int tag_sent,
                 void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Status *status);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status);
int MPI_Improbe(int from, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                MPI_Status *status);
int hf_sim_take(void *data, MPI_Message *message, MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n);
int MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitany(int n, MPI_Request request[], int *which, MPI_Status *status);
int MPI_Request_free(MPI_Request *request);

int hf_sim_window(size_t n_bytes, int unit, MPI_Comm comm, void *memory, MPI_Win *window);
int hf_sim_window_memory(MPI_Win window, int rank, void *memory);
int MPI_Win_free(MPI_Win *window);
int hf_sim_lock(int kind, int rank, MPI_Win window);
int MPI_Win_unlock(int rank, MPI_Win window);
int hf_sim_flush(MPI_Win window);
int hf_sim_get(void *to, int n, MPI_Datatype type, int rank, ptrdiff_t at, MPI_Win window,
               MPI_Request *request);
/** Stores numbers, or adds them. */
int hf_sim_put(const void *from, int n, MPI_Datatype type, int rank, ptrdiff_t at, MPI_Op op,
               MPI_Win window);
int MPI_Fetch_and_op(const void *from, void *to, MPI_Datatype type, int rank, MPI_Aint at,
                     MPI_Op op, MPI_Win window);

/* Arguments that nothing depends on here are left out, and calls that need do nothing: nothing fails, data are copied
 * when an operation begins, and shared locks exclude nobody, since the rooms never mix both kinds between two barriers. */
#define MPI_Comm_split(comm, color, key, made)                hf_sim_split(comm, color, made)
#define MPI_Comm_split_type(comm, type, key, info, made)      hf_sim_split(comm, hf_sim_node(), made)
#define MPI_Comm_get_attr(comm, key, value, found)            hf_sim_attribute(key, value, found)
#define MPI_Win_get_attr(window, key, value, found)           hf_sim_attribute(key, value, found)
#define MPI_Allgather(from, n, type, to, n_to, type_to, comm) hf_sim_gather(from, n, type, to, comm)
#define MPI_Allgatherv(from, n_from, t, all, n, first, type, comm)                                 \
    hf_sim_gather_parts(all, n, first, type, comm)
#define MPI_Alltoall(from, n, type, to, n_to, type_to, comm)                                       \
    hf_sim_exchange(from, NULL, NULL, to, NULL, type, comm)
#define MPI_Alltoallv(from, n, first, type, to, n_to, first_to, type_to, comm)                     \
    hf_sim_exchange(from, n, first, to, first_to, type, comm)
#define MPI_Type_contiguous(n, type, made) (*(made) = (n) * (type), hf_sim_nothing(made))
#define MPI_Type_commit(type)              hf_sim_nothing(type)
#define MPI_Type_free(type)                hf_sim_nothing(type)
#define MPI_Recv(data, n, type, from, tag, comm, status)                                           \
    hf_sim_receive(data, from, tag, comm, status)
#define MPI_Irecv(data, n, type, from, tag, comm, request)                                         \
    hf_sim_begin_receive(data, from, tag, comm, request)
#define MPI_Mrecv(data, n, type, message, status) hf_sim_take(data, message, status)
#define MPI_Win_allocate(n, unit, info, comm, memory, window)                                      \
    hf_sim_window((size_t)(n), unit, comm, memory, window)
#define MPI_Win_allocate_shared(n, unit, info, comm, memory, win)                                  \
    hf_sim_window((size_t)(n), unit, comm, memory, win)
#define MPI_Win_shared_query(window, rank, n, unit, memory)                                        \
    (*(n) = *(unit) = 0, hf_sim_window_memory(window, rank, memory))
#define MPI_Win_lock(kind, rank, assert, window) hf_sim_lock(kind, rank, window)
#define MPI_Win_flush(rank, window)              hf_sim_flush(window)
#define MPI_Win_unlock_all(window)               hf_sim_flush(window)
#define MPI_Get(to, n, type, rank, at, n_at, type_at, window)                                      \
    hf_sim_get(to, n, type, rank, at, window, NULL)
#define MPI_Rget(to, n, type, rank, at, n_at, type_at, win, req)                                   \
    hf_sim_get(to, n, type, rank, at, win, req)
#define MPI_Put(from, n, type, rank, at, n_at, type_at, window)                                    \
    hf_sim_put(from, n, type, rank, at, MPI_REPLACE, window)
#define MPI_Accumulate(from, n, type, rank, at, n_at, t, op, win)                                  \
    hf_sim_put(from, n, type, rank, at, op, win)
#define MPI_Comm_get_errhandler(comm, handler)  (*(handler) = hf_sim_nothing(comm))
#define MPI_Comm_set_errhandler(comm, handler)  ((void)(handler), hf_sim_nothing(comm))
#define MPI_Win_set_errhandler(window, handler) hf_sim_nothing(window)
#define MPI_Errhandler_free(handler)            hf_sim_nothing(handler)
#define MPI_Error_string(code, text, length)    (*(length) = hf_sim_nothing(text) + 0 * (code))
#define MPI_Finalize()                          hf_sim_nothing(NULL)
#define MPI_Win_lock_all(assert, window)        hf_sim_nothing(window)
#define MPI_Win_sync(window)                    hf_sim_nothing(window)
#define MPI_Win_flush_local(rank, window)       hf_sim_nothing(window)

#endif
