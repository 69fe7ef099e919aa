/* Screening where functions are so alike that elements of the density are hundreds: argv[1] is a basis set of
 * helium with two s functions of nearly one exponent. */
#include "scf_test.h"

static const char *basis_path;

static double energy_at(struct hf_context *context, const struct test_molecule *chain,
                        double screening)
{
    struct hf_scf_result result;
    struct hf_scf_settings settings = test_settings();
    settings.screening_threshold = screening;
    settings.energy_tolerance = 1e-10;
    settings.commutator_tolerance = 1e-7;
    assert_ok(test_run(context, &chain->molecule, basis_path, &settings, &result, &error));
    assert_true(result.converged);
    assert_true(result.smallest_overlap_eigenvalue < 1e-4);
    return result.energy;
}

/** What is left out of pairs and of contracted integrals counts the more the larger the density. Of a threshold
 *  per element that knows nothing of it this energy errs by 3e-7 hartree at 1e-11; what is rounded to single
 *  precision may add some 1e-9. */
TEST(the_density_counts_in_the_cut_offs_of_primitives_and_pairs)
{
    TEST_CONTEXT(context);
    struct test_molecule chain = {0};
    for (int i = 0; i < 6; i++) test_add_atom(&chain, 2, false, 0.0, 0.57 * (i % 3), 2.457 * i);
    const double exact = energy_at(context, &chain, 1e-17);
    assert_true(fabs(energy_at(context, &chain, 1e-11) - exact) < 5e-9);
    assert_true(fabs(energy_at(context, &chain, 1e-12) - exact) < 5e-10);
}

int main(int argc, char **argv)
{
    basis_path = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
