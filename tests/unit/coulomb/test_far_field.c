/* The far field of a chain against sums over all products, and its error against the tolerance. */
#include "../../../src/coulomb/far_field_private.h"
#include "../r_tuv.h"
#include "chain.h"

#include "pairs/shell_pairs.h"

#include <math.h>

enum { N_THREAD = 2, MANY_THREADS = 40, N_PIECE = 3 };

/** Adds to value [hf_n_hermite(L_p)] what product q does to product p. */
static void add_exact(const struct hf_products *products, const struct hf_boys *boys,
                      const double h[], int64_t p, int64_t q, double value[])
{
    double all[HF_N_HERMITE];
    const int l_p = products->order[p], l_q = products->order[q], order = l_p + l_q;
    const double sum = products->exponent[p] + products->exponent[q];
    const double alpha = products->exponent[p] * products->exponent[q] / sum;
    double r[3], square = 0.0, start[HF_BOYS_MAX_ORDER + 1], factor = 1.0 / sqrt(sum);
    for (int d = 0; d < 3; d++) {
        r[d] = products->centre[d][p] - products->centre[d][q];
        square += r[d] * r[d];
    }
    hf_boys_evaluate(boys, order, alpha * square, start);
    for (int n = 0; n <= order; n++, factor *= -2.0 * alpha) start[n] *= factor;
    test_r_tuv(order, r, start, all);
    for (int t = 0; t <= l_p; t++)
        for (int u = 0; t + u <= l_p; u++)
            for (int v = 0; t + u + v <= l_p; v++)
                for (int x = 0; x <= l_q; x++)
                    for (int y = 0; x + y <= l_q; y++)
                        for (int z = 0; x + y + z <= l_q; z++)
                            value[hf_hermite_index(t, u, v)] +=
                                ((x + y + z) % 2 == 0 ? 1.0 : -1.0) *
                                h[products->first[q] + hf_hermite_index(x, y, z)] *
                                all[hf_hermite_index(t + x, u + y, v + z)];
}

/** Error in an element of J, at most: each total weighs as the bounds take it. */
static double weigh(const struct hf_far_field *field, int leaf, int64_t p, const double deviation[])
{
    const struct hf_products *products = field->products;
    const double *strength = field->reach.bra[products->leaf[leaf].cell].strength;
    const double charge = hf_product_charge(products->exponent[p]);
    double sum = 0.0;
    for (int k = 0, i = 0; k <= products->order[p]; k++) {
        double most = 0.0;
        for (; i < hf_n_hermite(k); i++) most = fmax(most, fabs(deviation[i]) / charge);
        sum += strength[k] * most;
    }
    return sum;
}

/** Largest error of the far field at some products of this rank's leaves, weighed; `*share` is that of
 *  the pairs of products that are far. */
static double largest_error(struct hf_far_field *field, const double h[], double *v, double *share)
{
    const struct hf_products *products = field->products;
    struct hf_boys *boys = hf_boys_create(4 * 2);
    double worst = 0.0, n_near = 0.0, n_all = 0.0;
    int *is_near = calloc((size_t)products->n_leaf, sizeof *is_near);
    assert_true(boys != NULL && is_near != NULL);
    for (int leaf = rank_here(); leaf < products->n_leaf; leaf += rank_count()) {
        const int thread = leaf % N_THREAD;
        int n;
        const int *near = hf_far_field_near(field, thread, leaf, &n);
        assert_non_null(near);
        memset(is_near, 0, (size_t)products->n_leaf * sizeof *is_near);
        for (int i = 0; i < n; i++) is_near[near[i]]++;
        struct hf_leaf_piece piece[N_PIECE];
        hf_cut_leaf(products, leaf, hf_leaf_cost(products, leaf), N_PIECE, piece);
        for (int i = 0; i < N_PIECE; i++) hf_far_field_add(field, thread, &piece[i], v);
        const int64_t begin = hf_leaf_begin(&products->leaf[leaf]);
        const int64_t end = hf_leaf_end(&products->leaf[leaf]);
        for (int64_t p = begin; p < end; p += 1 + (end - begin) / 3) {
            double value[HF_N_HERMITE] = {0.0};
            for (int other = 0; other < products->n_leaf; other++) {
                const int64_t first = hf_leaf_begin(&products->leaf[other]);
                const int64_t last = hf_leaf_end(&products->leaf[other]);
                assert_true(is_near[other] <= 1);
                n_all += (double)(last - first);
                n_near += is_near[other] * (double)(last - first);
                for (int64_t q = first; q < last && is_near[other] == 0; q++)
                    add_exact(products, boys, h, p, q, value);
            }
            for (int i = 0; i < hf_n_hermite(products->order[p]); i++)
                value[i] -= v[products->first[p] + i];
            worst = fmax(worst, weigh(field, leaf, p, value));
        }
    }
    *share = n_all > 0.0 ? 1.0 - n_near / n_all : 0.0;
    free(is_near);
    hf_boys_destroy(&boys);
    return worst;
}

/** hf_pair_owner.rank */
static int first_rank(void *unused, int i)
{
    (void)i;
    return 0;
}

/** Errors at several tolerances, with nodes of two ranks; more threads do several levels at once. */
static void try_tolerances(int n_thread)
{
    const struct hf_pair_owner owner = {.rank = first_rank};
    struct hf_context *context = NULL;
    struct hf_shell_pairs *pairs = NULL;
    struct hf_products *products = NULL;
    struct hf_far_field *field = NULL;
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, 2, &context, &error));
    struct hf_basis *basis = chain(60, 3);
    assert_ok(hf_shell_pairs_create(context, basis, 1e-12, &pairs, &error));
    assert_ok(hf_products_create(context, pairs, &owner, 0, &products, &error));
    assert_ok(hf_far_field_create(products, n_thread, &field, &error));
    assert_true(field->to_leaves || n_thread < MANY_THREADS);
    assert_true(field->n_round < field->n_level - 1 || n_thread < MANY_THREADS);
    double *h = calloc((size_t)products->n_component, sizeof *h);
    double *v = calloc((size_t)products->n_component, sizeof *v);
    assert_true(h != NULL && v != NULL);
    for (int64_t i = 0; i < products->n_component; i++) h[i] = 0.3 * next_random();
    for (double tolerance = 1e-4; tolerance > 1e-10; tolerance *= 1e-2) {
        double share;
        memset(v, 0, (size_t)products->n_component * sizeof *v);
        assert_ok(hf_far_field_build(field, h, tolerance, &error));
        const double worst = largest_error(field, h, v, &share);
        if (rank_here() == 0)
            print_message("tolerance %.0e: error %.2e, %.0f %% of %lld products far\n", tolerance,
                          worst, 100.0 * share, (long long)products->n);
        assert_true(worst <= tolerance + 1e-13);
        assert_true(worst > 1e-5 * tolerance); /* the bound is not absurd */
        assert_true(share > 0.3);
    }
    free(h);
    free(v);
    hf_far_field_destroy(&field);
    hf_products_destroy(&products);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
    test_context_done(&context);
}

TEST(errors_are_below_the_tolerance)
{
    try_tolerances(N_THREAD);
}

TEST(errors_are_as_small_with_levels_at_once)
{
    try_tolerances(MANY_THREADS);
}

MPI_TEST_MAIN
