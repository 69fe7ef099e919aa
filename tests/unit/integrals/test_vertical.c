/* Every straight-line vertical recurrence against the loops. Compiled for every instruction set and
 * width that the kernels are compiled for. */

#include "../test.h"
#include "recurrence.h"
#include "vertical.h"

#include "base/simd.h"

#ifdef HF_SINGLE
static const double tolerance = 1e-5;
#else
static const double tolerance = 1e-14;
#endif

enum {
    MOST_LEVELS = 84,     /**< components of levels 0..6 */
    WORK_SPACE = 1 << 16, /**< of the loops, vectors: levels 6 and 6 need 34,000 */
    N_ROUND = 4
};

/** The next of a sequence of numbers between `low` and `high`. */
static double next_random(uint64_t *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(*state >> 11) * 0x1p-53);
}

/** Primitive quartets of random exponents and centres. */
static void make_quartets(uint64_t *state, lanes qc[3], struct lane_quartet *q)
{
    const double zeta = exp(next_random(state, -2.0, 4.0));
    q->qc = qc;
    for (int d = 0; d < 3; d++) q->pa[d] = (real)next_random(state, -2.0, 2.0);
    q->one_over_two_zeta = (real)(0.5 / zeta);
    for (int l = 0; l < HF_WIDTH; l++) {
        const double eta = exp(next_random(state, -2.0, 4.0)), sum = zeta + eta;
        double value = next_random(state, 0.5, 1.5);
        for (int d = 0; d < 3; d++) {
            qc[d][l] = (real)next_random(state, -2.0, 2.0);
            q->qp[d][l] = (real)next_random(state, -2.0, 2.0);
        }
        q->one_over_two_eta[l] = (real)(0.5 / eta);
        q->rho_over_zeta[l] = (real)(eta / sum);
        q->rho_over_eta[l] = (real)(zeta / sum);
        for (int m = 0; m <= HF_BOYS_MAX_ORDER; m++) {
            q->s[m][l] = (real)value;
            value *= next_random(state, 0.1, 1.0);
        }
    }
}

/** What is worked on, and room for it. */
struct fixture {
    struct hf_cartesian_table cartesian;
    lanes *space, *sum, *expected;
    int n_function;
};

static int set_up(void **state)
{
    struct fixture *self = aligned_alloc(64, (sizeof *self + 63) / 64 * 64);
    if (self == NULL) return -1;
    const size_t n_level = (size_t)MOST_LEVELS * MOST_LEVELS;
    hf_cartesian_table_init(&self->cartesian);
    self->space = aligned_alloc(64, WORK_SPACE * sizeof *self->space);
    self->sum = aligned_alloc(64, n_level * sizeof *self->sum);
    self->expected = aligned_alloc(64, n_level * sizeof *self->expected);
    self->n_function = 0;
    *state = self;
    return self->space == NULL || self->sum == NULL || self->expected == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    struct fixture *self = *state;
    free(self->space);
    free(self->sum);
    free(self->expected);
    free(self);
    return 0;
}

static void compare(struct fixture *self, const int e[2], const int f[2],
                    const struct lane_quartet *q)
{
    vertical_function *vertical = find_vertical(e[0], e[1], f[0], f[1]);
    if (vertical == NULL) return;
    self->n_function++;
    struct recurrence_work work = {.cartesian = &self->cartesian, .e_low = e[0], .f_low = f[0]};
    const int n = hf_n_levels(e[0], e[1]) * hf_n_levels(f[0], f[1]);
    for (int k = 0; k < n; k++) self->sum[k] = broadcast((real)NAN);
    lay_out(&work, e[1], f[1], 0, self->space);
    recurrences[f[1]](&work, e[1], q, self->expected);
    vertical(q, self->sum);
    for (int l = 0; l < HF_WIDTH; l++) {
        double largest = 0.0, deviation = 0.0;
        for (int k = 0; k < n; k++) {
            const double expected = (double)self->expected[k][l];
            largest = fmax(largest, fabs(expected));
            deviation = fmax(deviation, fabs((double)self->sum[k][l] - expected));
        }
        if (!(deviation <= tolerance * largest))
            fail_msg("(%d..%d|%d..%d): %g of %g", e[0], e[1], f[0], f[1], deviation, largest);
    }
}

TEST_IN(straight_line_and_loops_are_the_same, set_up, tear_down)
{
    struct fixture *self = *state;
    uint64_t random = 4;
    for (int round = 0; round < N_ROUND; round++) {
        struct lane_quartet q;
        lanes qc[3];
        make_quartets(&random, qc, &q);
        for (int e = 0; e < 49; e++)
            for (int f = 0; f < 49; f++)
                if (e / 7 <= e % 7 && f / 7 <= f % 7)
                    compare(self, (int[]){e / 7, e % 7}, (int[]){f / 7, f % 7}, &q);
    }
    assert_true(self->n_function >= N_ROUND * 15);
}

TEST(there_is_none_beyond_the_limit)
{
    assert_null(find_vertical(4, HF_MAX_RECURRENCE_L + 2, 0, 0));
    assert_null(find_vertical(0, 0, 1, HF_MAX_RECURRENCE_L));
}

int main(void)
{
#if defined __AVX512F__
    if (hf_instruction_set() < HF_AVX512) return 77;
#elif defined __AVX2__
    if (hf_instruction_set() < HF_AVX2) return 77;
#endif
    return cmocka_run_group_tests(test_list, NULL, NULL);
}
