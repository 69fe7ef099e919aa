/* Estimates of what storing integrals costs and saves, at the time of the decision. */
#ifndef HF_STORE_OUTLOOK_H
#define HF_STORE_OUTLOOK_H

/** Estimates from prices measured in the run. */
struct hf_store_outlook {
    int n_build;                         /**< builds expected to come; 0: nothing was estimated */
    double bytes;                        /**< to be stored on all ranks; 0: not worthwhile */
    double store_seconds, saved_seconds; /**< on one rank */
};

#endif
