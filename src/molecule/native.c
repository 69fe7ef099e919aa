/* The native input: keys with values, and a geometry block. */
#include "draft.h"

#include <stdio.h>
#include <string.h>

/** Ends the line at a # at its beginning or after a blank. */
static void cut_comment(char *line)
{
    for (char *c = strchr(line, '#'); c != NULL; c = strchr(c + 1, '#'))
        if (c == line || c[-1] == ' ' || c[-1] == '\t') *c = '\0';
}

static hf_status read_atom(struct draft *draft, int line, struct hf_error *error)
{
    static const char *const axis[3] = {"x", "y", "z"};
    const char *position = draft->text->line[line - 1];
    struct draft_atom atom = {.line = line};
    struct hf_word word;
    hf_next_word(&position, &word);
    hf_status status = hf_read_atom_name(draft->text, line, word, &atom, error);
    for (int i = 0; i < 3 && status == HF_OK; i++) {
        hf_next_word(&position, &word);
        status = hf_read_real(draft->text, line, word, axis[i], &atom.position[i], error);
    }
    if (status != HF_OK) return status;
    if (hf_next_word(&position, &word))
        return hf_text_fail(error, draft->text, line,
                            "'%.*s' stands behind the coordinates; expected: element x y z",
                            HF_WORD(word));
    return hf_draft_add_atom(draft, &atom, error);
}

static hf_status unknown_key(struct draft *draft, int line, struct hf_word key, bool first_of_file,
                             struct hf_error *error)
{
    static const char *const blocks[] = {"geometry", "point_charges", "end"};
    const struct hf_options *options = draft->options;
    const char *nearest = hf_nearest_word(key, 3, blocks);
    if (nearest == NULL) nearest = hf_option_nearest(options->table, key);
    if (nearest == NULL && first_of_file)
        return hf_text_fail(error, draft->text, line,
                            "'%.*s' is no key of an hf input, and the file is neither an MDL "
                            "molfile (V2000 or V3000 in line 4) nor XYZ (a count in line 1)",
                            HF_WORD(key));
    return hf_text_fail(error, draft->text, line, "unknown key '%.*s'%s%s", HF_WORD(key),
                        nearest != NULL ? "; did you mean " : "; hf --help all lists the keys",
                        nearest != NULL ? nearest : "");
}

static hf_status read_charge(struct draft *draft, int line, struct hf_error *error)
{
    return hf_read_point_charge(&draft->charges, line, error);
}

/** Reads the lines after line *line with `read`, up to the word end. */
static hf_status read_block(struct draft *draft, int *line,
                            hf_status (*read)(struct draft *draft, int line,
                                              struct hf_error *error),
                            const char *no_end, struct hf_error *error)
{
    const int start = *line;
    for ((*line)++; *line <= draft->text->n_line; (*line)++) {
        char *content = draft->text->line[*line - 1];
        const char *position = content;
        struct hf_word word;
        cut_comment(content);
        if (!hf_next_word(&position, &word)) continue;
        if (hf_word_is(word, "end") && hf_rest_of_line(position).length == 0) return HF_OK;
        HF_CHECK(read(draft, *line, error));
    }
    return hf_text_fail(error, draft->text, start, "%s", no_end);
}

static hf_status read_geometry(struct draft *draft, int *line, struct hf_error *error)
{
    const int start = *line;
    const hf_status status =
        read_block(draft, line, read_atom,
                   "the geometry has no end; expected the word end behind its last atom", error);
    if (status != HF_OK || draft->n_atom > 0) return status;
    return hf_text_fail(error, draft->text, start, "the geometry has no atoms");
}

static hf_status read_point_charges(struct draft *draft, int *line, struct hf_error *error)
{
    if (draft->charges_line > 0)
        return hf_text_fail(error, draft->text, *line, "a second block of point charges");
    draft->charges_line = *line;
    draft->charges.text = draft->text;
    return read_block(draft, line, read_charge,
                      "the point charges have no end; expected the word end behind the last one",
                      error);
}

static hf_status read_key(struct draft *draft, int line, struct hf_word key, const char *position,
                          bool first_of_file, struct hf_error *error)
{
    char where[400];
    struct hf_options *options = draft->options;
    const struct hf_option *option = hf_option_find(options->table, key);
    if (hf_word_is(key, "end"))
        return hf_text_fail(error, draft->text, line,
                            "'end' without a geometry or point_charges before it");
    if (option == NULL) return unknown_key(draft, line, key, first_of_file, error);
    snprintf(where, sizeof where, "%s, line %d", draft->text->path, line);
    return hf_options_add(options, option, hf_rest_of_line(position), HF_OPTION_FILE, where, error);
}

/** Reads a line that is not empty: a key with its value, or a block. */
static hf_status read_line(struct draft *draft, int *line, int *n_geometry, bool first_of_file,
                           struct hf_error *error)
{
    const char *position = draft->text->line[*line - 1];
    struct hf_word key;
    hf_next_word(&position, &key);
    const bool geometry = hf_word_is(key, "geometry");
    const bool charges = hf_word_is(key, "point_charges") || hf_word_is(key, "point-charges");
    if (!geometry && !charges) return read_key(draft, *line, key, position, first_of_file, error);
    if (hf_rest_of_line(position).length > 0)
        return hf_text_fail(error, draft->text, *line,
                            "'%.*s' stands behind %s; expected the first %s in the next line%s",
                            HF_WORD(hf_rest_of_line(position)),
                            geometry ? "geometry" : "point_charges", geometry ? "atom" : "charge",
                            geometry ? "" : " (a file is named by point_charges_file)");
    if (charges) return read_point_charges(draft, line, error);
    if ((*n_geometry)++ > 0) return hf_text_fail(error, draft->text, *line, "a second geometry");
    return read_geometry(draft, line, error);
}

hf_status hf_read_native(struct draft *draft, struct hf_error *error)
{
    int n_geometry = 0;
    bool first_of_file = true;
    draft->own_format = true;
    for (int line = 1; line <= draft->text->n_line; line++) {
        char *content = draft->text->line[line - 1];
        cut_comment(content);
        if (hf_rest_of_line(content).length == 0) continue;
        HF_CHECK(read_line(draft, &line, &n_geometry, first_of_file, error));
        first_of_file = false;
    }
    if (n_geometry > 0) return HF_OK;
    return hf_text_fail(error, draft->text, 0,
                        "there is no geometry; expected a line 'geometry', lines 'element x y z' "
                        "and a line 'end'");
}
