/* Quartets side by side to their places in strips, with the kernels of every instruction set that this
 * processor has, against one number after the other. */
#include "../test.h"

#include "../../../src/work/strip_kernels.h"

#include "base/simd.h"

/** Functions of a strip's D and C, and pairs of functions of its bra; a strip for each lane. */
enum { RUN = 13, MOST_C = 10, MOST_AB = 6, STRIP = RUN * MOST_C * MOST_AB };

struct fixture {
    double *from, *value, *expected;
    float *single_from, *single, *expected_single;
    uint32_t seed;
};

static void *numbers(size_t n, size_t size)
{
    void *made = calloc(n, size);
    assert_non_null(made);
    return made;
}

static void set_up(struct fixture *f)
{
    const size_t n = (size_t)HF_MOST_LANES * STRIP;
    *f = (struct fixture){.from = numbers(n, sizeof(double)),
                          .value = numbers(n, sizeof(double)),
                          .expected = numbers(n, sizeof(double)),
                          .single_from = numbers(n, sizeof(float)),
                          .single = numbers(n, sizeof(float)),
                          .expected_single = numbers(n, sizeof(float)),
                          .seed = 1};
    for (size_t i = 0; i < n; i++) {
        f->seed = f->seed * 1664525u + 1013904223u;
        f->from[i] = (double)(f->seed >> 2) / (1 << 30) - 0.5;
        f->single_from[i] = (float)f->from[i];
    }
}

static void tear_down(struct fixture *f)
{
    free(f->from);
    free(f->value);
    free(f->expected);
    free(f->single_from);
    free(f->single);
    free(f->expected_single);
}

/** Kernels number i; NULL: this processor has no more. */
static const struct hf_strip_kernels *kernels_of(int i)
{
    static const struct hf_strip_kernels *const kernels[] = {
        HF_KERNELS_BUILT(&hf_strip_portable, &hf_strip_avx2, &hf_strip_avx512)};
    return i < hf_n_kernels() ? kernels[i] : NULL;
}

/** Where lane l goes, in either order of the ket's shells and in either precision as bits of `ways`
 *  say. */
static struct hf_strip_lane lane_of(const struct fixture *f, const struct hf_strip_group *group,
                                    int l, unsigned ways)
{
    const bool turned = (ways >> l & 1) != 0, single = (ways >> (l / 2 + 3) & 1) != 0;
    const int run = RUN - l % 3, c_step = group->n_ab * run;
    const size_t first = (size_t)l * STRIP + (size_t)(l % 2);
    return (struct hf_strip_lane){.value = single ? NULL : f->value + first,
                                  .single = single ? f->single + first : NULL,
                                  .i_step = turned ? 1 : c_step,
                                  .j_step = turned ? c_step : 1,
                                  .ab_step = run,
                                  .factor = (float)(1 << l % 4)};
}

/** What is to be where lane l goes. */
static void expect(const struct fixture *f, const struct hf_strip_group *group, int l)
{
    const struct hf_strip_lane *lane = group->lane[l];
    for (int i = 0; i < group->n_i; i++)
        for (int j = 0; j < group->n_j; j++)
            for (int ab = 0; ab < group->n_ab; ab++) {
                const int ij = i * group->n_j + j, n_ij = group->n_i * group->n_j;
                const int number = group->bra_is_row ? ab * n_ij + ij : ij * group->n_ab + ab;
                const int at = number * group->width + l;
                const int to = i * lane->i_step + j * lane->j_step + ab * lane->ab_step;
                double x = group->value != NULL ? group->value[at] : (double)group->single[at];
                if (group->narrow) x = (double)(float)x;
                x *= (double)lane->factor;
                if (lane->value != NULL)
                    f->expected[lane->value - f->value + to] = x;
                else
                    f->expected_single[lane->single - f->single + to] = (float)x;
            }
}

static void check(const struct fixture *f, const struct hf_strip_kernels *kernels,
                  struct hf_strip_group *group, unsigned ways)
{
    const size_t n = (size_t)HF_MOST_LANES * STRIP;
    struct hf_strip_lane lane[HF_MOST_LANES];
    memset(f->value, 0, n * sizeof *f->value);
    memset(f->expected, 0, n * sizeof *f->expected);
    memset(f->single, 0, n * sizeof *f->single);
    memset(f->expected_single, 0, n * sizeof *f->expected_single);
    for (int l = 0; l < group->n; l++) {
        lane[l] = lane_of(f, group, l, ways);
        group->lane[l] = &lane[l];
        expect(f, group, l);
    }
    kernels->write(group);
    assert_memory_equal(f->value, f->expected, n * sizeof *f->value);
    assert_memory_equal(f->single, f->expected_single, n * sizeof *f->single);
}

TEST(every_number_goes_to_its_place_and_nothing_elsewhere)
{
    static const int width[] = {1, 4, 8, 16};
    unsigned count = 1;
    SET_UP(f);
    for (int set = 0; kernels_of(set) != NULL; set++)
        for (int n_i = 1; n_i <= MOST_C; n_i++)
            for (int n_j = 1; n_j <= MOST_C; n_j++)
                for (int w = 0; w < 4; w++, count++) {
                    const unsigned mixed = count * 2654435761u >> 7;
                    const bool single = mixed % 5 == 0;
                    struct hf_strip_group group = {.value = single ? NULL : f.from,
                                                   .single = single ? f.single_from : NULL,
                                                   .width = width[w],
                                                   .n = 1 + (int)mixed % width[w],
                                                   .n_i = n_i,
                                                   .n_j = n_j,
                                                   .n_ab = 1 + (int)mixed % MOST_AB,
                                                   .bra_is_row = mixed % 3 == 0,
                                                   .narrow = mixed % 7 == 0};
                    check(&f, kernels_of(set), &group, mixed % 4 == 0 ? 0xffff : 0);
                    check(&f, kernels_of(set), &group, mixed);
                }
}

TEST_MAIN
