/* Kets as kernels read them: the products of a leaf with the density of a build, in each order sorted by
 * falling weight, so that a loop over them ends where they no longer matter. */
#ifndef HF_KETS_H
#define HF_KETS_H

#include "product_kernels.h"
#include "products.h"

/** The products of one order in a leaf. */
struct hf_ket_group {
    int64_t first; /**< product that the first would be; weights of the group are from there on */
    int n;
    int n_wide; /**< of which the first so many are beyond the range of single precision */
    int64_t plain, single; /**< where the first block begins, in numbers */
};

/** In memory that the ranks of a node share. */
struct hf_kets {
    const struct hf_products *products; /**< borrowed */
    struct hf_ket_group *group;         /**< [n_leaf][max_order + 1] */
    float *weight;                      /**< [n] estimate of (q|q)^(1/2) of the density in them */
    double *plain;                      /**< blocks of kets */
    float *single;                      /**< the same in single precision */
    struct hf_node_memory *shared;      /**< memory of all arrays; owned */
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

/** Kets of a group whose weight is `least` or more: the first so many. Not collective. */
int hf_kets_above(const struct hf_kets *kets, const struct hf_ket_group *group, double least);

/** Whether intermediate numbers for integrals over a product may exceed the range of single precision. */
bool hf_is_wide_product(const struct hf_products *products, int64_t product);

/** Bytes that they take for so many products with so many components, at most. Not collective. */
double hf_kets_bytes(double n, double n_component);

#endif
