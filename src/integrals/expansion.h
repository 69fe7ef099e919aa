/* From what is stored of primitive pairs to what the recurrences need of them. Part of kernels.c. */
#ifndef HF_EXPANSION_H
#define HF_EXPANSION_H

#include "lane_quartet.h"

/** c_a c_b of every part. */
static inline void expand_coefficients(const struct hf_pair_group *pairs,
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
#if defined HF_SINGLE && defined __AVX512F__
/** Two vectors of eight numbers of double precision, or one, rounded. */
static inline lanes round_eights(const __m512d number[HF_WIDTH / 8])
{
#if HF_WIDTH == 16
    return (lanes)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(number[0])),
                                     _mm512_cvtpd_ps(number[1]), 1);
#else
    return (lanes)_mm512_cvtpd_ps(number[0]);
#endif
}

static inline void expand_lanes(const struct hf_pair_group *pairs, const lanes j, lanes row[])
{
    enum { N = HF_WIDTH / 8 };
    const struct hf_primitive_pair *primitive[HF_WIDTH];
    const double *numbers[HF_WIDTH];
    __m512d column[8][N], place[N], rest[N];
    for (int l = 0; l < HF_WIDTH; l++) {
        const bool is_there = (double)j[l] < pairs->n_primitive[l];
        primitive[l] = pairs->primitive[l] + (is_there ? (int)j[l] : 0);
        numbers[l] = primitive[l]->pa;
    }
    for (int h = 0; h < N; h++) {
        __m512d of_half[8];
        const __mmask8 is_there = _mm512_cmp_pd_mask(
            _mm512_set1_pd((double)j[0]), _mm512_loadu_pd(pairs->n_primitive + 8 * h), _CMP_LT_OQ);
        transpose_eight(numbers + 8 * h, of_half);
        for (int k = 0; k < 8; k++) column[k][h] = of_half[k];
        for (int k = 5; k < 7; k++) column[k][h] = _mm512_maskz_mov_pd(is_there, of_half[k]);
    }
    for (int k = 0; k < 3; k++) {
        for (int h = 0; h < N; h++) {
            place[h] = _mm512_loadu_pd(pairs->a + k * HF_WIDTH + 8 * h) + column[k][h];
            rest[h] = place[h] - _mm512_cvtps_pd(_mm512_cvtpd_ps(place[h]));
        }
        row[HF_ROW_PA_X + k] = round_eights(column[k]);
        row[HF_ROW_P_X + k] = round_eights(place);
        row[HF_ROW_REST_X + k] = round_eights(rest);
    }
    row[HF_ROW_ZETA] = round_eights(column[3]);
    row[HF_ROW_ONE_OVER_TWO_ZETA] = round_eights(column[4]);
    row[HF_ROW_PREFACTOR] = round_eights(column[5]);
    row[HF_ROW_BOUND] = round_eights(column[6]);
    if (pairs->n_part_a > 0) expand_coefficients(pairs, primitive, row + HF_N_PRIMITIVE_ROW);
}
#elif defined HF_SINGLE
static inline void expand_lanes(const struct hf_pair_group *pairs, const lanes j, lanes row[])
{
    const struct hf_primitive_pair *primitive[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++) {
        const bool is_there = (double)j[l] < pairs->n_primitive[l];
        const struct hf_primitive_pair *from = pairs->primitive[l] + (is_there ? (int)j[l] : 0);
        primitive[l] = from;
        for (int k = 0; k < 3; k++) {
            const double place = pairs->a[k * HF_WIDTH + l] + from->pa[k];
            const float first = (float)place;
            row[HF_ROW_PA_X + k][l] = (float)from->pa[k];
            row[HF_ROW_P_X + k][l] = first;
            row[HF_ROW_REST_X + k][l] = (float)(place - first);
        }
        row[HF_ROW_ZETA][l] = (float)from->zeta;
        row[HF_ROW_ONE_OVER_TWO_ZETA][l] = (float)from->one_over_two_zeta;
        row[HF_ROW_PREFACTOR][l] = is_there ? (float)from->prefactor : 0.0F;
        row[HF_ROW_BOUND][l] = is_there ? (float)from->bound : 0.0F;
    }
    if (pairs->n_part_a > 0) expand_coefficients(pairs, primitive, row + HF_N_PRIMITIVE_ROW);
}
#else
static inline void expand_lanes(const struct hf_pair_group *pairs, const lanes j, lanes row[])
{
    _Static_assert(sizeof(struct hf_primitive_pair) == 8 * sizeof(double), "a row of 8 numbers");
    const struct hf_primitive_pair *primitive[HF_WIDTH];
    const double *numbers[HF_WIDTH];
    const lane_masks is_there = j < load(pairs->n_primitive);
    for (int l = 0; l < HF_WIDTH; l++) {
        primitive[l] = pairs->primitive[l] + (is_there[l] ? (int)j[l] : 0);
        numbers[l] = primitive[l]->pa;
    }
    lanes column[8];
    transpose_8(numbers, column);
    for (int k = 0; k < 3; k++) {
        row[HF_ROW_PA_X + k] = column[k];
        row[HF_ROW_P_X + k] = load(pairs->a + (size_t)k * HF_WIDTH) + column[k];
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
static void expand_pair(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *from,
                        struct hf_expanded_pair *to)
{
    struct hf_pair_group group;
    const int n_part = pairs->class_of[from->pair_class].n_part;
    for (int l = 0; l < HF_WIDTH; l++) hf_group_set(&group, l, HF_WIDTH, n_part, pairs, from);
    const int n_row = HF_N_PRIMITIVE_ROW + (n_part > 1 ? n_part : 0);
    to->n_primitive = from->n_primitive;
    to->n_padded = hf_padded(from->n_primitive);
    for (int k = 0; k < 3; k++) to->ab[k] = group.shift[k * HF_WIDTH];
    for (int j = 0; j < to->n_padded; j += HF_WIDTH) {
        lanes row[HF_MOST_PRIMITIVE_ROW], index;
        for (int l = 0; l < HF_WIDTH; l++) index[l] = j + l;
        expand_lanes(&group, index, row);
        for (int k = 0; k < n_row; k++)
            *(lanes *)(void *)(to->row + (size_t)k * (size_t)to->n_padded + j) = row[k];
    }
    if (n_part > 1) find_terms(to, n_part);
}
#endif

#endif
