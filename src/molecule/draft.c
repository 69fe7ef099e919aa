/* The draft of a molecule: functions shared by readers; warnings of an input. */
#include "draft.h"
#include "comment_words.h"

#include "elements.h"
#include "text/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hf_input_done(struct hf_input *input)
{
    hf_molecule_done(&input->molecule);
    cJSON_Delete(input->request.all);
    hf_arena_done(&input->arena);
    *input = (struct hf_input){0};
}

/** Adds a line to a list of *n lines. */
static hf_status add_line(struct hf_input *input, int *n, int64_t *room, char ***list,
                          const char *format, va_list arguments, struct hf_error *error)
{
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    char *copy = hf_copy_string(&input->arena, line);
    if (copy == NULL || !hf_arena_grow(&input->arena, list, *n + 1, room, sizeof **list))
        return hf_arena_check(&input->arena, error);
    (*list)[(*n)++] = copy;
    return HF_OK;
}

hf_status hf_input_warn(struct hf_input *input, struct hf_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const hf_status status = add_line(input, &input->n_warning, &input->warning_room,
                                      &input->warning, format, arguments, error);
    va_end(arguments);
    return status;
}

hf_status hf_input_note(struct hf_input *input, struct hf_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const hf_status status =
        add_line(input, &input->n_note, &input->note_room, &input->note, format, arguments, error);
    va_end(arguments);
    return status;
}

hf_status hf_draft_fail(const struct draft *draft, int line, const char *format, ...)
{
    char what[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return hf_text_fail(draft->error, draft->text, line, "%s", what);
}

hf_status hf_draft_warn(const struct draft *draft, int line, const char *format, ...)
{
    char what[1000], where[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line > 0) snprintf(where, sizeof where, ", line %d", line);
    return hf_input_warn(draft->input, draft->error, "%s%s: %s", draft->text->path, where, what);
}

hf_status hf_draft_add_atom(struct draft *draft, const struct draft_atom *atom)
{
    if (draft->n_atom == HF_MAX_ATOM)
        return hf_draft_fail(draft, atom->line, "more than %d atoms", HF_MAX_ATOM);
    if (!hf_arena_grow(&draft->arena, &draft->atom, draft->n_atom + 1, &draft->n_atom_room,
                       sizeof *atom))
        return hf_arena_check(&draft->arena, draft->error);
    draft->atom[draft->n_atom++] = *atom;
    return HF_OK;
}

hf_status hf_draft_add_bond(struct draft *draft, const struct draft_bond *bond)
{
    if (!hf_arena_grow(&draft->arena, &draft->bond, draft->n_bond + 1, &draft->n_bond_room,
                       sizeof *bond))
        return hf_arena_check(&draft->arena, draft->error);
    draft->bond[draft->n_bond++] = *bond;
    return HF_OK;
}

hf_status hf_draft_option(struct draft *draft, const char *key, struct hf_word value, int line)
{
    char where[400];
    struct hf_options *options = draft->options;
    const struct hf_option *option = hf_option_find(options->table, hf_word_of(key));
    if (line > 0)
        snprintf(where, sizeof where, "%s, line %d", draft->text->path, line);
    else
        snprintf(where, sizeof where, "%s", draft->text->path);
    return hf_options_add(options, option, value, HF_OPTION_FILE, where, draft->error);
}

hf_status hf_draft_option_integer(struct draft *draft, const char *key, int value, int line)
{
    char digits[16];
    const int length = snprintf(digits, sizeof digits, "%d", value);
    return hf_draft_option(draft, key, (struct hf_word){digits, length}, line);
}

hf_status hf_read_real(const struct draft *draft, int line, struct hf_word word, const char *what,
                       double *value)
{
    const enum hf_number outcome = hf_word_real(word, value);
    if (outcome == HF_NUMBER_OK) return HF_OK;
    if (word.length == 0)
        return hf_draft_fail(draft, line, "%s is missing; expected a number", what);
    return hf_draft_fail(draft, line, "%s '%.*s' %s; expected a decimal number", what,
                         HF_WORD(word), hf_number_problem(outcome));
}

hf_status hf_read_reals(const struct draft *draft, int line, const char **position, int n,
                        const char *const what[], double value[])
{
    struct hf_word word;
    for (int i = 0; i < n; i++) {
        hf_next_word(position, &word);
        HF_CHECK(hf_read_real(draft, line, word, what[i], &value[i]));
    }
    return HF_OK;
}

hf_status hf_read_integer(const struct draft *draft, int line, struct hf_word word,
                          const char *what, int *value)
{
    const enum hf_number outcome = hf_word_integer(word, value);
    if (outcome == HF_NUMBER_OK) return HF_OK;
    if (word.length == 0)
        return hf_draft_fail(draft, line, "%s is missing; expected a whole number", what);
    return hf_draft_fail(draft, line, "%s '%.*s' %s; expected a whole number", what, HF_WORD(word),
                         outcome == HF_NUMBER_NONE ? "is not a whole number"
                                                   : hf_number_problem(outcome));
}

/** Removes the ghost mark of a name: @H, Gh(H), Bq-H, BqH, H-Bq, Ghost-H. Bq1 has none: 1 is a label, not an
 *  element. */
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
    const int n_letter = count_letters(hf_word_of(c));
    if (n_letter < 1 || n_letter >= (int)sizeof symbol) return false;
    memcpy(symbol, c, (size_t)n_letter);
    c += n_letter;
    const size_t between = strspn(c, "-"), behind = strspn(c + between, digits);
    const char *end = before > 0 ? c : c + between + behind;
    return hf_element_number(symbol) != 0 && (before > 0 || (between > 0 && behind > 0)) &&
           strspn(end, "])") == strlen(end);
}

/** Explains why a name is not that of an atom. `core` is the name without its ghost mark. */
static hf_status refuse_name(const struct draft *draft, int line, struct hf_word name,
                             struct hf_word core)
{
    const char *known[HF_N_ELEMENT];
    for (int i = 0; i < HF_N_ELEMENT; i++) known[i] = hf_element_symbol(i + 1);
    const char *nearest =
        hf_nearest_word((struct hf_word){core.begin, count_letters(core)}, HF_N_ELEMENT, known);
    if (is_dummy(name))
        return hf_draft_fail(
            draft, line,
            "'%.*s' is a dummy atom, which hf does not have; leave it out, or write a ghost atom "
            "with its element, @H or Gh(H), which has basis functions but no charge",
            HF_WORD(name));
    if (is_labelled_isotope(name))
        return hf_draft_fail(
            draft, line,
            "'%.*s' looks like an isotope; expected the element alone, and D or T for those of "
            "hydrogen; others are given in a molfile (M  ISO) or QCSchema (mass_numbers)",
            HF_WORD(name));
    return hf_draft_fail(
        draft, line, "unknown element '%.*s'; expected a symbol such as C or an atomic number%s%s",
        HF_WORD(name), HF_DID_YOU_MEAN(nearest, ""));
}

/** Whether the name ends in the charge of an ion: O2-, Fe3+, Na+, O(2-). */
static bool is_ion(struct hf_word name)
{
    int length = name.length;
    while (length > 1 && strchr(")]}", name.begin[length - 1]) != NULL) length--;
    return length > 1 && strchr("+-", name.begin[length - 1]) != NULL;
}

hf_status hf_read_atom_name(const struct draft *draft, int line, struct hf_word name,
                            struct draft_atom *atom)
{
    struct hf_word core = name;
    char symbol[4] = "";
    int number = 0;
    atom->ghost = strip_ghost_mark(&core);
    if (hf_word_integer(core, &number) == HF_NUMBER_OK) {
        if (hf_element_symbol(number) == NULL)
            return hf_draft_fail(draft, line,
                                 "unknown element '%.*s'; atomic numbers go from 1 to 118",
                                 HF_WORD(name));
        atom->atomic_number = number;
        return HF_OK;
    }
    const int n_letter = count_letters(core);
    if (n_letter > 0 && is_ion(core))
        return hf_draft_fail(draft, line,
                             "'%.*s' looks like an ion, but single atoms have no charges; expected "
                             "the element alone, and the charge of the whole molecule (charge N)",
                             HF_WORD(name));
    const char next = n_letter < core.length ? core.begin[n_letter] : '\0';
    const bool label = next == '\0' || next == '_' || (next >= '0' && next <= '9');
    if (n_letter < (int)sizeof symbol) memcpy(symbol, core.begin, (size_t)n_letter);
    atom->atomic_number = label ? hf_element_number(symbol) : 0;
    atom->mass_number = hf_symbol_isotope(symbol);
    return atom->atomic_number != 0 ? HF_OK : refuse_name(draft, line, name, core);
}

bool hf_is_atom_name(struct hf_word name)
{
    struct hf_text text = {.path = ""};
    struct draft draft = {.text = &text};
    struct draft_atom atom;
    return hf_read_atom_name(&draft, 0, name, &atom) == HF_OK;
}

void hf_set_radical(struct draft_atom *atom, int code)
{
    atom->unpaired = code >= 2 ? code - 1 : 0; /* 1 singlet, 2 doublet, 3 triplet */
    atom->unbonded = code == 1 ? 2 : atom->unpaired;
}
