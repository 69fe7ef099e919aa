/* Molecules and runs that the tests of the scf room share. */
#ifndef HF_SCF_TEST_H
#define HF_SCF_TEST_H

#include "../mpi_test.h"

#include "../../../src/scf/scf_state.h"

#include <math.h>

enum { TEST_MAX_ATOM = 8 };

/** A molecule on the stack. */
struct test_molecule {
    struct hf_atom atom[TEST_MAX_ATOM];
    struct hf_molecule molecule;
};

static inline void test_add_atom(struct test_molecule *test, int atomic_number, bool ghost,
                                 double x, double y, double z)
{
    test->molecule.atom = test->atom;
    test->molecule.multiplicity = 1;
    test->atom[test->molecule.n_atom++] = (struct hf_atom){
        .atomic_number = atomic_number, .ghost = ghost, .position_bohr = {x, y, z}};
}

static inline void test_water(struct test_molecule *test)
{
    *test = (struct test_molecule){0};
    test_add_atom(test, 8, false, 0.0, 0.0, 0.22166487);
    test_add_atom(test, 1, false, 0.0, 1.43090062, -0.88665950);
    test_add_atom(test, 1, false, 0.0, -1.43090062, -0.88665950);
}

static inline struct hf_basis *test_set(struct hf_context *context,
                                        const struct hf_molecule *molecule, const char *name)
{
    struct hf_basis *basis = NULL;
    const struct hf_basis_choice choice = {.atom = -1, .name = name};
    assert_ok(
        hf_basis_create(context, molecule, 1, &choice, HF_CONVENTION_AS_DEFINED, &basis, &error));
    return basis;
}

static inline struct hf_scf_settings test_settings(void)
{
    struct hf_scf_settings settings = hf_scf_defaults();
    settings.fock.builder = "replicated";
    settings.fock.schedule.name = "static";
    return settings;
}

/** hf_scf_run in a set of the library; the context's memory must balance afterwards. */
static inline hf_status test_run(struct hf_context *context, const struct hf_molecule *molecule,
                                 const char *set, const struct hf_scf_settings *settings,
                                 struct hf_scf_result *result, struct hf_error *failure)
{
    struct hf_basis *basis = test_set(context, molecule, set);
    const hf_status status =
        hf_scf_run(context, molecule, basis, settings, NULL, result, NULL, failure);
    hf_basis_destroy(&basis);
    assert_int_equal(hf_memory_current_bytes(context->memory), 0);
    return status;
}

/** What a calculation of its own context, which has to converge, gives. */
static inline struct hf_scf_result test_converged(const struct hf_molecule *molecule,
                                                  const char *set,
                                                  const struct hf_scf_settings *settings)
{
    struct hf_context *context = test_context();
    struct hf_scf_result result;
    assert_ok(test_run(context, molecule, set, settings, &result, &error));
    if (!result.converged) print_error("not converged with %s\n", settings->converger);
    assert_true(result.converged);
    test_context_done(&context);
    return result;
}

/** Two atoms on the z axis. */
static inline void test_diatomic(struct test_molecule *test, int first, int second,
                                 double distance_bohr)
{
    *test = (struct test_molecule){0};
    test_add_atom(test, first, false, 0.0, 0.0, 0.0);
    test_add_atom(test, second, false, 0.0, 0.0, distance_bohr);
}

/** Grid for matrices of order n: as argv says, "serial" (rank 0) or "parallel" (block-cyclic over
 *  all ranks, however small n is). */
static inline struct hf_linalg *test_linalg(struct hf_context *context, const char *layout, int n)
{
    struct hf_linalg *linalg = NULL;
    const int smallest_parallel_order = strcmp(layout, "parallel") == 0 ? 0 : n + 1;
    assert_ok(hf_linalg_create_ext(context, n, smallest_parallel_order, 3, &linalg, NULL));
    return linalg;
}

/** Full copy of a matrix; free with free. */
static inline double *test_gather(const struct hf_matrix *matrix)
{
    const size_t n = (size_t)hf_matrix_n_row(matrix) * (size_t)hf_matrix_n_col(matrix);
    double *full = calloc(n + 1, sizeof *full);
    assert_non_null(full);
    hf_matrix_gather_full(matrix, full);
    return full;
}

/** A calculation that has ended, its orbitals (of one set, both spins share them) as a caller may have
 *  them. Not to be copied: they point here. */
struct test_ended {
    struct test_molecule test;
    struct hf_basis *basis;
    struct hf_scf_result result;
    struct hf_wavefunction wavefunction;
    struct hf_scf_orbitals orbitals;
    double *coefficient; /**< [n_column][n], on every rank, for the test only */
};

static inline hf_status test_read_rows(void *data, enum hf_restart_matrix which, int index,
                                       int spin, int first, int n, double rows[],
                                       struct hf_error *failure)
{
    const struct test_ended *ended = data;
    const size_t n_column = (size_t)ended->orbitals.n_column[0];
    const size_t n_function = (size_t)ended->basis->n_function;
    (void)failure;
    assert_int_equal(which, HF_RESTART_ORBITALS);
    assert_int_equal(index, 0);
    assert_int_equal(spin, 0);
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < n_column; j++)
            rows[i * n_column + j] = ended->coefficient[j * n_function + (size_t)first + i];
    return HF_OK;
}

/** Makes ended->orbitals of its wave function. */
static inline void test_take_orbitals(struct test_ended *ended)
{
    ended->coefficient = test_gather(ended->wavefunction.spin[0].coefficient);
    ended->orbitals = (struct hf_scf_orbitals){
        .molecule = &ended->test.molecule,
        .basis = ended->basis,
        .n_spin = 1,
        .n_column = {ended->wavefunction.spin[0].n_orbital, 0},
        .read = test_read_rows,
        .data = ended,
    };
}

static inline void test_ended_done(struct test_ended *ended)
{
    hf_wavefunction_done(&ended->wavefunction);
    hf_basis_destroy(&ended->basis);
    free(ended->coefficient);
    ended->coefficient = NULL;
}

#endif
