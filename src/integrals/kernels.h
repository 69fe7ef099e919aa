/* The inner loops of the two-electron engine. kernels.c is compiled once per instruction set; the
 * engine picks the widest one the processor has when it is created. */
#ifndef HF_KERNELS_H
#define HF_KERNELS_H

#include "cartesian.h"
#include "hf/boys.h"
#include "hf/shell_pair.h"
#include "hf/solid_harmonics.h"

#include <libint2.h>

/** Highest sum of angular momenta of a pair that vertical_recurrence handles, the components of all
 *  levels up to it, and the lanes of work space it needs. */
enum {
    HF_MAX_RECURRENCE_L = 5,
    HF_MAX_LEVELS = 56,
    HF_RECURRENCE_SCRATCH = 9400,
};

/** Two pairs and what is common to all their primitive quartets. */
struct hf_quartet {
    const struct hf_boys *boys;
    const struct hf_cartesian_table *cartesian;
    const struct hf_shell_pair *bra, *ket;
    int l_bra, l_ket; /**< sums of the angular momenta */
    double threshold; /**< primitive quartets below are skipped */
};

/** Recurrences up to (dd|dd) and the set-up of Libint's input, vectorised over the primitives of
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

    /** Fills Libint's input for every primitive quartet that matters; their number. */
    int (*fill_primitives)(const struct hf_quartet *quartet, Libint_eri_t primitive[]);

    /** Contracted integrals (e0|f0) for all e = e_low..l_bra, f = f_low..l_ket, as one array
     *  [components of all e][components of all f]; vectorised over the primitives of the ket.
     *  Returns the number of primitive quartets; the result is 0 when that is.
     *  `scratch` is [HF_RECURRENCE_SCRATCH][HF_LANES], aligned to 64 bytes.
     *  Source: Obara and Saika, J. Chem. Phys. 84, 3963 (1986). */
    int (*recurrence_one)(const struct hf_quartet *quartet, int e_low, int f_low, double *scratch,
                          double *result);

    /** The same for HF_LANES kets of one class (quartet->ket is not used), vectorised over them:
     * the result [components of all e][components of all f][HF_LANES] is at the start of `scratch`.
     */
    int (*recurrence_batch)(const struct hf_quartet *quartet,
                            const struct hf_shell_pair *const ket[HF_LANES], int e_low, int f_low,
                            double *scratch);

    /** (ab| from (e0|, e = l_a..l_a+l_b, each element a row of `right` numbers: in
     *  [components of all e][right], out [components of a][components of b][right]. l_b is 1 or 2.
     *  Source: Head-Gordon and Pople, J. Chem. Phys. 89, 5777 (1988). */
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

/** The widest kernels this processor can run. */
const struct hf_kernels *hf_kernels_best(void);

#endif
