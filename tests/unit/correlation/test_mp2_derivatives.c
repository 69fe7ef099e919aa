/* What the derivatives of MP2 need of its amplitudes: identities, and the same in any number of batches. */
#include "mp2_system.h"

#include "correlation/mp2_derivatives.h"

/** Element q p of a matrix of the result. */
static double element(const struct hf_mp2_derivatives *of, double *const matrix[], int spin, int p,
                      int q)
{
    return matrix[spin][(size_t)q * (size_t)of->n_orbital[spin] + (size_t)p];
}

static void compute(struct test_solved *s, const struct hf_mp2_settings *settings,
                    struct hf_mp2_derivatives *of, struct hf_mp2_result *result)
{
    struct hf_mp2_settings with = *settings;
    with.derivatives = of;
    const hf_status status = hf_mp2_compute(s->context, &s->wave, &with, result, &error);
    if (status != HF_OK) print_error("%s\n", error.message);
    assert_ok(status);
}

/** Electrons are neither made nor lost; the energy comes back from its derivatives; orbitals that are occupied alike
 *  may be mixed. */
static void check_identities(const struct test_solved *s, const struct hf_mp2_derivatives *of,
                             double energy)
{
    const double n_spin = of->n_spin == 1 ? 2.0 : 1.0;
    double electrons = 0.0, occupied = 0.0, virtuals = 0.0;
    for (int spin = 0; spin < of->n_spin; spin++)
        for (int p = 0; p < of->n_orbital[spin]; p++) {
            const double y = element(of, of->lagrangian, spin, p, p);
            electrons += n_spin * element(of, of->density, spin, p, p);
            *(p < of->n_occupied[spin] ? &occupied : &virtuals) += n_spin * y;
        }
    assert_true(fabs(electrons) < 1e-11);
    assert_true(fabs(occupied - 4.0 * energy) < 1e-10);
    assert_true(fabs(virtuals - 4.0 * energy) < 1e-10);
    for (int spin = 0; spin < of->n_spin; spin++)
        for (int p = of->n_frozen[spin]; p < of->n_orbital[spin]; p++)
            for (int q = of->n_frozen[spin]; q < p; q++) {
                const double *e = s->wave.spin[spin].energy;
                const double p_qp = element(of, of->density, spin, q, p);
                assert_true(fabs(p_qp - element(of, of->density, spin, p, q)) < 1e-11);
                if ((p < of->n_occupied[spin]) != (q < of->n_occupied[spin])) continue;
                assert_true(fabs(element(of, of->lagrangian, spin, p, q) + 2.0 * e[p] * p_qp -
                                 element(of, of->lagrangian, spin, q, p) - 2.0 * e[q] * p_qp) <
                            1e-10);
            }
}

static void assert_alike(const struct hf_mp2_derivatives *one,
                         const struct hf_mp2_derivatives *other)
{
    for (int spin = 0; spin < one->n_spin; spin++)
        for (int p = 0; p < one->n_orbital[spin]; p++)
            for (int q = 0; q < one->n_orbital[spin]; q++) {
                assert_true(fabs(element(one, one->density, spin, p, q) -
                                 element(other, other->density, spin, p, q)) < 1e-12);
                assert_true(fabs(element(one, one->lagrangian, spin, p, q) -
                                 element(other, other->lagrangian, spin, p, q)) < 1e-11);
            }
    for (int i = 0; i < one->n_atom; i++)
        for (int x = 0; x < 3; x++) assert_true(fabs(one->slope[i][x] - other->slope[i][x]) < 1e-9);
}

/** In 1, 2 and as many batches as there are orbitals; on one or three threads. */
static void check(struct test_solved *s, int n_frozen)
{
    struct hf_mp2_settings settings = usual();
    settings.n_frozen = n_frozen;
    const double energy = energies(s, &settings).correlation;
    const size_t before = hf_memory_current_bytes(s->context->memory);
    struct hf_mp2_derivatives first = {.opposite = 1.0, .same = 1.0};
    static const int batches[] = {1, 2, 1000};
    for (int k = 0; k < 3; k++) {
        struct hf_mp2_derivatives found = {.opposite = 1.0, .same = 1.0};
        struct hf_mp2_result result;
        settings.n_batch = batches[k];
        settings.n_thread = k == 1 ? 3 : 1;
        settings.schedule.name = k == 1 ? "steal" : "static";
        compute(s, &settings, k == 0 ? &first : &found, &result);
        assert_true(fabs(result.correlation - energy) < 1e-12);
        if (k == 1) assert_int_equal(result.n_batch, 2);
        check_identities(s, k == 0 ? &first : &found, energy);
        if (k > 0) assert_alike(&first, &found);
        hf_mp2_derivatives_done(&found);
    }
    hf_mp2_derivatives_done(&first);
    assert_int_equal(hf_memory_current_bytes(s->context->memory), before);
}

TEST(closed_shells_in_batches)
{
    struct test_solved s;
    water(&s, "rhf", "cc-pVDZ");
    check(&s, 0);
    check(&s, 1);
    end(&s);
}

TEST(open_shells_in_batches)
{
    struct test_solved s;
    amidogen(&s);
    check(&s, 0);
    check(&s, 1);
    end(&s);
}

/** The memory that is foreseen falls with the batches, and is more than that of the energy. */
TEST(memory_is_foreseen)
{
    const struct hf_mp2_size size = {.n_function = 300,
                                     .n_rank = 4,
                                     .n_thread = 1,
                                     .most_functions = 36,
                                     .most_shell = 6,
                                     .n_row = 45000.0,
                                     .n_spin = 1,
                                     .n_correlated = {40},
                                     .n_virtual = {250}};
    const struct hf_mp2_need all = hf_mp2_plan_derivatives(&size, INFINITY);
    assert_int_equal(all.n_batch, 1);
    assert_true(all.rank > hf_mp2_plan("kets", &size, INFINITY).rank);
    const struct hf_mp2_need less = hf_mp2_plan_derivatives(&size, 0.5 * (all.rank + all.least));
    assert_true(less.n_batch > 1 && less.rank <= 0.5 * (all.rank + all.least));
    assert_int_equal(hf_mp2_plan_derivatives(&size, 0.9 * all.least).n_batch, 0);
}

MPI_TEST_MAIN
