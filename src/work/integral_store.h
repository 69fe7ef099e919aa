/* Integrals that a thread computed once and reads back in later rounds (book section 6.1.1, example
 * 6.1: storing what fits and computing the rest again).
 *
 * What is stored is decided for each shell quartet by numbers of its two pairs alone (struct
 * hf_store_plan), so that every rank knows without asking which quartets some rank holds. They are
 * kept in the order they were computed, in segments of one part of a task each: a part read back
 * meets the same few blocks of matrices. */
#ifndef HF_INTEGRAL_STORE_H
#define HF_INTEGRAL_STORE_H

#include "hf/shell_pair.h"
#include "hf/stored_integrals.h"
#include "store_choice.h"

#include <stdbool.h>
#include <stdint.h>

/** Which quartets are stored. */
struct hf_store_plan {
    double
        sharp; /**< products of the Schwarz bounds that may be left out of what is stored, hartree */
    double smallest; /**< least product of the bounds that is stored; not below `sharp` */
    const struct hf_lasting *lasting; /**< what that is multiplied by, or NULL; */
    double least;                     /**< and least product with it, hartree */
    /** The same two for the pairs of atoms of stored parts, which have all that the round needed. */
    double part_smallest, part_least;
    double cutoff; /**< least product of the pairs' cost_per_number */
    double
        narrow; /**< quartets below this bound are kept in single precision, whatever they meet, hartree */
    double share; /**< of the cost of all quartets that the stored ones make up, an estimate */
    struct hf_store_choice choice; /**< with estimates for all ranks */
};

/** The best quartets that fit into `bytes`, all ranks together: those that take longest to compute
 *  per byte; with `prices`, those of them that save more time than they cost (store_choice.h), which
 *  raises plan->smallest and plan->least. Quartets below plan->smallest are never stored, nor those that do
 *  not last; plan->sharp, smallest, lasting and least are set. From a sample that is the same on every
 *  rank; not collective. HF_NO_RESOURCE: memory; all ranks must have a plan or none. */
hf_status hf_store_plan_make(const struct hf_shell_pairs *pairs, double bytes,
                             const struct hf_store_prices *prices, struct hf_store_plan *plan,
                             struct hf_error *error) HF_MUST_CHECK;

/** What is to be compared of a quartet with plan->smallest: the product of its bounds; where it is known
 *  what quartets meet, as much smaller as they meet less. */
static inline double hf_store_plan_scale(const struct hf_store_plan *plan,
                                         const struct hf_shell_pair *bra,
                                         const struct hf_shell_pair *ket, double product)
{
    const struct hf_lasting *lasting = plan->lasting;
    return lasting == NULL ? product
                           : product * lasting->of_shells(lasting->data, bra, ket) *
                                 plan->smallest / plan->least;
}

/** Whether a quartet is to be stored if there is room for it. */
static inline bool hf_store_plan_wants(const struct hf_store_plan *plan,
                                       const struct hf_shell_pair *bra,
                                       const struct hf_shell_pair *ket)
{
    const double bound = bra->bound * ket->bound;
    if (bound < plan->smallest) return false;
    return plan->lasting == NULL ||
           hf_store_plan_scale(plan, bra, ket, bound) * hf_far_factor(bra, ket) >= plan->smallest;
}

/** Whether the plan has the quartet of two pairs. */
static inline bool hf_store_plan_has(const struct hf_store_plan *plan,
                                     const struct hf_shell_pair *bra,
                                     const struct hf_shell_pair *ket)
{
    return bra->cost_per_number * ket->cost_per_number >= plan->cutoff &&
           hf_store_plan_wants(plan, bra, ket);
}

/** What stands in front of stored numbers: a strip (hf/work.h). */
struct hf_stored_strip {
    int32_t bra;       /**< shell pair */
    int32_t n_quartet; /**< shell quartets in it */
    uint32_t n;        /**< numbers */
    float bound;       /**< no product of the bounds of bra and ket is larger */
    int16_t place;     /**< of its pair of atoms in the part */
    uint8_t kind;      /**< enum hf_stored_kind */
    uint8_t unused;
    uint16_t first_c, n_c, first_d, n_d; /**< see hf_strip */
    uint32_t unused_too;                 /**< 0: heads are whole halves of cache lines */
};

enum hf_stored_kind {
    HF_STORED_DOUBLE,
    HF_STORED_SINGLE,
    HF_STORED_NOTHING,  /**< there was no room: to be computed again */
    HF_STORED_CHUNK_END /**< go on in the next chunk */
};

/** The strips of one part of a task. */
struct hf_store_segment {
    int64_t task;
    int32_t part;         /**< of the task */
    size_t chunk, offset; /**< of its first strip */
    int64_t n_strip;
};

struct hf_integral_store;

/** Empty store of at most `bytes`. `pairs` is borrowed. Not collective. HF_NO_RESOURCE. */
hf_status hf_integral_store_create(const struct hf_shell_pairs *pairs, double bytes,
                                   struct hf_integral_store **store,
                                   struct hf_error *error) HF_MUST_CHECK;
void hf_integral_store_destroy(struct hf_integral_store **store);

/** What is appended from now on belongs to that part of the task. HF_NO_RESOURCE: no memory for the
 * list. */
hf_status hf_integral_store_begin(struct hf_integral_store *store, int64_t task, int32_t part,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Appends a strip of the kind HF_STORED_DOUBLE or HF_STORED_SINGLE, whose numbers are to be written
 *  to *number: so they need not be copied. Without room for them the strip is noted only, its kind
 *  becomes HF_STORED_NOTHING and *number NULL. False: no room even for that. */
bool hf_integral_store_append(struct hf_integral_store *store, struct hf_stored_strip *strip,
                              void **number);

int64_t hf_integral_store_n_segment(const struct hf_integral_store *store);
struct hf_store_segment hf_integral_store_segment(const struct hf_integral_store *store,
                                                  int64_t index);

/** A place in the store. */
struct hf_store_cursor {
    unsigned char *const *chunk;
    size_t offset;
    int64_t n_left;
};

struct hf_store_cursor hf_integral_store_open(const struct hf_integral_store *store,
                                              const struct hf_store_segment *segment);

/** The next strip, its numbers behind it in *number; NULL where there was no room. NULL at the end. */
const struct hf_stored_strip *hf_integral_store_next(struct hf_store_cursor *cursor,
                                                     const void **number);

/** Seconds per byte that its memory took so far. */
double hf_integral_store_touch(const struct hf_integral_store *store);

/** Bytes in use. */
size_t hf_integral_store_bytes(const struct hf_integral_store *store);

#endif
