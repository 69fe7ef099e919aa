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

/** A call that must succeed; expect_ok shows why it did not. */
#define assert_ok(call) assert_int_equal(call, HF_OK)

static inline void expect_ok(hf_status status, const struct hf_error *error)
{
    if (status != HF_OK) fail_msg("%s", error->message);
}

/** A call that must fail as `expected`, with `words` in its message. */
static inline void assert_failure(hf_status status, hf_status expected,
                                  const struct hf_error *error, const char *words)
{
    assert_int_equal(status, expected);
    if (strstr(error->message, words) == NULL)
        fail_msg("'%s' does not contain '%s'", error->message, words);
}

/** Uniform in (-0.5, 0.5), the same everywhere. */
static inline double test_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

#endif
