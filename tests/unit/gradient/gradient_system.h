/* What the tests of the two-electron gradient share: four atoms, sets of shells on them, densities. */
#ifndef HF_GRADIENT_SYSTEM_H
#define HF_GRADIENT_SYSTEM_H

#include "../mpi_test.h"
#include "../shells.h"

#include "hf/linalg.h"
#include "pairs/shell_pairs.h"

#include <math.h>

enum { N_PLACE = 4 };

static const double places[N_PLACE][3] = {
    {0.0, 0.0, 0.1}, {1.4, 0.3, 0.0}, {-0.5, 1.5, 0.6}, {0.2, -0.9, 1.7}};

/** Shells of different atoms. */
static const struct test_shell test_low_shells[] = {
    {0, 0, 3, false, {6.0, 2.0, 0.7}, {0.3, 0.4, 0.5}},
    {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
    {1, 0, 1, false, {0.4}, {0.6}},
    {1, 1, 1, false, {0.9}, {0.8}},
    {2, 0, 2, false, {1.5, 0.3}, {0.4, 0.3}},
    {2, 2, 1, true, {0.6}, {0.7}},
    {3, 0, 1, false, {0.5}, {0.6}},
    {3, 2, 1, false, {0.8}, {0.7}},
};

/** Contractions of the same exponents, and s and p of the same, become one shell. */
static const struct test_shell test_merged_shells[] = {
    {0, 0, 4, false, {6.0, 3.0, 1.4, 0.5}, {0.3, 0.4, 0.5, 0.1}},
    {0, 0, 4, false, {6.0, 3.0, 1.4, 0.5}, {-0.1, -0.2, 0.3, 0.9}},
    {0, 0, 1, false, {0.5}, {1.0}},
    {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
    {0, 1, 2, false, {2.5, 0.6}, {-0.2, 0.8}},
    {1, 0, 2, false, {2.1, 0.4}, {0.6, 0.3}},
    {1, 1, 2, false, {2.1, 0.4}, {0.2, 0.8}},
    {2, 0, 2, false, {1.5, 0.3}, {0.4, 0.3}},
    {2, 1, 2, false, {1.5, 0.3}, {0.7, 0.3}},
    {3, 0, 3, false, {3.0, 1.1, 0.4}, {0.6, 0.3, 0.4}},
    {3, 0, 3, false, {3.0, 1.1, 0.4}, {0.1, 0.2, 0.9}},
    {3, 2, 1, true, {0.8}, {0.7}},
};

/** A basis, merged, with its pairs. */
struct test_pairs {
    struct hf_basis *basis, *merged;
    struct hf_shell_pairs *pairs;
};

static inline void test_pairs_create(struct hf_context *context, int n_atom,
                                     const double centre[][3], int n_shell,
                                     const struct test_shell shell[], struct test_pairs *made)
{
    made->basis = test_basis(n_atom, centre, n_shell, shell);
    assert_ok(hf_basis_merge(made->basis, &made->merged, &error));
    assert_ok(hf_shell_pairs_create(context, made->merged, 1e-18, &made->pairs, &error));
}

static inline void test_pairs_destroy(struct test_pairs *made)
{
    hf_shell_pairs_destroy(&made->pairs);
    hf_basis_destroy(&made->merged);
    test_basis_destroy(&made->basis);
}

/** A random density of n functions whose elements fall by exp(-decay) with the distance along them. */
static inline struct hf_matrix *test_density(struct hf_linalg *linalg, int n, double decay,
                                             uint32_t *seed)
{
    struct hf_matrix *density = NULL;
    double *full = malloc((size_t)(n * n) * sizeof *full);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            full[i * n + j] = full[j * n + i] = exp(-decay * (i - j)) * test_random(seed);
    assert_ok(hf_matrix_create(linalg, "D", n, n, &density, &error));
    hf_matrix_set_full(density, full);
    free(full);
    return density;
}

static inline double test_largest_difference(int n_atom, double x[][3], double y[][3])
{
    double worst = 0.0;
    for (int i = 0; i < n_atom; i++)
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(x[i][k] - y[i][k]));
    return worst;
}

#endif
