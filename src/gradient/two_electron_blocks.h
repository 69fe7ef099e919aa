/* Densities for derivatives of quartets in blocks of two sites at their owners, and the blocks that a thread has for a
 * part of a task. */
#ifndef HF_TWO_ELECTRON_BLOCKS_H
#define HF_TWO_ELECTRON_BLOCKS_H

#include "hf/density_bounds.h"
#include "hf/linalg.h"
#include "hf/quartet_gradient.h"
#include "hf/work.h"

#include <pthread.h>

/** Of a rank. */
struct hf_gradient_blocks {
    const struct hf_basis *basis; /**< merged, borrowed */
    struct hf_onesided *onesided; /**< NULL: densities are not distributed */
    struct hf_block_layout *layout;
    struct hf_block_array *array[2];
    int n_density;
    struct hf_density_bounds bounds; /**< of all densities together */
    pthread_mutex_t lock;            /**< one thread at a time gets blocks */
};

/** Sites of a part. */
enum { HF_MOST_LOAN_SITES = 2 + 2 * HF_MOST_PART_KETS };

/** Of a thread. */
struct hf_gradient_loan {
    struct hf_gradient_blocks *blocks; /**< borrowed */
    struct hf_memory *memory;          /**< borrowed */
    struct hf_shell_place *place;      /**< [n_shell] */
    int n_density;
    int n_site, site[HF_MOST_LOAN_SITES];
    int *number; /**< [sites] of a site among those of the part */
    /** [number of i][number of j], i >= j: where values [n_density][i][j] begin in `value`, and bounds
     *  [shells of i][shells of j][n_density] in `bound`; -1: not lent */
    int64_t first[HF_MOST_LOAN_SITES][HF_MOST_LOAN_SITES];
    int64_t first_bound[HF_MOST_LOAN_SITES][HF_MOST_LOAN_SITES];
    double *value, *bound;
    size_t n_value, n_bound; /**< room */
};

/** Collective over the context. HF_NO_RESOURCE. hf_gradient_blocks_done accepts what was not begun. */
hf_status hf_gradient_blocks_init(struct hf_gradient_blocks *self, struct hf_context *context,
                                  const struct hf_basis *merged,
                                  const struct hf_onesided_settings *settings, int n_density,
                                  const struct hf_matrix *const density[],
                                  struct hf_error *error) HF_MUST_CHECK;
void hf_gradient_blocks_done(struct hf_gradient_blocks *self);

/** Not collective. HF_NO_RESOURCE. */
hf_status hf_gradient_loan_init(struct hf_gradient_loan *loan, struct hf_gradient_blocks *blocks,
                                const struct hf_shell_pairs *pairs, int n_density,
                                struct hf_error *error) HF_MUST_CHECK;
void hf_gradient_loan_done(struct hf_gradient_loan *loan);

/** Gets all blocks that the quartets of a part need. Not collective. HF_NO_RESOURCE. */
hf_status hf_gradient_loan_get(struct hf_gradient_loan *loan, const struct hf_part *part,
                               struct hf_error *error) HF_MUST_CHECK;

/** Largest elements of the block of two shells. */
static inline void hf_gradient_loan_bounds(const struct hf_gradient_loan *loan, int s, int t,
                                           double to[2])
{
    const int *first = loan->blocks->basis->first_shell_of_atom;
    const struct hf_shell_place *p = &loan->place[s], *q = &loan->place[t];
    if (p->atom < q->atom) {
        const struct hf_shell_place *other = p;
        p = q;
        q = other;
    }
    const int n_column = first[q->atom + 1] - first[q->atom];
    const double *from = loan->bound +
                         loan->first_bound[loan->number[p->atom]][loan->number[q->atom]] +
                         (p->index * n_column + q->index) * loan->n_density;
    for (int k = 0; k < loan->n_density; k++) to[k] = from[k];
}

/** Where block `which` of a quartet is, of two shells. */
void hf_gradient_loan_find(const struct hf_gradient_loan *loan, int s, int t, int which,
                           struct hf_quartet_density *to);

#endif
