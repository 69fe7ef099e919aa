/* Classes of shell pairs. They follow from the kinds of shells, before any pair is computed, so that all ranks and
 * threads give them the same numbers. */
#ifndef HF_PAIR_CLASSES_H
#define HF_PAIR_CLASSES_H

#include "base/arena.h"
#include "integrals/shell_pair.h"

/** The class of two shells by their kinds. */
struct hf_class_table {
    struct hf_arena arena; /**< of all arrays: ends them */
    int n_kind;
    int *kind_of_shell; /**< [n_shell] */
    int *class_of_kind; /**< [n_kind][n_kind], first index the kind of the pair's a; -1: never */
    /** [n_class] pairs without numbers, with as many primitives as any may have: the engine makes room for what it
     *  finds in its list. */
    struct hf_shell_pair *largest;
};

/** Whether shell m >= n is the first of their pair: the higher l, then the more parts, so that
 *  there are few classes. */
bool hf_comes_first(const struct hf_shell *m, const struct hf_shell *n);

/** Fills the table, and class_of and n_class of the list. Not collective. HF_NO_RESOURCE; its arena ends all the same. */
hf_status hf_class_table_init(struct hf_class_table *table, struct hf_shell_pairs *pairs,
                              struct hf_error *error) HF_MUST_CHECK;

static inline int hf_class_of_shells(const struct hf_class_table *table, int a, int b)
{
    return table->class_of_kind[table->kind_of_shell[a] * table->n_kind + table->kind_of_shell[b]];
}

#endif
