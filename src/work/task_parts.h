/* What is computed at a time: shell pairs of one pair of atoms with those of several others. */
#ifndef HF_TASK_PARTS_H
#define HF_TASK_PARTS_H

#include "../fock/fock_private.h"
#include "../fock/local_sums.h"

/** Parts that the shell pairs of a pair of atoms may be shared out in. */
enum { HF_MOST_SLICES = 16 };

/** A task, or a part of one. */
struct hf_task_part {
    const struct hf_atom_pair *bra;
    int64_t bra_begin, bra_end; /**< shell pairs */
    int n;
    const struct hf_atom_pair *ket[HF_MAX_KET_ATOM_PAIRS];
    struct hf_ket_range range[HF_MAX_KET_ATOM_PAIRS]; /**< without their blocks */
};

/** Part `index` of a task: one of its bras with its kets, or with some of all pairs of atoms where
 *  the task is one bra with all kets. Kets that cannot add anything in this build are left out;
 * while there is a store the parts do not change from build to build. False: the task has no such
 * part. */
bool hf_task_part_find(const struct hf_fock_builder *self, const struct hf_task *task,
                       int32_t index, struct hf_task_part *part);

/** Begins the sums of a part and lets its kets know where they are. */
void hf_task_part_begin(struct hf_task_part *part, struct hf_local_sums *sums);

#endif
