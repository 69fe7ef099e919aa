/* Who is near whom: the same pairs as by looking at all of them, with work that does not grow with
 * the square of the number of atoms. */
#include "../../../src/molecule/elements.h"
#include "../../../src/molecule/neighbours.h"
#include "../test.h"

#include "hf/units.h"

#include <math.h>

static const double loose_ratio = 0.66;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/** `n` atoms in a cube of edge `edge_bohr`; elements out of `element` [4]. */
static struct hf_molecule scatter(int n, double edge_bohr, const int element[4], uint32_t seed)
{
    struct hf_molecule molecule = {.n_atom = n};
    molecule.atom = calloc((size_t)n, sizeof *molecule.atom);
    assert_non_null(molecule.atom);
    for (int i = 0; i < n; i++) {
        struct hf_atom *atom = &molecule.atom[i];
        atom->atomic_number = element[next_random(&seed) % 4];
        atom->ghost = next_random(&seed) % 10 == 0;
        for (int k = 0; k < 3; k++)
            atom->position_bohr[k] = edge_bohr * ((double)next_random(&seed) / (1 << 24) - 0.5);
    }
    return molecule;
}

/** A lattice with `spacing_bohr` between neighbours. */
static struct hf_molecule lattice(int n, double spacing_bohr, int atomic_number)
{
    struct hf_molecule molecule = {.n_atom = n};
    const int side = (int)ceil(cbrt(n));
    molecule.atom = calloc((size_t)n, sizeof *molecule.atom);
    assert_non_null(molecule.atom);
    for (int i = 0; i < n; i++) {
        struct hf_atom *atom = &molecule.atom[i];
        atom->atomic_number = atomic_number;
        atom->position_bohr[0] = spacing_bohr * (i / (side * side));
        atom->position_bohr[1] = spacing_bohr * (i / side % side);
        atom->position_bohr[2] = spacing_bohr * (i % side);
    }
    return molecule;
}

static bool is_noble_gas(const struct hf_atom *atom)
{
    return atom->atomic_number == 2 || atom->atomic_number == 18;
}

/** The nearest pair by looking at all. */
static struct hf_nearest nearest_of_all(const struct hf_molecule *molecule)
{
    struct hf_nearest nearest = {-1, -1, HUGE_VAL, 0};
    for (int i = 1; i < molecule->n_atom; i++) {
        const struct hf_atom *a = &molecule->atom[i];
        for (int j = 0; j < i; j++) {
            const struct hf_atom *b = &molecule->atom[j];
            const double ratio = hf_atom_distance_bohr(molecule, i, j) * HF_BOHR_IN_ANGSTROM /
                                 (hf_covalent_radius_angstrom(a->atomic_number) +
                                  hf_covalent_radius_angstrom(b->atomic_number));
            const bool loose = is_noble_gas(a) || is_noble_gas(b);
            if (a->ghost || b->ghost || ratio >= nearest.ratio) continue;
            if (!loose || ratio <= loose_ratio) nearest = (struct hf_nearest){j, i, ratio, 0};
        }
    }
    return nearest;
}

static void expect_pairs_of_all(const struct hf_molecule *molecule, double coincidence_bohr)
{
    const struct hf_nearest expected = nearest_of_all(molecule);
    struct hf_nearest found;
    int earlier, later, expected_earlier = -1, expected_later = -1;
    assert_ok(hf_find_nearest(molecule, loose_ratio, &found, &error));
    assert_int_equal(found.earlier, expected.earlier);
    assert_int_equal(found.later, expected.later);
    assert_true(found.later < 0 || found.ratio == expected.ratio);
    for (int i = 1; i < molecule->n_atom && expected_later < 0; i++)
        for (int j = 0; j < i && expected_later < 0; j++)
            if (hf_atom_distance_bohr(molecule, i, j) < coincidence_bohr) {
                expected_earlier = j;
                expected_later = i;
            }
    assert_ok(hf_find_coincidence(molecule, coincidence_bohr, &earlier, &later, &error));
    assert_int_equal(earlier, expected_earlier);
    assert_int_equal(later, expected_later);
}

TEST(the_same_pairs_are_found_as_by_looking_at_all)
{
    static const int element[][4] = {{6, 1, 8, 55}, {1, 1, 1, 1}, {2, 2, 18, 2}, {2, 2, 2, 6}};
    for (uint32_t seed = 1; seed <= 200; seed++) {
        const double edge_bohr = pow(10.0, seed % 5 - 1.0); /* 0.1 to 1000 */
        const int n = 1 + (int)(seed * 37 % 120);
        struct hf_molecule molecule = scatter(n, edge_bohr, element[seed % 4], seed);
        expect_pairs_of_all(&molecule, 0.05 * edge_bohr);
        hf_molecule_done(&molecule);
    }
    struct hf_molecule equals = lattice(100, 3.0, 6); /* many pairs are the nearest */
    expect_pairs_of_all(&equals, 3.5);
    hf_molecule_done(&equals);
}

/** Atoms looked at, for the nearest pair. */
static int64_t count_visits(const struct hf_molecule *molecule)
{
    struct hf_nearest nearest;
    assert_ok(hf_find_nearest(molecule, loose_ratio, &nearest, &error));
    return nearest.n_visit;
}

TEST(twice_the_atoms_are_about_twice_the_work)
{
    static const double spacing_bohr[] = {0.15, 2.9, 400.0};
    static const int element[] = {6, 2};
    enum { N = 8000 };
    for (int s = 0; s < 3; s++) {
        for (int e = 0; e < 2; e++) {
            struct hf_molecule one = lattice(N, spacing_bohr[s], element[e]);
            struct hf_molecule two = lattice(2 * N, spacing_bohr[s], element[e]);
            const int64_t n_one = count_visits(&one), n_two = count_visits(&two);
            assert_true(n_one >= N && n_one < 300 * N);
            assert_true(n_two < 3 * n_one);
            hf_molecule_done(&one);
            hf_molecule_done(&two);
        }
    }
}

/** Each pair nearer than all before it: the cells are made anew only now and then. */
TEST(pairs_ever_nearer_are_no_more_work)
{
    enum { N = 20000 };
    struct hf_molecule molecule = lattice(N, 0.0, 6);
    double x = 0.0;
    for (int i = 0; i < N; i++) {
        molecule.atom[i].position_bohr[0] = x - 5000.0;
        x += 0.2 + 0.3 * (N - i) / N;
    }
    assert_true(count_visits(&molecule) < (int64_t)300 * N);
    hf_molecule_done(&molecule);
}

TEST_MAIN
