/* Declarations shared by the files of the far field. */
#ifndef HF_FAR_FIELD_PRIVATE_H
#define HF_FAR_FIELD_PRIVATE_H

#include "far_field.h"
#include "steps.h"
#include "walk.h"

#include "base/arena.h"
#include "base/node_memory.h"
#include "integrals/cartesian.h"
#include "multipole/multipole.h"

/** Order of the expansions of a build: enough for spheres whose radii add up to half the distance of their centres. */
enum { HF_FAR_ORDER = 20, HF_FAR_SIZE = (HF_FAR_ORDER + 1) * (HF_FAR_ORDER + 1) };

/** Numbers of a cell's moments with their strengths; of a leaf's local expansion with its near leaves. */
enum {
    HF_FAR_MOMENTS = HF_FAR_SIZE + HF_MAX_PAIR_L + 1,
    HF_FAR_MOST_RUNS = 63, /**< runs of near leaves; with more the thread finds them itself */
    HF_FAR_LEAF = HF_FAR_SIZE + HF_FAR_MOST_RUNS + 1
};

/** The near leaves of a leaf: runs of leaves that follow each other. */
struct hf_near_runs {
    int n; /**< -1: too many */
    int unused;
    struct {
        int first, n;
    } run[HF_FAR_MOST_RUNS];
};

/** Cells, level after level. */
struct hf_levels {
    int *first; /**< [n_level + 1] */
    int *cell;  /**< by level */
};

/** A round of the way up: cells of one level, or of adjacent levels, whose moments are computed together. Each is the sum
 *  of at most n_source cells below the last of these levels, or of leaves. */
struct hf_round {
    int first, n; /**< cells in `up` */
    int last_level, n_source;
};

/** Scratch of one thread. */
struct hf_far_worker {
    struct hf_walk walk;
    unsigned char *mark, *path;  /**< [n_cell] hf_walk_mark of the thread's cells; zeros */
    double *from, *to, *scratch; /**< numbers of as many expansions as kernels have lanes */
};

struct hf_far_field {
    struct hf_arena arena;
    struct hf_context *context;         /**< borrowed */
    const struct hf_products *products; /**< borrowed */
    const struct hf_translation_kernels *kernels;
    struct hf_hermite_harmonics harmonics;
    int n_level;
    struct hf_levels up;    /**< cells with children */
    struct hf_round *round; /**< [n_round] of them, the lowest levels first */
    int n_round;
    int *own_leaf; /**< [n_own_leaf] cells that are leaves of this node */
    int n_own_leaf;
    bool to_leaves; /**< they get the local expansions of all cells above at once */
    struct hf_levels
        down; /**< cells with parents, if they are leaves of this node or have some within them */
    struct hf_turns inner; /**< ranks that have the cells with children */
    int *moment_slot;      /**< [n_cell] leaves first, then those of rounds */
    int *local_slot;       /**< [n_cell] of leaves and of cells with children apart */
    struct hf_reach reach; /**< in `shared`, as all that follows */
    double *moments;       /**< [n_cell][HF_FAR_MOMENTS] by slots */
    double *inner_local;   /**< [n_cell - n_leaf][HF_FAR_SIZE] by slots */
    double *leaf_local;    /**< [n_leaf][HF_FAR_LEAF] by slots */
    struct hf_node_memory *shared;
    int n_worker;
    struct hf_far_worker *worker; /**< [n_worker] */
};

static inline double *hf_moments_of(const struct hf_far_field *field, int cell)
{
    return field->moments + (size_t)field->moment_slot[cell] * HF_FAR_MOMENTS;
}

static inline double *hf_strengths_of(const struct hf_far_field *field, int cell)
{
    return hf_moments_of(field, cell) + HF_FAR_SIZE;
}

static inline double *hf_local_of(const struct hf_far_field *field, int cell)
{
    const size_t slot = (size_t)field->local_slot[cell];
    return field->products->cell[cell].leaf >= 0 ? field->leaf_local + slot * HF_FAR_LEAF
                                                 : field->inner_local + slot * HF_FAR_SIZE;
}

static inline struct hf_near_runs *hf_near_runs_of(const struct hf_far_field *field, int cell)
{
    return (void *)(hf_local_of(field, cell) + HF_FAR_SIZE);
}

/** Cells of a round, as ranks take turns in them. */
static inline struct hf_turns hf_turns_of_round(const struct hf_far_field *field,
                                                const struct hf_round *round)
{
    return (struct hf_turns){.n = round->n, .n_share = field->inner.n_share};
}

/** Levels, rounds, turns, slots and marks, in arrays of the field's arena, which may fail. Local. */
void hf_far_plan(struct hf_far_field *field);

/** Bounds for products in elements of J, for all cells, if `writes`; ranks take turns in the pairs of shells. Collective over
 *  the context. HF_NO_RESOURCE on all ranks alike. */
hf_status hf_far_weigh_bras(const struct hf_products *products, bool writes,
                            struct hf_expanded bra[], struct hf_error *error) HF_MUST_CHECK;

/** Moments of a leaf from H, and their strength. Not collective. */
void hf_far_leaf_moments(struct hf_far_field *field, struct hf_far_worker *worker, int leaf,
                         const double h[]);

/** Moments of all cells from those of leaves. Collective. */
void hf_far_go_up(struct hf_far_field *field);

/** Local expansions of this node's leaves from those of all cells. Collective over those that share the memory. */
void hf_far_go_down(struct hf_far_field *field);

/** Local expansions of this rank's cells from moments of far ones, and the near leaves of its leaves. Not
 *  collective. HF_NO_RESOURCE. */
hf_status hf_far_go_across(struct hf_far_field *field, struct hf_error *error) HF_MUST_CHECK;

#endif
