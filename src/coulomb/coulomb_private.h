/* Declarations shared by the files of the Coulomb pass (coulomb/coulomb.h). Its steps:
 *
 *     1  H of each product, by the owner of the block of D; sent to the node that has the product's leaf (parcels.c)
 *     2  kets of each leaf, by order and falling norm (kets.c); leaves are dealt to the ranks, a gather brings kets to
 *        all nodes. Moments of leaves and cells go the same way (far_field.c)
 *     3  V: a task is the bras of a leaf, or a piece of them (products.h). A kernel takes one bra with the kets of a near
 *        leaf (product_kernels.c); far leaves come as local expansions. Light kets are in single precision
 *     4  J from V, by the owner of the block; or, for derivatives, V times the derivatives of H
 *
 * Gathers copy and do not sum, and pieces do not depend on the ranks: J has the same bits for any number of ranks. */
#ifndef HF_COULOMB_PRIVATE_H
#define HF_COULOMB_PRIVATE_H

#include "coulomb/products.h"
#include "far_field.h"
#include "hermite_densities.h"
#include "kets.h"
#include "parcels.h"
#include "product_kernels.h"
#include "steps.h"

#include "base/arena.h"
#include "base/node_memory.h"
#include "coulomb/coulomb.h"
#include "schedule/schedule.h"

#include <pthread.h>
#include <stdbool.h>

/** A contribution to an element of J is left out if it is below this share of the threshold. The share is less than
 *  1 since many of them add up. */
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
    struct hf_arena arena;
    struct hf_context *context;         /**< borrowed */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_coulomb_settings settings;
    struct hf_products *products;
    struct hf_kets *kets;
    struct hf_far_field *far;      /**< NULL: all leaves are near each other */
    struct hf_node_memory *shared; /**< h, v, done */
    double *h, *v;       /**< [products->n_component] of one density: what this node has or needs */
    unsigned char *done; /**< [most_tasks] whether a rank of this node did the task */
    struct hf_parcels *to_leaves; /**< H of this node's pairs of atoms for leaves of other nodes */
    struct hf_parcels *to_owners; /**< V of this node's tasks for pairs of atoms of other nodes */
    int64_t n_h_expected;         /**< numbers that the first one brings here */
    int64_t n_own_component;      /**< of products whose pairs of atoms this node has */
    int n_own;
    int *own; /**< [n_own] this rank's pairs of atoms */
    struct hf_coulomb_tables tables;
    const struct hf_coulomb_kernels *plain, *single;
    struct hf_scheduler *scheduler;
    int64_t n_task; /**< pieces of leaves, those of a leaf after each other; 0: not cut yet */
    int64_t most_tasks;
    struct hf_leaf_piece *piece; /**< [n_task] */
    double *cost;                /**< [n_task] estimated */
    double *before;  /**< [n_leaf + 1] estimated costs of the kets of all leaves before a leaf */
    double *of_leaf; /**< [n_leaf] estimated costs of the tasks of a leaf */
    int n_worker;
    struct hf_coulomb_worker *worker; /**< [n_worker] */
    struct hf_coulomb_account account;
    /* while a build runs */
    double threshold;
    struct hf_ket_limits limits;
    pthread_mutex_t lock; /**< of the scheduler and of what follows */
    bool ended;           /**< this rank takes no more tasks */
};

/** How many tasks there may be. Not collective. */
int64_t hf_coulomb_most_tasks(const struct hf_coulomb *coulomb);

/** Room for tasks. Not collective. HF_NO_RESOURCE. */
hf_status hf_coulomb_make_tasks(struct hf_coulomb *coulomb, struct hf_error *error) HF_MUST_CHECK;

/** Cuts leaves into tasks, when the far field is made for the first time. The same on all ranks. Not collective. */
void hf_coulomb_cut(struct hf_coulomb *coulomb);

/** V of all products from the kets: tasks of all ranks and threads. `before` is the outcome of this rank's preparations.
 *  Collective; agrees on both outcomes. HF_INTERRUPTED. */
hf_status hf_coulomb_potentials(struct hf_coulomb *coulomb, hf_status before,
                                struct hf_error *error) HF_MUST_CHECK;

#endif
