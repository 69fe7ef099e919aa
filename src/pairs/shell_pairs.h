/* Shell pairs of a basis with their bounds. */
#ifndef HF_SHELL_PAIRS_H
#define HF_SHELL_PAIRS_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/status.h"

#include <stdint.h>

/** Everything that depends on two shells only; see integrals/shell_pair.h for what is in it. */
struct hf_shell_pairs;

/** Shell pairs of a basis with their Schwarz bounds. `accuracy` (hartree, e.g. 1e-14): primitive
 *  pairs that cannot add more than this to any integral are dropped.
 *
 *  Memory   one list for all ranks of a node (struct hf_node_memory), the same to the last bit
 *           however many ranks and threads make it. The basis is borrowed and must outlive it.
 *  Call     collective over the context; every rank does its share.
 *  Errors   HF_BAD_INPUT: integrals of a pair are not finite. HF_NO_RESOURCE: memory, or an angular momentum the engine lacks; or processors of
 *           several kinds find different pairs. Same status and message on every rank. */
hf_status hf_shell_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                double accuracy, struct hf_shell_pairs **pairs,
                                struct hf_error *error) HF_MUST_CHECK;
/** The same on `n_thread` threads of every rank. */
hf_status hf_shell_pairs_create_ext(struct hf_context *context, const struct hf_basis *basis,
                                    double accuracy, int n_thread, struct hf_shell_pairs **pairs,
                                    struct hf_error *error) HF_MUST_CHECK;

/** Collective over the node; accepts a pointer to NULL; leaves NULL. */
void hf_shell_pairs_destroy(struct hf_shell_pairs **pairs);

/** One line on why every rank holds the whole list; "" if the ranks share it. Equal on
 *  every rank. Not collective. */
const char *hf_shell_pairs_note(const struct hf_shell_pairs *pairs);

/** What shell pairs and integrals over them take. */
struct hf_pair_memory {
    double list_bytes;          /**< of the list */
    double made_bytes;          /**< of what is needed beside it while it is made */
    double n_pair, n_atom_pair; /**< pairs of shells, and of atoms */
    double n_primitive,
        n_component;       /**< primitive pairs, and components of them as Hermite Gaussians */
    double engine_bytes;   /**< of an engine; each thread has one */
    double gradient_bytes; /**< of a thread beside it, for derivatives of integrals */
    int n_class;           /**< of pairs, at most */
    int most_functions;    /**< of a pair of shells */
};

/** What the list would take at most, from the pairs of some of the atoms with all others; of all
 *  atoms where they are few; the ranks take these by turns. The same on every rank and for any number of ranks.
 *  Collective over the context. HF_NO_RESOURCE: memory; the same status and message on every rank. */
hf_status hf_shell_pairs_estimate(struct hf_context *context, const struct hf_basis *basis,
                                  double accuracy, struct hf_pair_memory *found,
                                  struct hf_error *error) HF_MUST_CHECK;

#endif
