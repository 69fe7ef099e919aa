/* The molecule of a kernel that reads one. */
#ifndef HF_BENCH_MOLECULE_H
#define HF_BENCH_MOLECULE_H

#include "bench.h"

#include "base/arena.h"
#include "run/calculation.h"

/** bench->data of such a kernel: the molecule and its basis. */
struct hf_bench_molecule {
    struct hf_arena arena;
    struct hf_options options; /**< options of hf that say what to read */
    struct hf_calculation calculation;
};

/** hf_bench_kernel.prepare */
hf_status hf_bench_molecule_prepare(struct hf_bench *bench, struct hf_error *error) HF_MUST_CHECK;

/** hf_bench_kernel.done */
void hf_bench_molecule_done(struct hf_bench *bench);

#endif
