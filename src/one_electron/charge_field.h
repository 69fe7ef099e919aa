/* Charges that act on one electron, and what is near and far of them. Inside hf only. */
#ifndef HF_CHARGE_FIELD_H
#define HF_CHARGE_FIELD_H

#include "integrals/cartesian.h"

#include <math.h>

/** Charge that is spread as a Gaussian, charge (exponent/pi)^(3/2) exp(-exponent |r - position|^2):
 *  its potential is charge erf(sqrt(exponent) r)/r. A point where the exponent is INFINITY. */
struct hf_spread_charge {
    double charge, exponent; /**< elementary charges, 1/bohr^2 */
    double position_bohr[3];
};

/** A point charge. */
static inline struct hf_spread_charge hf_charge_at(double charge, const double position[3])
{
    return (struct hf_spread_charge){charge, INFINITY, {position[0], position[1], position[2]}};
}

enum { HF_CHARGE_LANES = 8 }; /**< places of charge that are worked on at a time: a row */

/** Places of charge in the order of rows, HF_CHARGE_LANES in each but the last. Borrowed. */
struct hf_charge_places {
    int n_place;
    const double *position[3]; /**< [n_place], bohr */
    const double *whole;       /**< [n_place] sum of the charges of a place */
    const int *first;          /**< [n_place + 1] its charges among all */
    const double *charge;      /**< by places, elementary charges */
    const double *exponent;    /**< of each charge, 1/bohr^2 */
};

/** What all charges do to the products of functions of two atoms: some by rows, the others by their
 *  potential along the line from the first atom (-1) to the second (1). */
struct hf_charge_field {
    int n_near;
    const int *near;           /**< [n_near] rows */
    int order;                 /**< of the polynomial; -1: nothing is far */
    int total;                 /**< highest t + u + v */
    const double *coefficient; /**< [order + 1][hf_n_hermite(total)] of d^tuv of the potential */
};

#endif
