/* Kets as kernels read them: the products of a leaf with the density of a build, in each order sorted by
 * falling weight, so that a loop over them ends where they no longer matter. */
#ifndef HF_KETS_H
#define HF_KETS_H

#include "product_kernels.h"
#include "products.h"

#include <string.h>

/** The products of one order in a leaf. Places are bytes in `data` of the kets. */
struct hf_ket_group {
    int64_t first; /**< product that the first would be, if kets were not sorted */
    int n;
    size_t
        wide; /**< of the number of kets, the first of all, beyond the range of single precision */
    size_t weight;        /**< of the weights of every HF_KET_STEP-th */
    size_t bra;           /**< of their weights as bras, if products are raised */
    size_t plain, single; /**< of their blocks */
};

/** In memory that the ranks of a node share. What is written in a build lies leaf after leaf, by their slots. */
struct hf_kets {
    const struct hf_products *products; /**< borrowed */
    struct hf_ket_group *group;         /**< [n_leaf][max_order + 1] */
    int64_t *
        begin; /**< [n_leaf + 1] where the leaf of a slot begins in `data`, in numbers of 8 bytes */
    char *data;
    int64_t n_number;              /**< of 8 bytes */
    struct hf_node_memory *shared; /**< memory of all arrays; owned */
    double factor[HF_N_HERMITE];   /**< of components in weights */
};

/** Room for the kets of one density. Collective over the context. HF_NO_RESOURCE. */
hf_status hf_kets_create(const struct hf_products *products, struct hf_kets **kets,
                         struct hf_error *error) HF_MUST_CHECK;

/** Collective over the node; accepts a pointer to NULL; leaves NULL. */
void hf_kets_destroy(struct hf_kets **kets);

/** Fills in all groups of a leaf from H [n_component]. Not collective. */
void hf_kets_fill(struct hf_kets *kets, int leaf, const double h[]);

static inline const struct hf_ket_group *hf_ket_group(const struct hf_kets *kets, int leaf,
                                                      int order)
{
    return &kets->group[(size_t)leaf * (size_t)(kets->products->max_order + 1) + (size_t)order];
}

/** Kets for each weight that is kept: a bra takes so many at a time. Tasks of few bras read the weights of all leaves. */
enum { HF_KET_STEP = 8 };

/** Steps that n kets are. */
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

/** The same of the products of a group, [n] in their order, as bras of raised products: of derivatives of (p|p)^(1/2). */
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

/** How many kets, the first of all, are beyond the range of single precision. */
static inline int hf_ket_n_wide(const struct hf_kets *kets, const struct hf_ket_group *group)
{
    return (int)*(const float *)(const void *)(kets->data + group->wide);
}

/** What sorts by falling weight, of numbers not below 0, then by rising number. */
static inline uint64_t hf_weight_key(float weight, int number)
{
    uint32_t bits; /* in the order of weights */
    memcpy(&bits, &weight, sizeof bits);
    return (uint64_t)(UINT32_MAX - bits) << 32 | (uint32_t)number;
}

/** Sorts n keys, HF_LEAF_MOST at most. Not collective. */
void hf_sort_weight_keys(int n, uint64_t key[]);

/** Steps of a group whose weight is `least` or more: the first so many. Not collective. */
int hf_ket_steps_above(const struct hf_kets *kets, const struct hf_ket_group *group, double least);

/** Whether intermediate numbers for integrals over a product may exceed the range of single precision. */
bool hf_is_wide_product(const struct hf_products *products, int64_t product);

/** Bytes that they take for so many products with so many components, at most. Not collective. */
double hf_kets_bytes(double n, double n_component);

#endif
