/* Shell pairs: what a two-electron integral needs to know of two shells, computed once per pair. */
#ifndef HF_SHELL_PAIR_H
#define HF_SHELL_PAIR_H

#include "hf/basis.h"
#include "hf/integrals.h"
#include "hf/units.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of hf_shell_pair.primitive, each n_padded long: padded to a multiple of HF_LANES, with
 *  prefactor 0. */
enum hf_primitive_row {
    HF_ROW_ZETA,              /**< alpha + beta */
    HF_ROW_ONE_OVER_TWO_ZETA, /**< 1 / (2 zeta) */
    HF_ROW_P_X,               /**< (alpha A + beta B) / zeta, bohr */
    HF_ROW_P_Y,
    HF_ROW_P_Z,
    HF_ROW_PA_X, /**< P - A */
    HF_ROW_PA_Y,
    HF_ROW_PA_Z,
    /** exp(-alpha beta/zeta |A-B|^2) sqrt(2) pi^(5/4) / zeta, times c_a c_b where the class has one
     *  part; of more parts c_a c_b stand in rows of their own, HF_N_PRIMITIVE_ROW + part */
    HF_ROW_PREFACTOR,
    HF_ROW_BOUND, /**< estimate of the primitive's own (ab|ab)^(1/2), falling along the row */
    HF_N_PRIMITIVE_ROW
};

struct hf_primitive_chunk;

/** One pair of shells. The shell of higher angular momentum comes first ("a"), which is what Libint
 *  wants; of equal ones that of more parts, then the later shell. */
struct hf_shell_pair {
    int a, b;       /**< shells, l_a >= l_b */
    int pair_class; /**< index into hf_shell_pairs.class_of */
    int n_primitive, n_padded;
    double ab[3];           /**< A - B */
    double bound;           /**< Schwarz: max over its functions of (mn|mn)^(1/2) */
    double cost_per_number; /**< hf_shell_pair_cost over its function pairs */
    /** [HF_N_PRIMITIVE_ROW, and the parts if more than one][n_padded], in a chunk of the list */
    const double *primitive;
};

enum { HF_MAX_PAIR_PART = HF_MAX_SHELL_PART * HF_MAX_SHELL_PART };

/** A part of one shell with a part of the other. */
struct hf_pair_part {
    int l_a, l_b;
    bool spherical_a, spherical_b;
    int first_a, first_b; /**< first functions, counted in the (merged) shells */
    int n_a, n_b;         /**< functions */
};

/** What the two shells consist of; pairs of one class are computed by the same code. */
struct hf_pair_class {
    int n_part;
    struct hf_pair_part part[HF_MAX_PAIR_PART]; /**< parts of a slowest */
    int n_a, n_b;                               /**< functions of the two shells */
    int n_function;                             /**< n_a n_b */
    int n_cartesian;                            /**< Cartesian products of all parts */
    int l_low, l_high;                          /**< lowest l_a, highest l_a + l_b of the parts */
};

/** Pairs of two atoms A >= B, contiguous in the list: sorted by class, then by falling bound. */
struct hf_atom_pair {
    int atom_a, atom_b;
    int first_pair, n_pair; /**< into hf_shell_pairs.pair */
    double bound;           /**< largest of its pairs */
    double cost;            /**< sum of the costs of its pairs */
};

struct hf_shell_pairs {
    struct hf_context *context;   /**< borrowed */
    const struct hf_basis *basis; /**< borrowed */
    double accuracy;
    int n_class;
    struct hf_pair_class *class_of; /**< [n_class] */
    int64_t n_pair;
    struct hf_shell_pair *pair; /**< [n_pair], pairs that can matter at `accuracy` only */
    int n_atom_pair;
    struct hf_atom_pair *atom_pair;        /**< [n_atom_pair], only those with pairs */
    double bound;                          /**< largest of all */
    struct hf_primitive_chunk *primitives; /**< the numbers of all pairs; owned */
    int max_primitive;                     /**< largest n_padded */
};

/** Estimated cost of computing a pair's half of a shell quartet; the cost of a quartet is about the
 *  product of its pairs' costs. */
double hf_shell_pair_cost(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair);

static inline const double *hf_pair_row(const struct hf_shell_pair *pair, enum hf_primitive_row row)
{
    return pair->primitive + (size_t)row * (size_t)pair->n_padded;
}

/** c_a c_b of the primitives of one part of a pair whose class has more than one part. */
static inline const double *hf_pair_coefficient(const struct hf_shell_pair *pair, int part)
{
    return pair->primitive + (size_t)(HF_N_PRIMITIVE_ROW + part) * (size_t)pair->n_padded;
}

#ifdef __cplusplus
}
#endif
#endif
