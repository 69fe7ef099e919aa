/* Calculations in memory: QCSchema in, QCSchema out (guide, "QCSchema"). For programs that compute many molecules one
 * after the other, or that are written in another language.
 *
 *     hf_run_json        one calculation
 *     hf_session_run     one after the other; what the last one read and computed is used for the next
 *     hf_run_each        any number of molecules, dealt to the ranks
 *
 * An answer is an AtomicResult, an OptimizationResult or, if the calculation failed, a FailedOperation, in the version
 * of the input. An input that cannot be computed as it is gets a FailedOperation, and the call returns HF_OK.
 *
 * MPI, BLAS   as in hf/run.h
 * Output      Nothing is printed. Files are written only for keywords that name them. */
#ifndef HF_RUN_JSON_H
#define HF_RUN_JSON_H

#include "hf/run.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** One calculation.
 *
 *  input     a QCSchema input as JSON text, or text in any format that hf reads; the same on every rank
 *  *output   the answer, on every rank; the caller frees it with free()
 *  Call      collective over comm
 *  Errors    HF_BAD_INPUT: MPI is not initialised, inputs differ; HF_NO_RESOURCE; HF_INTERRUPTED. *output is NULL. */
hf_status hf_run_json(MPI_Comm comm, const char *input, char **output,
                      struct hf_error *error) HF_MUST_CHECK;

/** What is kept from one calculation to the next: basis sets that were read, and the orbitals of the last molecule. The
 *  next one starts from them if it has the same atoms near the same places, the same method and basis set, unless
 *  `reproducible` or a guess is given. */
struct hf_session;

/** A session on the ranks of a communicator, which is duplicated. The caller ends it with hf_session_destroy before
 *  MPI_Finalize. Collective. HF_BAD_INPUT: MPI is not initialised; HF_NO_RESOURCE. */
hf_status hf_session_create(MPI_Comm comm, struct hf_session **session,
                            struct hf_error *error) HF_MUST_CHECK;

/** The same for programs that have no MPI_Comm. `comm` is a handle of Fortran (MPI_Comm_c2f; comm.py2f() of mpi4py), or
 *  -1: MPI_COMM_WORLD. If MPI is not initialised, it is, with MPI_THREAD_MULTIPLE, and the number of BLAS threads becomes
 *  1; hf_session_destroy then also finalises MPI. */
hf_status hf_session_create_for(int comm, struct hf_session **session,
                                struct hf_error *error) HF_MUST_CHECK;

/** Ranks of a session, and the number of this one. Not collective. */
void hf_session_size(const struct hf_session *session, int *n_rank, int *rank);

/** Callback, about twenty times a second on every rank; NULL: none. If a rank returns non-zero (a signal number), the
 *  calculation ends with HF_INTERRUPTED. Not collective. */
void hf_session_watch(struct hf_session *session, int (*asked)(void *data, double fraction),
                      void *data);

/** One calculation, as hf_run_json. *output belongs to the session and is valid until its next call. Collective. */
hf_status hf_session_run(struct hf_session *session, const char *input, const char **output,
                         struct hf_error *error) HF_MUST_CHECK;

/** Accepts a pointer to NULL; leaves NULL. Collective. */
void hf_session_destroy(struct hf_session **session);

/** Many inputs, which no rank holds all at once. The callbacks are called on rank 0, one at a time, also by other threads
 *  than that of the caller; they must not call MPI or hf. */
struct hf_run_each_settings {
    /** the next input, as hf_run_json has it; NULL: there are no more. The text is copied before the next call. Inputs are
     *  read ahead, so this must not wait for results. */
    const char *(*next)(void *data);
    /** the answer to input `i`, counted from 0, in the order in which they are ready; the text is valid during the call */
    void (*result)(void *data, long long i, const char *output);
    int (*asked)(void *data, double fraction); /**< as of hf_session_watch; may be NULL */
    void *data;
    int n_key;
    const struct hf_run_key
        *key; /**< [n_key] options for all; what an input says itself counts more */
};

/** Computes all of them. Cheap ones get a rank each, expensive ones several (guide, "Many molecules").
 *
 *  *all_good  no answer is a FailedOperation; the same on every rank
 *  Call       collective over the session; `settings` need only be complete on rank 0, but for the keys
 *  Errors     HF_BAD_INPUT: keys; HF_NO_RESOURCE; HF_INTERRUPTED */
hf_status hf_run_each(struct hf_session *session, const struct hf_run_each_settings *settings,
                      bool *all_good, struct hf_error *error) HF_MUST_CHECK;

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
