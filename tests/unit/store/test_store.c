/* The store of integrals: what is appended comes back, in order, whatever it is cut into. */
#include "../mpi_test.h"

#include "../../../src/store/integral_store.h"

enum { MOST_VALUES = 900000 };

/** A store over nothing but a context. */
struct fixture {
    struct hf_shell_pairs pairs;
    struct hf_context *context;
    struct hf_integral_store *store;
    double *value; /**< [MOST_VALUES] */
};

static void set_up(struct fixture *f, double bytes)
{
    *f = (struct fixture){.context = test_context()};
    f->pairs.context = f->context;
    f->value = calloc(MOST_VALUES, sizeof *f->value);
    assert_ok(hf_integral_store_create(&f->pairs, bytes, &f->store, &error));
}

static void tear_down(struct fixture *f)
{
    hf_integral_store_destroy(&f->store);
    assert_null(f->store);
    free(f->value);
    test_context_done(&f->context);
}

static bool is_narrow(int k)
{
    return k % 5 < 2;
}

/** Strip k of a test: its head, with numbers that tell k. */
static struct hf_stored_strip make_strip(int k, int n, double *value)
{
    for (int i = 0; i < n; i++) value[i] = k + 1.0 / (3.0 + i);
    return (struct hf_stored_strip){.bra = k,
                                    .n_quartet = 1 + k % 7,
                                    .n = (uint32_t)n,
                                    .bound = 1.0F / (float)(k + 1),
                                    .place = (int16_t)(k % 16),
                                    .kind = is_narrow(k) ? HF_STORED_SINGLE : HF_STORED_DOUBLE,
                                    .first_c = (uint16_t)k,
                                    .n_c = 1,
                                    .first_d = 3,
                                    .n_d = (uint16_t)(k % 60000)};
}

/** Strips of every size up to the largest, so that every place in a line and a chunk comes by. */
static int size_of(int k, int largest)
{
    return 1 + (int)((int64_t)k * 7919 % largest);
}

static void append(struct fixture *f, int k, int largest)
{
    struct hf_stored_strip strip = make_strip(k, size_of(k, largest), f->value);
    void *number;
    assert_true(hf_integral_store_append(f->store, &strip, &number));
    assert_true((number == NULL) == (strip.kind == HF_STORED_NOTHING));
    for (uint32_t i = 0; number != NULL && i < strip.n; i++) {
        if (is_narrow(k))
            ((float *)number)[i] = (float)f->value[i];
        else
            ((double *)number)[i] = f->value[i];
    }
}

/** The next strip is number k, with its numbers or, where there was no room, without. True: with. */
static bool check_next(struct fixture *f, struct hf_store_cursor *cursor, int k, int largest)
{
    const void *number;
    const struct hf_stored_strip *found = hf_integral_store_next(cursor, &number);
    assert_non_null(found);
    struct hf_stored_strip expected = make_strip(k, size_of(k, largest), f->value);
    if (found->kind == HF_STORED_NOTHING) expected.kind = HF_STORED_NOTHING;
    assert_memory_equal(found, &expected, sizeof expected);
    assert_true((number == NULL) == (found->kind == HF_STORED_NOTHING));
    for (uint32_t i = 0; number != NULL && i < expected.n; i++)
        assert_true(is_narrow(k) ? ((const float *)number)[i] == (float)f->value[i]
                                 : ((const double *)number)[i] == f->value[i]);
    return number != NULL;
}

/** Stores `n_segment` segments, number s of s % 7 strips, and reads them back from the last to the
 *  first. Those without strips are not kept. */
static void store_and_read(double bytes, int n_segment, int largest, bool all_have_room)
{
    struct fixture f;
    int k = 0;
    set_up(&f, bytes);
    for (int s = 0; s < n_segment; s++) {
        assert_ok(hf_integral_store_begin(f.store, 1000 + s, s % 3, &error));
        for (int i = 0; i < s % 7; i++) append(&f, k++, largest);
    }
    int n_kept = n_segment - (n_segment + 6) / 7;
    assert_int_equal(hf_integral_store_n_segment(f.store), n_kept);
    for (int s = n_segment - 1; s >= 0; s--) {
        if (s % 7 == 0) continue;
        const struct hf_store_segment segment = hf_integral_store_segment(f.store, --n_kept);
        assert_int_equal(segment.task, 1000 + s);
        assert_int_equal(segment.part, s % 3);
        assert_int_equal(segment.n_strip, s % 7);
        struct hf_store_cursor cursor = hf_integral_store_open(f.store, &segment);
        k -= s % 7;
        for (int i = 0; i < s % 7; i++)
            if (!check_next(&f, &cursor, k + i, largest)) assert_false(all_have_room);
        const void *number;
        assert_null(hf_integral_store_next(&cursor, &number));
    }
    tear_down(&f);
}

TEST(what_is_stored_comes_back_segment_by_segment)
{
    store_and_read(1e9, 30, 300, true);
}

TEST(segments_may_be_cut_by_the_ends_of_chunks)
{
    store_and_read(1e9, 40, 150000, true);
}

TEST(one_strip_may_be_longer_than_a_chunk)
{
    store_and_read(1e9, 10, MOST_VALUES, true);
}

TEST(without_room_strips_are_noted_all_the_same)
{
    store_and_read(0.0, 30, 300, false);
    store_and_read(1.2e7, 40, 150000, false);
}

TEST(numbers_stay_within_the_budget)
{
    static const double budget = 1.2e7, notes = 1 << 16;
    struct fixture f;
    int n_stored = 0;
    set_up(&f, budget);
    assert_ok(hf_integral_store_begin(f.store, 0, 0, &error));
    for (int k = 0; k < 100; k++) append(&f, k, 150000);
    assert_true((double)hf_integral_store_bytes(f.store) <= budget + notes);
    const struct hf_store_segment segment = hf_integral_store_segment(f.store, 0);
    struct hf_store_cursor cursor = hf_integral_store_open(f.store, &segment);
    for (int k = 0; k < 100; k++) n_stored += check_next(&f, &cursor, k, 150000);
    assert_true(n_stored > 5 && n_stored < 100);
    tear_down(&f);
}

/** Notes get chunks of their own; no numbers may slip into these. */
TEST(once_it_is_full_nothing_but_notes_is_added)
{
    enum { N_STRIP = 20000 };
    static const double budget = 5e6, notes = (double)N_STRIP * sizeof(struct hf_stored_strip);
    struct fixture f;
    set_up(&f, budget);
    assert_ok(hf_integral_store_begin(f.store, 0, 0, &error));
    for (int k = 0; k < N_STRIP; k++) append(&f, k, 300);
    assert_true((double)hf_integral_store_bytes(f.store) <= budget + notes + (1 << 16));
    tear_down(&f);
}

MPI_TEST_MAIN
