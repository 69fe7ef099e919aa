/* Functions shared by the terms. */
#ifndef HF_HAMILTONIAN_PRIVATE_H
#define HF_HAMILTONIAN_PRIVATE_H

#include "hamiltonian/hamiltonian.h"

/** Adds factor <m|operator|n> to the blocks, of any operator but HF_CHARGES. Not collective.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_add_operator(const struct hf_term_blocks *blocks, enum hf_operator which,
                          double factor, struct hf_error *error) HF_MUST_CHECK;

/** Charge number i. */
typedef struct hf_spread_charge hf_charge_of(const void *data, int i);

/** The same for HF_CHARGES. Of many charges those that are far go by expansions, which changes an
 *  element by 1e-14 hartree at most. */
hf_status hf_add_charges(const struct hf_term_blocks *blocks, int n_charge, hf_charge_of *charge_of,
                         const void *data, struct hf_error *error) HF_MUST_CHECK;

/** Adds factor times the derivatives of sum_mn D_mn <m|operator|n> of any operator but HF_CHARGES. Not
 *  collective. HF_NO_RESOURCE: memory. */
hf_status hf_add_operator_slopes(const struct hf_term_gradient *gradient, enum hf_operator which,
                                 double factor, struct hf_error *error) HF_MUST_CHECK;

/** The same for HF_CHARGES of the gradient's molecule; adds the derivatives by the places of the charges to the steps
 *  of_charge[n_charge]. */
hf_status hf_add_charges_slopes(const struct hf_term_gradient *gradient, int n_charge,
                                hf_charge_of *charge_of, int64_t (*of_charge)[3],
                                struct hf_error *error) HF_MUST_CHECK;

/** of_a, of_b += derivatives of product / |a - b| by a and b. Not collective. */
void hf_add_repulsion_slope(double product, const double a[3], const double b[3], double of_a[3],
                            double of_b[3]);

/** Derivatives of the energy of effective core potentials. HF_NO_RESOURCE: memory, functions of
 *  l = HF_MAX_L. */
hf_status hf_add_core_gradient(const struct hf_term_gradient *gradient,
                               struct hf_error *error) HF_MUST_CHECK;

#endif
