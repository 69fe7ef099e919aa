/* The kernels of strips (digest_kernels.c) and the parts that they take. Inside the room only. */
#ifndef HF_DIGEST_KERNELS_H
#define HF_DIGEST_KERNELS_H

#include "digest/digest.h"

/** Most functions a, b, c, vectors of d and densities that a kernel takes at a time. */
enum { MOST_A = 10, MOST_B = 5, MOST_C = 8, MOST_VECTORS = 2, MOST_JOBS = 2 };

/** A strip or a part of one, as kernels take it: `job` points to these functions a and b. The first job has J,
 *  all have K, as far as the kernel has J and K. */
struct strip_part {
    const double *value; /**< [c][a][b][d], steps x_c, x_a, n_d, 1; NULL: in `single` */
    const float *single; /**< NULL: in `value` */
    size_t x_a, x_c, n_a, n_c, n_d;
    size_t D_a, D_b, J_a, J_b; /**< steps of D_ab and J_ab */
    size_t D_c, D_d, K_c, K_d; /**< steps of rows with columns c and d: in densities, in sums */
    double origin;             /**< of exact sums */
    struct hf_strip_job job[MOST_JOBS];
};

typedef void strip_function(const struct strip_part *part);

#define HF_STRIP_JOIN(x, j, n_k) x##_kernels_##j##_##n_k
#define HF_STRIP_OF(x, j, n_k)   HF_STRIP_JOIN(x, j, n_k)
#define HF_STRIP_KERNELS(j, n_k) HF_STRIP_OF(HF_DIGEST_STRIP, j, n_k)

/** Kernels by the number of functions b less one. */
typedef strip_function *const strip_kernels[MOST_B];

/** Named by the numbers of densities with J and with K. */
extern strip_kernels HF_STRIP_KERNELS(0, 1), HF_STRIP_KERNELS(0, 2), HF_STRIP_KERNELS(1, 0),
    HF_STRIP_KERNELS(1, 1), HF_STRIP_KERNELS(1, 2);

#endif
