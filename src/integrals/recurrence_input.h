/* What the recurrences of the two-electron engine work on. All that the generated files include: they
 * are compiled again only where this changes. */
#ifndef HF_RECURRENCE_INPUT_H
#define HF_RECURRENCE_INPUT_H

#include "base/lanes.h"
#include "boys/boys.h"

#include <stdbool.h>
#include <stddef.h>

/** What the recurrences need of HF_WIDTH primitive quartets: one of the bra, HF_WIDTH of the ket. As few vectors as
 *  do: writing them takes as long as computing them. The functions below make the others. */
struct lane_quartet {
    const lanes *qc; /**< [3], of all quartets with these primitives of the ket */
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
