/* Shared by the sources of the molecule room only. */
#ifndef HF_MOLECULE_PRIVATE_H
#define HF_MOLECULE_PRIVATE_H

/** All symbols in order of atomic number, [*n]. */
const char *const *hf_element_symbols(int *n);

/** Covalent radius, to judge distances by. */
double hf_covalent_radius_angstrom(int atomic_number);

#endif
