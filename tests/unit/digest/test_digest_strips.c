/* Digestion of strips into J and K against plain sums, with the kernels of every instruction set that
 * this processor has: shapes, densities and what is wanted of them, shells that coincide. */
#include "../test.h"
#include <math.h>

#include "digest/digest.h"

#include "base/simd.h"

enum { N = 61, SUM_N = 72, N_JOB = 5, MOST_VALUES = 1 << 16 };

/** Densities and sums of all functions, [job][N][columns] with slack. */
struct fixture {
    double *density, *coulomb, *exchange, *expected_coulomb, *expected_exchange;
    double *value;
    float *single;
    uint32_t seed;
};

enum { DENSITY_PLANE = N * N + HF_STRIP_SLACK, SUM_PLANE = N * SUM_N + HF_STRIP_SLACK };

static double *numbers(size_t n)
{
    double *made = calloc(n, sizeof *made);
    assert_non_null(made);
    return made;
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.density = numbers(N_JOB * DENSITY_PLANE),
                          .coulomb = numbers(N_JOB * SUM_PLANE),
                          .exchange = numbers(N_JOB * SUM_PLANE),
                          .expected_coulomb = numbers(N_JOB * SUM_PLANE),
                          .expected_exchange = numbers(N_JOB * SUM_PLANE),
                          .value = numbers(MOST_VALUES),
                          .single = calloc(MOST_VALUES, sizeof *f->single),
                          .seed = 1};
    assert_non_null(f->single);
    for (size_t i = 0; i < N_JOB * DENSITY_PLANE; i++) f->density[i] = test_random(&f->seed);
}

static void tear_down(struct fixture *f)
{
    free(f->density);
    free(f->coulomb);
    free(f->exchange);
    free(f->expected_coulomb);
    free(f->expected_exchange);
    free(f->value);
    free(f->single);
}

/** A strip: first functions and numbers of functions of a, b, c, d; what each job is wanted for. */
struct shape {
    size_t first[4];
    int n[4];
};

enum { COULOMB = 1, EXCHANGE = 2 };

/** Blocks of job number `i` in matrices of all functions. */
static struct hf_strip_job job_of(const struct fixture *f, const struct shape *shape, int i,
                                  int wanted)
{
    const size_t a = shape->first[0], b = shape->first[1], c = shape->first[2], d = shape->first[3];
    const double *D = f->density + i * DENSITY_PLANE;
    double *J = f->coulomb + i * SUM_PLANE, *K = f->exchange + i * SUM_PLANE;
    struct hf_strip_job job = {0};
    if (wanted & COULOMB) {
        job.D_ab = D + a * N + b;
        job.D_cd = D + c * N + d;
        job.J_ab = J + a * SUM_N + b;
        job.J_cd = J + c * SUM_N + d;
    }
    if (wanted & EXCHANGE) {
        job.D_ac = D + a * N + c;
        job.D_ad = D + a * N + d;
        job.D_bc = D + b * N + c;
        job.D_bd = D + b * N + d;
        job.K_ac = K + a * SUM_N + c;
        job.K_ad = K + a * SUM_N + d;
        job.K_bc = K + b * SUM_N + c;
        job.K_bd = K + b * SUM_N + d;
    }
    return job;
}

/** What one number adds. */
static void expect_number(struct fixture *f, const size_t p[4], double x, int i, int wanted)
{
    const double *D = f->density + i * DENSITY_PLANE;
    double *J = f->expected_coulomb + i * SUM_PLANE, *K = f->expected_exchange + i * SUM_PLANE;
    const size_t a = p[0], b = p[1], c = p[2], d = p[3];
    if (wanted & COULOMB) {
        J[a * SUM_N + b] += x * D[c * N + d];
        J[c * SUM_N + d] += x * D[a * N + b];
    }
    if (wanted & EXCHANGE) {
        K[a * SUM_N + c] += x * D[b * N + d];
        K[a * SUM_N + d] += x * D[b * N + c];
        K[b * SUM_N + c] += x * D[a * N + d];
        K[b * SUM_N + d] += x * D[a * N + c];
    }
}

/** The plain sums of a strip, whose numbers are made here. */
static void expect(struct fixture *f, const struct shape *shape, int n_job, const int wanted[])
{
    size_t p[4], at = 0;
    const int *n = shape->n;
    for (int k = 0; k < n[2]; k++)
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1]; j++)
                for (int l = 0; l < n[3]; l++, at++) {
                    const int q[4] = {i, j, k, l};
                    for (int x = 0; x < 4; x++) p[x] = shape->first[x] + (size_t)q[x];
                    f->single[at] = (float)test_random(&f->seed);
                    f->value[at] = (double)f->single[at];
                    for (int job = 0; job < n_job; job++)
                        expect_number(f, p, f->value[at], job, wanted[job]);
                }
    for (int i = 0; i < HF_STRIP_SLACK; i++) { /* what stands behind does not matter */
        f->value[at] = (double)NAN;
        f->single[at++] = NAN;
    }
}

static double worst_of(const double *sum, const double *expected)
{
    double worst = 0.0;
    for (size_t i = 0; i < N_JOB * SUM_PLANE; i++)
        worst = isnan(sum[i]) ? INFINITY : fmax(worst, fabs(sum[i] - expected[i]));
    return worst;
}

static void clear(double *sum)
{
    memset(sum, 0, N_JOB * SUM_PLANE * sizeof *sum);
}

/** One strip in double and in single precision with the kernels of one instruction set. */
static void check(struct fixture *f, void (*digest)(const struct hf_digest_strip *),
                  const struct shape *shape, int n_job, const int wanted[])
{
    struct hf_strip_job job[N_JOB];
    for (int i = 0; i < n_job; i++) job[i] = job_of(f, shape, i, wanted[i]);
    clear(f->expected_coulomb);
    clear(f->expected_exchange);
    expect(f, shape, n_job, wanted);
    for (int single = 0; single < 2; single++) {
        clear(f->coulomb);
        clear(f->exchange);
        digest(&(struct hf_digest_strip){.value = single ? NULL : f->value,
                                         .single = single ? f->single : NULL,
                                         .n_a = shape->n[0],
                                         .n_b = shape->n[1],
                                         .n_c = shape->n[2],
                                         .n_d = shape->n[3],
                                         .density_leading_b = N,
                                         .density_leading_c = N,
                                         .density_leading_d = N,
                                         .leading_b = SUM_N,
                                         .leading_c = SUM_N,
                                         .leading_d = SUM_N,
                                         .n_job = n_job,
                                         .job = job});
        assert_true(worst_of(f->coulomb, f->expected_coulomb) < 2e-13);
        assert_true(worst_of(f->exchange, f->expected_exchange) < 2e-13);
    }
}

typedef void digest_function(const struct hf_digest_strip *strip);

/** Kernels number i; NULL: this processor has no more. */
static digest_function *kernels_of(int i)
{
    static digest_function *const kernels[] = {
        HF_KERNELS_BUILT(hf_digest_strip_portable, hf_digest_strip_avx2, hf_digest_strip_avx512)};
    return i < hf_n_kernels() ? kernels[i] : NULL;
}

/** Every number of functions of one shell that a kernel treats in a way of its own. */
TEST(strips_of_every_shape_give_the_plain_sum)
{
    static const int few[] = {1, 2, 3, 4, 5, 6, 7, 10, 11},
                     rows[] = {1, 2, 5, 8, 9, 14, 16, 17, 30};
    static const int c[] = {1, 3, 8, 14};
    const int both[] = {COULOMB | EXCHANGE};
    SET_UP(f);
    for (int set = 0; kernels_of(set) != NULL; set++)
        for (size_t i = 0; i < sizeof few / sizeof *few; i++)
            for (size_t j = 0; j < sizeof few / sizeof *few; j++)
                for (size_t l = 0; l < sizeof rows / sizeof *rows; l++) {
                    const struct shape shape = {{0, 12, 24, N - (size_t)rows[l]},
                                                {few[i], few[j], c[(i + j + l) % 4], rows[l]}};
                    check(&f, kernels_of(set), &shape, 1, both);
                }
}

/** J, K or both of one, two, three and five densities. */
TEST(every_density_gets_what_is_wanted)
{
    static const int n_job[] = {1, 2, 3, 5};
    SET_UP(f);
    for (int set = 0; kernels_of(set) != NULL; set++)
        for (int n_b = 1; n_b < 7; n_b++)
            for (int i = 0; i < 4; i++) {
                int n_choice = 1;
                for (int k = 0; k < n_job[i]; k++) n_choice *= 4;
                for (int choice = 0; choice<n_choice; choice += n_choice> 64 ? 11 : 1) {
                    int wanted[N_JOB];
                    for (int k = 0, rest = choice; k < N_JOB; k++, rest /= 4) wanted[k] = rest % 4;
                    const struct shape shape = {{0, 12, 24, 40},
                                                {1 + choice % 3, n_b, 3, n_b == 1 ? 2 : 7 * i + 4}};
                    check(&f, kernels_of(set), &shape, n_job[i], wanted);
                }
            }
}

/** Blocks of shells or atoms that are the same are added to as often as they are named. */
TEST(shells_that_coincide_are_added_to_twice)
{
    static const size_t first[][4] = {{4, 4, 20, 30},  {0, 9, 20, 20}, {4, 4, 20, 22},
                                      {20, 4, 20, 30}, {4, 30, 4, 28}, {7, 7, 7, 7}};
    const int wanted[] = {EXCHANGE, COULOMB | EXCHANGE};
    SET_UP(f);
    for (int set = 0; kernels_of(set) != NULL; set++)
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            for (int n = 1; n < 6; n++) {
                struct shape shape = {.n = {n, n, 5, n + 4}};
                memcpy(shape.first, first[i], sizeof first[i]);
                check(&f, kernels_of(set), &shape, 2, wanted);
            }
}

TEST_MAIN
