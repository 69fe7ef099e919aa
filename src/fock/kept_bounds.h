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

/** Whether no density element of a build is larger than the kept bounds: then quartets that are not stored
 *  do not matter. False if nothing is kept. Equal on all ranks. Collective. */
bool hf_kept_bounds_hold(const struct hf_kept_bounds *kept, const struct hf_node_density *density);

/** Whether atoms have density elements with each other: superposed atoms do not tell how far exchange is
 *  going to reach. Not collective; equal on all ranks. */
bool hf_density_reaches_out(const struct hf_node_density *density);

/** Collective; also of what is empty. */
void hf_kept_bounds_done(struct hf_kept_bounds *kept);

/** Bytes that a node shares. */
double hf_kept_bounds_bytes(double n_shell, double n_atom);

#endif
