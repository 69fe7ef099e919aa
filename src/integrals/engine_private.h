/* Inside the two-electron engine: declarations shared by its implementations, and their table. */
#ifndef HF_ENGINE_PRIVATE_H
#define HF_ENGINE_PRIVATE_H

#include "base/arena.h"
#include "flops.h"
#include "integrals/engine.h"
#include "kernels.h"

/** Largest sizes that the quartets of a list of pairs need, in numbers. */
struct hf_engine_sizes {
    size_t block;  /**< between the steps; HF_LANES quartets if they are batched */
    size_t result; /**< one quartet */
    size_t pair;   /**< rows of one pair */
    size_t term;   /**< of all parts of one pair */
};

/** One call of an implementation: all (fixed|other[i]), other of one class. */
struct hf_batch_request {
    const struct hf_shell_pair *fixed; /**< expanded in the engine already */
    int n;
    const struct hf_shell_pair *const *other; /**< [n] */
    const struct hf_pair_class *fixed_class, *other_class;
    bool side_by_side; /**< leave quartets side by side if they are computed so */
    bool single;       /**< in single precision if there are kernels for it; side by side only */
};

/** An implementation. An engine holds the scratch of each, so that a thread needs one handle for all classes of
 *  quartets; `scratch` is that memory, aligned to 64 bytes. None of the functions is collective. */
struct hf_engine_ops {
    const char *name, *about, *cite;
    int max_l; /**< of a shell */

    /** Whether it computes quartets of these classes (in either order). The first one of the list that returns
     *  true is used. The batch never decides, so that the bits of an integral depend on its own shells only. */
    bool (*takes)(const struct hf_pair_class *bra, const struct hf_pair_class *ket);

    /** Bytes of scratch for the classes and primitives of the engine's list; the front allocates
     *  them. May be 0. */
    size_t (*scratch_bytes)(const struct hf_engine *self);

    /** Prepares the scratch; NULL: nothing to do. */
    void (*create)(const struct hf_engine *self, void *scratch);

    /** Fills self->result with a batch; sets all members of the result except `stride`. */
    struct hf_integral_batch (*two_electron)(struct hf_engine *self, void *scratch,
                                             const struct hf_batch_request *request);

    /** Undoes create; NULL: nothing to do. */
    void (*destroy)(void *scratch);
};

extern const struct hf_engine_ops hf_engine_recurrence, hf_engine_libint;

enum { HF_N_ENGINE = 2 };

/** All implementations, in the order they are asked. */
extern const struct hf_engine_ops *const hf_engine_list[HF_N_ENGINE];

/** Index of the first one of the list that takes quartets of two classes. The last one takes all. */
int hf_engine_choose(const struct hf_pair_class *bra, const struct hf_pair_class *ket);

/** The kernels of one precision: for the most quartets at once and, unless NULL, for half as many. */
struct hf_kernel_choice {
    const struct hf_kernels *wide, *narrow;
};

/** Data that depend on the classes of bra and ket only. */
struct hf_class_pair {
    struct hf_contraction_plan plan;
    struct hf_flops flops;
    /** The narrow kernels give the same bits as the wide ones; only then may a batch use both. */
    bool narrow_is_alike[2]; /**< in double, single precision */
};

struct hf_engine {
    struct hf_arena arena;              /**< has all its memory, and this struct */
    const struct hf_shell_pairs *pairs; /**< borrowed */
    struct hf_kernel_choice of_double, of_single;
    int *most_primitive;          /**< [n_class] */
    struct hf_class_pair *of_two; /**< [n_class][n_class] bra and ket */
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    double threshold;
    void *scratch[HF_N_ENGINE]; /**< of each implementation; NULL: not needed */
    struct hf_engine_sizes size;
    struct hf_expanded_pair fixed, other; /**< the current pairs */
    const struct hf_shell_pair *fixed_is; /**< the pair that `fixed` was computed from */
    double fixed_n_term;                  /**< its hf_flops_n_term */
    double *buffer[2];                    /**< blocks between the steps */
    double *assembled;                    /**< quartets that are assembled from parts */
    double *result;                       /**< [HF_MAX_BATCH][largest quartet] */
    int order[HF_MAX_BATCH];              /**< of the quartets of the last batch */
    struct hf_engine_account account;
};

/** Fills in `size` and `most_primitive` [n_class]. */
void hf_engine_find_sizes(struct hf_engine *engine);

/** Adds to the account what the kernels did for n quartets of one group: n_done quartets of primitives in
 *  every lane. Each ket counts with its own number of primitives. */
void hf_engine_count_group(struct hf_engine *engine, const struct hf_flops *flops,
                           const struct hf_pair_group *ket, int n, int n_primitive, int n_done);

/** Data that depend on the classes of a batch only. */
static inline const struct hf_class_pair *hf_engine_of_two(const struct hf_engine *engine,
                                                           const struct hf_batch_request *request)
{
    const struct hf_pair_class *first = engine->pairs->class_of;
    return &engine->of_two[(request->fixed_class - first) * engine->pairs->n_class +
                           (request->other_class - first)];
}

/** Positions of the pairs by falling number of primitives, so that groups of neighbours waste few
 *  lanes. */
void hf_engine_sort_by_primitives(int n, const struct hf_shell_pair *const other[], int order[]);

/** Puts quartets from number `first` of the engine's order on into lanes; a group that is not full repeats its
 *  last pair. Returns the number of primitives, without repeated pairs. */
int hf_engine_gather(const struct hf_engine *self, const struct hf_batch_request *request,
                     const struct hf_kernels *kernels, int first, struct hf_pair_group *group);

/** Fills in a pair of the engine's list; to->row has room for its rows, aligned to 64 bytes. */
void hf_engine_expand(const struct hf_engine *engine, const struct hf_shell_pair *pair,
                      struct hf_expanded_pair *to);

/** Expands the pair into engine->fixed, unless it is there. */
void hf_engine_fix(struct hf_engine *engine, const struct hf_shell_pair *pair);

#endif
