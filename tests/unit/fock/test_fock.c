/* The Fock builder against a plain sum over all integrals: argv is builder, scheduler, grain and,
 * for distributed data, transport and who adds; "engine" or "multipoles" behind them for J from the Coulomb pass. */
#include "../all_integrals.h"
#include "../mpi_test.h"
#include "../shells.h"

#include "fock/fock.h"
#include "hf/interruption.h"
#include "integrals/engine.h"

#include <math.h>

static struct hf_fock_settings settings;
static int ranks_per_node; /* 0: as the machine has them */

static const double centre[4][3] = {
    {0.0, 0.0, 0.0}, {1.4, 0.3, 0.0}, {-0.5, 1.5, 0.6}, {0.2, -0.9, 1.7}};
static const struct test_shell shells[] = {
    {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
    {0, 1, 2, false, {2.5, 0.6}, {0.4, 0.7}},
    {0, 2, 1, true, {0.9}, {0.8}},
    {1, 0, 1, false, {0.4}, {0.6}},
    {1, 1, 1, false, {0.9}, {0.8}},
    {2, 0, 2, false, {1.5, 0.3}, {0.4, 0.3}},
    {2, 2, 1, false, {0.6}, {0.7}},
    {3, 0, 1, false, {0.5}, {0.6}},
    {3, 3, 1, true, {0.8}, {0.7}},
};
enum { N_SHELL = sizeof shells / sizeof *shells };

/** A symmetric matrix equal on all ranks. */
static double *random_density(int n, uint32_t seed)
{
    double *full = malloc((size_t)(n * n) * sizeof *full);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) full[i * n + j] = full[j * n + i] = test_random(&seed);
    }
    return full;
}

/** Largest difference between a builder's matrix and the plain sum; `exchange` picks (mr|ns). */
static double largest_difference(const struct hf_matrix *matrix, const double *integral,
                                 const double *density, size_t n, bool exchange)
{
    double *full = malloc(n * n * sizeof *full), worst = 0.0;
    hf_matrix_gather_full(matrix, full);
    for (size_t m = 0; m < n; m++) {
        for (size_t k = 0; k < n; k++) {
            double sum = 0.0;
            for (size_t r = 0; r < n; r++)
                for (size_t s = 0; s < n; s++)
                    sum +=
                        density[r * n + s] * (exchange ? integral[((m * n + r) * n + k) * n + s]
                                                       : integral[((m * n + k) * n + r) * n + s]);
            worst = fmax(worst, fabs(sum - full[m * n + k]));
        }
    }
    free(full);
    return worst;
}

enum { N_DENSITY = 5 };

/** What every test needs. */
struct fixture {
    struct hf_context *context;
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    struct hf_linalg *linalg;
    struct hf_fock_builder *builder;
    struct hf_matrix *density[N_DENSITY], *coulomb[N_DENSITY], *exchange[N_DENSITY];
    double *full[N_DENSITY];
};

static void set_up_with(struct fixture *f, struct hf_basis *basis)
{
    *f = (struct fixture){.basis = basis};
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, ranks_per_node, &f->context, &error));
    const int n = f->basis->n_function;
    assert_ok(hf_shell_pairs_create(f->context, f->basis, 1e-16, &f->pairs, &error));
    assert_ok(hf_linalg_create(f->context, n, &f->linalg, &error));
    assert_ok(hf_fock_create(f->context, f->pairs, &settings, &f->builder, &error));
    for (int i = 0; i < N_DENSITY; i++) {
        assert_ok(hf_matrix_create(f->linalg, "D", n, n, &f->density[i], &error));
        assert_ok(hf_matrix_create(f->linalg, "J", n, n, &f->coulomb[i], &error));
        assert_ok(hf_matrix_create(f->linalg, "K", n, n, &f->exchange[i], &error));
        f->full[i] = random_density(n, (uint32_t)(i + 1));
        hf_matrix_set_full(f->density[i], f->full[i]);
    }
}

static void set_up(struct fixture *f)
{
    set_up_with(f, test_basis(4, centre, N_SHELL, shells));
}

static void tear_down(struct fixture *f)
{
    for (int i = 0; i < N_DENSITY; i++) {
        hf_matrix_destroy(&f->density[i]);
        hf_matrix_destroy(&f->coulomb[i]);
        hf_matrix_destroy(&f->exchange[i]);
        free(f->full[i]);
    }
    hf_fock_destroy(&f->builder);
    hf_linalg_destroy(&f->linalg);
    hf_shell_pairs_destroy(&f->pairs);
    test_basis_destroy(&f->basis);
    test_context_done(&f->context);
}

TEST(coulomb_and_exchange_of_two_densities_are_right)
{
    SET_UP(f);
    const size_t n = (size_t)f.basis->n_function;
    const struct hf_fock_job job[2] = {{f.density[0], f.coulomb[0], f.exchange[0], false},
                                       {f.density[1], f.coulomb[1], f.exchange[1], false}};
    double *integral = test_all_integrals(f.pairs);
    for (int round = 0; round < 2; round++) {
        assert_ok(hf_fock_build(f.builder, 2, job, 1e-15, &error));
        for (int i = 0; i < 2; i++) {
            assert_true(largest_difference(f.coulomb[i], integral, f.full[i], n, false) < 1e-11);
            assert_true(largest_difference(f.exchange[i], integral, f.full[i], n, true) < 1e-11);
        }
    }
    const int64_t n_pair = N_SHELL * (N_SHELL + 1) / 2;
    const struct hf_fock_account account = hf_fock_account(f.builder);
    assert_int_equal(account.n_quartet_total, n_pair * (n_pair + 1) / 2);
    assert_int_equal(account.n_quartet_computed, account.n_quartet_total);
    free(integral);
}

TEST(what_is_not_wanted_may_be_null)
{
    SET_UP(f);
    const size_t n = (size_t)f.basis->n_function;
    const struct hf_fock_job job[2] = {{f.density[0], f.coulomb[0], NULL, false},
                                       {f.density[1], NULL, f.exchange[1], false}};
    double *integral = test_all_integrals(f.pairs);
    assert_ok(hf_fock_build(f.builder, 2, job, 1e-15, &error));
    assert_true(largest_difference(f.coulomb[0], integral, f.full[0], n, false) < 1e-11);
    assert_true(largest_difference(f.exchange[1], integral, f.full[1], n, true) < 1e-11);
    free(integral);
}

TEST(antisymmetric_densities_have_antisymmetric_exchange)
{
    SET_UP(f);
    const size_t n = (size_t)f.basis->n_function;
    double *integral = test_all_integrals(f.pairs);
    for (int i = 1; i < 3; i++) {
        for (size_t r = 0; r < n; r++)
            for (size_t s = 0; s <= r; s++)
                f.full[i][s * n + r] = s < r ? -f.full[i][r * n + s] : 0.0;
        for (size_t r = 0; r < n; r++) f.full[i][r * n + r] = 0.0;
        hf_matrix_set_full(f.density[i], f.full[i]);
    }
    const struct hf_fock_job job[4] = {
        {.density = f.density[0], .coulomb = f.coulomb[0], .exchange = f.exchange[0]},
        {.density = f.density[1], .exchange = f.exchange[1], .antisymmetric = true},
        {.density = f.density[3], .exchange = f.exchange[3]},
        {.density = f.density[2], .exchange = f.exchange[2], .antisymmetric = true}};
    for (int n_job = 4; n_job >= 2; n_job -= 2) {
        assert_ok(hf_fock_build(f.builder, n_job, job, 1e-15, &error));
        assert_true(largest_difference(f.coulomb[0], integral, f.full[0], n, false) < 1e-11);
        for (int i = 0; i < 4; i++)
            assert_true(largest_difference(f.exchange[i], integral, f.full[i], n, true) < 1e-11);
    }
    free(integral);
}

TEST(coulomb_of_an_antisymmetric_density_is_refused)
{
    SET_UP(f);
    const struct hf_fock_job job[2] = {{.density = f.density[0], .exchange = f.exchange[0]},
                                       {.density = f.density[1],
                                        .coulomb = f.coulomb[1],
                                        .exchange = f.exchange[1],
                                        .antisymmetric = true}};
    assert_int_equal(hf_fock_build(f.builder, 2, job, 1e-15, &error), HF_BAD_INPUT);
    assert_string_equal(error.message,
                        "a Fock build: density 2 is antisymmetric, so its Coulomb matrix is zero; "
                        "expected a job of exchange alone");
}

/** Whether `found` is the matrix of the job alone, from another builder. */
static void check_against(const struct hf_matrix *found, const struct hf_matrix *alone)
{
    const size_t n = (size_t)hf_matrix_n_row(found);
    double *both = malloc(2 * n * n * sizeof *both), difference = 0.0, largest = 1.0;
    hf_matrix_gather_full(found, both);
    hf_matrix_gather_full(alone, both + n * n);
    for (size_t i = 0; i < n * n; i++) {
        difference = fmax(difference, fabs(both[i] - both[n * n + i]));
        largest = fmax(largest, fabs(both[n * n + i]));
    }
    assert_true(difference <= 1e-13 * largest);
    free(both);
}

/** Any mix of what is wanted, in any order, gives what each job gives alone. */
static void check_mix(struct fixture *f, const struct fixture *alone, const char *wanted)
{
    struct hf_fock_job job[N_DENSITY] = {{NULL}};
    const int n_job = (int)strlen(wanted);
    for (int i = 0; i < n_job; i++) {
        const bool coulomb = strchr("JB", wanted[i]) != NULL;
        const bool exchange = strchr("KB", wanted[i]) != NULL;
        job[i] = (struct hf_fock_job){.density = f->density[i],
                                      .coulomb = coulomb ? f->coulomb[i] : NULL,
                                      .exchange = exchange ? f->exchange[i] : NULL};
    }
    assert_ok(hf_fock_build(f->builder, n_job, job, 1e-15, &error));
    for (int i = 0; i < n_job; i++) {
        if (job[i].coulomb != NULL) check_against(job[i].coulomb, alone->coulomb[i]);
        if (job[i].exchange != NULL) check_against(job[i].exchange, alone->exchange[i]);
    }
}

/** With nothing stored, with stored integrals, that the first mix writes and the others read back, and
 *  with two threads. */
TEST(jobs_do_not_depend_on_each_other)
{
    static const char *const mixes[] = {"BK", "KB", "JK", "KKK", "JJ", "BBB", "BJKB", "KJBK", "-K"};
    const int n_mix = sizeof mixes / sizeof *mixes;
    const struct hf_fock_settings plain = settings;
    struct fixture f, alone;
    set_up(&alone);
    for (int i = 0; i < N_DENSITY - 1; i++) {
        const struct hf_fock_job one = {alone.density[i], alone.coulomb[i], alone.exchange[i],
                                        false};
        assert_ok(hf_fock_build(alone.builder, 1, &one, 1e-15, &error));
    }
    for (int way = 0; way < 3; way++) {
        settings.memory_bytes = way == 1 ? 1e9 : 0.0;
        settings.store_threshold = 1e-15;
        settings.n_thread = way == 2 ? 2 : 1;
        set_up(&f);
        for (int i = 0; i<n_mix; i += rank_count()> 2 ? 2 : 1) /* each rank adds up by itself */
            check_mix(&f, &alone, mixes[i]);
        check_mix(&f, &alone, mixes[0]);
        tear_down(&f);
        settings = plain;
    }
    tear_down(&alone);
}

TEST(screening_leaves_out_little_and_says_how_much)
{
    SET_UP(f);
    const size_t n = (size_t)f.basis->n_function;
    const struct hf_fock_job job = {f.density[0], f.coulomb[0], f.exchange[0], false};
    double *integral = test_all_integrals(f.pairs);
    assert_ok(hf_fock_build(f.builder, 1, &job, 2e-2, &error));
    const struct hf_fock_account account = hf_fock_account(f.builder);
    assert_true(account.n_quartet_computed < account.n_quartet_total);
    assert_true(largest_difference(f.coulomb[0], integral, f.full[0], n, false) < 0.5);
    assert_true(largest_difference(f.exchange[0], integral, f.full[0], n, true) < 0.5);
    free(integral);
}

/** Builds with stored integrals: one that stores, one that reads back, one whose density is so
 * large that everything is stored anew, one less sharp. */
static void check_stored(double memory_bytes, int n_thread, const double *integral)
{
    const struct hf_fock_settings plain = settings;
    settings.memory_bytes = memory_bytes;
    settings.store_threshold = 1e-15;
    settings.n_thread = n_thread;
    SET_UP(f);
    settings = plain;
    const size_t n = (size_t)f.basis->n_function;
    const struct hf_fock_job job = {f.density[0], f.coulomb[0], f.exchange[0], false};
    for (int round = 0; round < 4; round++) {
        const double scale = round == 2 ? 1000.0 : 1.0, threshold = round == 3 ? 1e-13 : 1e-15;
        for (size_t i = 0; i < n * n; i++) f.full[0][i] *= scale;
        hf_matrix_set_full(f.density[0], f.full[0]);
        assert_ok(hf_fock_build(f.builder, 1, &job, threshold, &error));
        const double limit = round < 2 ? 1e-11 : 1e-8;
        assert_true(largest_difference(f.coulomb[0], integral, f.full[0], n, false) < limit);
        assert_true(largest_difference(f.exchange[0], integral, f.full[0], n, true) < limit);
        const struct hf_fock_account account = hf_fock_account(f.builder);
        assert_int_equal(account.n_quartet_computed + account.n_quartet_read,
                         account.n_quartet_total);
        if (round % 2 == 0) assert_int_equal(account.n_quartet_read, 0);
        if (round % 2 == 1 && memory_bytes > 1e8) assert_int_equal(account.n_quartet_computed, 0);
    }
}

TEST(stored_integrals_give_the_same)
{
    struct fixture f;
    set_up(&f);
    double *integral = test_all_integrals(f.pairs);
    tear_down(&f);
    static const double bytes[] = {0.0, 1.0, 1e6, 5e6, 1e9};
    for (size_t i = rank_count() > 2 ? 2 : 0; i < sizeof bytes / sizeof *bytes; i++)
        check_stored(bytes[i], 1, integral);
    check_stored(1e6, 3, integral);
    check_stored(1e9, 3, integral);
    free(integral);
}

/** Blocks of different atoms become so many times as large. */
static void scale_off_atoms(struct fixture *f, int k, double factor)
{
    const struct hf_basis *basis = f->basis;
    const int n = basis->n_function;
    for (int i = 0; i < basis->n_shell; i++)
        for (int j = 0; j < basis->n_shell; j++) {
            const struct hf_shell *a = &basis->shell[i], *b = &basis->shell[j];
            for (int r = 0; r < a->n_function && a->atom != b->atom; r++)
                for (int c = 0; c < b->n_function; c++)
                    f->full[k][(a->first_function + r) * n + b->first_function + c] *= factor;
        }
    hf_matrix_set_full(f->density[k], f->full[k]);
}

/** Exchange alone, of which only what the densities meet is stored: not of atoms side by side; then a
 *  build that stores, one that reads back, one whose density between atoms is somewhat larger than any before, one
 *  whose density is so much larger that quartets matter which were small before, and one that needs J too. */
TEST(stored_exchange_follows_its_densities)
{
    static const double far_centre[4][3] = {
        {0.0, 0.0, 0.0}, {5.5, 0.3, 0.0}, {11.0, 0.5, 0.6}, {16.2, -0.4, 0.7}};
    static const double factor[] = {0.0, 1e-7, 1.0, 200.0, 1e5, 1.0};
    const struct hf_fock_settings plain = settings;
    const double threshold = 1e-9;
    struct fixture f;
    settings.memory_bytes = 1e9;
    settings.store_threshold = threshold;
    set_up_with(&f, test_basis(4, far_centre, N_SHELL, shells));
    settings = plain;
    const bool replicated = strcmp(settings.builder, "replicated") == 0;
    const size_t n = (size_t)f.basis->n_function;
    double *integral = test_all_integrals(f.pairs);
    double *whole = random_density((int)n, 1);
    for (int round = 0; round < 6; round++) {
        const struct hf_fock_job job = {f.density[0], round == 5 ? f.coulomb[0] : NULL,
                                        f.exchange[0], false};
        if (round == 1) memcpy(f.full[0], whole, n * n * sizeof *whole);
        scale_off_atoms(&f, 0, factor[round]);
        assert_ok(hf_fock_build(f.builder, 1, &job, threshold, &error));
        assert_true(largest_difference(f.exchange[0], integral, f.full[0], n, true) < 1e-7);
        if (round == 5)
            assert_true(largest_difference(f.coulomb[0], integral, f.full[0], n, false) < 1e-7);
        const struct hf_fock_account account = hf_fock_account(f.builder);
        if (!replicated) continue;
        assert_true((account.stored_bytes > 0.0) == (round > 0));
        assert_true((account.n_quartet_read > 0) == (round > 1));
        assert_true((account.n_quartet_computed > 0) == (round != 2));
    }
    free(whole);
    free(integral);
    tear_down(&f);
}

/** A builder over merged shells gives J and K of the published functions. Atom 0 has a contraction
 *  with a primitive that is a function of its own too, atom 1 an SP shell. */
TEST(merged_shells_give_the_same)
{
    static const struct test_shell published[] = {
        {0, 0, 3, false, {30.0, 4.0, 0.7}, {0.3, 0.4, 0.5}},
        {0, 0, 3, false, {30.0, 4.0, 0.7}, {-0.1, -0.2, 0.6}},
        {0, 0, 1, false, {0.7}, {0.6}},
        {0, 2, 2, true, {1.9, 0.5}, {0.8, 0.3}},
        {0, 2, 1, true, {0.5}, {0.4}},
        {1, 0, 2, false, {2.4, 0.5}, {0.6, 0.2}},
        {1, 1, 2, false, {2.4, 0.5}, {0.3, 0.7}},
        {2, 1, 1, false, {0.8}, {0.7}},
        {3, 0, 1, false, {0.5}, {0.6}},
    };
    struct fixture f;
    struct hf_basis *basis = test_basis(4, centre, 9, published), *merged = NULL;
    struct hf_shell_pairs *plain = NULL;
    assert_ok(hf_basis_merge(basis, &merged, &error));
    assert_int_equal(merged->n_shell, 7);
    assert_int_equal(merged->n_mixing, 2 + 5);
    set_up_with(&f, merged);
    assert_ok(hf_shell_pairs_create(f.context, basis, 1e-16, &plain, &error));
    double *integral = test_all_integrals(plain);
    const size_t n = (size_t)basis->n_function;
    const struct hf_fock_job job[2] = {{f.density[0], f.coulomb[0], f.exchange[0], false},
                                       {f.density[1], f.coulomb[1], f.exchange[1], false}};
    assert_ok(hf_fock_build(f.builder, 2, job, 1e-15, &error));
    for (int i = 0; i < 2; i++) {
        assert_true(largest_difference(f.coulomb[i], integral, f.full[i], n, false) < 1e-11);
        assert_true(largest_difference(f.exchange[i], integral, f.full[i], n, true) < 1e-11);
    }
    free(integral);
    hf_shell_pairs_destroy(&plain);
    test_basis_destroy(&basis);
    f.basis = test_basis(4, centre, N_SHELL, shells); /* tear_down takes one made by hand */
    tear_down(&f);
    hf_basis_destroy(&merged);
}

/** Whether J and K of a job are those of its density. */
static bool is_right(const struct fixture *f, int i, const double *integral)
{
    const size_t n = (size_t)f->basis->n_function;
    return largest_difference(f->coulomb[i], integral, f->full[i], n, false) < 1e-11 &&
           largest_difference(f->exchange[i], integral, f->full[i], n, true) < 1e-11;
}

/** One job, then two, then parts of them: a builder keeps what it has made, and no more. */
TEST(builds_follow_each_other)
{
    SET_UP(f);
    double *integral = test_all_integrals(f.pairs);
    const struct hf_fock_job both[2] = {{f.density[0], f.coulomb[0], f.exchange[0], false},
                                        {f.density[1], f.coulomb[1], f.exchange[1], false}};
    const struct hf_fock_job some[2] = {{f.density[0], NULL, f.exchange[0], false},
                                        {f.density[1], f.coulomb[1], NULL, false}};
    size_t bytes = 0;
    assert_ok(hf_fock_build(f.builder, 1, both, 1e-15, &error));
    assert_true(is_right(&f, 0, integral));
    for (int round = 0; round < 3; round++) {
        assert_ok(hf_fock_build(f.builder, 2, both, 1e-15, &error));
        assert_true(is_right(&f, 0, integral) && is_right(&f, 1, integral));
        const size_t now = hf_memory_class_bytes(f.context->memory, HF_MEMORY_MATRIX);
        if (round > 0) assert_true(now == bytes);
        bytes = now;
        for (int i = 0; i < 2; i++) {
            hf_matrix_set_full(f.coulomb[i], f.full[i]);
            hf_matrix_set_full(f.exchange[i], f.full[i]);
        }
        assert_ok(hf_fock_build(f.builder, 2, some, 1e-15, &error));
        const size_t n = (size_t)f.basis->n_function;
        assert_true(largest_difference(f.exchange[0], integral, f.full[0], n, true) < 1e-11);
        assert_true(largest_difference(f.coulomb[1], integral, f.full[1], n, false) < 1e-11);
    }
    free(integral);
}

static int interrupt(void *data, double fraction)
{
    const bool *now = data;
    assert_true(fraction >= 0.0 && fraction <= 1.0);
    return *now ? 15 : 0;
}

TEST(an_interruption_ends_the_build_on_all_ranks)
{
    bool now = true;
    SET_UP(f);
    hf_interruption_watch(f.context->interruption, interrupt, &now);
    double *integral = test_all_integrals(f.pairs);
    const struct hf_fock_job job = {f.density[0], f.coulomb[0], f.exchange[0], false};
    for (int round = 0; round < 3; round++) {
        now = true;
        assert_int_equal(hf_fock_build(f.builder, 1, &job, 1e-15, &error), HF_INTERRUPTED);
        assert_int_equal(error.signal_number, 15);
        now = false; /* nothing of what was interrupted is left in the sums */
        assert_ok(hf_fock_build(f.builder, 1, &job, 1e-15, &error));
        assert_true(is_right(&f, 0, integral));
    }
    free(integral);
}

TEST(unknown_names_are_refused)
{
    SET_UP(f);
    struct hf_fock_builder *builder = NULL;
    struct hf_fock_settings wrong = settings;
    wrong.builder = "nonsense";
    assert_int_equal(hf_fock_create(f.context, f.pairs, &wrong, &builder, &error), HF_BAD_INPUT);
    wrong = settings;
    wrong.schedule.name = "nonsense";
    assert_int_equal(hf_fock_create(f.context, f.pairs, &wrong, &builder, &error), HF_BAD_INPUT);
    assert_null(builder);
}

int main(int argc, char **argv)
{
    settings.builder = argv[1];
    settings.schedule.name = argv[2];
    if (strcmp(argv[argc - 1], "engine") == 0 || strcmp(argv[argc - 1], "multipoles") == 0) {
        settings.coulomb = argv[argc - 1][0] == 'e' ? HF_COULOMB_ENGINE : HF_COULOMB_MULTIPOLES;
        argc--;
    }
    settings.onesided.transport = argc > 4 ? argv[4] : NULL;
    if (argc > 5 && strcmp(argv[5], "caller") == 0)
        settings.onesided.accumulate = HF_ACCUMULATE_CALLER;
    ranks_per_node = argc > 6 ? atoi(argv[6]) : 0;
    settings.grain = strcmp(argv[3], "atom-quartet") == 0 ? HF_GRAIN_ATOM_QUARTET
                     : strcmp(argv[3], "shell-pair") == 0 ? HF_GRAIN_SHELL_PAIR
                                                          : HF_GRAIN_SHELL_QUARTET;
    HF_RUN_MPI_TESTS(argc, argv, false);
}
