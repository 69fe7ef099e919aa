/* MP2 energies on any number of ranks: against plain sums over all integrals, and what must hold exactly. */
#include "mp2_system.h"

#include "localise/frozen_core.h"

/* ---- Plain sums ------------------------------------------------------------------------------ */

/** Sums over spin orbitals: of one spin (ia|jb) [(ia|jb) - (ib|ja)] / D, halved; of two without exchange. */
static double plain_energy(const struct test_solved *s, int spin, int other, bool exchange,
                           int n_frozen, int n_frozen_virtual)
{
    const struct hf_orbitals *one = &s->wave.spin[spin], *two = &s->wave.spin[other];
    const int n = s->basis->n_function, end = n - n_frozen_virtual;
    double *list = orbital_integrals(s, spin, other), sum = 0.0;
    assert_int_equal(one->n_orbital, n);
#define AT(p, q, r, t) list[(((size_t)(p)*n + (q)) * n + (r)) * n + (t)]
    for (int i = n_frozen; i < one->n_occupied; i++)
        for (int j = n_frozen; j < two->n_occupied; j++)
            for (int a = one->n_occupied; a < end; a++)
                for (int b = two->n_occupied; b < end; b++) {
                    const double direct = AT(i, a, j, b), d = one->energy[i] + two->energy[j] -
                                                              one->energy[a] - two->energy[b];
                    sum += direct * (exchange ? 0.5 * (direct - AT(i, b, j, a)) : direct) / d;
                }
#undef AT
    free(list);
    return sum;
}

/** Energies of an algorithm in one batch, two and as many as there are orbitals, on one and on three threads. */
static void check_algorithm(struct test_solved *s, struct hf_mp2_settings settings, double same,
                            double opposite)
{
    const int most = 2 * s->wave.spin[0].n_occupied;
    struct hf_mp2_result first = {0};
    for (int n_batch = 1; n_batch <= most; n_batch += n_batch < 3 ? 1 : most - 3) {
        settings.n_batch = n_batch;
        settings.n_thread = n_batch == 2 ? 3 : 1;
        settings.schedule.name = n_batch == 1 ? "static" : "steal";
        settings.onesided.transport = n_batch == 1 ? "thread" : "rma";
        const struct hf_mp2_result result = energies(s, &settings);
        assert_near(result.same_spin, same);
        assert_near(result.opposite_spin, opposite);
        if (n_batch == 1) first = result;
        if (hf_mp2_algorithm_reproducible(hf_mp2_algorithm_find(settings.algorithm)))
            assert_true(result.same_spin == first.same_spin &&
                        result.opposite_spin == first.opposite_spin);
        if (n_batch < 3) assert_int_equal(result.n_batch, n_batch);
        if (rank_count() == 1) assert_true(result.sent_bytes == 0.0);
    }
}

static void check_against_plain(struct test_solved *s, int n_frozen, int n_frozen_virtual)
{
    const int last = s->wave.n_spin - 1;
    struct hf_mp2_settings settings = usual();
    settings.n_frozen = n_frozen;
    settings.n_frozen_virtual = n_frozen_virtual;
    const double same = plain_energy(s, 0, 0, true, n_frozen, n_frozen_virtual) +
                        plain_energy(s, last, last, true, n_frozen, n_frozen_virtual);
    const double opposite = plain_energy(s, 0, last, false, n_frozen, n_frozen_virtual);
    for (int k = 0; hf_mp2_algorithm_list[k] != NULL; k++) {
        settings.algorithm = hf_mp2_algorithm_name(hf_mp2_algorithm_list[k]);
        check_algorithm(s, settings, same, opposite);
    }
}

TEST(closed_shells_are_the_plain_sums)
{
    struct test_solved s;
    water(&s, "rhf", "6-31G");
    find_integrals(&s);
    check_against_plain(&s, 0, 0);
    check_against_plain(&s, 1, 2);
    end(&s);
}

TEST(open_shells_are_the_plain_sums)
{
    struct test_solved s;
    amidogen(&s);
    find_integrals(&s);
    check_against_plain(&s, 0, 0);
    if (rank_count() <= 2) check_against_plain(&s, 1, 1); /* closed shells are frozen on more */
    end(&s);
}

/* ---- What must hold exactly ------------------------------------------------------------------ */

TEST(hydrogen_has_one_term)
{
    struct test_solved s;
    begin(&s, 1);
    test_solved_add(&s, 1, 0.0, 0.0, 0.0);
    test_solved_add(&s, 1, 0.0, 0.0, 1.4);
    test_solve_by(&s, "rhf", "STO-3G");
    find_integrals(&s);
    double *list = orbital_integrals(&s, 0, 0);
    const double *e = s.wave.spin[0].energy;
    const struct hf_mp2_settings settings = usual();
    const struct hf_mp2_result result = energies(&s, &settings);
    assert_near(result.correlation, list[5] * list[5] / (2.0 * (e[0] - e[1]))); /* (12|12) */
    assert_true(fabs(result.same_spin) < 1e-14);
    free(list);
    end(&s);
}

/** More functions than the columns of a block, so that some blocks have the rows of one molecule only. */
TEST(far_molecules_add_up)
{
    struct test_solved s;
    double sum = 0.0, n_flop[3];
    const struct hf_mp2_settings settings = usual();
    for (int k = 0; k < 3; k++) {
        begin(&s, 1);
        if (k != 1) test_solved_add(&s, 1, 0.0, 0.0, 0.0);
        if (k != 1) test_solved_add(&s, 9, 0.0, 0.0, 1.7);
        if (k != 0) test_solved_add(&s, 2, 1000.0, 0.0, 0.0);
        test_solve_by(&s, "rhf", "cc-pVTZ");
        const struct hf_mp2_result result = energies(&s, &settings);
        sum += k < 2 ? result.correlation : -result.correlation;
        n_flop[k] = result.n_flop[0] + result.n_flop[1];
        end(&s);
    }
    assert_near(sum, 0.0);
    /* 44 and 14 functions, 5 occupied orbitals and 1: all products would be more */
    const double half = 58.0 * 59.0 / 2.0 * 6.0 * 58.0 * (58.0 + 52.0);
    assert_true(n_flop[2] > n_flop[0] + n_flop[1] && n_flop[2] < 2.0 * half);
}

TEST(spins_are_equal)
{
    struct test_solved s;
    const struct hf_mp2_settings settings = usual();
    water(&s, "rhf", "6-31G");
    const struct hf_mp2_result closed = energies(&s, &settings);
    end(&s);
    water(&s, "uhf", "6-31G");
    const struct hf_mp2_result open = energies(&s, &settings);
    end(&s);
    assert_near(open.same_spin, closed.same_spin);
    assert_near(open.opposite_spin, closed.opposite_spin);
    amidogen(&s);
    const struct hf_mp2_result before = energies(&s, &settings);
    const struct hf_orbitals alpha = s.wave.spin[0];
    s.wave.spin[0] = s.wave.spin[1];
    s.wave.spin[1] = alpha;
    const struct hf_mp2_result exchanged = energies(&s, &settings);
    end(&s);
    assert_near(exchanged.same_spin, before.same_spin);
    assert_near(exchanged.opposite_spin, before.opposite_spin);
}

TEST(triplet_helium_has_one_spin)
{
    struct test_solved s;
    begin(&s, 3);
    test_solved_add(&s, 2, 0.0, 0.0, 0.0);
    test_solve_by(&s, "uhf", "aug-cc-pVDZ");
    const struct hf_mp2_settings settings = usual();
    const struct hf_mp2_result result = energies(&s, &settings);
    assert_true(result.opposite_spin == 0.0 && result.same_spin < -1e-5);
    end(&s);
}

TEST(nothing_to_correlate_is_zero)
{
    struct test_solved s;
    struct hf_mp2_settings settings = usual();
    begin(&s, 1);
    test_solved_add(&s, 2, 0.0, 0.0, 0.0);
    test_solve_by(&s, "rhf", "STO-3G"); /* no virtual orbital */
    assert_true(energies(&s, &settings).correlation == 0.0);
    end(&s);
    water(&s, "rhf", "STO-3G");
    settings.n_frozen = 5;
    assert_true(energies(&s, &settings).correlation == 0.0);
    end(&s);
}

TEST(a_model_chooses)
{
    /* uracil and C20H42 in cc-pVDZ, all electrons */
    struct hf_mp2_size small = {.n_function = 132,
                                .n_rank = 1,
                                .n_thread = 1,
                                .most_functions = 36,
                                .most_shell = 6,
                                .n_row = 8778,
                                .n_spin = 1,
                                .n_correlated = {29},
                                .n_virtual = {103}};
    struct hf_mp2_size large = small;
    large.n_function = 490;
    large.n_row = 60000;
    large.n_correlated[0] = 81;
    large.n_virtual[0] = 409;
    large.n_rank = 1000;
    const struct hf_mp2_need kets = hf_mp2_plan("kets", &small, INFINITY);
    assert_true(hf_mp2_plan("auto", &small, INFINITY).rank == kets.rank);
    assert_true(hf_mp2_plan("auto", &large, INFINITY).rank ==
                hf_mp2_plan("pairs", &large, INFINITY).rank);
    /* less memory than kets needs for one batch: several of them, or the other one */
    const struct hf_mp2_need less = hf_mp2_plan("auto", &small, 0.5 * kets.rank);
    assert_true(less.n_batch > 0 && less.rank <= 0.5 * kets.rank);
    assert_int_equal(hf_mp2_plan("auto", &small, 1000.0).n_batch, 0);
}

/* ---- What is sent ---------------------------------------------------------------------------- */

/** Words of the book: P1 sums n_i n n_R n_S numbers of each bra RS over all ranks; P2 sends n_i o n (n_R + n_S), n_i o n
 *  n_R if R is S, but for the pairs that its rank owns. */
TEST(the_book_counts_words)
{
    struct test_solved s;
    struct hf_shell_pairs *pairs = NULL;
    struct hf_basis *merged = NULL;
    struct hf_mp2_settings settings = usual();
    double p1 = 0.0, p2 = 0.0;
    water(&s, "rhf", "6-31G");
    assert_ok(hf_basis_merge(s.basis, &merged, NULL));
    assert_ok(hf_shell_pairs_create(s.context, merged, 1e-17, &pairs, NULL));
    settings.threshold = 1e-16;
    const double o = s.wave.spin[0].n_occupied, n = merged->n_function, n_rank = rank_count();
    for (int64_t k = 0; k < pairs->n_pair; k++) {
        const int n_r = merged->shell[pairs->pair[k].a].n_function;
        const int n_s = merged->shell[pairs->pair[k].b].n_function;
        p1 += 8.0 * o * n * n_r * n_s;
        p2 += 8.0 * o * o * n * (pairs->pair[k].a == pairs->pair[k].b ? n_r : n_r + n_s);
    }
    settings.algorithm = "p1";
    assert_true(energies(&s, &settings).sent_bytes == (n_rank > 1.0 ? n_rank * p1 : 0.0));
    settings.algorithm = "p2";
    const double sent = energies(&s, &settings).sent_bytes;
    assert_true(fabs(sent - p2 * (n_rank - 1.0) / n_rank) <= p2 / (o * o));
    hf_shell_pairs_destroy(&pairs);
    hf_basis_destroy(&merged);
    end(&s);
}

/* ---- Memory and cores ------------------------------------------------------------------------ */

TEST(memory_decides_the_batches)
{
    struct hf_mp2_size size = {.n_function = 100,
                               .most_shell = 3,
                               .n_rank = 1,
                               .n_thread = 1,
                               .most_functions = 9,
                               .n_row = 5050,
                               .n_spin = 1,
                               .n_correlated = {20},
                               .n_virtual = {80}};
    const struct hf_mp2_need all = hf_mp2_plan("kets", &size, INFINITY);
    assert_int_equal(all.n_batch, 1);
    assert_true(all.rank > 8.0 * 5050 * 20 * 80);
    const struct hf_mp2_need half = hf_mp2_plan("kets", &size, all.rank - 1.0);
    assert_int_equal(half.n_batch, 2);
    assert_true(half.rank < all.rank);
    const struct hf_mp2_need least = hf_mp2_plan("kets", &size, all.least);
    assert_int_equal(least.n_batch, 20);
    assert_int_equal(hf_mp2_plan("kets", &size, all.least - 1.0).n_batch, 0);
    struct test_solved s;
    struct hf_mp2_result result;
    struct hf_mp2_settings settings = usual();
    settings.memory_bytes = 1000.0;
    water(&s, "rhf", "STO-3G");
    assert_failure(hf_mp2_compute(s.context, &s.wave, &settings, &result, &error), HF_NO_RESOURCE,
                   &error, "expected --memory");
    end(&s);
}

static int core_of(int atomic_number, int n_core, bool ghost)
{
    struct hf_atom atom = {.atomic_number = atomic_number, .n_core = n_core, .ghost = ghost};
    return hf_default_core(&(struct hf_molecule){.n_atom = 1, .atom = &atom});
}

TEST(cores_are_those_of_noble_gases)
{
    static const int expected[][2] = {{1, 0},   {2, 0},   {3, 1},   {10, 1},  {11, 1},  {12, 1},
                                      {13, 5},  {18, 5},  {19, 5},  {20, 5},  {21, 9},  {33, 9},
                                      {38, 14}, {39, 18}, {53, 18}, {56, 23}, {79, 27}, {86, 27}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(core_of(expected[i][0], 0, false), expected[i][1]);
    assert_int_equal(core_of(53, 28, false), 4); /* 4s and 4p beside the core potential */
    assert_int_equal(core_of(79, 60, false), 0);
    assert_int_equal(core_of(18, 0, true), 0);
}

MPI_TEST_MAIN
