/* The inner loops of the two-electron engine. kernels.c is compiled for each instruction set, precision and width; a
 * new engine takes those of the best instruction set that the processor has. */
#ifndef HF_KERNELS_H
#define HF_KERNELS_H

#include "integrals/solid_harmonics.h"
#include "quartet.h"

#include <libint2.h>

/** Recurrences up to (ff|ff), vectorised over quartets; in double precision also the set-up of Libint's
 *  input, vectorised over the primitives of the ket, and linear steps on whole blocks, vectorised over
 *  their fastest index. Numbers below have the table's precision. */
struct hf_kernels {
    const char *name;
    /** Single precision. P is two floats, so P - Q is rounded only once. All other numbers are one float. Errors:
     *  docs/numerics.md. */
    bool single;
    int width;          /**< lanes: HF_LANES or HF_SINGLE_LANES at most */
    int vertical_limit; /**< straight-line recurrences exist up to this sum of both l_high */

    /** Contracted integrals (e0|f0) of every part of the bra with every part of `width` kets of one
     *  class (quartet->ket is not used), one part after the other, [e = l_a..l_a+l_b][f =
     *  l_c..l_c+l_d] in components, `width` numbers for each, at the start of `scratch`, which has the
     *  hf_recurrence_scratch of the two classes, aligned to 64 bytes. Operations are the same in every lane,
     *  whatever the others hold, and in tables of any width. Returns the number of primitive quartets of a
     *  lane. Source: Obara and Saika, J. Chem. Phys. 84, 3963 (1986). */
    int (*recurrence)(const struct hf_quartet *quartet, const struct hf_pair_group *ket,
                      void *scratch);

    /** Makes the functions of `width` quartets from the result of `recurrence` in `levels`: writes the block of
     *  the two classes, [ket][bra][width], a c slower than b d, to `out`. ket_shift is C - D, [3][width].
     *  `scratch` has room for the functions of one side and the levels of the other, of all parts. All aligned
     *  to 64 bytes; none may overlap. Source: Head-Gordon and Pople, J. Chem. Phys. 89, 5777 (1988). */
    void (*to_functions)(const struct hf_quartet *quartet, const void *ket_shift,
                         const void *levels, void *scratch, void *out);

    /* ---- Double precision only; NULL in tables of single precision. */

    /** Fills Libint's input for every primitive quartet that matters of one part of the bra and one of the ket;
     *  returns their number. */
    int (*fill_primitives)(const struct hf_quartet *quartet, int bra_part, int ket_part,
                           Libint_eri_t primitive[]);

    /** Derivatives of `width` quartets with respect to A, B, C and D, [4][3][width], see
     *  hf_gradient_engine_compute; angular momenta up to HF_MAX_L. `scratch` has the hf_gradient_scratch of the two
     *  classes. quartet->ket is not used. All aligned to 64 bytes. Returns the number of primitive quartets of
     *  a lane. */
    int (*gradient)(const struct hf_quartet *quartet, const struct hf_gradient_input *input,
                    void *scratch, double *out);

    /** hf_solid_harmonics_apply. */
    void (*to_spherical)(const struct hf_solid_harmonics *harmonics, int l, int right,
                         const double *in, double *out);

    /** out[j][i] = in[i][j], in of n rows and m columns. */
    void (*transpose)(int n, int m, const double *in, double *out);

    /** out[l][i] = in[i][l], in of n rows and `width` columns. */
    void (*split_lanes)(int n, const double *in, double *const out[]);
};

extern const struct hf_kernels hf_kernels_portable_4, hf_kernels_portable_single_4;
extern const struct hf_kernels hf_kernels_avx2_4, hf_kernels_avx2_single_8;
extern const struct hf_kernels hf_kernels_avx512_8, hf_kernels_avx512_4;
extern const struct hf_kernels hf_kernels_avx512_single_16, hf_kernels_avx512_single_8;

#endif
