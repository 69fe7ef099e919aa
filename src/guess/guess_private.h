/* Inside the guess room: the list's entries and what several of them share. */
#ifndef HF_GUESS_PRIVATE_H
#define HF_GUESS_PRIVATE_H

#include "hf/guess.h"
#include "hf/guess_input.h"

extern const struct hf_guess_ops hf_guess_sad, hf_guess_sap, hf_guess_huckel, hf_guess_core;

/** Fills density [n_density] and occupied [n_fock] with the lowest orbitals of `matrix` [m][m], in
 *  the orthonormal basis, which is destroyed: the same for all spins. Collective.
 *  HF_NO_RESOURCE. */
hf_status hf_guess_from_matrix(const struct hf_guess_input *input, struct hf_matrix *matrix,
                               struct hf_matrix *const density[],
                               struct hf_matrix *const occupied[],
                               struct hf_error *error) HF_MUST_CHECK;

#endif
