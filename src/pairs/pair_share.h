/* Pairs of shells as they are found: one thread's growing lists. Any division of the pairs of atoms
 * among shares gives the same list in the end. */
#ifndef HF_PAIR_SHARE_H
#define HF_PAIR_SHARE_H

#include "base/arena.h"
#include "pair_classes.h"

#include <stdint.h>

/** Pairs found so far; first_pair and first_primitive count within the share. */
struct hf_pair_share {
    const struct hf_basis *basis;         /**< borrowed */
    const struct hf_class_table *classes; /**< borrowed */
    struct hf_arena arena;                /**< of all arrays: ends them */
    double smallest;                      /**< primitive pairs below do not count */
    double farthest;                      /**< hf_farthest_exponent of it */
    double *diffuse;                      /**< [n_atom] smallest exponent of each atom */
    double *radius;                    /**< [n_atom] of its shells about the first of them, bohr */
    struct hf_primitive_pair *scratch; /**< those of one pair */
    int64_t n_pair, n_pair_allocated;
    struct hf_shell_pair *pair;
    int n_atom_pair;
    int64_t n_atom_pair_allocated;
    struct hf_atom_pair *atom_pair;
    int64_t n_primitive, n_primitive_allocated;
    struct hf_primitive_pair *primitive;
};

/** An empty share. Its arena may fail, and ends all the same. Not collective. */
void hf_pair_share_init(struct hf_pair_share *share, const struct hf_shell_pairs *pairs,
                        const struct hf_class_table *classes);

/** Appends the pairs of two atoms A >= B that are not negligible, unsorted and without bounds.
 *  False: no memory. */
bool hf_pair_share_add(struct hf_pair_share *share, int atom_a, int atom_b);

/** Empties the share; its room stays. */
void hf_pair_share_clear(struct hf_pair_share *share);

#endif
