/* The units that tasks consist of: sorted by cost, in groups of similar cost. */
#ifndef HF_WORK_TASK_UNITS_H
#define HF_WORK_TASK_UNITS_H

#include "base/arena.h"
#include "integrals/shell_pair.h"
#include "work/task.h"

/** The shell pairs of each shell, for tasks of two shells (HF_QUARTETS_OF_SHELLS). */
struct hf_shell_lists {
    int64_t *first; /**< [n_shell + 1] into pair */
    /** Shell pairs of each shell, in rising order: by pairs of atoms, then by falling bound */
    int64_t *pair;
};

/** Units are numbered by position, in falling order of cost:
 *
 *      position      0 1 2 | 3 4 5 6 | 7 8 ...
 *      group           0   |    1    |   2         costs of a group differ by at most a factor of sqrt(2)
 *
 *  Within a group they follow a curve through the pairs of atoms, so that neighbours share atoms. */
struct hf_task_units {
    enum hf_task_kind kind; /**< of the tasks; HF_TASK_TILE also stands for triangles */
    enum hf_grain grain;
    int bra_functions; /**< of struct hf_task_order */
    int64_t n;
    int64_t *unit;  /**< [n] index of the atom pair, shell pair (the first, of several) or shell */
    double highest; /**< cost of the most expensive unit */
    int n_group;    /**< 0 if each unit is a task */
    int64_t *group_first;        /**< [n_group + 1] positions */
    double *group_cost;          /**< [n_group] of the most expensive unit */
    struct hf_shell_lists lists; /**< shell pairs of each shell, of HF_TASK_OF_SHELLS */
};

/** Arrays are the arena's, which the caller checks. Not collective; every rank finds the same. */
void hf_task_units_init(struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                        const struct hf_task_order *order, struct hf_arena *arena);

/** Atom pair that a shell pair belongs to. */
int hf_atom_pair_of(const struct hf_shell_pairs *pairs, int64_t shell_pair);

/** End of the shell pairs of the unit that begins with `first`, if tasks have all kets. */
int64_t hf_task_units_bra_end(const struct hf_task_units *units, const struct hf_shell_pairs *pairs,
                              int64_t first);

#endif
