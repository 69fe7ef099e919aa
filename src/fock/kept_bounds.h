/* Bounds of the densities whose exchange alone was stored: what quartets may meet in builds to come. */
#ifndef HF_KEPT_BOUNDS_H
#define HF_KEPT_BOUNDS_H

#include "node_density.h"

#include "hf/work.h"

/** Largest density elements of pairs of shells and of atoms, times a margin, for changes of the density
 *  are seldom larger than it is; in memory that the ranks of a node share. */
struct hf_kept_bounds {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_node_memory *shared;      /**< NULL: nothing is kept */
    float *of_shells;                   /**< [n_shell][n_shell] */
    float *of_atoms;                    /**< [n_atom][n_atom] */
    struct hf_lasting lasting;          /**< the same for the choice of what to store */
};

/** Keeps the bounds of densities that all have K alone, in a build of that threshold; their address must
 *  not change any more. Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_kept_bounds_set(struct hf_kept_bounds *kept, const struct hf_shell_pairs *pairs,
                             const struct hf_node_density *density, double threshold,
                             struct hf_error *error) HF_MUST_CHECK;

/** How densities compare with the kept bounds. */
enum hf_kept_comparison {
    HF_KEPT_HOLDS,    /**< no element is larger */
    HF_KEPT_EXCEEDED, /**< some are: quartets that are not stored may matter */
    HF_KEPT_OUTGROWN, /**< by so much that stored quartets may be needed in higher precision */
};

/** Compares the densities of a build with the kept bounds; HF_KEPT_EXCEEDED if nothing is kept. Equal on all
 *  ranks. Collective. */
enum hf_kept_comparison hf_kept_bounds_compare(const struct hf_kept_bounds *kept,
                                               const struct hf_node_density *density);

/** Whether atoms have density elements with each other: superposed atoms do not tell how far exchange is
 *  going to reach. Not collective; equal on all ranks. */
bool hf_density_reaches_out(const struct hf_node_density *density);

/** Collective; also of what is empty. */
void hf_kept_bounds_done(struct hf_kept_bounds *kept);

/** Bytes that a node shares. */
double hf_kept_bounds_bytes(double n_shell, double n_atom);

#endif
