/* Shell pairs: the data of two shells that two-electron integrals need, computed once per pair. */
#ifndef HF_SHELL_PAIR_H
#define HF_SHELL_PAIR_H

#include "base/arena.h"
#include "hf/basis.h"
#include "hf/status.h"
#include "hf/units.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/** Data of two primitives with exponents alpha of a and beta of b: all that the recurrences need, in one cache
 *  line. Only P = A + PA and the coefficients of parts are looked up in the shells. */
struct hf_primitive_pair {
    double pa[3];             /**< P - A = beta/zeta (B - A), bohr; 0 if A and B coincide */
    double zeta;              /**< alpha + beta */
    double one_over_two_zeta; /**< 1 / (2 zeta) */
    /** exp(-alpha beta/zeta |A-B|^2) sqrt(2) pi^(5/4) / zeta, times c_a c_b if the class has one part */
    double prefactor;
    /** estimate of the primitive's own (ab|ab)^(1/2), falling within a pair; a number of single
     *  precision, so that the product of two is exact */
    double bound;
    uint32_t i, j; /**< numbers of the primitives in a and b */
};

/** The same rounded to single precision, in the order of enum hf_primitive_row: one cache line. */
struct hf_single_primitive {
    float zeta;
    float p[3]; /**< P = A + PA, bohr */
    float pa[3];
    float prefactor, bound;
    float rest[3]; /**< rounding error of P */
    float one_over_two_zeta;
    float ab[3]; /**< A - B: the same for all primitives of a pair */
};

/** One pair of shells. The shell of higher angular momentum comes first ("a"), as Libint needs; for equal ones
 *  the shell with more parts, then the later shell. */
struct hf_shell_pair {
    int a, b;       /**< shells, l_a >= l_b */
    int pair_class; /**< index into hf_shell_pairs.class_of */
    int n_primitive;
    int64_t first_primitive; /**< index into hf_shell_pairs.primitive */
    double bound;            /**< Schwarz: max over its functions of (mn|mn)^(1/2) */
    /** Scale of rounding errors of its integrals, used like bound; infinite: single precision must not be used. */
    double rounding;
    double cost_per_number; /**< hf_shell_pair_cost over its function pairs */
    /* its charge seen from far away, see hf_far_factor; bohr */
    float centre[3]; /**< of its charge */
    float reach;     /**< of its charge about the centre */
    float charge;    /**< largest charge of its functions together, over `bound`: bohr^(1/2) */
};

enum { HF_MAX_PAIR_PART = HF_MAX_SHELL_PART * HF_MAX_SHELL_PART };

/** A part of the first shell with a part of the second. */
struct hf_pair_part {
    int l_a, l_b;
    bool spherical_a, spherical_b;
    int first_a, first_b; /**< first functions, counted in the (merged) shells */
    int n_a, n_b;         /**< functions */
};

/** Parts of the two shells; pairs of one class are computed by the same code. */
struct hf_pair_class {
    int n_part;
    struct hf_pair_part part[HF_MAX_PAIR_PART]; /**< parts of a slowest */
    int n_a, n_b;                               /**< functions of the two shells */
    int n_function;                             /**< n_a n_b */
    int n_cartesian;                            /**< Cartesian products of all parts */
    int l_low, l_high;                          /**< lowest l_a, highest l_a + l_b of the parts */
};

/** Most functions of a pair of any of the classes. */
static inline int hf_most_pair_functions(int n_class, const struct hf_pair_class class_of[])
{
    int most = 1;
    for (int i = 0; i < n_class; i++)
        if (class_of[i].n_function > most) most = class_of[i].n_function;
    return most;
}

/** Square of the distance between the centres of two pairs. */
static inline float hf_square_between(const struct hf_shell_pair *bra,
                                      const struct hf_shell_pair *ket)
{
    const float x = bra->centre[0] - ket->centre[0], y = bra->centre[1] - ket->centre[1],
                z = bra->centre[2] - ket->centre[2];
    return x * x + y * y + z * z;
}

/** hf_far_factor from that square and the product of the charges. Without branches, which would often be
 *  mispredicted, so that loops over kets become vectors. */
static inline float hf_far_factor_of(float square, float bra_reach, float ket_reach, float charges)
{
    const float apart = sqrtf(square) - bra_reach - ket_reach;
    const float upper = charges > FLT_MIN ? charges : FLT_MIN; /* 1 also without charges */
    return upper / (apart > upper ? apart : upper);
}

/** Estimated ratio (at most 1) of the integrals of two distant pairs to the product of their bounds. The
 *  charges q of two pairs contribute at most q q' / R, where R is the least distance of their primitives;
 *  higher multipoles fall off faster than their contribution to the bounds. A primitive is given the charge of
 *  an s distribution with its bound. Exact for two s distributions far apart; no random quartet of s to h
 *  shells was above it (tests/unit/integrals/test_pair_extent.c).
 *  Source   S. A. Maurer, D. S. Lambrecht, D. Flaig, C. Ochsenfeld, JCP 136, 144107 (2012), with charges
 *           in the place of Schwarz bounds and of extents. */
static inline double hf_far_factor(const struct hf_shell_pair *bra, const struct hf_shell_pair *ket)
{
    return (double)hf_far_factor_of(hf_square_between(bra, ket), bra->reach, ket->reach,
                                    bra->charge * ket->charge);
}

/** Pairs of two atoms A >= B, contiguous in the list, by falling bound. */
struct hf_atom_pair {
    int atom_a, atom_b;
    int first_pair, n_pair; /**< into hf_shell_pairs.pair */
    double bound;           /**< largest of its pairs */
    double cost;            /**< sum of the costs of its pairs */
};

/** Atoms C and D of strips (work/work.h): D is the one with more functions, so that rows over d are long. */
static inline void hf_strip_atoms(const struct hf_basis *basis, const struct hf_atom_pair *pair,
                                  int *atom_c, int *atom_d)
{
    const bool turn =
        hf_atom_n_function(basis, pair->atom_a) > hf_atom_n_function(basis, pair->atom_b);
    *atom_c = turn ? pair->atom_b : pair->atom_a;
    *atom_d = turn ? pair->atom_a : pair->atom_b;
}

struct hf_boys;
struct hf_boys_single;

/** The list: arrays without pointers in them. The ranks of a node share all but the last; they do not
 *  change after creation.
 *
 *      atom_pair  | 0 0 | 1 0 | 1 1 | ...                    pairs of atoms, (A, B) rising
 *      pair       | falling bound | ... | ...                those of each pair of atoms
 *      primitive  | falling bound | ...                      those of each pair, in their order
 *      single, single_coefficient: as primitive
 *      class_of   | ...                                      by pair_class */
struct hf_shell_pairs {
    struct hf_arena arena;        /**< has this struct */
    struct hf_context *context;   /**< borrowed */
    const struct hf_basis *basis; /**< borrowed */
    double accuracy;
    int n_class;
    struct hf_pair_class *class_of; /**< [n_class] */
    int64_t n_pair;
    struct hf_shell_pair *pair; /**< [n_pair], pairs that can matter at `accuracy` only */
    int n_atom_pair;
    struct hf_atom_pair *atom_pair; /**< [n_atom_pair], only those with pairs */
    int64_t n_primitive;
    struct hf_primitive_pair *primitive; /**< [n_primitive] */
    struct hf_single_primitive *single;  /**< [n_primitive] */
    /** [n_primitive][n_coefficient] c_a c_b of each part of classes that have several, padded */
    float *single_coefficient;
    int n_coefficient; /**< a multiple of 4, for the class of most parts; 0: no class has several */
    double bound;      /**< largest of all */
    struct hf_node_memory *shared; /**< memory of all arrays but class_of; owned */
    /** Tables of the Boys function, up to order 4 max_l + 1, for all engines of the list; owned. NULL: no
     *  integrals are computed. */
    struct hf_boys *boys;
    struct hf_boys_single *boys_single;
};

/** Estimated cost of computing a pair's half of a shell quartet; the cost of a quartet is about the
 *  product of its pairs' costs.
 *
 *  The time of a quartet is mostly for screening, laying out and filling lanes, and some for each primitive. It
 *  grows little with the shells: in uracil/cc-pVDZ all classes from (ss|ss) to (dp|dp) take 0.3 to 0.45
 *  microseconds, (dd|dd) 1.3. The products of these numbers are proportional to that within a factor of 1.5. */
static inline double hf_shell_pair_cost(const struct hf_shell_pairs *pairs,
                                        const struct hf_shell_pair *pair)
{
    const struct hf_pair_class *kind = &pairs->class_of[pair->pair_class];
    return sqrt(kind->n_cartesian) * (4.0 + pair->n_primitive);
}

/** c_a c_b of a primitive pair in a part of the pair of two shells. */
static inline double hf_part_coefficient(const struct hf_shell *a, const struct hf_shell *b,
                                         int part, const struct hf_primitive_pair *primitive)
{
    const int n_b = hf_shell_n_part(b);
    return hf_shell_get_part(a, part / n_b).coefficient[primitive->i] *
           hf_shell_get_part(b, part % n_b).coefficient[primitive->j];
}

/** The primitives of a pair, [pair->n_primitive]. */
static inline const struct hf_primitive_pair *hf_pair_primitives(const struct hf_shell_pairs *pairs,
                                                                 const struct hf_shell_pair *pair)
{
    return pairs->primitive + pair->first_primitive;
}

#endif
