/* Shells among those of their atoms, in a few bytes each: inner loops over shell pairs look them up. */
#ifndef HF_SHELL_PLACE_H
#define HF_SHELL_PLACE_H

#include "hf/basis.h"

/** A shell among those of its atom. */
struct hf_shell_place {
    int atom;
    int index; /**< of the shell, counted from the first of its atom */
    int first; /**< its first function, likewise */
    int n;     /**< functions */
};

/** Places of all shells [n_shell], for the caller to free; NULL: no memory. Not collective. */
struct hf_shell_place *hf_shell_places(const struct hf_basis *basis);

#endif
