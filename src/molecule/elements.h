/* Data of elements that readers need in addition to the symbols. */
#ifndef HF_ELEMENTS_H
#define HF_ELEMENTS_H

#include "hf/molecule.h"

#include <stdbool.h>

/** Mass number that a symbol implies: 2 for D, 3 for T (in any case), 0 for others. */
int hf_symbol_isotope(const char *symbol);

/** Mass number closest to the standard atomic weight of an element; without one, that of its longest-lived isotope. 0
 *  outside 1..118. */
int hf_weight_number(int atomic_number);

/** Whether an element is a metal: not hydrogen, a noble gas, boron or right of boron in the periodic table. */
bool hf_is_metal(int atomic_number);

#endif
