/* Declarations shared by the files of the Coulomb pass. */
#ifndef HF_COULOMB_PRIVATE_H
#define HF_COULOMB_PRIVATE_H

#include "far_field.h"
#include "hermite_densities.h"
#include "kets.h"
#include "parcels.h"
#include "pieces.h"
#include "product_kernels.h"
#include "products.h"
#include "steps.h"

#include "hf/coulomb.h"
#include "hf/node_memory.h"
#include "hf/schedule.h"

#include <pthread.h>
#include <stdbool.h>

/** Contributions to an element of J below this share of the threshold are left out: an element is a sum over many
 *  products. */
#define HF_COULOMB_SHARE 0.1

/** The bras of a task, by order and falling bound, of raised products with the density. */
struct hf_bra_list {
    int first_of_order[HF_MAX_PAIR_L + 2];
    struct hf_listed_bra {
        int64_t product;
        float bound;
        bool wide; /**< hf_is_wide_product */
    } bra[HF_LEAF_MOST];
};

/** One thread. */
struct hf_coulomb_worker {
    struct hf_hermite hermite;
    double *block; /**< of two atoms */
    struct hf_bra_list bras;
    int64_t n_pair, n_single;
};

struct hf_coulomb {
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_coulomb_settings settings;
    struct hf_products *products;
    struct hf_kets *kets;
    struct hf_far_field *far;      /**< NULL: all leaves are near each other */
    struct hf_node_memory *shared; /**< h, v, done */
    double *h, *v;       /**< [products->n_component] of one density: what this node has or needs */
    unsigned char *done; /**< [n_task] whether a rank of this node did the task */
    struct hf_parcels *to_leaves; /**< H of this node's pairs of atoms for leaves of other nodes */
    struct hf_parcels *to_owners; /**< V of this node's tasks for pairs of atoms of other nodes */
    int64_t n_h_expected;         /**< numbers that the first one brings here */
    int64_t n_own_component;      /**< of products whose pairs of atoms this node has */
    int n_own;
    int *own; /**< [n_own] this rank's pairs of atoms */
    struct hf_coulomb_tables *tables;
    const struct hf_coulomb_kernels *plain, *single;
    struct hf_scheduler *scheduler;
    int n_piece;     /**< that the bras of each leaf are cut into */
    int64_t n_task;  /**< pieces of leaves, those of a leaf after each other */
    double *cost;    /**< [n_task] estimated */
    uint16_t *first; /**< [n_task] of hf_cut_leaf */
    int n_worker;
    struct hf_coulomb_worker *worker; /**< [n_worker] */
    struct hf_coulomb_account account;
    /* while a build runs */
    double threshold;
    pthread_mutex_t lock; /**< of the scheduler and of what follows */
    bool ended;           /**< this rank takes no more tasks */
};

/** The piece of a leaf that is task number `task`. */
static inline struct hf_leaf_piece hf_coulomb_piece(const struct hf_coulomb *coulomb, int64_t task)
{
    const int64_t leaf = task / coulomb->n_piece, number = task % coulomb->n_piece;
    return hf_leaf_piece(coulomb->products, (int)leaf, (int)number, coulomb->n_piece,
                         coulomb->first + leaf * coulomb->n_piece);
}

/** V of all products from the kets: tasks of all ranks and threads. Collective. HF_INTERRUPTED. */
hf_status hf_coulomb_potentials(struct hf_coulomb *coulomb, struct hf_error *error) HF_MUST_CHECK;

#endif
