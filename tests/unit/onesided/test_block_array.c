/* Block arrays over all ranks. argv[1] is the transport, argv[2] who adds: "owner" or "caller"; argv[3] ranks of a node, 0: as the
 * machine has them. */
#include "../mpi_test.h"

#include "onesided/block_range.h"

#include <math.h>
#include <time.h>

static struct hf_onesided_settings settings;
static int ranks_per_node; /* 0: as the machine has them */

/** Parts of different sizes, one of them empty. */
static const int part_first[] = {0, 5, 5, 6, 20, 23, 31, 40, 44};
enum { N_PART = 8, LARGEST = 15 * 15 };

struct fixture {
    struct hf_context *context;
    struct hf_block_layout *layout;
    struct hf_onesided *onesided;
    struct hf_window *array;
};

static struct fixture open_fixture(void)
{
    struct fixture f;
    assert_ok(hf_context_create_ext(MPI_COMM_WORLD, ranks_per_node, &f.context, &error));
    assert_ok(hf_block_layout_create(f.context, f.context->n_rank, N_PART, part_first, &f.layout,
                                     &error));
    assert_ok(hf_onesided_create(f.context, &settings, &f.onesided, &error));
    assert_string_equal(hf_onesided_transport(f.onesided), settings.transport);
    assert_string_equal(hf_onesided_note(f.onesided), "");
    assert_false(f.context->stuck_in_mpi);
    assert_ok(hf_window_create(f.onesided, hf_block_layout_local_size(f.layout), "test blocks",
                               &f.array, &error));
    return f;
}

static void close_fixture(struct fixture *f)
{
    hf_window_destroy(&f->array);
    assert_null(f->array);
    hf_onesided_destroy(&f->onesided);
    assert_null(f->onesided);
    hf_block_layout_destroy(&f->layout);
    test_context_done(&f->context);
}

static double element(int i, int j, size_t k)
{
    return 1000.0 * i + 100.0 * j + (double)k;
}

/** Every owner writes its blocks. */
static void fill(struct fixture *f)
{
    double *local = hf_window_local(f->array);
    for (int i = 0; i < N_PART; i++) {
        for (int j = 0; j <= i; j++) {
            const struct hf_block_place place = hf_block_layout_find(f->layout, i, j);
            if (place.rank != f->context->rank) continue;
            for (size_t k = 0; k < hf_block_layout_block_size(f->layout, i, j); k++)
                local[place.offset + k] = element(i, j, k);
        }
    }
}

TEST(an_array_begins_as_zeros_and_is_on_the_account)
{
    struct fixture f = open_fixture();
    double value[LARGEST];
    const size_t size = hf_block_layout_local_size(f.layout);
    assert_true(hf_memory_class_peak_bytes(f.context->memory, HF_MEMORY_MATRIX) >=
                size * sizeof(double));
    for (int i = 0; i < N_PART; i++) {
        for (int j = 0; j <= i; j++) {
            memset(value, 0xff, sizeof value);
            hf_window_get(f.array, hf_block_range(f.layout, i, j), value);
            for (size_t k = 0; k < hf_block_layout_block_size(f.layout, i, j); k++)
                assert_true(value[k] == 0.0);
        }
    }
    close_fixture(&f);
}

TEST(every_rank_gets_every_block)
{
    struct fixture f = open_fixture();
    double value[LARGEST + 1];
    for (int round = 0; round < 3; round++) {
        hf_window_fence(f.array);
        fill(&f);
        hf_window_fence(f.array);
        for (int i = 0; i < N_PART; i++) {
            for (int j = 0; j <= i; j++) {
                const size_t size = hf_block_layout_block_size(f.layout, i, j);
                value[size] = -7.0;
                hf_window_get(f.array, hf_block_range(f.layout, i, j), value);
                for (size_t k = 0; k < size; k++) assert_true(value[k] == element(i, j, k));
                assert_true(value[size] == -7.0);
            }
        }
    }
    close_fixture(&f);
}

TEST(many_gets_may_be_under_way)
{
    enum { N_GET = 300 };
    struct fixture f = open_fixture();
    double(*value)[LARGEST] = malloc(N_GET * sizeof *value);
    struct hf_window_request request[N_GET];
    fill(&f);
    hf_window_fence(f.array);
    for (int g = 0; g < N_GET; g++) {
        const int i = g % N_PART;
        hf_window_begin_get(f.array, hf_block_range(f.layout, i, (g / N_PART) % (i + 1)), value[g],
                            &request[g]);
    }
    for (int g = N_GET - 1; g >= 0; g--) {
        const int i = g % N_PART, j = (g / N_PART) % (i + 1);
        hf_window_end_get(f.array, &request[g]);
        for (size_t k = 0; k < hf_block_layout_block_size(f.layout, i, j); k++)
            assert_true(value[g][k] == element(i, j, k));
    }
    free(value);
    close_fixture(&f);
}

/** All ranks add whole numbers to all blocks at the same time; sums of them are exact. */
TEST(sums_are_exact_under_contention)
{
    struct fixture f = open_fixture();
    const int rank = f.context->rank, n_rank = f.context->n_rank;
    const int n_round = n_rank <= 2 ? 25 : 6; /* locks are slow on more ranks than cores */
    double value[LARGEST];
    for (int phase = 1; phase <= 2; phase++) { /* the second adds to what the first left */
        for (int round = 0; round < n_round; round++) {
            for (int b = 0; b < N_PART * (N_PART + 1) / 2; b++) {
                const int block = phase == 1 ? b : b / 4; /* the second: four times the same */
                int i = 0;
                while ((i + 1) * (i + 2) / 2 <= block) i++;
                const int j = block - i * (i + 1) / 2;
                for (size_t k = 0; k < LARGEST; k++)
                    value[k] = (double)(rank + 1) * (double)(k + 1);
                hf_window_accumulate(f.array, hf_block_range(f.layout, i, j), value);
                memset(value, 0xff, sizeof value); /* ours again */
            }
        }
        hf_window_fence(f.array);
    }
    const double rank_sum = 0.5 * n_rank * (n_rank + 1);
    for (int i = 0, b = 0; i < N_PART; i++) {
        for (int j = 0; j <= i; j++, b++) {
            const double times = n_round * (1 + (b < N_PART * (N_PART + 1) / 8 ? 4 : 0));
            hf_window_get(f.array, hf_block_range(f.layout, i, j), value);
            for (size_t k = 0; k < hf_block_layout_block_size(f.layout, i, j); k++)
                assert_true(value[k] == times * rank_sum * (double)(k + 1));
        }
    }
    close_fixture(&f);
}

/** What is added reaches its place while the owner computes and calls nothing. */
TEST(owners_need_not_take_part)
{
    struct fixture f = open_fixture();
    double value[LARGEST];
    for (size_t k = 0; k < LARGEST; k++) value[k] = 1.0;
    hf_window_fence(f.array);
    if (f.context->rank == 0) { /* busy for a while, outside of MPI */
        const struct timespec pause = {.tv_nsec = 200000000};
        nanosleep(&pause, NULL);
    } else {
        for (int i = 0; i < N_PART; i++)
            for (int j = 0; j <= i; j++)
                hf_window_accumulate(f.array, hf_block_range(f.layout, i, j), value);
    }
    hf_window_fence(f.array);
    hf_window_get(f.array, hf_block_range(f.layout, 3, 0), value);
    for (size_t k = 0; k < hf_block_layout_block_size(f.layout, 3, 0); k++)
        assert_true(value[k] == (double)(f.context->n_rank - 1));
    close_fixture(&f);
}

TEST(several_arrays_do_not_mix)
{
    struct fixture f = open_fixture();
    struct hf_window *other = NULL;
    double value[LARGEST];
    fill(&f);
    hf_window_fence(f.array);
    for (int round = 0; round < 3; round++) {
        assert_ok(hf_window_create(f.onesided, hf_block_layout_local_size(f.layout), "others",
                                   &other, &error));
        for (int i = 0; i < N_PART; i++) {
            for (int j = 0; j <= i; j++) {
                hf_window_get(f.array, hf_block_range(f.layout, i, j),
                              value); /* one is read, one is added to */
                hf_window_accumulate(other, hf_block_range(f.layout, i, j), value);
            }
        }
        hf_window_fence(other);
        for (int i = 0; i < N_PART; i++) {
            for (int j = 0; j <= i; j++) {
                hf_window_get(other, hf_block_range(f.layout, i, j), value);
                for (size_t k = 0; k < hf_block_layout_block_size(f.layout, i, j); k++)
                    assert_true(value[k] == f.context->n_rank * element(i, j, k));
            }
        }
        hf_window_destroy(&other);
    }
    close_fixture(&f);
}

TEST(an_unknown_transport_is_an_error)
{
    TEST_CONTEXT(context);
    struct hf_onesided *onesided = NULL;
    const struct hf_onesided_settings wrong = {.transport = "telepathy"};
    assert_int_equal(hf_onesided_create(context, &wrong, &onesided, &error), HF_BAD_INPUT);
    assert_null(onesided);
    assert_non_null(strstr(error.message, "telepathy"));
}

int main(int argc, char **argv)
{
    ranks_per_node = argc > 3 ? atoi(argv[3]) : 0;
    settings = (struct hf_onesided_settings){
        .transport = argv[1],
        .accumulate = strcmp(argv[2], "caller") == 0 ? HF_ACCUMULATE_CALLER : HF_ACCUMULATE_OWNER};
    HF_RUN_MPI_TESTS(argc, argv, false);
}
