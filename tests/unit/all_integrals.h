/* All two-electron integrals of a small basis, each quartet computed by itself. */
#ifndef HF_ALL_INTEGRALS_H
#define HF_ALL_INTEGRALS_H

#include "test.h"

#include "integrals/engine.h"
#include "pairs/shell_pairs.h"

#include <stdlib.h>

/** Integrals of two pairs, to the places of all permutations. */
static inline void test_spread(const struct hf_basis *basis, const struct hf_shell_pair *bra,
                               const struct hf_shell_pair *ket,
                               const struct hf_integral_batch *made, double *integral)
{
    const struct hf_shell_pair *row = made->fixed_is_row ? bra : ket;
    const struct hf_shell_pair *column = made->fixed_is_row ? ket : bra;
    const struct hf_shell *shell[4] = {&basis->shell[row->a], &basis->shell[row->b],
                                       &basis->shell[column->a], &basis->shell[column->b]};
    const size_t n = (size_t)basis->n_function;
    for (size_t x = 0; x < made->stride; x++) {
        size_t at[4], rest = x;
        for (int k = 3; k >= 0; k--) {
            at[k] = rest % (size_t)shell[k]->n_function + (size_t)shell[k]->first_function;
            rest /= (size_t)shell[k]->n_function;
        }
        for (int turn = 0; turn < 8; turn++) {
            const size_t p = at[turn & 1], q = at[1 - (turn & 1)];
            const size_t r = at[turn & 2 ? 3 : 2], s = at[turn & 2 ? 2 : 3];
            integral[turn & 4 ? ((r * n + s) * n + p) * n + q : ((p * n + q) * n + r) * n + s] =
                made->value[x];
        }
    }
}

/** [n][n][n][n]; free with free. */
static inline double *test_all_integrals(const struct hf_shell_pairs *pairs)
{
    struct hf_engine *engine = NULL;
    const size_t n = (size_t)pairs->basis->n_function;
    double *integral = calloc(n * n * n * n, sizeof *integral);
    assert_non_null(integral);
    assert_int_equal(hf_engine_create(pairs, &engine, NULL), HF_OK);
    hf_engine_set_threshold(engine, 0.0);
    for (int64_t i = 0; i < pairs->n_pair; i++)
        for (int64_t k = 0; k <= i; k++) {
            const struct hf_shell_pair *ket = &pairs->pair[k];
            const struct hf_integral_batch made =
                hf_engine_two_electron(engine, &pairs->pair[i], 1, &ket);
            test_spread(pairs->basis, &pairs->pair[i], ket, &made, integral);
        }
    hf_engine_destroy(&engine);
    return integral;
}

#endif
