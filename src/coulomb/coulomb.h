/* The Coulomb matrix alone, or derivatives of the Coulomb energy, from products of primitives: the density and the
 * potential in the Hermite basis, without integrals over four functions.
 *
 *     J_ab = sum_cd D_cd (ab|cd)
 *
 *     D blocks -> H of every product --+
 *                                      +--> V_p = sum_q R(p,q) H_q: tasks over the bras p -+
 *     J blocks <- V of every product <-----------------------------------------------------+
 *
 *     E_J = 1/2 sum_p H_p V_p        dE_J/dR = sum_p dH_p/dR V_p at fixed D, V of one order more
 *
 *  Each step is divided over all ranks and threads. H and V are held once on a node. H goes from the owners of blocks to the
 *  ranks that prepare the kets, V from the tasks to the owners; prepared kets and expansions of far products go to all
 *  nodes. Sources: McMurchie and Davidson, J. Comput. Phys. 26, 218 (1978); Ahmadi
 *  and Almlof, Chem. Phys. Lett. 246, 364 (1995); White and Head-Gordon, J. Chem. Phys. 104, 2620 (1996). */
#ifndef HF_COULOMB_H
#define HF_COULOMB_H

#include "coulomb/products.h"
#include "hf/context.h"
#include "hf/schedule_settings.h"
#include "hf/status.h"
#include "integrals/shell_pair.h"
#include "pairs/shell_pairs.h"

#include <stdint.h>

struct hf_coulomb;

/** Settings of a pass. */
struct hf_coulomb_settings {
    struct hf_scheduler_settings schedule;
    int n_thread;                 /**< compute threads per rank; 0 counts as 1 */
    int tasks_for;                /**< number of ranks that tasks are made for; 0: the actual one */
    bool single;                  /**< single precision if it is accurate enough */
    bool multipoles;              /**< products far from each other by multipoles */
    bool derivatives;             /**< of the energy instead of matrices */
    const struct hf_phase *phase; /**< that its time is booked under */
    struct hf_pair_owner owner;
};

/** Access to densities and Coulomb matrices. One thread of the owner handles a pair of atoms of the list: it calls
 *  lend for each density to compute H, and add or move for each when it has V. Several threads call at the same time.
 *  All functions are local. Atoms and functions are those of the list's basis. */
struct hf_coulomb_target {
    void *data;
    /** The block [functions of atom_a][functions of atom_b] of density k; its rows are `*stride`
     *  apart. */
    const double *(*lend)(void *data, int k, const struct hf_atom_pair *pair, int *stride);
    /** Adds a block of S, with J = S + S^T, also for an atom with itself. The block has no gaps and may be
     *  overwritten. */
    void (*add)(void *data, int k, const struct hf_atom_pair *pair, double *block);
    /** If derivatives are computed: takes the derivatives of the energy by the centres of shells a and b of a pair,
     *  hartree/bohr, as far as they come from this pair. Their sum over all pairs is the whole derivative. `add` is then
     *  NULL; without derivatives `move` is NULL. */
    void (*move)(void *data, int k, const struct hf_shell_pair *pair, const double slope[2][3]);
};

/** What the last build did, on this rank. */
struct hf_coulomb_account {
    int64_t n_pair;    /**< pairs of products that were computed, whole vectors */
    int64_t n_single;  /**< of those, in single precision */
    int64_t n_task;    /**< on all ranks */
    int64_t n_ket;     /**< numbers of prepared kets, sent to all nodes */
    int64_t n_sent;    /**< numbers of H and V, sent to the nodes that need them */
    int64_t n_product; /**< number of products that n_sent belongs to */
};

/** Collective. `pairs` is borrowed and must outlive it. HF_NO_RESOURCE, HF_BAD_INPUT: no such
 *  scheduler. */
hf_status hf_coulomb_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                            const struct hf_coulomb_settings *settings, struct hf_coulomb **coulomb,
                            struct hf_error *error) HF_MUST_CHECK;

/** Collective; accepts a pointer to NULL; leaves NULL. */
void hf_coulomb_destroy(struct hf_coulomb **coulomb);

/** The Coulomb matrices, or derivatives of the Coulomb energies, of `n_density` symmetric densities.
 *
 *  Screen   a pair of products is left out if its contribution to an element of J is below a tenth of
 *           `threshold` (hartree), by the Cauchy-Schwarz inequality; if derivatives are computed, to the derivative by the
 *           place of one of the two (hartree/bohr).
 *  Call     collective; n_density and threshold equal on all ranks.
 *  Errors   HF_NO_RESOURCE, HF_INTERRUPTED. Same status and message on every
 *           rank. */
hf_status hf_coulomb_build(struct hf_coulomb *coulomb, int n_density, double threshold,
                           const struct hf_coulomb_target *target,
                           struct hf_error *error) HF_MUST_CHECK;

/** Not collective. */
struct hf_coulomb_account hf_coulomb_account(const struct hf_coulomb *coulomb);

/** Bytes on a node for a list of so many primitive pairs with so many components, for matrices (derivatives need 1.6 to
 *  2.5 times as much for H and V); bytes of a thread; and additional bytes on a node while the list is created. Not
 *  collective. */
double hf_coulomb_node_bytes(double n_primitive, double n_component);
double hf_coulomb_thread_bytes(void);
double hf_coulomb_made_bytes(double n_primitive);

#endif
