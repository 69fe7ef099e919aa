/* Far charges by expansions against the sum of all. */
#include "../shells.h"
#include "../test.h"

#include "far_charges.h"

#include <math.h>

enum { N_ATOM = 6, N_CHARGE = 1500, SHELLS = 4 };

/** Numbers between -1 and 1. */
static double next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)*state / 2147483648.0 - 1.0;
}

static struct hf_basis *chain(void)
{
    static const struct test_shell of_atom[SHELLS] = {
        {0, 0, 3, false, {70.0, 4.0, 0.3}, {0.3, 0.5, 0.4}},
        {0, 1, 2, false, {3.0, 0.5}, {0.4, 0.7}},
        {0, 2, 1, true, {0.8}, {1.1}},
        {0, 3, 1, false, {1.2}, {0.6}},
    };
    static double centre[N_ATOM][3];
    static struct test_shell shell[N_ATOM * SHELLS]; /* the basis refers to it */
    for (int i = 0; i < N_ATOM; i++) {
        centre[i][0] = 1.9 * i - 4.0;
        centre[i][1] = 0.8 * (i % 2);
        centre[i][2] = 0.3 * i;
        for (int k = 0; k < SHELLS; k++) {
            shell[i * SHELLS + k] = of_atom[k];
            shell[i * SHELLS + k].atom = i;
        }
    }
    return test_basis(N_ATOM, (const double(*)[3])centre, N_ATOM * SHELLS, shell);
}

/** About the molecule, with `spread` many of them Gaussians, and two lists at one place. */
static void scatter(bool spread, struct hf_spread_charge charge[N_CHARGE])
{
    unsigned state = 17;
    for (int c = 0; c < N_CHARGE; c++) {
        const double reach = c % 3 == 0 ? 15.0 : 120.0;
        charge[c] = (struct hf_spread_charge){.charge = c % 50 == 7 ? 0.0 : 2.0 * next(&state),
                                              .exponent = spread ? 0.2 + 0.1 * (c % 5) : INFINITY};
        for (int d = 0; d < 3; d++) charge[c].position_bohr[d] = reach * next(&state);
        if (c % 10 == 1)
            for (int d = 0; d < 3; d++) charge[c].position_bohr[d] = charge[c - 1].position_bohr[d];
    }
}

/** Largest change of an integral of two atoms; `largest` is that of an integral. */
static double change(const struct hf_basis *basis, struct hf_one_electron *one_electron,
                     const struct hf_charge_field *field, int i, int j, double *largest)
{
    const int *first = basis->first_shell_of_atom;
    double most = 0.0, plain[HF_MAX_CARTESIAN * HF_MAX_CARTESIAN];
    for (int m = first[i]; m < first[i + 1]; m++) {
        for (int l = first[j]; l < first[j + 1]; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const int n = a->n_function * b->n_function;
            hf_one_electron_set_field(one_electron, NULL);
            const double *integral = hf_one_electron_block(one_electron, HF_CHARGES, a, b);
            for (int k = 0; k < n; k++) plain[k] = integral[k];
            hf_one_electron_set_field(one_electron, field);
            integral = hf_one_electron_block(one_electron, HF_CHARGES, a, b);
            for (int k = 0; k < n; k++) {
                *largest = fmax(*largest, fabs(plain[k]));
                most = fmax(most, fabs(integral[k] - plain[k]));
            }
        }
    }
    return most;
}

/** Of all pairs of atoms for one tolerance; how many rows are near on average. */
static double near_rows(const struct hf_basis *basis, const struct hf_charge_tree *tree,
                        struct hf_one_electron *one_electron, double tolerance)
{
    struct hf_far_charges *far = NULL;
    double largest = 0.0, most = 0.0, n_near = 0.0;
    assert_ok(hf_far_charges_create(basis, tree, tolerance, 0.0, &far, NULL));
    for (int i = 0; i < N_ATOM; i++) {
        for (int j = 0; j <= i; j++) {
            const struct hf_charge_field *field = hf_far_charges_look(far, i, j);
            assert_non_null(field);
            n_near += field->n_near;
            most = fmax(most, change(basis, one_electron, field, i, j, &largest));
        }
    }
    hf_far_charges_destroy(&far);
    print_message("tolerance %.0e: largest error %.1e of %.0f hartree, %.0f near rows of %d\n",
                  tolerance, most, largest, 2.0 * n_near / (N_ATOM * (N_ATOM + 1)),
                  tree->cells.n_leaf);
    assert_true(most <= tolerance + 1e-14 * largest);
    return n_near;
}

TEST(errors_are_below_the_tolerance)
{
    static struct hf_spread_charge charge[N_CHARGE];
    struct hf_basis *basis = chain();
    for (int spread = 0; spread <= 1; spread++) {
        struct hf_one_electron *one_electron = NULL;
        struct hf_charge_tree tree;
        double before = 0.0;
        scatter(spread != 0, charge);
        assert_ok(hf_charge_tree_init(&tree, N_CHARGE, charge, NULL));
        assert_ok(hf_one_electron_create(basis->max_l, N_CHARGE, charge, &one_electron, NULL));
        assert_ok(hf_charge_tree_expand(&tree, hf_one_electron_places(one_electron), NULL));
        for (double tolerance = 1e-2; tolerance > 1e-15; tolerance *= 1e-3) {
            const double near = near_rows(basis, &tree, one_electron, tolerance);
            assert_true(near >= before);
            before = near;
        }
        assert_true(before < 0.5 * N_ATOM * (N_ATOM + 1) / 2 * tree.cells.n_leaf);
        hf_arena_done(&tree.arena);
        hf_one_electron_destroy(&one_electron);
    }
    test_basis_destroy(&basis);
}

/** Every charge is there once, those at one place follow each other, and leaves are rows. */
TEST(sorting_keeps_all_charges)
{
    static struct hf_spread_charge charge[N_CHARGE];
    double before[4] = {0.0}, after[4] = {0.0};
    struct hf_charge_tree tree;
    scatter(true, charge);
    for (int d = 0; d < 3; d++) charge[1000].position_bohr[d] = charge[1].position_bohr[d];
    for (int round = 0; round <= 1; round++) {
        double *sum = round == 0 ? before : after;
        for (int c = 0; c < N_CHARGE; c++) {
            if (charge[c].charge == 0.0) continue;
            sum[3] += charge[c].charge * charge[c].exponent;
            for (int d = 0; d < 3; d++) sum[d] += charge[c].charge * charge[c].position_bohr[d];
        }
        if (round == 0) assert_ok(hf_charge_tree_init(&tree, N_CHARGE, charge, NULL));
    }
    for (int i = 0; i < tree.cells.n_cell; i++) {
        const struct hf_cell *cell = &tree.cells.cell[i];
        if (cell->leaf >= 0) assert_int_equal(cell->begin, cell->leaf * HF_CHARGE_LANES);
    }
    struct hf_one_electron *one_electron = NULL;
    assert_ok(hf_one_electron_create(0, N_CHARGE, charge, &one_electron, NULL));
    assert_int_equal(hf_one_electron_places(one_electron).n_place, tree.cells.cell[0].end);
    hf_one_electron_destroy(&one_electron);
    hf_arena_done(&tree.arena);
    for (int d = 0; d < 4; d++) assert_true(fabs(before[d] - after[d]) < 1e-9);
    assert_ok(hf_charge_tree_init(&tree, 0, charge, NULL));
    hf_arena_done(&tree.arena);
}

/** Charges that the atoms touch, and a single one far away. */
TEST(near_charges_stay_as_they_are)
{
    struct hf_basis *basis = chain();
    struct hf_spread_charge charge = {1.0, INFINITY, {0.5, 0.4, 0.2}};
    for (int round = 0; round <= 1; round++) {
        struct hf_one_electron *one_electron = NULL;
        struct hf_far_charges *far = NULL;
        struct hf_charge_tree tree;
        double largest = 0.0;
        if (round == 1) charge.position_bohr[0] = 1e4;
        assert_ok(hf_charge_tree_init(&tree, 1, &charge, NULL));
        assert_ok(hf_one_electron_create(basis->max_l, 1, &charge, &one_electron, NULL));
        assert_ok(hf_charge_tree_expand(&tree, hf_one_electron_places(one_electron), NULL));
        assert_ok(hf_far_charges_create(basis, &tree, 1e-14, 0.0, &far, NULL));
        const struct hf_charge_field *field = hf_far_charges_look(far, 1, 2);
        if (round == 0) assert_null(field);
        if (round == 1) assert_int_equal(field->n_near, 0);
        assert_true(change(basis, one_electron, field, 1, 2, &largest) < 1e-14 * (1.0 + largest));
        hf_far_charges_destroy(&far);
        hf_arena_done(&tree.arena);
        hf_one_electron_destroy(&one_electron);
    }
    test_basis_destroy(&basis);
}

TEST_MAIN
