/* Integrals in single precision err by no more than the margin that the choice of quartets allows for. */
#include "../mpi_test.h"
#include "random_basis.h"

enum { MOST_INTEGRAL = 1 << 16 };

/** The largest error of a quartet's integrals in single precision, in units of what it is proportional to. */
static double single_error(struct hf_engine *engine, const struct hf_shell_pair *bra,
                           const struct hf_shell_pair *ket, double exact[], double rounded[])
{
    double deviation = 0.0;
    const struct hf_integral_batch in_double =
        hf_engine_two_electron_lanes(engine, bra, 1, &ket, HF_PRECISION_DOUBLE);
    assert_true(in_double.stride <= MOST_INTEGRAL);
    take(&in_double, 1, 0, exact);
    const struct hf_integral_batch in_single =
        hf_engine_two_electron_lanes(engine, bra, 1, &ket, HF_PRECISION_SINGLE);
    take(&in_single, 1, 0, rounded);
    assert_int_equal(in_single.stride, in_double.stride);
    for (size_t x = 0; x < in_double.stride; x++) {
        const double difference = fabs(exact[x] - rounded[x]);
        deviation = isfinite(difference) ? fmax(deviation, difference) : INFINITY;
    }
    return deviation / (HF_SINGLE_ERROR * bra->rounding * ket->rounding);
}

/** The largest of some quartets of a basis. */
static double largest_error(struct hf_context *context, const struct hf_basis *basis,
                            uint64_t *random)
{
    enum { N_QUARTET = 400 };
    static double exact[MOST_INTEGRAL], rounded[MOST_INTEGRAL];
    struct hf_shell_pairs *pairs = NULL;
    struct hf_engine *engine = NULL;
    double worst = 0.0;
    assert_ok(hf_shell_pairs_create(context, basis, 1e-14, &pairs, &error));
    assert_ok(hf_engine_create(pairs, &engine, &error));
    hf_engine_set_threshold(engine, 0.0);
    for (int i = 0; i < N_QUARTET; i++) {
        const struct hf_shell_pair *bra = &pairs->pair[random_below(random, (int)pairs->n_pair)];
        const struct hf_shell_pair *ket = &pairs->pair[random_below(random, (int)pairs->n_pair)];
        if (isfinite(bra->rounding * ket->rounding))
            worst = fmax(worst, single_error(engine, bra, ket, exact, rounded));
    }
    hf_engine_destroy(&engine);
    hf_shell_pairs_destroy(&pairs);
    return worst;
}

TEST(errors_stay_within_the_margin)
{
    static const struct {
        const char *name;
        double centres, exponents; /**< times those drawn */
    } situation[] = {{"as drawn", 1.0, 1.0},
                     {"tight", 1.0, 1e5},
                     {"diffuse", 1.0, 0.05},
                     {"far", 6.0, 1.0},
                     {"near", 0.01, 1.0}};
    TEST_CONTEXT(context);
    uint64_t random = 11;
    for (int i = 0; i < (int)(sizeof situation / sizeof *situation); i++) {
        double worst = 0.0;
        for (int highest = 1; highest <= 3; highest += 2) {
            struct random_basis made;
            draw_basis(&made, &random, highest);
            for (int x = 0; x < 3 * N_ATOM; x++) made.centre[x / 3][x % 3] *= situation[i].centres;
            for (int s = 0; s < made.n_shell; s++) /* those of merged shells stay equal */
                for (int k = 0; k < made.shell[s].n_primitive; k++)
                    made.shell[s].exponent[k] *= situation[i].exponents;
            build_basis(&made);
            worst = fmax(worst, largest_error(context, made.basis, &random));
            worst = fmax(worst, largest_error(context, made.merged, &random));
            random_basis_done(&made);
        }
        print_message("%s: %.2f units of %g\n", situation[i].name, worst, HF_SINGLE_MARGIN);
        assert_true(worst > 0.1 && worst < HF_SINGLE_MARGIN);
    }
}

MPI_TEST_MAIN
