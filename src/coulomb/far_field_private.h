/* Declarations shared by the files of the far field. */
#ifndef HF_FAR_FIELD_PRIVATE_H
#define HF_FAR_FIELD_PRIVATE_H

#include "far_field.h"
#include "walk.h"

#include "hf/multipole.h"
#include "hf/node_memory.h"

/** Of the expansions of a build; enough for spheres that fill half of the way between their centres. */
enum { HF_FAR_ORDER = 20, HF_FAR_SIZE = (HF_FAR_ORDER + 1) * (HF_FAR_ORDER + 1) };

/** Scratch of one thread. */
struct hf_far_worker {
    struct hf_walk walk;
    double *from, *to, *scratch; /**< numbers of as many expansions as kernels have lanes */
};

struct hf_far_field {
    struct hf_context *context;         /**< borrowed */
    const struct hf_products *products; /**< borrowed */
    const struct hf_translation_kernels *kernels;
    struct hf_hermite_harmonics harmonics;
    int n_level;
    int *first_of_level;   /**< [n_level + 1] */
    int *cell_of_level;    /**< [n_cell] by level */
    struct hf_reach reach; /**< in `shared`, as all that follows */
    double *moments;       /**< [n_cell][HF_FAR_SIZE] */
    double *local;         /**< [n_cell][HF_FAR_SIZE] */
    struct hf_node_memory *shared;
    int n_worker;
    struct hf_far_worker *worker; /**< [n_worker] */
};

/** Bounds for products in elements of J, for all cells. Not collective. */
void hf_far_weigh_bras(const struct hf_products *products, struct hf_expanded bra[]);

/** Moments of a leaf from H, and their strength. Not collective. */
void hf_far_leaf_moments(struct hf_far_field *field, struct hf_far_worker *worker, int leaf,
                         const double h[]);

/** Collective over those that share the memory. */
void hf_far_go_up(struct hf_far_field *field);
void hf_far_go_down(struct hf_far_field *field);

/** Local expansions of this rank's share of cells from moments of far ones. Not collective. */
hf_status hf_far_go_across(struct hf_far_field *field, struct hf_error *error) HF_MUST_CHECK;

#endif
