/* Potential of many charges at a Hermite Gaussian, and its derivatives. */
#ifndef HF_HERMITE_CHARGES_H
#define HF_HERMITE_CHARGES_H

#include "base/arena.h"
#include "boys/boys.h"
#include "integrals/cartesian.h"
#include "one_electron/charge_field.h"

#include <stdbool.h>

/** R_tuv of order n = c[axis] R(parent) + factor R(grandparent), both of order n+1. */
struct hf_hermite_step {
    int axis, parent, grandparent;
    double factor; /**< 0 where there is no grandparent */
};

struct hf_hermite_charges;

/** Adds q R_tuv(p, centre - R_C) of the charges of a row to the sums of their lanes, t+u+v <= total. */
typedef void hf_charge_row_function(struct hf_hermite_charges *charges, int row, double p,
                                    const double centre[3], int total);

/** It is compiled once per instruction set (charge_kernels.c). */
hf_charge_row_function hf_charge_row_portable, hf_charge_row_avx2, hf_charge_row_avx512;

/** Centres of charge in rows of lanes, the last one filled up with centres of none; and the tables.
 *  Charges at one place share the recursion, which is linear in what it starts from. */
struct hf_hermite_charges {
    int n_place, n_row;
    int *first;          /**< [n_row][HF_CHARGE_LANES] and one more: charges of a lane */
    double *position[3]; /**< [n_row][HF_CHARGE_LANES] of a lane, bohr; aligned, as the next */
    double *whole;       /**< [n_row][HF_CHARGE_LANES] sum of the charges of a lane */
    bool has_width;      /**< some charge is no point */
    double *charge;      /**< by lanes, elementary charges */
    double *exponent;    /**< of each charge, 1/bohr^2 */
    struct hf_boys *boys;
    struct hf_arena arena;           /**< has the arrays */
    hf_charge_row_function *add_row; /**< for this processor */
    struct hf_hermite_step step[HF_N_RAISED_HERMITE];
    _Alignas(64) double r[HF_N_RAISED_HERMITE][HF_CHARGE_LANES]; /**< scratch */
    double lane_sum[HF_N_RAISED_HERMITE][HF_CHARGE_LANES];
};

/** Charges that are 0 are left out; max_total is the highest t+u+v. Not collective. HF_NO_RESOURCE. */
hf_status hf_hermite_charges_init(struct hf_hermite_charges *charges, int max_total, int n_charge,
                                  const struct hf_spread_charge charge[],
                                  struct hf_error *error) HF_MUST_CHECK;
void hf_hermite_charges_done(struct hf_hermite_charges *charges);

/** sum[hf_hermite_index(t,u,v)] = sum_C q_C R_tuv(p, centre - R_C) for t+u+v <= total, over the charges
 *  of the rows [n_row], or of all rows where `row` is NULL.
 *  A charge with the exponent w counts as sqrt(w/(p+w)) q R_tuv(p w/(p+w), centre - R_C).
 *  Helgaker, Jorgensen, Olsen, Molecular Electronic-Structure Theory, Eqs. 9.9.18-9.9.20, and
 *  section 9.7 for charges with a width. */
void hf_hermite_charges_sum(struct hf_hermite_charges *charges, double p, const double centre[3],
                            int total, int n_row, const int row[], double sum[]);

#endif
