/* The independent directions that internal coordinates have at a structure (delocalised coordinates).
 *
 *     B [q][x] = dq/dx        B^T B = V s^2 V^T        U = B V / s
 *
 * A change S of m <= 3N numbers is dx = V S / s and dq = U S. With n_x = 3 n_atom Cartesian and n_q internal
 * coordinates matrices are [row][column]. Nothing is collective.
 *
 * Source: Baker, Kessi, Delley, J. Chem. Phys. 105, 192 (1996). */
#ifndef HF_FRAME_H
#define HF_FRAME_H

#include "internals.h"

struct hf_frame {
    int n_x, n_q, m;
    double *b; /**< [n_q][n_x] */
    double *v; /**< [m][n_x] */
    double *s; /**< [m] */
    double *u; /**< [m][n_q] */
    /** has these; users may take more from it; they release it, also after a failure */
    struct hf_arena arena;
};

/** Of the coordinates times scale [n_q]; NULL: ones. HF_NO_RESOURCE: memory, also for a coordinate of the list. */
hf_status hf_frame_make(const struct hf_internals *internals, const double (*x)[3],
                        const double scale[], struct hf_frame *frame,
                        struct hf_error *error) HF_MUST_CHECK;

/** Takes off what a vector [n] has along orthonormal rows [n_row][n]. */
void hf_take_off(int n_row, size_t n, const double *rows, double vector[]);

/** Makes row n_row orthonormal to the n_row orthonormal rows [n] before it. False: it depends on them, as less than
 *  the part `least` of its square remains. */
bool hf_make_orthonormal(int n_row, size_t n, double *rows, double least);

/** Directions that a molecule has beside motions of the whole. */
int hf_n_vibration(int n_atom, const double (*x)[3]);

/** g_q [n_q] = U V^T g_x / s. */
void hf_frame_gradient(const struct hf_frame *frame, const double *g_x, double g_q[]);

/** H_q [n_q][n_q] of second derivatives H_x, with what the curvature of the coordinates makes of the gradient g_q
 *  taken off; and H_x of H_q, with it put on. HF_NO_RESOURCE. */
hf_status hf_frame_hessian(const struct hf_frame *frame, const struct hf_internals *internals,
                           const double (*x)[3], const double g_q[], const double *h_x, double *h_q,
                           struct hf_error *error) HF_MUST_CHECK;
hf_status hf_frame_cartesian_hessian(const struct hf_frame *frame,
                                     const struct hf_internals *internals, const double (*x)[3],
                                     const double g_q[], const double *h_q, double *h_x,
                                     struct hf_error *error) HF_MUST_CHECK;

/** Moves atoms until the coordinates are as near to target [n_q] as they come: least squares, of differences times
 *  scale [n_q] (NULL: ones). *good: the iterations ended, with less than `near` left to do. HF_NO_RESOURCE. */
hf_status hf_frame_fit(const struct hf_internals *internals, const double target[],
                       const double scale[], double near, double (*x)[3], bool *good,
                       struct hf_error *error) HF_MUST_CHECK;

/** Moves atoms until the coordinates have changed by dq [n_q] as far as they can; constraints then have their targets.
 *  *good: they have. HF_NO_RESOURCE. */
hf_status hf_frame_displace(const struct hf_internals *internals, const double dq[], double (*x)[3],
                            bool *good, struct hf_error *error) HF_MUST_CHECK;

#endif
