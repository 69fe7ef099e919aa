/* Sums of J and K whose bits do not depend on the order of what is added. Inside hf only.
 *
 * All sums of a build are whole multiples of one unit, a power of 2. Each product of an integral and a density
 * element is rounded to units first: one fused multiply-add, which rounds once, adds it to the *origin*, 1.5
 * 2^52 units, where doubles are one unit apart. As long as no sum of any part of the products exceeds 2^51
 * units, no other addition rounds: not those of vectors, strips, threads or ranks, in memory or in a window. So
 * the sum does not depend on the order.
 *
 * The unit follows from a bound on all such sums. Q_ab is the Schwarz bound of a pair of shells, q_a the
 * largest bound of all pairs of shell a. An integral is counted at most 8 times:
 *
 *     |J_ab| <= 8 max(Q) sum over pairs cd |D_cd| min(q_c, q_d)       |K_ac| <= 8 sum over b, d |D_bd| q_b q_d
 *
 * These bounds hold for sums of absolute values, hence for every part of them. A product half-way between two
 * units would be rounded so that the *sum* is even, which depends on the order. So the last bit of each density
 * element is set (a relative change of 2^-52). Then the lowest bit of a product is at most 2^-52 of the
 * product, and a product with half a unit as its lowest bit would exceed the bound.
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

/** Begins a build of n_density densities. Not collective. HF_NO_RESOURCE. */
hf_status hf_exact_sums_begin(struct hf_exact_sums *sums, int n_density,
                              struct hf_error *error) HF_MUST_CHECK;

/** Prepares a block of a density (rows: functions of atom i, columns: functions of atom j <= i) and counts it.
 *  If i = j, the elements above the diagonal become `mirror` (hf_mirror_factor) times those below it. To be called
 *  once for each block, on one rank. Not collective. */
void hf_exact_sums_meet(struct hf_exact_sums *sums, int density, int i, int j, double mirror,
                        double block[]);

/** Finds the unit after all ranks have prepared their blocks; the same on all ranks. Collective.
 *  HF_NO_RESOURCE: the density elements are too large. */
hf_status hf_exact_sums_find_unit(struct hf_exact_sums *sums, struct hf_error *error) HF_MUST_CHECK;

/** Start value of sums; see hf_digest_strip. */
double hf_exact_sums_origin(const struct hf_exact_sums *sums);

/** Bound on all sums, hartree: 2^51 units. */
double hf_exact_sums_range(const struct hf_exact_sums *sums);

#endif
