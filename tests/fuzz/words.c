/* Fuzz harness of words and numbers: the bytes are one line. Numbers are compared with the C
 * library's, which read more than we take but must agree on what both take. */
#include "fuzz.h"

#include "run/calculation.h"
#include "text/text.h"

#include <math.h>

static void require_sane_real(struct hf_word word)
{
    double value = -1.5;
    struct hf_arena arena = {.label = "a word"};
    char *copy = hf_word_copy(&arena, word), *end = NULL;
    if (copy == NULL) abort();
    const enum hf_number outcome = hf_word_real(word, &value);
    const double theirs = strtod(copy, &end);
    const bool plain = strpbrk(copy, "dD^xXiInN") == NULL;
    if (outcome == HF_NUMBER_OK) FUZZ_REQUIRE(isfinite(value));
    if (outcome != HF_NUMBER_OK) FUZZ_REQUIRE(value == -1.5);
    if (outcome == HF_NUMBER_OK && plain) FUZZ_REQUIRE(*end == '\0' && theirs == value);
    if (outcome == HF_NUMBER_NONE && plain && word.length < 400)
        FUZZ_REQUIRE(end == copy || *end != '\0');
    if (outcome == HF_NUMBER_OUT_OF_RANGE && plain) FUZZ_REQUIRE(isinf(theirs));
    hf_arena_done(&arena);
}

static void require_sane_integer(struct hf_word word)
{
    int value = 7654321;
    double real = 0.0;
    const enum hf_number outcome = hf_word_integer(word, &value);
    if (outcome != HF_NUMBER_OK) FUZZ_REQUIRE(value == 7654321);
    if (outcome == HF_NUMBER_OK && word.length < 400)
        FUZZ_REQUIRE(hf_word_real(word, &real) == HF_NUMBER_OK && real == value);
}

static void require_sane_word(struct hf_word word)
{
    static const char *const known[] = {"geometry", "basis", "charge", "V2000", "aug-cc-pVTZ", "H"};
    require_sane_real(word);
    require_sane_integer(word);
    const char *nearest = hf_nearest_word(word, 6, known);
    bool is_known = nearest == NULL;
    for (int i = 0; i < 6; i++) {
        is_known = is_known || nearest == known[i];
        if (hf_word_is(word, known[i])) FUZZ_REQUIRE(nearest == known[i]);
    }
    FUZZ_REQUIRE(is_known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = fuzz_string(data, size, 0);
    const int length = (int)strlen(line);
    const char *position = line;
    struct hf_word word;
    double bytes = -1.0;
    int n_letter = 0;
    while (hf_next_word(&position, &word)) {
        FUZZ_REQUIRE(word.begin >= line && word.begin + word.length <= line + length);
        require_sane_word(word);
        n_letter += word.length;
    }
    FUZZ_REQUIRE(n_letter <= length && hf_rest_of_line(line).length >= n_letter);
    for (int first = 1; first < 80; first += 9) {
        word = hf_columns(line, first, first + 11);
        FUZZ_REQUIRE(word.length >= 0 && word.length <= 12 &&
                     word.begin + word.length <= line + length);
    }
    if (hf_parse_size(line, &bytes)) FUZZ_REQUIRE(bytes >= 0.0 && isfinite(bytes));
    (void)hf_element_number(line);
    free(line);
    return 0;
}
