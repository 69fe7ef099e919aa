/* Threads where MPI grants too little: MPI_Query_thread is stood in for. */
#include "../mpi_test.h"
#include "../shells.h"

#include "fock/fock.h"

int MPI_Query_thread(int *provided)
{
    *provided = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

TEST(threads_need_a_level_of_mpi)
{
    const double centre[1][3] = {{0.0, 0.0, 0.0}};
    const struct test_shell shell[] = {{0, 0, 1, false, {0.8}, {0.9}}};
    TEST_CONTEXT(context);
    struct hf_basis *basis = test_basis(1, centre, 1, shell);
    struct hf_shell_pairs *pairs = NULL;
    struct hf_fock_builder *builder = NULL;
    struct hf_fock_settings settings = {
        .builder = "replicated", .schedule.name = "static", .n_thread = 2};
    assert_ok(hf_shell_pairs_create(context, basis, 1e-16, &pairs, &error));
    assert_failure(hf_fock_create(context, pairs, &settings, &builder, &error), HF_NO_RESOURCE,
                   &error, "MPI_THREAD_SERIALIZED");
    assert_null(builder);
    settings.n_thread = 1;
    assert_ok(hf_fock_create(context, pairs, &settings, &builder, &error));
    hf_fock_destroy(&builder);
    hf_shell_pairs_destroy(&pairs);
    test_basis_destroy(&basis);
}

MPI_TEST_MAIN
