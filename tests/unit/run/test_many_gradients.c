/* Many gradients in one process: the memory of the process does not grow.
 *
 * Usage: test_many_gradients N [distributed] */
#include "../mpi_test.h"

#include "hf/hf.h"

#include <math.h>
#include <unistd.h>

static int n_gradient;
static const char *builder = "replicated";
static const int atomic_number[] = {9, 1};

/** Pages of the process that are in memory, in bytes. */
static double resident(void)
{
    long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0.0;
    const int found = fscanf(file, "%ld %ld", &all, &here);
    fclose(file);
    return found == 2 ? (double)here * (double)sysconf(_SC_PAGESIZE) : 0.0;
}

/** The force on hydrogen, `far` bohr from fluorine. */
static double compute(double far, bool *stuck)
{
    const double place[2][3] = {{0.0, 0.0, 0.0}, {0.1, 0.0, far}};
    const struct hf_run_key key[] = {
        {"basis", "6-31G*"}, {"task", "gradient"}, {"fock", builder}, {"memory", "0"}};
    const struct hf_run_settings settings = {.n_atom = 2,
                                             .atomic_number = atomic_number,
                                             .position_bohr = place,
                                             .n_key = 4,
                                             .key = key};
    struct hf_run_outcome outcome;
    struct hf_error error;
    assert_ok(hf_run(MPI_COMM_WORLD, &settings, &outcome, &error));
    const double force = -outcome.gradient[1][2];
    *stuck |= outcome.stuck_in_mpi;
    hf_run_done(&outcome);
    return force;
}

static bool stuck;

/** The first ones bring the process to its size; the rest must not make it larger. Pools of the C library and of MPI
 *  go up and down by a few hundred kB. */
static void memory_does_not_grow(void **state)
{
    const int n_first = n_gradient < 200 ? 20 : n_gradient / 10;
    static const double NOISE = 1.5e6, FIRST = 1.6, STEP = 1e-3;
    double before = 0.0, largest = 0.0;
    const double force = compute(FIRST, &stuck);
    for (int i = 1; i < n_gradient; i++) {
        if (i == n_first) before = resident();
        largest = fmax(largest, fabs(compute(FIRST + STEP * i, &stuck)));
    }
    const double grown = resident() - before;
    print_message("%d gradients: %.2f MB after %d, %+.3f MB since\n", n_gradient, 1e-6 * before,
                  n_first, 1e-6 * grown);
    assert_true(largest > 1e-3);
    assert_true(grown < NOISE);
    assert_float_equal(compute(FIRST, &stuck), force, 1e-6);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_does_not_grow)};
    n_gradient = argc > 1 ? atoi(argv[1]) : 50;
    if (argc > 2) builder = argv[2];
    HF_RUN_MPI_TESTS(argc, argv, tests, stuck);
}
