/* Vectors of HF_WIDTH primitive quartets: type, set-up. Part of kernels.c. */
#ifndef HF_LANE_QUARTET_H
#define HF_LANE_QUARTET_H

#include "boys/boys_lanes.h"
#include "quartet.h"
#include "recurrence_input.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef HF_SINGLE
/** Primitives j .. j+HF_WIDTH-1 of one pair. */
static inline void load_primitives(const struct hf_expanded_pair *pair, int j,
                                   lanes row[HF_N_PRIMITIVE_ROW])
{
    for (int k = 0; k < HF_N_PRIMITIVE_ROW; k++)
        row[k] = load(hf_pair_row(pair, (enum hf_primitive_row)k) + j);
}
#endif

/** Sets the data that depend on the ket alone; `out` refers to its rows. */
static inline void set_up_ket(const lanes ket[], struct lane_quartet *out)
{
    out->qc = ket + HF_ROW_PA_X;
    out->one_over_two_eta = ket[HF_ROW_ONE_OVER_TWO_ZETA];
}

/** The tables of the Boys function for this precision. */
static inline const boys_tables *tables_of(const struct hf_quartet *quartet)
{
#ifdef HF_SINGLE
    return quartet->boys_single;
#else
    return quartet->boys;
#endif
}

/** The primitives of the bra. */
struct bra_numbers {
    const real *number; /**< of the first primitive */
    size_t row_step, step;
};

static inline struct bra_numbers bra_of(const struct hf_quartet *quartet)
{
    const struct hf_expanded_pair *bra = quartet->bra;
#ifdef HF_SINGLE
    return (struct bra_numbers){&quartet->pairs->single[bra->first_primitive].zeta, 1,
                                HF_N_SINGLE_ROW};
#else
    return (struct bra_numbers){bra->row, (size_t)bra->n_padded, 1};
#endif
}

/** A number of primitive i of the bra. */
static inline __attribute__((always_inline)) real of_bra(struct bra_numbers bra,
                                                         enum hf_primitive_row row, int i)
{
    return bra.number[(size_t)row * bra.row_step + (size_t)i * bra.step];
}

/** Coordinates of Q - P, P of primitive i of the bra. */
static inline __attribute__((always_inline)) lanes
difference_of_places(struct bra_numbers bra, int i, int direction, const lanes ket[])
{
    const lanes first = ket[HF_ROW_P_X + direction] - of_bra(bra, HF_ROW_P_X + direction, i);
#ifdef HF_SINGLE
    /* Both have two parts; the difference of the first parts is rounded relative to the result only. */
    return first + (ket[HF_ROW_REST_X + direction] - of_bra(bra, HF_ROW_REST_X + direction, i));
#else
    return first;
#endif
}

/** |Q - P|^2. */
static inline __attribute__((always_inline)) lanes square_of(const lanes qp[3])
{
    return qp[0] * qp[0] + qp[1] * qp[1] + qp[2] * qp[2];
}

/** Sets up primitive i of the bra with HF_WIDTH primitives of the ket (or of kets) with these prefactors: data
 *  that depend on more than the ket, for sides with l > 0 (needs_bra, needs_ket), and the arguments of the Boys
 *  function. */
static inline __attribute__((always_inline)) void
set_up_lanes(struct bra_numbers bra, int i, bool needs_bra, bool needs_ket, const lanes ket[],
             lanes prefactor, struct lane_quartet *out, struct boys_argument *boys)
{
    const lanes zeta = broadcast(of_bra(bra, HF_ROW_ZETA, i)), eta = ket[HF_ROW_ZETA];
    const lanes root_of_inverse = inverse_square_root(zeta + eta);
    const lanes one_over_sum = root_of_inverse * root_of_inverse;
    const lanes eta_over_sum = eta * one_over_sum, zeta_over_sum = zeta * one_over_sum;

    lanes qp[3];
    for (int k = 0; k < 3; k++) {
        out->qp[k] = qp[k] = difference_of_places(bra, i, k, ket);
        if (needs_bra) out->pa[k] = of_bra(bra, HF_ROW_PA_X + k, i);
    }
    if (needs_bra) {
        out->one_over_two_zeta = of_bra(bra, HF_ROW_ONE_OVER_TWO_ZETA, i);
        out->rho_over_zeta = eta_over_sum;
    }
    if (needs_ket) out->rho_over_eta = zeta_over_sum;
    boys->T = zeta * eta_over_sum * square_of(qp);
    boys->factor = prefactor * of_bra(bra, HF_ROW_PREFACTOR, i) * root_of_inverse;
}

/** The same for (ss|ss). */
static inline __attribute__((always_inline)) struct boys_lowest
set_up_ss(const boys_tables *boys, struct bra_numbers bra, int i, const lanes ket[])
{
    const real zeta = of_bra(bra, HF_ROW_ZETA, i);
    lanes qp[3];
    for (int k = 0; k < 3; k++) qp[k] = difference_of_places(bra, i, k, ket);
    return boys_find_lowest(boys, ket[HF_ROW_ZETA] * zeta * square_of(qp), ket[HF_ROW_ZETA] + zeta);
}

#ifndef HF_SINGLE
/** Number of the `n` ket primitives, sorted by falling bound, that matter with bra primitive i. */
static inline int n_significant(const struct hf_expanded_pair *bra, int i, const double *ket_bound,
                                int n, double threshold)
{
    const double bound = hf_pair_row(bra, HF_ROW_BOUND)[i];
    while (n > 0 && bound * ket_bound[n - 1] < threshold) n--;
    return n;
}
#endif

#endif
