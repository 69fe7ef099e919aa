/* The draft of a molecule: functions shared by readers; warnings of an input. */
#include "draft.h"
#include "comment_words.h"

#include "base/growing.h"
#include "elements.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hf_input_done(struct hf_input *input)
{
    hf_molecule_done(&input->molecule);
    free(input->warning);
    free(input->note);
    hf_arena_done(&input->arena);
    *input = (struct hf_input){0};
}

/** Adds a line to a list of *n lines. */
static hf_status add_line(struct hf_input *input, int *n, char ***list, const char *format,
                          va_list arguments, struct hf_error *error)
{
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    char *copy = hf_copy_string(&input->arena, line);
    char **longer = realloc(*list, (size_t)(*n + 1) * sizeof **list);
    if (longer != NULL) *list = longer;
    if (copy == NULL || longer == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", input->path);
    longer[(*n)++] = copy;
    return HF_OK;
}

hf_status hf_input_warn(struct hf_input *input, struct hf_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const hf_status status =
        add_line(input, &input->n_warning, &input->warning, format, arguments, error);
    va_end(arguments);
    return status;
}

hf_status hf_input_note(struct hf_input *input, struct hf_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const hf_status status =
        add_line(input, &input->n_note, &input->note, format, arguments, error);
    va_end(arguments);
    return status;
}

hf_status hf_draft_add_atom(struct draft *draft, const struct draft_atom *atom,
                            struct hf_error *error)
{
    if (draft->n_atom == HF_MAX_ATOM)
        return hf_text_fail(error, draft->text, atom->line, "more than %d atoms", HF_MAX_ATOM);
    if (!hf_grow(&draft->atom, draft->n_atom + 1, &draft->n_atom_room, sizeof *atom))
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", draft->text->path);
    draft->atom[draft->n_atom++] = *atom;
    return HF_OK;
}

hf_status hf_draft_add_bond(struct draft *draft, const struct draft_bond *bond,
                            struct hf_error *error)
{
    if (!hf_grow(&draft->bond, draft->n_bond + 1, &draft->n_bond_room, sizeof *bond))
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", draft->text->path);
    draft->bond[draft->n_bond++] = *bond;
    return HF_OK;
}

hf_status hf_draft_option(struct draft *draft, const char *key, struct hf_word value, int line,
                          struct hf_error *error)
{
    char where[400];
    struct hf_options *options = draft->options;
    const struct hf_option *option =
        hf_option_find(options->table, (struct hf_word){key, (int)strlen(key)});
    if (line > 0)
        snprintf(where, sizeof where, "%s, line %d", draft->text->path, line);
    else
        snprintf(where, sizeof where, "%s", draft->text->path);
    return hf_options_add(options, option, value, HF_OPTION_FILE, where, error);
}

hf_status hf_draft_option_integer(struct draft *draft, const char *key, int value, int line,
                                  struct hf_error *error)
{
    char digits[16];
    const int length = snprintf(digits, sizeof digits, "%d", value);
    return hf_draft_option(draft, key, (struct hf_word){digits, length}, line, error);
}

hf_status hf_read_real(const struct hf_text *text, int line, struct hf_word word, const char *what,
                       double *value, struct hf_error *error)
{
    const enum hf_number outcome = hf_word_real(word, value);
    if (outcome == HF_NUMBER_OK) return HF_OK;
    if (word.length == 0)
        return hf_text_fail(error, text, line, "%s is missing; expected a number", what);
    return hf_text_fail(error, text, line, "%s '%.*s' %s; expected a decimal number", what,
                        HF_WORD(word), hf_number_problem(outcome));
}

hf_status hf_read_integer(const struct hf_text *text, int line, struct hf_word word,
                          const char *what, int *value, struct hf_error *error)
{
    const enum hf_number outcome = hf_word_integer(word, value);
    if (outcome == HF_NUMBER_OK) return HF_OK;
    if (word.length == 0)
        return hf_text_fail(error, text, line, "%s is missing; expected a whole number", what);
    return hf_text_fail(
        error, text, line, "%s '%.*s' %s; expected a whole number", what, HF_WORD(word),
        outcome == HF_NUMBER_NONE ? "is not a whole number" : hf_number_problem(outcome));
}

/** Removes the ghost mark of a name: @H, Gh(H), Bq-H, BqH, H-Bq, Ghost-H. Bq1 is not a ghost of hydrogen but a point
 *  without an atom. */
static bool strip_ghost_mark(struct hf_word *name)
{
    static const char *const before[] = {"@", "ghost", "gh", "bq"};
    static const struct hf_word behind = {"-bq", 3};
    if (name->length > behind.length &&
        hf_word_is((struct hf_word){name->begin + name->length - 3, 3}, behind.begin)) {
        name->length -= 3;
        return true;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const int length = (int)strlen(before[i]);
        if (name->length <= length || !hf_word_is((struct hf_word){name->begin, length}, before[i]))
            continue;
        struct hf_word rest = {name->begin + length, name->length - length};
        const char first = rest.begin[0];
        if (i > 0 && first >= '0' && first <= '9') return false;
        if (first == '(' && rest.begin[rest.length - 1] == ')' && rest.length > 2)
            rest = (struct hf_word){rest.begin + 1, rest.length - 2};
        else if ((first == '-' || first == '_') && rest.length > 1)
            rest = (struct hf_word){rest.begin + 1, rest.length - 1};
        *name = rest;
        return true;
    }
    return false;
}

/** Number of letters at the beginning of a name. */
static int count_letters(struct hf_word name)
{
    int n = 0;
    while (n < name.length && ((name.begin[n] | 32) >= 'a' && (name.begin[n] | 32) <= 'z')) n++;
    return n;
}

/** Whether the name means a point without an atom: X, X1, Xx, Du, Bq. */
static bool is_dummy(struct hf_word name)
{
    static const char *const dummies[] = {"X",  "XX", "Du",    "Dum", "Dummy",
                                          "Bq", "Gh", "Ghost", NULL};
    const struct hf_word letters = {name.begin, count_letters(name)};
    if (letters.length < name.length && strchr("0123456789_-", name.begin[letters.length]) == NULL)
        return false;
    return hf_word_is_listed(letters, dummies);
}

/** Whether a mass number is written before or after the element: 13C, 13-C, C-13, [13C]. */
static bool is_labelled_isotope(struct hf_word name)
{
    static const char digits[] = "0123456789";
    char text[12] = "", symbol[4] = "";
    if (name.length >= (int)sizeof text) return false;
    memcpy(text, name.begin, (size_t)name.length);
    const char *c = text + strspn(text, "[(^");
    const size_t before = strspn(c, digits);
    c += before + (before > 0 ? strspn(c + before, "-_)}") : 0);
    const int n_letter = count_letters((struct hf_word){c, (int)strlen(c)});
    if (n_letter < 1 || n_letter >= (int)sizeof symbol) return false;
    memcpy(symbol, c, (size_t)n_letter);
    c += n_letter;
    const size_t between = strspn(c, "-"), behind = strspn(c + between, digits);
    const char *end = before > 0 ? c : c + between + behind;
    return hf_element_number(symbol) != 0 && (before > 0 || (between > 0 && behind > 0)) &&
           strspn(end, "])") == strlen(end);
}

/** Explains why a name is not that of an atom. `core` is the name without its ghost mark. */
static hf_status refuse_name(const struct hf_text *text, int line, struct hf_word name,
                             struct hf_word core, struct hf_error *error)
{
    const char *known[HF_N_ELEMENT];
    for (int i = 0; i < HF_N_ELEMENT; i++) known[i] = hf_element_symbol(i + 1);
    const char *nearest =
        hf_nearest_word((struct hf_word){core.begin, count_letters(core)}, HF_N_ELEMENT, known);
    if (is_dummy(name))
        return hf_text_fail(
            error, text, line,
            "'%.*s' is a dummy atom, which hf does not have; leave it out, or write "
            "a ghost atom with its element, @H or Gh(H), which has basis functions "
            "but no charge",
            HF_WORD(name));
    if (is_labelled_isotope(name))
        return hf_text_fail(
            error, text, line,
            "'%.*s' looks like an isotope; expected the element alone, and D or T for "
            "those of hydrogen; others are given in a molfile (M  ISO) or QCSchema "
            "(mass_numbers)",
            HF_WORD(name));
    return hf_text_fail(error, text, line,
                        "unknown element '%.*s'; expected a symbol such as C or "
                        "an atomic number%s%s",
                        HF_WORD(name), nearest != NULL ? "; did you mean " : "",
                        nearest != NULL ? nearest : "");
}

/** Whether the name ends in the charge of an ion: O2-, Fe3+, Na+, O(2-). */
static bool is_ion(struct hf_word name)
{
    int length = name.length;
    while (length > 1 && strchr(")]}", name.begin[length - 1]) != NULL) length--;
    return length > 1 && strchr("+-", name.begin[length - 1]) != NULL;
}

hf_status hf_read_atom_name(const struct hf_text *text, int line, struct hf_word name,
                            struct draft_atom *atom, struct hf_error *error)
{
    struct hf_word core = name;
    char symbol[4] = "";
    int number = 0;
    atom->ghost = strip_ghost_mark(&core);
    if (hf_word_integer(core, &number) == HF_NUMBER_OK) {
        if (hf_element_symbol(number) == NULL)
            return hf_text_fail(error, text, line,
                                "unknown element '%.*s'; atomic numbers go from "
                                "1 to 118",
                                HF_WORD(name));
        atom->atomic_number = number;
        return HF_OK;
    }
    const int n_letter = count_letters(core);
    if (n_letter > 0 && is_ion(core))
        return hf_text_fail(error, text, line,
                            "'%.*s' looks like an ion, but single atoms have no charges; "
                            "expected the element alone, and the charge of the whole molecule "
                            "(charge N)",
                            HF_WORD(name));
    const char next = n_letter < core.length ? core.begin[n_letter] : '\0';
    const bool label = next == '\0' || next == '_' || (next >= '0' && next <= '9');
    if (n_letter < (int)sizeof symbol) memcpy(symbol, core.begin, (size_t)n_letter);
    atom->atomic_number = label ? hf_element_number(symbol) : 0;
    atom->mass_number = hf_symbol_isotope(symbol);
    return atom->atomic_number != 0 ? HF_OK : refuse_name(text, line, name, core, error);
}

void hf_set_radical(struct draft_atom *atom, int code)
{
    atom->unpaired = code >= 2 ? code - 1 : 0; /* 1 singlet, 2 doublet, 3 triplet */
    atom->unbonded = code == 1 ? 2 : atom->unpaired;
}
