/* Integrals that a thread computed once and reads back in later rounds (book section 6.1.1, example
 * 6.1: storing what fits and computing the rest again).
 *
 * Numbers of its two pairs alone decide whether a shell quartet is stored (struct hf_store_plan). So every rank
 * knows, without communication, which quartets some rank has stored. They are kept in the order they were
 * computed, in segments of one part of a task each: a part read back needs the same few blocks of matrices. */
#ifndef HF_INTEGRAL_STORE_H
#define HF_INTEGRAL_STORE_H

#include "hf/stored_integrals.h"
#include "integrals/shell_pair.h"
#include "store_choice.h"

#include <stdbool.h>
#include <stdint.h>

/** Which quartets are stored. */
struct hf_store_plan {
    /** Stored quartets may leave out products of Schwarz bounds below this, hartree. */
    double sharp;
    double smallest; /**< least product of the bounds that is stored; not below `sharp` */
    const struct hf_lasting *lasting; /**< factors of that product, or NULL */
    double least;                     /**< least product with these factors, hartree */
    /** `smallest` and `least` for pairs of atoms in stored parts; low enough for all that the round needs. */
    double part_smallest, part_least;
    double cutoff; /**< least product of the pairs' cost_per_number */
    double narrow; /**< quartets below this bound are kept in single precision, hartree */
    double share;  /**< estimated share of stored quartets in the cost of all */
    struct hf_store_choice choice; /**< with estimates for all ranks */
};

/** Plans which quartets are stored in `bytes` of all ranks together: those that take longest to compute per
 *  byte. With `prices`, only those that save more time than they cost (store_choice.h); this raises
 *  plan->smallest and plan->least. The caller sets plan->sharp, smallest, lasting and least. Quartets below
 *  plan->smallest are never stored. The plan comes from a sample, the same on every rank; not collective.
 *  HF_NO_RESOURCE: memory; all ranks must have a plan or none. */
hf_status hf_store_plan_make(const struct hf_shell_pairs *pairs, double bytes,
                             const struct hf_store_prices *prices, struct hf_store_plan *plan,
                             struct hf_error *error) HF_MUST_CHECK;

/** The number of a quartet that is compared with plan->smallest: the product of its bounds, scaled by the bounds
 *  of densities if there are any (plan->lasting). */
static inline double hf_store_plan_scale(const struct hf_store_plan *plan,
                                         const struct hf_shell_pair *bra,
                                         const struct hf_shell_pair *ket, double product)
{
    const struct hf_lasting *lasting = plan->lasting;
    return lasting == NULL ? product
                           : product * lasting->of_shells(lasting->data, bra, ket) *
                                 plan->smallest / plan->least;
}

/** Whether a quartet should be stored if there is room. */
static inline bool hf_store_plan_wants(const struct hf_store_plan *plan,
                                       const struct hf_shell_pair *bra,
                                       const struct hf_shell_pair *ket)
{
    const double bound = bra->bound * ket->bound;
    if (bound < plan->smallest) return false;
    return plan->lasting == NULL ||
           hf_store_plan_scale(plan, bra, ket, bound) * hf_far_factor(bra, ket) >= plan->smallest;
}

/** Whether the plan stores the quartet of two pairs. */
static inline bool hf_store_plan_has(const struct hf_store_plan *plan,
                                     const struct hf_shell_pair *bra,
                                     const struct hf_shell_pair *ket)
{
    return bra->cost_per_number * ket->cost_per_number >= plan->cutoff &&
           hf_store_plan_wants(plan, bra, ket);
}

/** Head of a stored strip (work/work.h); its numbers follow. */
struct hf_stored_strip {
    int32_t bra;       /**< shell pair */
    int32_t n_quartet; /**< shell quartets in it */
    uint32_t n;        /**< numbers */
    float bound;       /**< no product of the bounds of bra and ket is larger */
    int16_t place;     /**< index of its pair of atoms in hf_part.ket */
    uint8_t kind;      /**< enum hf_stored_kind */
    uint8_t unused;
    uint16_t first_c, n_c, first_d, n_d; /**< see hf_strip */
    uint32_t unused_too;                 /**< 0: heads are whole halves of cache lines */
};

enum hf_stored_kind {
    HF_STORED_DOUBLE,
    HF_STORED_SINGLE,
    HF_STORED_NOTHING,  /**< there was no room: must be computed again */
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

/** Begins a segment for that part of the task. HF_NO_RESOURCE: no memory for the list. */
hf_status hf_integral_store_begin(struct hf_integral_store *store, int64_t task, int32_t part,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Appends a strip of the kind HF_STORED_DOUBLE or HF_STORED_SINGLE; the caller writes its numbers to *number.
 *  Without room for the numbers only the head is kept: its kind becomes HF_STORED_NOTHING and *number NULL.
 *  False: no room even for the head. */
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

/** The next strip, with its numbers in *number (NULL: there was no room). NULL at the end. */
const struct hf_stored_strip *hf_integral_store_next(struct hf_store_cursor *cursor,
                                                     const void **number);

/** Seconds per byte for fresh memory so far. */
double hf_integral_store_touch(const struct hf_integral_store *store);

/** Bytes in use. */
size_t hf_integral_store_bytes(const struct hf_integral_store *store);

/** Touches all pages of memory that is overwritten later, in one call if the system can. Returns the CPU
 *  seconds. */
double hf_touch_seconds(unsigned char *memory, size_t n);

#endif
