/* The shell pairs of each shell, for tasks of two shells (HF_QUARTETS_OF_SHELLS). */
#ifndef HF_WORK_SHELL_LISTS_H
#define HF_WORK_SHELL_LISTS_H

#include "base/arena.h"
#include "integrals/shell_pair.h"

struct hf_shell_lists {
    int64_t *first; /**< [n_shell + 1] into pair */
    /** Shell pairs of each shell, in rising order: by pairs of atoms, then by falling bound */
    int64_t *pair;
};

/** Takes arrays from the arena, which may fail. Not collective. */
void hf_shell_lists_init(struct hf_shell_lists *lists, struct hf_arena *arena,
                         const struct hf_shell_pairs *pairs);

/** Atom pair that a shell pair belongs to. */
int hf_atom_pair_of(const struct hf_shell_pairs *pairs, int64_t shell_pair);

#endif
