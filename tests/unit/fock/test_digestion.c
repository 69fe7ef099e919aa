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
enum { N_SHELL = sizeof shells / sizeof *shells, N_JOB = 2, MOST_VALUES = 25 * 25 };

struct fixture {
    struct hf_context *context;
    struct hf_basis *basis;
    struct hf_shell_pairs *pairs;
    struct hf_engine *engine;
    struct hf_digestion digestion;
    size_t n;
    double *density[N_JOB], *coulomb[N_JOB], *exchange[N_JOB]; /**< [n][n] */
    double *expected_coulomb[N_JOB], *expected_exchange[N_JOB];
};

static double *numbers(size_t n)
{
    double *made = calloc(n, sizeof *made);
    assert_non_null(made);
    return made;
}

static void set_up(struct fixture *f)
{
    struct hf_error error;
    uint32_t seed = 1;
    *f = (struct fixture){.context = test_context(),
                          .basis = test_basis(3, centre, N_SHELL, shells)};
    f->n = (size_t)f->basis->n_function;
    assert_int_equal(hf_shell_pairs_create(f->context, f->basis, 1e-16, &f->pairs, &error), HF_OK);
    assert_int_equal(hf_engine_create(f->pairs, &f->engine, &error), HF_OK);
    assert_int_equal(hf_digestion_init(&f->digestion, f->pairs, &error), HF_OK);
    for (int i = 0; i < N_JOB; i++) {
        f->density[i] = numbers(f->n * f->n);
        f->coulomb[i] = numbers(f->n * f->n);
        f->exchange[i] = numbers(f->n * f->n);
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
        free(f->coulomb[i]);
        free(f->exchange[i]);
        free(f->expected_coulomb[i]);
        free(f->expected_exchange[i]);
    }
    hf_digestion_done(&f->digestion);
    hf_engine_destroy(&f->engine);
    hf_shell_pairs_destroy(&f->pairs);
    test_basis_destroy(&f->basis);
    test_context_done(&f->context);
}

static void clear_sums(struct fixture *f)
{
    const size_t bytes = f->n * f->n * sizeof(double);
    for (int i = 0; i < N_JOB; i++) {
        memset(f->coulomb[i], 0, bytes);
        memset(f->exchange[i], 0, bytes);
        memset(f->expected_coulomb[i], 0, bytes);
        memset(f->expected_exchange[i], 0, bytes);
    }
}

/** Which of J and K of each job is wanted. */
struct wanted {
    bool coulomb[N_JOB], exchange[N_JOB];
};

/** Whole matrices as blocks of the atoms of a quartet. */
static void show_matrices(struct fixture *f, const struct hf_shell_pair *bra,
                          const struct hf_shell_pair *ket, const struct wanted *wanted,
                          struct hf_quartet_blocks *blocks, struct hf_job_blocks job[N_JOB])
{
    const struct hf_shell *shell = f->basis->shell;
    *blocks =
        (struct hf_quartet_blocks){.n_job = N_JOB, .job = job, .coulomb = true, .exchange = true};
    memset(job, 0, N_JOB * sizeof *job);
    blocks->atom[HF_ATOM_A] = shell[bra->a].atom;
    blocks->atom[HF_ATOM_B] = shell[bra->b].atom;
    blocks->atom[HF_ATOM_C] = shell[ket->a].atom;
    blocks->atom[HF_ATOM_D] = shell[ket->b].atom;
    for (int x = 0; x < HF_N_ATOM; x++) {
        blocks->density.columns[x] = blocks->sum.columns[x] = (int)f->n;
        for (int y = 0; y < HF_N_ATOM; y++) {
            for (int i = 0; i < N_JOB; i++) {
                job[i].density[x][y] = f->density[i];
                job[i].coulomb[x][y] = wanted->coulomb[i] ? f->coulomb[i] : NULL;
                job[i].exchange[x][y] = wanted->exchange[i] ? f->exchange[i] : NULL;
            }
        }
    }
}

/** J_mn += x D_rs and K_mr += x D_ns for one place of an integral (mn|rs). */
static void add_place(struct fixture *f, const size_t p[4], double x, bool coulomb, bool exchange)
{
    for (int i = 0; i < N_JOB; i++) {
        if (coulomb)
            f->expected_coulomb[i][p[0] * f->n + p[1]] += x * f->density[i][p[2] * f->n + p[3]];
        if (exchange)
            f->expected_exchange[i][p[0] * f->n + p[2]] += x * f->density[i][p[1] * f->n + p[3]];
    }
}

/** The plain sum: an integral at all its different places among the eight permutations. */
static void add_integral(struct fixture *f, const size_t p[4], double x, bool coulomb,
                         bool exchange)
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
        add_place(f, q, x, coulomb, exchange);
    }
}

/** One quartet, [bra][ket] in `value`, to the expected sums; each different integral once. */
static void expect(struct fixture *f, const struct hf_shell_pair *bra,
                   const struct hf_shell_pair *ket, const double *value, bool coulomb,
                   bool exchange)
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
                    add_integral(f, p, *x, coulomb, exchange);
                }
}

/** Sums of digestion, which are not symmetric yet, against the plain ones. */
static double largest_difference(const struct fixture *f, const struct wanted *wanted)
{
    double worst = 0.0;
    for (int i = 0; i < N_JOB; i++) {
        for (size_t r = 0; r < f->n; r++) {
            for (size_t c = 0; c < f->n; c++) {
                const size_t at = r * f->n + c, mirror = c * f->n + r;
                const double J = 0.25 * (f->coulomb[i][at] + f->coulomb[i][mirror]);
                const double K = 0.125 * (f->exchange[i][at] + f->exchange[i][mirror]);
                worst =
                    fmax(worst, fabs(J - (wanted->coulomb[i] ? f->expected_coulomb[i][at] : 0.0)));
                worst = fmax(worst,
                             fabs(K - (wanted->exchange[i] ? f->expected_exchange[i][at] : 0.0)));
            }
        }
    }
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

static const struct wanted wanted_list[] = {
    {{true, true}, {true, true}},
    {{true, false}, {false, true}},
    {{true, true}, {false, false}},
    {{false, false}, {true, true}},
};
enum { N_WANTED = sizeof wanted_list / sizeof *wanted_list };

/** One quartet in either order of its pairs; flags say what it adds to. */
static void check_one(struct fixture *f, const struct hf_shell_pair *bra,
                      const struct hf_shell_pair *ket, const struct wanted *wanted, bool coulomb,
                      bool exchange)
{
    double value[MOST_VALUES], transposed[MOST_VALUES];
    struct hf_quartet_blocks blocks;
    struct hf_job_blocks job[N_JOB];
    const int n_bra = f->pairs->class_of[bra->pair_class].n_function;
    const int n_ket = f->pairs->class_of[ket->pair_class].n_function;
    compute(f, bra, ket, value);
    transpose(n_bra, n_ket, value, transposed);
    show_matrices(f, bra, ket, wanted, &blocks, job);
    const struct hf_quartet_to_add quartet = {
        .ket = ket, .blocks = &blocks, .coulomb = coulomb, .exchange = exchange};
    for (int bra_is_row = 0; bra_is_row < 2; bra_is_row++) {
        clear_sums(f);
        expect(f, bra, ket, value, coulomb, exchange);
        hf_add_quartet(&f->digestion, bra, &quartet, bra_is_row == 1,
                       &(struct hf_quartet_values){.value = bra_is_row ? value : transposed,
                                                   .n = n_bra * n_ket});
        assert_true(largest_difference(f, wanted) < 1e-13);
    }
}

static void one_quartet_gives_the_plain_sum(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    for (int64_t i = 0; i < f.pairs->n_pair; i++)
        for (int64_t k = 0; k <= i; k++)
            for (int w = 0; w < N_WANTED; w++)
                check_one(&f, &f.pairs->pair[i], &f.pairs->pair[k], &wanted_list[w], true, true);
    tear_down(&f);
}

static void a_quartet_adds_to_what_it_passed_the_screening_for(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    for (int64_t i = 0; i < f.pairs->n_pair; i += 3)
        for (int64_t k = 0; k <= i; k++)
            for (int flags = 0; flags < 4; flags++)
                for (int w = 0; w < N_WANTED; w++)
                    check_one(&f, &f.pairs->pair[i], &f.pairs->pair[k], &wanted_list[w],
                              (flags & 1) != 0, (flags & 2) != 0);
    tear_down(&f);
}

/** `n` quartets of one class side by side, in double or single precision; lane l adds to what bits
 *  of `flags` + l say. */
static void check_lanes(struct fixture *f, const struct hf_shell_pair *bra, int n,
                        const struct hf_shell_pair *const ket[], const struct wanted *wanted,
                        int flags, bool single)
{
    static double lanes[MOST_VALUES * HF_LANES];
    static float narrow[MOST_VALUES * HF_LANES];
    struct hf_quartet_blocks blocks[HF_LANES];
    struct hf_job_blocks job[HF_LANES][N_JOB];
    struct hf_quartet_to_add quartet[HF_LANES];
    const int n_bra = f->pairs->class_of[bra->pair_class].n_function;
    const int n_ket = f->pairs->class_of[ket[0]->pair_class].n_function, n_value = n_bra * n_ket;
    clear_sums(f);
    for (int l = 0; l < HF_LANES; l++) {
        double value[MOST_VALUES], transposed[MOST_VALUES];
        const int of = l < n ? l : n - 1; /* lanes behind the last repeat it */
        const bool coulomb = ((flags + of) & 1) != 0, exchange = ((flags + of) & 2) != 0;
        compute(f, bra, ket[of], value);
        for (int i = 0; single && i < n_value; i++) value[i] = (double)(float)value[i];
        transpose(n_bra, n_ket, value, transposed);
        for (int i = 0; i < n_value; i++) {
            lanes[i * HF_LANES + l] = transposed[i];
            narrow[i * HF_LANES + l] = (float)transposed[i];
        }
        if (l >= n) continue;
        expect(f, bra, ket[l], value, coulomb, exchange);
        show_matrices(f, bra, ket[l], wanted, &blocks[l], job[l]);
        quartet[l] = (struct hf_quartet_to_add){
            .ket = ket[l], .blocks = &blocks[l], .coulomb = coulomb, .exchange = exchange};
    }
    hf_add_quartets(&f->digestion, bra, n, quartet,
                    &(struct hf_quartet_values){.value = single ? NULL : lanes,
                                                .single = single ? narrow : NULL,
                                                .n = n_value});
    assert_true(largest_difference(f, wanted) < 1e-12);
}

static void quartets_side_by_side_give_the_plain_sum(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    for (int64_t i = 0; i < f.pairs->n_pair; i++) {
        for (int kind = 0; kind < f.pairs->n_class; kind++) {
            const struct hf_shell_pair *ket[HF_LANES];
            int n = 0;
            for (int64_t k = 0; k <= i && n < HF_LANES; k++)
                if (f.pairs->pair[k].pair_class == kind) ket[n++] = &f.pairs->pair[k];
            for (int some = 1; some <= n; some++)
                for (int w = 0; w < N_WANTED; w++)
                    check_lanes(&f, &f.pairs->pair[i], some, ket, &wanted_list[w],
                                w < 2 ? some : 3, (some + w) % 2 == 0);
        }
    }
    tear_down(&f);
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
