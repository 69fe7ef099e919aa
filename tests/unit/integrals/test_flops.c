/* The engine's account of arithmetic: the same however quartets are put together. */
#include "../mpi_test.h"
#include "../shells.h"

#include "integrals/engine.h"
#include "integrals/quartet_gradient.h"
#include "pairs/shell_pairs.h"

#include <math.h>

/** What all quartets add to the account, `size` at a time, kets in the order of the list. */
static struct hf_engine_account account_of(struct hf_context *context, const struct hf_basis *basis,
                                           int size, enum hf_precision precision)
{
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine = NULL;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    assert_ok(hf_engine_create(pairs, &engine, &error));
    hf_engine_set_threshold(engine, 0.0);
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        for (int c = 0; c < pairs->n_class; c++) {
            const struct hf_shell_pair *ket[HF_MAX_BATCH];
            int n = 0;
            for (int64_t k = 0; k < pairs->n_pair; k++) {
                if (pairs->pair[k].pair_class == c) ket[n++] = &pairs->pair[k];
                if (n < size && k + 1 < pairs->n_pair) continue;
                if (n > 0) hf_engine_two_electron_lanes(engine, &pairs->pair[i], n, ket, precision);
                n = 0;
            }
        }
    }
    const struct hf_engine_account account = hf_engine_account(engine);
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    return account;
}

TEST(lanes_that_nobody_asked_for_do_not_count)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_mixed_basis();
    const struct hf_engine_account one = account_of(context, basis, 1, HF_PRECISION_DOUBLE);
    static const int sizes[] = {3, 5, 8, HF_MAX_BATCH};
    for (int i = 0; i < 4; i++) {
        for (int single = 0; single < 2; single++) {
            const struct hf_engine_account some = account_of(
                context, basis, sizes[i], single ? HF_PRECISION_SINGLE : HF_PRECISION_DOUBLE);
            assert_int_equal(some.n_quartet, one.n_quartet);
            assert_int_equal(some.n_integral, one.n_integral);
            assert_int_equal(some.n_primitive_quartet, one.n_primitive_quartet);
            assert_true(fabs(some.n_flop - one.n_flop) < 1e-9 * one.n_flop);
        }
    }
    test_basis_destroy(&basis);
}

TEST(a_quartet_counts_what_its_formulas_say)
{
    static const double centre[1][3] = {{0.0, 0.0, 0.0}};
    static const struct test_shell s[] = {{0, 0, 1, false, {0.7}, {0.5}}};
    static const struct test_shell p[] = {{0, 1, 1, false, {0.7}, {0.5}}};
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(1, centre, 1, s);
    /* 19 to set up, 18 for the Boys function */
    assert_true(account_of(context, basis, 1, HF_PRECISION_DOUBLE).n_flop == 37.0);
    test_basis_destroy(&basis);
    /* (p p| is levels 1 and 2, 9 numbers; its functions take 18, for 9 levels of the bra, 9 functions */
    basis = test_basis(1, centre, 1, p);
    const double horizontal = 2 * 9 * 18.0, set_up = 19 + 7, boys = 18 + 17 + 4 * 4;
    const double vertical =
        account_of(context, basis, 1, HF_PRECISION_SINGLE).n_flop - horizontal - set_up - boys;
    assert_true(vertical > 9 * 9 && vertical < 20 * 9 * 9);
    test_basis_destroy(&basis);
}

/** Derivatives of the quartet of a single pair. */
static struct hf_engine_account account_of_slopes(struct hf_context *context,
                                                  const struct hf_basis *basis)
{
    static const double one[81] = {1.0};
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine = NULL;
    struct hf_gradient_engine *slopes = NULL;
    struct hf_quartet_density density = {.factor = 1.0};
    double slope[1][4][3];
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    assert_ok(hf_engine_create(pairs, &engine, &error));
    assert_ok(hf_gradient_engine_create(engine, &slopes, &error));
    for (int k = 0; k < HF_N_QUARTET_BLOCK; k++) density.total[k] = one;
    const struct hf_shell_pair *ket = pairs->pair;
    hf_gradient_engine_compute(slopes, pairs->pair, 1, &ket, 1, &density, slope);
    const struct hf_engine_account account = hf_engine_account(engine);
    hf_gradient_engine_destroy(&slopes);
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    return account;
}

TEST(derivatives_count_what_their_formulas_say)
{
    static const double centre[1][3] = {{0.0, 0.0, 0.0}};
    static const struct test_shell s[] = {{0, 0, 2, false, {0.7, 0.3}, {0.5, 0.4}}};
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(1, centre, 1, s);
    const struct hf_engine_account account = account_of_slopes(context, basis);
    assert_int_equal(account.n_quartet, 1);
    assert_int_equal(account.n_primitive_quartet, 16);
    /* a quartet of primitives: 26 to set up, 39 for the Boys functions, 4 for sums, 63 for the centres */
    assert_true(account.n_flop == 16 * (26.0 + 39.0 + 4.0 + 63.0) + 5.0);
    test_basis_destroy(&basis);
}

MPI_TEST_MAIN
