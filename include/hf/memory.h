/* Tracked allocator. Every large array has a label and is counted by its class. So a run can print the memory of
 * each rank by purpose, and tests can check that nothing leaked or grew like n x n. */
#ifndef HF_MEMORY_H
#define HF_MEMORY_H

#include "hf/status.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
HF_API_BEGIN

struct hf_memory;

/** Bytes rounded up to whole cache lines. */
static inline size_t hf_whole_lines(size_t n_bytes)
{
    return (n_bytes + 63) / 64 * 64;
}

/** Classes of memory, counted separately. */
enum hf_memory_class {
    HF_MEMORY_OTHER,
    /** integrals, densities and work space of that order: grows as n^2; falls with the number of
     *  ranks if data are distributed */
    HF_MEMORY_MATRIX,
    HF_MEMORY_PAIRS,  /**< the list of shell pairs, one on every node */
    HF_MEMORY_STORED, /**< stored two-electron integrals */
    HF_N_MEMORY_CLASS
};

/** New empty account; NULL if malloc fails. Not collective. */
struct hf_memory *hf_memory_create(void);

/** Ends the account. Accepts NULL and a pointer to NULL; leaves NULL. Kept blocks are freed; blocks still allocated
 *  are not. */
void hf_memory_destroy(struct hf_memory **memory);

/** Zeroed array of `n_element` elements, aligned to 64 bytes; NULL if there is no memory or the
 *  product overflows. `n_element` may be 0. `label` must be a string constant.
 *  Threads: safe. Not collective. Freed with hf_memory_release. */
void *hf_memory_allocate(struct hf_memory *memory, const char *label, size_t n_element,
                         size_t element_bytes);

/** The same, counted in class `kind`. */
void *hf_memory_allocate_class(struct hf_memory *memory, enum hf_memory_class kind,
                               const char *label, size_t n_element, size_t element_bytes);

/** The same, not zeroed: for large arrays that are overwritten completely. */
void *hf_memory_allocate_unset(struct hf_memory *memory, enum hf_memory_class kind,
                               const char *label, size_t n_bytes);

/** The same as hf_memory_allocate, counted as HF_MEMORY_MATRIX. */
void *hf_memory_allocate_matrix(struct hf_memory *memory, const char *label, size_t n_element,
                                size_t element_bytes);

/** Frees an array allocated by the functions above. Accepts NULL. */
void hf_memory_release(struct hf_memory *memory, void *block);

/** Like hf_memory_release, but keeps the block for hf_memory_take_kept, because fresh pages are expensive. Kept
 *  blocks are not counted. Accepts NULL. */
void hf_memory_keep(struct hf_memory *memory, void *block);

/** Takes a kept block of exactly n_bytes, contents unchanged, and counts it; NULL: there is none. */
void *hf_memory_take_kept(struct hf_memory *memory, const char *label, size_t n_bytes);

/** Bytes of kept blocks. */
size_t hf_memory_kept_bytes(const struct hf_memory *memory);

/** Frees all kept blocks. hf_memory_destroy and allocations that find no memory also do this. */
void hf_memory_drop_kept(struct hf_memory *memory);

/** Adds bytes that a library allocated (an MPI window) to the account, or removes them. */
void hf_memory_count(struct hf_memory *memory, enum hf_memory_class kind, const char *label,
                     size_t n_bytes);
void hf_memory_discount(struct hf_memory *memory, enum hf_memory_class kind, size_t n_bytes);

/** Bytes allocated now, their peak, and the largest single block so far. */
size_t hf_memory_current_bytes(const struct hf_memory *memory);
size_t hf_memory_peak_bytes(const struct hf_memory *memory);
size_t hf_memory_largest_bytes(const struct hf_memory *memory);

/** Bytes of one class allocated now, and their peak. */
size_t hf_memory_class_bytes(const struct hf_memory *memory, enum hf_memory_class kind);
size_t hf_memory_class_peak_bytes(const struct hf_memory *memory, enum hf_memory_class kind);

/** Label of the largest single block so far; "" before the first. */
const char *hf_memory_largest_label(const struct hf_memory *memory);

HF_API_END
#ifdef __cplusplus
}
#endif
#endif
