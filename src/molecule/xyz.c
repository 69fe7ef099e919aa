/* XYZ and extended XYZ, read with patience. */
#include "draft.h"

#include <string.h>

/** Where in a line the element and the coordinates stand, counted in words from 0. */
struct columns {
    int element, position;
};

enum { MAX_COLUMN = 200 };

/** Next "key=value" or bare word of an extended comment; values may be quoted or bracketed. */
static bool next_pair(const char **position, struct hf_word *key, struct hf_word *value)
{
    static const char open[] = "\"'{[", close[] = "\"'}]";
    const char *c = *position;
    while (*c == ' ' || *c == '\t') c++;
    if (*c == '\0') return false;
    key->begin = c;
    while (*c != '\0' && *c != ' ' && *c != '\t' && *c != '=') c++;
    key->length = (int)(c - key->begin);
    *value = (struct hf_word){c, 0};
    if (*c == '=') {
        const char *bracket = c[1] != '\0' ? strchr(open, c[1]) : NULL;
        const char *end = bracket != NULL ? strchr(c + 2, close[bracket - open]) : NULL;
        if (end != NULL) {
            *value = (struct hf_word){c + 2, (int)(end - c - 2)};
            c = end + 1;
        } else {
            value->begin = ++c;
            while (*c != '\0' && *c != ' ' && *c != '\t') c++;
            value->length = (int)(c - value->begin);
        }
    }
    *position = c;
    return true;
}

/** Part of `list` up to the next colon; false at its end. */
static bool next_part(struct hf_word *list, struct hf_word *part)
{
    if (list->length <= 0) return false;
    const char *colon = memchr(list->begin, ':', (size_t)list->length);
    part->begin = list->begin;
    part->length = colon != NULL ? (int)(colon - list->begin) : list->length;
    list->begin += part->length + 1;
    list->length -= part->length + 1;
    return true;
}

/** Properties=species:S:1:pos:R:3:...  */
static hf_status read_properties(struct draft *draft, int line, struct hf_word list,
                                 struct columns *columns, struct hf_error *error)
{
    struct hf_word name, type, width;
    int column = 0;
    *columns = (struct columns){-1, -1};
    while (next_part(&list, &name)) {
        int n = 0;
        if (!next_part(&list, &type) || !next_part(&list, &width) ||
            hf_word_integer(width, &n) != HF_NUMBER_OK || n < 1 || column + n > MAX_COLUMN)
            return hf_text_fail(error, draft->text, line,
                                "Properties is broken at '%.*s'; expected name:type:columns",
                                HF_WORD(name));
        if (hf_word_is(name, "species") || (hf_word_is(name, "Z") && columns->element < 0))
            columns->element = column;
        if (hf_word_is(name, "pos") && n == 3) columns->position = column;
        column += n;
    }
    if (columns->element >= 0 && columns->position >= 0) return HF_OK;
    return hf_text_fail(error, draft->text, line,
                        "Properties lacks species or pos; expected e.g. "
                        "Properties=species:S:1:pos:R:3");
}

/** Whether "T F F" or "1 0 0" has any truth in it. */
static bool any_true(struct hf_word list)
{
    for (int i = 0; i < list.length; i++)
        if (strchr("Tt1", list.begin[i]) != NULL) return true;
    return false;
}

/** The extended comment; a line without anything that hf knows is a title. */
static hf_status read_extended(struct draft *draft, int line, struct columns *columns, bool *known,
                               struct hf_error *error)
{
    const char *position = draft->text->line[line - 1];
    struct hf_word key, value;
    bool lattice = false, periodic = true;
    hf_status status = HF_OK;
    *known = false;
    while (status == HF_OK && next_pair(&position, &key, &value)) {
        const bool before = *known;
        *known = value.length > 0;
        if (value.length == 0) {
        } else if (hf_word_is(key, "Properties")) {
            status = read_properties(draft, line, value, columns, error);
        } else if (hf_word_is(key, "Lattice")) {
            lattice = true;
        } else if (hf_word_is(key, "pbc")) {
            periodic = any_true(value);
        } else if (hf_word_is(key, "charge") || hf_word_is(key, "multiplicity")) {
            status = hf_draft_option(draft, hf_word_is(key, "charge") ? "charge" : "multiplicity",
                                     value, line, error);
        } else if (hf_word_is(key, "spin")) {
            status = hf_draft_option(draft, "multiplicity", value, line, error);
            if (status == HF_OK)
                status = hf_input_warn(draft->input, error,
                                       "%s, line %d: spin=%.*s was taken as the multiplicity 2S+1",
                                       draft->text->path, line, HF_WORD(value));
        } else {
            *known = false;
        }
        *known = *known || before;
    }
    if (status == HF_OK && lattice && periodic)
        status = hf_text_fail(error, draft->text, line,
                              "the system is periodic (Lattice); hf computes molecules; say "
                              "pbc=\"F F F\" if it is one");
    return status;
}

/** "0 1" in the comment, as other programs have it: charge and multiplicity, with a note. */
static hf_status read_charge_and_multiplicity(struct draft *draft, int line, bool *found,
                                              struct hf_error *error)
{
    const char *position = draft->text->line[line - 1];
    struct hf_word first, second;
    int charge, multiplicity;
    *found = hf_next_word(&position, &first) && hf_next_word(&position, &second) &&
             hf_rest_of_line(position).length == 0 &&
             hf_word_integer(first, &charge) == HF_NUMBER_OK &&
             hf_word_integer(second, &multiplicity) == HF_NUMBER_OK && multiplicity > 0;
    if (!*found) return HF_OK;
    hf_status status = hf_draft_option(draft, "charge", first, line, error);
    if (status == HF_OK) status = hf_draft_option(draft, "multiplicity", second, line, error);
    if (status != HF_OK) return status;
    return hf_input_warn(draft->input, error,
                         "%s, line %d: the comment '%.*s %.*s' was taken as charge and "
                         "multiplicity",
                         draft->text->path, line, HF_WORD(first), HF_WORD(second));
}

static hf_status read_comment(struct draft *draft, int line, struct columns *columns,
                              struct hf_error *error)
{
    bool known = false;
    hf_status status = read_extended(draft, line, columns, &known, error);
    if (status == HF_OK && !known)
        status = read_charge_and_multiplicity(draft, line, &known, error);
    const struct hf_word title = hf_rest_of_line(draft->text->line[line - 1]);
    if (status != HF_OK || known || title.length == 0) return status;
    return hf_draft_option(draft, "title", title, line, error);
}

static hf_status read_atom(struct draft *draft, int line, struct columns columns,
                           struct hf_error *error)
{
    static const char *const axis[3] = {"x", "y", "z"};
    const char *position = draft->text->line[line - 1];
    struct draft_atom atom = {.line = line};
    struct hf_word name = {position, 0}, coordinate[3] = {name, name, name}, word;
    for (int i = 0; i < MAX_COLUMN && hf_next_word(&position, &word); i++) {
        if (i == columns.element) name = word;
        if (i >= columns.position && i < columns.position + 3)
            coordinate[i - columns.position] = word;
    }
    if (name.length == 0)
        return hf_text_fail(error, draft->text, line, "an empty line; expected: element x y z");
    hf_status status = hf_read_atom_name(draft->text, line, name, &atom, error);
    for (int i = 0; i < 3 && status == HF_OK; i++)
        status = hf_read_real(draft->text, line, coordinate[i], axis[i], &atom.position[i], error);
    return status == HF_OK ? hf_draft_add_atom(draft, &atom, error) : status;
}

hf_status hf_read_xyz(struct draft *draft, int first_line, struct hf_error *error)
{
    struct hf_text *text = draft->text;
    struct columns columns = {0, 1};
    int n_atom = 0, line = first_line + 1, n_left_over = 0;
    hf_status status =
        hf_read_integer(text, line, hf_rest_of_line(text->line[line - 1]), "count", &n_atom, error);
    if (status != HF_OK) return status;
    if (n_atom < 1 || n_atom > HF_MAX_ATOM)
        return hf_text_fail(error, text, line, "a count of %d atoms; expected 1 to %d", n_atom,
                            HF_MAX_ATOM);
    if (text->n_line < line + 1 + n_atom)
        return hf_text_fail(error, text, text->n_line,
                            "the file ends here; expected a comment and %d atoms (count in line "
                            "%d)",
                            n_atom, line);
    status = read_comment(draft, line + 1, &columns, error);
    for (int i = 0; i < n_atom && status == HF_OK; i++)
        status = read_atom(draft, line + 2 + i, columns, error);
    for (int i = line + 1 + n_atom; i < text->n_line; i++)
        n_left_over += hf_rest_of_line(text->line[i]).length > 0;
    if (status != HF_OK || n_left_over == 0) return status;
    return hf_input_warn(draft->input, error,
                         "%s: %d lines behind the %d atoms were not read (only the first geometry "
                         "counts)",
                         text->path, n_left_over, n_atom);
}
