/* Basis sets that are kept between calculations of one process, so that each file is read and parsed once.
 *
 *     hf_basis_sets_create(&sets, &error)
 *     context->basis_sets = sets          in each context whose calculations are to use them
 *     hf_basis_sets_destroy(&sets)        after the last of these contexts */
#ifndef HF_BASIS_SETS_H
#define HF_BASIS_SETS_H

#include "hf/status.h"

struct hf_basis_sets;

/** Not collective. HF_NO_RESOURCE. */
hf_status hf_basis_sets_create(struct hf_basis_sets **sets, struct hf_error *error) HF_MUST_CHECK;

/** Accepts a pointer to NULL; leaves NULL. Not collective. */
void hf_basis_sets_destroy(struct hf_basis_sets **sets);

#endif
