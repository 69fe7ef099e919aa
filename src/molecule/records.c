/* Files with several molecules: finds the beginning and end of each. */
#include "draft.h"

#include <stdio.h>
#include <string.h>

/** End of a record in an SD file that begins in line `begin`: after the line $$$$. */
static int end_of_sd_record(const struct hf_text *text, int begin)
{
    int line = begin;
    while (line < text->n_line && strncmp(text->line[line], "$$$$", 4) != 0) line++;
    return line < text->n_line ? line + 1 : line;
}

/** The same in an XYZ file, where the first line of a geometry has the number of atoms and possibly their unit; -1:
 *  no geometry begins here. */
static int end_of_xyz_record(const struct hf_text *text, int begin)
{
    const int first = hf_text_skip_blank(text, begin);
    struct hf_word word;
    int n_atom = 0;
    if (first == text->n_line) return -1;
    const char *position = text->line[first];
    if (!hf_next_word(&position, &word) || hf_word_integer(word, &n_atom) != HF_NUMBER_OK ||
        n_atom < 1)
        return -1;
    if (hf_next_word(&position, &word) && hf_next_word(&position, &word)) return -1;
    return n_atom < text->n_line - first - 2 ? first + 2 + n_atom : text->n_line;
}

/** Division of a file into records. */
struct division {
    const char *what; /**< "molecules", "geometries"; NULL: the file is not divided */
    int n;            /**< number of records */
    int begin, end;   /**< lines of the requested record, if it exists */
};

static void divide(const struct hf_text *text, int wanted, struct division *division)
{
    const bool sd = end_of_sd_record(text, 0) < text->n_line ||
                    strncmp(text->line[text->n_line - 1], "$$$$", 4) == 0;
    *division = (struct division){.what = sd ? "molecules" : "geometries"};
    for (int begin = 0; begin < text->n_line;) {
        const int end = sd ? end_of_sd_record(text, begin) : end_of_xyz_record(text, begin);
        if (end < 0 || (sd && hf_text_skip_blank(text, begin) == text->n_line)) break;
        if (++division->n == wanted) {
            division->begin = begin;
            division->end = end;
        }
        begin = end;
    }
    if (division->n > 1) return;
    const bool whole = wanted == 1; /* with everything after its only record */
    *division = (struct division){.n = 1, .end = whole ? text->n_line : 0};
}

hf_status hf_choose_record(struct draft *draft, const struct hf_text *text, struct hf_text *chosen)
{
    const struct hf_options *options = draft->options;
    static const struct hf_word key = {"record", 6};
    const bool known = hf_option_find(options->table, key) != NULL;
    const struct hf_option_value *given = known ? hf_options_given(options, "record") : NULL;
    const int wanted = given != NULL ? hf_options_integer(options, "record") : 1;
    struct division division;
    *chosen = *text;
    divide(text, wanted, &division);
    if (wanted > division.n)
        return hf_fail(draft->error, HF_BAD_INPUT, "%s: record %d; %s holds %d%s%s", given->where,
                       wanted, text->path, division.n, division.what != NULL ? " " : " molecule",
                       division.what != NULL ? division.what : "");
    chosen->line = text->line + division.begin;
    chosen->n_line = division.end - division.begin;
    if (wanted > 1) {
        const size_t size = strlen(text->path) + 40;
        chosen->path = hf_arena_take(&draft->arena, size, 1);
        HF_CHECK(hf_arena_check(&draft->arena, draft->error));
        snprintf(chosen->path, size, "%s, record %d", text->path, wanted);
    }
    if (given != NULL || division.n == 1) return HF_OK;
    return hf_input_warn(draft->input, draft->error,
                         "%s: the first of %d %s was read; the option --record chooses another",
                         text->path, division.n, division.what);
}
