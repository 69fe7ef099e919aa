/* Data of the recurrences of the two-electron engine. The generated files include nothing else, so that they
 * are compiled again only if this changes. */
#ifndef HF_RECURRENCE_INPUT_H
#define HF_RECURRENCE_INPUT_H

#include "base/lanes.h"
#include "boys/boys.h"

#include <stdbool.h>
#include <stddef.h>

/** HF_WIDTH primitive quartets: one primitive of the bra, HF_WIDTH of the ket. Few vectors are stored, since
 *  writing one takes as long as computing it; the functions below compute others. */
struct lane_quartet {
    const lanes *qc; /**< [3] Q - C, the same for all quartets with this ket */
    real pa[3], one_over_two_zeta;
    lanes qp[3]; /**< Q - P */
    lanes one_over_two_eta, rho_over_zeta, rho_over_eta;
    lanes s[HF_BOYS_MAX_ORDER + 1]; /**< (ss|ss)^(m) */
};

static inline __attribute__((always_inline)) lanes pa_of(const struct lane_quartet *q, int d)
{
    return broadcast(q->pa[d]);
}

static inline __attribute__((always_inline)) lanes qc_of(const struct lane_quartet *q, int d)
{
    return q->qc[d];
}

/** W - P. */
static inline __attribute__((always_inline)) lanes wp_of(const struct lane_quartet *q, int d)
{
    return q->rho_over_zeta * q->qp[d];
}

/** W - Q. */
static inline __attribute__((always_inline)) lanes wq_of(const struct lane_quartet *q, int d)
{
    return -q->rho_over_eta * q->qp[d];
}

static inline __attribute__((always_inline)) lanes
one_over_two_zeta_of(const struct lane_quartet *q)
{
    return broadcast(q->one_over_two_zeta);
}

static inline __attribute__((always_inline)) lanes one_over_two_eta_of(const struct lane_quartet *q)
{
    return q->one_over_two_eta;
}

/** 1 / (2 (zeta + eta)). */
static inline __attribute__((always_inline)) lanes one_over_two_sum_of(const struct lane_quartet *q)
{
    return q->rho_over_zeta * q->one_over_two_eta;
}

#endif
