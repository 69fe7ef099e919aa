/* What a call returns: a status for failure only, and the one readable line that explains it. */
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

/** What stands between these is visible to programs that use the library; all else is hidden. Headers
 *  that are installed declare nothing outside of them. */
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

/** Failure classes, ordered by severity; the values are the program's exit codes.
 *  Not converging is no failure where there is a result: it is a field of it. */
typedef enum hf_status {
    HF_OK = 0,
    HF_NOT_CONVERGED = 1, /**< of hf_energy only, which has no result that could say so */
    HF_BAD_INPUT = 2,     /**< the user can mend it: file, option, molecule */
    HF_NO_RESOURCE = 3,   /**< memory, file system, or a limit of a library */
    HF_INTERRUPTED = 4,   /**< by a signal or the time limit; hf_error.signal_number tells */
} hf_status;

/** The message that goes with a failure: one line, no newline at its end. */
struct hf_error {
    char message[1024];
    int signal_number; /**< for HF_INTERRUPTED, or HF_TIME_IS_UP; otherwise 0 */
};

/** In the place of a signal number: the time limit is up. */
enum { HF_TIME_IS_UP = -1 };

/** Write the message (printf style, cut at the buffer's end) and return `status`.
 *  `error` may be NULL when the caller does not want the text. */
hf_status hf_fail(struct hf_error *error, hf_status status, const char *format, ...)
    HF_PRINTF(3, 4);

/** HF_INTERRUPTED with its message. `reason` is a signal number or HF_TIME_IS_UP. */
hf_status hf_interrupted(struct hf_error *error, int reason);

/** Jump to the function's `cleanup:` label when a call fails; needs a local `hf_status status`. */
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
