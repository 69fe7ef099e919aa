/* What must hold exactly for MP2 energies of every algorithm: turned and permuted molecules, pairs of the core, few pairs. */
#include "mp2_system.h"

/** Calls `check` for every algorithm. */
static void for_every_algorithm(struct test_solved *s,
                                void (*check)(struct test_solved *s,
                                              const struct hf_mp2_settings *settings, double given),
                                double given)
{
    struct hf_mp2_settings settings = usual();
    for (int k = 0; hf_mp2_algorithm_list[k] != NULL; k++) {
        settings.algorithm = hf_mp2_algorithm_name(hf_mp2_algorithm_list[k]);
        check(s, &settings, given);
    }
}

/* ---- Where the molecule stands --------------------------------------------------------------- */

static const struct hf_atom formaldehyde[] = {
    {.atomic_number = 6, .position_bohr = {0.0, 0.1, -1.0}},
    {.atomic_number = 8, .position_bohr = {0.0, 0.0, 1.3}},
    {.atomic_number = 1, .position_bohr = {0.2, 1.75, -2.1}},
    {.atomic_number = 1, .position_bohr = {0.0, -1.75, -2.15}},
};
enum { N_ATOM = sizeof formaldehyde / sizeof *formaldehyde };

/** About an axis that is no axis of coordinates (Rodrigues), then shifted. */
static void move(const double from[3], double to[3])
{
    const double axis[3] = {1.0 / sqrt(14.0), -2.0 / sqrt(14.0), 3.0 / sqrt(14.0)};
    const double angle = 1.1, along = axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2];
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        const double cross = axis[k1] * from[k2] - axis[k2] * from[k1];
        to[k] = cos(angle) * from[k] + sin(angle) * cross + (1.0 - cos(angle)) * along * axis[k] +
                3.0 * k - 2.0;
    }
}

/** As it is, turned, with its atoms in another order, or both. */
static void begin_moved(struct test_solved *s, bool turned, bool permuted)
{
    static const int order[N_ATOM] = {2, 1, 3, 0};
    begin(s, 1);
    for (int i = 0; i < N_ATOM; i++) {
        struct hf_atom atom = formaldehyde[permuted ? order[i] : i];
        double at[3] = {atom.position_bohr[0], atom.position_bohr[1], atom.position_bohr[2]};
        if (turned) move(atom.position_bohr, at);
        test_solved_add(s, atom.atomic_number, at[0], at[1], at[2]);
    }
    test_solve_by(s, "rhf", "6-31G*");
}

static void is_that_energy(struct test_solved *s, const struct hf_mp2_settings *settings,
                           double given)
{
    assert_near(energies(s, settings).correlation, given);
}

TEST(turned_and_permuted_molecules_have_the_same_energy)
{
    const struct hf_mp2_settings settings = usual();
    double energy = 0.0;
    for (int way = 0; way < 4; way++) {
        struct test_solved s;
        begin_moved(&s, way & 1, way & 2);
        if (way == 0) energy = energies(&s, &settings).correlation;
        for_every_algorithm(&s, is_that_energy, energy);
        end(&s);
    }
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/** The pairs of closed shells with an orbital below `n_core`: (ia|jb) [2 (ia|jb) - (ib|ja)] / D. */
static double energy_of_core(const struct test_solved *s, int n_core)
{
    const struct hf_orbitals *orbitals = &s->wave.spin[0];
    const double *e = orbitals->energy;
    const int n = s->basis->n_function, o = orbitals->n_occupied;
    double *list = orbital_integrals(s, 0, 0), sum = 0.0;
    for (int i = 0; i < o; i++)
        for (int j = 0; j <= i; j++)
            for (int a = o; a < n && j < n_core; a++)
                for (int b = o; b < n; b++) {
                    const double direct = list[((i * n + a) * n + j) * n + b];
                    const double turned = list[((i * n + b) * n + j) * n + a];
                    sum += (i == j ? 1.0 : 2.0) * direct * (2.0 * direct - turned) /
                           (e[i] + e[j] - e[a] - e[b]);
                }
    free(list);
    return sum;
}

static void loses_that_energy(struct test_solved *s, const struct hf_mp2_settings *settings,
                              double given)
{
    struct hf_mp2_settings frozen = *settings;
    frozen.n_frozen = 2;
    assert_near(energies(s, settings).correlation - energies(s, &frozen).correlation, given);
}

TEST(a_frozen_core_lacks_the_pairs_of_its_orbitals)
{
    struct test_solved s;
    water(&s, "rhf", "6-31G");
    find_integrals(&s);
    const double lost = energy_of_core(&s, 2);
    assert_true(lost < -1e-3);
    for_every_algorithm(&s, loses_that_energy, lost);
    end(&s);
}

/* ---- Ranks without work ---------------------------------------------------------------------- */

/** One pair, of opposite spins. */
TEST(one_pair_on_many_ranks)
{
    struct test_solved s;
    begin(&s, 1);
    test_solved_add(&s, 2, 0.0, 0.0, 0.0);
    test_solve_by(&s, "rhf", "cc-pVDZ");
    find_integrals(&s);
    for_every_algorithm(&s, is_that_energy, energy_of_core(&s, 1));
    end(&s);
}

/** One pair of equal spins; no electron of the other one. */
TEST(one_spin_on_many_ranks)
{
    struct test_solved s;
    const struct hf_mp2_settings settings = usual();
    begin(&s, 3);
    test_solved_add(&s, 2, 0.0, 0.0, 0.0);
    test_solve_by(&s, "uhf", "aug-cc-pVDZ");
    const double energy = energies(&s, &settings).correlation;
    assert_true(energy < -1e-5);
    for_every_algorithm(&s, is_that_energy, energy);
    end(&s);
}

TEST(one_electron_has_no_pair)
{
    struct test_solved s;
    begin(&s, 2);
    test_solved_add(&s, 1, 0.0, 0.0, 0.0);
    test_solve_by(&s, "uhf", "aug-cc-pVDZ");
    for_every_algorithm(&s, is_that_energy, 0.0);
    end(&s);
}

MPI_TEST_MAIN
