/* Text files, words and numbers, for all readers of input. */
#ifndef HF_TEXT_H
#define HF_TEXT_H

#include "base/arena.h"
#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A text file in memory, cut into lines. Line i+1 of the file is line[i], without its end (LF,
 *  CR LF or CR) and ended by a NUL. Free with hf_text_done. */
struct hf_text {
    char *path;    /**< for messages; owned */
    int n_line;    /**< at least 1 */
    char **line;   /**< [n_line], pointing into content; owned */
    char *content; /**< owned */
};

/** Reads `path` on rank 0 and gives it to all ranks, so that all parse the same.
 *
 *  Call     collective over context->comm; path need only be right on rank 0.
 *  Errors   HF_BAD_INPUT: no such file, directory, not a regular file, not readable, empty, 64 MiB
 *           or larger, not text (NUL or control bytes); HF_NO_RESOURCE: memory. Same status and
 *           message on every rank; *text is then empty. */
hf_status hf_text_read(struct hf_context *context, const char *path, struct hf_text *text,
                       struct hf_error *error) HF_MUST_CHECK;

/** The same by one process for itself, without MPI. Not collective. */
hf_status hf_text_read_alone(const char *path, struct hf_text *text,
                             struct hf_error *error) HF_MUST_CHECK;

/** What messages call standard input. */
#define HF_STANDARD_INPUT "standard input"

/** The same from the standard input of rank 0 up to its end; messages call it "standard input".
 *  Collective. HF_INTERRUPTED as well: a signal came while it waited, and the context's interruption
 *  says that the run is to end. */
hf_status hf_text_read_standard_input(struct hf_context *context, struct hf_text *text,
                                      struct hf_error *error) HF_MUST_CHECK;

/** The same from a string, which is copied; `path` is what messages call it. Not collective. */
hf_status hf_text_from_string(const char *path, const char *string, struct hf_text *text,
                              struct hf_error *error) HF_MUST_CHECK;

/** The first line from `line` on, both counted from 0, that is not blank; n_line without one. */
int hf_text_skip_blank(const struct hf_text *text, int line);

/** Frees and clears. Accepts a cleared text. */
void hf_text_done(struct hf_text *text);

/** HF_BAD_INPUT with the message "path, line 4: ..."; line 0 leaves the line out. */
hf_status hf_text_fail(struct hf_error *error, const struct hf_text *text, int line,
                       const char *format, ...) HF_PRINTF(4, 5);

/** Part of a line; not NUL-terminated. Nothing is owned. */
struct hf_word {
    const char *begin;
    int length;
};

/** A whole string as a word. */
static inline struct hf_word hf_word_of(const char *text)
{
    return (struct hf_word){text, (int)strlen(text)};
}

/** A word as the arguments of "%.*s", cut to a length that fits a message. */
#define HF_WORD(word) ((word).length > 60 ? 60 : (word).length), (word).begin

/** Next word between blanks from *position on, which is moved behind it; false at the line's end.
 */
bool hf_next_word(const char **position, struct hf_word *word);

/** Copy of a string; NULL: there is none, or no memory. */
char *hf_copy_string(struct hf_arena *arena, const char *text);

/** The part of a path behind its last slash. */
const char *hf_file_name(const char *path);

/** Hash of some more bytes, FNV-1a of 64 bits (Fowler, Noll, Vo); the first `hash` is HF_HASH_EMPTY. */
#define HF_HASH_EMPTY UINT64_C(0xcbf29ce484222325)
uint64_t hf_hash_add(uint64_t hash, size_t n_byte, const void *data);

/** The same of a string; NULL is another than the empty one. */
uint64_t hf_hash_add_text(uint64_t hash, const char *text);

/** Writes a text as a shell reads it back: in quotes when it has blanks or other characters that mean
 *  something to shells, and not as an option. Cut where `word` ends. Returns `word`. */
const char *hf_shell_word(const char *text, size_t size, char word[]);

/** What is left of the line from `position` on, without blanks around it. */
struct hf_word hf_rest_of_line(const char *position);

/** Columns first..last (from 1) of a line without blanks around them; empty behind its end. */
struct hf_word hf_columns(const char *line, int first, int last);

/** Whether a word is `known`, in any case (ASCII). */
bool hf_word_is(struct hf_word word, const char *known);

/** NUL-terminated copy; NULL when there is no memory. */
char *hf_word_copy(struct hf_arena *arena, struct hf_word word);

/** Outcome of reading a number. */
enum hf_number { HF_NUMBER_OK, HF_NUMBER_NONE, HF_NUMBER_OUT_OF_RANGE };

/** "is not a number" or "is out of range", to be put behind the word in a message. */
const char *hf_number_problem(enum hf_number outcome);

/** A decimal number: sign, digits with or without a point, exponent with E, D or "*^". The whole
 *  word must be the number; infinities, not-a-number and hexadecimal are refused, whatever the
 *  locale. What is too small for a double becomes 0. *value is untouched on failure. */
enum hf_number hf_word_real(struct hf_word word, double *value);

/** A whole number in decimal digits with or without sign that fits an int. */
enum hf_number hf_word_integer(struct hf_word word, int *value);

/** The arguments of "%s%s" at the end of a message about an unknown word. `nearest` is NULL if no known word is near. */
#define HF_DID_YOU_MEAN(nearest, otherwise)                                                        \
    (nearest) != NULL ? "; did you mean " : (otherwise), (nearest) != NULL ? (nearest) : ""

/** The entry of `known` [n] that `word` was probably meant to be, or NULL when none is near: fewest
 *  letters changed, left out, put in or swapped with a neighbour (in any case); words that merely
 *  break off count as near. */
const char *hf_nearest_word(struct hf_word word, int n, const char *const known[]);

#endif
