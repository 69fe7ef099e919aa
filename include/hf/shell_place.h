/* Shells among those of their atoms, in a few bytes each: inner loops over shell pairs look them up. */
#ifndef HF_SHELL_PLACE_H
#define HF_SHELL_PLACE_H

#include "hf/basis.h"

/** A shell among those of its atom, or of its site: hf_basis_merge makes one site of atoms with few
 *  functions that follow each other and are near, as a carbon and its hydrogens. n_atom,
 *  first_shell_of_atom and first_mixing_of_atom of a merged basis count sites, and what two-electron
 *  work calls an atom is one of these; hf_shell.atom stays that of the molecule. */
struct hf_shell_place {
    int atom;
    int index; /**< of the shell, counted from the first of its atom */
    int first; /**< its first function, likewise */
    int n;     /**< functions */
};

/** Places of all shells [n_shell], for the caller to free; NULL: no memory. Not collective. */
struct hf_shell_place *hf_shell_places(const struct hf_basis *basis);

#endif
