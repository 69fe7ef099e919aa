/* Which integrals are worth storing, by times measured in this run.
 *
 *     saved    for each later build that needs the quartet: the time to compute it less the time to read it
 *     cost     touching its memory, and computing it with the final threshold, which this build does not need
 *
 * The bound of a quartet decides which builds need it. Small quartets matter only in the one build of the whole
 * density at the final threshold, so that storing them is never worthwhile. */
#ifndef HF_STORE_CHOICE_H
#define HF_STORE_CHOICE_H

#include <stdbool.h>

/** Measured prices. */
struct hf_store_prices {
    double compute;     /**< seconds per unit of hf_shell_pair_cost products, in double precision */
    double single;      /**< the same in single precision */
    double touch;       /**< seconds per byte of fresh memory */
    double least_touch; /**< smallest value of touch: measured in a store that was given up */
    double stage;       /**< threshold of the storing build / final one, 1 or more */
};

/** A quartet that may be stored. */
struct hf_store_sample {
    double bound; /**< / least bound that matters at the final threshold, 1 or more */
    double value; /**< product of the pairs' cost_per_number */
    double cost;  /**< product of the pairs' costs */
    double bytes;
    bool wide; /**< it is stored in double precision */
};

/** What is stored: quartets with bound >= smallest and value >= cutoff. */
struct hf_store_choice {
    double smallest, cutoff;
    double bytes, cost; /**< of all stored quartets */
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

/** Number of builds expected after the one that stores. */
int hf_store_n_build(double stage);

/** The choice that saves most within `bytes`; without prices, all that fits, the most expensive per number
 *  first. Sorts the samples [n]; each stands for `n_quartet` quartets. */
void hf_store_choose(int n, struct hf_store_sample sample[], double n_quartet, double bytes,
                     const struct hf_store_prices *prices, struct hf_store_choice *choice);

#endif
