/* What is computed once for atoms of the same element in the same shells: the different ones are
 * shared out over the ranks, and all ranks get what was made. */
#ifndef HF_LIKE_ATOMS_H
#define HF_LIKE_ATOMS_H

#include "hf/guess_input.h"

/** What there is of each kind of atom. */
struct hf_like_atoms {
    struct hf_context *context; /**< borrowed */
    int n_atom;
    int *like;     /**< [n_atom] lowest-numbered atom of its kind, -1: ghost */
    double **data; /**< [n_atom] for atoms that are like themselves, NULL for others */
};

/** One kind of data; none of the functions is collective. */
struct hf_like_atoms_ops {
    const char *label; /**< for the memory account */
    /** Numbers of one atom. */
    size_t (*size)(const struct hf_guess_input *input, int atom);
    /** Fills data [size]. HF_NO_RESOURCE. */
    hf_status (*make)(const struct hf_guess_input *input, int atom, double data[],
                      struct hf_error *error);
};

/** Collective; the same status on every rank. HF_NO_RESOURCE: memory; what `make` gives;
 *  HF_INTERRUPTED. */
hf_status hf_like_atoms_init(struct hf_like_atoms *self, const struct hf_guess_input *input,
                             const struct hf_like_atoms_ops *ops,
                             struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts half-made and cleared ones. */
void hf_like_atoms_done(struct hf_like_atoms *self);

#endif
