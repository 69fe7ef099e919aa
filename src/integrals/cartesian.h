/* Cartesian components of an angular momentum: l_x falling, then l_y falling (Libint's order). */
#ifndef HF_CARTESIAN_H
#define HF_CARTESIAN_H

#include "hf/units.h"

/** Highest total angular momentum of a shell pair, and components of that. */
enum {
    HF_MAX_PAIR_L = 2 * HF_MAX_L,
    HF_MAX_CARTESIAN = (HF_MAX_PAIR_L + 1) * (HF_MAX_PAIR_L + 2) / 2
};

static inline int hf_n_cartesian(int l)
{
    return (l + 1) * (l + 2) / 2;
}

/** Position of x^i y^j z^k among the components of l = i + j + k. */
static inline int hf_cartesian_index(int j, int k)
{
    return (j + k) * (j + k + 1) / 2 + k;
}

/** One component x^i y^j z^k. */
struct hf_cartesian {
    signed char power[3];
    signed char direction; /**< first direction with power > 0; -1 for s */
    signed char lower[3];  /**< component with the power of a direction lowered, -1 if that is 0 */
    signed char upper[3];  /**< component with the power of a direction raised */
};

/** All components up to HF_MAX_PAIR_L. */
struct hf_cartesian_table {
    struct hf_cartesian component[HF_MAX_PAIR_L + 1][HF_MAX_CARTESIAN];
};

void hf_cartesian_table_init(struct hf_cartesian_table *table);

#endif
