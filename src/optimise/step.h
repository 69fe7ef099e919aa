/* The next step of an optimisation, from gradient and Hessian. */
#ifndef HF_STEP_H
#define HF_STEP_H

#include "frame.h"

/** What a step is made of. */
struct hf_step_input {
    const struct hf_frame *frame;
    const struct hf_internals *internals;
    const double *gradient; /**< [n_q] */
    const double *hessian;  /**< [n_q][n_q] */
    double trust;           /**< largest change of a coordinate */
    bool saddle;
    /** [n_q] of a saddle point: direction that is followed uphill; zeros: the lowest one. It is replaced by that of
     *  this step */
    double *mode;
};

/** dq [n_q], nothing along constraints; the change of the energy that is expected; the number of negative eigenvalues of
 *  the Hessian beside constraints. HF_NO_RESOURCE. */
hf_status hf_step_make(const struct hf_step_input *input, double dq[], double *expected,
                       int *n_negative, struct hf_error *error) HF_MUST_CHECK;

/** gradient [n_x] without what constraints hold. HF_NO_RESOURCE. */
hf_status hf_step_free_forces(const struct hf_internals *internals, const double (*x)[3],
                              double *gradient, struct hf_error *error) HF_MUST_CHECK;

#endif
