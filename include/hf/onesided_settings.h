/* Settings of one-sided communication. */
#ifndef HF_ONESIDED_SETTINGS_H
#define HF_ONESIDED_SETTINGS_H

#include <stdbool.h>

/** Which rank adds (accumulate paper, Fig. 1). */
enum hf_accumulate {
    HF_ACCUMULATE_OWNER,  /**< data are sent to the owner, which adds them */
    HF_ACCUMULATE_CALLER, /**< the caller locks, gets, adds, puts back and unlocks */
};

struct hf_onesided_settings {
    const char *transport; /**< name in hf_transport_list */
    enum hf_accumulate accumulate;
    double self_test_seconds; /**< time limit of the self-test; 0: hf_onesided_test_seconds */
    bool skip_self_test;      /**< a faulty transport is then noticed later, or never */
};

#endif
