/* Bases of random shells, and quartets taken out of batches. */
#ifndef HF_TEST_RANDOM_BASIS_H
#define HF_TEST_RANDOM_BASIS_H

#include "../shells.h"

#include "integrals/engine.h"
#include "pairs/shell_pairs.h"

#include <math.h>

enum { N_ATOM = 5, MOST_SHELL = 64 };

/** The next of a sequence of numbers between 0 and 1. */
static inline double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static inline int random_below(uint64_t *state, int n)
{
    return (int)(next_random(state) * n);
}

/** A basis with its numbers. */
struct random_basis {
    double centre[N_ATOM][3];
    struct test_shell shell[MOST_SHELL];
    int n_shell;
    struct hf_basis *basis, *merged;
};

/** A shell of random exponents, or with those of the shell before it. */
static inline void add_shell(struct random_basis *made, uint64_t *state, int atom, int l,
                             int n_primitive, bool as_before)
{
    struct test_shell *shell = &made->shell[made->n_shell++];
    *shell = (struct test_shell){.atom = atom,
                                 .l = l,
                                 .n_primitive = n_primitive,
                                 .spherical = l > 1 && next_random(state) < 0.7};
    for (int k = 0; k < n_primitive; k++) {
        shell->exponent[k] = exp(6.0 * next_random(state) - 2.5);
        shell->coefficient[k] = next_random(state) - 0.3;
        if (as_before) shell->exponent[k] = shell[-1].exponent[k];
    }
    if (as_before) shell->spherical = shell[-1].spherical;
}

/** Shells s..highest on centres of which some are close and some far; those of `merged` share
 *  exponents, of one l and (where highest allows it) of s and p. */
static inline void draw_basis(struct random_basis *made, uint64_t *state, int highest)
{
    *made = (struct random_basis){0};
    for (int atom = 0; atom < N_ATOM; atom++) {
        const double reach = atom < 3 ? 1.5 : 9.0;
        for (int d = 0; d < 3; d++) made->centre[atom][d] = reach * (next_random(state) - 0.5);
        for (int l = 0; l <= highest; l++) {
            const int most = l == 0 ? TEST_MAX_PRIMITIVE : l < 3 ? 4 : 2;
            const int n = 1 + random_below(state, most);
            add_shell(made, state, atom, l, n, false);
            if (l < 3 && next_random(state) < 0.5) add_shell(made, state, atom, l, n, true);
            if (l == 0 && highest > 0 && next_random(state) < 0.5) {
                made->shell[made->n_shell] = made->shell[made->n_shell - 1];
                made->shell[made->n_shell++].l = 1;
            }
        }
    }
}

/** The bases of what was drawn. */
static inline void build_basis(struct random_basis *made)
{
    made->basis = test_basis(N_ATOM, (const double(*)[3])made->centre, made->n_shell, made->shell);
    assert_ok(hf_basis_merge(made->basis, &made->merged, &error));
}

static inline void make_basis(struct random_basis *made, uint64_t *state, int highest)
{
    draw_basis(made, state, highest);
    build_basis(made);
}

static inline void random_basis_done(struct random_basis *made)
{
    hf_basis_destroy(&made->merged);
    test_basis_destroy(&made->basis);
}

/** Quartet i of a batch as [row][column], whatever way the batch stands in. */
static inline void take(const struct hf_integral_batch *batch, int n, int i, double *to)
{
    int at = 0;
    while (batch->order != NULL && at < n && batch->order[at] != i) at++;
    for (size_t x = 0; x < batch->stride; x++) {
        const size_t from = hf_batch_index(batch, batch->order == NULL ? i : at, x);
        to[x] = batch->single != NULL ? (double)batch->single[from] : batch->value[from];
    }
}

#endif
