/* The native input: keys with values, and a geometry block. */
#include "draft.h"

#include <string.h>

/** Ends the line at a # at its beginning or after a blank. */
static void cut_comment(char *line)
{
    for (char *c = strchr(line, '#'); c != NULL; c = strchr(c + 1, '#'))
        if (c == line || c[-1] == ' ' || c[-1] == '\t') *c = '\0';
}

static hf_status read_atom(struct draft *draft, int line)
{
    static const char *const axis[3] = {"x", "y", "z"};
    const char *position = draft->text->line[line - 1];
    struct draft_atom atom = {.line = line};
    struct hf_word word;
    hf_next_word(&position, &word);
    HF_CHECK(hf_read_atom_name(draft, line, word, &atom));
    HF_CHECK(hf_read_reals(draft, line, &position, 3, axis, atom.position));
    if (hf_next_word(&position, &word))
        return hf_draft_fail(draft, line,
                             "'%.*s' stands behind the coordinates; expected: element x y z",
                             HF_WORD(word));
    return hf_draft_add_atom(draft, &atom);
}

static hf_status unknown_key(struct draft *draft, int line, struct hf_word key, bool first_of_file)
{
    static const char *const blocks[] = {"geometry", "point_charges", "end"};
    const struct hf_options *options = draft->options;
    const char *nearest = hf_nearest_word(key, 3, blocks);
    if (nearest == NULL) nearest = hf_option_nearest(options->table, key);
    if (nearest == NULL && first_of_file)
        return hf_draft_fail(draft, line,
                             "'%.*s' is no key of an hf input, and the file is neither an MDL "
                             "molfile (V2000 or V3000 in line 4) nor XYZ (a count in line 1)",
                             HF_WORD(key));
    return hf_draft_fail(draft, line, "unknown key '%.*s'%s%s", HF_WORD(key),
                         HF_DID_YOU_MEAN(nearest, "; hf --help all lists the keys"));
}

/** Reads the lines after line *line with `read`, up to the word end. */
static hf_status read_block(struct draft *draft, int *line,
                            hf_status (*read)(struct draft *draft, int line), const char *no_end)
{
    const int start = *line;
    for ((*line)++; *line <= draft->text->n_line; (*line)++) {
        char *content = draft->text->line[*line - 1];
        const char *position = content;
        struct hf_word word;
        cut_comment(content);
        if (!hf_next_word(&position, &word)) continue;
        if (hf_word_is(word, "end") && hf_rest_of_line(position).length == 0) return HF_OK;
        HF_CHECK(read(draft, *line));
    }
    return hf_draft_fail(draft, start, "%s", no_end);
}

static hf_status read_geometry(struct draft *draft, int *line)
{
    const int start = *line;
    HF_CHECK(read_block(draft, line, read_atom,
                        "the geometry has no end; expected the word end behind its last atom"));
    if (draft->n_atom > 0) return HF_OK;
    return hf_draft_fail(draft, start, "the geometry has no atoms");
}

static hf_status read_point_charges(struct draft *draft, int *line)
{
    if (draft->charges_line > 0)
        return hf_draft_fail(draft, *line, "a second block of point charges");
    draft->charges_line = *line;
    return read_block(draft, line, hf_read_point_charge,
                      "the point charges have no end; expected the word end behind the last one");
}

static hf_status read_key(struct draft *draft, int line, struct hf_word key, const char *position,
                          bool first_of_file)
{
    const struct hf_option *option = hf_option_find(draft->options->table, key);
    if (hf_word_is(key, "end"))
        return hf_draft_fail(draft, line, "'end' without a geometry or point_charges before it");
    if (option == NULL) return unknown_key(draft, line, key, first_of_file);
    return hf_draft_option(draft, option->key, hf_rest_of_line(position), line);
}

/** Reads a line that is not empty: a key with its value, or a block. */
static hf_status read_line(struct draft *draft, int *line, int *n_geometry, bool first_of_file)
{
    const char *position = draft->text->line[*line - 1];
    struct hf_word key;
    hf_next_word(&position, &key);
    const bool geometry = hf_word_is(key, "geometry");
    const bool charges = hf_word_is(key, "point_charges") || hf_word_is(key, "point-charges");
    if (!geometry && !charges) return read_key(draft, *line, key, position, first_of_file);
    if (hf_rest_of_line(position).length > 0)
        return hf_draft_fail(draft, *line,
                             "'%.*s' stands behind %s; expected the first %s in the next line%s",
                             HF_WORD(hf_rest_of_line(position)),
                             geometry ? "geometry" : "point_charges", geometry ? "atom" : "charge",
                             geometry ? "" : " (a file is named by point_charges_file)");
    if (charges) return read_point_charges(draft, line);
    if ((*n_geometry)++ > 0) return hf_draft_fail(draft, *line, "a second geometry");
    return read_geometry(draft, line);
}

hf_status hf_read_native(struct draft *draft)
{
    int n_geometry = 0;
    bool first_of_file = true;
    draft->own_format = true;
    for (int line = 1; line <= draft->text->n_line; line++) {
        char *content = draft->text->line[line - 1];
        cut_comment(content);
        if (hf_rest_of_line(content).length == 0) continue;
        HF_CHECK(read_line(draft, &line, &n_geometry, first_of_file));
        first_of_file = false;
    }
    if (n_geometry > 0) return HF_OK;
    return hf_draft_fail(
        draft, 0,
        "there is no geometry; expected a line 'geometry', lines 'element x y z' and a line 'end'");
}
