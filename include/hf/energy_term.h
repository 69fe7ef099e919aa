/* Parts of an energy by the terms of the Hamiltonian. */
#ifndef HF_ENERGY_TERM_H
#define HF_ENERGY_TERM_H

/** Terms at most. */
enum { HF_MAX_TERM = 8 };

/** Energy of a term, hartree. */
struct hf_energy_term {
    const char *name;         /**< of its hf_term_ops */
    double electrons, nuclei; /**< sum_mn D_mn h_mn; nuclei as nuclear_energy gives it */
};

#endif
