/* The state of a calculation, from which it can be continued later.
 *
 * Nothing here knows of files. To keep states, set `keeper` in struct hf_scf_settings; to continue from a state, set
 * `restart`. There are n basis functions and m <= n orbitals; X [n][m] is the orthogonaliser: X^T S X = 1. */
#ifndef HF_RESTART_H
#define HF_RESTART_H

#include "hf/guess.h"
#include "hf/linalg.h"
#include "hf/status.h"
#include "hf/wavefunction.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

/** When a state is offered. */
enum hf_keep_reason {
    HF_KEEP_ITERATION,   /**< between two iterations */
    HF_KEEP_INTERRUPTED, /**< a signal or the time limit ends the calculation */
    HF_KEEP_FINISHED,    /**< the calculation has converged */
    HF_KEEP_UNCONVERGED, /**< the calculation ends after its last iteration without convergence */
};

/** Everything needed to continue a calculation. Borrowed for one call. */
struct hf_scf_state {
    const char *method;
    int n_function, n_orbital;
    int n_spin;    /**< sets of orbitals: 1, or 2 (alpha and beta) */
    int n_fock;    /**< Fock matrices: 1, or 2 (alpha and beta) */
    int n_density; /**< 1, or 2 (total and spin density) */
    /** iterations done; the numbers below belong to the last one and are 0 before the first */
    int n_iteration;
    bool converged;
    double energy, energy_change, commutator; /**< hartree; see struct hf_scf_iteration */
    double threshold; /**< screening threshold of the last iteration; INFINITY before the first */
    double guess_energy; /**< energy of the first iteration */
    /** [n_spin] The orbitals of the next Fock build. `coefficient` has the occupied columns (all m when the
     *  calculation is finished). It is NULL before there are orbitals, and if none is occupied. */
    struct hf_orbitals spin[HF_MAX_SPIN];
    /** [n_density] densities of these orbitals, [n][n]; NULL if the orbitals are NULL */
    struct hf_matrix *density[HF_MAX_SPIN];
    const struct hf_matrix *x; /**< the orthogonaliser X */
    /** [n_diis][n_fock] Matrices of DIIS, the oldest first. Each is [m][m]: its symmetric part is the Fock matrix F'
     *  = X^T F X, its antisymmetric part is F'D' - D'F'. */
    int n_diis;
    const struct hf_matrix *const *diis;
};

/** Receives states, for example to write checkpoints. */
struct hf_scf_keeper {
    /** Whether a state is needed now; if not, it is not assembled. Collective; must return the same value on every
     *  rank. */
    bool (*wanted)(void *data, enum hf_keep_reason reason);
    /** Takes the state. If there is no memory to assemble it, `state` is NULL and *error has the message. Collective;
     *  must return the same status on every rank. A status other than HF_OK ends the calculation, so report a file
     *  that cannot be written in another way. */
    hf_status (*keep)(void *data, const struct hf_scf_state *state, enum hf_keep_reason reason,
                      struct hf_error *error);
    void *data;
};

/** A state to continue from: its numbers, and a function that reads its matrices. Ranks, grid, Fock builder and
 *  orthogonaliser may differ from those when it was kept. */
struct hf_scf_restart {
    const char *name; /**< for messages, such as its file; NULL: none */
    const char *method;
    int n_function, n_orbital, n_spin, n_fock, n_density; /**< as in struct hf_scf_state */
    int n_iteration;
    double energy, commutator, threshold, guess_energy; /**< as in struct hf_scf_state */
    int n_column[HF_MAX_SPIN]; /**< 0: no orbitals; the calculation starts with the guess */
    /** [n_orbital] electrons in each orbital; NULL: whole occupations */
    const double *occupation[HF_MAX_SPIN];
    /** the settings now occupy orbitals in another way (for example at another temperature): the
     *  density only gives the first orbitals, and the DIIS matrices are left out */
    bool is_guess;
    int n_diis;
    /** Reads rows first .. first+n-1 of a matrix to rows [n][columns]. Called on rank 0 only. `index` counts DIIS
     *  matrices, 0 is the oldest; for other matrices it is 0. */
    hf_status (*read)(void *data, enum hf_restart_matrix which, int index, int spin, int first,
                      int n, double rows[], struct hf_error *error);
    void *data;
};

/** The numbers of a state, to continue from it. Name, occupation, is_guess, read and data are not set. */
struct hf_scf_restart hf_scf_restart_of(const struct hf_scf_state *state);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
