/* Charges that have a width. */
#ifndef HF_SPREAD_CHARGE_H
#define HF_SPREAD_CHARGE_H

/** Charge that is spread as a Gaussian, charge (exponent/pi)^(3/2) exp(-exponent |r - position|^2):
 *  its potential is charge erf(sqrt(exponent) r)/r. A point where the exponent is INFINITY. */
struct hf_spread_charge {
    double charge, exponent; /**< elementary charges, 1/bohr^2 */
    double position_bohr[3];
};

#endif
