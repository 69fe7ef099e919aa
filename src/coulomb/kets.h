/* Kets as kernels read them: the products of a leaf with the density of a build, in each order sorted by
 * falling weight, so that a loop over them ends where they no longer matter. Each node gets those of all leaves that any
 * bra needs. */
#ifndef HF_KETS_H
#define HF_KETS_H

#include "product_kernels.h"
#include "products.h"

#include <string.h>

/** The products of one order in a leaf. Places are bytes in `data` of the kets. */
struct hf_ket_group {
    int64_t first; /**< product that the first would be, if kets were not sorted */
    int n;         /**< kets that any bra needs, the first ones, and others up to whole blocks */
    int n_plain;   /**< of these, those in double precision that any bra needs */
    int n_wide;    /**< kets, the first of all, beyond the range of single precision */
    size_t weight; /**< of the weights of every HF_KET_STEP-th */
    size_t bra;    /**< of weights as bras of all products of the group, if products are raised */
    size_t plain, single; /**< of their blocks */
};

/** Sizes of a group in a build, as nodes send them. */
struct hf_ket_count {
    int16_t n, n_plain, n_wide, unused;
};

/** In memory that the ranks of a node share. What is written in a build lies leaf after leaf, by their slots. */
struct hf_kets {
    struct hf_arena arena;
    const struct hf_products *products; /**< borrowed */
    bool single;                        /**< there are kets in single precision, too */
    double most_bound;                  /**< of all bras */
    struct hf_ket_group *group;         /**< [n_leaf][max_order + 1], places of this build */
    struct hf_ket_count *count;         /**< [n_leaf][max_order + 1], leaves by slots */
    uint64_t *key;                      /**< [n] of this rank's leaves: groups in their order */
    int64_t *
        begin; /**< [n_leaf + 1] where the leaf of a slot begins in `data`, in numbers of 8 bytes */
    char *data;
    struct hf_node_memory *shared; /**< memory of all arrays; owned */
    double factor[HF_N_HERMITE];   /**< of components in weights */
};

/** Products of the weight of a ket and the bound of a bra: from `least` on the ket matters, from `fine` on in double
 *  precision. */
struct hf_ket_limits {
    double least, fine;
};

/** Room for the kets of one density, also in single precision if `single`. Collective over the context. HF_NO_RESOURCE. */
hf_status hf_kets_create(const struct hf_products *products, bool single, struct hf_kets **kets,
                         struct hf_error *error) HF_MUST_CHECK;

/** Collective over the node; accepts a pointer to NULL; leaves NULL. */
void hf_kets_destroy(struct hf_kets **kets);

/** Sorts the kets of a leaf by their weights, from H [n_component], and counts those that any bra needs. Not collective. */
void hf_kets_weigh(struct hf_kets *kets, int leaf, const struct hf_ket_limits *limits,
                   const double h[]);

/** Places for the kets of all leaves once they are counted. Collective over the nodes. */
void hf_kets_place(struct hf_kets *kets);

/** Numbers of 8 bytes in the places of all leaves. Not collective. */
static inline int64_t hf_kets_size(const struct hf_kets *kets)
{
    return kets->begin[kets->products->n_leaf];
}

/** Fills in all groups of a leaf from H [n_component], once they have places. Not collective. */
void hf_kets_fill(struct hf_kets *kets, int leaf, const double h[]);

static inline const struct hf_ket_group *hf_ket_group(const struct hf_kets *kets, int leaf,
                                                      int order)
{
    return &kets->group[(size_t)leaf * (size_t)(kets->products->max_order + 1) + (size_t)order];
}

/** Number of kets of a step: one weight is kept for each step, and a bra takes whole steps. Tasks of few bras read the
 *  weights of all leaves. */
enum { HF_KET_STEP = 8 };

/** Number of steps of n kets. */
static inline int hf_ket_steps(int n)
{
    return (n + HF_KET_STEP - 1) / HF_KET_STEP;
}

/** Largest weights of the steps of a group, [hf_ket_steps(n)]: estimates of (q|q)^(1/2) of the density in the first ket of
 *  each. */
static inline const float *hf_ket_weights(const struct hf_kets *kets,
                                          const struct hf_ket_group *group)
{
    return (const float *)(const void *)(kets->data + group->weight);
}

/** Weights of the products of a group as bras of raised products, [n] in their order: estimates of derivatives of
 *  (p|p)^(1/2). */
static inline const float *hf_bra_weights(const struct hf_kets *kets,
                                          const struct hf_ket_group *group)
{
    return (const float *)(const void *)(kets->data + group->bra);
}

/** Blocks of kets in double precision. */
static inline const double *hf_ket_plain(const struct hf_kets *kets,
                                         const struct hf_ket_group *group)
{
    return (const double *)(const void *)(kets->data + group->plain);
}

/** Blocks of kets in single precision. */
static inline const float *hf_ket_single(const struct hf_kets *kets,
                                         const struct hf_ket_group *group)
{
    return (const float *)(const void *)(kets->data + group->single);
}

/** A key that sorts by falling weight (0 or more), then by rising number. */
static inline uint64_t hf_weight_key(float weight, int number)
{
    uint32_t bits; /* in the order of weights */
    memcpy(&bits, &weight, sizeof bits);
    return (uint64_t)(UINT32_MAX - bits) << 32 | (uint32_t)number;
}

static inline float hf_weight_of_key(uint64_t key)
{
    const uint32_t bits = UINT32_MAX - (uint32_t)(key >> 32);
    float weight;
    memcpy(&weight, &bits, sizeof weight);
    return weight;
}

/** Sorts n keys, HF_LEAF_MOST at most. Not collective. */
void hf_sort_weight_keys(int n, uint64_t key[]);

/** Steps of a group whose weight is `least` or more: the first so many. Not collective. */
int hf_ket_steps_above(const struct hf_kets *kets, const struct hf_ket_group *group, double least);

/** Whether intermediate numbers for integrals over a product may exceed the range of single precision. */
bool hf_is_wide_product(const struct hf_products *products, int64_t product);

/** Most bytes of the kets of so many products with so many components. Not collective. */
double hf_kets_bytes(double n, double n_component);

#endif
