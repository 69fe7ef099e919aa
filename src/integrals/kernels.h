/* The inner loops of the two-electron engine. kernels.c is compiled once per instruction set; the
 * engine picks the widest one the processor has when it is created. */
#ifndef HF_KERNELS_H
#define HF_KERNELS_H

#include "cartesian.h"
#include "hf/boys.h"
#include "hf/shell_pair.h"
#include "hf/solid_harmonics.h"

#include <libint2.h>

/** Highest sum of angular momenta of a pair that the recurrence handles. */
enum { HF_MAX_RECURRENCE_L = 6 };

/** Components of levels `low` .. `high`. */
static inline int hf_n_levels(int low, int high)
{
    int n = 0;
    for (int l = low; l <= high; l++) n += hf_n_cartesian(l);
    return n;
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
    const struct hf_shell_pair *bra, *ket;
    const struct hf_pair_class *bra_class, *ket_class;
    double threshold; /**< primitive quartets below are skipped */
};

/** Recurrences up to (ff|ff) and the set-up of Libint's input, vectorised over the primitives of
 * the ket; linear steps on whole blocks, vectorised over their fastest index. */
/** A horizontal recurrence: angular momenta, length of the rows, A - B. */
struct hf_horizontal {
    const struct hf_cartesian_table *cartesian;
    int l_a, l_b, right;
    bool shift_per_lane; /**< shift is [3][HF_LANES], one value per lane of a row; else [3] */
    const double *shift;
};

struct hf_kernels {
    const char *name;

    /** Fills Libint's input for every primitive quartet that matters of one part of the bra and one
     *  of the ket; their number. */
    int (*fill_primitives)(const struct hf_quartet *quartet, int bra_part, int ket_part,
                           Libint_eri_t primitive[]);

    /** Contracted integrals (e0|f0) of every part of the bra with every part of the ket, one after
     *  the other, [e = l_a..l_a+l_b][f = l_c..l_c+l_d] in components; vectorised over the
     * primitives of the ket. Returns the number of primitive quartets; the result is 0 when that
     * is. `scratch` has the hf_recurrence_scratch of the two classes, aligned to 64 bytes. Source:
     * Obara and Saika, J. Chem. Phys. 84, 3963 (1986). */
    int (*recurrence_one)(const struct hf_quartet *quartet, double *scratch, double *result);

    /** The same for HF_LANES kets of one class (quartet->ket is not used), vectorised over them:
     *  the result, HF_LANES numbers in the place of one, is at the start of `scratch`. */
    int (*recurrence_batch)(const struct hf_quartet *quartet,
                            const struct hf_shell_pair *const ket[HF_LANES], double *scratch);

    /** (ab| from (e0|, e = l_a..l_a+l_b, each element a row of `right` numbers: in
     *  [components of all e][right], out [components of a][components of b][right]. l_b > 0.
     * `scratch` has room for all rows between: l_a..l_a+l_b-k with k = 1 .. l_b-1. Source:
     * Head-Gordon and Pople, J. Chem. Phys. 89, 5777 (1988). */
    void (*horizontal_recurrence)(const struct hf_horizontal *step, const double *in,
                                  double *scratch, double *out);

    /** hf_solid_harmonics_apply. */
    void (*to_spherical)(const struct hf_solid_harmonics *harmonics, int l, int right,
                         const double *in, double *out);

    /** out[j][i] = in[i][j], in of n rows and m columns. */
    void (*transpose)(int n, int m, const double *in, double *out);

    /** The same with HF_LANES numbers in the place of one. */
    void (*transpose_lanes)(int n, int m, const double *in, double *out);

    /** out[l][i] = in[i][l], in of n rows and HF_LANES columns. */
    void (*split_lanes)(int n, const double *in, double *const out[HF_LANES]);
};

extern const struct hf_kernels hf_kernels_portable;
#ifdef HF_HAVE_X86_KERNELS
extern const struct hf_kernels hf_kernels_avx2;
extern const struct hf_kernels hf_kernels_avx512;
#endif

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

/** The widest kernels this processor can run. */
const struct hf_kernels *hf_kernels_best(void);

#endif
