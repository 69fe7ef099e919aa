/* From contracted levels to functions, by every table of kernels, against matrices made of binomial
 * expansions and of the harmonics. */
#include "../../../src/integrals/kernels.h"
#include "../mpi_test.h"

#include "base/simd.h"

#include <math.h>

enum { MOST_LEVEL = 3 * 84, MOST_FUNCTION = 160, MOST_CLASS = 128 };

struct tables {
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    int n_kernels;
    const struct hf_kernels *kernels[8];
    int n_class;
    struct hf_pair_class class_of[MOST_CLASS];
};

static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/** A pair of shells of one part, or of several of equal angular momenta or of s and p. */
static void add_class(struct tables *all, const int l_a[], int n_a, const int l_b[], int n_b,
                      bool spherical_a, bool spherical_b)
{
    struct hf_pair_class made = {.n_part = 0};
    for (int i = 0; i < n_a; i++) {
        made.n_b = 0;
        for (int j = 0; j < n_b; j++) {
            struct hf_pair_part *part = &made.part[made.n_part++];
            *part = (struct hf_pair_part){.l_a = l_a[i],
                                          .l_b = l_b[j],
                                          .spherical_a = spherical_a && l_a[i] > 1,
                                          .spherical_b = spherical_b && l_b[j] > 1,
                                          .first_a = made.n_a,
                                          .first_b = made.n_b};
            part->n_a = part->spherical_a ? 2 * l_a[i] + 1 : hf_n_cartesian(l_a[i]);
            part->n_b = part->spherical_b ? 2 * l_b[j] + 1 : hf_n_cartesian(l_b[j]);
            made.n_b += part->n_b;
        }
        made.n_a += made.part[made.n_part - 1].n_a;
    }
    made.n_function = made.n_a * made.n_b;
    assert_true(all->n_class < MOST_CLASS && made.n_function <= MOST_FUNCTION);
    all->class_of[all->n_class++] = made;
}

static void add_classes(struct tables *all)
{
    for (int a = 0; a <= HF_MAX_L; a++)
        for (int b = 0; b <= HF_MAX_L && a + b <= HF_MAX_RECURRENCE_L; b++)
            for (int kind = 0; kind < 4; kind++)
                if ((kind & 1) == 0 || b > 1)
                    if ((kind & 2) == 0 || a > 1)
                        add_class(all, &a, 1, &b, 1, (kind & 2) != 0, (kind & 1) != 0);
    static const int sp[] = {0, 1}, s[] = {0, 0, 0}, p[] = {1, 1}, d[] = {2, 2};
    add_class(all, sp, 2, s, 1, true, true);
    add_class(all, sp, 2, sp, 2, true, true);
    add_class(all, d, 1, sp, 2, true, true);
    add_class(all, d, 1, sp, 2, false, false);
    add_class(all, p, 2, s, 3, true, true);
    add_class(all, s, 3, s, 3, true, true);
    add_class(all, d, 2, p, 2, true, true);
    add_class(all, d, 2, d, 2, true, true);
}

static void add_tables(struct tables *all, const struct hf_kernels *one,
                       const struct hf_kernels *other)
{
    all->kernels[all->n_kernels++] = one;
    all->kernels[all->n_kernels++] = other;
}

static int set_up(void **state)
{
    struct tables *all = calloc(1, sizeof *all);
    hf_cartesian_table_init(&all->cartesian);
    for (int l = 0; l <= HF_MAX_L; l++) hf_solid_harmonics_init(l, &all->harmonics[l]);
    static const struct hf_kernels *const of_double[] = {
        HF_KERNELS_BUILT(&hf_kernels_portable_4, &hf_kernels_avx2_4, &hf_kernels_avx512_8)};
    static const struct hf_kernels *const of_single[] = {HF_KERNELS_BUILT(
        &hf_kernels_portable_single_4, &hf_kernels_avx2_single_8, &hf_kernels_avx512_single_16)};
    static const struct hf_kernels *const narrow[] = {
        HF_KERNELS_BUILT(NULL, NULL, &hf_kernels_avx512_4)};
    static const struct hf_kernels *const single_narrow[] = {
        HF_KERNELS_BUILT(NULL, NULL, &hf_kernels_avx512_single_8)};
    for (int i = 0; i < hf_n_kernels(); i++) {
        add_tables(all, of_double[i], of_single[i]);
        if (narrow[i] != NULL) add_tables(all, narrow[i], single_narrow[i]);
    }
    add_classes(all);
    *state = all;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static double binomial(int n, int k)
{
    return k == 0 ? 1.0 : binomial(n - 1, k - 1) * n / k;
}

/** What monomials p of a with q of b have of the levels: prod_d of (x_d + shift_d)^q_d, added with
 *  `factor`. */
static void add_product(const struct tables *all, int l_a, int p, int l_b, int q, double factor,
                        const double shift[3], double row[])
{
    const signed char *a = all->cartesian.component[l_a][p].power;
    const signed char *b = all->cartesian.component[l_b][q].power;
    for (int i = 0; i <= b[0]; i++)
        for (int j = 0; j <= b[1]; j++)
            for (int k = 0; k <= b[2]; k++) {
                const int y = a[1] + j, z = a[2] + k, l = l_a + i + j + k;
                row[hf_n_levels(l_a, l - 1) + hf_cartesian_index(y, z)] +=
                    factor * binomial(b[0], i) * pow(shift[0], b[0] - i) * binomial(b[1], j) *
                    pow(shift[1], b[1] - j) * binomial(b[2], k) * pow(shift[2], b[2] - k);
            }
}

/** Terms of function `row` of a shell; their number. */
static int find_terms(const struct tables *all, int l, bool spherical, int row, int column[],
                      double factor[])
{
    const struct hf_solid_harmonics *harmonics = &all->harmonics[l];
    column[0] = row;
    factor[0] = 1.0;
    for (int k = 0; spherical && k < harmonics->n_term[row]; k++) {
        column[k] = harmonics->column[row][k];
        factor[k] = harmonics->coefficient[row][k];
    }
    return spherical ? harmonics->n_term[row] : 1;
}

/** matrix [functions of the class][levels of all parts, one after the other]; the levels. */
static int make_matrix(const struct tables *all, const struct hf_pair_class *kind,
                       const double shift[3], double matrix[MOST_FUNCTION][MOST_LEVEL])
{
    int first = 0;
    memset(matrix, 0, MOST_FUNCTION * sizeof *matrix);
    for (int n = 0; n < kind->n_part; n++) {
        const struct hf_pair_part *part = &kind->part[n];
        for (int a = 0; a < part->n_a; a++) {
            for (int b = 0; b < part->n_b; b++) {
                int p[HF_MAX_TERMS], q[HF_MAX_TERMS];
                double f[HF_MAX_TERMS], g[HF_MAX_TERMS];
                const int n_p = find_terms(all, part->l_a, part->spherical_a, a, p, f);
                const int n_q = find_terms(all, part->l_b, part->spherical_b, b, q, g);
                double *row = matrix[(part->first_a + a) * kind->n_b + part->first_b + b] + first;
                for (int i = 0; i < n_p; i++)
                    for (int j = 0; j < n_q; j++)
                        add_product(all, part->l_a, p[i], part->l_b, q[j], f[i] * g[j], shift, row);
            }
        }
        first += hf_part_n_level(part);
    }
    assert_true(first <= MOST_LEVEL);
    return first;
}

/** Levels of all parts of two classes, as they stand in the work space of `recurrence`, and where:
 *  place [level of the bra][level of the ket]. */
static size_t find_places(const struct hf_pair_class *bra, const struct hf_pair_class *ket,
                          size_t place[MOST_LEVEL][MOST_LEVEL])
{
    size_t next = 0;
    for (int i = 0, first_e = 0; i < bra->n_part; i++) {
        const int n_e = hf_part_n_level(&bra->part[i]);
        for (int j = 0, first_f = 0; j < ket->n_part; j++) {
            const int n_f = hf_part_n_level(&ket->part[j]);
            for (int e = 0; e < n_e; e++)
                for (int f = 0; f < n_f; f++) place[first_e + e][first_f + f] = next++;
            first_f += n_f;
        }
        first_e += n_e;
    }
    return next;
}

struct blocks {
    double matrix[2][MOST_FUNCTION][MOST_LEVEL]; /**< of bra, of ket */
    size_t place[MOST_LEVEL][MOST_LEVEL];
    double half[MOST_FUNCTION][MOST_LEVEL];
};

/** Largest difference between one lane of `out` and what it should be, over the largest number. */
static double lane_error(const struct tables *all, struct blocks *blocks,
                         const struct hf_pair_class *bra, const struct hf_pair_class *ket,
                         const double shift[2][3], int width, const double *levels,
                         const double *out)
{
    double worst = 0.0, largest = 0.0;
    const int n_e = make_matrix(all, bra, shift[0], blocks->matrix[0]);
    const int n_f = make_matrix(all, ket, shift[1], blocks->matrix[1]);
    for (int i = 0; i < bra->n_function; i++) {
        for (int f = 0; f < n_f; f++) {
            double sum = 0.0;
            for (int e = 0; e < n_e; e++)
                if (blocks->matrix[0][i][e] != 0.0)
                    sum += blocks->matrix[0][i][e] * levels[blocks->place[e][f] * (size_t)width];
            blocks->half[i][f] = sum;
        }
    }
    for (int j = 0; j < ket->n_function; j++) {
        for (int i = 0; i < bra->n_function; i++) {
            double sum = 0.0;
            for (int f = 0; f < n_f; f++) sum += blocks->matrix[1][j][f] * blocks->half[i][f];
            const double found = out[(size_t)(j * bra->n_function + i) * (size_t)width];
            worst = fmax(worst, isfinite(found) ? fabs(found - sum) : HUGE_VAL);
            largest = fmax(largest, fabs(sum));
        }
    }
    return worst / largest;
}

static void *numbers(size_t n, size_t size)
{
    return aligned_alloc(64, (n * size + 63) / 64 * 64);
}

/** Numbers rounded to single precision, in both precisions. */
static float *rounded(size_t n, double *value)
{
    float *to = numbers(n, sizeof *to);
    for (size_t i = 0; i < n; i++) value[i] = to[i] = (float)value[i];
    return to;
}

/** Two classes by one table. */
struct call {
    const struct hf_kernels *kernels;
    size_t n_level, n_out;
    double *shift, *levels; /**< rounded where the call is in single precision */
};

/** Makes the functions; what is not written is not a number. */
static void make_functions(const struct call *call, const struct hf_quartet *quartet, double *out)
{
    const size_t n_scratch = (size_t)(MOST_LEVEL * MOST_LEVEL * call->kernels->width);
    double *scratch = numbers(n_scratch, sizeof *scratch);
    for (size_t i = 0; i < call->n_out; i++) out[i] = NAN;
    if (!call->kernels->single) {
        call->kernels->to_functions(quartet, call->shift, call->levels, scratch, out);
    } else {
        float *shift = rounded((size_t)(3 * call->kernels->width), call->shift);
        float *levels = rounded(call->n_level, call->levels), *found = rounded(call->n_out, out);
        call->kernels->to_functions(quartet, shift, levels, scratch, found);
        for (size_t i = 0; i < call->n_out; i++) out[i] = found[i];
        free(shift);
        free(levels);
        free(found);
    }
    free(scratch);
}

/** Two classes with random levels and shifts, by one table; the first and the last lane. */
static double class_error(const struct tables *all, struct blocks *blocks, struct call *call,
                          const struct hf_pair_class *bra, const struct hf_pair_class *ket,
                          uint64_t *state)
{
    const int width = call->kernels->width;
    call->n_level = find_places(bra, ket, blocks->place) * (size_t)width;
    call->n_out = (size_t)(bra->n_function * ket->n_function * width);
    call->levels = numbers(call->n_level, sizeof(double));
    call->shift = numbers((size_t)(3 * width), sizeof(double));
    double *out = numbers(call->n_out, sizeof *out), worst = 0.0, shift[2][3];
    struct hf_expanded_pair expanded = {.n_primitive = 0};
    for (size_t i = 0; i < call->n_level; i++) call->levels[i] = next_random(state);
    for (int d = 0; d < 3; d++) {
        shift[0][d] = expanded.ab[d] = (float)next_random(state);
        for (int l = 0; l < width; l++) call->shift[d * width + l] = next_random(state);
    }
    const struct hf_quartet quartet = {.cartesian = &all->cartesian,
                                       .harmonics = all->harmonics,
                                       .bra = &expanded,
                                       .bra_class = bra,
                                       .ket_class = ket};
    make_functions(call, &quartet, out);
    for (int l = 0; l < width; l += width - 1) {
        for (int d = 0; d < 3; d++) shift[1][d] = call->shift[d * width + l];
        worst = fmax(worst, lane_error(all, blocks, bra, ket, (const double(*)[3])shift, width,
                                       call->levels + l, out + l));
    }
    free(call->levels);
    free(call->shift);
    free(out);
    return worst;
}

/** Every class as bra and as ket: with itself, and with some others. */
static void compare_table(const struct tables *all, const struct hf_kernels *kernels)
{
    struct call call = {.kernels = kernels};
    struct blocks *blocks = malloc(sizeof *blocks);
    const double accuracy = kernels->single ? 1e-5 : 1e-13;
    uint64_t random = 5;
    for (int i = 0; i < all->n_class; i++) {
        for (int step = 0; step < all->n_class; step += 17) {
            const struct hf_pair_class *bra = &all->class_of[i];
            const struct hf_pair_class *ket = &all->class_of[(i + step) % all->n_class];
            const double deviation = class_error(all, blocks, &call, bra, ket, &random);
            if (deviation > accuracy)
                fail_msg("%s: (%d %d|%d %d): deviation %g", kernels->name, bra->part[0].l_a,
                         bra->part[0].l_b, ket->part[0].l_a, ket->part[0].l_b, deviation);
        }
    }
    free(blocks);
}

TEST(every_class_is_right_by_every_table)
{
    const struct tables *all = *state;
    for (int k = 0; k < all->n_kernels; k++) compare_table(all, all->kernels[k]);
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return cmocka_run_group_tests(test_list, set_up, tear_down);
}
