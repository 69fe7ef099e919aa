/* Words of a line, numbers in them, and the known word a misspelt one was meant to be. */
#include "text/text.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Longest number and longest known word looked at. */
enum { MAX_NUMBER = 400, MAX_WORD = 63 };

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool hf_next_word(const char **position, struct hf_word *word)
{
    const char *begin = *position;
    while (is_blank(*begin)) begin++;
    const char *end = begin;
    while (*end != '\0' && !is_blank(*end)) end++;
    *position = end;
    *word = (struct hf_word){begin, (int)(end - begin)};
    return word->length > 0;
}

static struct hf_word trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin)) begin++;
    while (begin < end && is_blank(end[-1])) end--;
    return (struct hf_word){begin, (int)(end - begin)};
}

struct hf_word hf_rest_of_line(const char *position)
{
    return trimmed(position, position + strlen(position));
}

struct hf_word hf_columns(const char *line, int first, int last)
{
    const int length = (int)strlen(line);
    const int stop = last < length ? last : length;
    const int start = first - 1 < stop ? first - 1 : stop;
    return trimmed(line + start, line + stop);
}

bool hf_word_is(struct hf_word word, const char *known)
{
    for (int i = 0; i < word.length; i++)
        if (known[i] == '\0' || lower(word.begin[i]) != lower(known[i])) return false;
    return known[word.length] == '\0';
}

char *hf_word_copy(struct hf_arena *arena, struct hf_word word)
{
    char *copy = HF_TAKE(arena, copy, (size_t)word.length + 1);
    return copy != NULL ? memcpy(copy, word.begin, (size_t)word.length) : NULL;
}

char *hf_copy_string(struct hf_arena *arena, const char *text)
{
    if (text == NULL) return NULL;
    return hf_word_copy(arena, hf_word_of(text));
}

const char *hf_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

uint64_t hf_hash_add(uint64_t hash, size_t n_byte, const void *data)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < n_byte; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t hf_hash_add_text(uint64_t hash, const char *text)
{
    const unsigned char there = text != NULL;
    hash = hf_hash_add(hash, 1, &there);
    return there ? hf_hash_add(hash, strlen(text) + 1, text) : hash;
}

const char *hf_shell_word(const char *text, size_t size, char word[])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./+,:=@%-";
    const char *front = text[0] == '-' ? "./" : ""; /* else it is an option */
    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        snprintf(word, size, "%s%s", front, text);
        return word;
    }
    size_t n = (size_t)snprintf(word, size, "%s'", front);
    for (const char *c = text; *c != '\0' && n < size; c++)
        n += (size_t)snprintf(word + n, size - n, *c == '\'' ? "'\\''" : "%c", *c);
    if (n < size) snprintf(word + n, size - n, "'");
    return word;
}

const char *hf_number_problem(enum hf_number outcome)
{
    return outcome == HF_NUMBER_OUT_OF_RANGE ? "is out of range" : "is not a number";
}

/** Copies digits of `word` from `i` on to `out`; returns how many. */
static int copy_digits(struct hf_word word, int i, char *out)
{
    int n = 0;
    while (i + n < word.length && is_digit(word.begin[i + n])) {
        out[n] = word.begin[i + n];
        n++;
    }
    return n;
}

/** Writes the number as C spells it; false when the word is no number. */
static bool normalise_number(struct hf_word word, char out[MAX_NUMBER + 2])
{
    int i = 0, o = 0, n_digit = 0;
    if (word.length > MAX_NUMBER) return false;
    if (i < word.length && (word.begin[i] == '+' || word.begin[i] == '-'))
        out[o++] = word.begin[i++];
    n_digit = copy_digits(word, i, out + o);
    i += n_digit, o += n_digit;
    if (i < word.length && word.begin[i] == '.') {
        out[o++] = word.begin[i++];
        const int n_decimal = copy_digits(word, i, out + o);
        i += n_decimal, o += n_decimal, n_digit += n_decimal;
    }
    if (n_digit == 0) return false;
    if (i < word.length) { /* exponent */
        if (i + 1 < word.length && word.begin[i] == '*' && word.begin[i + 1] == '^')
            i += 2;
        else if (lower(word.begin[i]) == 'e' || lower(word.begin[i]) == 'd')
            i++;
        else
            return false;
        out[o++] = 'e';
        if (i < word.length && (word.begin[i] == '+' || word.begin[i] == '-'))
            out[o++] = word.begin[i++];
        const int n_exponent = copy_digits(word, i, out + o);
        i += n_exponent, o += n_exponent;
        if (n_exponent == 0) return false;
    }
    out[o] = '\0';
    return i == word.length;
}

enum hf_number hf_word_real(struct hf_word word, double *value)
{
    char number[MAX_NUMBER + 2];
    if (!normalise_number(word, number)) return HF_NUMBER_NONE;
    /* strtod takes the decimal point from the locale, which belongs to the calling program */
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    const double read = strtod(number, NULL);
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
    if (!isfinite(read)) return HF_NUMBER_OUT_OF_RANGE;
    *value = read;
    return HF_NUMBER_OK;
}

enum hf_number hf_word_integer(struct hf_word word, int *value)
{
    int i = 0;
    long long read = 0;
    bool too_large = false;
    const bool negative = word.length > 0 && word.begin[0] == '-';
    if (negative || (word.length > 0 && word.begin[0] == '+')) i++;
    if (i == word.length) return HF_NUMBER_NONE;
    for (; i < word.length; i++) {
        if (!is_digit(word.begin[i])) return HF_NUMBER_NONE;
        if (read <= INT_MAX) read = 10 * read + (word.begin[i] - '0');
        too_large = too_large || read > INT_MAX;
    }
    if (too_large) return HF_NUMBER_OUT_OF_RANGE;
    *value = (int)(negative ? -read : read);
    return HF_NUMBER_OK;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/** Letters to change, leave out, put in or swap with a neighbour to turn one word into the other
 *  (optimal string alignment). */
static int edit_distance(struct hf_word a, const char *b, int n_b)
{
    int row[3][MAX_WORD + 1];
    int *older = row[0], *last = row[1], *here = row[2];
    for (int j = 0; j <= n_b; j++) last[j] = older[j] = j;
    for (int i = 1; i <= a.length; i++) {
        here[0] = i;
        for (int j = 1; j <= n_b; j++) {
            const char ca = lower(a.begin[i - 1]), cb = lower(b[j - 1]);
            here[j] = least(least(last[j], here[j - 1]) + 1, last[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == lower(b[j - 2]) && lower(a.begin[i - 2]) == cb)
                here[j] = least(here[j], older[j - 2] + 1);
        }
        int *const spare = older;
        older = last;
        last = here;
        here = spare;
    }
    return last[n_b];
}

const char *hf_nearest_word(struct hf_word word, int n, const char *const known[])
{
    const char *nearest = NULL;
    int smallest = MAX_WORD;
    if (word.length == 0 || word.length > MAX_WORD) return NULL;
    for (int i = 0; i < n; i++) {
        const int length = (int)strlen(known[i]);
        if (length > MAX_WORD) continue;
        const bool broken_off = word.length >= 3 && length > word.length &&
                                edit_distance(word, known[i], word.length) == 0;
        const int distance = broken_off ? 1 : edit_distance(word, known[i], length);
        const int longer = length > word.length ? length : word.length;
        if (distance < smallest && distance <= (longer + 2) / 3) {
            smallest = distance;
            nearest = known[i];
        }
    }
    return nearest;
}
