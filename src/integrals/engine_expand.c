/* A pair with everything that follows from its primitives. */
#include "engine_private.h"

/** Lists the terms of each part. */
static void find_terms(struct hf_expanded_pair *pair, int n_part)
{
    for (int k = 0; k < n_part; k++) {
        const double *coefficient = hf_pair_coefficient(pair, k);
        struct hf_pair_term *term = pair->term + (size_t)k * (size_t)pair->n_padded;
        int *place = pair->term_place + (size_t)k * (size_t)(pair->n_padded + 1);
        int n = 0;
        place[0] = 0;
        for (int j = 0; j < pair->n_primitive; j++) {
            term[n] = (struct hf_pair_term){
                .coefficient = coefficient[j], .single = (float)coefficient[j], .primitive = j};
            n += coefficient[j] != 0.0;
            place[j + 1] = n;
        }
    }
}

/** Address of number `row` of primitive j. */
static double *row_of(const struct hf_expanded_pair *pair, int row, int j)
{
    return pair->row + (size_t)row * (size_t)pair->n_padded + j;
}

void hf_engine_expand(const struct hf_engine *engine, const struct hf_shell_pair *from,
                      struct hf_expanded_pair *to)
{
    const struct hf_shell_pairs *pairs = engine->pairs;
    const struct hf_shell *a = &pairs->basis->shell[from->a], *b = &pairs->basis->shell[from->b];
    const int n_part = pairs->class_of[from->pair_class].n_part;
    to->first_primitive = from->first_primitive;
    to->n_primitive = from->n_primitive;
    to->n_padded = hf_padded(from->n_primitive);
    for (int d = 0; d < 3; d++) to->ab[d] = a->centre_bohr[d] - b->centre_bohr[d];
    for (int j = 0; j < to->n_padded; j++) {
        const bool is_there = j < from->n_primitive;
        const struct hf_primitive_pair *one = hf_pair_primitives(pairs, from) + (is_there ? j : 0);
        *row_of(to, HF_ROW_ZETA, j) = one->zeta;
        *row_of(to, HF_ROW_ONE_OVER_TWO_ZETA, j) = one->one_over_two_zeta;
        *row_of(to, HF_ROW_PREFACTOR, j) = is_there ? one->prefactor : 0.0;
        *row_of(to, HF_ROW_BOUND, j) = is_there ? one->bound : 0.0;
        for (int d = 0; d < 3; d++) {
            *row_of(to, HF_ROW_PA_X + d, j) = one->pa[d];
            *row_of(to, HF_ROW_P_X + d, j) = a->centre_bohr[d] + one->pa[d];
            *row_of(to, HF_ROW_REST_X + d, j) = 0.0;
        }
        for (int k = 0; k < (n_part > 1 ? n_part : 0); k++)
            *row_of(to, HF_N_PRIMITIVE_ROW + k, j) = hf_part_coefficient(a, b, k, one);
    }
    if (n_part > 1) find_terms(to, n_part);
}
