/* A calculation goes on from the state of an earlier one: argv[1] is the builder that made the state,
 * "replicated" or "distributed"; it is gone on from with both. */
#include "scf_test.h"

#include "hf/interruption.h"

enum { MAX_DIIS = 8, STOP_AFTER = 4 };

/** A state as a caller may keep it: whole matrices, on every rank, for the test only. */
struct kept {
    int n_offer[4], wanted_iteration;
    bool found, armed;
    struct hf_scf_restart restart;
    double *orbitals, *occupation, *x, *diis[MAX_DIIS], *density;
};

static const char *first_builder = "replicated";
static double smearing; /* of all runs */

/** Rows first .. first+n-1 of a column-major matrix. */
static void copy_rows(const double *full, int n_row, int n_col, int first, int n, double rows[])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n_col; j++)
            rows[i * n_col + j] = full[(size_t)j * (size_t)n_row + (size_t)(first + i)];
}

static hf_status read_kept(void *data, enum hf_restart_matrix which, int index, int spin, int first,
                           int n, double rows[], struct hf_error *failure)
{
    const struct kept *kept = data;
    const struct hf_scf_restart *restart = &kept->restart;
    (void)failure;
    assert_int_equal(spin, 0);
    assert_int_equal(rank_here(), 0);
    if (which == HF_RESTART_ORBITALS)
        copy_rows(kept->orbitals, restart->n_function, restart->n_column[0], first, n, rows);
    else if (which == HF_RESTART_ORTHOGONALISER)
        copy_rows(kept->x, restart->n_function, restart->n_orbital, first, n, rows);
    else
        copy_rows(kept->diis[index], restart->n_orbital, restart->n_orbital, first, n, rows);
    return HF_OK;
}

static void forget(struct kept *kept)
{
    free(kept->orbitals);
    free(kept->occupation);
    free(kept->density);
    free(kept->x);
    for (int i = 0; i < MAX_DIIS; i++) free(kept->diis[i]);
    *kept = (struct kept){.wanted_iteration = kept->wanted_iteration};
}

static bool is_wanted(void *data, enum hf_keep_reason reason)
{
    struct kept *kept = data;
    kept->n_offer[reason]++;
    return reason != HF_KEEP_ITERATION || kept->n_offer[reason] <= kept->wanted_iteration;
}

static hf_status keep(void *data, const struct hf_scf_state *state, enum hf_keep_reason reason,
                      struct hf_error *failure)
{
    struct kept *kept = data;
    const struct hf_orbitals *orbitals = &state->spin[0];
    int n_offer[4];
    (void)reason;
    (void)failure;
    memcpy(n_offer, kept->n_offer, sizeof n_offer);
    forget(kept);
    memcpy(kept->n_offer, n_offer, sizeof n_offer);
    kept->found = true;
    kept->restart = hf_scf_restart_of(state);
    kept->restart.read = read_kept;
    kept->restart.data = kept;
    if (orbitals->coefficient != NULL) {
        kept->orbitals = test_gather(orbitals->coefficient);
        kept->density = test_gather(state->density[0]);
        const size_t n_byte = (size_t)state->n_orbital * sizeof *kept->occupation;
        kept->occupation = malloc(n_byte);
        assert_non_null(kept->occupation);
        memcpy(kept->occupation, orbitals->occupation, n_byte);
        kept->restart.occupation[0] = kept->occupation;
    }
    kept->x = test_gather(state->x);
    for (int i = 0; i < state->n_diis; i++) kept->diis[i] = test_gather(state->diis[i]);
    return HF_OK;
}

static hf_status run(struct hf_context *context, const char *builder, int max_iteration,
                     struct kept *keeper, const struct hf_scf_restart *restart,
                     int (*progress)(void *, double), struct hf_scf_result *result,
                     struct hf_error *failure)
{
    struct test_molecule water;
    const struct hf_scf_keeper to_keep = {.wanted = is_wanted, .keep = keep, .data = keeper};
    struct hf_scf_settings settings = test_settings();
    test_water(&water);
    settings.fock.builder = builder;
    settings.max_iteration = max_iteration;
    settings.energy_tolerance = 1e-10;
    settings.commutator_tolerance = 1e-7;
    settings.keeper = keeper != NULL ? &to_keep : NULL;
    settings.restart = restart;
    settings.smearing = smearing;
    hf_interruption_watch(context->interruption, progress, keeper);
    return test_run(context, &water.molecule, "6-31G", &settings, result, failure);
}

TEST(a_calculation_goes_on_where_it_was)
{
    static const char *const builders[] = {"replicated", "distributed"};
    TEST_CONTEXT(context);
    struct hf_scf_result whole;
    assert_ok(run(context, "replicated", 100, NULL, NULL, NULL, &whole, &error));
    assert_true(whole.converged && whole.n_iteration > STOP_AFTER + 3);
    for (int at = 1; at <= STOP_AFTER; at++) {
        struct kept kept = {.wanted_iteration = at};
        struct hf_scf_result part, rest;
        const hf_status status = run(context, first_builder, at, &kept, NULL, NULL, &part, &error);
        assert_ok(status);
        assert_false(part.converged);
        assert_true(kept.found);
        assert_int_equal(kept.restart.n_iteration, at);
        for (int k = 0; k < 2; k++) {
            assert_ok(run(context, builders[k], 100, NULL, &kept.restart, NULL, &rest, &error));
            assert_true(rest.converged);
            assert_true(fabs(rest.energy - whole.energy) < 1e-10);
            assert_int_equal(rest.n_earlier, at);
            assert_true(abs(rest.n_iteration - whole.n_iteration) <= 1);
            assert_true(rest.guess_energy == part.guess_energy);
        }
        forget(&kept);
    }
}

TEST(a_converged_calculation_is_confirmed_in_one_iteration)
{
    TEST_CONTEXT(context);
    struct kept kept = {.wanted_iteration = 0};
    struct hf_scf_result whole, again;
    assert_ok(run(context, first_builder, 100, &kept, NULL, NULL, &whole, &error));
    assert_int_equal(kept.restart.n_column[0], whole.n_orbital);
    assert_ok(run(context, "replicated", 100, NULL, &kept.restart, NULL, &again, &error));
    assert_true(again.converged);
    assert_int_equal(again.n_iteration, whole.n_iteration + 1);
    assert_true(fabs(again.energy - whole.energy) < 1e-10);
    /* it is the density whose energy was told, not one that would come next */
    assert_true(fabs(again.commutator - whole.commutator) < 0.1 * whole.commutator);
    forget(&kept);
}

/** Interrupts the build that follows the second iteration. */
static int interrupt(void *data, double fraction)
{
    const struct kept *kept = data;
    (void)fraction;
    return kept->n_offer[HF_KEEP_ITERATION] >= 2 ? 15 : 0;
}

TEST(the_state_of_an_interrupted_calculation_is_kept)
{
    TEST_CONTEXT(context);
    struct kept kept = {.wanted_iteration = 1};
    struct hf_scf_result result;
    assert_int_equal(run(context, first_builder, 100, &kept, NULL, interrupt, &result, &error),
                     HF_INTERRUPTED);
    assert_int_equal(error.signal_number, 15);
    assert_int_equal(kept.n_offer[HF_KEEP_INTERRUPTED], 1);
    assert_int_equal(kept.n_offer[HF_KEEP_FINISHED], 0);
    assert_int_equal(kept.restart.n_iteration, 2);
    assert_int_equal(kept.restart.n_diis, 1); /* the guess is not made of orbitals */
    assert_ok(run(context, "replicated", 100, NULL, &kept.restart, NULL, &result, &error));
    assert_true(result.converged);
    forget(&kept);
}

static void arm(void *data, const struct hf_scf_start *start)
{
    struct kept *kept = data;
    (void)start;
    const double begin = hf_wall_seconds();
    while (hf_wall_seconds() - begin < 1.2 * HF_LOOK_SECONDS) continue; /* the next look asks */
    kept->armed = true;
}

static int interrupt_when_armed(void *data, double fraction)
{
    const struct kept *kept = data;
    (void)fraction;
    return kept->armed ? 15 : 0;
}

TEST(a_state_that_is_not_wholly_read_is_not_written_over)
{
    TEST_CONTEXT(context);
    struct kept kept = {.wanted_iteration = 1}, again = {.wanted_iteration = 0};
    const struct hf_scf_keeper keeper = {.wanted = is_wanted, .keep = keep, .data = &again};
    const struct hf_scf_observer observer = {.started = arm, .data = &again};
    struct hf_scf_settings settings = test_settings();
    struct test_molecule water;
    struct hf_scf_result result;
    assert_ok(run(context, first_builder, 2, &kept, NULL, NULL, &result, &error));
    test_water(&water);
    settings.keeper = &keeper;
    settings.restart = &kept.restart;
    struct hf_basis *basis = test_set(context, &water.molecule, "6-31G");
    hf_interruption_watch(context->interruption, interrupt_when_armed, &again);
    assert_int_equal(
        hf_scf_run(context, &water.molecule, basis, &settings, &observer, &result, NULL, &error),
        HF_INTERRUPTED);
    assert_true(again.armed);
    assert_int_equal(again.n_offer[HF_KEEP_INTERRUPTED], 0);
    hf_interruption_watch(context->interruption, NULL, NULL);
    assert_ok(hf_scf_run(context, &water.molecule, basis, &settings, NULL, &result, NULL, &error));
    forget(&again);
    hf_basis_destroy(&basis);
    forget(&kept);
}

TEST(a_state_of_something_else_is_refused)
{
    TEST_CONTEXT(context);
    struct kept kept = {.wanted_iteration = 1};
    struct hf_scf_result result;
    assert_ok(run(context, first_builder, 2, &kept, NULL, NULL, &result, &error));

    struct hf_scf_restart other = kept.restart;
    other.method = "uhf";
    assert_failure(run(context, "replicated", 9, NULL, &other, NULL, &result, &error), HF_BAD_INPUT,
                   &error, "method uhf");
    other = kept.restart;
    other.n_function++;
    assert_failure(run(context, "replicated", 9, NULL, &other, NULL, &result, &error), HF_BAD_INPUT,
                   &error, "basis functions");
    other = kept.restart;
    other.n_column[0] = 2;
    assert_failure(run(context, "replicated", 9, NULL, &other, NULL, &result, &error), HF_BAD_INPUT,
                   &error, "fewer orbitals than are occupied");
    kept.orbitals[3] += 0.5;
    assert_failure(run(context, "replicated", 9, NULL, &kept.restart, NULL, &result, &error),
                   HF_BAD_INPUT, &error, "not orthonormal");
    kept.restart.n_orbital--;
    assert_failure(run(context, "replicated", 9, NULL, &kept.restart, NULL, &result, &error),
                   HF_BAD_INPUT, &error, "linear dependence");
    forget(&kept);
}

/** The density is that of the orbitals: tr D of a basis where S = 1 would be enough, so D = 2 C C^T. */
TEST(the_density_is_that_of_the_orbitals)
{
    TEST_CONTEXT(context);
    struct kept kept = {.wanted_iteration = 1};
    struct hf_scf_result result;
    assert_ok(run(context, first_builder, 3, &kept, NULL, NULL, &result, &error));
    const int n = kept.restart.n_function;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < result.n_occupied[0]; k++)
                sum += 2.0 * kept.orbitals[k * n + i] * kept.orbitals[k * n + j];
            assert_true(fabs(sum - kept.density[j * n + i]) < 1e-12);
        }
    forget(&kept);
}

/** The density is C n C^T, and a calculation that goes on takes the n with it. */
TEST(fractional_occupations_are_gone_on_from)
{
    TEST_CONTEXT(context);
    struct hf_scf_result whole, part, rest;
    smearing = 0.1;
    assert_ok(run(context, "replicated", 100, NULL, NULL, NULL, &whole, &error));
    assert_true(whole.converged && whole.smearing_entropy_term < -1e-3);
    for (int at = 2; at <= 100; at += 98) { /* on the way; converged */
        struct kept kept = {.wanted_iteration = at == 2 ? 1 : 0};
        assert_ok(run(context, first_builder, at, &kept, NULL, NULL, &part, &error));
        const int n = kept.restart.n_function, q = kept.restart.n_column[0];
        for (int i = 0; i < n * n; i++) {
            double sum = 0.0;
            for (int k = 0; k < q; k++)
                sum += kept.occupation[k] * kept.orbitals[k * n + i % n] *
                       kept.orbitals[k * n + i / n];
            assert_true(fabs(sum - kept.density[i]) < 1e-11);
        }
        assert_ok(run(context, "replicated", 100, NULL, &kept.restart, NULL, &rest, &error));
        assert_true(rest.converged && fabs(rest.energy - whole.energy) < 1e-9);
        assert_true(fabs(rest.smearing_entropy_term - whole.smearing_entropy_term) < 1e-8);
        assert_true(abs(rest.n_iteration - whole.n_iteration) <= 1);
        kept.occupation[0] = 1.0;
        assert_failure(run(context, "replicated", 9, NULL, &kept.restart, NULL, &rest, &error),
                       HF_BAD_INPUT, &error, "not those of the electrons");
        forget(&kept);
    }
    smearing = 0.0;
}

/** At another temperature the orbitals are a guess; even if the caller does not say so, the kept
 *  occupations are not taken for converged ones. */
TEST(another_temperature_starts_anew)
{
    TEST_CONTEXT(context);
    struct hf_scf_result whole, other;
    struct kept kept = {.wanted_iteration = 0};
    assert_ok(run(context, first_builder, 100, &kept, NULL, NULL, &other, &error));
    smearing = 0.1;
    assert_ok(run(context, "replicated", 100, NULL, NULL, NULL, &whole, &error));
    assert_true(fabs(whole.energy - other.energy) > 1e-2);
    kept.restart.is_guess = true;
    assert_ok(run(context, "replicated", 100, NULL, &kept.restart, NULL, &other, &error));
    assert_true(other.converged && fabs(other.energy - whole.energy) < 1e-9);
    kept.restart.is_guess = false;
    assert_ok(run(context, "replicated", 100, NULL, &kept.restart, NULL, &other, &error));
    assert_true(!other.converged || fabs(other.energy - whole.energy) < 1e-9);
    smearing = 0.0;
    forget(&kept);
}

/** What an interruption leaves, in the middle of it, are orbitals that are orthonormal. */
TEST(fractional_occupations_of_an_interrupted_calculation_are_kept)
{
    TEST_CONTEXT(context);
    struct kept kept = {.wanted_iteration = 1};
    struct hf_scf_result result;
    smearing = 0.1;
    assert_int_equal(run(context, first_builder, 100, &kept, NULL, interrupt, &result, &error),
                     HF_INTERRUPTED);
    assert_true(kept.restart.n_column[0] > 5 && kept.occupation[5] > 0.0);
    assert_ok(run(context, "replicated", 100, NULL, &kept.restart, NULL, &result, &error));
    assert_true(result.converged);
    smearing = 0.0;
    forget(&kept);
}

int main(int argc, char **argv)
{
    if (argc > 1) first_builder = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}
