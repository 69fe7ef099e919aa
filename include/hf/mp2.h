/* Second-order Moeller-Plesset energies from a wave function.
 *
 *     E(2) = sum over pairs ij and virtual ab of (ia|jb) [ ... ] / (e_i + e_j - e_a - e_b)
 *
 * Several algorithms (hf_mp2_algorithm_list) transform the integrals. They share orbitals, batches and the sum
 * over pairs. If memory is short the orbitals i come in batches, each with a pass over all integrals. */
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

/** Which integrals a task has, and which are kept and sent: constant tables. */
struct hf_mp2_algorithm;

/** All algorithms; ended by NULL. */
extern const struct hf_mp2_algorithm *const hf_mp2_algorithm_list[];

/** That of a name, which must be one of the list. Not collective. */
const struct hf_mp2_algorithm *hf_mp2_algorithm_find(const char *name);

/** Not collective. */
const char *hf_mp2_algorithm_name(const struct hf_mp2_algorithm *algorithm);
const char *hf_mp2_algorithm_about(const struct hf_mp2_algorithm *algorithm);

struct hf_mp2_settings {
    const char *algorithm; /**< in hf_mp2_algorithm_list */
    struct hf_scheduler_settings schedule;
    struct hf_onesided_settings onesided; /**< of p2 */
    int n_thread;         /**< of each rank; 0 counts as 1 */
    double threshold;     /**< hartree: quartets with smaller bounds are left out */
    int n_frozen;         /**< lowest occupied orbitals (of each spin) that are not correlated */
    int n_frozen_virtual; /**< highest virtual orbitals (of each spin) that are left out */
    double memory_bytes;  /**< of a rank; INFINITY: no limit */
    int n_batch;          /**< at least so many; 0: as few as memory allows */
};

/** Energies in hartree, equal on all ranks. */
struct hf_mp2_result {
    double same_spin, opposite_spin;
    double correlation;                                    /**< their sum */
    int n_correlated[HF_MAX_SPIN], n_virtual[HF_MAX_SPIN]; /**< of alpha and beta; of both: [0] */
    int n_batch;
    double bytes;      /**< of half-transformed integrals, of the rank with the most */
    double sent_bytes; /**< of all ranks together */
    double n_quartet;  /**< computed on all ranks */
};

/** Phases: both halves, and the exchange between them. */
extern const struct hf_phase hf_phase_mp2_first, hf_phase_mp2_exchange, hf_phase_mp2_second,
    hf_phase_mp2_wait;

/** What a rank needs, from the sizes of a calculation. */
struct hf_mp2_need {
    int n_batch;
    double rank;  /**< bytes of a rank with so many batches */
    double least; /**< with one orbital in a batch */
};

/** Sizes that it follows from. */
struct hf_mp2_size {
    int n_function, n_rank, n_thread;
    int most_functions; /**< of a pair of shells */
    int most_shell;     /**< functions of a shell */
    double n_row;       /**< products of two functions that there are integrals of */
    int n_spin, n_correlated[HF_MAX_SPIN], n_virtual[HF_MAX_SPIN];
};

/** As few batches as fit into so many bytes with an algorithm; if none do, n_batch is 0. Not collective. */
struct hf_mp2_need hf_mp2_plan(const char *algorithm, const struct hf_mp2_size *size,
                               double memory_bytes);

/** HF_NO_RESOURCE, with the least that would do. Not collective. */
hf_status hf_mp2_refuse(const struct hf_mp2_need *need, double memory_bytes,
                        struct hf_error *error) HF_MUST_CHECK;

/** The energies.
 *
 *  Needs    all of the wave function, of method rhf or uhf, with whole occupations.
 *  Memory   what hf_mp2_plan says; coefficients of all orbitals on every rank.
 *  Call     collective over the context of the wave function.
 *  Errors   HF_BAD_INPUT: no orbital is left to correlate; HF_NO_RESOURCE: memory, with the least that would
 *           do; HF_INTERRUPTED. Same status and message on every rank.
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
