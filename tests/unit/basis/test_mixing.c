/* Merged bases: blocks of two atoms are mixed as the whole matrix is; small atoms become sites. */

#include "../shells.h"
#include "../test.h"

#include "hf/basis.h"

#include <math.h>

enum { N_ATOM = 4, N_SHELL = 9 };

/** Contractions that lose a primitive on the atoms 0 and 2, none on 1 and 3. */
static const struct test_shell shells[N_SHELL] = {
    {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
    {0, 0, 1, false, {0.7}, {0.6}},
    {0, 2, 2, true, {1.9, 0.5}, {0.8, 0.3}},
    {0, 2, 1, true, {0.5}, {0.4}},
    {1, 0, 2, false, {2.4, 0.5}, {0.6, 0.2}},
    {1, 1, 2, false, {2.4, 0.5}, {0.3, 0.7}},
    {2, 1, 2, false, {3.1, 0.8}, {0.5, 0.7}},
    {2, 1, 1, false, {0.8}, {0.7}},
    {3, 0, 1, false, {0.5}, {0.6}},
};

static int set_up(void **state)
{
    static const double centre[N_ATOM][3] = {{0}, {0, 0, 2}, {0, 2, 0}, {2, 0, 0}};
    struct hf_basis *basis = test_basis(N_ATOM, centre, N_SHELL, shells), *merged = NULL;
    assert_ok(hf_basis_merge(basis, &merged, NULL));
    test_basis_destroy(&basis);
    *state = merged;
    return 0;
}

static int tear_down(void **state)
{
    struct hf_basis *merged = *state;
    hf_basis_destroy(&merged);
    return 0;
}

TEST_IN(mixings_are_listed_by_atom, set_up, tear_down)
{
    const struct hf_basis *merged = *state;
    assert_int_equal(merged->n_mixing, 1 + 5 + 3);
    for (int a = 0; a < N_ATOM; a++)
        for (int k = merged->first_mixing_of_atom[a]; k < merged->first_mixing_of_atom[a + 1]; k++)
            assert_int_equal(merged->mixing[k].atom, a);
    assert_int_equal(merged->first_mixing_of_atom[0], 0);
    assert_int_equal(merged->first_mixing_of_atom[N_ATOM], merged->n_mixing);
}

/** U^T D U, or with `sums` U J U^T, by the definition of the mixings. */
static void mix_matrix(const struct hf_basis *merged, bool sums, double *matrix)
{
    const int n = merged->n_function;
    for (int k = 0; k < merged->n_mixing; k++) {
        const struct hf_mixing *mixing = &merged->mixing[k];
        const int from = sums ? mixing->other : mixing->function;
        const int to = sums ? mixing->function : mixing->other;
        for (int i = 0; i < n; i++) matrix[to * n + i] += mixing->factor * matrix[from * n + i];
        for (int i = 0; i < n; i++) matrix[i * n + to] += mixing->factor * matrix[i * n + from];
    }
}

TEST_IN(blocks_of_atoms_are_mixed_as_the_matrix_is, set_up, tear_down)
{
    const struct hf_basis *merged = *state;
    const int n = merged->n_function;
    double *matrix = calloc((size_t)(n * n), sizeof *matrix);
    double *block = calloc((size_t)(n * n), sizeof *block);
    for (int sums = 0; sums <= 1; sums++) {
        for (int a = 0; a < N_ATOM; a++) {
            for (int b = 0; b < N_ATOM; b++) {
                const int row = hf_atom_first_function(merged, a);
                const int column = hf_atom_first_function(merged, b);
                const int n_row = hf_atom_n_function(merged, a);
                const int n_column = hf_atom_n_function(merged, b);
                for (int k = 0; k < n * n; k++) matrix[k] = sin(1.0 + k);
                for (int i = 0; i < n_row; i++)
                    for (int j = 0; j < n_column; j++)
                        block[i * n_column + j] = matrix[(row + i) * n + column + j];
                mix_matrix(merged, sums, matrix);
                hf_mix_block(merged, sums, a, b, block);
                for (int i = 0; i < n_row; i++)
                    for (int j = 0; j < n_column; j++)
                        assert_true(fabs(block[i * n_column + j] -
                                         matrix[(row + i) * n + column + j]) < 1e-13);
            }
        }
    }
    free(block);
    free(matrix);
}

/** Atoms of one s function each, the last one far from all others: of 13 functions two are a site. */
TEST(near_atoms_become_sites)
{
    enum { N = 13, N_SITE = 8 };
    struct test_shell shell[N];
    double centre[N][3] = {{0}};
    struct hf_basis *merged = NULL;
    for (int i = 0; i < N; i++) {
        shell[i] = (struct test_shell){i, 0, 1, false, {1.0}, {1.0}};
        centre[i][2] = i < N - 2 ? 2.0 * i : 100.0 * i;
    }
    struct hf_basis *basis = test_basis(N, (const double(*)[3])centre, N, shell);
    static const int first[N_SITE] = {0, 2, 4, 6, 8, 10, 11, 12};
    assert_ok(hf_basis_merge(basis, &merged, NULL));
    assert_int_equal(merged->n_atom, N_SITE);
    struct hf_shell_place *place = hf_shell_places(merged);
    assert_non_null(place);
    for (int a = 0; a < N_SITE; a++) {
        assert_int_equal(merged->first_shell_of_atom[a], first[a]);
        assert_int_equal(place[first[a]].atom, a);
        assert_int_equal(place[first[a]].first, 0);
        assert_int_equal(merged->shell[first[a]].atom, first[a]);
    }
    assert_int_equal(place[1].atom, 0);
    assert_int_equal(place[1].index, 1);
    assert_int_equal(place[1].first, 1);
    free(place);
    hf_basis_destroy(&merged);
    test_basis_destroy(&basis);
}

TEST_MAIN
