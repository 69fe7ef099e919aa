/* What the kernels of the two-electron engine work on: pairs with everything that follows from
 * their primitives, and the levels of angular momentum between primitives and functions. */
#ifndef HF_QUARTET_H
#define HF_QUARTET_H

#include "cartesian.h"
#include "hf/boys.h"
#include "hf/shell_pair.h"
#include "hf/solid_harmonics.h"

/** Highest sum of angular momenta of a pair that the recurrence handles. */
enum { HF_MAX_RECURRENCE_L = 6 };

/** What is needed of a primitive pair, in the order of its rows. */
enum hf_primitive_row {
    HF_ROW_ZETA,              /**< alpha + beta */
    HF_ROW_ONE_OVER_TWO_ZETA, /**< 1 / (2 zeta) */
    HF_ROW_P_X,               /**< (alpha A + beta B) / zeta, bohr */
    HF_ROW_P_Y,
    HF_ROW_P_Z,
    HF_ROW_PA_X, /**< P - A */
    HF_ROW_PA_Y,
    HF_ROW_PA_Z,
    HF_ROW_PREFACTOR, /**< as stored */
    HF_ROW_BOUND,     /**< as stored */
    /** c_a c_b of each part where there is more than one stand in rows of their own, after these */
    HF_N_PRIMITIVE_ROW,
    HF_MOST_PRIMITIVE_ROW = HF_N_PRIMITIVE_ROW + HF_MAX_PAIR_PART
};

/** Where the numbers of a pair come from: its primitives, its two shells. */
struct hf_pair_source {
    const struct hf_primitive_pair *primitive; /**< [n_primitive] */
    int n_primitive;
    const struct hf_shell *a, *b;
};

/** A pair with the rows of its primitives, padded to a multiple of HF_LANES with copies of
 *  prefactor and bound 0: they keep every formula finite and add nothing. */
struct hf_expanded_pair {
    int n_primitive, n_padded;
    double ab[3]; /**< A - B */
    double *row;  /**< [HF_N_PRIMITIVE_ROW, and the parts if more than one][n_padded] */
};

/** Primitives of a pair with its padding. */
static inline int hf_padded(int n_primitive)
{
    return (n_primitive + HF_LANES - 1) / HF_LANES * HF_LANES;
}

static inline const double *hf_pair_row(const struct hf_expanded_pair *pair,
                                        enum hf_primitive_row row)
{
    return pair->row + (size_t)row * (size_t)pair->n_padded;
}

/** c_a c_b of the primitives of one part of a pair whose class has more than one part. */
static inline const double *hf_pair_coefficient(const struct hf_expanded_pair *pair, int part)
{
    return pair->row + (size_t)(HF_N_PRIMITIVE_ROW + part) * (size_t)pair->n_padded;
}

/** Rows of the primitives of a class. */
static inline int hf_n_row(const struct hf_pair_class *kind)
{
    return HF_N_PRIMITIVE_ROW + (kind->n_part > 1 ? kind->n_part : 0);
}

/** Components of levels `low` .. `high`. */
static inline int hf_n_levels(int low, int high)
{
    return (high + 1) * (high + 2) * (high + 3) / 6 - low * (low + 1) * (low + 2) / 6;
}

/** Number of m for which [e|f]^m is needed. */
static inline int hf_n_auxiliary(int e_max, int f_max, int e, int f)
{
    return e == 0 ? e_max + f_max - f + 1 : e_max - e + 1;
}

/** Levels that a part of a pair is made of. */
static inline int hf_part_n_level(const struct hf_pair_part *part)
{
    return hf_n_levels(part->l_a, part->l_a + part->l_b);
}

/** Two pairs and what is common to all their primitive quartets. */
struct hf_quartet {
    const struct hf_boys *boys;
    const struct hf_cartesian_table *cartesian;
    const struct hf_solid_harmonics *harmonics; /**< [l] */
    const struct hf_expanded_pair *bra, *ket;
    const struct hf_pair_class *bra_class, *ket_class;
    double threshold; /**< primitive quartets below are skipped */
};

/** Numbers that the recurrences give for two classes: the levels of all parts with all parts. */
static inline size_t hf_contracted_levels(const struct hf_pair_class *bra,
                                          const struct hf_pair_class *ket)
{
    size_t n_bra = 0, n_ket = 0;
    for (int k = 0; k < bra->n_part; k++) n_bra += (size_t)hf_part_n_level(&bra->part[k]);
    for (int k = 0; k < ket->n_part; k++) n_ket += (size_t)hf_part_n_level(&ket->part[k]);
    return n_bra * n_ket;
}

/** Work space of the recurrences for two classes, in numbers. */
static inline size_t hf_recurrence_scratch(const struct hf_pair_class *bra,
                                           const struct hf_pair_class *ket)
{
    const int e_max = bra->l_high, f_max = ket->l_high;
    size_t n = hf_contracted_levels(bra, ket);
    n += (size_t)(bra->n_part + ket->n_part + 1) * (size_t)hf_n_levels(0, e_max) *
         (size_t)hf_n_levels(0, f_max);
    for (int e = 0; e <= e_max; e++)
        for (int f = 0; f <= f_max; f++)
            n += (size_t)hf_n_auxiliary(e_max, f_max, e, f) * (size_t)hf_n_cartesian(e) *
                 (size_t)hf_n_cartesian(f);
    return n * HF_LANES;
}

#endif
