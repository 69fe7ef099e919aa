/* Kets that nodes get: all that any bra needs, in double precision those for which rounding would matter. */
#include "../../../src/coulomb/kets.h"
#include "chain.h"

#include "pairs/shell_pairs.h"

#include <math.h>

/** hf_pair_owner.rank */
static int first_rank(void *unused, int i)
{
    (void)i;
    return 0;
}

/** Kets of a build on all ranks. */
static void make(struct hf_kets *kets, const struct hf_ket_limits *limits, const double h[])
{
    const struct hf_products *products = kets->products;
    const struct hf_shares *shares = products->shares;
    for (int leaf = shares->share; leaf < products->n_leaf; leaf += shares->n_share)
        hf_kets_weigh(kets, leaf, limits, h);
    hf_kets_place(kets);
    for (int leaf = shares->share; leaf < products->n_leaf; leaf += shares->n_share)
        hf_kets_fill(kets, leaf, h);
    hf_shares_gather_sizes(shares, kets->shared, &products->leaves, kets->begin,
                           (double *)(void *)kets->data);
}

/** Number i of row 0 of blocks of `n_row` rows: x of the centres. */
#define PLACE_OF(data, n_row, i)                                                                   \
    ((data)[(i) / HF_KET_BLOCK * (n_row)*HF_KET_BLOCK + (i) % HF_KET_BLOCK])

/** The kets of a group are those of the same group with all kets, as far as any bra needs them. */
static void compare(const struct hf_kets *kets, const struct hf_kets *whole, int leaf, int order,
                    const struct hf_ket_limits *limits)
{
    const struct hf_ket_group *some = hf_ket_group(kets, leaf, order);
    const struct hf_ket_group *all = hf_ket_group(whole, leaf, order);
    const int n_hermite = hf_n_hermite(order);
    assert_true(some->n <= all->n && some->n_plain <= some->n && all->n_plain == all->n);
    assert_true(some->n == all->n || some->n % HF_KET_BLOCK == 0);
    for (int step = 0; step < hf_ket_steps(all->n); step++) {
        const double most = (double)hf_ket_weights(whole, all)[step] * kets->most_bound;
        const int i = step * HF_KET_STEP;
        if (most >= limits->least) assert_true(i < some->n);
        if (most >= limits->fine) assert_true(i < some->n_plain);
        if (i >= some->n) continue;
        assert_true(hf_ket_weights(kets, some)[step] == hf_ket_weights(whole, all)[step]);
        assert_true(PLACE_OF(hf_ket_single(kets, some), HF_KET_SINGLE_ROWS + n_hermite, i) ==
                    PLACE_OF(hf_ket_single(whole, all), HF_KET_SINGLE_ROWS + n_hermite, i));
        if (i < some->n_plain)
            assert_true(PLACE_OF(hf_ket_plain(kets, some), HF_KET_ROWS + n_hermite, i) ==
                        PLACE_OF(hf_ket_plain(whole, all), HF_KET_ROWS + n_hermite, i));
    }
}

TEST(nodes_get_the_kets_that_bras_need)
{
    const struct hf_pair_owner owner = {.rank = first_rank};
    const struct hf_ket_limits limits = {.least = 1e-2, .fine = 1e1},
                               everything = {.least = 0.0, .fine = 0.0};
    struct hf_context *context = NULL;
    struct hf_shell_pairs *pairs = NULL;
    struct hf_products *products = NULL;
    struct hf_kets *kets = NULL, *whole = NULL;
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, 1, &context, &error));
    struct hf_basis *basis = chain(40, 2);
    assert_ok(hf_shell_pairs_create(context, basis, 1e-12, &pairs, &error));
    assert_ok(hf_products_create(context, pairs, &owner, 0, &products, &error));
    assert_ok(hf_kets_create(products, true, &kets, &error));
    assert_ok(hf_kets_create(products, true, &whole, &error));
    double *h = calloc((size_t)products->n_component, sizeof *h);
    assert_non_null(h);
    for (int64_t i = 0; i < products->n_component; i++)
        h[i] = pow(10.0, -8.0 * fabs(next_random()));
    make(kets, &limits, h);
    make(whole, &everything, h);
    for (int leaf = 0; leaf < products->n_leaf; leaf++)
        for (int order = 0; order <= products->max_order; order++)
            compare(kets, whole, leaf, order, &limits);
    if (rank_here() == 0)
        print_message("%lld of %lld numbers\n", (long long)hf_kets_size(kets),
                      (long long)hf_kets_size(whole));
    assert_true(hf_kets_size(kets) < hf_kets_size(whole) / 2);
    free(h);
    hf_kets_destroy(&kets);
    hf_kets_destroy(&whole);
    hf_products_destroy(&products);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

MPI_TEST_MAIN
