/* The two-electron engine against a plain recursion, whatever method a batch is computed by. */
#include "../mpi_test.h"
#include "../shells.h"

#include "boys/boys.h"
#include "integrals/engine.h"
#include "integrals/solid_harmonics.h"
#include "pairs/shell_pairs.h"

#include <math.h>

/** One primitive quartet for the plain recursion. */
struct primitive_quartet {
    double zeta, eta;
    double pa[3], pb[3], qc[3], qd[3], wp[3], wq[3];
    double boys[HF_BOYS_MAX_ORDER + 1]; /**< with every prefactor */
};

/** (ab|cd)^(m) by Obara and Saika's Eq. 39, lowering one power at a time; power[0..3] are a, b, c,
 * d. */
static double plain(const struct primitive_quartet *q, int power[4][3], int m)
{
    for (int k = 0; k < 4; k++) {
        for (int d = 0; d < 3; d++) {
            if (power[k][d] == 0) continue;
            const bool bra = k < 2;
            const double own = bra ? q->zeta : q->eta, sum = q->zeta + q->eta;
            const double other = bra ? q->eta : q->zeta;
            const double shift = k == 0   ? q->pa[d]
                                 : k == 1 ? q->pb[d]
                                 : k == 2 ? q->qc[d]
                                          : q->qd[d];
            power[k][d]--;
            double value =
                shift * plain(q, power, m) + (bra ? q->wp[d] : q->wq[d]) * plain(q, power, m + 1);
            for (int j = 0; j < 4; j++) {
                const int n = power[j][d];
                if (n == 0) continue;
                power[j][d]--;
                if ((j < 2) == bra)
                    value += n / (2.0 * own) *
                             (plain(q, power, m) - other / sum * plain(q, power, m + 1));
                else
                    value += n / (2.0 * sum) * plain(q, power, m + 1);
                power[j][d]++;
            }
            power[k][d]++;
            return value;
        }
    }
    return q->boys[m];
}

static void set_up(const struct hf_boys *boys, const struct hf_shell *const s[4], const int p[4],
                   struct primitive_quartet *q)
{
    double e[4], ab = 0.0, cd = 0.0, pq = 0.0, coefficient = 1.0;
    for (int k = 0; k < 4; k++) {
        e[k] = s[k]->exponent[p[k]];
        coefficient *= s[k]->coefficient[p[k]];
    }
    q->zeta = e[0] + e[1];
    q->eta = e[2] + e[3];
    for (int d = 0; d < 3; d++) {
        const double a = s[0]->centre_bohr[d], b = s[1]->centre_bohr[d];
        const double c = s[2]->centre_bohr[d], f = s[3]->centre_bohr[d];
        const double P = (e[0] * a + e[1] * b) / q->zeta, Q = (e[2] * c + e[3] * f) / q->eta;
        const double W = (q->zeta * P + q->eta * Q) / (q->zeta + q->eta);
        ab += (a - b) * (a - b);
        cd += (c - f) * (c - f);
        pq += (P - Q) * (P - Q);
        q->pa[d] = P - a;
        q->pb[d] = P - b;
        q->qc[d] = Q - c;
        q->qd[d] = Q - f;
        q->wp[d] = W - P;
        q->wq[d] = W - Q;
    }
    const double factor = coefficient * 2.0 * pow(acos(-1.0), 2.5) /
                          (q->zeta * q->eta * sqrt(q->zeta + q->eta)) *
                          exp(-e[0] * e[1] / q->zeta * ab - e[2] * e[3] / q->eta * cd);
    const int order = s[0]->l + s[1]->l + s[2]->l + s[3]->l;
    hf_boys_evaluate(boys, order, q->zeta * q->eta / (q->zeta + q->eta) * pq, q->boys);
    for (int m = 0; m <= order; m++) q->boys[m] *= factor;
}

static int n_cartesian(int l)
{
    return (l + 1) * (l + 2) / 2;
}

/** Powers of component c of l. */
static void powers(int l, int c, int power[3])
{
    for (int i = l; i >= 0; i--) {
        for (int j = l - i; j >= 0; j--, c--) {
            if (c != 0) continue;
            power[0] = i;
            power[1] = j;
            power[2] = l - i - j;
            return;
        }
    }
}

/** Makes index k of a block [n0][n1][n2][n3] spherical. */
static void index_to_spherical(int n[4], int k, int l, double **block)
{
    struct hf_solid_harmonics harmonics;
    hf_solid_harmonics_init(l, &harmonics);
    int left = 1, right = 1;
    for (int i = 0; i < k; i++) left *= n[i];
    for (int i = k + 1; i < 4; i++) right *= n[i];
    double *out = malloc((size_t)(left * (2 * l + 1) * right) * sizeof *out);
    for (int i = 0; i < left; i++)
        hf_solid_harmonics_apply(&harmonics, l, right, *block + i * n[k] * right,
                                 out + i * (2 * l + 1) * right);
    n[k] = 2 * l + 1;
    free(*block);
    *block = out;
}

/** The whole block [a][b][c][d] of a shell quartet. */
static double *plain_quartet(const struct hf_boys *boys, const struct hf_shell *const s[4])
{
    int n[4], size = 1;
    for (int k = 0; k < 4; k++) size *= n[k] = n_cartesian(s[k]->l);
    double *block = calloc((size_t)size, sizeof *block);
    for (int p0 = 0; p0 < s[0]->n_primitive; p0++)
        for (int p1 = 0; p1 < s[1]->n_primitive; p1++)
            for (int p2 = 0; p2 < s[2]->n_primitive; p2++)
                for (int p3 = 0; p3 < s[3]->n_primitive; p3++) {
                    struct primitive_quartet q;
                    set_up(boys, s, (const int[4]){p0, p1, p2, p3}, &q);
                    for (int i = 0; i < size; i++) {
                        int power[4][3], rest = i;
                        for (int k = 3; k >= 0; k--) {
                            powers(s[k]->l, rest % n[k], power[k]);
                            rest /= n[k];
                        }
                        block[i] += plain(&q, power, 0);
                    }
                }
    for (int k = 0; k < 4; k++)
        if (s[k]->spherical) index_to_spherical(n, k, s[k]->l, &block);
    return block;
}

/** Plain blocks of pairs of pairs, computed when first asked for. */
struct plain_blocks {
    const struct hf_shell_pairs *pairs;
    struct hf_boys *boys;
    double **block; /**< [n_pair][n_pair] */
};

static const double *plain_block(struct plain_blocks *all, const struct hf_shell_pair *row,
                                 const struct hf_shell_pair *column)
{
    const struct hf_shell_pair *list = all->pairs->pair;
    const struct hf_shell *shell = all->pairs->basis->shell;
    double **block = &all->block[(row - list) * all->pairs->n_pair + (column - list)];
    const struct hf_shell *const s[4] = {&shell[row->a], &shell[row->b], &shell[column->a],
                                         &shell[column->b]};
    if (*block == NULL) *block = plain_quartet(all->boys, s);
    return *block;
}

/** Largest error of one batch. */
static double batch_error(struct plain_blocks *all, struct hf_engine *engine,
                          const struct hf_shell_pair *fixed, int n,
                          const struct hf_shell_pair *const other[])
{
    const struct hf_integral_batch batch = hf_engine_two_electron(engine, fixed, n, other);
    double worst = 0.0;
    for (int k = 0; k < n; k++) {
        const double *value = batch.value + (size_t)k * batch.stride;
        const double *exact = batch.fixed_is_row ? plain_block(all, fixed, other[k])
                                                 : plain_block(all, other[k], fixed);
        for (size_t x = 0; x < batch.stride; x++) worst = fmax(worst, fabs(exact[x] - value[x]));
    }
    return worst;
}

/** Every pair with batches of `size` pairs of every class; a class that is too small for the batch
 * is repeated. The largest error. */
static double largest_error(struct plain_blocks *all, struct hf_engine *engine, int size)
{
    const int64_t n_pair = all->pairs->n_pair;
    const struct hf_shell_pair *list = all->pairs->pair, *other[HF_MAX_BATCH];
    double worst = 0.0;
    for (int64_t first = 0, last; first < n_pair; first = last) {
        for (last = first; last < n_pair && list[last].pair_class == list[first].pair_class;)
            last++;
        for (int n = 0; n < size; n++) other[n] = &list[first + n % (last - first)];
        for (int64_t i = 0; i < n_pair; i++)
            worst = fmax(worst, batch_error(all, engine, &list[i], size, other));
    }
    return worst;
}

/** The error of batches of 1 and of 11. */
static double compare(struct hf_context *context, const struct hf_basis *basis)
{
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine = NULL;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    assert_ok(hf_engine_create(pairs, &engine, &error));
    hf_engine_set_threshold(engine, 0.0);
    const size_t n_block = (size_t)(pairs->n_pair * pairs->n_pair);
    struct plain_blocks all = {.pairs = pairs,
                               .boys = hf_boys_create(HF_BOYS_MAX_ORDER),
                               .block = calloc(n_block, sizeof *all.block)};
    const double worst = fmax(largest_error(&all, engine, 1), largest_error(&all, engine, 11));
    for (size_t i = 0; i < n_block; i++) free(all.block[i]);
    free(all.block);
    hf_boys_destroy(&all.boys);
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    return worst;
}

static const double centre[3][3] = {{0.1, -0.2, 0.3}, {1.2, 0.7, -0.5}, {-0.4, 1.1, 0.9}};

TEST(all_classes_up_to_d_are_right)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_mixed_basis();
    assert_true(compare(context, basis) < 1e-13);
    test_basis_destroy(&basis);
}

/** The plain recursion is exponential in the sum of the angular momenta: the largest it is asked
 * for. */
enum { LARGEST_SUM = 6 };

TEST(high_angular_momenta_are_right)
{
    for (int l = 3; l <= HF_MAX_L; l++) {
        for (int spherical = 0; spherical < 2; spherical++) {
            const struct test_shell shells[] = {
                {0, l, 1, spherical == 1, {0.8}, {0.9}},
                {1, 0, 2, false, {0.9, 0.3}, {0.4, 0.5}},
            };
            TEST_CONTEXT(context);
            struct hf_basis *basis = test_basis(2, centre, 2, shells);
            struct hf_shell_pairs *pairs = NULL;
            struct hf_engine *engine = NULL;
            assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
            assert_ok(hf_engine_create(pairs, &engine, &error));
            struct plain_blocks all = {.pairs = pairs,
                                       .boys = hf_boys_create(HF_BOYS_MAX_ORDER),
                                       .block = calloc(9, sizeof *all.block)};
            for (int64_t i = 0; i < 9; i++) {
                const struct hf_shell_pair *fixed = &pairs->pair[i / 3],
                                           *other = &pairs->pair[i % 3];
                const int sum = basis->shell[fixed->a].l + basis->shell[fixed->b].l +
                                basis->shell[other->a].l + basis->shell[other->b].l;
                if (sum <= LARGEST_SUM)
                    assert_true(batch_error(&all, engine, fixed, 1, &other) < 1e-12);
            }
            for (int i = 0; i < 9; i++) free(all.block[i]);
            free(all.block);
            hf_boys_destroy(&all.boys);
            hf_engine_destroy(&engine);
            hf_shell_pairs_destroy(&pairs);
            test_basis_destroy(&basis);
        }
    }
}

TEST(an_angular_momentum_beyond_the_library_is_refused)
{
    const struct test_shell shells[] = {{0, HF_MAX_L + 1, 1, true, {0.8}, {0.9}}};
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(1, centre, 1, shells);
    struct hf_shell_pairs *pairs = NULL;
    assert_failure(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error), HF_NO_RESOURCE,
                   &error, "angular momentum 6");
    assert_null(pairs);
    test_basis_destroy(&basis);
}

/** Schwarz: no integral of a quartet exceeds the product of its pairs' bounds. */
TEST(bounds_hold)
{
    const struct test_shell shells[] = {
        {0, 0, 2, false, {3.0, 0.5}, {0.5, 0.5}},
        {1, 1, 1, false, {0.6}, {0.7}},
        {2, 2, 1, true, {0.7}, {0.9}},
    };
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, 3, shells);
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine = NULL;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    assert_ok(hf_engine_create(pairs, &engine, &error));
    assert_int_equal(pairs->n_pair, 6);
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        for (int64_t k = 0; k < pairs->n_pair; k++) {
            const struct hf_shell_pair *other = &pairs->pair[k];
            const struct hf_integral_batch batch =
                hf_engine_two_electron(engine, &pairs->pair[i], 1, &other);
            for (size_t x = 0; x < batch.stride; x++)
                assert_true(fabs(batch.value[x]) <=
                            pairs->pair[i].bound * other->bound * (1.0 + 1e-12));
        }
    }
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

/** Where the integral of functions i[0..3] stands in a tensor over all functions. */
static size_t tensor_index(int n, const int i[4])
{
    return ((size_t)(i[0] * n + i[1]) * (size_t)n + (size_t)i[2]) * (size_t)n + (size_t)i[3];
}

/** Largest difference of a batch from the tensor; with `fill` the tensor takes the batch instead.
 */
static double against_tensor(const struct hf_shell_pairs *pairs,
                             const struct hf_integral_batch *batch,
                             const struct hf_shell_pair *fixed, int n,
                             const struct hf_shell_pair *const other[], bool fill, double *tensor)
{
    const struct hf_shell *shell = pairs->basis->shell;
    double worst = 0.0;
    for (int k = 0; k < n; k++) {
        const struct hf_shell_pair *row = batch->fixed_is_row ? fixed : other[k];
        const struct hf_shell_pair *column = batch->fixed_is_row ? other[k] : fixed;
        const struct hf_shell *const s[4] = {&shell[row->a], &shell[row->b], &shell[column->a],
                                             &shell[column->b]};
        const double *value = batch->value + (size_t)k * batch->stride;
        for (size_t x = 0; x < batch->stride; x++) {
            int i[4], rest = (int)x;
            for (int m = 3; m >= 0; m--) {
                i[m] = s[m]->first_function + rest % s[m]->n_function;
                rest /= s[m]->n_function;
            }
            for (int side = 0; side < 8; side++) { /* all permutations that leave it what it is */
                int at[4] = {i[0], i[1], i[2], i[3]};
                if (side & 1) at[0] = i[1], at[1] = i[0];
                if (side & 2) at[2] = i[3], at[3] = i[2];
                const int bra[2] = {at[0], at[1]};
                if (side & 4) at[0] = at[2], at[1] = at[3], at[2] = bra[0], at[3] = bra[1];
                double *to = &tensor[tensor_index(pairs->basis->n_function, at)];
                if (fill) *to = value[x];
                worst = fmax(worst, fabs(*to - value[x]));
            }
        }
    }
    return worst;
}

/** Batches of `size` of all pairs of a basis against the tensor, or into it. */
static double all_against_tensor(struct hf_context *context, const struct hf_basis *basis, int size,
                                 bool fill, double *tensor)
{
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine = NULL;
    double worst = 0.0;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    assert_ok(hf_engine_create(pairs, &engine, &error));
    hf_engine_set_threshold(engine, 0.0);
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        for (int64_t k = 0; k < pairs->n_pair; k++) {
            const struct hf_shell_pair *other[HF_MAX_BATCH];
            for (int m = 0; m < size; m++) { /* the next pairs of the class, from its start again */
                int64_t next = k;
                for (int step = 0; step < m; step++) do
                        next = (next + 1) % pairs->n_pair;
                    while (pairs->pair[next].pair_class != pairs->pair[k].pair_class);
                other[m] = &pairs->pair[next];
            }
            const struct hf_integral_batch batch =
                hf_engine_two_electron(engine, &pairs->pair[i], size, other);
            worst = fmax(worst,
                         against_tensor(pairs, &batch, &pairs->pair[i], size, other, fill, tensor));
        }
    }
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    return worst;
}

/** Merged shells give the integrals of the shells they are made of. */
static void compare_merged(int n_shell, const struct test_shell shell[], int n_merged)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(3, centre, n_shell, shell), *merged = NULL;
    const size_t n = (size_t)basis->n_function;
    double *tensor = calloc(n * n * n * n, sizeof *tensor);
    assert_non_null(tensor);
    assert_ok(hf_basis_merge(basis, &merged, &error));
    assert_int_equal(merged->n_shell, n_merged);
    assert_int_equal(merged->n_function, basis->n_function);
    all_against_tensor(context, basis, 1, true, tensor);
    double largest = 1.0;
    for (size_t i = 0; i < n * n * n * n; i++) largest = fmax(largest, fabs(tensor[i]));
    assert_true(all_against_tensor(context, merged, 1, false, tensor) < 1e-14 * largest);
    assert_true(all_against_tensor(context, merged, 9, false, tensor) < 1e-14 * largest);
    free(tensor);
    hf_basis_destroy(&merged);
    test_basis_destroy(&basis);
}

TEST(merged_shells_are_right)
{
    const struct test_shell general[] = {
        {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
        {0, 0, 3, false, {30.0, 4.0, 0.7}, {-0.1, -0.2, 0.9}},
        {0, 0, 1, false, {0.3}, {0.5}},
        {1, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
        {1, 1, 2, false, {2.5, 0.6}, {0.8, -0.6}},
        {2, 2, 2, true, {1.1, 0.5}, {0.3, 0.6}},
        {2, 2, 2, true, {1.1, 0.5}, {0.6, -0.4}},
    };
    compare_merged(7, general, 4);
    const struct test_shell sp[] = {
        {0, 0, 2, false, {4.0, 0.7}, {0.4, 0.5}}, {0, 1, 2, false, {4.0, 0.7}, {0.6, 0.2}},
        {1, 0, 1, false, {0.3}, {0.5}},           {1, 1, 1, false, {0.3}, {0.7}},
        {1, 2, 1, false, {0.8}, {0.7}},           {2, 0, 2, false, {1.1, 0.5}, {0.3, 0.6}},
    };
    compare_merged(6, sp, 4);
}

/** s, p and shells so high that the recurrence does not reach them stay as they are; the high ones
 *  are merged all the same. */
TEST(merged_high_shells_are_right)
{
    for (int l = 3; l <= 4; l++) {
        const struct test_shell shells[] = {
            {0, 0, 1, false, {0.7}, {0.4}},
            {0, 1, 1, false, {0.7}, {0.6}},
            {1, l, 2, true, {0.9, 0.4}, {0.5, 0.3}},
            {1, l, 2, true, {0.9, 0.4}, {-0.2, 0.8}},
        };
        compare_merged(4, shells, l == 3 ? 2 : 3);
    }
}

MPI_TEST_MAIN
