/* What a job says: a line of progress on a terminal, a summary, the outlook of --check. */
#ifndef HF_EACH_TELL_H
#define HF_EACH_TELL_H

#include "results.h"

#include <stdint.h>
#include <stdio.h>

/** How far a job is. */
struct hf_each_progress {
    FILE *stream; /**< NULL: nothing is printed */
    double began, printed;
    double fraction; /**< of the bytes of all files; negative: unknown */
};

void hf_each_tell_progress(struct hf_each_progress *progress,
                           const struct hf_results_account *account);
/** Takes the line off the terminal. */
void hf_each_end_progress(struct hf_each_progress *progress);

/** Numbers of a job that has ended. */
struct hf_each_summary {
    const struct hf_results_account *account;
    int64_t n_before, n_failed_before; /**< results of earlier runs */
    double seconds;
    struct hf_statistic busy; /**< seconds of the ranks */
    int n_rank;
    const char *json;
};
void hf_each_tell_end(FILE *out, const struct hf_each_summary *summary);

/** What --check finds. */
struct hf_each_outlook {
    int64_t n, n_bad; /**< records; those that cannot be read */
    int64_t n_before; /**< results of earlier runs */
    double seconds;   /**< of all molecules on one rank */
    double longest;   /**< of a molecule */
    int most_functions;
    double most_bytes; /**< of a rank with the molecule of most functions; 0: unknown */
    int n_rank;
    char largest[256], bad[1200]; /**< a record; message of the first bad one */
};
void hf_each_tell_outlook(FILE *out, const struct hf_each_outlook *outlook);

#endif
