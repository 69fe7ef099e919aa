/* Copies quartets, which the engine returns side by side, to their places in strips (work/work.h). */
#ifndef HF_STRIP_KERNELS_H
#define HF_STRIP_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

/** Most quartets that stand side by side. */
enum { HF_MOST_LANES = 16 };

/** Where one quartet is written. The integral of functions i, j of the ket's first and second shell and of
 *  function pair ab of the bra, times the factor, becomes number i*i_step + j*j_step + ab*ab_step. The step of
 *  the ket's shell that is d in the strip is 1. */
struct hf_strip_lane {
    double *value; /**< NULL: they go to `single` */
    float *single;
    int i_step, j_step, ab_step;
    float factor; /**< a power of 2 */
};

/** Quartets of one class with one bra. */
struct hf_strip_group {
    /** [n_i][n_j][n_ab][width] or, with `bra_is_row`, [n_ab][n_i][n_j][width]. */
    const double *value; /**< NULL: they are in `single` */
    const float *single;
    int width; /**< quartets side by side, 1 to HF_MOST_LANES */
    int n;     /**< of these, the first n are written */
    int n_i, n_j, n_ab;
    bool bra_is_row;
    bool narrow; /**< numbers are rounded to single precision wherever they go */
    const struct hf_strip_lane *lane[HF_MOST_LANES]; /**< [n] */
};

struct hf_strip_kernels {
    void (*write)(const struct hf_strip_group *group);
};

extern const struct hf_strip_kernels hf_strip_portable;
extern const struct hf_strip_kernels hf_strip_avx2;
extern const struct hf_strip_kernels hf_strip_avx512;

#endif
