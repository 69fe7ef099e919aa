/* What readers know of the elements beyond their symbols. */
#ifndef HF_ELEMENTS_H
#define HF_ELEMENTS_H

#include "hf/molecule.h"

#include <stdbool.h>

/** Mass number that a symbol stands for beside its element: 2 for D, 3 for T, in any case; 0 for the
 *  others. */
int hf_symbol_isotope(const char *symbol);

/** Mass number that is nearest to the weight of an element as it is found; where it has none, that of
 *  its longest-lived isotope. 0 outside 1..118. */
int hf_weight_number(int atomic_number);

/** Whether it is none of hydrogen, the noble gases, boron and what stands right of it. */
bool hf_is_metal(int atomic_number);

#endif
