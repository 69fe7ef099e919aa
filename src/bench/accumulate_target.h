/* One block of doubles on one rank, to which other ranks add, in one of several ways. */
#ifndef HF_BENCH_ACCUMULATE_TARGET_H
#define HF_BENCH_ACCUMULATE_TARGET_H

#include "bench.h"

#include "onesided/onesided.h"

/** How to add. */
struct hf_bench_way {
    const char *method;            /**< for tables and files */
    const char *transport;         /**< of hf_transport_list; "window": MPI_Accumulate alone */
    enum hf_accumulate accumulate; /**< unused by "window" */
    bool is_window;
};

/** One-sided communication in one way, and at most one block at a time. */
struct hf_bench_target {
    struct hf_bench *bench; /**< borrowed */
    struct hf_bench_way way;
    struct hf_onesided *onesided; /**< owned; NULL for "window" */
    int rank;                     /**< rank that has the block */
    size_t n_double;
    struct hf_window *window; /**< owned; NULL for "window" */
    MPI_Win plain;            /**< of "window" */
    double *plain_base;       /**< valid on `rank` only */
};

/** Gets way number i; false: there are no more. Ways of the library come first. */
bool hf_bench_way_get(int i, struct hf_bench_way *way);

/** Opens one-sided communication, without a block. A way that does not work here is no failure:
 * `problem` [size] then says why, and the target can only be closed. Collective. */
void hf_bench_target_open(struct hf_bench_target *target, struct hf_bench *bench,
                          const struct hf_bench_way *way, size_t size, char problem[]);
/** Collective; also destroys the block; does nothing to a closed target. */
void hf_bench_target_close(struct hf_bench_target *target);

/** Block of order x order zeros, on target->rank. Collective. HF_NO_RESOURCE: memory. */
hf_status hf_bench_target_create_block(struct hf_bench_target *target, int order,
                                       struct hf_error *error) HF_MUST_CHECK;
/** Collective; accepts a target without a block. */
void hf_bench_target_destroy_block(struct hf_bench_target *target);

/** Adds from[n_double] to the block. Not collective. */
void hf_bench_target_add(struct hf_bench_target *target, const double from[]);

/** Completes everything added so far. Collective. */
void hf_bench_target_fence(struct hf_bench_target *target);

/** Whether the block is n * from; the same on every rank. After a fence. Collective. */
bool hf_bench_target_is_multiple(struct hf_bench_target *target, double n, const double from[]);

#endif
