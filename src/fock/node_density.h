/* Densities of the replicated builder, one copy on every node: owners of blocks send them to one rank of each
 * node, which writes them to shared memory. */
#ifndef HF_NODE_DENSITY_H
#define HF_NODE_DENSITY_H

#include "block_traffic.h"
#include "digest/digest.h"
#include "digest/exact_sums.h"
#include "fock/fock.h"
#include "integrals/shell_pair.h"

struct hf_node_density {
    struct hf_context *context;           /**< borrowed */
    const struct hf_basis *basis;         /**< merged, borrowed */
    const struct hf_block_layout *layout; /**< borrowed */
    struct hf_block_traffic traffic;
    struct hf_node_memory *shared; /**< bound, atom_bound, value; NULL: none yet */
    struct hf_node_blocks *blocks; /**< of the ranks that share it */
    int n_room;                    /**< densities that there is room for */
    struct hf_job_shape jobs;      /**< of this build */
    double *bound;      /**< [n_shell][n_shell][HF_N_BOUND] largest |D| of a block of two shells */
    double *atom_bound; /**< [n_atom][n_atom][HF_N_BOUND] the same for two atoms */
    double *value;      /**< [n_job][n][n], the same for all ranks of a node */
    /** Both halves are copied from the lower half (hf_matrix_get_blocks); always with `exact` */
    bool lower;
    struct hf_exact_sums *exact; /**< prepares the densities; borrowed, NULL: sums are rounded */
    double *own;                 /**< while they are gathered: [n_job][elements] own blocks */
};

/** Layout and merged basis are borrowed. Collective. */
void hf_node_density_init(struct hf_node_density *density, struct hf_context *context,
                          const struct hf_basis *merged, const struct hf_block_layout *layout);

/** Makes room for the densities of a build, kept for the next ones: windows are expensive. Collective.
 *  HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_node_density_reserve(struct hf_node_density *density, int n_job,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Fills in the densities of jobs, in merged functions, with their bounds. *largest: the largest element,
 *  the same on all ranks. Collective. HF_NO_RESOURCE: memory, on every rank. */
hf_status hf_node_density_gather(struct hf_node_density *density, const struct hf_job_shape *jobs,
                                 const struct hf_fock_job job[], double *largest,
                                 struct hf_error *error) HF_MUST_CHECK;

/** The largest density element that quartets of two pairs of atoms are multiplied by. Not collective. */
double hf_node_density_factor(const struct hf_node_density *density, const struct hf_atom_pair *bra,
                              const struct hf_atom_pair *ket);

/** Collective. */
void hf_node_density_done(struct hf_node_density *density);

/** Bytes that a node shares. */
double hf_node_density_bytes(double n_function, double n_shell, double n_atom, int n_density);

#endif
