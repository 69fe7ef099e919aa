/* The local part of an effective core potential: overlaps of three Gaussians. */
#ifndef HF_CORE_LOCAL_H
#define HF_CORE_LOCAL_H

#include "hf/basis.h"
#include "integrals/cartesian.h"

/** Points for the powers of r that are no polynomial. */
enum { HF_N_CORE_LOCAL_POINT = 64 };

/** One potential's local part. */
struct hf_core_local {
    const struct hf_core_potential *potential; /**< borrowed */
    double centre[3];
    const struct hf_cartesian_table *cartesian;                         /**< borrowed */
    double point[HF_N_CORE_LOCAL_POINT], weight[HF_N_CORE_LOCAL_POINT]; /**< 0 to pi/2 */
};

void hf_core_local_init(const struct hf_core_potential *potential, const double centre[3],
                        const struct hf_cartesian_table *cartesian, struct hf_core_local *local);

/** The integrals of shells a and b into block [Cartesian functions of a][of b]; false: all are below
 *  1e-18, and the block is left alone. */
bool hf_core_local_block(const struct hf_core_local *local, const struct hf_shell *a,
                         const struct hf_shell *b, double block[]);

#endif
