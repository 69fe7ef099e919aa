/* From what is stored of primitive pairs to what the recurrences need of them. Part of kernels.c. */
#ifndef HF_EXPANSION_H
#define HF_EXPANSION_H

#include "lane_quartet.h"

/** Coefficients of part k of a shell. */
static inline const double *part_coefficient(const struct hf_shell *shell, int k)
{
    return shell->n_part > 0 ? shell->part[k].coefficient : shell->coefficient;
}

/** Coordinates have double precision always. */
#ifdef HF_SINGLE
typedef double place_lanes[HF_WIDTH];
#else
typedef lanes place_lanes;
#endif

/** Pairs of one class side by side. */
struct lane_pairs {
    const struct hf_primitive_pair *primitive[HF_WIDTH];
    place_lanes a[3]; /**< centres of their first shells */
    lanes n_primitive;
    int n_part_a, n_part_b; /**< where there is more than one part, else 0 */
    const double *coefficient_a[HF_MAX_SHELL_PART][HF_WIDTH];
    const double *coefficient_b[HF_MAX_SHELL_PART][HF_WIDTH];
};

/** One pair of a class of `n_part` parts into lane l. */
static inline void set_lane_pair(struct lane_pairs *pairs, int l, int n_part,
                                 const struct hf_pair_source *from)
{
    pairs->primitive[l] = from->primitive;
    pairs->n_primitive[l] = (real)from->n_primitive;
    for (int k = 0; k < 3; k++) pairs->a[k][l] = from->a->centre_bohr[k];
    pairs->n_part_a = n_part > 1 ? hf_shell_n_part(from->a) : 0;
    pairs->n_part_b = n_part > 1 ? hf_shell_n_part(from->b) : 0;
    for (int k = 0; k < pairs->n_part_a; k++)
        pairs->coefficient_a[k][l] = part_coefficient(from->a, k);
    for (int k = 0; k < pairs->n_part_b; k++)
        pairs->coefficient_b[k][l] = part_coefficient(from->b, k);
}

/** c_a c_b of every part. */
static inline void expand_coefficients(const struct lane_pairs *pairs,
                                       const struct hf_primitive_pair *const primitive[HF_WIDTH],
                                       lanes row[])
{
    lanes of_a = {0}, of_b[HF_MAX_SHELL_PART];
    for (int k = 0; k < pairs->n_part_b; k++)
        for (int l = 0; l < HF_WIDTH; l++)
            of_b[k][l] = (real)pairs->coefficient_b[k][l][primitive[l]->j];
    for (int k = 0; k < pairs->n_part_a; k++) {
        for (int l = 0; l < HF_WIDTH; l++)
            of_a[l] = (real)pairs->coefficient_a[k][l][primitive[l]->i];
        for (int m = 0; m < pairs->n_part_b; m++) *row++ = of_a * of_b[m];
    }
}

/** Rows of primitive j[l] of a pair per lane; a pair that has no such primitive gives one that adds
 *  nothing. Every lane is made by the same operations, whatever the others hold. */
#ifdef HF_SINGLE
static inline void expand_lanes(const struct lane_pairs *pairs, const lanes j, lanes row[])
{
    const struct hf_primitive_pair *primitive[HF_WIDTH];
    const lane_masks is_there = j < pairs->n_primitive;
    for (int l = 0; l < HF_WIDTH; l++) {
        const struct hf_primitive_pair *from = pairs->primitive[l] + (is_there[l] ? (int)j[l] : 0);
        primitive[l] = from;
        for (int k = 0; k < 3; k++) {
            const double place = pairs->a[k][l] + from->pa[k];
            const float first = (float)place;
            row[HF_ROW_PA_X + k][l] = (float)from->pa[k];
            row[HF_ROW_P_X + k][l] = first;
            row[HF_ROW_REST_X + k][l] = (float)(place - first);
        }
        row[HF_ROW_ZETA][l] = (float)from->zeta;
        row[HF_ROW_ONE_OVER_TWO_ZETA][l] = (float)from->one_over_two_zeta;
        row[HF_ROW_PREFACTOR][l] = is_there[l] ? (float)from->prefactor : 0.0F;
        row[HF_ROW_BOUND][l] = is_there[l] ? (float)from->bound : 0.0F;
    }
    if (pairs->n_part_a > 0) expand_coefficients(pairs, primitive, row + HF_N_PRIMITIVE_ROW);
}
#else
static inline void expand_lanes(const struct lane_pairs *pairs, const lanes j, lanes row[])
{
    _Static_assert(sizeof(struct hf_primitive_pair) == 8 * sizeof(double), "a row of 8 numbers");
    const struct hf_primitive_pair *primitive[HF_WIDTH];
    const double *numbers[HF_WIDTH];
    const lane_masks is_there = j < pairs->n_primitive;
    for (int l = 0; l < HF_WIDTH; l++) {
        primitive[l] = pairs->primitive[l] + (is_there[l] ? (int)j[l] : 0);
        numbers[l] = primitive[l]->pa;
    }
    lanes column[8];
    transpose_8(numbers, column);
    for (int k = 0; k < 3; k++) {
        row[HF_ROW_PA_X + k] = column[k];
        row[HF_ROW_P_X + k] = pairs->a[k] + column[k];
    }
    row[HF_ROW_ZETA] = column[3];
    row[HF_ROW_ONE_OVER_TWO_ZETA] = column[4];
    row[HF_ROW_PREFACTOR] = choose(is_there, column[5], broadcast(0.0));
    row[HF_ROW_BOUND] = choose(is_there, column[6], broadcast(0.0));
    if (pairs->n_part_a > 0) expand_coefficients(pairs, primitive, row + HF_N_PRIMITIVE_ROW);
}

/** Lists what each part consists of. */
static void find_terms(struct hf_expanded_pair *pair, int n_part)
{
    for (int k = 0; k < n_part; k++) {
        const double *coefficient = hf_pair_coefficient(pair, k);
        struct hf_pair_term *term = pair->term + (size_t)k * (size_t)pair->n_padded;
        int *place = pair->term_place + (size_t)k * (size_t)(pair->n_padded + 1);
        int n = 0;
        place[0] = 0;
        for (int j = 0; j < pair->n_primitive; j++) {
            term[n] = (struct hf_pair_term){.coefficient = coefficient[j], .primitive = j};
            n += coefficient[j] != 0.0;
            place[j + 1] = n;
        }
    }
}

/** All primitives of one pair; see struct hf_kernels. */
static void expand_pair(const struct hf_pair_source *from, int n_part, struct hf_expanded_pair *to)
{
    struct lane_pairs pairs;
    for (int l = 0; l < HF_WIDTH; l++) set_lane_pair(&pairs, l, n_part, from);
    const int n_row = HF_N_PRIMITIVE_ROW + (n_part > 1 ? n_part : 0);
    to->n_primitive = from->n_primitive;
    to->n_padded = hf_padded(from->n_primitive);
    for (int k = 0; k < 3; k++) to->ab[k] = from->a->centre_bohr[k] - from->b->centre_bohr[k];
    for (int j = 0; j < to->n_padded; j += HF_WIDTH) {
        lanes row[HF_MOST_PRIMITIVE_ROW], index;
        for (int l = 0; l < HF_WIDTH; l++) index[l] = j + l;
        expand_lanes(&pairs, index, row);
        for (int k = 0; k < n_row; k++)
            *(lanes *)(void *)(to->row + (size_t)k * (size_t)to->n_padded + j) = row[k];
    }
    if (n_part > 1) find_terms(to, n_part);
}
#endif

#endif
