/* Where the charge of a pair of shells is and how far it reaches, for bounds of far quartets. */
#ifndef HF_PAIR_EXTENT_H
#define HF_PAIR_EXTENT_H

#include "integrals/shell_pair.h"

/** Sets centre, reach and charge of a pair whose bound and primitives are known. */
void hf_pair_extent(const struct hf_shell_pairs *pairs, struct hf_shell_pair *pair);

#endif
