/* Work that the threads of a rank share. */
#include "../test.h"
#include "base/threads.h"

enum { MOST = 5 };

/** Notes who was called; threads `bad` and above fail. */
struct calls {
    int n[MOST], n_thread[MOST], bad;
};

static hf_status note(void *data, int thread, int n_thread, struct hf_error *failure)
{
    struct calls *calls = data;
    calls->n[thread]++;
    calls->n_thread[thread] = n_thread;
    if (thread < calls->bad) return HF_OK;
    return hf_fail(failure, HF_NO_RESOURCE, "thread %d has no memory", thread);
}

TEST(every_thread_is_called_once)
{
    for (int n = 0; n <= MOST; n++) {
        struct calls calls = {.bad = MOST};
        const int expected = n > 1 ? n : 1;
        assert_ok(hf_threads_run(n, note, &calls, NULL));
        for (int t = 0; t < MOST; t++) {
            assert_int_equal(calls.n[t], t < expected);
            if (t < expected) assert_int_equal(calls.n_thread[t], expected);
        }
    }
}

TEST(the_first_thread_that_fails_is_heard)
{
    for (int bad = 0; bad < 4; bad++) {
        struct calls calls = {.bad = bad};
        const char message[] = {'t', 'h', 'r', 'e', 'a', 'd', ' ', (char)('0' + bad), '\0'};
        assert_failure(hf_threads_run(4, note, &calls, &error), HF_NO_RESOURCE, &error, message);
        assert_int_equal(hf_threads_run(4, note, &calls, NULL), HF_NO_RESOURCE);
    }
}

/** How often each element, and each piece, was met. */
struct seen {
    unsigned char *element;
    int piece[HF_N_PIECE];
    size_t n;
};

static void count(void *data, int piece, struct hf_elements elements)
{
    struct seen *seen = data;
    seen->piece[piece]++;
    for (size_t i = elements.begin; i < elements.end && i < seen->n; i++) seen->element[i]++;
}

TEST(every_element_is_in_one_piece)
{
    const size_t sizes[] = {0, 1, 63, 64, 65, 1000, (1 << 16) - 1, 1 << 16, 200003};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int n_thread = 0; n_thread <= 4; n_thread++) {
            struct seen seen = {.element = calloc(sizes[k] + 1, 1), .n = sizes[k]};
            assert_non_null(seen.element);
            hf_threads_each(n_thread, sizes[k], count, &seen);
            for (size_t i = 0; i < sizes[k]; i++) assert_int_equal(seen.element[i], 1);
            for (int i = 0; i < HF_N_PIECE; i++) assert_int_equal(seen.piece[i], 1);
            free(seen.element);
        }
    }
}

TEST_MAIN
