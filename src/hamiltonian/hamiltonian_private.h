/* What the terms have in common. */
#ifndef HF_HAMILTONIAN_PRIVATE_H
#define HF_HAMILTONIAN_PRIVATE_H

#include "hf/hamiltonian.h"

/** Adds factor <m|operator|n> to the blocks; the charges are those of HF_CHARGES. Not collective.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_add_operator(const struct hf_term_blocks *blocks, enum hf_operator which,
                          double factor, int n_charge, const struct hf_point_charge charge[],
                          struct hf_error *error) HF_MUST_CHECK;

/** The same for HF_CHARGES with charges that have a width. */
hf_status hf_add_spread_charges(const struct hf_term_blocks *blocks, int n_charge,
                                const struct hf_spread_charge charge[],
                                struct hf_error *error) HF_MUST_CHECK;

#endif
