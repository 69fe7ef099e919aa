/* Tasks of quartet work (work/work.h), and how work is divided into tasks. */
#ifndef HF_TASK_H
#define HF_TASK_H

#include "hf/grain.h"

#include <stdbool.h>
#include <stdint.h>

/** Most pairs of atoms as kets of one bra in a part. */
enum { HF_MOST_PART_KETS = 16 };

/** Most shell pairs that are bras of a task (hf_task_order.bra_functions). */
enum { HF_MOST_TASK_BRAS = 16 };

/** Most tasks that divide the shell pairs of a pair of atoms. */
enum { HF_MOST_SLICES = 16 };

/** Which quartets tasks have. */
enum hf_task_quartets {
    HF_QUARTETS_ONCE, /**< each one once */
    /** Units are shell pairs, and a bra meets every ket, not only those up to it. Each quartet of two
     *  different pairs is computed twice, once from each side. */
    HF_QUARTETS_EVERY_KET,
    /** Units are shells M >= N. A task has the quartets (MR|NS) of all shells R and S (book Fig. 10.2), so each
     *  quartet of four different shells is computed four times. */
    HF_QUARTETS_OF_SHELLS,
};

/** How work is divided into tasks. */
struct hf_task_order {
    enum hf_grain grain;
    enum hf_task_quartets
        quartets; /**< EVERY_KET: grain HF_GRAIN_SHELL_PAIR; OF_SHELLS: any grain */
    int bra_functions; /**< EVERY_KET: a task has shell pairs of two atoms as bras, as many as have so many pairs of
                            functions together, at least one; 0: one */
    double n_wanted;  /**< a task joins as many pairs of units as cost this part of all, at most */
    int largest_row;  /**< kets of a task, 1 to HF_MOST_PART_KETS; 1: each pair is a task */
    int most_slices;  /**< 1 to HF_MOST_SLICES; 1 unless units are pairs of atoms */
    int largest_side; /**< large tasks are square, with so many units along a side, no more than
                           HF_MOST_PART_KETS; 0: never */
    /** Tiles of one block (of about equal cost) follow each other in scattered order, so that
     *  ranks at work at the same time meet different atoms (book section 8.4). */
    bool scatter;
};

/** One task: the units at the positions bra_begin .. bra_end-1 with those at ket_begin .. ket_end-1
 *  (unordered and never twice; only those up to the bra's own position when `triangle` is set), or
 *  one unit as bra with every shell pair whose index is not above the bra's when `all_kets` is set, or with every
 *  shell pair when `every_ket` is set, too. If `of_shells` is set, the two units are shells. */
struct hf_task {
    int64_t bra_begin, bra_end, ket_begin, ket_end;
    bool triangle, all_kets, every_ket, of_shells;
    int slice, n_slice; /**< of the shell pairs of each bra, slice number `slice` of so many */
};

#endif
