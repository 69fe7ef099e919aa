/* Which integrals are worth their memory, by what was measured in this run.
 *
 *     saved    over the builds to come that need a quartet: computing it, less reading it back
 *     cost     touching its memory, and computing it more sharply than this build needs
 *
 * Whether a build needs a quartet is a matter of its bound: small ones matter only in the one build of
 * the whole density at the final threshold, so that they are never worth storing. */
#ifndef HF_STORE_CHOICE_H
#define HF_STORE_CHOICE_H

#include <stdbool.h>

/** Measured prices. */
struct hf_store_prices {
    double compute;     /**< seconds per unit of hf_shell_pair_cost products, in double precision */
    double single;      /**< the same in single precision */
    double touch;       /**< seconds per byte of fresh memory */
    double least_touch; /**< at least that: what a store took that was given up */
    double stage;       /**< threshold of the build that stores over the final one, 1 or more */
};

/** A quartet that may be stored. */
struct hf_store_sample {
    double bound; /**< over the least that matters at the final threshold, 1 or more */
    double value; /**< product of the pairs' cost_per_number */
    double cost;  /**< product of the pairs' costs */
    double bytes;
    bool wide; /**< it is stored in double precision */
};

/** What is stored: bounds and values that are not below these. */
struct hf_store_choice {
    double smallest, cutoff;
    double bytes, cost; /**< of all that */
    double store_seconds, saved_seconds;
};

/** Seconds that storing a quartet costs, and that it saves in builds to come. */
struct hf_store_balance {
    double cost, saved;
};
struct hf_store_balance hf_store_weigh(const struct hf_store_sample *sample,
                                       const struct hf_store_prices *prices);

/** Price of fresh memory at which a choice gains nothing any more. */
double hf_store_most_touch(const struct hf_store_choice *choice, double touch);

/** Builds that are likely to come, after the one that stores. */
int hf_store_n_build(double stage);

/** The choice that saves most within `bytes`; without prices, all that fits, the most expensive per number
 *  first. Each of the samples [n], which are sorted, stands for `n_quartet`. */
void hf_store_choose(int n, struct hf_store_sample sample[], double n_quartet, double bytes,
                     const struct hf_store_prices *prices, struct hf_store_choice *choice);

#endif
