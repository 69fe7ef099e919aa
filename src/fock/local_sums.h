/* Sums of J and K that one thread makes in one task: small blocks of two atoms, added to the whole
 * matrices at the end of the task, so that no thread needs matrices of its own. */
#ifndef HF_LOCAL_SUMS_H
#define HF_LOCAL_SUMS_H

#include "quartets.h"

#include "hf/context.h"

/** Most pairs of atoms that one pair of atoms meets in a task. */
enum { HF_MAX_KET_ATOM_PAIRS = 16 };

/** Whole matrices of every density, which the threads of a rank share. */
struct hf_whole_matrices {
    const struct hf_basis *basis;
    int n_job;
    double **density, **coulomb, **exchange; /**< [n_job][n][n]; NULL sums are not wanted */
    const double *shell_density; /**< [n_shell][n_shell] largest |D|, over all densities */
    struct hf_row_locks *locks;  /**< of the rows of sums */
};

/** Locks of the rows of each atom; NULL is allowed everywhere where there is one thread. */
struct hf_row_locks;
struct hf_row_locks *hf_row_locks_create(int n_atom);
void hf_row_locks_destroy(struct hf_row_locks **locks);

struct hf_local_sums;

/** For one thread; `matrices` is borrowed. Not collective. HF_NO_RESOURCE. */
hf_status hf_local_sums_create(struct hf_context *context, const struct hf_whole_matrices *matrices,
                               struct hf_local_sums **sums, struct hf_error *error) HF_MUST_CHECK;
void hf_local_sums_destroy(struct hf_local_sums **sums);

/** Blocks for a pair of atoms with each of `n` pairs of atoms, all sums zero; [n], valid until the
 *  next call. */
const struct hf_quartet_blocks *hf_local_sums_begin(struct hf_local_sums *sums,
                                                    const struct hf_atom_pair *bra, int n,
                                                    const struct hf_atom_pair *const ket[]);

/** Adds the sums to the whole matrices. Threads may do so at the same time. */
void hf_local_sums_end(struct hf_local_sums *sums);

#endif
