/* Sums whose bits do not depend on the order: the unit against the bound, densities made ready, and strips
 * digested whole and in pieces, forwards and backwards, by every kernel of this processor. */
#include "../mpi_test.h"
#include "../shells.h"

#include "base/simd.h"
#include "digest/digest.h"
#include "digest/exact_sums.h"

#include <math.h>

enum { N_ATOM = 2, N_SHELL = 3, N_FUNCTION = 7, MOST = 40 };

static const double centre[N_ATOM][3] = {{0.0, 0.0, 0.0}, {1.4, 0.3, 0.0}};
static const struct test_shell shells[N_SHELL] = {
    {0, 0, 1, false, {0.7}, {0.5}}, {0, 1, 1, false, {2.5}, {0.4}}, {1, 1, 1, false, {0.4}, {0.6}}};

/** A list of pairs that has nothing but bounds. */
static struct hf_shell_pairs make_pairs(struct hf_context *context, const struct hf_basis *basis,
                                        struct hf_shell_pair pair[6])
{
    struct hf_shell_pairs pairs = {.context = context, .basis = basis, .pair = pair, .bound = 1.75};
    for (int a = 0; a < N_SHELL; a++)
        for (int b = 0; b <= a; b++)
            pair[pairs.n_pair++] =
                (struct hf_shell_pair){.a = a, .b = b, .bound = 1.75 / (1 + a - b)};
    return pairs;
}

static bool is_odd(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 1) != 0;
}

/** The same density in blocks met forwards and backwards: the same unit, not below the sums it is for. */
TEST(the_unit_follows_from_the_densities)
{
    static const int order[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{1, 1}, {1, 0}, {0, 0}}};
    const int n_of_atom[N_ATOM] = {4, 3};
    const double mirror[2] = {1.0, -1.0};
    double range[2];
    struct hf_shell_pair pair[6];
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(N_ATOM, centre, N_SHELL, shells);
    const struct hf_shell_pairs pairs = make_pairs(context, basis, pair);
    struct hf_exact_sums *sums = NULL;
    assert_ok(hf_exact_sums_create(&pairs, &sums, &error));
    for (int turn = 0; turn < 2; turn++) {
        assert_ok(hf_exact_sums_begin(sums, 1, &error));
        for (int k = 0; k < 3; k++) {
            const int i = order[turn][k][0], j = order[turn][k][1];
            const int n = n_of_atom[i] * n_of_atom[j];
            double block[16];
            uint32_t seed = (uint32_t)(i + 2 * j + 1);
            for (int x = 0; x < n; x++) block[x] = x == 5 ? 0.0 : 3e3 * test_random(&seed);
            hf_exact_sums_meet(sums, 0, i, j, mirror[turn], block);
            for (int r = 0; r < n_of_atom[i]; r++)
                for (int c = 0; c < n_of_atom[j]; c++) {
                    const double x = block[r * n_of_atom[j] + c];
                    assert_true(x == 0.0 || is_odd(x));
                    if (i == j && c != r)
                        assert_true(x == mirror[turn] * block[c * n_of_atom[j] + r]);
                }
        }
        assert_ok(hf_exact_sums_find_unit(sums, &error));
        range[turn] = hf_exact_sums_range(sums);
    }
    assert_true(range[0] == range[1]);
    /* 49 elements of 750 on average, bounds of 1.75: 8 times their sum, and at most 8 times that */
    assert_true(range[0] > 8.0 * 1.75 * 49.0 * 500.0 && range[0] < 64.0 * 3.1 * 49.0 * 1500.0);
    assert_true(hf_exact_sums_origin(sums) == 3.0 * range[0]);
    hf_exact_sums_destroy(&sums);
    assert_null(sums);
    test_basis_destroy(&basis);
}

TEST(a_density_beyond_all_bounds_is_refused)
{
    struct hf_shell_pair pair[6];
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(N_ATOM, centre, N_SHELL, shells);
    const struct hf_shell_pairs pairs = make_pairs(context, basis, pair);
    struct hf_exact_sums *sums = NULL;
    assert_ok(hf_exact_sums_create(&pairs, &sums, &error));
    const double too_large[] = {1e12, (double)INFINITY, (double)NAN};
    for (int k = 0; k < 3; k++) {
        double block[16] = {too_large[k]};
        assert_ok(hf_exact_sums_begin(sums, 1, &error));
        hf_exact_sums_meet(sums, 0, 0, 0, 1.0, block);
        assert_int_equal(hf_exact_sums_find_unit(sums, &error), HF_NO_RESOURCE);
    }
    hf_exact_sums_destroy(&sums);
    test_basis_destroy(&basis);
}

/** Densities and sums of a strip, rows and columns of MOST functions with slack. */
enum { PLANE = MOST * MOST + HF_STRIP_SLACK, N_BLOCK = 6 };

struct strip_test {
    double density[N_BLOCK][PLANE], sum[N_BLOCK][PLANE];
    double value[1 << 16], piece[1 << 16];
    int n_a, n_b, n_c, n_d;
    double origin;
};

/** Digests functions c .. c_end-1 and d .. d_end-1 of the strip. */
static void digest_piece(struct strip_test *t, hf_digest_strip_function *digest, int c, int c_end,
                         int d, int d_end)
{
    double *to = t->piece;
    for (int k = c; k < c_end; k++)
        for (int ab = 0; ab < t->n_a * t->n_b; ab++)
            for (int l = d; l < d_end; l++)
                *to++ = t->value[(k * t->n_a * t->n_b + ab) * t->n_d + l];
    const double(*D)[PLANE] = (const double(*)[PLANE])t->density;
    const struct hf_strip_job job = {.D_ab = D[0],
                                     .D_cd = D[1] + c * MOST + d,
                                     .D_ac = D[2] + c,
                                     .D_ad = D[3] + d,
                                     .D_bc = D[4] + c,
                                     .D_bd = D[5] + d,
                                     .J_ab = t->sum[0],
                                     .J_cd = t->sum[1] + c * MOST + d,
                                     .K_ac = t->sum[2] + c,
                                     .K_ad = t->sum[3] + d,
                                     .K_bc = t->sum[4] + c,
                                     .K_bd = t->sum[5] + d};
    digest(&(struct hf_digest_strip){.value = t->piece,
                                     .n_a = t->n_a,
                                     .n_b = t->n_b,
                                     .n_c = c_end - c,
                                     .n_d = d_end - d,
                                     .density_leading_b = MOST,
                                     .density_leading_c = MOST,
                                     .density_leading_d = MOST,
                                     .leading_b = MOST,
                                     .leading_c = MOST,
                                     .leading_d = MOST,
                                     .origin = t->origin,
                                     .n_job = 1,
                                     .job = &job});
}

/** Kernels number i, that of exact sums and that of others; false: there are no more. */
static bool find_kernels(int i, hf_digest_strip_function *kernel[2])
{
    static hf_digest_strip_function *const of_exact[] = {HF_KERNELS_BUILT(
        hf_digest_strip_portable_exact, hf_digest_strip_avx2, hf_digest_strip_avx512)};
    static hf_digest_strip_function *const others[] = {
        HF_KERNELS_BUILT(hf_digest_strip_portable, hf_digest_strip_avx2, hf_digest_strip_avx512)};
    if (i >= hf_n_kernels()) return false;
    kernel[0] = of_exact[i];
    kernel[1] = others[i];
    return true;
}

/** Digests the strip in pieces of so many functions c and d, the last ones first where `backwards`. */
static void digest_in_pieces(struct strip_test *t, hf_digest_strip_function *digest, int n_c,
                             int n_d, bool backwards)
{
    memset(t->sum, 0, sizeof t->sum);
    const int columns = (t->n_d + n_d - 1) / n_d, n = (t->n_c + n_c - 1) / n_c * columns;
    for (int k = 0; k < n; k++) {
        const int piece = backwards ? n - 1 - k : k;
        const int c = piece / columns * n_c, d = piece % columns * n_d;
        digest_piece(t, digest, c, c + n_c < t->n_c ? c + n_c : t->n_c, d,
                     d + n_d < t->n_d ? d + n_d : t->n_d);
    }
}

static void set_up_strip(struct strip_test *t, uint32_t seed)
{
    for (int b = 0; b < N_BLOCK; b++)
        for (int i = 0; i < PLANE; i++) {
            uint64_t bits;
            t->density[b][i] = test_random(&seed) * ldexp(1.0, -(int)(seed % 9));
            memcpy(&bits, &t->density[b][i], sizeof bits);
            bits |= 1;
            memcpy(&t->density[b][i], &bits, sizeof bits);
        }
    for (int i = 0; i < 1 << 16; i++)
        t->value[i] = test_random(&seed) * ldexp(1.0, -(int)(seed >> 4 & 15));
    t->origin = ldexp(1.5, 52 - 38); /* units of 2^-38, sums up to 2^13 */
}

/** No order and no kernel changes a bit, and what is summed up is the plain sum but for the units. */
TEST(pieces_of_a_strip_give_the_same_bits)
{
    static const int shape[][4] = {{1, 1, 7, 23}, {3, 1, 5, 14}, {1, 3, 9, 30}, {6, 5, 8, 17},
                                   {11, 7, 3, 9}, {2, 2, 17, 5}, {3, 4, 2, 1}};
    static const int piece[][2] = {{1, 1}, {2, 5}, {17, 4}, {1, 30}, {3, 9}};
    static double whole[N_BLOCK][PLANE], fused[N_BLOCK][PLANE];
    struct strip_test *t = malloc(sizeof *t);
    assert_non_null(t);
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        hf_digest_strip_function *kernel[2];
        int n_fused = 0;
        set_up_strip(t, (uint32_t)s + 1);
        t->n_a = shape[s][0], t->n_b = shape[s][1], t->n_c = shape[s][2], t->n_d = shape[s][3];
        for (int set = 0; find_kernels(set, kernel); set++) {
            const double origin = t->origin;
            t->origin = 0.0;
            digest_in_pieces(t, kernel[1], t->n_c, t->n_d, false);
            t->origin = origin;
            memcpy(whole, t->sum, sizeof whole);
            digest_in_pieces(t, kernel[0], t->n_c, t->n_d, false);
            for (int b = 0; b < N_BLOCK; b++)
                for (int i = 0; i < PLANE; i++)
                    assert_true(fabs(whole[b][i] - t->sum[b][i]) < 4096.0 * 0x1p-38);
            memcpy(whole, t->sum, sizeof whole);
            if (kernel[0] == kernel[1]) { /* with fused multiply-adds, of any width */
                if (n_fused++ > 0) assert_memory_equal(whole, fused, sizeof whole);
                memcpy(fused, whole, sizeof fused);
            }
            for (size_t k = 0; k < 2 * sizeof piece / sizeof *piece; k++) {
                digest_in_pieces(t, kernel[0], piece[k / 2][0], piece[k / 2][1], k % 2 == 1);
                assert_memory_equal(t->sum, whole, sizeof whole);
            }
        }
    }
    free(t);
}

MPI_TEST_MAIN
