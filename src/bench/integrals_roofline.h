/* The part of hf-bench integrals that compares rates with what the processor can do. */
#ifndef HF_INTEGRALS_ROOFLINE_H
#define HF_INTEGRALS_ROOFLINE_H

#include "bench.h"

#include "integrals/shell_pair.h"

/** "(ds|pp)": two classes of pairs, the one of higher angular momenta first. */
void hf_bench_class_name(const struct hf_shell_pairs *pairs, int high, int low, char name[16]);

/** Measures and prints rates of quartets by class, in double and in single precision, and of digestion, with
 *  the peak; fills "peak" and "roofline" of the results. Collective; the same status on every rank.
 *  HF_NO_RESOURCE: memory. */
hf_status hf_bench_roofline(struct hf_bench *bench, const struct hf_shell_pairs *pairs,
                            double threshold, struct hf_error *error) HF_MUST_CHECK;

#endif
