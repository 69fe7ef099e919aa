/* Inside the guess room: the guesses of the list and functions that several of them use. */
#ifndef HF_GUESS_PRIVATE_H
#define HF_GUESS_PRIVATE_H

#include "base/arena.h"
#include "guess/guess_input.h"
#include "hf/guess.h"

extern const struct hf_guess_ops hf_guess_sad, hf_guess_sap, hf_guess_huckel, hf_guess_core;

/** Fills density [n_density] and input->of.occupied [n_set] with the lowest orbitals of `matrix` [m][m] in the orthonormal
 *  basis, the same for all spins. Destroys `matrix`. Collective. HF_NO_RESOURCE. */
hf_status hf_guess_from_matrix(const struct hf_guess_input *input, struct hf_matrix *matrix,
                               struct hf_matrix *const density[],
                               struct hf_error *error) HF_MUST_CHECK;

/* Data of atoms, computed once for all atoms of the same element in the same shells. The ranks share the work,
 * and all ranks get all data. */

/** Data of each kind of atom. */
struct hf_like_atoms {
    struct hf_context *context; /**< borrowed */
    int n_atom;
    int *like;             /**< [n_atom] first atom of the same kind; -1: ghost */
    double **data;         /**< [n_atom] data of the first atom of each kind; NULL for others */
    struct hf_arena arena; /**< owns the arrays; the caller releases it, also after a failure */
};

/** A kind of data; none of the functions is collective. */
struct hf_like_atoms_ops {
    const char *label; /**< for the memory account */
    /** Number of values for an atom. */
    size_t (*size)(const struct hf_guess_input *input, int atom);
    /** Fills data [size]. HF_NO_RESOURCE. */
    hf_status (*make)(const struct hf_guess_input *input, int atom, double data[],
                      struct hf_error *error);
};

/** Collective; the same status on every rank. HF_NO_RESOURCE: memory; errors of `make`; HF_INTERRUPTED. */
hf_status hf_like_atoms_init(struct hf_like_atoms *self, const struct hf_guess_input *input,
                             const struct hf_like_atoms_ops *ops,
                             struct hf_error *error) HF_MUST_CHECK;

#endif
