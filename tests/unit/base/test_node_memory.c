/* Memory that the ranks of a node share, on one node and on several that are made of one. */
#include "../mpi_test.h"

#include "base/node_memory.h"

/** Stands in for a library that refuses shared windows. */
static bool refuse;

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window)
{
    if (refuse) return MPI_ERR_RMA_SHARED;
    return PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
}

enum { N = 1001 };

static struct hf_context *make_context(int ranks_per_node)
{
    struct hf_context *context = NULL;
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, ranks_per_node, &context, &error));
    return context;
}

TEST(nodes_are_what_they_are_said_to_be)
{
    for (int per_node = 1; per_node <= 4; per_node++) {
        struct hf_context *context = make_context(per_node);
        const int node = context->rank / per_node;
        int n_here = context->n_rank - node * per_node;
        if (n_here > per_node) n_here = per_node;
        assert_int_equal(context->node_rank, context->rank % per_node);
        assert_int_equal(context->neighbour[context->node_rank], context->rank);
        assert_int_equal(context->n_node_rank, n_here);
        assert_true((context->leaders != MPI_COMM_NULL) == (context->node_rank == 0));
        if (context->leaders != MPI_COMM_NULL) {
            int rank, n_node;
            MPI_Comm_rank(context->leaders, &rank);
            MPI_Comm_size(context->leaders, &n_node);
            assert_int_equal(rank, node);
            assert_int_equal(n_node, (context->n_rank + per_node - 1) / per_node);
        }
        test_context_done(&context);
    }
}

/** Every rank writes what is its own by turns; everybody reads all. */
static void check_sharing(struct hf_node_memory *memory)
{
    double *value = memory->data;
    assert_int_equal((uintptr_t)value % 64, 0);
    for (int i = 0; i < N; i++) assert_true(value[i] == 0.0);
    hf_node_memory_sync(memory);
    for (int i = memory->rank; i < N; i += memory->n_rank) value[i] = i + 0.5;
    hf_node_memory_sync(memory);
    for (int i = 0; i < N; i++) assert_true(value[i] == i + 0.5);
    hf_node_memory_sync(memory);
}

/** `ranks_per_node`: 0 for those of the machine. `n_sharing`: 0 for all of a node. */
static void check_node(int ranks_per_node, int n_sharing)
{
    struct hf_context *context = make_context(ranks_per_node);
    struct hf_node_memory *memory = NULL;
    const int n = n_sharing > 0 ? n_sharing : context->n_node_rank;
    assert_ok(hf_node_memory_create(context, HF_MEMORY_PAIRS, "test", N * sizeof(double), &memory,
                                    &error));
    assert_int_equal(memory->n_rank, n);
    assert_int_equal(memory->refused, n < context->n_node_rank);
    int64_t counted = (int64_t)hf_memory_class_bytes(context->memory, HF_MEMORY_PAIRS);
    MPI_Allreduce(MPI_IN_PLACE, &counted, 1, MPI_INT64_T, MPI_SUM, memory->comm);
    assert_int_equal(counted, N * sizeof(double));
    check_sharing(memory);
    hf_node_memory_destroy(&memory);
    assert_null(memory);
    hf_node_memory_destroy(&memory);
    test_context_done(&context);
}

TEST(ranks_of_a_node_see_the_same_bytes_and_count_them_once)
{
    for (int per_node = 0; per_node <= 4; per_node++) check_node(per_node, 0);
}

/** Rank r of a node has r + 1 numbers; each reads those of all that share the memory. */
static void check_parts(int ranks_per_node, bool shared)
{
    struct hf_context *context = make_context(ranks_per_node);
    struct hf_node_memory *memory = NULL;
    const int n_own = context->node_rank + 1;
    assert_ok(hf_node_memory_create_parts(context, HF_MEMORY_PAIRS, "test",
                                          (size_t)n_own * sizeof(double), &memory, &error));
    assert_int_equal(memory->n_rank, shared ? context->n_node_rank : 1);
    assert_int_equal(hf_memory_class_bytes(context->memory, HF_MEMORY_PAIRS),
                     hf_whole_lines((size_t)n_own * sizeof(double)));
    double *own = (void *)((char *)memory->data + memory->first[memory->rank]);
    for (int k = 0; k < n_own; k++) {
        assert_true(own[k] == 0.0);
        own[k] = context->rank + 0.25 * k;
    }
    hf_node_memory_sync(memory);
    for (int r = 0; r < memory->n_rank; r++) {
        const double *part = (void *)((char *)memory->data + memory->first[r]);
        const int rank = shared ? context->neighbour[r] : context->rank;
        assert_int_equal((uintptr_t)part % 64, 0);
        for (int k = 0; k <= (shared ? r : context->node_rank); k++)
            assert_true(part[k] == rank + 0.25 * k);
    }
    hf_node_memory_sync(memory);
    hf_node_memory_destroy(&memory);
    test_context_done(&context);
}

TEST(parts_of_ranks_may_differ)
{
    for (int per_node = 0; per_node <= 4; per_node++) check_parts(per_node, true);
    refuse = rank_count() > 1;
    check_parts(0, !refuse);
    refuse = false;
}

TEST(where_a_library_refuses_every_rank_has_its_own)
{
    refuse = true;
    check_node(0, 1);
    refuse = false;
}

TEST(what_does_not_fit_into_shared_memory_nor_elsewhere_fails_on_all_ranks)
{
    struct hf_context *context = make_context(0);
    struct hf_node_memory *memory = NULL;
    error = (struct hf_error){{0}, 0};
    assert_int_equal(hf_node_memory_create(context, HF_MEMORY_OTHER, "test", SIZE_MAX / 4 / 64 * 64,
                                           &memory, &error),
                     HF_NO_RESOURCE);
    assert_string_equal(error.message, "out of memory for the test");
    assert_null(memory);
    test_context_done(&context);
}

TEST(arrays_lie_one_after_another_in_whole_lines)
{
    double data[100];
    char *bytes = NULL;
    double *numbers = NULL, *none = NULL;
    const struct hf_node_array array[] = {HF_NODE_ARRAY(bytes, 65), HF_NODE_ARRAY(none, 0),
                                          HF_NODE_ARRAY(numbers, 9)};
    assert_int_equal(hf_node_arrays_bytes(3, array), 256);
    hf_node_arrays_place(&(struct hf_node_memory){.data = data}, 3, array);
    assert_ptr_equal(bytes, data);
    assert_ptr_equal(numbers, data + 16);
}

MPI_TEST_MAIN
