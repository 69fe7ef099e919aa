/* With distributed data no rank holds a matrix, nor anything as large as one. */
#include "scf_test.h"

enum { N_ATOM = 50, N_FUNCTION = 14 * N_ATOM }; /* helium, cc-pVTZ */

/** A chain of atoms far from each other: many functions, few integrals. */
static void make_chain(struct hf_atom atom[N_ATOM], struct hf_molecule *molecule)
{
    const double distance = 12.0;
    for (int i = 0; i < N_ATOM; i++)
        atom[i] = (struct hf_atom){.atomic_number = 2, .position_bohr = {0.0, 0.0, distance * i}};
    *molecule = (struct hf_molecule){.n_atom = N_ATOM, .atom = atom, .multiplicity = 1};
}

/** One iteration in a context of its own; peak bytes of matrices, largest single block. */
static void run_once(MPI_Comm comm, double *matrix_bytes, double *largest_bytes)
{
    struct hf_atom atom[N_ATOM];
    struct hf_molecule molecule;
    struct hf_context *context = NULL;
    struct hf_scf_result result;
    struct hf_scf_settings settings = test_settings();
    settings.max_iteration = 1;
    settings.fock.builder = "distributed";
    settings.fock.onesided.transport = "thread";
    make_chain(atom, &molecule);
    assert_ok(hf_context_create(comm, &context, &error));
    assert_ok(test_run(context, &molecule, "cc-pVTZ", &settings, &result, &error));
    assert_int_equal(result.n_function, N_FUNCTION);
    *matrix_bytes = (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_MATRIX);
    *largest_bytes = (double)hf_memory_largest_bytes(context->memory);
    print_message("%d ranks: matrices %.2f, largest block %.2f (%s), whole matrix %.2f MB\n",
                  context->n_rank, 1e-6 * *matrix_bytes, 1e-6 * *largest_bytes,
                  hf_memory_largest_label(context->memory), 8e-6 * N_FUNCTION * N_FUNCTION);
    hf_context_destroy(&context);
}

TEST(memory_falls_as_the_number_of_ranks)
{
    const double whole = (double)N_FUNCTION * N_FUNCTION * sizeof(double);
    double alone[2] = {0.0, 0.0}, shared[2];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    run_once(MPI_COMM_WORLD, &shared[0], &shared[1]);
    assert_true(shared[1] < whole);
    if (rank == 0) run_once(MPI_COMM_SELF, &alone[0], &alone[1]);
    MPI_Bcast(alone, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    assert_true(alone[1] >= whole); /* the account sees matrices */
    assert_true(shared[0] <= 0.35 * alone[0]);
}

MPI_TEST_MAIN
