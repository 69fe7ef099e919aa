/* Bounds of densities when quartets for exchange alone are stored: limits for densities of later builds. */
#ifndef HF_KEPT_BOUNDS_H
#define HF_KEPT_BOUNDS_H

#include "node_density.h"

#include "work/work.h"

/** Largest density elements of pairs of shells and of atoms, times a margin. Later changes of the density
 *  are seldom larger than the density. In memory that the ranks of a node share. */
struct hf_kept_bounds {
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_node_memory *shared;      /**< NULL: nothing is kept; owned */
    float *of_shells;                   /**< [n_shell][n_shell] */
    float *of_atoms;                    /**< [n_atom][n_atom] */
    struct hf_lasting lasting;          /**< the same for the choice of what to store */
};

/** Keeps the bounds of densities with K alone, of a build with that threshold. The struct must not move
 *  afterwards. Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_kept_bounds_set(struct hf_kept_bounds *kept, const struct hf_shell_pairs *pairs,
                             const struct hf_node_density *density, double threshold,
                             struct hf_error *error) HF_MUST_CHECK;

/** Whether no density element exceeds the kept bounds: then quartets that are not stored do not matter.
 *  False if nothing is kept. Equal on all ranks. Collective. */
bool hf_kept_bounds_hold(const struct hf_kept_bounds *kept, const struct hf_node_density *density);

/** Whether the density has elements between atoms. A superposition of atoms has none, and does not show how
 *  far exchange reaches. Not collective; equal on all ranks. */
bool hf_density_reaches_out(const struct hf_node_density *density);

/** Bytes that a node shares. */
double hf_kept_bounds_bytes(double n_shell, double n_atom);

#endif
