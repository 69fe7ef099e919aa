/* One calculation while it runs, and the steps it is made of: set-up (set_up.c), first densities
 * and evaluation of densities (evaluate.c), what is only asked of the last ones (finish.c), the wave
 * function (give_wavefunction.c). The driver that puts the steps in order is driver.c. Shapes and words are
 * those of steps.h. */
#ifndef HF_SCF_STATE_H
#define HF_SCF_STATE_H

#include "steps.h"

/** What lives as long as one calculation. */
struct hf_scf {
    struct hf_context *context;
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    const struct hf_scf_settings *settings;
    const struct hf_scf_observer *observer;
    const struct hf_method_ops *method;
    struct hf_scf_result *result;
    struct hf_linalg *linalg;
    struct hf_hamiltonian *hamiltonian;
    struct hf_basis *merged; /* the same functions in the shells of the two-electron integrals */
    struct hf_shell_pairs *pairs;
    struct hf_fock_builder *builder;
    struct hf_two_electron two_electron;
    struct hf_diis *diis;
    struct hf_matrix *core;                     /* [n][n] all terms of one electron */
    struct hf_matrix *x;                        /* [n][m] */
    struct hf_matrix *occupied[HF_MAX_DENSITY]; /* [n_fock] [m][o] of the densities; NULL: o = 0 */
    struct hf_matrix *guess[HF_MAX_DENSITY];    /* [n_density] [m][m] D' of a guess not made of
                                                   orbitals, until used */
    struct hf_matrix *fock[HF_MAX_DENSITY]; /* [n_fock] [m][m] F' of the last densities, until the
                                                   next are made */
    struct hf_matrix *commutator[HF_MAX_DENSITY]; /* [n_fock] [m][m] of the two */
    double *orbital_energy;                       /* [m] of the Fock matrix last diagonalised */
    double stored_share;                          /* hf_fock_stored_share of the builder */
    double busy_max, busy_mean;                   /* sums over the builds */
    double iteration_started;
};

/** Grid, orthogonaliser, core Hamiltonian, Fock builder, DIIS, room for the densities. Collective.
 *  HF_BAD_INPUT: the basis is too small or linearly dependent altogether; HF_NO_RESOURCE. */
hf_status hf_scf_set_up(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;
/** Frees what there is. Collective. */
void hf_scf_tear_down(struct hf_scf *scf);

/** The overlap matrix [n][n]. Collective. */
hf_status hf_scf_overlap(struct hf_scf *scf, struct hf_matrix *overlap,
                         struct hf_error *error) HF_MUST_CHECK;

/** First densities [n_density] [n][n], with the orbitals they are made of or their D'.
 *  Collective. */
hf_status hf_scf_guess(struct hf_scf *scf, struct hf_matrix *const density[],
                       struct hf_error *error) HF_MUST_CHECK;

/** Energy, Fock matrices and commutators of the next densities, which are destroyed: one iteration
 *  up to the point where the observer is told. Collective. */
hf_status hf_scf_evaluate(struct hf_scf *scf, struct hf_matrix *density[],
                          struct hf_error *error) HF_MUST_CHECK;

/** What is only asked of the last densities: parts of the energy, dipole. Collective. */
hf_status hf_scf_finish(struct hf_scf *scf, struct hf_error *error) HF_MUST_CHECK;

/** Orbitals of the last Fock matrices, and, when all parts are wanted, the last densities and the
 *  overlap. The grid goes over to the wave function then: what still lives on it must not be used
 *  but destroyed. Leaves a cleared wave function when it fails. Collective. */
hf_status hf_scf_give_wavefunction(struct hf_scf *scf, struct hf_wavefunction *wavefunction,
                                   struct hf_error *error) HF_MUST_CHECK;

/** Destroys all matrices of a list of HF_MAX_DENSITY; NULLs are accepted. Not collective. */
void hf_scf_destroy_list(struct hf_matrix *list[]);

#endif
