/* Functions shared by the terms. */
#ifndef HF_HAMILTONIAN_PRIVATE_H
#define HF_HAMILTONIAN_PRIVATE_H

#include "hf/hamiltonian.h"

/** Adds factor <m|operator|n> to the blocks, of any operator but HF_CHARGES. Not collective.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_add_operator(const struct hf_term_blocks *blocks, enum hf_operator which,
                          double factor, struct hf_error *error) HF_MUST_CHECK;

/** The same for HF_CHARGES. Of many charges those that are far go by expansions, which changes an
 *  element by 1e-14 hartree at most. */
hf_status hf_add_charges(const struct hf_term_blocks *blocks, int n_charge,
                         const struct hf_spread_charge charge[],
                         struct hf_error *error) HF_MUST_CHECK;

#endif
