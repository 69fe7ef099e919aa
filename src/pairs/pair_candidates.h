/* Pairs of shells that may matter. They are found before the list is allocated, and give its length and the place
 * of every entry. */
#ifndef HF_PAIR_CANDIDATES_H
#define HF_PAIR_CANDIDATES_H

#include "base/node_memory.h"
#include "pair_classes.h"

#include <stdint.h>

/** One pair of shells. */
struct hf_pair_candidate {
    double bound;        /**< Schwarz */
    int32_t n_primitive; /**< primitive pairs that matter */
    int32_t atom_b;
};

/** All of them, in rows: A rising, then B <= A, then shells in the order of hf_pair_share_add. */
struct hf_pair_candidates {
    struct hf_arena arena;         /**< of `row` */
    struct hf_node_memory *shared; /**< of `value` */
    const struct hf_pair_candidate *value;
    int64_t *row; /**< [n_atom + 1] first candidate of each atom A */
    double bound; /**< largest of all */
};

/** Every rank finds the rows of its atoms A, and their bounds, on `n_thread` threads; one exchange
 *  shows them to all. A row comes from one rank only, so all nodes have the same list even where
 *  their processors do not compute the same bits. Of `pairs` context, basis, accuracy and classes
 *  are read. Collective over the context. HF_NO_RESOURCE; `made` needs no _done then. */
hf_status hf_pair_candidates_init(const struct hf_shell_pairs *pairs,
                                  const struct hf_class_table *classes, int n_thread,
                                  struct hf_pair_candidates *made,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Collective over those that share the memory; zeroed structs are accepted. */
void hf_pair_candidates_done(struct hf_pair_candidates *candidates);

/** Whether a candidate reaches the accuracy with any partner. */
static inline bool hf_pair_is_kept(const struct hf_pair_candidates *candidates,
                                   const struct hf_pair_candidate *candidate, double accuracy)
{
    return candidate->bound * candidates->bound >= accuracy;
}

#endif
