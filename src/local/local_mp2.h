/* Local MP2 of closed shells: localised orbitals, excited into projected atomic orbitals near them (book, chapter 10).
 *
 * The pairs ij of orbitals are
 *
 *     strong, weak   nearer than `distant_bohr`: amplitudes from Eq. 10.6; strong ones are nearer than `strong_bohr`
 *     distant        the others: energies from dipoles of i -> a and j -> b, without exchange, so that half of
 *                    them is of equal spins
 */
#ifndef HF_LOCAL_MP2_H
#define HF_LOCAL_MP2_H

#include "base/arena.h"
#include "hf/context.h"
#include "hf/onesided_settings.h"
#include "hf/schedule_settings.h"
#include "hf/status.h"
#include "hf/wavefunction.h"
#include "localise/localise.h"

#include <stdbool.h>
#include <stdint.h>

enum hf_local_class { HF_LOCAL_STRONG, HF_LOCAL_WEAK, HF_LOCAL_DISTANT, HF_N_LOCAL_CLASS };

struct hf_checkpoint;
struct hf_common_pairs;

/** Which atoms an orbital may be excited to. */
enum hf_local_domains {
    HF_DOMAINS_PLAIN,   /**< falling Mulliken population until the orbital is complete */
    HF_DOMAINS_DEFAULT, /**< those; for strong pairs also the atoms bonded to them */
    HF_DOMAINS_TIGHT,   /**< more complete, and with bonded atoms for weak pairs, too */
    HF_DOMAINS_FULL,    /**< all atoms: canonical MP2 if no pair is distant */
    HF_DOMAINS_GIVEN,   /**< those of `given` */
};

/** Domains of another calculation, whose atoms may have moved. Its orbitals are matched to ours by their populations. */
struct hf_local_given {
    int n_orbital, n_atom;
    double *population;    /**< [n_orbital][n_atom] */
    bool *member;          /**< [n_orbital][n_atom] whether the atom is in the domain */
    bool *extended;        /**< [n_orbital][n_atom] and in that of strong pairs */
    bool *outer;           /**< [n_orbital][n_atom] and in that of their correction */
    bool extends_weak;     /**< `extended` is also that of weak pairs */
    bool has_outer;        /**< otherwise `outer` is made from `extended` */
    struct hf_arena arena; /**< of arrays that are owned: released with it */
};

struct hf_local_settings {
    enum hf_localise_kind localise;
    int n_frozen;
    enum hf_local_domains domains;
    const struct hf_local_given *given; /**< of HF_DOMAINS_GIVEN; borrowed */
    double completeness;                /**< largest 1 - b^T S_dd^-1 b; 0: of `domains` */
    int correction_bonds; /**< bonds from a domain to the atoms that are corrected for; 0: no correction */
    double correction_bohr; /**< so are atoms nearer to those of a plain domain */
    double degenerate;      /**< populations nearer than this are equal; 0: of `domains` */
    double strong_bohr;     /**< pairs whose domains are at most so far apart are strong */
    double distant_bohr; /**< pairs whose domains are farther apart are distant; INFINITY: none */
    double redundant;    /**< eigenvalues of a pair's S below this are dropped */
    double threshold;    /**< hartree: of integrals and of each quarter of their transformation */
    double sparse;       /**< elements of L, P, S and F below this are zero */
    bool replicated;     /**< amplitudes on every rank (Eq. 10.8), not fetched */
    double energy_tolerance, amplitude_tolerance;
    int max_iterations;
    struct hf_scheduler_settings schedule;
    struct hf_onesided_settings onesided;
    double orbital_tolerance;      /**< what the SCF converged to; only for `restart` */
    struct hf_common_pairs *pairs; /**< of the wave function's basis; borrowed; NULL: own ones */
    const char *checkpoint;        /**< that of the SCF: gets domains and integrals; NULL: none */
    bool checkpoint_always;        /**< integrals however short their transformation took */
    const struct hf_checkpoint *restart; /**< may have integrals; borrowed; NULL: none */
    int n_thread;                        /**< of each rank; 0 counts as 1 */
};

/** Accuracy of the shell pairs: primitives are left out that cannot add more than a thousandth of the threshold to
 *  an integral. */
static inline double hf_local_pair_accuracy(const struct hf_local_settings *settings)
{
    return 1e-3 * settings->threshold;
}

/** The defaults of all members, also of their tolerances. Not collective. */
struct hf_local_settings hf_local_default_settings(void);

/** Energies and counts of the pairs of a class; pairs i > j count once, with their whole energy. */
struct hf_local_class_result {
    int64_t n_pair;
    double same_spin, opposite_spin; /**< hartree */
};

/** A pair as the JSON file has it: strong and weak ones. */
struct hf_local_pair_result {
    int i, j; /**< i >= j */
    enum hf_local_class kind;
    double distance_bohr; /**< between the nearest atoms of the two domains */
    int n_function;       /**< projected orbitals of its domain */
    int n_outer;          /**< the same with those that are corrected for */
    double work; /**< what its residual takes, about: multiplications. Pairs are dealt by this */
    double same_spin, opposite_spin;
    double same_correction, opposite_correction; /**< not in these */
};

/** Equal on all ranks. Owned (hf_local_result_done). */
struct hf_local_result {
    struct hf_arena arena; /**< of all arrays */
    double same_spin, opposite_spin;
    double correlation;                          /**< their sum: all classes, and the correction */
    double same_correction, opposite_correction; /**< for what domains leave out */
    /** Of each pair's: the part that is PAOs outside of its larger domain, over those that are corrected for; 1 at most. */
    double outside_correction;
    struct hf_local_class_result of_class[HF_N_LOCAL_CLASS];
    struct hf_localised localised; /**< orbitals with their populations */
    int n_orbital;
    /** [n_orbital] atoms of each orbital's domains, rising: for weak pairs, strong pairs, the correction of these */
    struct hf_parts *domain, *extended, *outer;
    bool extends_weak;    /**< extended domains are for all pairs, not for strong ones alone */
    double *completeness; /**< [n_orbital] 1 - b^T S_dd^-1 b */
    int *
        n_degenerate; /**< [n_orbital] atoms added because their population equals that of another one */
    int n_pair;
    struct hf_local_pair_result *pair;
    double mean_domain_atoms, mean_extended_atoms, mean_pair_functions, mean_pair_kept,
        mean_outer_functions;
    int n_iteration;
    bool converged;
    double energy_change, amplitude_change; /**< of the last iteration */
    double bytes;                           /**< of the transformation, of the rank with the most */
    double sent_bytes;                      /**< of all ranks */
    double amplitude_bytes; /**< amplitudes from other ranks, of all ranks and iterations */
    double n_quartet;
    bool resumed;      /**< integrals are those of the checkpoint */
    double kept_bytes; /**< of integrals in a checkpoint */
    char warning[400]; /**< why nothing was added to the checkpoint, or "" */
};

/** Frees and clears; accepts a cleared one. */
void hf_local_result_done(struct hf_local_result *result);

/** Phases. */
extern const struct hf_phase hf_phase_local_domains, hf_phase_local_transform,
    hf_phase_local_wait_tasks, hf_phase_local_exchange, hf_phase_local_finish,
    hf_phase_local_iterate, hf_phase_local_wait;

/** The energies. A trace has batches of: localisation (sweeps as tasks); domains and pairs (W of own pairs as tasks,
 *  excitations of orbitals in distant pairs as pair tasks); transformation; first amplitudes; each iteration (residuals as
 *  tasks, amplitudes as pair tasks, and in the first one which T a residual needs); the correction (as an iteration
 *  without amplitudes). What ranks share evenly (operators,
 *  shell pairs, lists of terms) is recorded as copying; localisation, domains and pairs, and the set-up of the
 *  transformation as a whole are steps.
 *
 *  Needs    all of the wave function, of method rhf, with whole occupations.
 *  Call     collective over the context of the wave function.
 *  Errors   HF_BAD_INPUT: no orbital is left to correlate, or the given domains are not of this molecule;
 *           HF_NO_RESOURCE; HF_INTERRUPTED. Same status and message on every rank. Not converging is a field of
 *           the result.
 *  Source   Pulay, Saebo, Theor. Chim. Acta 69, 357 (1986); Boughton, Pulay, J. Comput. Chem. 14, 736 (1993);
 *           Schuetz, Hetzer, Werner, J. Chem. Phys. 111, 5691 (1999). */
hf_status hf_local_mp2_compute(struct hf_context *context,
                               const struct hf_wavefunction *wavefunction,
                               const struct hf_local_settings *settings,
                               struct hf_local_result *result,
                               struct hf_error *error) HF_MUST_CHECK;

struct hf_json;
/** Writes the constants by which tools/lab models local MP2. */
void hf_local_put_model(struct hf_json to);

#endif
