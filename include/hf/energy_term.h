/* Energies of the terms of the Hamiltonian. */
#ifndef HF_ENERGY_TERM_H
#define HF_ENERGY_TERM_H

/** Largest number of terms. */
enum { HF_MAX_TERM = 8 };

/** Energy of a term, hartree. */
struct hf_energy_term {
    const char *name;         /**< name of its hf_term_ops */
    double electrons, nuclei; /**< sum_mn D_mn h_mn, and the value of nuclear_energy */
};

#endif
