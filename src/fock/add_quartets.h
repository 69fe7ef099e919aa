/* Computed quartets added to the sums: where shells are in blocks of atoms, and one or HF_LANES
 * quartets at a time to the kernels of digestion. */
#ifndef HF_ADD_QUARTETS_H
#define HF_ADD_QUARTETS_H

#include "digest.h"
#include "hf/shell_pair.h"

#include <stdbool.h>

/** Positions of the four atoms of an atom quartet (AB|CD). */
enum { HF_ATOM_A, HF_ATOM_B, HF_ATOM_C, HF_ATOM_D, HF_N_ATOM };

/** How the functions of four atoms are numbered in matrices or blocks, in elements of all jobs. */
struct hf_block_shape {
    int first[HF_N_ATOM];   /**< function that is row or column 0 */
    int columns[HF_N_ATOM]; /**< from one row to the next where these are the columns */
};

/** Where an atom quartet finds its blocks, of two atoms each: [x][y] has the functions of atom x as
 *  rows, and the jobs side by side as `jobs` says. An entry [x][y] is needed where a quartet may meet
 *  it: D and J for AB, BA, CD, DC; D and K for one atom of AB with one of CD, in both orders. */
struct hf_quartet_blocks {
    const struct hf_job_shape *jobs;
    const double *density[HF_N_ATOM][HF_N_ATOM]; /**< [row][column][n] */
    double *coulomb[HF_N_ATOM][HF_N_ATOM];       /**< [row][column][hf_n_coulomb] */
    double *exchange[HF_N_ATOM][HF_N_ATOM];      /**< [row][column][n_exchange] */
    int atom[HF_N_ATOM];
    struct hf_block_shape density_shape, sum_shape;
    int first_shell[HF_N_ATOM], n_shell[HF_N_ATOM]; /**< likewise of `largest` */
    /** [x][y]: largest |D| of each pair of shells, of the densities with J and of those with K alone:
     *  [shells of x][shells of y][HF_N_BOUND]. Needed where a density is. */
    const double *largest[HF_N_ATOM][HF_N_ATOM];
    bool has_coulomb, has_exchange; /**< what quartets may add to */
};

/** A shell and where it is in the blocks. */
struct hf_place {
    int atom;             /**< its position in the atom quartet */
    int density_row, row; /**< of its first function, in densities and in sums */
    int bound;            /**< of the shell in hf_quartet_blocks.largest */
    int n;                /**< functions */
};

/** `first` is the position of the pair that the shell belongs to: A or C. */
static inline struct hf_place hf_find_place(const struct hf_basis *basis,
                                            const struct hf_quartet_blocks *blocks, int shell,
                                            int first)
{
    const struct hf_shell *s = &basis->shell[shell];
    const int atom = s->atom == blocks->atom[first] ? first : first + 1;
    return (struct hf_place){.atom = atom,
                             .density_row = s->first_function - blocks->density_shape.first[atom],
                             .row = s->first_function - blocks->sum_shape.first[atom],
                             .bound = shell - blocks->first_shell[atom],
                             .n = s->n_function};
}

/** A computed quartet: its ket, the blocks it meets, and what it adds to. */
struct hf_quartet_to_add {
    const struct hf_shell_pair *ket;
    const struct hf_quartet_blocks *blocks;
    bool coulomb, exchange[HF_N_BOUND];
};

/** What one thread digests with. */
struct hf_digestion {
    const struct hf_basis *basis; /**< borrowed */
    const struct hf_digest_kernels *kernels;
    struct hf_digest_lanes *lanes; /**< HF_LANES quartets on their way to the kernel */
    double *scratch;               /**< one quartet */
    double *work;                  /**< of the kernel for lanes */
};

/** Not collective. HF_NO_RESOURCE. */
hf_status hf_digestion_init(struct hf_digestion *self, const struct hf_shell_pairs *pairs,
                            struct hf_error *error) HF_MUST_CHECK;
void hf_digestion_done(struct hf_digestion *self);

/** Numbers of computed quartets, in one precision or the other; NULL is the one they are not in. */
struct hf_quartet_values {
    const double *value;
    const float *single;
    int n; /**< of one quartet */
};

/** Adds one quartet, an array [row][column]; `bra_is_row` tells which is which. */
void hf_add_quartet(struct hf_digestion *self, const struct hf_shell_pair *bra,
                    const struct hf_quartet_to_add *quartet, bool bra_is_row,
                    const struct hf_quartet_values *values);

/** Adds `n` <= HF_LANES quartets of one class with one bra, side by side: [ket][bra][HF_LANES]. */
void hf_add_quartets(struct hf_digestion *self, const struct hf_shell_pair *bra, int n,
                     const struct hf_quartet_to_add quartet[],
                     const struct hf_quartet_values *values);

#endif
