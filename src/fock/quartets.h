/* The shell quartets of two lists of shell pairs: screened, computed, digested. The Fock builders
 * differ in where densities and sums are; this is what they share. */
#ifndef HF_QUARTETS_H
#define HF_QUARTETS_H

#include "digest.h"
#include "hf/engine.h"
#include "hf/shell_pair.h"

#include <stdbool.h>
#include <stdint.h>

/** Positions of the four atoms of an atom quartet (AB|CD). */
enum { HF_ATOM_A, HF_ATOM_B, HF_ATOM_C, HF_ATOM_D, HF_N_ATOM };

/** One density and its sums in blocks of two atoms: [x][y] has the functions of atom x as rows. An
 *  entry [x][y] is needed where a quartet may meet it: D and J for AB, BA, CD, DC; D and K for one
 *  atom of AB with one of CD, in both orders. Sums are NULL when not wanted. */
struct hf_job_blocks {
    const double *density[HF_N_ATOM][HF_N_ATOM];
    double *coulomb[HF_N_ATOM][HF_N_ATOM], *exchange[HF_N_ATOM][HF_N_ATOM];
};

/** Where an atom quartet finds its blocks. */
struct hf_quartet_blocks {
    int n_job;
    const struct hf_job_blocks *job; /**< [n_job] */
    int atom[HF_N_ATOM];
    int first_function[HF_N_ATOM], n_function[HF_N_ATOM]; /**< first and number of columns */
    int first_shell[HF_N_ATOM], n_shell[HF_N_ATOM];       /**< likewise of `largest` */
    /** [x][y]: largest |D| of each pair of shells over all densities, an array [shells of x][shells
     *  of y]. */
    const double *largest[HF_N_ATOM][HF_N_ATOM];
    bool coulomb, exchange; /**< whether any J, any K is wanted of this atom quartet */
};

/** What computes quartets. */
struct hf_quartet_work {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    const struct hf_digest_kernels *digest;
    struct hf_engine *engine;
    double threshold;
    double max_density; /**< no element of any density is larger */
    int64_t n_computed; /**< shell quartets so far */
};

/** Ranges of shell pairs, one of bras and one of kets, each inside one pair of atoms where blocks
 *  are atom blocks. */
struct hf_pair_ranges {
    int64_t bra_begin, bra_end, ket_begin, ket_end;
    bool triangle;    /**< the ranges are the same: kets up to the bra only */
    double ket_bound; /**< no ket has a larger one */
};

/** Computes what passes the screening and adds it to the sums (book Fig. 8.2). */
void hf_quartets_compute(struct hf_quartet_work *work, const struct hf_quartet_blocks *blocks,
                         const struct hf_pair_ranges *ranges);

#endif
