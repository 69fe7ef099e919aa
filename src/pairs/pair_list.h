/* The list of shell pairs laid out in the memory of a node. */
#ifndef HF_PAIR_LIST_H
#define HF_PAIR_LIST_H

#include "pair_candidates.h"

/** Makes room for the candidates that are kept, and fills it in: every rank lays out the rows of its
 *  atoms A on `n_thread` threads, and all nodes get them. Of `pairs` all is made but the classes.
 *  Collective over the context. HF_NO_RESOURCE: memory; or this rank's processor sees other
 *  primitives than the one that found the candidates. */
hf_status hf_pair_list_create(struct hf_shell_pairs *pairs, const struct hf_class_table *classes,
                              const struct hf_pair_candidates *candidates, int n_thread,
                              struct hf_error *error) HF_MUST_CHECK;

#endif
