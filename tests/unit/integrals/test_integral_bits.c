/* The bits of an integral depend on its own shells only: the same quartet, alone or among others, is
 * the same number. */
#include "../mpi_test.h"
#include "random_basis.h"

#include <math.h>
#include <pthread.h>

enum { N_THREAD = 2 };

/** One of several threads that compute the same quartets among different others. */
struct thread {
    const struct hf_shell_pairs *pairs;
    struct hf_engine *engine;
    double threshold;
    int64_t shift; /**< of its sequence of neighbours */
    int n_quartet; /**< to look at */
    int64_t n_different;
};

/** Random pairs of the class of `pair`, it in place `at`. */
static void draw_neighbours(const struct hf_shell_pairs *pairs, uint64_t *state,
                            const struct hf_shell_pair *pair, int n, int at,
                            const struct hf_shell_pair *other[])
{
    for (int i = 0; i < n; i++) {
        const struct hf_shell_pair *drawn = pair;
        for (int k = 0; k < 200 && (drawn == pair || drawn->pair_class != pair->pair_class); k++)
            drawn = &pairs->pair[random_below(state, (int)pairs->n_pair)];
        other[i] = drawn->pair_class == pair->pair_class ? drawn : pair;
    }
    other[at] = pair;
}

/** One quartet alone, then in batches of random sizes, places and neighbours. */
static void compare_quartet(struct thread *self, uint64_t *state, enum hf_precision precision,
                            const struct hf_shell_pair *fixed, const struct hf_shell_pair *pair,
                            double *alone, double *among)
{
    const struct hf_shell_pair *other[HF_MAX_BATCH];
    const struct hf_integral_batch one =
        precision == HF_PRECISION_DOUBLE
            ? hf_engine_two_electron(self->engine, fixed, 1, &pair)
            : hf_engine_two_electron_lanes(self->engine, fixed, 1, &pair, precision);
    take(&one, 1, 0, alone);
    for (int trial = 0; trial < 4; trial++) {
        const int n = 1 + random_below(state, trial < 3 ? 18 : HF_MAX_BATCH);
        const int at = random_below(state, n);
        draw_neighbours(self->pairs, state, pair, n, at, other);
        const struct hf_integral_batch batch =
            precision == HF_PRECISION_DOUBLE && trial % 2 == 0
                ? hf_engine_two_electron(self->engine, fixed, n, other)
                : hf_engine_two_electron_lanes(self->engine, fixed, n, other, precision);
        take(&batch, n, at, among);
        self->n_different += batch.fixed_is_row != one.fixed_is_row;
        for (size_t x = 0; x < batch.stride; x++) /* zeros may have either sign */
            self->n_different += !(alone[x] == among[x]);
    }
}

static void *compare_all(void *argument)
{
    struct thread *self = argument;
    uint64_t state = 77 + (uint64_t)self->shift;
    size_t largest = 1;
    for (int i = 0; i < self->pairs->n_class; i++)
        if ((size_t)self->pairs->class_of[i].n_function > largest)
            largest = (size_t)self->pairs->class_of[i].n_function;
    double *alone = malloc(largest * largest * sizeof *alone);
    double *among = malloc(largest * largest * sizeof *among);
    hf_engine_set_threshold(self->engine, self->threshold);
    for (int i = 0; i < self->n_quartet; i++) { /* a pair of a random class with another */
        const struct hf_shell_pair *pair[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            const int wanted = random_below(&state, self->pairs->n_class);
            const int64_t n = self->pairs->n_pair, first = random_below(&state, (int)n);
            for (int64_t m = 0; m < n && pair[k] == NULL; m++)
                if (self->pairs->pair[(first + m) % n].pair_class == wanted)
                    pair[k] = &self->pairs->pair[(first + m) % n];
        }
        if (pair[0] != NULL && pair[1] != NULL)
            for (int precision = HF_PRECISION_DOUBLE; precision <= HF_PRECISION_SINGLE; precision++)
                compare_quartet(self, &state, (enum hf_precision)precision, pair[0], pair[1], alone,
                                among);
    }
    free(alone);
    free(among);
    return NULL;
}

/** All quartets that two engines compute at once from one list, with a threshold. */
static void compare_in_threads(struct hf_context *context, const struct hf_basis *basis,
                               double threshold, int n_quartet)
{
    struct hf_shell_pairs *pairs = NULL;
    struct thread thread[N_THREAD];
    pthread_t id[N_THREAD];
    assert_ok(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error));
    for (int t = 0; t < N_THREAD; t++) {
        thread[t] = (struct thread){
            .pairs = pairs, .threshold = threshold, .shift = t, .n_quartet = n_quartet};
        assert_ok(hf_engine_create(pairs, &thread[t].engine, &error));
    }
    for (int t = 0; t < N_THREAD; t++)
        assert_int_equal(pthread_create(&id[t], NULL, compare_all, &thread[t]), 0);
    for (int t = 0; t < N_THREAD; t++) {
        pthread_join(id[t], NULL);
        assert_int_equal(thread[t].n_different, 0);
        hf_engine_destroy(&thread[t].engine);
    }
    hf_shell_pairs_destroy(&pairs);
}

static void compare_bases(int highest, int n_basis, int n_quartet)
{
    static const double threshold[] = {0.0, 1e-12, 1e-9, 1e-6, 1e-3};
    TEST_CONTEXT(context);
    uint64_t state = 2026 + (uint64_t)highest;
    for (int i = 0; i < n_basis; i++) {
        struct random_basis made;
        make_basis(&made, &state, highest);
        compare_in_threads(context, made.basis, threshold[i % 5], n_quartet);
        compare_in_threads(context, made.merged, threshold[(i + 2) % 5], n_quartet);
        random_basis_done(&made);
    }
}

TEST(a_quartet_of_s_to_f_shells_is_one_number_in_any_batch)
{
    compare_bases(0, 5, 10);
    compare_bases(2, 5, 60);
    compare_bases(3, 5, 20);
}

TEST(a_quartet_of_high_shells_is_one_number_in_any_batch)
{
    compare_bases(HF_MAX_L, 2, 8);
}

/** The quartets of two engines are the same, in the order of one and in the other's. */
TEST(two_engines_give_the_same_bits)
{
    TEST_CONTEXT(context);
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine[2] = {NULL, NULL};
    struct random_basis made;
    uint64_t random = 5;
    make_basis(&made, &random, 2);
    assert_ok(hf_shell_pairs_create(context, made.merged, 1e-14, &pairs, &error));
    for (int k = 0; k < 2; k++) assert_ok(hf_engine_create(pairs, &engine[k], &error));
    for (int64_t i = 0; i + 1 < pairs->n_pair; i++) {
        const struct hf_shell_pair *fixed = &pairs->pair[pairs->n_pair - 1 - i];
        const struct hf_shell_pair *pair = &pairs->pair[i], *unlike = &pairs->pair[i + 1];
        hf_engine_two_electron(engine[1], pair, 1,
                               &unlike); /* what it did before does not matter */
        const struct hf_integral_batch one = hf_engine_two_electron(engine[0], fixed, 1, &pair);
        const struct hf_integral_batch two = hf_engine_two_electron(engine[1], fixed, 1, &pair);
        assert_int_equal(one.stride, two.stride);
        assert_memory_equal(one.value, two.value, one.stride * sizeof *one.value);
    }
    for (int k = 0; k < 2; k++) hf_engine_destroy(&engine[k]);
    hf_shell_pairs_destroy(&pairs);
    random_basis_done(&made);
}

MPI_TEST_MAIN
