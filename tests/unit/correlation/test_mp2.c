/* MP2 energies on any number of ranks: against plain sums over all integrals, and what must hold exactly. */
#include "../all_integrals.h"
#include "../mpi_test.h"

#include "hf/frozen_core.h"
#include "hf/mp2.h"
#include "hf/scf.h"

#include <math.h>
#include <string.h>

enum { MOST_ATOM = 6 };

/** A calculation that has ended, with all integrals of its functions. */
struct system {
    struct hf_context *context;
    struct hf_atom atom[MOST_ATOM];
    struct hf_molecule molecule;
    struct hf_basis *basis;
    struct hf_scf_result scf;
    struct hf_wavefunction wave;
    double *integral; /**< [n][n][n][n], NULL until asked for */
};

static void add_atom(struct system *s, int number, double x, double y, double z)
{
    s->atom[s->molecule.n_atom++] =
        (struct hf_atom){.atomic_number = number, .position_bohr = {x, y, z}};
}

static void begin(struct system *s, int multiplicity)
{
    *s = (struct system){.context = test_context()};
    s->molecule.atom = s->atom;
    s->molecule.multiplicity = multiplicity;
}

static void solve(struct system *s, const char *method, const char *set)
{
    struct hf_error error = {0};
    const struct hf_basis_choice choice = {.atom = -1, .name = set};
    struct hf_scf_settings settings = hf_scf_defaults();
    settings.method = method;
    settings.commutator_tolerance = 1e-9;
    settings.wavefunction = HF_WAVEFUNCTION_ALL;
    settings.fock.precision = HF_DOUBLE_PRECISION;
    hf_status status = hf_basis_create(s->context, &s->molecule, 1, &choice,
                                       HF_CONVENTION_AS_DEFINED, &s->basis, &error);
    if (status == HF_OK)
        status = hf_scf_run(s->context, &s->molecule, s->basis, &settings, NULL, &s->scf, &s->wave,
                            &error);
    if (status != HF_OK) print_error("%s\n", error.message);
    assert_ok(status);
    assert_true(s->scf.converged);
}

static void end(struct system *s)
{
    free(s->integral);
    hf_wavefunction_done(&s->wave);
    hf_basis_destroy(&s->basis);
    test_context_done(&s->context);
}

static void water(struct system *s, const char *method, const char *set)
{
    begin(s, 1);
    add_atom(s, 8, 0.0, 0.0, 0.22166487);
    add_atom(s, 1, 0.0, 1.43090062, -0.88665950);
    add_atom(s, 1, 0.0, -1.43090062, -0.88665950);
    solve(s, method, set);
}

/** A radical without symmetry. */
static void amidogen(struct system *s)
{
    begin(s, 2);
    add_atom(s, 7, 0.1, 0.0, 0.0);
    add_atom(s, 1, 0.0, 1.52122953, 1.19997609);
    add_atom(s, 1, -0.2, -1.6, 1.1);
    solve(s, "uhf", "6-31G");
}

static struct hf_mp2_settings usual(void)
{
    return (struct hf_mp2_settings){.algorithm = "kets",
                                    .schedule = {.name = "static"},
                                    .onesided = {.transport = "rma"},
                                    .threshold = 1e-14,
                                    .memory_bytes = INFINITY};
}

static struct hf_mp2_result energies(struct system *s, const struct hf_mp2_settings *settings)
{
    struct hf_mp2_result result;
    struct hf_error error = {0};
    const size_t before = hf_memory_current_bytes(s->context->memory);
    const hf_status status = hf_mp2_compute(s->context, &s->wave, settings, &result, &error);
    if (status != HF_OK) print_error("%s\n", error.message);
    assert_ok(status);
    assert_int_equal(hf_memory_current_bytes(s->context->memory), before);
    assert_true(fabs(result.correlation - result.same_spin - result.opposite_spin) < 1e-14);
    return result;
}

/* ---- Plain sums ------------------------------------------------------------------------------ */

/** Of the basis as it was published: no merged shells. */
static void find_integrals(struct system *s)
{
    struct hf_shell_pairs *pairs = NULL;
    assert_ok(hf_shell_pairs_create(s->context, s->basis, 1e-16, &pairs, NULL));
    s->integral = test_all_integrals(pairs);
    hf_shell_pairs_destroy(&pairs);
}

/** The last index of [n]^4 numbers to orbitals, which becomes the first: four times it makes (pq|rs). */
static double *turn(const double *from, size_t n, const double *coefficient, size_t m)
{
    double *to = calloc(n * n * n * m, sizeof *to);
    assert_non_null(to);
    for (size_t x = 0; x < n * n * n; x++)
        for (size_t p = 0; p < m; p++)
            for (size_t f = 0; f < n; f++)
                to[p * n * n * n + x] += from[x * n + f] * coefficient[p * n + f];
    return to;
}

/** (pq|rs), p and q of one spin, r and s of another; as many orbitals as functions. */
static double *orbital_integrals(const struct system *s, int spin, int other)
{
    const size_t n = (size_t)s->basis->n_function;
    double *list = s->integral, *next;
    double *c[2] = {calloc(n * n, sizeof(double)), calloc(n * n, sizeof(double))};
    hf_matrix_gather_full(s->wave.spin[spin].coefficient, c[0]);
    hf_matrix_gather_full(s->wave.spin[other].coefficient, c[1]);
    for (int k = 3; k >= 0; k--) {
        next = turn(list, n, c[k / 2], n);
        if (list != s->integral) free(list);
        list = next;
    }
    free(c[0]);
    free(c[1]);
    return list;
}

/** Sums over spin orbitals: of one spin (ia|jb) [(ia|jb) - (ib|ja)] / D, halved; of two without exchange. */
static double plain_energy(const struct system *s, int spin, int other, bool exchange, int n_frozen,
                           int n_frozen_virtual)
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

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-10)) print_error("%.12f, expected %.12f\n", value, expected);
    assert_true(fabs(value - expected) < 1e-10);
}

/** Energies of an algorithm in one batch, two and as many as there are orbitals, on one and on three threads. */
static void check_algorithm(struct system *s, struct hf_mp2_settings settings, double same,
                            double opposite)
{
    const int most = 2 * s->wave.spin[0].n_occupied;
    for (int n_batch = 1; n_batch <= most; n_batch += n_batch < 3 ? 1 : most - 3) {
        settings.n_batch = n_batch;
        settings.n_thread = n_batch == 2 ? 3 : 1;
        settings.schedule.name = n_batch == 1 ? "static" : "steal";
        settings.onesided.transport = n_batch == 1 ? "thread" : "rma";
        const struct hf_mp2_result result = energies(s, &settings);
        assert_near(result.same_spin, same);
        assert_near(result.opposite_spin, opposite);
        if (n_batch < 3) assert_int_equal(result.n_batch, n_batch);
        if (rank_count() == 1) assert_true(result.sent_bytes == 0.0);
    }
}

static void check_against_plain(struct system *s, int n_frozen, int n_frozen_virtual)
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

static void closed_shells_are_the_plain_sums(void **state)
{
    struct system s;
    water(&s, "rhf", "6-31G");
    find_integrals(&s);
    check_against_plain(&s, 0, 0);
    check_against_plain(&s, 1, 2);
    end(&s);
}

static void open_shells_are_the_plain_sums(void **state)
{
    struct system s;
    amidogen(&s);
    find_integrals(&s);
    check_against_plain(&s, 0, 0);
    check_against_plain(&s, 1, 1);
    end(&s);
}

/* ---- What must hold exactly ------------------------------------------------------------------ */

static void hydrogen_has_one_term(void **state)
{
    struct system s;
    begin(&s, 1);
    add_atom(&s, 1, 0.0, 0.0, 0.0);
    add_atom(&s, 1, 0.0, 0.0, 1.4);
    solve(&s, "rhf", "STO-3G");
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

static void far_molecules_add_up(void **state)
{
    struct system s;
    double sum = 0.0;
    const struct hf_mp2_settings settings = usual();
    for (int k = 0; k < 3; k++) {
        begin(&s, 1);
        if (k != 1) add_atom(&s, 1, 0.0, 0.0, 0.0);
        if (k != 1) add_atom(&s, 9, 0.0, 0.0, 1.7);
        if (k != 0) add_atom(&s, 2, 1000.0, 0.0, 0.0);
        solve(&s, "rhf", "6-31G");
        const double energy = energies(&s, &settings).correlation;
        sum += k < 2 ? energy : -energy;
        end(&s);
    }
    assert_near(sum, 0.0);
}

static void spins_are_equal(void **state)
{
    struct system s;
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

static void triplet_helium_has_one_spin(void **state)
{
    struct system s;
    begin(&s, 3);
    add_atom(&s, 2, 0.0, 0.0, 0.0);
    solve(&s, "uhf", "aug-cc-pVDZ");
    const struct hf_mp2_settings settings = usual();
    const struct hf_mp2_result result = energies(&s, &settings);
    assert_true(result.opposite_spin == 0.0 && result.same_spin < -1e-5);
    end(&s);
}

static void nothing_to_correlate_is_zero(void **state)
{
    struct system s;
    struct hf_mp2_settings settings = usual();
    begin(&s, 1);
    add_atom(&s, 2, 0.0, 0.0, 0.0);
    solve(&s, "rhf", "STO-3G"); /* no virtual orbital */
    assert_true(energies(&s, &settings).correlation == 0.0);
    end(&s);
    water(&s, "rhf", "STO-3G");
    settings.n_frozen = 5;
    assert_true(energies(&s, &settings).correlation == 0.0);
    end(&s);
}

/* ---- What is sent ---------------------------------------------------------------------------- */

/** Words of the book: P1 sums n_i n n_R n_S numbers of each bra RS over all ranks; P2 sends n_i o n (n_R + n_S), n_i o n
 *  n_R if R is S, but for the pairs that its rank owns. */
static void the_book_counts_words(void **state)
{
    struct system s;
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

static void memory_decides_the_batches(void **state)
{
    struct hf_mp2_size size = {.n_function = 100,
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
    struct system s;
    struct hf_error error;
    struct hf_mp2_result result;
    struct hf_mp2_settings settings = usual();
    settings.memory_bytes = 1000.0;
    water(&s, "rhf", "STO-3G");
    assert_int_equal(hf_mp2_compute(s.context, &s.wave, &settings, &result, &error),
                     HF_NO_RESOURCE);
    assert_non_null(strstr(error.message, "expected --memory"));
    end(&s);
}

static int core_of(int atomic_number, int n_core, bool ghost)
{
    struct hf_atom atom = {.atomic_number = atomic_number, .n_core = n_core, .ghost = ghost};
    return hf_default_core(&(struct hf_molecule){.n_atom = 1, .atom = &atom});
}

static void cores_are_those_of_noble_gases(void **state)
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_shells_are_the_plain_sums),
        cmocka_unit_test(open_shells_are_the_plain_sums),
        cmocka_unit_test(hydrogen_has_one_term),
        cmocka_unit_test(far_molecules_add_up),
        cmocka_unit_test(spins_are_equal),
        cmocka_unit_test(triplet_helium_has_one_spin),
        cmocka_unit_test(nothing_to_correlate_is_zero),
        cmocka_unit_test(the_book_counts_words),
        cmocka_unit_test(memory_decides_the_batches),
        cmocka_unit_test(cores_are_those_of_noble_gases),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
