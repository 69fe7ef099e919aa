/* The board of stores: each segment is read once, whoever takes it, and is the same out of another rank's memory. */
#include "../mpi_test.h"

#include "../../../src/work/store_board.h"
#include "hf/strip_room.h"

#include <string.h>

enum { N_WORKER = 2, N_SEGMENT = 60, MOST_BYTES = 1 << 20, MOST_RANKS = 8 };

struct fixture {
    struct hf_shell_pairs pairs;
    struct hf_context *context;
    struct hf_store_board *board;
    struct hf_integral_store *store[N_WORKER];
    unsigned char *buffer; /**< [MOST_BYTES + HF_STRIP_ROOM] */
    int n_taken[MOST_RANKS][N_WORKER][N_SEGMENT];
};

/** Numbers of a strip: some strips are long, so that chunks end within segments. */
static uint32_t size_of(int64_t task, int strip)
{
    return 1 + (uint32_t)((task * 7919 + strip * 104729) % 20011);
}

static double value_of(int64_t task, int strip, uint32_t i)
{
    return (double)task + 0.001 * strip + 1e-9 * i;
}

/** Number of a segment among those of all ranks. */
static int64_t task_of(int rank, int worker, int segment)
{
    return ((int64_t)rank * N_WORKER + worker) * N_SEGMENT + segment;
}

static int n_strip(int64_t task)
{
    return 1 + (int)(task % 5);
}

static void fill(struct fixture *f, int worker)
{
    struct hf_error error;
    assert_int_equal(hf_integral_store_create(&f->pairs, 1e9, &f->store[worker], &error), HF_OK);
    for (int s = 0; s < N_SEGMENT; s++) {
        const int64_t task = task_of(f->context->rank, worker, s);
        assert_int_equal(hf_integral_store_begin(f->store[worker], task, s % 3, &error), HF_OK);
        for (int k = 0; k < n_strip(task); k++) {
            struct hf_stored_strip strip = {
                .bra = k, .n_quartet = 1, .n = size_of(task, k), .kind = HF_STORED_DOUBLE};
            void *number;
            assert_true(hf_integral_store_append(f->store[worker], &strip, &number));
            for (uint32_t i = 0; i < strip.n; i++) ((double *)number)[i] = value_of(task, k, i);
        }
    }
    assert_int_equal(hf_integral_store_close(f->store[worker], &error), HF_OK);
}

static void set_up(struct fixture *f, size_t most_bytes)
{
    struct hf_error error;
    *f = (struct fixture){.context = test_context()};
    f->pairs.context = f->context;
    f->buffer = malloc(MOST_BYTES + HF_STRIP_ROOM);
    assert_int_equal(hf_store_board_create(f->context, N_WORKER, most_bytes, &f->board, &error),
                     HF_OK);
    for (int i = 0; i < N_WORKER; i++) fill(f, i);
}

static void tear_down(struct fixture *f)
{
    hf_store_board_destroy(&f->board);
    for (int i = 0; i < N_WORKER; i++) hf_integral_store_destroy(&f->store[i]);
    free(f->buffer);
    test_context_done(&f->context);
}

/** What was taken is what was stored. */
static void check_segment(struct fixture *f, const struct hf_taken_segment *taken)
{
    struct hf_store_cursor cursor;
    struct hf_store_chunk loan;
    const struct hf_stored_strip *strip;
    const void *number;
    const int64_t task = taken->segment.task;
    assert_int_equal(task, task_of(taken->neighbour, taken->worker, (int)taken->index));
    assert_int_equal(taken->segment.part, taken->index % 3);
    if (hf_store_board_is_far(f->board, taken->neighbour))
        assert_true(hf_store_board_read(f->board, taken->neighbour, taken->worker, taken->index,
                                        f->buffer, &loan, &cursor));
    else
        cursor = hf_integral_store_open(f->store[taken->worker], &taken->segment);
    for (int k = 0; k < n_strip(task); k++) {
        assert_non_null(strip = hf_integral_store_next(&cursor, &number));
        assert_int_equal(strip->n, size_of(task, k));
        bool same = true;
        for (uint32_t i = 0; i < strip->n; i++)
            same = same && ((const double *)number)[i] == value_of(task, k, i);
        assert_true(same);
    }
    assert_null(hf_integral_store_next(&cursor, &number));
}

/** Takes segments until there are none; returns how many other ranks took of rank 0. */
static int take_all(struct fixture *f)
{
    struct hf_taken_segment taken;
    int n_late = 0;
    while (hf_store_board_take(f->board, 1, &taken)) {
        check_segment(f, &taken);
        f->n_taken[taken.neighbour][taken.worker][taken.index]++;
        n_late += taken.neighbour == 0 && f->context->rank != 0;
    }
    return n_late;
}

/** A round in which rank 0 begins when all others are through; segments that they took of it. */
static int do_round(struct fixture *f)
{
    memset(f->n_taken, 0, sizeof f->n_taken);
    for (int i = 0; i < N_WORKER; i++) hf_store_board_offer(f->board, i, f->store[i]);
    MPI_Barrier(f->context->comm);
    int n_far = f->context->rank > 0 ? take_all(f) : 0;
    MPI_Barrier(f->context->comm);
    if (f->context->rank == 0) assert_int_equal(take_all(f), 0);
    MPI_Allreduce(MPI_IN_PLACE, &n_far, 1, MPI_INT, MPI_SUM, f->context->comm);
    MPI_Allreduce(MPI_IN_PLACE, f->n_taken, (int)(sizeof f->n_taken / sizeof(int)), MPI_INT,
                  MPI_SUM, f->context->comm);
    for (int r = 0; r < f->context->n_rank; r++)
        for (int w = 0; w < N_WORKER; w++)
            for (int s = 0; s < N_SEGMENT; s++) assert_int_equal(f->n_taken[r][w][s], 1);
    return n_far;
}

/** Where the system lets them, the others leave nothing to a rank that is late. */
static void each_segment_is_taken_once(void **state)
{
    struct fixture f;
    set_up(&f, MOST_BYTES);
    const int n_far = do_round(&f);
    assert_int_equal(do_round(&f), n_far);
    if (f.context->n_rank == 1) assert_int_equal(n_far, 0);
    if (n_far > 0) assert_int_equal(n_far, N_WORKER * N_SEGMENT);
    tear_down(&f);
}

static void what_is_too_long_stays(void **state)
{
    struct fixture f;
    set_up(&f, 100);
    assert_int_equal(do_round(&f), 0);
    tear_down(&f);
    set_up(&f, 0);
    assert_int_equal(do_round(&f), 0);
    tear_down(&f);
}

static void nothing_is_offered_after_a_store_is_dropped(void **state)
{
    struct fixture f;
    struct hf_taken_segment taken;
    set_up(&f, MOST_BYTES);
    for (int i = 0; i < N_WORKER; i++) hf_store_board_offer(f.board, i, f.store[i]);
    MPI_Barrier(f.context->comm);
    for (int i = 0; i < N_WORKER; i++) hf_store_board_offer(f.board, i, NULL);
    MPI_Barrier(f.context->comm);
    assert_false(hf_store_board_take(f.board, 0, &taken));
    tear_down(&f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_segment_is_taken_once),
        cmocka_unit_test(what_is_too_long_stays),
        cmocka_unit_test(nothing_is_offered_after_a_store_is_dropped),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
