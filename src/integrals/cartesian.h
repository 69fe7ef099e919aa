/* Cartesian components of an angular momentum: l_x falling, then l_y falling (Libint's order). */
#ifndef HF_CARTESIAN_H
#define HF_CARTESIAN_H

#include "hf/units.h"

/** Highest total angular momentum of a shell pair, and components of that. */
enum {
    HF_MAX_PAIR_L = 2 * HF_MAX_L,
    HF_MAX_RAISED_PAIR_L = HF_MAX_PAIR_L + 1, /**< of derivatives */
    HF_MAX_CARTESIAN = (HF_MAX_PAIR_L + 1) * (HF_MAX_PAIR_L + 2) / 2,
    /** Components of two shells. */
    HF_MAX_CARTESIAN_BLOCK =
        (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 * (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2,
    /** The same with one more in each, of derivatives. */
    HF_MAX_RAISED_CARTESIAN_BLOCK =
        (HF_MAX_L + 2) * (HF_MAX_L + 3) / 2 * (HF_MAX_L + 2) * (HF_MAX_L + 3) / 2,
    /** Components x^t y^u z^v of all totals up to that one. */
    HF_N_HERMITE = (HF_MAX_PAIR_L + 1) * (HF_MAX_PAIR_L + 2) * (HF_MAX_PAIR_L + 3) / 6,
    /** The same with one total more, of derivatives. */
    HF_N_RAISED_HERMITE = (HF_MAX_PAIR_L + 2) * (HF_MAX_PAIR_L + 3) * (HF_MAX_PAIR_L + 4) / 6
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

/** Components of all totals up to this one. */
static inline int hf_n_hermite(int total)
{
    return (total + 1) * (total + 2) * (total + 3) / 6;
}

/** Place of (t,u,v) among all: by total, then in Cartesian order. */
static inline int hf_hermite_index(int t, int u, int v)
{
    return hf_n_hermite(t + u + v - 1) + hf_cartesian_index(u, v);
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
