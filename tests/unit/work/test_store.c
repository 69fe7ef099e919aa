/* The store of integrals: what is appended comes back, in order, whatever it is cut into. */
#include "../mpi_test.h"

#include "../../../src/work/integral_store.h"

#include <string.h>

enum { MOST_VALUES = 120000 };

/** A store over nothing but a context. */
struct fixture {
    struct hf_shell_pairs pairs;
    struct hf_context *context;
    struct hf_integral_store *store;
    double *value; /**< [MOST_VALUES * HF_LANES] */
    float *single; /**< the same */
};

static void set_up(struct fixture *f, double bytes)
{
    struct hf_error error;
    *f = (struct fixture){.context = test_context()};
    f->pairs.context = f->context;
    f->value = calloc((size_t)MOST_VALUES * HF_LANES, sizeof *f->value);
    f->single = calloc((size_t)MOST_VALUES * HF_LANES, sizeof *f->single);
    assert_int_equal(hf_integral_store_create(&f->pairs, bytes, &f->store, &error), HF_OK);
}

static void tear_down(struct fixture *f)
{
    hf_integral_store_destroy(&f->store);
    assert_null(f->store);
    free(f->value);
    free(f->single);
    test_context_done(&f->context);
}

/** Batch k of a test: its head, with numbers that tell k. Every third is a single quartet. */
static struct hf_stored_batch make_batch(int k, int n, double *value)
{
    struct hf_stored_batch batch = {.bra = k,
                                    .n = n,
                                    .n_quartet = (int16_t)(k % 3 == 0 ? 1 : 1 + k % HF_LANES),
                                    .bra_is_row = k % 2 == 0,
                                    .side_by_side = k % 3 == 0 ? 1 : HF_LANES};
    for (int l = 0; l < batch.n_quartet; l++) {
        batch.ket[l] = 100 * k + l;
        batch.place[l] = (int16_t)(l % 16);
    }
    for (int i = 0; i < n * batch.side_by_side; i++) value[i] = k + 1.0 / (3.0 + i);
    return batch;
}

/** Batches of every size up to the largest, so that every place in a line and a chunk comes by. */
static int size_of(int k, int largest)
{
    return 1 + (int)((int64_t)k * 7919 % largest);
}

static bool is_narrow(int k)
{
    return k % 5 < 2;
}

static void append(struct fixture *f, int k, int largest)
{
    const struct hf_stored_batch batch = make_batch(k, size_of(k, largest), f->value);
    for (int i = 0; i < batch.n * batch.side_by_side; i++) f->single[i] = (float)f->value[i];
    assert_true(hf_integral_store_append(f->store, batch, is_narrow(k) ? NULL : f->value,
                                         is_narrow(k) ? f->single : NULL));
}

/** The next batch is number k, with its numbers or, where there was no room, without. True: with. */
static bool check_next(struct fixture *f, struct hf_store_cursor *cursor, int k, int largest)
{
    const double *value;
    const float *single;
    const struct hf_stored_batch *found = hf_integral_store_next(f->store, cursor, &value, &single);
    assert_non_null(found);
    struct hf_stored_batch expected = make_batch(k, size_of(k, largest), f->value);
    expected.kind = found->kind;
    assert_memory_equal(found, &expected, sizeof expected);
    if (found->kind == HF_STORED_NOTHING) {
        assert_null(value);
        assert_null(single);
        return false;
    }
    assert_int_equal(found->kind, is_narrow(k) ? HF_STORED_SINGLE : HF_STORED_DOUBLE);
    assert_true((value != NULL) == !is_narrow(k) && (single != NULL) == is_narrow(k));
    for (int i = 0; i < expected.n * expected.side_by_side; i++)
        assert_true(value != NULL ? value[i] == f->value[i] : single[i] == (float)f->value[i]);
    return true;
}

/** Stores `n_segment` segments, number s of s % 7 batches, and reads them back from the last to the
 *  first. Those without batches are not kept. */
static void store_and_read(double bytes, int n_segment, int largest, bool all_have_room)
{
    struct fixture f;
    struct hf_error error;
    int k = 0;
    set_up(&f, bytes);
    for (int s = 0; s < n_segment; s++) {
        assert_int_equal(hf_integral_store_begin(f.store, 1000 + s, s % 3, &error), HF_OK);
        for (int i = 0; i < s % 7; i++) append(&f, k++, largest);
    }
    int n_kept = n_segment - (n_segment + 6) / 7;
    assert_int_equal(hf_integral_store_n_segment(f.store), n_kept);
    for (int s = n_segment - 1; s >= 0; s--) {
        if (s % 7 == 0) continue;
        const struct hf_store_segment segment = hf_integral_store_segment(f.store, --n_kept);
        assert_int_equal(segment.task, 1000 + s);
        assert_int_equal(segment.part, s % 3);
        assert_int_equal(segment.n_batch, s % 7);
        struct hf_store_cursor cursor = hf_integral_store_open(&segment);
        k -= s % 7;
        for (int i = 0; i < s % 7; i++)
            if (!check_next(&f, &cursor, k + i, largest)) assert_false(all_have_room);
        const double *value;
        const float *single;
        assert_null(hf_integral_store_next(f.store, &cursor, &value, &single));
    }
    tear_down(&f);
}

static void what_is_stored_comes_back_segment_by_segment(void **state)
{
    (void)state;
    store_and_read(1e9, 30, 300, true);
}

static void segments_may_be_cut_by_the_ends_of_chunks(void **state)
{
    (void)state;
    store_and_read(1e9, 40, 20000, true);
}

static void one_batch_may_be_longer_than_a_chunk(void **state)
{
    (void)state;
    store_and_read(1e9, 10, MOST_VALUES, true);
}

static void without_room_quartets_are_noted_all_the_same(void **state)
{
    (void)state;
    store_and_read(0.0, 30, 300, false);
    store_and_read(1.2e7, 40, 20000, false);
}

static void numbers_stay_within_the_budget(void **state)
{
    (void)state;
    static const double budget = 1.2e7, notes = 1 << 16;
    struct fixture f;
    struct hf_error error;
    int n_stored = 0;
    set_up(&f, budget);
    assert_int_equal(hf_integral_store_begin(f.store, 0, 0, &error), HF_OK);
    for (int k = 0; k < 100; k++) append(&f, k, 20000);
    assert_true((double)hf_integral_store_bytes(f.store) <= budget + notes);
    const struct hf_store_segment segment = hf_integral_store_segment(f.store, 0);
    struct hf_store_cursor cursor = hf_integral_store_open(&segment);
    for (int k = 0; k < 100; k++) n_stored += check_next(&f, &cursor, k, 20000);
    assert_true(n_stored > 5 && n_stored < 100);
    tear_down(&f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_comes_back_segment_by_segment),
        cmocka_unit_test(segments_may_be_cut_by_the_ends_of_chunks),
        cmocka_unit_test(one_batch_may_be_longer_than_a_chunk),
        cmocka_unit_test(without_room_quartets_are_noted_all_the_same),
        cmocka_unit_test(numbers_stay_within_the_budget),
    };
    HF_RUN_MPI_TESTS(argc, argv, tests, false);
}
