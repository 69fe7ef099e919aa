/* What storing integrals was expected to cost and to save when it was decided. */
#ifndef HF_STORE_OUTLOOK_H
#define HF_STORE_OUTLOOK_H

/** Estimates from prices measured in the run. */
struct hf_store_outlook {
    int n_build;                         /**< that were likely to come; 0: nothing was weighed */
    double bytes;                        /**< to be stored on all ranks; 0: it was not worthwhile */
    double store_seconds, saved_seconds; /**< on one rank */
};

#endif
