/* Coulomb and exchange matrices from densities: the builders. */
#ifndef HF_FOCK_H
#define HF_FOCK_H

#include "hf/basis.h"
#include "hf/context.h"
#include "hf/fock_settings.h"
#include "hf/linalg.h"
#include "hf/status.h"
#include "onesided/onesided.h"
#include "pairs/shell_pairs.h"
#include "schedule/schedule.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_fock_builder;

/** One density and its matrices; coulomb or exchange may be NULL: not computed. */
struct hf_fock_job {
    const struct hf_matrix *density;
    struct hf_matrix *coulomb, *exchange;
    bool antisymmetric; /**< the density is, and so is K; then J is zero: `coulomb` is NULL */
};

struct hf_task_order;

/** Sizes that decide how much memory a builder needs. */
struct hf_fock_size {
    int n_function, n_shell, n_atom; /**< shells of the merged basis */
    int most_of_atom;                /**< most functions of an atom of the merged basis */
    int n_density;                   /**< in one build, all with K */
    int n_coulomb;                   /**< of these, with J */
    int n_rank, n_node_rank;         /**< ranks in all, and on a node */
};

/** Bytes of matrices and blocks, as in the memory account. */
struct hf_fock_memory {
    double of_rank;   /**< on every rank */
    double kept;      /**< the part of of_rank that stays between builds */
    double of_node;   /**< shared by the ranks of a node */
    double of_thread; /**< sums of each thread */
};

/** One way to build; the list is hf_fock_list. The functions return what this rank found; the front
 *  (fock.c) agrees on it. */
struct hf_fock_ops {
    const char *name, *about, *cite;
    bool distributed; /**< matrices are distributed over the ranks */

    /** Memory of the builder; see hf_fock_memory. Local. */
    struct hf_fock_memory (*memory)(const struct hf_fock_size *size);

    /** The best division into tasks of that grain for this builder. Local. */
    struct hf_task_order (*order)(enum hf_grain grain);

    size_t data_bytes; /**< size of self->data, which the front allocates */

    /** Initialises self->data, which is zero; collective. After a failure destroy is called. */
    hf_status (*create)(struct hf_fock_builder *self, struct hf_error *error);

    /** Computes J and K of all jobs in one round of self->work, see hf_fock_build. Jobs with K alone come
     *  first, and the antisymmetric ones of these before all others, then those with both, then those with J alone. Collective. */
    hf_status (*build)(struct hf_fock_builder *self, int n_job, const struct hf_fock_job job[],
                       struct hf_error *error);

    /** Releases what self->data refers to outside self->arena; self->data may be zero or incomplete. Collective. */
    void (*destroy)(struct hf_fock_builder *self);
};

/** NULL-terminated list of all builders. */
extern const struct hf_fock_ops *const hf_fock_list[];

/** Whether the builder of that name distributes its matrices over the ranks; false if there is none. */
bool hf_fock_is_distributed(const char *builder);

/** Whether J may be computed apart from K, estimated without a list of pairs; `merged` is the basis of that
 *  list. Not collective. */
bool hf_fock_may_separate(const struct hf_fock_settings *settings, const struct hf_basis *merged);

/** Settings as builders use them: reproducible sums override other settings. Not collective. */
struct hf_fock_settings hf_fock_settings_in_use(const struct hf_fock_settings *settings);

/** Memory of the builder of that name without stored integrals; zero if there is none. Not collective. */
struct hf_fock_memory hf_fock_memory(const char *builder, const struct hf_fock_size *size);

/** Approximate bytes of a node for the costs of tasks, from the numbers of pairs. Not collective. */
double hf_fock_task_bytes(const struct hf_fock_settings *settings, int n_rank,
                          const struct hf_pair_memory *pairs);

/** Declares the phases of Fock builds to the timers, in the order of reports. hf_fock_create also does it; an
 *  earlier call puts them earlier in the report. Not collective. */
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
 *  Shapes   n x n with n = basis->n_function; densities must be symmetric, or antisymmetric as their jobs say.
 *  Screen   a shell quartet is left out if its Schwarz bound times the largest density element that it is
 *           multiplied by is below `threshold` (hartree), book Eq. 7.4.
 *  Call     collective over the context's communicator; n_job and threshold equal on all ranks.
 *  Memory   job[] and its matrices stay the caller's; nothing is kept after return.
 *  Errors   HF_BAD_INPUT: `coulomb` of an antisymmetric density. HF_NO_RESOURCE: memory. HF_INTERRUPTED: the
 *           context's interruption. Same status and message on every rank; J and K are then undefined, the builder is still usable.
 *  Source   book Fig. 8.2 (replicated), Fig. 8.4 (distributed). */
hf_status hf_fock_build(struct hf_fock_builder *builder, int n_job, const struct hf_fock_job job[],
                        double threshold, struct hf_error *error) HF_MUST_CHECK;

/** One line on what differs from the settings: scheduler, one-sided transport, memory shared by the ranks of a
 *  node; "" if nothing does. Owned by the builder. Not collective. */
const char *hf_fock_note(const struct hf_fock_builder *builder);

/** Counts of the last build; equal on every rank. Not collective. */
struct hf_fock_account hf_fock_account(const struct hf_fock_builder *builder);

struct hf_json;
/** Writes the constants by which tools/lab models sums and blocks on their way. */
void hf_fock_put_model(struct hf_json to);

#endif
