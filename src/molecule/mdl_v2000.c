/* MDL V2000: all data are in fixed columns; lines must not be split at blanks. */
#include "comment_words.h"
#include "draft.h"
#include "elements.h"

#include <string.h>

/** Properties of atoms in lines after the bonds. */
enum atom_property { CHARGE, RADICAL, ISOTOPE, N_ATOM_PROPERTY };

static const struct {
    const char *tag, *name;
    int least, most;
} atom_properties[N_ATOM_PROPERTY] = {
    [CHARGE] = {"M  CHG", "charge", -15, 15},
    [RADICAL] = {"M  RAD", "radical", 0, 3},
    [ISOTOPE] = {"M  ISO", "mass number", 1, 300},
};

/** Code in the atom block for an atom without bonds. */
enum { ZERO_VALENCE = 15 };

static hf_status missing_line(const struct draft *draft, const char *expected)
{
    return hf_draft_fail(draft, draft->text->n_line, "the file ends here; expected %s", expected);
}

/** Reads the element of an atom. Other symbols have a meaning only in searches and reactions. */
static hf_status read_symbol(const struct draft *draft, int line, struct hf_word word,
                             struct draft_atom *atom)
{
    static const char *const placeholder[] = {"R#", "R",  "*",  "A",  "Q",  "X",  "M", "L",
                                              "LP", "Du", "AH", "QH", "XH", "MH", NULL};
    char symbol[8] = "";
    if (hf_word_is_listed(word, placeholder))
        return hf_draft_fail(draft, line,
                             "'%.*s' stands for a group or a search term, not for an atom",
                             HF_WORD(word));
    if (word.length < (int)sizeof symbol) memcpy(symbol, word.begin, (size_t)word.length);
    atom->atomic_number = hf_element_number(symbol);
    atom->mass_number = hf_symbol_isotope(symbol);
    if (atom->atomic_number != 0) return HF_OK;
    return hf_draft_fail(draft, line,
                         "unknown element '%.*s'; expected a symbol in columns 32 to 34",
                         HF_WORD(word));
}

static hf_status read_atom(struct draft *draft, int line)
{
    /* charge codes 1..7: +3 +2 +1, doublet radical, -1 -2 -3 */
    static const int charge_of_code[8] = {0, 3, 2, 1, 0, -1, -2, -3};
    static const char *const axis[3] = {"x (columns 1 to 10)", "y (columns 11 to 20)",
                                        "z (columns 21 to 30)"};
    const char *content = draft->text->line[line - 1];
    const struct hf_word difference = hf_columns(content, 35, 36),
                         charge = hf_columns(content, 37, 39),
                         valence = hf_columns(content, 49, 51);
    struct draft_atom atom = {.line = line, .label = draft->n_atom + 1};
    int code = 0, heavier = 0;
    for (int i = 0; i < 3; i++)
        HF_CHECK(hf_read_real(draft, line, hf_columns(content, 10 * i + 1, 10 * i + 10), axis[i],
                              &atom.position[i]));
    HF_CHECK(read_symbol(draft, line, hf_columns(content, 32, 34), &atom));
    if (difference.length > 0)
        HF_CHECK(hf_read_integer(draft, line, difference, "mass difference", &heavier));
    if (charge.length > 0) HF_CHECK(hf_read_integer(draft, line, charge, "charge code", &code));
    if (code < 0 || code > 7)
        return hf_draft_fail(draft, line, "charge code %d; expected 0 to 7", code);
    if (heavier < -3 || heavier > 4)
        return hf_draft_fail(draft, line, "mass difference %d; expected -3 to 4", heavier);
    atom.mass_difference = heavier;
    atom.charge = charge_of_code[code];
    if (code == 4) hf_set_radical(&atom, 2);
    if (code == 4) draft->has_radical = true;
    if (hf_word_integer(valence, &atom.valence) != HF_NUMBER_OK) atom.valence = 0;
    atom.valence_said = atom.valence > 0;
    if (atom.valence == ZERO_VALENCE) atom.valence = 0;
    return hf_draft_add_atom(draft, &atom);
}

static hf_status read_bond(struct draft *draft, int line)
{
    static const char *const what[3] = {"first atom", "second atom", "bond type"};
    const char *content = draft->text->line[line - 1];
    int field[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        HF_CHECK(hf_read_integer(draft, line, hf_columns(content, 3 * i + 1, 3 * i + 3), what[i],
                                 &field[i]));
    }
    if (field[0] < 1 || field[0] > draft->n_atom || field[1] < 1 || field[1] > draft->n_atom)
        return hf_draft_fail(draft, line, "a bond between atoms %d and %d; there are %d", field[0],
                             field[1], draft->n_atom);
    return hf_draft_add_bond(draft, &(struct draft_bond){field[0] - 1, field[1] - 1, field[2]});
}

/** Sets a property of an atom; it may be given only once. */
static hf_status set_property(struct draft *draft, int line, struct draft_atom *atom,
                              enum atom_property what, int value)
{
    bool *said = what == CHARGE    ? &atom->charge_said
                 : what == RADICAL ? &atom->radical_said
                                   : &atom->isotope_said;
    if (*said)
        return hf_draft_fail(draft, line, "a second %s of atom %d", atom_properties[what].name,
                             atom->label);
    *said = true;
    switch (what) {
    case CHARGE: atom->charge = value; break;
    case RADICAL: hf_set_radical(atom, value); break;
    default: atom->mass_number = value;
    }
    return HF_OK;
}

/** Column of the last of n pairs of a line M  CHG. */
#define LAST_COLUMN(n_pair) ((size_t)(9 + 8 * (n_pair)))

/** Reads M  CHGnn8 aaa vvv ..., M  RAD and M  ISO, whose pairs are in fields of four columns. */
static hf_status read_property(struct draft *draft, int line, enum atom_property what)
{
    const char *content = draft->text->line[line - 1];
    int n_pair = 0;
    HF_CHECK(hf_read_integer(draft, line, hf_columns(content, 7, 9), "count", &n_pair));
    if (n_pair < 1 || n_pair > 8)
        return hf_draft_fail(draft, line, "%d entries; expected 1 to 8", n_pair);
    for (int i = 0; i < n_pair; i++) {
        const int column = 10 + 8 * i;
        int atom = 0, value = 0;
        HF_CHECK(
            hf_read_integer(draft, line, hf_columns(content, column, column + 3), "atom", &atom));
        HF_CHECK(hf_read_integer(draft, line, hf_columns(content, column + 4, column + 7),
                                 atom_properties[what].name, &value));
        if (atom < 1 || atom > draft->n_atom)
            return hf_draft_fail(draft, line, "atom %d; there are %d", atom, draft->n_atom);
        else if (value < atom_properties[what].least || value > atom_properties[what].most)
            return hf_draft_fail(draft, line, "%s %d; expected %d to %d",
                                 atom_properties[what].name, value, atom_properties[what].least,
                                 atom_properties[what].most);
        else
            HF_CHECK(set_property(draft, line, &draft->atom[atom - 1], what, value));
    }
    if (hf_rest_of_line(content + strnlen(content, LAST_COLUMN(n_pair))).length > 0)
        return hf_draft_fail(draft, line,
                             "more stands behind the %d entries that columns 7 to 9 count", n_pair);
    return HF_OK;
}

/** Whether a line is probably M  CHG, M  RAD or M  ISO, but in wrong columns. */
static bool is_misplaced(const char *content)
{
    struct hf_word first, second;
    const char *position = content;
    if (!hf_next_word(&position, &first) || !hf_word_is(first, "M")) return false;
    if (!hf_next_word(&position, &second) || second.length < 3) return false;
    second.length = 3;
    return hf_word_is(second, "CHG") || hf_word_is(second, "RAD") || hf_word_is(second, "ISO");
}

/** Cancels data of the atom block: any M  CHG or M  RAD cancels all charges and radicals, M  ISO all mass
 *  differences. */
static void cancel_atom_block(struct draft *draft, enum atom_property what)
{
    for (int i = 0; i < draft->n_atom; i++) {
        struct draft_atom *atom = &draft->atom[i];
        if (what == ISOTOPE)
            atom->mass_difference = 0;
        else
            atom->charge = atom->unpaired = atom->unbonded = 0;
    }
    if (what != ISOTOPE) draft->has_radical = false;
}

/** The atom property of a line; N_ATOM_PROPERTY: none. */
static enum atom_property find_property(const char *content)
{
    int what = 0;
    while (what < N_ATOM_PROPERTY && strncmp(content, atom_properties[what].tag, 6) != 0) what++;
    return (enum atom_property)what;
}

static hf_status read_properties(struct draft *draft, int first)
{
    const struct hf_text *text = draft->text;
    bool cancelled = false, isotopes_cancelled = false, any_property = false, ended = false;
    for (int i = first; i < text->n_line; i++) {
        const char *content = text->line[i];
        const enum atom_property what = find_property(content);
        any_property = any_property || strncmp(content, "M  ", 3) == 0;
        if (strncmp(content, "M  END", 6) == 0) return HF_OK;
        ended = hf_mdl_ends(content);
        if (ended) break;
        if (strncmp(content, "A  ", 3) == 0 || strncmp(content, "G  ", 3) == 0) i++; /* two lines */
        if (what == N_ATOM_PROPERTY && is_misplaced(content))
            return hf_draft_fail(draft, i + 1,
                                 "this looks like a charge, radical or isotope out of its columns; "
                                 "expected 'M  CHG', 'M  RAD' or 'M  ISO' in columns 1 to 6");
        if (what == N_ATOM_PROPERTY) continue;
        bool *done = what == ISOTOPE ? &isotopes_cancelled : &cancelled;
        if (!*done) cancel_atom_block(draft, what);
        *done = true;
        if (what == RADICAL) draft->has_radical = true;
        HF_CHECK(read_property(draft, i + 1, what));
    }
    if (ended) return hf_mdl_warn_of_end(draft);
    if (!any_property && strstr(text->line[3], "V2000") == NULL)
        return hf_draft_warn(draft, 0, "an old molfile without a line 'M  END'; read as complete");
    return missing_line(draft, "a line 'M  END' (is the file cut off?)");
}

hf_status hf_read_mdl_v2000(struct draft *draft)
{
    const struct hf_text *text = draft->text;
    const char *counts = text->line[3];
    int n_atom = 0, n_bond = 0, line = 5;
    HF_CHECK(hf_read_integer(draft, 4, hf_columns(counts, 1, 3), "count of atoms (columns 1 to 3)",
                             &n_atom));
    HF_CHECK(hf_read_integer(draft, 4, hf_columns(counts, 4, 6), "count of bonds (columns 4 to 6)",
                             &n_bond));
    if (n_atom < 1 || n_bond < 0)
        return hf_draft_fail(draft, 4, "%d atoms and %d bonds; expected at least one atom", n_atom,
                             n_bond);
    for (int i = 0; i < n_atom + n_bond; i++, line++) {
        if (line > text->n_line || strncmp(text->line[line - 1], "M  ", 3) == 0)
            return hf_draft_fail(draft, line > text->n_line ? text->n_line : line,
                                 "the file ends here; expected %d atoms and %d bonds (line 4)",
                                 n_atom, n_bond);
        HF_CHECK(i < n_atom ? read_atom(draft, line) : read_bond(draft, line));
    }
    return read_properties(draft, line - 1);
}
