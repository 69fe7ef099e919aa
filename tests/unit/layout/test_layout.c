/* Layout of blocks: every element of the lower blocks has one place, and the shares are even. */
#include "../mpi_test.h"

#include "layout/layout.h"

static struct hf_context *context;

static struct hf_block_layout *new_layout(int n_part, const int *first)
{
    struct hf_block_layout *layout = NULL;
    assert_ok(hf_block_layout_create(context, context->n_rank, n_part, first, &layout, &error));
    return layout;
}

/** Parts of 0 to 14 functions, in a pattern that repeats when `regular`. */
static void make_parts(int n_part, bool regular, int *first)
{
    first[0] = 0;
    for (int i = 0; i < n_part; i++)
        first[i + 1] = first[i] + (regular ? (i % 2 == 0 ? 14 : 5) : (i * i + 3) % 15);
}

/** Marks the elements of all blocks; returns the sum over the ranks of what they hold. */
static void check_layout(int n_part, const int *first)
{
    struct hf_block_layout *layout = new_layout(n_part, first);
    const size_t local = hf_block_layout_local_size(layout);
    unsigned char *marked = calloc(local + 1, 1);
    unsigned long long sum = local, total = 0;
    for (int i = 0; i < n_part; i++) {
        for (int j = 0; j <= i; j++) {
            const size_t size = hf_block_layout_block_size(layout, i, j);
            const struct hf_block_place place = hf_block_layout_find(layout, i, j);
            assert_int_equal(size, (size_t)(first[i + 1] - first[i]) * (first[j + 1] - first[j]));
            assert_in_range(place.rank, 0, context->n_rank - 1);
            total += size;
            if (place.rank != context->rank) continue;
            assert_true(place.offset + size <= local);
            for (size_t k = 0; k < size; k++) assert_int_equal(marked[place.offset + k]++, 0);
        }
    }
    for (size_t k = 0; k < local; k++) assert_int_equal(marked[k], 1);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, context->comm);
    assert_int_equal(sum, total);
    assert_int_equal(hf_block_layout_n_part(layout), n_part);
    assert_memory_equal(hf_block_layout_first(layout), first, (n_part + 1) * sizeof *first);
    free(marked);
    hf_block_layout_destroy(&layout);
    assert_null(layout);
}

static int set_up(void **state)
{
    context = test_context();
    return 0;
}

static int tear_down(void **state)
{
    test_context_done(&context);
    return 0;
}

TEST_IN(every_element_has_one_place, set_up, tear_down)
{
    int first[64];
    for (int n_part = 1; n_part <= 40; n_part++) {
        make_parts(n_part, false, first);
        check_layout(n_part, first);
        make_parts(n_part, true, first);
        check_layout(n_part, first);
    }
}

TEST_IN(shares_are_even, set_up, tear_down)
{
    enum { N_PART = 60 };
    int first[N_PART + 1];
    make_parts(N_PART, true, first);
    struct hf_block_layout *layout = new_layout(N_PART, first);
    const double n = first[N_PART];
    const double even = 0.5 * n * n / context->n_rank;
    assert_true((double)hf_block_layout_local_size(layout) < 1.15 * even);
    assert_true((double)hf_block_layout_local_size(layout) > 0.85 * even);
    hf_block_layout_destroy(&layout);
}

/** Goes through the own blocks of the rows begin .. end-1: marks their elements, checks their places
 *  and counts them. */
static int mark_own_blocks(const struct hf_block_layout *layout, int begin, int end,
                           unsigned char *marked)
{
    struct hf_own_blocks own = hf_own_blocks_begin_rows(layout, begin, end);
    struct hf_own_block block;
    int n = 0;
    for (; hf_own_blocks_next(&own, &block); n++) {
        const struct hf_block_place place = hf_block_layout_find(layout, block.i, block.j);
        assert_true(0 <= block.j && block.j <= block.i);
        assert_int_equal(place.rank, context->rank);
        assert_int_equal(place.offset, block.offset);
        assert_int_equal(block.size, hf_block_layout_block_size(layout, block.i, block.j));
        const int row =
            block.i - block.j < hf_block_layout_row_length(layout, block.i) ? block.i : block.j;
        assert_in_range(row, begin, end - 1);
        for (size_t k = 0; k < block.size; k++) assert_int_equal(marked[block.offset + k]++, 0);
    }
    assert_false(hf_own_blocks_next(&own, &block));
    return n;
}

TEST_IN(own_blocks_are_met_once_whatever_the_rows, set_up, tear_down)
{
    int first[64];
    for (int n_part = 1; n_part <= 40; n_part++) {
        make_parts(n_part, n_part % 2 == 0, first);
        struct hf_block_layout *layout = new_layout(n_part, first);
        const size_t local = hf_block_layout_local_size(layout);
        unsigned char *marked = calloc(local + 1, 1);
        for (int stride = 1; stride <= n_part; stride = 3 * stride + 1) {
            int n = 0, n_all;
            memset(marked, 0, local);
            for (int begin = 0; begin < n_part; begin += stride)
                n += mark_own_blocks(layout, begin,
                                     begin + stride < n_part ? begin + stride : n_part, marked);
            for (size_t k = 0; k < local; k++) assert_int_equal(marked[k], 1);
            MPI_Allreduce(&n, &n_all, 1, MPI_INT, MPI_SUM, context->comm);
            assert_int_equal(n_all, n_part * (n_part + 1) / 2);
        }
        free(marked);
        hf_block_layout_destroy(&layout);
    }
}

/** As many steps on a rank as its share of a molecule of 4,000 atoms has blocks. */
TEST_IN(a_rank_goes_through_its_share_only, set_up, tear_down)
{
    enum { N_PART = 4000 };
    int *first = malloc((N_PART + 1) * sizeof *first);
    make_parts(N_PART, true, first);
    struct hf_block_layout *layout = new_layout(N_PART, first);
    struct hf_own_blocks own = hf_own_blocks_begin(layout);
    struct hf_own_block block;
    int64_t n = 0, n_all, n_wrong = 0;
    size_t size = 0;
    for (; hf_own_blocks_next(&own, &block); n++) {
        const struct hf_block_place place = hf_block_layout_find(layout, block.i, block.j);
        n_wrong += place.rank != context->rank || place.offset != block.offset;
        size += block.size;
    }
    assert_int_equal(n_wrong, 0);
    assert_int_equal(size, hf_block_layout_local_size(layout));
    MPI_Allreduce(&n, &n_all, 1, MPI_INT64_T, MPI_SUM, context->comm);
    assert_int_equal(n_all, (int64_t)N_PART * (N_PART + 1) / 2);
    assert_true((double)n < 1.1 * (double)n_all / context->n_rank);
    hf_block_layout_destroy(&layout);
    free(first);
}

MPI_TEST_MAIN
