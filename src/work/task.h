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
    /** Units are shell pairs, and a bra has every ket, not only those up to itself. Each quartet of two
     *  different pairs is computed twice, once from each side. */
    HF_QUARTETS_EVERY_KET,
    /** Units are shells M >= N. A task has the quartets (MR|NS) of all shells R and S (book Fig. 10.2), so each
     *  quartet of four different shells is computed four times. */
    HF_QUARTETS_OF_SHELLS,
};

/** How work is divided into tasks. */
struct hf_task_order {
    enum hf_grain grain;
    /** EVERY_KET needs grain HF_GRAIN_SHELL_PAIR, OF_SHELLS takes any. */
    enum hf_task_quartets quartets;
    /** EVERY_KET: bras of a task are shell pairs of two atoms, with so many pairs of functions at
     *  most, but at least one shell pair; 0: one shell pair */
    int bra_functions;
    double n_wanted; /**< pairs of units are joined to tasks of cost all / n_wanted at most */
    int largest_row; /**< kets of a task, 1 to HF_MOST_PART_KETS; 1: each pair is a task */
    int most_slices; /**< 1 to HF_MOST_SLICES; 1 unless units are pairs of atoms */
    /** Side of large square tasks in units, at most HF_MOST_PART_KETS; 0: none are square. */
    int largest_side;
    /** Tiles of one block (of about equal cost) are in scattered order, so that ranks need different atoms at
     *  the same time (book section 8.4). */
    bool scatter;
};

enum hf_task_kind {
    HF_TASK_TILE,      /**< each bra with all units at ket_begin .. ket_end-1 */
    HF_TASK_TRIANGLE,  /**< each bra with those of them up to its own position */
    HF_TASK_UP_TO_BRA, /**< one bra with every shell pair whose index is not above the bra's */
    HF_TASK_EVERY_KET, /**< one bra with every shell pair */
    HF_TASK_OF_SHELLS, /**< units are two shells M and N: (MR|NS) of all R and S */
};

/** One task. Its bras are the units at positions bra_begin .. bra_end-1. No pair of units occurs twice. */
struct hf_task {
    enum hf_task_kind kind;
    int64_t bra_begin, bra_end, ket_begin, ket_end;
    int slice, n_slice; /**< of the shell pairs of each bra, slice number `slice` of so many */
};

/** Whether the task is one bra with kets that are not listed. */
static inline bool hf_task_is_bra(const struct hf_task *task)
{
    return task->kind == HF_TASK_UP_TO_BRA || task->kind == HF_TASK_EVERY_KET;
}

#endif
