/* First densities for the SCF: input and output of a guess. */
#ifndef HF_GUESS_INPUT_H
#define HF_GUESS_INPUT_H

#include "hf/basis.h"
#include "orbitals/orbitals.h"

struct hf_scf_orbitals;

/** Input of a guess. */
struct hf_guess_input {
    struct hf_context *context;
    struct hf_linalg *linalg;
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    double linear_dependence_threshold;       /**< smaller eigenvalues of the overlap are removed */
    const struct hf_matrix *core_hamiltonian; /**< [n][n] */
    struct hf_determinant of; /**< one basis x for both sets; guesses fill `occupied` */
};

/** A way to compute the first densities. */
struct hf_guess_ops {
    const char *name, *about, *cite;
    bool from_orbitals; /**< the densities belong to orbitals, which are also returned */
    /** Fills density [n_density] of the method, [n][n] each. If they come from orbitals, also fills input->of.occupied
     *  [n_set], [m][o] each, NULL if o = 0. Collective. */
    hf_status (*densities)(const struct hf_guess_input *input, struct hf_matrix *const density[],
                           struct hf_error *error);
};

/** Finds a guess by name. HF_BAD_INPUT: there is none; the message lists all names. Not collective. */
hf_status hf_guess_find(const char *name, const struct hf_guess_ops **guess,
                        struct hf_error *error) HF_MUST_CHECK;

/** Fills density [n_density] and input->of.occupied [n_set] with the orbitals of another calculation,
 *  projected on this one's basis and orthonormal. Collective.
 *  Errors   HF_BAD_INPUT: too few orbitals, or one that the basis cannot represent; HF_NO_RESOURCE; errors of
 *           reading. */
hf_status hf_scf_project_orbitals(const struct hf_guess_input *input,
                                  const struct hf_scf_orbitals *from,
                                  struct hf_matrix *const density[],
                                  struct hf_error *error) HF_MUST_CHECK;

#endif
