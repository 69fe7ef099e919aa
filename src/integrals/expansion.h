/* From what is stored of primitive pairs to what the recurrences need of them. Part of kernels.c. */
#ifndef HF_EXPANSION_H
#define HF_EXPANSION_H

#include "lane_quartet.h"

/** Centres of the shells of one pair per lane. */
struct lane_centres {
    lanes a[3], b[3];
};

static inline struct lane_centres find_centres(const struct hf_pair_source *const pair[HF_WIDTH])
{
    struct lane_centres centres;
    for (int l = 0; l < HF_WIDTH; l++) {
        for (int k = 0; k < 3; k++) {
            centres.a[k][l] = pair[l]->a->centre_bohr[k];
            centres.b[k][l] = pair[l]->b->centre_bohr[k];
        }
    }
    return centres;
}

/** Coefficients of part k of a shell. */
static inline const double *part_coefficient(const struct hf_shell *shell, int k)
{
    return shell->n_part > 0 ? shell->part[k].coefficient : shell->coefficient;
}

/** c_a c_b of every part. */
static inline void expand_coefficients(const struct hf_pair_source *const pair[HF_WIDTH],
                                       const struct hf_primitive_pair *const primitive[HF_WIDTH],
                                       lanes row[])
{
    const int n_a = hf_shell_n_part(pair[0]->a), n_b = hf_shell_n_part(pair[0]->b);
    lanes of_a = {0.0}, of_b[HF_MAX_SHELL_PART];
    for (int k = 0; k < n_b; k++)
        for (int l = 0; l < HF_WIDTH; l++)
            of_b[k][l] = part_coefficient(pair[l]->b, k)[primitive[l]->j];
    for (int k = 0; k < n_a; k++) {
        for (int l = 0; l < HF_WIDTH; l++)
            of_a[l] = part_coefficient(pair[l]->a, k)[primitive[l]->i];
        for (int m = 0; m < n_b; m++) row[k * n_b + m] = of_a * of_b[m];
    }
}

/** Rows of primitive j[l] of a pair per lane; a pair that has no such primitive gives one that adds
 *  nothing. Every lane is made by the same operations, whatever the others hold. */
static inline void expand_lanes(const struct hf_pair_source *const pair[HF_WIDTH],
                                const int j[HF_WIDTH], const struct lane_centres *centres,
                                int n_part, lanes row[])
{
    const struct hf_primitive_pair *primitive[HF_WIDTH];
    lanes alpha, beta, prefactor, bound;
    for (int l = 0; l < HF_WIDTH; l++) {
        const bool is_there = j[l] < pair[l]->n_primitive;
        primitive[l] = pair[l]->primitive + (is_there ? j[l] : 0);
        alpha[l] = pair[l]->a->exponent[primitive[l]->i];
        beta[l] = pair[l]->b->exponent[primitive[l]->j];
        prefactor[l] = is_there ? primitive[l]->prefactor : 0.0;
        bound[l] = is_there ? (double)primitive[l]->bound : 0.0;
    }
    const lanes zeta = alpha + beta, inverse = 1.0 / zeta, beta_over_zeta = beta * inverse;
    row[HF_ROW_ZETA] = zeta;
    row[HF_ROW_ONE_OVER_TWO_ZETA] = 0.5 * inverse;
    for (int k = 0; k < 3; k++) {
        /* The difference of the centres themselves: exactly zero when they coincide. */
        const lanes pa = beta_over_zeta * (centres->b[k] - centres->a[k]);
        row[HF_ROW_PA_X + k] = pa;
        row[HF_ROW_P_X + k] = centres->a[k] + pa;
    }
    row[HF_ROW_PREFACTOR] = prefactor;
    row[HF_ROW_BOUND] = bound;
    if (n_part > 1) expand_coefficients(pair, primitive, row + HF_N_PRIMITIVE_ROW);
}

/** Lists what each part consists of. */
static void find_terms(struct hf_expanded_pair *pair, int n_part)
{
    for (int k = 0; k < n_part; k++) {
        const double *coefficient = hf_pair_coefficient(pair, k);
        struct hf_pair_term *term = pair->term + (size_t)k * (size_t)pair->n_padded;
        int n = 0;
        for (int j = 0; j < pair->n_primitive; j++) {
            term[n] = (struct hf_pair_term){.coefficient = coefficient[j], .primitive = j};
            n += coefficient[j] != 0.0;
        }
        pair->n_term[k] = n;
    }
}

/** All primitives of one pair; see struct hf_kernels. */
static void expand_pair(const struct hf_pair_source *from, int n_part, struct hf_expanded_pair *to)
{
    const struct hf_pair_source *pair[HF_WIDTH];
    int index[HF_WIDTH];
    for (int l = 0; l < HF_WIDTH; l++) pair[l] = from;
    const struct lane_centres centres = find_centres(pair);
    const int n_row = HF_N_PRIMITIVE_ROW + (n_part > 1 ? n_part : 0);
    to->n_primitive = from->n_primitive;
    to->n_padded = hf_padded(from->n_primitive);
    for (int k = 0; k < 3; k++) to->ab[k] = from->a->centre_bohr[k] - from->b->centre_bohr[k];
    for (int j = 0; j < to->n_padded; j += HF_WIDTH) {
        lanes row[HF_MOST_PRIMITIVE_ROW];
        for (int l = 0; l < HF_WIDTH; l++) index[l] = j + l;
        expand_lanes(pair, index, &centres, n_part, row);
        for (int k = 0; k < n_row; k++)
            *(lanes *)(void *)(to->row + (size_t)k * (size_t)to->n_padded + j) = row[k];
    }
    if (n_part > 1) find_terms(to, n_part);
}

#endif
