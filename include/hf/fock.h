/* Coulomb and exchange matrices from densities: the builders. */
#ifndef HF_FOCK_H
#define HF_FOCK_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/fock_settings.h"
#include "hf/linalg.h"
#include "hf/onesided.h"
#include "hf/schedule.h"
#include "hf/shell_pairs.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hf_fock_builder;

/** One density and where its matrices go; any of coulomb, exchange may be NULL (not wanted). */
struct hf_fock_job {
    const struct hf_matrix *density;
    struct hf_matrix *coulomb, *exchange;
};

struct hf_task_order;

/** What decides how much memory a builder takes. */
struct hf_fock_size {
    int n_function, n_shell, n_atom; /**< shells of the merged basis */
    int most_of_atom;                /**< functions that an atom of it has at most */
    int n_density;                   /**< in one build; K is wanted of all */
    int n_coulomb;                   /**< those that J is wanted of */
    int n_rank, n_node_rank;         /**< ranks in all, and on a node */
};

/** Bytes of matrices and blocks, as the memory account has them. */
struct hf_fock_memory {
    double of_rank;   /**< on every rank */
    double kept;      /**< the part of it that stays between builds */
    double of_node;   /**< shared by the ranks of a node */
    double of_thread; /**< sums of each thread */
};

/** One way to build; the list is hf_fock_list. The functions return what this rank found; the front
 *  (fock.c) agrees on it. */
struct hf_fock_ops {
    const char *name, *about, *cite;
    bool distributed; /**< matrices are spread over the ranks */

    /** What a builder takes; see hf_fock_memory. Local. */
    struct hf_fock_memory (*memory)(const struct hf_fock_size *size);

    /** How tasks of that grain are best cut for this builder. Local. */
    struct hf_task_order (*order)(enum hf_grain grain);

    /** Makes self->data; collective. What is half made is left to destroy. */
    hf_status (*create)(struct hf_fock_builder *self, struct hf_error *error);

    /** J and K of all jobs in one round of self->work, see hf_fock_build; jobs that want K alone come
     *  first, then those that want both, then those that want J alone. Collective. */
    hf_status (*build)(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error);

    /** Lets go of self->data, which may be NULL or half made; collective. */
    void (*destroy)(struct hf_fock_builder *self);
};

/** NULL-terminated list of the builders there are. */
extern const struct hf_fock_ops *const hf_fock_list[];

/** Whether the builder of that name spreads its matrices over the ranks; false for none. */
bool hf_fock_is_distributed(const char *builder);

/** Whether J may be made apart from K, as far as is known before there is a list of pairs: `merged` is the
 *  basis that it will be of. Not collective. */
bool hf_fock_may_separate(const struct hf_fock_settings *settings, const struct hf_basis *merged);

/** Settings as builders take them: those of reproducible sums overrule others. Not collective. */
struct hf_fock_settings hf_fock_settings_in_use(const struct hf_fock_settings *settings);

/** What the builder of that name takes beside stored integrals and its threads; nothing for none.
 *  Not collective. */
struct hf_fock_memory hf_fock_memory(const char *builder, const struct hf_fock_size *size);

/** Bytes of a node for the costs of tasks, about, from the numbers of pairs. Not collective. */
double hf_fock_task_bytes(const struct hf_fock_settings *settings, int n_rank,
                          const struct hf_pair_memory *pairs);

/** The phases that Fock builds are timed by, in the order of reports. hf_fock_create does it too;
 *  declared earlier they come earlier. Not collective. */
void hf_fock_declare_phases(struct hf_timers *timers);

/** Builder over the shell pairs of `pairs` (borrowed with its basis; must outlive the builder).
 *  Collective. HF_BAD_INPUT: no such builder or scheduler. */
hf_status hf_fock_create(struct hf_context *context, const struct hf_shell_pairs *pairs,
                         const struct hf_fock_settings *settings, struct hf_fock_builder **builder,
                         struct hf_error *error) HF_MUST_CHECK;

/** Collective; leaves NULL. */
void hf_fock_destroy(struct hf_fock_builder **builder);

/** Coulomb and exchange matrices of several densities in one pass over the two-electron integrals.
 *
 *     J_mn = sum_rl D_rl (mn|rl)        K_mn = sum_rl D_rl (mr|nl)        (book Eq. 8.5)
 *
 *  so that the closed-shell Fock matrix is H + J - K/2 with D of book Eq. 8.6 (factor 2 included).
 *
 *  Shapes   n x n with n = basis->n_function; densities must be symmetric.
 *  Screen   a shell quartet is left out when its Schwarz bound times the largest density element it
 *           would meet is below `threshold` (hartree), book Eq. 7.4.
 *  Call     collective over the context's communicator; n_job and threshold equal on all ranks.
 *  Memory   job[] and its matrices stay the caller's; nothing is kept after return.
 *  Errors   HF_NO_RESOURCE: memory. HF_INTERRUPTED: the context's interruption. Same status and
 *           message on every rank; J and K are then undefined, the builder is still usable.
 *  Source   book Fig. 8.2 (replicated), Fig. 8.4 (distributed). */
hf_status hf_fock_build(struct hf_fock_builder *builder, int n_job, const struct hf_fock_job job[],
                        double threshold, struct hf_error *error) HF_MUST_CHECK;

/** One line on what is not as it was asked for or could be: scheduler, one-sided transport, memory
 *  shared by the ranks of a node; "" when there is nothing to say. The builder's. Not collective. */
const char *hf_fock_note(const struct hf_fock_builder *builder);

/** Counts of the last build; equal on every rank. Not collective. */
struct hf_fock_account hf_fock_account(const struct hf_fock_builder *builder);

#ifdef __cplusplus
}
#endif
#endif
