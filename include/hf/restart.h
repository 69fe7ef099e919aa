/* The state of a calculation: what it hands out while it runs and can continue from later.
 *
 * Nothing here knows of files. To keep the state of a calculation set a struct hf_scf_keeper in struct
 * hf_scf_settings, to continue one a struct hf_scf_restart. n basis
 * functions, m <= n orbitals, X [n][m] the orthogonaliser, X^T S X = 1. */
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
    HF_KEEP_INTERRUPTED, /**< the calculation ends by a signal or its time limit */
    HF_KEEP_FINISHED,    /**< it is converged */
    HF_KEEP_UNCONVERGED, /**< it ends with its last iteration, not converged */
};

/** Everything that a calculation needs to continue. Borrowed for one call. */
struct hf_scf_state {
    const char *method;
    int n_function, n_orbital;
    int n_spin;      /**< sets of orbitals: 1, or alpha's and beta's */
    int n_fock;      /**< Fock matrices: 1, or alpha's and beta's */
    int n_density;   /**< 1, or 2: total and spin density */
    int n_iteration; /**< done; the numbers below are of the last of them, 0 before the first */
    bool converged;
    double energy, energy_change, commutator; /**< hartree; see struct hf_scf_iteration */
    double threshold;                         /**< of its screening; INFINITY before the first */
    double guess_energy;                      /**< of the first iteration */
    /** [n_spin] The orbitals of the next Fock build. `coefficient` has the occupied columns, all m when
     *  the calculation is finished, and is NULL before there are orbitals, or where none is
     *  occupied. */
    struct hf_orbitals spin[HF_MAX_SPIN];
    struct hf_matrix *density[HF_MAX_SPIN]; /**< [n_density] theirs, [n][n]; NULL as they are */
    const struct hf_matrix *x;              /**< X */
    /** [n_diis][n_fock] What DIIS remembers, the oldest first: matrices [m][m] whose symmetric part
     *  is the Fock matrix F' = X^T F X and whose antisymmetric part is F'D' - D'F'. */
    int n_diis;
    const struct hf_matrix *const *diis;
};

/** Keeps states. */
struct hf_scf_keeper {
    /** Whether a state is needed now; otherwise it is not put together. Collective; the same answer on
     *  every rank. */
    bool (*wanted)(void *data, enum hf_keep_reason reason);
    /** Takes the state, or, when there is no memory to put it together, NULL and *error that says
     *  so. Collective. A status other than HF_OK ends the calculation: report a file that
     *  cannot be written in another way. The same status on every rank. */
    hf_status (*keep)(void *data, const struct hf_scf_state *state, enum hf_keep_reason reason,
                      struct hf_error *error);
    void *data;
};

/** A state to go on from: numbers, and where its matrices are read. Ranks, grid, Fock builder and
 *  the orthogonaliser may all be others than when it was kept. */
struct hf_scf_restart {
    const char *name; /**< for messages, such as its file; NULL: none */
    const char *method;
    int n_function, n_orbital, n_spin, n_fock, n_density; /**< as in struct hf_scf_state */
    int n_iteration;
    double energy, commutator, threshold, guess_energy; /**< as in struct hf_scf_state */
    int n_column[HF_MAX_SPIN];                          /**< 0: no orbitals, the guess begins */
    const double *occupation[HF_MAX_SPIN]; /**< [n_orbital] electrons in each; NULL: whole ones */
    bool is_guess; /**< settings now occupy orbitals in another way, as at another temperature: the
                    *   density only gives the first orbitals, and the DIIS matrices are left out */
    int n_diis;
    /** Rows first .. first+n-1 to rows [n][columns], row by row. Called on rank 0 alone. `index`
     *  counts DIIS matrices, the oldest is 0; elsewhere it is 0. */
    hf_status (*read)(void *data, enum hf_restart_matrix which, int index, int spin, int first,
                      int n, double rows[], struct hf_error *error);
    void *data;
};

/** The numbers of a state, to continue from it: all but name, occupation, is_guess, read and data. */
struct hf_scf_restart hf_scf_restart_of(const struct hf_scf_state *state);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
