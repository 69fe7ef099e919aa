/* Digestion of single quartets into J and K against the plain sum over all functions: every quartet
 * of a few atoms, so that shells and atoms coincide in all ways. */
#include "../mpi_test.h"
#include "../shells.h"

#include "../../../src/fock/add_quartets.h"

#include "hf/engine.h"

#include <math.h>
#include <string.h>

static const double centre[3][3] = {{0.0, 0.0, 0.0}, {1.4, 0.3, 0.0}, {-0.5, 1.5, 0.6}};
static const struct test_shell shells[] = {
    {0, 0, 2, false, {3.0, 0.7}, {0.4, 0.5}},
    {0, 1, 1, false, {2.5}, {0.4}},
    {0, 0, 1, false, {0.4}, {0.6}},
    {1, 0, 1, false, {0.5}, {0.6}},
    {1, 2, 1, true, {0.9}, {0.8}},
    {2, 1, 1, false, {0.6}, {0.7}},
    {2, 0, 1, false, {1.1}, {0.4}},
};
enum { N_SHELL = sizeof shells / sizeof *shells, N_JOB = 5, MOST_VALUES = 25 * 25 };

struct fixture {
    struct hf_context *context;
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    struct hf_engine *engine;
    struct hf_digestion digestion;
    size_t n;
    double *density[N_JOB]; /**< [n][n], as all below that are not side by side */
    double *expected_coulomb[N_JOB], *expected_exchange[N_JOB];
    struct hf_job_shape jobs;            /**< of these, side by side: */
    double *beside, *coulomb, *exchange; /**< [n][n][N_JOB] at most */
};

static double *numbers(size_t n)
{
    double *made = calloc(n, sizeof *made);
    assert_non_null(made);
    return made;
}

/** With the kernels of this processor, or with the portable ones. */
static void set_up(struct fixture *f, bool portable)
{
    struct hf_error error;
    uint32_t seed = 1;
    *f = (struct fixture){.context = test_context(),
                          .basis = test_basis(3, centre, N_SHELL, shells)};
    f->n = (size_t)f->basis->n_function;
    assert_int_equal(hf_shell_pairs_create(f->context, f->basis, 1e-16, &f->pairs, &error), HF_OK);
    assert_int_equal(hf_engine_create(f->pairs, &f->engine, &error), HF_OK);
    assert_int_equal(hf_digestion_init(&f->digestion, f->pairs, &error), HF_OK);
    if (portable) f->digestion.kernels = &hf_digest_portable;
    f->beside = numbers(f->n * f->n * N_JOB);
    f->coulomb = numbers(f->n * f->n * N_JOB);
    f->exchange = numbers(f->n * f->n * N_JOB);
    for (int i = 0; i < N_JOB; i++) {
        f->density[i] = numbers(f->n * f->n);
        f->expected_coulomb[i] = numbers(f->n * f->n);
        f->expected_exchange[i] = numbers(f->n * f->n);
        for (size_t r = 0; r < f->n; r++) {
            for (size_t c = 0; c <= r; c++) {
                seed = seed * 1664525u + 1013904223u;
                f->density[i][r * f->n + c] = f->density[i][c * f->n + r] =
                    (double)(seed >> 8) / (1 << 24) - 0.5;
            }
        }
    }
}

static void tear_down(struct fixture *f)
{
    for (int i = 0; i < N_JOB; i++) {
        free(f->density[i]);
        free(f->expected_coulomb[i]);
        free(f->expected_exchange[i]);
    }
    free(f->beside);
    free(f->coulomb);
    free(f->exchange);
    hf_digestion_done(&f->digestion);
    hf_engine_destroy(&f->engine);
    hf_shell_pairs_destroy(&f->pairs);
    test_basis_destroy(&f->basis);
    test_context_done(&f->context);
}

/** Densities of the jobs side by side, all sums zero. */
static void begin(struct fixture *f, const struct hf_job_shape *jobs)
{
    const size_t n = f->n * f->n;
    f->jobs = *jobs;
    for (size_t x = 0; x < n; x++)
        for (int i = 0; i < jobs->n; i++)
            f->beside[x * (size_t)jobs->n + (size_t)i] = f->density[i][x];
    memset(f->coulomb, 0, n * N_JOB * sizeof(double));
    memset(f->exchange, 0, n * N_JOB * sizeof(double));
    for (int i = 0; i < N_JOB; i++) {
        memset(f->expected_coulomb[i], 0, n * sizeof(double));
        memset(f->expected_exchange[i], 0, n * sizeof(double));
    }
}

/** What a quartet adds to: bits of a number. */
struct flags {
    bool coulomb, exchange[HF_N_BOUND];
};

static struct flags flags_of(const struct hf_job_shape *jobs, int bits)
{
    return (struct flags){
        .coulomb = (bits & 1) != 0 && jobs->first_coulomb < jobs->n,
        .exchange = {[HF_WITH_COULOMB] = (bits & 2) != 0 && jobs->first_coulomb < jobs->n_exchange,
                     [HF_EXCHANGE_ALONE] = (bits & 4) != 0 && jobs->first_coulomb > 0}};
}

static struct hf_quartet_to_add quartet_to_add(const struct hf_shell_pair *ket,
                                               const struct hf_quartet_blocks *blocks,
                                               const struct flags *flags)
{
    return (struct hf_quartet_to_add){.ket = ket,
                                      .blocks = blocks,
                                      .coulomb = flags->coulomb,
                                      .exchange = {flags->exchange[0], flags->exchange[1]}};
}

/** Whole matrices as blocks of the atoms of a quartet. */
static void show_matrices(struct fixture *f, const struct hf_shell_pair *bra,
                          const struct hf_shell_pair *ket, struct hf_quartet_blocks *blocks)
{
    const struct hf_shell *shell = f->basis->shell;
    *blocks = (struct hf_quartet_blocks){
        .jobs = &f->jobs,
        .has_coulomb = true,
        .has_exchange = true,
        .atom = {shell[bra->a].atom, shell[bra->b].atom, shell[ket->a].atom, shell[ket->b].atom}};
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks->density_shape.columns[x] = blocks->sum_shape.columns[x] = (int)f->n;
        for (int y = 0; y < HF_N_ATOM; y++) {
            blocks->density[x][y] = f->beside;
            blocks->coulomb[x][y] = f->coulomb;
            blocks->exchange[x][y] = f->exchange;
        }
    }
}

/** J_mn += x D_rs and K_mr += x D_ns for one place of an integral (mn|rs). */
static void add_place(struct fixture *f, const size_t p[4], double x, const struct flags *flags)
{
    for (int i = 0; i < f->jobs.n; i++) {
        if (flags->coulomb && i >= f->jobs.first_coulomb)
            f->expected_coulomb[i][p[0] * f->n + p[1]] += x * f->density[i][p[2] * f->n + p[3]];
        if (flags->exchange[hf_group_of_job(&f->jobs, i)] && i < f->jobs.n_exchange)
            f->expected_exchange[i][p[0] * f->n + p[2]] += x * f->density[i][p[1] * f->n + p[3]];
    }
}

/** The plain sum: an integral at all its different places among the eight permutations. */
static void add_integral(struct fixture *f, const size_t p[4], double x, const struct flags *flags)
{
    size_t seen[8][4];
    int n_seen = 0;
    for (int k = 0; k < 8; k++) {
        const int bra = k & 4 ? 2 : 0, ket = 2 - bra;
        const size_t q[4] = {p[bra + (k & 1)], p[bra + 1 - (k & 1)], p[ket + (k >> 1 & 1)],
                             p[ket + 1 - (k >> 1 & 1)]};
        bool again = false;
        for (int s = 0; s < n_seen; s++) again = again || memcmp(seen[s], q, sizeof q) == 0;
        if (again) continue;
        memcpy(seen[n_seen++], q, sizeof q);
        add_place(f, q, x, flags);
    }
}

/** One quartet, [bra][ket] in `value`, to the expected sums; each different integral once. */
static void expect(struct fixture *f, const struct hf_shell_pair *bra,
                   const struct hf_shell_pair *ket, const double *value, const struct flags *flags)
{
    const struct hf_shell *s[4] = {&f->basis->shell[bra->a], &f->basis->shell[bra->b],
                                   &f->basis->shell[ket->a], &f->basis->shell[ket->b]};
    size_t p[4];
    const double *x = value;
    for (int i = 0; i < s[0]->n_function; i++)
        for (int j = 0; j < s[1]->n_function; j++)
            for (int k = 0; k < s[2]->n_function; k++)
                for (int l = 0; l < s[3]->n_function; l++, x++) {
                    p[0] = (size_t)(s[0]->first_function + i);
                    p[1] = (size_t)(s[1]->first_function + j);
                    p[2] = (size_t)(s[2]->first_function + k);
                    p[3] = (size_t)(s[3]->first_function + l);
                    if (bra->a == bra->b && p[0] < p[1]) continue;
                    if (ket->a == ket->b && p[2] < p[3]) continue;
                    if (bra == ket && p[0] * f->n + p[1] < p[2] * f->n + p[3]) continue;
                    add_integral(f, p, *x, flags);
                }
}

/** Job `job` of sums side by side, symmetric, against the plain ones. */
static double worst_of(const struct fixture *f, const double *sum, int n_beside, int job,
                       double factor, const double *expected)
{
    double worst = 0.0;
    for (size_t r = 0; r < f->n; r++) {
        for (size_t c = 0; c < f->n; c++) {
            const double x = sum[(r * f->n + c) * (size_t)n_beside + (size_t)job];
            const double mirror = sum[(c * f->n + r) * (size_t)n_beside + (size_t)job];
            worst = fmax(worst, fabs(factor * (x + mirror) - expected[r * f->n + c]));
        }
    }
    return worst;
}

static double largest_difference(const struct fixture *f)
{
    double worst = 0.0;
    const struct hf_job_shape *jobs = &f->jobs;
    for (int i = jobs->first_coulomb; i < jobs->n; i++)
        worst = fmax(worst, worst_of(f, f->coulomb, hf_n_coulomb(jobs), i - jobs->first_coulomb,
                                     0.25, f->expected_coulomb[i]));
    for (int i = 0; i < jobs->n_exchange; i++)
        worst = fmax(worst,
                     worst_of(f, f->exchange, jobs->n_exchange, i, 0.125, f->expected_exchange[i]));
    return worst;
}

/** Integrals of one quartet as [bra][ket]. */
static void compute(struct fixture *f, const struct hf_shell_pair *bra,
                    const struct hf_shell_pair *ket, double value[MOST_VALUES])
{
    const struct hf_integral_batch batch = hf_engine_two_electron(f->engine, bra, 1, &ket);
    const int n_bra = f->pairs->class_of[bra->pair_class].n_function;
    const int n_ket = f->pairs->class_of[ket->pair_class].n_function;
    for (int i = 0; i < n_bra; i++)
        for (int k = 0; k < n_ket; k++)
            value[i * n_ket + k] =
                batch.fixed_is_row ? batch.value[i * n_ket + k] : batch.value[k * n_bra + i];
}

static void transpose(int n_row, int n_column, const double *from, double *to)
{
    for (int r = 0; r < n_row; r++)
        for (int c = 0; c < n_column; c++) to[c * n_row + r] = from[r * n_column + c];
}

/** One density with J, K or both; those of open shells; several of every kind. */
static const struct hf_job_shape shapes[] = {
    {.n = 1, .first_coulomb = 0, .n_exchange = 1}, {.n = 1, .first_coulomb = 0, .n_exchange = 0},
    {.n = 1, .first_coulomb = 1, .n_exchange = 1}, {.n = 2, .first_coulomb = 1, .n_exchange = 2},
    {.n = 2, .first_coulomb = 1, .n_exchange = 1}, {.n = 2, .first_coulomb = 0, .n_exchange = 2},
    {.n = 3, .first_coulomb = 1, .n_exchange = 2}, {.n = 5, .first_coulomb = 2, .n_exchange = 4},
    {.n = 5, .first_coulomb = 0, .n_exchange = 5},
};
enum { N_SHAPE = sizeof shapes / sizeof *shapes, EVERYTHING = 7 };

/** One quartet in either order of its pairs; bits say what it adds to. */
static void check_one(struct fixture *f, const struct hf_shell_pair *bra,
                      const struct hf_shell_pair *ket, const struct hf_job_shape *jobs, int bits)
{
    double value[MOST_VALUES], transposed[MOST_VALUES];
    struct hf_quartet_blocks blocks;
    const struct flags flags = flags_of(jobs, bits);
    const int n_bra = f->pairs->class_of[bra->pair_class].n_function;
    const int n_ket = f->pairs->class_of[ket->pair_class].n_function;
    compute(f, bra, ket, value);
    transpose(n_bra, n_ket, value, transposed);
    for (int bra_is_row = 0; bra_is_row < 2; bra_is_row++) {
        begin(f, jobs);
        show_matrices(f, bra, ket, &blocks);
        const struct hf_quartet_to_add quartet = quartet_to_add(ket, &blocks, &flags);
        expect(f, bra, ket, value, &flags);
        hf_add_quartet(&f->digestion, bra, &quartet, bra_is_row == 1,
                       &(struct hf_quartet_values){.value = bra_is_row ? value : transposed,
                                                   .n = n_bra * n_ket});
        assert_true(largest_difference(f) < 1e-13);
    }
}

static void one_quartet_gives_the_plain_sum(void **state)
{
    (void)state;
    for (int portable = 0; portable < 2; portable++) {
        struct fixture f;
        set_up(&f, portable == 1);
        for (int64_t i = 0; i < f.pairs->n_pair; i++)
            for (int64_t k = 0; k <= i; k++)
                for (int s = 0; s < N_SHAPE; s++)
                    check_one(&f, &f.pairs->pair[i], &f.pairs->pair[k], &shapes[s], EVERYTHING);
        tear_down(&f);
    }
}

static void a_quartet_adds_to_what_it_passed_the_screening_for(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, false);
    for (int64_t i = 0; i < f.pairs->n_pair; i += 3)
        for (int64_t k = 0; k <= i; k += 2)
            for (int bits = 0; bits < EVERYTHING; bits++)
                for (int s = 0; s < N_SHAPE; s++)
                    check_one(&f, &f.pairs->pair[i], &f.pairs->pair[k], &shapes[s], bits);
    tear_down(&f);
}

/** `n` quartets of one class side by side, in double or single precision; lane l adds to what bits
 *  + l say. */
static void check_lanes(struct fixture *f, const struct hf_shell_pair *bra, int n,
                        const struct hf_shell_pair *const ket[], const struct hf_job_shape *jobs,
                        int bits, bool single)
{
    static double lanes[MOST_VALUES * HF_LANES];
    static float narrow[MOST_VALUES * HF_LANES];
    struct hf_quartet_blocks blocks[HF_LANES];
    struct hf_quartet_to_add quartet[HF_LANES];
    const int n_bra = f->pairs->class_of[bra->pair_class].n_function;
    const int n_ket = f->pairs->class_of[ket[0]->pair_class].n_function, n_value = n_bra * n_ket;
    begin(f, jobs);
    for (int l = 0; l < HF_LANES; l++) {
        double value[MOST_VALUES], transposed[MOST_VALUES];
        const int of = l < n ? l : n - 1; /* lanes behind the last repeat it */
        const struct flags flags = flags_of(jobs, bits == EVERYTHING ? bits : bits + of);
        compute(f, bra, ket[of], value);
        for (int i = 0; single && i < n_value; i++) value[i] = (double)(float)value[i];
        transpose(n_bra, n_ket, value, transposed);
        for (int i = 0; i < n_value; i++) {
            lanes[i * HF_LANES + l] = transposed[i];
            narrow[i * HF_LANES + l] = (float)transposed[i];
        }
        if (l >= n) continue;
        expect(f, bra, ket[l], value, &flags);
        show_matrices(f, bra, ket[l], &blocks[l]);
        quartet[l] = quartet_to_add(ket[l], &blocks[l], &flags);
    }
    hf_add_quartets(&f->digestion, bra, n, quartet,
                    &(struct hf_quartet_values){.value = single ? NULL : lanes,
                                                .single = single ? narrow : NULL,
                                                .n = n_value});
    assert_true(largest_difference(f) < 1e-12);
}

static void quartets_side_by_side_give_the_plain_sum(void **state)
{
    (void)state;
    for (int portable = 0; portable < 2; portable++) {
        struct fixture f;
        set_up(&f, portable == 1);
        for (int64_t i = 0; i < f.pairs->n_pair; i++) {
            for (int kind = 0; kind < f.pairs->n_class; kind++) {
                const struct hf_shell_pair *ket[HF_LANES];
                int n = 0;
                for (int64_t k = 0; k <= i && n < HF_LANES; k++)
                    if (f.pairs->pair[k].pair_class == kind) ket[n++] = &f.pairs->pair[k];
                for (int some = 1; some <= n; some++)
                    for (int s = 0; s < N_SHAPE; s++)
                        check_lanes(&f, &f.pairs->pair[i], some, ket, &shapes[s],
                                    (some + s) % 3 == 0 ? EVERYTHING : some, (some + s) % 2 == 0);
            }
        }
        tear_down(&f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_quartet_gives_the_plain_sum),
        cmocka_unit_test(a_quartet_adds_to_what_it_passed_the_screening_for),
        cmocka_unit_test(quartets_side_by_side_give_the_plain_sum),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
