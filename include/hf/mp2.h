/* Second-order Moeller-Plesset energies from a wave function.
 *
 *     E(2) = sum over pairs ij and virtual ab of (ia|jb) [ ... ] / (e_i + e_j - e_a - e_b)
 *
 * Several algorithms (hf_mp2_algorithm_list) transform the integrals. They share orbitals, batches and the sum over
 * pairs. If memory is short, the orbitals i are treated in batches; each batch is a pass over all integrals. */
#ifndef HF_MP2_H
#define HF_MP2_H

#include "hf/context.h"
#include "hf/onesided_settings.h"
#include "hf/schedule_settings.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** An algorithm: which integrals a task has, and which are kept and sent. Constant tables. */
struct hf_mp2_algorithm;

/** All algorithms; the list ends with NULL. */
extern const struct hf_mp2_algorithm *const hf_mp2_algorithm_list[];

/** The algorithm with a name, which must be in the list. Not collective. */
const struct hf_mp2_algorithm *hf_mp2_algorithm_find(const char *name);

/** Not collective. */
const char *hf_mp2_algorithm_name(const struct hf_mp2_algorithm *algorithm);
const char *hf_mp2_algorithm_about(const struct hf_mp2_algorithm *algorithm);

/** Whether its energies have the same bits for any number of ranks, threads and batches. Not collective. */
bool hf_mp2_algorithm_reproducible(const struct hf_mp2_algorithm *algorithm);

struct hf_common_pairs;
struct hf_mp2_derivatives;

/** Integrals (pq|rs) of all orbitals that are not frozen, computed instead of energies. p and q are orbitals of one spin, r
 *  and s of one spin, counted from the first that is not frozen. */
struct hf_orbital_integrals {
    int spin[2]; /**< of p and q, and of r and s; 0 of orbitals that both spins share */
    /** Called on rank 0 for each p and r (r <= p if their spins are equal), in rising order of p, then of r: values [q][step]
     *  over s, of q <= p and s <= r at least. */
    void (*take)(void *data, int p, int r, size_t step, const double *values);
    void *data;
};

struct hf_mp2_settings {
    const char *algorithm; /**< in hf_mp2_algorithm_list */
    struct hf_scheduler_settings schedule;
    struct hf_onesided_settings onesided; /**< used by p2 */
    int n_thread;                         /**< compute threads per rank; 0 means 1 */
    int tasks_for;        /**< divide the work as for this number of ranks; 0: the actual number */
    double threshold;     /**< hartree: quartets with smaller bounds are left out */
    int n_frozen;         /**< lowest occupied orbitals (of each spin) that are not correlated */
    int n_frozen_virtual; /**< highest virtual orbitals (of each spin) that are left out */
    double memory_bytes;  /**< per rank; INFINITY: no limit */
    int n_batch;          /**< least number of batches; 0: as few as memory allows */
    bool one_batch;       /**< derivatives: more than one batch is refused */
    /** shell pairs of the wave function's basis, lent; NULL: they are made for MP2 alone */
    struct hf_common_pairs *pairs;
    struct hf_mp2_derivatives *derivatives; /**< NULL: the energy alone */
    /** NULL: energies. The algorithm is then "kets", and energies in the result are 0. */
    const struct hf_orbital_integrals *integrals;
};

/** Accuracy of the list of shell pairs: primitive pairs that contribute less than this to any integral are dropped. */
static inline double hf_mp2_pair_accuracy(const struct hf_mp2_settings *settings)
{
    return 1e-3 * settings->threshold;
}

/** Energies in hartree, equal on all ranks. */
struct hf_mp2_result {
    double same_spin, opposite_spin;
    double correlation; /**< their sum */
    /** of alpha and of beta; [0] counts both if they share orbitals */
    int n_correlated[HF_MAX_SPIN], n_virtual[HF_MAX_SPIN];
    const char *algorithm; /**< the algorithm that was used */
    /** times of the chosen algorithm and of the alternative by the model; 0: the user chose it */
    double model_seconds, model_instead_seconds;
    int n_batch;
    double bytes;      /**< half-transformed integrals on the rank that has most */
    double sent_bytes; /**< sent by all ranks together */
    double n_quartet;  /**< quartets computed on all ranks */
    int n_shell;       /**< shells of the merged basis (hf_basis_merge) */
    /** Matrix products in the two halves of the transformation and in the second pass of derivatives, on all ranks:
     *  additions and multiplications (without those of padding), and CPU seconds of all threads. */
    double n_flop[3], cpu_seconds[3];
    /** CPU seconds of the second pass for integrals and for their derivatives */
    double integral_seconds, derivative_seconds;
};

/** Phases: first half, exchange, second half, waiting. */
extern const struct hf_phase hf_phase_mp2_first, hf_phase_mp2_exchange, hf_phase_mp2_second,
    hf_phase_mp2_wait;

/** Memory that a rank needs, computed from the sizes of a calculation. */
struct hf_mp2_need {
    int n_batch;
    double rank;               /**< bytes per rank with n_batch batches */
    double least;              /**< bytes per rank with the most batches allowed */
    bool one_batch, integrals; /**< as in the sizes */
};

/** Sizes from which hf_mp2_plan computes the memory. */
struct hf_mp2_size {
    int n_function, n_rank, n_thread;
    int most_functions; /**< largest number of functions of a pair of shells */
    int most_shell;     /**< largest number of functions of a shell */
    double n_row;       /**< number of products of two functions that have integrals */
    int n_spin, n_correlated[HF_MAX_SPIN], n_virtual[HF_MAX_SPIN];
    bool one_batch; /**< as in the settings */
    bool
        integrals; /**< of orbitals: n_correlated [0] and n_virtual count all, n_correlated [1] is 0 */
};

/** Finds the smallest number of batches that fits in memory_bytes with an algorithm ("auto": the one it chooses).
 *  n_batch is 0 if no number of batches fits. Not collective. */
struct hf_mp2_need hf_mp2_plan(const char *algorithm, const struct hf_mp2_size *size,
                               double memory_bytes);

/** Returns HF_NO_RESOURCE with a message that contains the least memory needed. Not collective. */
hf_status hf_mp2_refuse(const struct hf_mp2_need *need, double memory_bytes,
                        struct hf_error *error) HF_MUST_CHECK;

/** The energies.
 *
 *  Needs    all of the wave function, of method rhf or uhf, with whole occupations; integrals of orbitals: of any method.
 *  Memory   see hf_mp2_plan; every rank has the coefficients of all orbitals.
 *  Call     collective over the context of the wave function.
 *  Errors   HF_BAD_INPUT: no orbital is left to correlate, or a frozen orbital has the energy of a correlated one
 *           (with derivatives); HF_NO_RESOURCE: memory (the message contains the least
 *           needed); HF_INTERRUPTED. Same status and message on every rank.
 *  Source   Moeller, Plesset, Phys. Rev. 46, 618 (1934); Pople, Binkley, Seeger, Int. J. Quantum Chem. S10, 1
 *           (1976) for open shells. */
hf_status hf_mp2_compute(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                         const struct hf_mp2_settings *settings, struct hf_mp2_result *result,
                         struct hf_error *error) HF_MUST_CHECK;

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
