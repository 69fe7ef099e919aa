/* Kernels of the Coulomb pass: one bra with many kets. Compiled once per instruction set and precision. */
#ifndef HF_PRODUCT_KERNELS_H
#define HF_PRODUCT_KERNELS_H

#include "boys/boys_single.h"
#include "integrals/cartesian.h"

#include <stdbool.h>

enum {
    HF_KET_BLOCK = 16, /**< kets of a block, whole vectors of any width and precision */
    /** Components of R_tuv of two products, and the highest of their totals. */
    HF_MOST_R_TOTAL = 2 * HF_MAX_PAIR_L + 1,
    HF_N_R = (HF_MOST_R_TOTAL + 1) * (HF_MOST_R_TOTAL + 2) * (HF_MOST_R_TOTAL + 3) / 6
};

/** Rows of a block of kets, HF_KET_BLOCK numbers each; H_tuv with the sign (-1)^(t+u+v) follow. */
enum hf_ket_row {
    HF_KET_X,
    HF_KET_Y,
    HF_KET_Z,
    HF_KET_EXPONENT,
    HF_KET_ROWS,                 /**< in double precision */
    HF_KET_REST_X = HF_KET_ROWS, /**< in single precision: what rounding took from the centre */
    HF_KET_REST_Y,
    HF_KET_REST_Z,
    HF_KET_SINGLE_ROWS
};

/** Centre and exponent of a product. */
struct hf_coulomb_bra {
    double centre[3], exponent;
};

/** How R_tuv follows from lower ones in loops: R^(m) = d[axis] R^(m+1)(parent) + factor R^(m+1)(grandparent). */
struct hf_r_step {
    int axis, parent, grandparent, factor; /**< factor 0: there is no grandparent */
};

/** Read-only. */
struct hf_coulomb_tables {
    const struct hf_boys *boys; /**< borrowed, as the next */
    const struct hf_boys_single *boys_single;
    struct hf_r_step step[HF_N_R];
    signed char power[HF_N_RAISED_HERMITE][3]; /**< t, u, v */
};

/** With tables of the Boys function for all orders of bra and ket together, which are borrowed. Not collective. */
void hf_coulomb_tables_init(struct hf_coulomb_tables *tables, const struct hf_boys *boys,
                            const struct hf_boys_single *boys_single);

/** potential[k] += sum over kets 0 .. n-1 and their components of R H. Beyond n there are kets, of
 *  whatever is finite, up to a multiple of HF_KET_BLOCK: they are added, too, up to a whole vector.
 *  `ket` [blocks][rows][HF_KET_BLOCK] is aligned to 64 bytes.
 *  Source: Helgaker, Jorgensen, Olsen, Molecular Electronic-Structure Theory, section 9.9.1. */
typedef void hf_coulomb_function(const struct hf_coulomb_tables *tables,
                                 const struct hf_coulomb_bra *bra, int bra_order, int ket_order,
                                 int n, const void *ket, double potential[]);

struct hf_coulomb_kernels {
    const char *name;
    /** There is straight-line code for kets of orders up to this one, and bras of one order more; loops for the others. */
    int limit;
    hf_coulomb_function *add;
};

/** The best for this processor: `single` for kets of single precision, of orders up to
 *  HF_MOST_SINGLE_ORDER. Not collective. */
const struct hf_coulomb_kernels *hf_coulomb_kernels(bool single);

/** The highest order of products that are worked on in single precision. */
enum { HF_MOST_SINGLE_ORDER = 4 };

#endif
