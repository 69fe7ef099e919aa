/* The Boys function of vectors, lanes on both sides of the tables' limit, against one argument at a time. Compiled
 * for every instruction set and width that the kernels are compiled for. */
#include "../test.h"

#include "base/simd.h"
#include "boys/boys_lanes.h"

#include <stdlib.h>

#ifdef HF_SINGLE
static const double tolerance = 2e-6;
#else
static const double tolerance = 2e-14;
#endif

enum { N_ROUND = 2000, MOST_ORDER = HF_BOYS_SINGLE_MAX_ORDER };

struct fixture {
    struct hf_boys *plain;
    struct hf_boys_single *single;
};

static const boys_tables *tables_of(const struct fixture *self)
{
#ifdef HF_SINGLE
    return self->single;
#else
    return self->plain;
#endif
}

static int set_up(void **state)
{
    struct fixture *self = calloc(1, sizeof *self);
    if (self == NULL) return -1;
    *state = self;
    self->plain = hf_boys_create(MOST_ORDER);
    if (self->plain != NULL) self->single = hf_boys_single_create(self->plain);
    return self->single == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    struct fixture *self = *state;
    hf_boys_single_destroy(&self->single);
    hf_boys_destroy(&self->plain);
    free(self);
    return 0;
}

/** The next of a sequence of numbers between 0 and 1. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/** Arguments from 1e-3 to 150, some of them 0. */
static lanes draw_arguments(uint64_t *state)
{
    lanes T = broadcast(0);
    for (int l = 0; l < HF_WIDTH; l++)
        if (next_random(state) > 0.05) T[l] = (real)exp(12.0 * next_random(state) - 7.0);
    return T;
}

static void check(double value, double expected, int order, double T)
{
    if (!(fabs(value - expected) <= tolerance * expected))
        fail_msg("order %d of %g: %.16g, not %.16g", order, T, value, expected);
}

TEST(orders_are_those_of_single_arguments)
{
    const struct fixture *self = *state;
    uint64_t random = 3;
    for (int round = 0; round < N_ROUND; round++) {
        const int order = round % 7;
        const struct boys_argument at = {.T = draw_arguments(&random), .factor = broadcast(1)};
        lanes f[HF_BOYS_MAX_ORDER + 1];
        boys_lanes(tables_of(self), order, at, f);
        for (int l = 0; l < HF_WIDTH; l++) {
            double expected[HF_BOYS_MAX_ORDER + 1];
            hf_boys_evaluate(self->plain, order, (double)at.T[l], expected);
            for (int m = 0; m <= order; m++)
                check((double)f[m][l], expected[m], m, (double)at.T[l]);
        }
    }
}

TEST(the_lowest_order_over_a_root_is_the_quotient)
{
    const struct fixture *self = *state;
    uint64_t random = 5;
    for (int round = 0; round < N_ROUND; round++) {
        const lanes T = draw_arguments(&random);
        lanes sum = broadcast(0);
        for (int l = 0; l < HF_WIDTH; l++) sum[l] = (real)exp(10.0 * next_random(&random) - 3.0);
        const lanes product = T * sum;
        const struct boys_lowest lowest = boys_find_lowest(tables_of(self), product, sum);
        const lanes value = boys_look_lowest_up(tables_of(self), &lowest);
        for (int l = 0; l < HF_WIDTH; l++) {
            const double quotient = (double)product[l] / (double)sum[l];
            double expected;
            hf_boys_evaluate(self->plain, 0, quotient, &expected);
            check((double)value[l], expected / sqrt((double)sum[l]), 0, quotient);
        }
    }
}

int main(void)
{
#if defined __AVX512F__
    if (hf_instruction_set() < HF_AVX512) return 77;
#elif defined __AVX2__
    if (hf_instruction_set() < HF_AVX2) return 77;
#endif
    return cmocka_run_group_tests(test_list, set_up, tear_down);
}
