/* Splits the lines of a Gaussian-94 file into words. */
#include "gaussian94_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hf_status hf_gaussian94_fail(struct hf_gaussian94 *reader, const char *format, ...)
{
    char what[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return hf_text_fail(reader->error, reader->text, reader->line, "%s", what);
}

hf_status hf_gaussian94_real(struct hf_gaussian94 *reader, int i, double *value)
{
    const enum hf_number outcome = hf_word_real(reader->word[i], value);
    if (outcome == HF_NUMBER_OK) return HF_OK;
    return hf_gaussian94_fail(reader, "\"%.*s\" %s", HF_WORD(reader->word[i]),
                              hf_number_problem(outcome));
}

hf_status hf_gaussian94_next_line(struct hf_gaussian94 *reader, bool *found)
{
    *found = false;
    while (!*found && reader->line < reader->text->n_line) {
        const char *line = reader->text->line[reader->line++];
        const char *position = line, *const comment = strchr(line, '!');
        if (comment != NULL) HF_CHECK(hf_basis_set_parse_comment(reader->set, line, reader->error));
        reader->n_word = 0;
        struct hf_word word;
        while (hf_next_word(&position, &word)) {
            if (comment != NULL && word.begin >= comment) break;
            if (comment != NULL && word.begin + word.length > comment)
                word.length = (int)(comment - word.begin);
            if (reader->n_word == HF_MAX_GAUSSIAN94_WORD) {
                if (reader->n_open == 0) break; /* a remark between blocks */
                return hf_gaussian94_fail(reader, "more than %d words in a line",
                                          (int)HF_MAX_GAUSSIAN94_WORD);
            }
            reader->word[reader->n_word++] = word;
        }
        *found = reader->n_word > 0;
    }
    return HF_OK;
}

bool hf_gaussian94_is_separator(const struct hf_gaussian94 *reader)
{
    return reader->word[0].length >= 4 && strncmp(reader->word[0].begin, "****", 4) == 0;
}
