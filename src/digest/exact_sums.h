/* Sums of J and K whose bits do not depend on the order of what is added. Inside hf only.
 *
 * All sums of a build are whole multiples of one unit, a power of 2. What a kernel adds, the product of an
 * integral and a density element, is rounded to units first: it is added to the *origin*, 1.5 2^52 units,
 * next to which doubles are one unit apart, by one fused multiply-add, which rounds once. As long as no sum,
 * of any part of the products and in any order, is larger than 2^51 units, no other addition rounds at all:
 * not those of vectors, of strips, of threads, of ranks, in memory or in a window. So the sum is the same
 * whoever adds what first.
 *
 * The unit follows from a bound on all such sums. With Q_ab the Schwarz bound of a pair of shells, q_a the
 * largest of those of shell a, and an integral counted 8 times at most,
 *
 *     |J_ab| <= 8 max(Q) sum over pairs cd |D_cd| min(q_c, q_d)       |K_ac| <= 8 sum over b, d |D_bd| q_b q_d
 *
 * and these hold for the sums of absolute values, hence for every part of them. A product half-way between
 * two units would be rounded to the even one of the *sum*, which depends on what was added before: the
 * last bit of each density element is set (a relative change of 2^-52), so that the lowest bit of a product
 * is 2^-52 of it or less, and one that reaches half a unit is above the bound.
 *
 * Source   J. Demmel, H. D. Nguyen, Fast reproducible floating-point summation, Proc. 21st IEEE Symposium on
 *          Computer Arithmetic (2013), where the origin is called a bin. */
#ifndef HF_EXACT_SUMS_H
#define HF_EXACT_SUMS_H

#include "hf/status.h"
#include "integrals/shell_pair.h"

struct hf_exact_sums;

/** For builds with `pairs` (borrowed; must outlive it). Not collective. HF_NO_RESOURCE. */
hf_status hf_exact_sums_create(const struct hf_shell_pairs *pairs, struct hf_exact_sums **sums,
                               struct hf_error *error) HF_MUST_CHECK;
void hf_exact_sums_destroy(struct hf_exact_sums **sums);

/** A build of so many densities begins. Not collective. HF_NO_RESOURCE. */
hf_status hf_exact_sums_begin(struct hf_exact_sums *sums, int n_density,
                              struct hf_error *error) HF_MUST_CHECK;

/** Makes a block of a density ready, rows the functions of atom i, columns those of atom j <= i, and counts
 *  it. Each block is to come once, on one rank. Not collective. */
void hf_exact_sums_meet(struct hf_exact_sums *sums, int density, int i, int j, double block[]);

/** Finds the unit when all ranks have met their blocks: the same on all. Collective. HF_NO_RESOURCE:
 *  densities are beyond all bounds. */
hf_status hf_exact_sums_find_unit(struct hf_exact_sums *sums, struct hf_error *error) HF_MUST_CHECK;

/** What sums begin with; see hf_digest_strip. */
double hf_exact_sums_origin(const struct hf_exact_sums *sums);

/** Bound on all sums, hartree: 2^51 units. */
double hf_exact_sums_range(const struct hf_exact_sums *sums);

#endif
