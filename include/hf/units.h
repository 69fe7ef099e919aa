/* Physical constants and numerical limits shared by all rooms. */
#ifndef HF_UNITS_H
#define HF_UNITS_H

/** CODATA 2018: 1 bohr in ångström. */
#define HF_BOHR_IN_ANGSTROM 0.529177210903
/** CODATA 2018: 1 atomic unit of dipole moment in debye. */
#define HF_DIPOLE_IN_DEBYE 2.541746473
/** CODATA 2018: 1 hartree in electron volt. */
#define HF_HARTREE_IN_EV 27.211386245988

/** CODATA 2018: unified atomic mass unit in electron masses. */
#define HF_MASS_UNIT_IN_ELECTRON_MASSES 1822.888486209
/** CODATA 2018: 1 hartree over Planck's constant in GHz, and over hc in 1/cm. */
#define HF_HARTREE_IN_GHZ    6.579683920502e6
#define HF_HARTREE_IN_PER_CM 219474.63136320

/** Highest angular momentum that the Libint library was built for (LIBINT2_MAX_AM_eri). */
#define HF_MAX_L 5
/** Quartets, or primitives of a pair, that are computed side by side: doubles of a 512-bit vector. */
#define HF_LANES 8

/** The same in single precision. */
#define HF_SINGLE_LANES 16
/** Largest number of shells that hf_basis_merge merges into one. */
#define HF_MAX_SHELL_PART 3

#endif
