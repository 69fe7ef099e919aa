/* Frame of every test program. Few tests read the state that cmocka gives to all of them. */
#ifndef HF_TEST_H
#define HF_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hf/status.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A test is a function, named for what holds:
 *
 *     TEST(a_name_is_found)
 *     {
 *         assert_ok(...);
 *     }
 *     TEST_MAIN
 *
 * Tests put themselves into the list of their file before main, in the order of the file, which is also that in which they run.
 * TEST_IN has functions that run before and after the test; they and the test may share *state. */

enum { TEST_MOST = 64 };
static struct CMUnitTest test_list[TEST_MOST]; /* cmocka leaves out what has no name */

#define TEST(name) TEST_IN(name, NULL, NULL)
#define TEST_IN(name, set_up, tear_down)                                                           \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        test_register((struct CMUnitTest){#name, name, set_up, tear_down, NULL});                  \
    }                                                                                              \
    static void name(void **state)

/** The program of tests that need no arguments; mpi_test.h has one for several ranks. */
#define TEST_MAIN                                                                                  \
    int main(void)                                                                                 \
    {                                                                                              \
        return cmocka_run_group_tests(test_list, NULL, NULL);                                      \
    }

static inline void test_register(struct CMUnitTest test)
{
    int n = 0;
    while (test_list[n].name != NULL) n++;
    if (n == TEST_MOST - 1) abort();
    test_list[n] = test;
}

/** A struct fixture of the file: set_up begins it here, tear_down ends it with the block. */
#define SET_UP(name)                                                                               \
    struct fixture name __attribute__((cleanup(tear_down)));                                       \
    set_up(&name)

/** Where calls of a test say what went wrong. */
static struct hf_error error __attribute__((unused));

/** A call that must succeed. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if ((call) != HF_OK) fail_msg("%s: %s", #call, error.message);                             \
    } while (0)

/** A call that must fail as `expected`, with `words` in its message. */
static inline void assert_failure(hf_status status, hf_status expected,
                                  const struct hf_error *failure, const char *words)
{
    assert_int_equal(status, expected);
    if (strstr(failure->message, words) == NULL)
        fail_msg("'%s' does not contain '%s'", failure->message, words);
}

/** Uniform in (-0.5, 0.5), the same everywhere. */
static inline double test_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

#endif
