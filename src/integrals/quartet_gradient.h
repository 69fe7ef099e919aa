/* Derivatives of shell quartets with respect to the places of their shells, contracted with densities at once: no
 * derivative of an integral is stored. */
#ifndef HF_QUARTET_GRADIENT_H
#define HF_QUARTET_GRADIENT_H

#include "hf/status.h"
#include "integrals/shell_pair.h"

struct hf_engine; /* integrals/engine.h */
struct hf_gradient_engine;

/** Blocks of a density that a quartet (ab|cd) needs. */
enum hf_quartet_block {
    HF_BLOCK_AB,
    HF_BLOCK_CD,
    HF_BLOCK_AC,
    HF_BLOCK_AD,
    HF_BLOCK_BC,
    HF_BLOCK_BD,
    HF_N_QUARTET_BLOCK
};

/** Where the densities of a quartet are: element (i, j) of a block at [i * row + j * column]. */
struct hf_quartet_density {
    /** G itself, without the factor: element (a, b, c, d) at [(a n_b + b) * plane + c * row + d * column], row and
     *  column of HF_BLOCK_CD; NULL in all: it is made of the blocks. */
    const double *whole;
    size_t plane;
    const double *total[HF_N_QUARTET_BLOCK]; /**< AB and CD NULL in all: no D_ab D_cd */
    const double *spin[HF_N_QUARTET_BLOCK];  /**< not read with one density */
    int row[HF_N_QUARTET_BLOCK], column[HF_N_QUARTET_BLOCK];
    double factor; /**< number of different permutations of the quartet */
};

/** (<p^2>)^(1/2) of a shell, the largest of its parts: the factor by which its derivatives are larger than its
 *  functions, bohr^-1. Not collective. */
double hf_shell_momentum(const struct hf_shell *shell);

/** Makes derivatives for the pairs of an engine's list; one per thread. `of` is borrowed: it may compute integrals between two
 *  calls, and its account also counts derivatives: integrals are the differentiated ones; arithmetic is that with
 *  one density. Not collective. HF_NO_RESOURCE. */
hf_status hf_gradient_engine_create(struct hf_engine *of, struct hf_gradient_engine **engine,
                                    struct hf_error *error) HF_MUST_CHECK;
/** Bytes that it takes beside the engine. */
double hf_gradient_engine_bytes(const struct hf_engine *of);
void hf_gradient_engine_destroy(struct hf_gradient_engine **engine);

/** Primitive quartets whose estimate as integrals is below `threshold` (hartree) are skipped from now on. */
void hf_gradient_engine_set_threshold(struct hf_gradient_engine *engine, double threshold);

/** From now on the second of two densities is subtracted from the first: G = 1/2 (D_ab D_cd - M_ab M_cd) - 1/8 (D_ac D_bd +
 *  D_ad D_bc - M_ac M_bd - M_ad M_bc). */
void hf_gradient_engine_set_difference(struct hf_gradient_engine *engine);

/** Derivatives of
 *
 *     factor sum_abcd G_abcd (ab|cd),   G = 1/2 D_ab D_cd - 1/8 (D_ac D_bd + D_ad D_bc + M_ac M_bd + M_ad M_bc)
 *
 *  of quartets [n] of a bra with kets of one class, with respect to the places of a, b, c and d, at fixed G:
 *  gradient [n][4][3], hartree/bohr. D is the total density, M the spin density (n_density 2; left out if 1), in
 *  the functions of the list's basis. The bits of a quartet do not depend on other quartets. 1 <= n <=
 *  HF_MAX_BATCH. Allocates nothing. Not collective. */
void hf_gradient_engine_compute(struct hf_gradient_engine *engine, const struct hf_shell_pair *bra,
                                int n, const struct hf_shell_pair *const ket[], int n_density,
                                const struct hf_quartet_density density[],
                                double (*gradient)[4][3]);

#endif
