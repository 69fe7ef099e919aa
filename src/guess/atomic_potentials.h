/* Potentials of free atoms as clouds of charge: the table for the guess "sap". */
#ifndef HF_ATOMIC_POTENTIALS_H
#define HF_ATOMIC_POTENTIALS_H

enum { HF_ATOMIC_POTENTIALS = 118, HF_ATOMIC_POTENTIAL_TERMS = 27 };

/** Potential energy of an electron at distance r from a neutral atom with atomic number Z, hartree:
 *
 *      V(r) = -Z/r + sum_i c_i erf(sqrt(a_i) r)/r       sum_i c_i = Z
 *
 *  a_i [HF_ATOMIC_POTENTIAL_TERMS], 1/bohr^2, are the same for all atoms; c_i are in row Z - 1. The atoms are
 *  spherically averaged, non-relativistic, with local exchange and no correlation.
 *  Source   Lehtola, J. Chem. Theory Comput. 15, 1593 (2019); Lehtola, Visscher, Engel, J. Chem.
 *           Phys. 152, 144105 (2020). */
extern const double hf_atomic_potential_exponent[HF_ATOMIC_POTENTIAL_TERMS];
extern const double hf_atomic_potential_charge[HF_ATOMIC_POTENTIALS][HF_ATOMIC_POTENTIAL_TERMS];

#endif
