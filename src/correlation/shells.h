/* The half-transformed integrals (iM|jN) of the algorithm "pairs": computed in the first half, then sent to the
 * owners of the pairs of orbitals.
 *
 *     first half   tasks of two shells M, N: (MR|NS) -> (MR|Nj) -> (Mi|Nj)     kept where computed
 *     exchange     all (iM|jN) of a pair ij are sent to its owner
 *     second half  on the owner: (iM|jN) -> (ia|jN) -> (ia|jb), the energy of the pair
 *
 * Orbitals i and j are numbered through both spins (hf_mp2_orbital), so i >= j includes pairs of the same and of
 * different spins. */
#ifndef HF_MP2_SHELLS_H
#define HF_MP2_SHELLS_H

#include "mp2_private.h"

#include <pthread.h>

/** Integrals of two shells: [pair][m][n] (mi|nj), followed by [n][m] (ni|mj) unless the shells are the same. */
struct hf_mp2_shells {
    int m, n;
    double *value;
};

/** The integrals of this rank, in mp2->stored. */
struct hf_mp2_half {
    pthread_mutex_t lock; /**< protects the members below and mp2->stored while threads add tasks */
    int64_t n_task, room;
    struct hf_mp2_shells *task; /**< [n_task] */
};

/** Number of pairs j <= i of all orbitals before i. */
static inline int64_t hf_mp2_triangle(int64_t i)
{
    return i * (i + 1) / 2;
}

/** Number of integrals of two shells for one pair of orbitals. */
static inline size_t hf_mp2_shells_size(const struct hf_basis *basis, int m, int n)
{
    const size_t size = (size_t)basis->shell[m].n_function * (size_t)basis->shell[n].n_function;
    return m == n ? size : 2 * size;
}

/** Fills `half`, which must be empty. Collective. */
hf_status hf_mp2_shells_first(struct hf_mp2 *mp2, struct hf_mp2_half *half,
                              struct hf_error *error) HF_MUST_CHECK;

/** Computes the energies of all pairs of the batch. Collective. */
hf_status hf_mp2_shells_second(struct hf_mp2 *mp2, const struct hf_mp2_half *half,
                               struct hf_error *error) HF_MUST_CHECK;

/** Number of pairs of orbitals that a rank finishes at a time; more pairs make messages longer. */
int hf_mp2_pairs_at_a_time(int n_function, int n_thread);

#endif
