/* Free atoms, spherically averaged: their configurations, orbitals and densities. */
#ifndef HF_ATOM_H
#define HF_ATOM_H

#include "hf/basis.h"

enum { HF_ATOM_N_L = 4 }; /* s p d f; no ground state occupies more */

/** Electrons per angular momentum in the ground state of a neutral atom, 1 <= Z <= 118. */
void hf_atom_configuration(int atomic_number, int n_electron[HF_ATOM_N_L]);

/** The same without the `n_core` electrons of an effective core potential. Not collective. */
void hf_atom_valence_configuration(int atomic_number, int n_core, int n_electron[HF_ATOM_N_L]);

/** Number of orbitals in subshells occupied in a free atom, as far as the basis has shells for them. Not collective. */
int hf_atom_n_orbital(const struct hf_basis *basis, int atom, int atomic_number);

/** Computes these orbitals and their energies, for the same atom as hf_atom_density.
 *
 *  Shapes   energy [hf_atom_n_orbital], hartree; coefficient [hf_atom_n_orbital][k], k functions on the atom. The
 *           orbitals are orthonormal; those removed by linear dependence are zero.
 *  Call     not collective.
 *  Errors   HF_NO_RESOURCE. */
hf_status hf_atom_orbitals(const struct hf_basis *basis, int atom, int atomic_number,
                           double linear_dependence_threshold, double energy[],
                           double coefficient[], struct hf_error *error) HF_MUST_CHECK;

/** Computes the density of a free atom, spherically averaged, in the functions of `atom` in `basis`.
 *
 *  Shapes   density [k][k], k functions on the atom, column-major.
 *  Call     not collective: each rank may compute another atom.
 *  Errors   HF_NO_RESOURCE. */
hf_status hf_atom_density(const struct hf_basis *basis, int atom, int atomic_number,
                          double linear_dependence_threshold, double density[],
                          struct hf_error *error) HF_MUST_CHECK;

#endif
