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
