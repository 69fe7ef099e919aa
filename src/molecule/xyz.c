/* XYZ and extended XYZ; tolerates common variants. */
#include "comment_words.h"
#include "draft.h"

static hf_status read_columns(struct draft *draft, int line, struct xyz_columns columns)
{
    static const char *const axis[3] = {"x", "y", "z"};
    const char *position = draft->text->line[line - 1];
    struct draft_atom atom = {.line = line};
    struct hf_word name = {position, 0}, coordinate[3] = {name, name, name}, word;
    for (int i = 0; i < HF_MAX_XYZ_COLUMN && hf_next_word(&position, &word); i++) {
        if (i == columns.element) name = word;
        if (i >= columns.position && i < columns.position + 3)
            coordinate[i - columns.position] = word;
    }
    if (name.length == 0)
        return hf_draft_fail(draft, line, "an empty line; expected: element x y z");
    HF_CHECK(hf_read_atom_name(draft, line, name, &atom));
    for (int i = 0; i < 3; i++)
        HF_CHECK(hf_read_real(draft, line, coordinate[i], axis[i], &atom.position[i]));
    return hf_draft_add_atom(draft, &atom);
}

/** Whether a row begins with the expected number, then has an element and three more words. *numbered: the element is
 *  an atomic number. */
static bool is_counted_row(const struct hf_text *text, int line, int expected, bool *numbered)
{
    const char *position = text->line[line - 1];
    struct hf_word word;
    int number;
    if (!hf_next_word(&position, &word) || hf_word_integer(word, &number) != HF_NUMBER_OK ||
        number != expected || !hf_next_word(&position, &word))
        return false;
    *numbered = hf_word_integer(word, &number) == HF_NUMBER_OK;
    if (!hf_is_atom_name(word)) return false;
    for (int i = 0; i < 3; i++)
        if (!hf_next_word(&position, &word)) return false;
    return true;
}

/** Detects rows "1 O x y z", which are read after their number. "1 8 0 0 0.117" is refused, because it could also be
 *  hydrogen at x = 8. */
static hf_status look_for_counted_rows(struct draft *draft, int line, int n_atom,
                                       struct xyz_columns *columns)
{
    const struct hf_text *text = draft->text;
    const char *position = text->line[line - 1];
    struct hf_word word;
    int first = -1, n_numbered = 0;
    if (columns->given || !hf_next_word(&position, &word) ||
        hf_word_integer(word, &first) != HF_NUMBER_OK || (first != 0 && first != 1))
        return HF_OK;
    for (int i = 0; i < n_atom; i++) {
        bool numbered = false;
        if (!is_counted_row(text, line + i, first + i, &numbered)) return HF_OK;
        n_numbered += numbered;
    }
    if (n_numbered > 0)
        return hf_draft_fail(draft, line,
                             "the lines look like index, atomic number, x, y, z; expected element, "
                             "x, y, z, or Properties=id:I:1:Z:I:1:pos:R:3 in the comment if they "
                             "are (Properties=Z:I:1:pos:R:3 if not)");
    *columns = (struct xyz_columns){1, 2, false};
    return hf_draft_warn(draft, line, "the lines were read as index, element, x, y, z");
}

/** Reads the count and a unit after it, as in "3 bohr"; *unit -1: none. */
static hf_status read_count(const struct draft *draft, int line, int *n_atom, int *unit)
{
    const char *position = draft->text->line[line - 1];
    struct hf_word word;
    hf_next_word(&position, &word);
    HF_CHECK(hf_read_integer(draft, line, word, "count", n_atom));
    *unit = hf_comment_sole_unit(position);
    if (*n_atom >= 1 && *n_atom <= HF_MAX_ATOM) return HF_OK;
    return hf_draft_fail(draft, line, "a count of %d atoms; expected 1 to %d", *n_atom,
                         HF_MAX_ATOM);
}

bool hf_looks_like_xyz(const char *line)
{
    struct hf_word word;
    int count;
    if (!hf_next_word(&line, &word) || hf_word_integer(word, &count) == HF_NUMBER_NONE)
        return false;
    return hf_rest_of_line(line).length == 0 || hf_comment_sole_unit(line) >= 0;
}

hf_status hf_read_xyz(struct draft *draft, int first_line)
{
    struct hf_text *text = draft->text;
    struct xyz_columns columns = {0, 1, false};
    int n_atom = 0, line = first_line + 1, n_left_over = 0, unit = -1;
    draft->state_is_beside = true;
    HF_CHECK(read_count(draft, line, &n_atom, &unit));
    if (unit >= 0)
        HF_CHECK(hf_draft_option(draft, "units",
                                 unit == 1 ? hf_word_of("bohr") : hf_word_of("angstrom"), line));
    if (text->n_line < line + 1 + n_atom)
        return hf_draft_fail(
            draft, text->n_line,
            "the file ends here; expected a comment and %d atoms (count in line %d)", n_atom, line);
    HF_CHECK(hf_xyz_read_comment(draft, line + 1, unit, &columns));
    HF_CHECK(look_for_counted_rows(draft, line + 2, n_atom, &columns));
    for (int i = 0; i < n_atom; i++) HF_CHECK(read_columns(draft, line + 2 + i, columns));
    for (int i = line + 1 + n_atom; i < text->n_line; i++)
        n_left_over += hf_rest_of_line(text->line[i]).length > 0;
    if (n_left_over == 0) return HF_OK;
    return hf_draft_warn(draft, 0,
                         "%d line%s behind the last atom not read: only the first geometry counts",
                         n_left_over, n_left_over > 1 ? "s" : "");
}
