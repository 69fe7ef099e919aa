/* Which basis set is meant for which atoms: the values of the key basis. */
#include "calculation_private.h"

#include <limits.h>
#include <string.h>

const char *const hf_default_basis = "def2-SVP";

/** Splits "O=aug-cc-pVDZ" (command line) or "O aug-cc-pVDZ" (file) into the atoms and the name.
 *  What is neither an element nor a number in front is part of the name. */
static hf_status split_choice(const struct hf_option_value *value, int n_atom,
                              struct hf_basis_choice *choice, struct hf_error *error)
{
    const char *text = value->text, *divider = strpbrk(text, "= \t");
    char symbol[4] = "";
    int number = 0;
    *choice = (struct hf_basis_choice){.atom = -1, .name = text, .where = value->where};
    if (divider == NULL) return HF_OK;
    const struct hf_word front = {text, (int)(divider - text)};
    const struct hf_word rest = hf_rest_of_line(divider + 1 + strspn(divider + 1, "= \t"));
    if (front.length < (int)sizeof symbol) memcpy(symbol, front.begin, (size_t)front.length);
    const int element = hf_element_number(symbol);
    const enum hf_number outcome = hf_word_integer(front, &number);
    if (element == 0 && outcome == HF_NUMBER_NONE) return HF_OK;
    if (rest.length == 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: the basis of %s has no name; expected e.g. O=STO-3G", value->where,
                       text);
    if (outcome != HF_NUMBER_NONE && (outcome != HF_NUMBER_OK || number < 1 || number > n_atom))
        return hf_fail(error, HF_BAD_INPUT, "%s: a basis for atom %.*s; expected 1 to %d",
                       value->where, HF_WORD(front), n_atom);
    choice->name = rest.begin; /* values have no blanks at their end */
    choice->atomic_number = element;
    if (element == 0) choice->atom = number - 1;
    return HF_OK;
}

/** Takes the set from the input if it stands there. */
static void take_text(const struct hf_input *input, struct hf_basis_choice *choice)
{
    for (int i = 0; i < input->n_basis_text; i++)
        if (strcmp(input->basis_text[i].name, choice->name) == 0)
            choice->text = input->basis_text[i].text;
}

/** Of whom a choice is, as a number: 0 all atoms, else an element, or an atom behind the elements. */
static int target_of(const struct hf_basis_choice *choice)
{
    enum { N_ELEMENT = 118 };
    return choice->atom >= 0 ? N_ELEMENT + 1 + choice->atom : choice->atomic_number;
}

/** A second choice for the same atoms on the same level. */
static hf_status judge_repetition(struct hf_calculation *calculation,
                                  const struct hf_option_value *before,
                                  const struct hf_option_value *value, struct hf_error *error)
{
    if (value->level == HF_OPTION_FILE)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: basis '%s', but for these atoms there was '%s' before (%s); expected "
                       "one of them",
                       value->where, value->text, before->text, before->where);
    if (strcmp(before->text, value->text) == 0) return HF_OK;
    return hf_input_warn(&calculation->input, error,
                         "%s: '%s' was given before for the same atoms; the last one, '%s', counts",
                         value->where, before->text, value->text);
}

/** Adds the choices of one level; a choice for all atoms takes the first place. `given` [119 + atoms]
 *  has the value of this level for each target so far. */
static hf_status add_choices(struct hf_calculation *calculation, enum hf_option_level level,
                             const struct hf_option_value *given[], struct hf_error *error)
{
    for (int i = 0; i < calculation->options->n_value; i++) {
        const struct hf_option_value *value = &calculation->options->value[i];
        struct hf_basis_choice choice;
        if (value->level != level || strcmp(value->option->key, "basis") != 0) continue;
        HF_CHECK(split_choice(value, calculation->input.molecule.n_atom, &choice, error));
        take_text(&calculation->input, &choice);
        const int target = target_of(&choice);
        const struct hf_option_value *before = given[target];
        if (before != NULL && before->level == level)
            HF_CHECK(judge_repetition(calculation, before, value, error));
        given[target] = value;
        if (target == 0)
            calculation->choice[0] = choice;
        else
            calculation->choice[calculation->n_choice++] = choice;
    }
    return HF_OK;
}

/** Whether the command line has a set for all atoms. */
static bool replaces_file(const struct hf_options *options)
{
    struct hf_basis_choice choice;
    for (int i = 0; i < options->n_value; i++)
        if (options->value[i].level == HF_OPTION_COMMAND_LINE &&
            strcmp(options->value[i].option->key, "basis") == 0 &&
            split_choice(&options->value[i], INT_MAX, &choice, NULL) == HF_OK &&
            target_of(&choice) == 0)
            return true;
    return false;
}

/** "cc-pVDZ; O aug-cc-pVDZ; atom 2 STO-3G" */
static hf_status describe(struct hf_calculation *calculation, struct hf_error *error)
{
    size_t size = 1;
    for (int i = 0; i < calculation->n_choice; i++)
        size += strlen(calculation->choice[i].name) + 32;
    char *text = calculation->basis_requested = HF_TAKE(&calculation->arena, text, size);
    HF_CHECK(hf_arena_check(&calculation->arena, error));
    for (int i = 0; i < calculation->n_choice; i++) {
        const struct hf_basis_choice *choice = &calculation->choice[i];
        if (choice->atom >= 0)
            text += sprintf(text, "; atom %d %s", choice->atom + 1, choice->name);
        else if (choice->atomic_number > 0)
            text +=
                sprintf(text, "; %s %s", hf_element_symbol(choice->atomic_number), choice->name);
        else
            text += sprintf(text, "%s", choice->name);
    }
    return HF_OK;
}

hf_status hf_choose_basis(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_options *options = calculation->options;
    enum { N_TARGET = 119 };
    const size_t n_target = N_TARGET + (size_t)calculation->input.molecule.n_atom;
    const struct hf_option_value **given = HF_TAKE(&calculation->arena, given, n_target);
    HF_TAKE(&calculation->arena, calculation->choice, (size_t)options->n_value + 1);
    HF_CHECK(hf_arena_check(&calculation->arena, error));
    calculation->choice[0] =
        (struct hf_basis_choice){.atom = -1, .name = hf_default_basis, .where = "default"};
    calculation->n_choice = 1;
    if (!replaces_file(options)) HF_CHECK(add_choices(calculation, HF_OPTION_FILE, given, error));
    HF_CHECK(add_choices(calculation, HF_OPTION_COMMAND_LINE, given, error));
    return describe(calculation, error);
}
