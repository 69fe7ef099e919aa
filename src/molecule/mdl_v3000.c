/* MDL V3000: lines "M  V30 ..." in free format; a minus sign at the end continues a line. */
#include "draft.h"
#include "elements.h"

#include <stdlib.h>
#include <string.h>

/** The atom (from 0) with an index of the file. */
struct atom_label {
    int label, atom;
};

/** State of the reader. */
struct v30 {
    struct draft *draft;
    int next;      /**< index of the next line of the text */
    int line;      /**< number of the first line of `content`, for messages */
    char *content; /**< the joined line without "M  V30 "; of the arena of the draft */
    int64_t room;  /**< size of `content`, bytes */
    int n_label;
    int64_t label_room;
    struct atom_label *label; /**< [n_label] sorted; made when first needed; of the same arena */
};

enum { PREFIX = 7 };

static hf_status file_ends(const struct v30 *reader)
{
    const struct hf_text *text = reader->draft->text;
    return hf_draft_fail(
        reader->draft, text->n_line,
        "the file ends here; expected END CTAB and a line 'M  END' (is the file cut off?)");
}

/** Joins the next line with its continuations. */
static hf_status join_line(struct v30 *reader)
{
    const struct hf_text *text = reader->draft->text;
    struct hf_arena *arena = &reader->draft->arena;
    size_t length = 0;
    bool more = true;
    for (bool first = true; more; first = false) {
        if (reader->next >= text->n_line) return file_ends(reader);
        const char *line = text->line[reader->next++];
        if (first) reader->line = reader->next;
        if (strncmp(line, "M  V30 ", PREFIX) != 0)
            return hf_draft_fail(reader->draft, reader->next,
                                 "expected a line that begins 'M  V30 '");
        const struct hf_word part = hf_rest_of_line(line + PREFIX);
        more = part.length > 0 && part.begin[part.length - 1] == '-';
        const size_t n = (size_t)part.length - (more ? 1 : 0);
        if (!hf_arena_grow(arena, &reader->content, (int64_t)(length + n + 1), &reader->room, 1))
            return hf_arena_check(arena, reader->draft->error);
        memcpy(reader->content + length, part.begin, n);
        length += n;
        reader->content[length] = '\0';
    }
    return HF_OK;
}

/** Whether the joined line begins with these two words (`second` NULL: with `first`). */
static bool is_line(const struct v30 *reader, const char *first, const char *second)
{
    const char *position = reader->content;
    struct hf_word word;
    if (!hf_next_word(&position, &word) || !hf_word_is(word, first)) return false;
    hf_next_word(&position, &word);
    return second == NULL || hf_word_is(word, second);
}

static hf_status read_symbol(const struct v30 *reader, struct hf_word word, struct draft_atom *atom)
{
    char symbol[8] = "";
    if (word.length < (int)sizeof symbol) memcpy(symbol, word.begin, (size_t)word.length);
    atom->atomic_number = hf_element_number(symbol);
    atom->mass_number = hf_symbol_isotope(symbol);
    if (atom->atomic_number != 0) return HF_OK;
    return hf_draft_fail(reader->draft, reader->line,
                         "'%.*s' is no element (groups and search terms are not read)",
                         HF_WORD(word));
}

/** Properties of an atom that are read; all are numbers. */
enum atom_key { CHARGE, RADICAL, VALENCE, MASS, N_ATOM_KEY };

static const struct {
    const char *name;
    int least, most;
} atom_keys[N_ATOM_KEY] = {
    [CHARGE] = {"CHG", -15, 15},
    [RADICAL] = {"RAD", 0, 3},
    [VALENCE] = {"VAL", 0, 0}, /* any number is taken */
    [MASS] = {"MASS", 1, 300},
};

/** Stores a property of an atom; each may be given only once. */
static hf_status set_atom_property(struct v30 *reader, struct hf_word word, enum atom_key key,
                                   int value, struct draft_atom *atom)
{
    bool *said[N_ATOM_KEY] = {&atom->charge_said, &atom->radical_said, NULL, &atom->isotope_said};
    if (said[key] != NULL && *said[key])
        return hf_draft_fail(reader->draft, reader->line, "a second %s of this atom",
                             atom_keys[key].name);
    if (key != VALENCE && (value < atom_keys[key].least || value > atom_keys[key].most))
        return hf_draft_fail(reader->draft, reader->line, "%.*s; expected %d to %d", HF_WORD(word),
                             atom_keys[key].least, atom_keys[key].most);
    if (said[key] != NULL) *said[key] = true;
    switch (key) {
    case CHARGE: atom->charge = value; break;
    case RADICAL:
        hf_set_radical(atom, value);
        reader->draft->has_radical = true;
        break;
    case MASS: atom->mass_number = value; break;
    default:
        atom->valence_said = value != 0;
        atom->valence = value > 0 ? value : 0; /* -1 means none */
    }
    return HF_OK;
}

/** Reads CHG=n, RAD=n, MASS=n or VAL=n; other properties are ignored. */
static hf_status read_atom_property(struct v30 *reader, struct hf_word word,
                                    struct draft_atom *atom)
{
    int key = 0, length = 0, value = 0;
    for (; key < N_ATOM_KEY; key++) {
        length = (int)strlen(atom_keys[key].name);
        const struct hf_word begin = {word.begin, word.length < length ? word.length : length};
        if (hf_word_is(begin, atom_keys[key].name)) break;
    }
    const bool without =
        key < N_ATOM_KEY && (word.length < length + 2 || word.begin[length] != '=');
    if (word.begin[0] == '=' || without)
        return hf_draft_fail(reader->draft, reader->line,
                             "'%.*s' stands alone; expected e.g. CHG=1, without blanks",
                             HF_WORD(word));
    if (key == N_ATOM_KEY) return HF_OK;
    const struct hf_word number = {word.begin + length + 1, word.length - length - 1};
    HF_CHECK(hf_read_integer(reader->draft, reader->line, number, atom_keys[key].name, &value));
    return set_atom_property(reader, word, (enum atom_key)key, value, atom);
}

/** index type x y z aamap [KEY=value ...] */
static hf_status read_atom(struct v30 *reader)
{
    static const char *const axis[3] = {"x", "y", "z"};
    struct draft *draft = reader->draft;
    const char *position = reader->content;
    struct draft_atom atom = {.line = reader->line};
    struct hf_word word;
    hf_next_word(&position, &word);
    HF_CHECK(hf_read_integer(draft, reader->line, word, "atom index", &atom.label));
    hf_next_word(&position, &word);
    HF_CHECK(read_symbol(reader, word, &atom));
    HF_CHECK(hf_read_reals(draft, reader->line, &position, 3, axis, atom.position));
    while (hf_next_word(&position, &word)) HF_CHECK(read_atom_property(reader, word, &atom));
    return hf_draft_add_atom(draft, &atom);
}

static int compare_labels(const void *a, const void *b)
{
    const struct atom_label *left = a, *right = b;
    if (left->label != right->label) return left->label < right->label ? -1 : 1;
    return left->atom < right->atom ? -1 : left->atom > right->atom;
}

/** Sorts the indices of all atoms, unless they are sorted already. Two atoms must not have the same index. */
static hf_status sort_labels(struct v30 *reader)
{
    const struct draft *draft = reader->draft;
    const size_t n = (size_t)draft->n_atom;
    if (n == 0 || reader->n_label == draft->n_atom) return HF_OK;
    struct hf_arena *arena = &reader->draft->arena;
    if (!hf_arena_grow(arena, &reader->label, draft->n_atom, &reader->label_room,
                       sizeof *reader->label))
        return hf_arena_check(arena, draft->error);
    struct atom_label *label = reader->label;
    for (int i = 0; i < draft->n_atom; i++) label[i] = (struct atom_label){draft->atom[i].label, i};
    qsort(label, n, sizeof *label, compare_labels);
    reader->n_label = draft->n_atom;
    for (size_t i = 1; i < n; i++)
        if (label[i].label == label[i - 1].label)
            return hf_draft_fail(reader->draft, draft->atom[label[i].atom].line,
                                 "a second atom of index %d (the first is in line %d)",
                                 label[i].label, draft->atom[label[i - 1].atom].line);
    return HF_OK;
}

/** Number of the atom (from 0) with an index of the file; -1: there is none. */
static int find_atom(const struct v30 *reader, int label)
{
    int first = 0, end = reader->n_label;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (reader->label[middle].label < label)
            first = middle + 1;
        else
            end = middle;
    }
    const bool found = first < reader->n_label && reader->label[first].label == label;
    return found ? reader->label[first].atom : -1;
}

/** index type atom1 atom2 ... */
static hf_status read_bond(struct v30 *reader)
{
    static const char *const what[4] = {"bond index", "bond type", "first atom", "second atom"};
    struct draft *draft = reader->draft;
    const char *position = reader->content;
    int field[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        struct hf_word word;
        hf_next_word(&position, &word);
        HF_CHECK(hf_read_integer(draft, reader->line, word, what[i], &field[i]));
    }
    HF_CHECK(sort_labels(reader));
    const struct draft_bond bond = {find_atom(reader, field[2]), find_atom(reader, field[3]),
                                    field[1]};
    if (bond.a >= 0 && bond.b >= 0) return hf_draft_add_bond(draft, &bond);
    return hf_draft_fail(reader->draft, reader->line, "a bond with atom %d, which is not there",
                         bond.a < 0 ? field[2] : field[3]);
}

/** COUNTS na nb ... */
static hf_status read_counts(struct v30 *reader, int *n_atom, int *n_bond)
{
    const char *position = reader->content;
    struct hf_word word;
    hf_next_word(&position, &word);
    hf_next_word(&position, &word);
    HF_CHECK(hf_read_integer(reader->draft, reader->line, word, "count of atoms", n_atom));
    hf_next_word(&position, &word);
    return hf_read_integer(reader->draft, reader->line, word, "count of bonds", n_bond);
}

/** Reads a block up to its END: atoms and bonds; other blocks are skipped. */
static hf_status read_block(struct v30 *reader)
{
    const bool atoms = is_line(reader, "BEGIN", "ATOM"), bonds = is_line(reader, "BEGIN", "BOND");
    for (int depth = 1; depth > 0;) {
        HF_CHECK(join_line(reader));
        if (is_line(reader, "END", NULL))
            depth--;
        else if (is_line(reader, "BEGIN", NULL))
            depth++;
        else if (atoms)
            HF_CHECK(read_atom(reader));
        else if (bonds)
            HF_CHECK(read_bond(reader));
    }
    return HF_OK;
}

static hf_status read_table(struct v30 *reader)
{
    int n_atom = -1, n_bond = 0;
    hf_status status = join_line(reader);
    if (status == HF_OK && !is_line(reader, "BEGIN", "CTAB"))
        status = hf_draft_fail(reader->draft, reader->line, "expected 'M  V30 BEGIN CTAB'");
    while (status == HF_OK) {
        status = join_line(reader);
        if (status != HF_OK || is_line(reader, "END", "CTAB")) break;
        if (is_line(reader, "COUNTS", NULL))
            status = read_counts(reader, &n_atom, &n_bond);
        else if (is_line(reader, "BEGIN", NULL))
            status = read_block(reader);
    }
    if (status == HF_OK) status = sort_labels(reader);
    if (status != HF_OK) return status;
    if (n_atom < 0)
        return hf_draft_fail(reader->draft, reader->line, "expected 'M  V30 COUNTS' before this");
    if (n_atom == 0 && reader->draft->n_atom == 0)
        return hf_draft_fail(reader->draft, reader->line, "0 atoms; expected at least one atom");
    if (reader->draft->n_atom != n_atom || reader->draft->n_bond != n_bond)
        return hf_draft_fail(reader->draft, reader->line,
                             "%d atoms and %d bonds were found; COUNTS says %d and %d",
                             reader->draft->n_atom, reader->draft->n_bond, n_atom, n_bond);
    return HF_OK;
}

hf_status hf_read_mdl_v3000(struct draft *draft)
{
    struct v30 reader = {.draft = draft, .next = 4};
    hf_status status = read_table(&reader);
    bool ended = false, record_ended = false;
    while (status == HF_OK && !ended && !record_ended && reader.next < draft->text->n_line) {
        const char *line = draft->text->line[reader.next++];
        ended = strncmp(line, "M  END", 6) == 0;
        record_ended = hf_mdl_ends(line);
    }
    if (status == HF_OK && record_ended)
        status = hf_mdl_warn_of_end(draft);
    else if (status == HF_OK && !ended)
        status = file_ends(&reader);
    return status;
}
