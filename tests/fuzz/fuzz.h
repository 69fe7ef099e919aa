/* What the fuzz harnesses share. A harness is one file with LLVMFuzzerTestOneInput, which libFuzzer
 * calls with bytes of its own making (tools/fuzz) and replay.c with those of the corpus (the unit
 * tests). Nothing here needs MPI to be initialised. */
#ifndef HF_FUZZ_H
#define HF_FUZZ_H

#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The file that messages must name. */
#define FUZZ_PATH "fuzzed.file"

/** One input; 0: it may go into the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** A property that must hold for whatever was read; assert is not compiled into every build. */
#define FUZZ_REQUIRE(holds)                                                                        \
    do {                                                                                           \
        if (!(holds)) fuzz_violated(__FILE__, __LINE__, #holds, NULL);                             \
    } while (0)

/** Ends the process, as a crash would: libFuzzer keeps the input. */
static inline void fuzz_violated(const char *file, int line, const char *what, const char *found)
{
    fprintf(stderr, "%s:%d: does not hold: %s%s%s\n", file, line, what,
            found != NULL ? "; message: " : "", found != NULL ? found : "");
    abort();
}

/** A failure comes with one line of message that contains `part`; no failure, with none. */
static inline void fuzz_require_message(hf_status status, const struct hf_error *error,
                                        const char *part)
{
    const char *message = error->message;
    const bool one_line = message[0] != '\0' && strpbrk(message, "\r\n") == NULL;
    if (status == HF_OK && message[0] != '\0')
        fuzz_violated(__FILE__, __LINE__, "success without a message", message);
    if (status != HF_OK && (status != HF_BAD_INPUT || !one_line || strstr(message, part) == NULL))
        fuzz_violated(__FILE__, __LINE__, "a refusal is one line that names the file", message);
}

/** The bytes as a string up to the first NUL, with room for `n_more` bytes; to be freed. */
static inline char *fuzz_string(const uint8_t *data, size_t size, size_t n_more)
{
    char *string = calloc(size + n_more + 1, 1);
    if (string == NULL) abort();
    if (size > 0) memcpy(string, data, size);
    return string;
}

#endif
