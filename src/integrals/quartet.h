/* Data of the kernels of the two-electron engine: pairs with everything that follows from their primitives, and
 * the levels of angular momentum between primitives and functions. */
#ifndef HF_QUARTET_H
#define HF_QUARTET_H

#include "boys/boys.h"
#include "boys/boys_single.h"
#include "integrals/cartesian.h"
#include "integrals/quartet_gradient.h"
#include "integrals/shell_pair.h"
#include "integrals/solid_harmonics.h"

/** Highest sum of angular momenta of a pair that the recurrence handles. */
enum { HF_MAX_RECURRENCE_L = 6 };

/** Data of a primitive pair, in the order of its rows. */
enum hf_primitive_row {
    HF_ROW_ZETA, /**< alpha + beta */
    HF_ROW_P_X,  /**< (alpha A + beta B) / zeta, bohr */
    HF_ROW_P_Y,
    HF_ROW_P_Z,
    HF_ROW_PA_X, /**< P - A */
    HF_ROW_PA_Y,
    HF_ROW_PA_Z,
    HF_ROW_PREFACTOR, /**< as stored */
    HF_ROW_BOUND,     /**< as stored */
    HF_ROW_REST_X,    /**< in single precision the rounding error of P, else 0 */
    HF_ROW_REST_Y,
    HF_ROW_REST_Z,
    HF_ROW_ONE_OVER_TWO_ZETA, /**< 1 / (2 zeta) */
    /** If there are several parts, c_a c_b of each part has a row of its own after these. */
    HF_N_PRIMITIVE_ROW,
    HF_ROW_AB_X = HF_N_PRIMITIVE_ROW, /**< in single precision */
    HF_N_SINGLE_ROW = HF_ROW_AB_X + 3,
    HF_PADDED_PAIR_PART = (HF_MAX_PAIR_PART + 3) / 4 * 4, /**< as hf_shell_pairs.n_coefficient */
};

/** Sources of the numbers of `width` pairs of one class, which are computed side by side. */
struct hf_pair_group {
    _Alignas(64) int n_primitive[HF_SINGLE_LANES];
    int64_t first_primitive[HF_SINGLE_LANES]; /**< index into the list's primitives */
    int most_primitive;                       /**< the largest */
    /** [3][width] A - B, for kernels of single or double precision */
    _Alignas(64) union {
        float single[3 * HF_SINGLE_LANES];
        double plain[3 * HF_LANES];
    } shift;
    /* what follows is for double precision only */
    double a[3 * HF_LANES]; /**< [3][width] centres of their first shells */
    int n_part_a, n_part_b; /**< of the shells, if the class has several parts; else 0 */
    const double *coefficient_a[HF_MAX_SHELL_PART][HF_LANES];
    const double *coefficient_b[HF_MAX_SHELL_PART][HF_LANES];
};

/** Sets what both precisions need of a pair in lane l. */
static inline void hf_group_set_primitives(struct hf_pair_group *group, int l,
                                           const struct hf_shell_pair *pair)
{
    group->first_primitive[l] = pair->first_primitive;
    group->n_primitive[l] = pair->n_primitive;
    if (l == 0 || pair->n_primitive > group->most_primitive)
        group->most_primitive = pair->n_primitive;
}

/** Puts `pair`, one of `pairs`, into lane l of `width`, for single precision. */
static inline void hf_group_set_single(struct hf_pair_group *group, int l, int width,
                                       const struct hf_shell_pairs *pairs,
                                       const struct hf_shell_pair *pair)
{
    hf_group_set_primitives(group, l, pair);
    for (int d = 0; d < 3; d++)
        group->shift.single[d * width + l] = pairs->single[pair->first_primitive].ab[d];
}

/** Puts a pair of a list, of a class of n_part parts, into lane l of `width`. */
static inline void hf_group_set(struct hf_pair_group *group, int l, int width, int n_part,
                                const struct hf_shell_pairs *pairs,
                                const struct hf_shell_pair *pair)
{
    const struct hf_shell *a = &pairs->basis->shell[pair->a], *b = &pairs->basis->shell[pair->b];
    hf_group_set_primitives(group, l, pair);
    for (int d = 0; d < 3; d++) {
        group->a[d * width + l] = a->centre_bohr[d];
        group->shift.plain[d * width + l] = a->centre_bohr[d] - b->centre_bohr[d];
    }
    group->n_part_a = n_part > 1 ? hf_shell_n_part(a) : 0;
    group->n_part_b = n_part > 1 ? hf_shell_n_part(b) : 0;
    for (int k = 0; k < group->n_part_a; k++)
        group->coefficient_a[k][l] = hf_shell_get_part(a, k).coefficient;
    for (int k = 0; k < group->n_part_b; k++)
        group->coefficient_b[k][l] = hf_shell_get_part(b, k).coefficient;
}

/** Kets of one class side by side whose quartets with a bra are differentiated. */
struct hf_gradient_input {
    const struct hf_pair_group *ket;
    const double *bra_exponent; /**< of the bra's second shell, of each of its primitive pairs */
    const double *ket_exponent[HF_LANES]; /**< of the primitives of each ket's second shell */
    const struct hf_quartet_density *density[HF_LANES];
    int n_density;
    bool difference; /**< hf_gradient_engine_set_difference */
};

/** A primitive of a pair with its coefficient in one part. */
struct hf_pair_term {
    double coefficient; /**< c_a c_b, not 0 */
    float single;       /**< the same rounded */
    int primitive;
};

/** A pair with the rows of its primitives, padded to a multiple of HF_LANES with copies of
 *  prefactor and bound 0: they keep every formula finite and add nothing. */
struct hf_expanded_pair {
    int64_t first_primitive; /**< index into the list's */
    int n_primitive, n_padded;
    double ab[3]; /**< A - B */
    double *row;  /**< [HF_N_PRIMITIVE_ROW, and the parts if more than one][n_padded] */
    /** [parts if more than one][n_padded] terms of each part, primitives rising */
    struct hf_pair_term *term;
    /** [parts if more than one][n_padded + 1] where the terms of each primitive begin */
    int *term_place;
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

/** Terms of one part of a pair whose class has more than one part. */
static inline const struct hf_pair_term *hf_pair_terms(const struct hf_expanded_pair *pair,
                                                       int part)
{
    return pair->term + (size_t)part * (size_t)pair->n_padded;
}

static inline const int *hf_pair_term_places(const struct hf_expanded_pair *pair, int part)
{
    return pair->term_place + (size_t)part * (size_t)(pair->n_padded + 1);
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

/** Levels of a part of a pair. */
static inline int hf_part_n_level(const struct hf_pair_part *part)
{
    return hf_n_levels(part->l_a, part->l_a + part->l_b);
}

/** Number of levels of a part, in components, and where they begin among those of its class. */
struct hf_part_levels {
    int first, n;
};

/** Numbers in the contraction of two classes; see contraction.h. */
struct hf_contraction_plan {
    int n_bra, n_ket; /**< parts */
    struct hf_part_levels bra[HF_MAX_PAIR_PART], ket[HF_MAX_PAIR_PART];
    int n_bra_level, n_ket_level; /**< of the classes */
    int n_sum;                    /**< sums: the levels of all parts with all parts */
    int n_half;  /**< contracted over the bra only: the levels of its parts with all of the ket */
    int n_kept;  /**< primitives of the ket whose `half` is kept */
    int n_level; /**< levels of the classes */
    int n_chunk; /**< primitives of the bra computed together */
};

/** Most primitives of ket and bra that are computed together. */
enum { HF_MOST_KEPT = 8, HF_MOST_CHUNK = 8 };

/** Number of vectors kept for contraction: they leave room for others in a first-level cache. If the bra has
 *  one part, its levels are read once. Then longer chunks are worthwhile, even in the second-level cache:
 *  set-up and Boys function do more at a time. */
enum { HF_ROOM = 320, HF_ROOM_OF_ONE_PART = 720 };

/** Number of blocks of n vectors kept in `room`: at least two, so that every sum is loaded and stored half as
 *  often. */
static inline int hf_n_kept(int n, int most, int room)
{
    const int n_kept = room / n < 2 ? 2 : room / n;
    return n_kept < most ? n_kept : most;
}

/** Finds the levels of the parts; returns their total number. */
static inline int hf_find_part_levels(const struct hf_pair_class *kind,
                                      struct hf_part_levels levels[HF_MAX_PAIR_PART])
{
    int n = 0;
    for (int k = 0; k < kind->n_part; k++) {
        levels[k].first = hf_n_levels(kind->l_low, kind->part[k].l_a - 1);
        levels[k].n = hf_part_n_level(&kind->part[k]);
        n += levels[k].n;
    }
    return n;
}

static inline void hf_plan_contraction(const struct hf_pair_class *bra,
                                       const struct hf_pair_class *ket,
                                       struct hf_contraction_plan *plan)
{
    const int n_bra = hf_find_part_levels(bra, plan->bra);
    const int n_ket = hf_find_part_levels(ket, plan->ket);
    plan->n_bra = bra->n_part;
    plan->n_ket = ket->n_part;
    plan->n_bra_level = hf_n_levels(bra->l_low, bra->l_high);
    plan->n_ket_level = hf_n_levels(ket->l_low, ket->l_high);
    plan->n_sum = n_bra * n_ket;
    plan->n_half = n_bra * plan->n_ket_level;
    plan->n_level = plan->n_bra_level * plan->n_ket_level;
    plan->n_kept = ket->n_part > 1 ? hf_n_kept(plan->n_half, HF_MOST_KEPT, HF_ROOM) : 0;
    plan->n_chunk =
        hf_n_kept(plan->n_level, HF_MOST_CHUNK, bra->n_part > 1 ? HF_ROOM : HF_ROOM_OF_ONE_PART);
}

/** Two pairs and what is common to all their primitive quartets. */
struct hf_quartet {
    const struct hf_boys *boys;
    const struct hf_boys_single *boys_single;
    const struct hf_cartesian_table *cartesian;
    const struct hf_solid_harmonics *harmonics; /**< [l] */
    /** The list; kernels of single precision read it for bra and ket. */
    const struct hf_shell_pairs *pairs;
    const struct hf_expanded_pair *bra, *ket;
    const struct hf_pair_class *bra_class, *ket_class;
    const struct hf_contraction_plan *plan; /**< of the classes; for the recurrences */
    double threshold;                       /**< smaller primitive quartets are skipped */
};

/** Vectors of the contraction and of all levels up to e_max and f_max, the wanted ones with m = 0 .. highest. */
static inline size_t hf_n_recurrence_vector(const struct hf_contraction_plan *plan, int e_max,
                                            int f_max, int highest)
{
    size_t n = (size_t)(plan->n_sum + plan->n_half * plan->n_kept + plan->n_level * plan->n_chunk);
    for (int e = 0; e <= e_max; e++)
        for (int f = 0; f <= f_max; f++)
            n += (size_t)(hf_n_auxiliary(e_max, f_max, e, f) + highest) *
                 (size_t)hf_n_cartesian(e) * (size_t)hf_n_cartesian(f);
    return n;
}

/** Work space of the recurrences for two classes, in numbers. */
static inline size_t hf_recurrence_scratch(const struct hf_pair_class *bra,
                                           const struct hf_pair_class *ket)
{
    struct hf_contraction_plan plan;
    hf_plan_contraction(bra, ket, &plan);
    return hf_n_recurrence_vector(&plan, bra->l_high, ket->l_high, 0) * HF_LANES;
}

/** The same for derivatives. Densities of levels stay; densities of functions and their sources share memory
 *  with the recurrences. */
static inline size_t hf_gradient_scratch(const struct hf_pair_class *bra,
                                         const struct hf_pair_class *ket)
{
    struct hf_contraction_plan plan;
    hf_plan_contraction(bra, ket, &plan);
    size_t ket_levels = 0;
    for (int k = 0; k < ket->n_part; k++) ket_levels += (size_t)plan.ket[k].n;
    const size_t densities = (size_t)(7 * plan.n_sum + plan.n_half + plan.n_level);
    const size_t functions = (size_t)bra->n_function * ((size_t)ket->n_function + 4 * ket_levels) +
                             (size_t)((bra->n_a + bra->n_b) * (ket->n_a + ket->n_b)) +
                             (size_t)ket->n_function;
    const size_t vectors = hf_n_recurrence_vector(&plan, bra->l_high, ket->l_high, 1);
    return (densities + (functions > vectors ? functions : vectors)) * HF_LANES;
}

#endif
