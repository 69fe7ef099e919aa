/* Free atoms, spherically averaged: their configurations, orbitals and densities. */
#ifndef HF_ATOM_H
#define HF_ATOM_H

#include "hf/basis.h"

enum { HF_ATOM_N_L = 4 }; /* s p d f: no ground state occupies more */

/** Electrons per angular momentum in the ground state of a neutral atom, 1 <= Z <= 118. */
void hf_atom_configuration(int atomic_number, int n_electron[HF_ATOM_N_L]);

/** The same less the `n_core` electrons of an effective core potential. Not collective. */
void hf_atom_valence_configuration(int atomic_number, int n_core, int n_electron[HF_ATOM_N_L]);

/** Orbitals of subshells that hold electrons in a free atom, as far as the basis has shells for
 *  them. Not collective. */
int hf_atom_n_orbital(const struct hf_basis *basis, int atom, int atomic_number);

/** Those orbitals, of the atom whose density is hf_atom_density, and their energies.
 *
 *  Shapes   energy [hf_atom_n_orbital], hartree; coefficient [hf_atom_n_orbital][k], k the
 *           functions of that atom: orthonormal, but zero where linear dependence took an orbital
 *           away.
 *  Call     not collective.
 *  Errors   HF_NO_RESOURCE. */
hf_status hf_atom_orbitals(const struct hf_basis *basis, int atom, int atomic_number,
                           double linear_dependence_threshold, double energy[],
                           double coefficient[], struct hf_error *error) HF_MUST_CHECK;

/** Density of a free atom in the functions of `atom` in `basis`, spherically averaged.
 *
 *  Shapes   density [k][k], k the functions of that atom, column-major.
 *  Call     not collective: every rank may do another atom.
 *  Errors   HF_NO_RESOURCE. */
hf_status hf_atom_density(const struct hf_basis *basis, int atom, int atomic_number,
                          double linear_dependence_threshold, double density[],
                          struct hf_error *error) HF_MUST_CHECK;

#endif
