/* Far quartets are not larger than the estimate that screening leaves them out by. */
#include "../mpi_test.h"
#include "../shells.h"

#include "integrals/engine.h"
#include "integrals/shell_pair.h"
#include "pairs/shell_pairs.h"

#include <math.h>

enum { N_CENTRE = 4, HIGHEST_L = 5, N_SHELL = N_CENTRE * (HIGHEST_L + 1) };

/** A number from 0 to 1; `state` is that of the sequence. */
static double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/** Shells of every angular momentum on two centres and on two others `apart` from them; contracted of up
 *  to three primitives of either sign. */
static void make_shells(uint64_t *state, double apart, double centre[N_CENTRE][3],
                        struct test_shell shell[N_SHELL])
{
    for (int c = 0; c < N_CENTRE; c++)
        for (int x = 0; x < 3; x++)
            centre[c][x] = 2.0 * random_number(state) - 1.0 + (c >= 2 && x == 0 ? apart : 0.0);
    for (int s = 0; s < N_SHELL; s++) {
        shell[s] = (struct test_shell){.atom = s / (HIGHEST_L + 1),
                                       .l = s % (HIGHEST_L + 1),
                                       .n_primitive = 1 + (int)(3.0 * random_number(state)),
                                       .spherical = random_number(state) < 0.5};
        for (int k = 0; k < shell[s].n_primitive; k++) {
            shell[s].exponent[k] = 0.05 * exp(6.0 * random_number(state)) + 0.01 * k;
            shell[s].coefficient[k] = 1.5 * random_number(state) - 0.5;
        }
    }
}

static double largest_integral(struct hf_engine *engine, const struct hf_shell_pairs *pairs,
                               const struct hf_shell_pair *bra, const struct hf_shell_pair *ket)
{
    const struct hf_integral_batch batch = hf_engine_two_electron(engine, bra, 1, &ket);
    const int n =
        pairs->class_of[bra->pair_class].n_function * pairs->class_of[ket->pair_class].n_function;
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(batch.value[i]));
    return largest;
}

/** Largest integral over the estimate, of all quartets of a set; counts those that are far. */
static double largest_ratio(struct hf_context *context, const struct hf_basis *basis, int *n_far)
{
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine = NULL;
    double largest = 0.0;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error));
    assert_ok(hf_engine_create(pairs, &engine, &error));
    hf_engine_set_threshold(engine, 0.0);
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        for (int64_t k = 0; k < pairs->n_pair; k++) {
            const struct hf_shell_pair *bra = &pairs->pair[i], *ket = &pairs->pair[k];
            const double factor = hf_far_factor(bra, ket);
            if (bra->bound < 1e-8 || ket->bound < 1e-8 || factor >= 1.0) continue;
            const double ratio =
                largest_integral(engine, pairs, bra, ket) / (bra->bound * ket->bound * factor);
            largest = fmax(largest, ratio);
            ++*n_far;
        }
    }
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    return largest;
}

TEST(far_quartets_are_below_the_estimate)
{
    enum { N_SET = 12 };
    TEST_CONTEXT(context);
    uint64_t random = 7;
    double largest = 0.0;
    int n_far = 0;
    for (int i = 0; i < N_SET; i++) {
        struct test_shell shell[N_SHELL];
        double centre[N_CENTRE][3];
        make_shells(&random, 4.0 + 4.0 * i, centre, shell);
        struct hf_basis *basis = test_basis(N_CENTRE, (const double(*)[3])centre, N_SHELL, shell);
        largest = fmax(largest, largest_ratio(context, basis, &n_far));
        test_basis_destroy(&basis);
    }
    print_message("%d far quartets, at most %.3f of the estimate\n", n_far, largest);
    assert_true(n_far > 7000);
    assert_true(largest <= 1.0 + 1e-6); /* that of s functions is exact */
}

MPI_TEST_MAIN
