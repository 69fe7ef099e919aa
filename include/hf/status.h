/* The return value of a call: a status, and for failures a readable line. */
#ifndef HF_STATUS_H
#define HF_STATUS_H

#if defined(__GNUC__)
#define HF_PRINTF(format_index, first_index)                                                       \
    __attribute__((format(printf, format_index, first_index)))
#define HF_MUST_CHECK __attribute__((warn_unused_result))
#else
#define HF_PRINTF(format_index, first_index)
#define HF_MUST_CHECK
#endif

/** Declarations between these two are visible to programs that use the library; all others are hidden. Installed
 *  headers declare nothing before HF_API_BEGIN or after HF_API_END. */
#if defined(__GNUC__)
#define HF_API_BEGIN _Pragma("GCC visibility push(default)")
#define HF_API_END   _Pragma("GCC visibility pop")
#else
#define HF_API_BEGIN
#define HF_API_END
#endif

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** Classes of failure by severity. The values are the program's exit codes. Missing convergence is a field of the
 *  result, not a failure, if a call has a result. */
typedef enum hf_status {
    HF_OK = 0,
    HF_NOT_CONVERGED = 1, /**< only from hf_energy, which has no result struct */
    HF_BAD_INPUT = 2,     /**< the user can correct it: file, option, molecule */
    HF_NO_RESOURCE = 3,   /**< memory, file system, or a limit of a library */
    HF_INTERRUPTED = 4,   /**< by a signal or the time limit, see hf_error.signal_number */
} hf_status;

/** Message of a failure: one line without a newline at its end. */
struct hf_error {
    char message[1024];
    int signal_number; /**< for HF_INTERRUPTED, or HF_TIME_IS_UP; otherwise 0 */
};

/** Replaces the signal number if the time limit has passed. */
enum { HF_TIME_IS_UP = -1 };

/** Writes the message (printf style, cut at the end of the buffer) and returns `status`. `error` may be NULL. */
hf_status hf_fail(struct hf_error *error, hf_status status, const char *format, ...)
    HF_PRINTF(3, 4);

/** Returns HF_INTERRUPTED and writes its message. `reason` is a signal number or HF_TIME_IS_UP. */
hf_status hf_interrupted(struct hf_error *error, int reason);

/** Returns the status of a call if it fails. For functions that have nothing to release. */
#define HF_CHECK(call)                                                                             \
    do {                                                                                           \
        const hf_status hf_check_status = (call);                                                  \
        if (hf_check_status != HF_OK) return hf_check_status;                                      \
    } while (0)

/** Jumps to the label `cleanup:` if a call fails. Needs a local `hf_status status`. */
#define HF_TRY(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != HF_OK) goto cleanup;                                                         \
    } while (0)

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
