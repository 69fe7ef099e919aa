/* Charge and multiplicity of a molecule: reads given values, assumes missing ones, and checks them against the
 * electrons. */
#include "draft.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/** Warns if the command line overrides a value in a file of another program's format. */
static hf_status warn_of_overridden(struct draft *draft)
{
    static const char *const keys[] = {"charge", "multiplicity", "units"};
    const struct hf_options *options = draft->options;
    for (size_t k = 0; k < sizeof keys / sizeof *keys && !draft->own_format; k++) {
        const struct hf_option_value *given = hf_options_given(options, keys[k]);
        if (given == NULL || given->level != HF_OPTION_COMMAND_LINE) continue;
        for (int i = 0; i < options->n_value; i++) {
            const struct hf_option_value *value = &options->value[i];
            if (value->option != given->option || value->level != HF_OPTION_FILE) continue;
            int numbers[2] = {0, 1};
            const bool number =
                hf_word_integer(hf_word_of(given->text), &numbers[0]) == HF_NUMBER_OK &&
                hf_word_integer(hf_word_of(value->text), &numbers[1]) == HF_NUMBER_OK;
            if (number ? numbers[0] == numbers[1]
                       : strcasecmp(hf_options_choice(options, keys[k]), value->text) == 0)
                continue;
            HF_CHECK(hf_input_warn(draft->input, draft->error, "%s %s (%s) is used, not %s (%s)",
                                   keys[k], given->text, given->where, value->text, value->where));
        }
    }
    return HF_OK;
}

/** Uses the value of a file beside the input if neither the format nor the options give one. Warns if they give a
 *  different value. */
static hf_status use_companion(struct draft *draft, const struct hf_companion *companion,
                               const char *key, int add)
{
    const struct hf_option_value *given = hf_options_given(draft->options, key);
    const int value = companion->value + add;
    char text[16];
    if (!companion->there) return HF_OK;
    const bool open = draft->state_is_beside && given == NULL;
    if (!companion->understood)
        return open ? hf_fail(draft->error, HF_BAD_INPUT,
                              "%s: expected one whole number, the %s; or give --%s for %s",
                              companion->path, add == 0 ? "charge" : "number of unpaired electrons",
                              key, draft->text->path)
                    : HF_OK;
    if (open) {
        const struct hf_word word = {text, snprintf(text, sizeof text, "%d", value)};
        HF_CHECK(hf_options_add(draft->options,
                                hf_option_find(draft->options->table, hf_word_of(key)), word,
                                HF_OPTION_FILE, companion->path, draft->error));
        return hf_draft_warn(draft, 0, "%s %d was taken from the file %s beside it", key, value,
                             companion->path);
    }
    if (given != NULL ? hf_options_integer(draft->options, key) == value : value == add)
        return HF_OK;
    return hf_draft_warn(draft, 0, "%s %s is used, not %d of the file %s beside it", key,
                         given != NULL ? given->text : "of the format", value, companion->path);
}

/** Place where a number was given, for the message; `otherwise` if it was not given. */
static const char *origin(const struct draft *draft, const char *key, const char *otherwise)
{
    const struct hf_option_value *given = hf_options_given(draft->options, key);
    return given != NULL ? given->where : otherwise;
}

void hf_input_advise_charge(const struct hf_options *options, const struct hf_molecule *molecule,
                            char *advice, size_t size)
{
    const bool given =
        hf_options_given(options, "charge") != NULL || hf_options_given(options, "restart") != NULL;
    const int c = molecule->charge;
    advice[0] = '\0';
    if (!given)
        snprintf(advice, size,
                 "; no charge was given, 0 is assumed; for another number of electrons use "
                 "--charge %d or --charge %d",
                 c + 1, c - 1);
}

/** Fails because the number of electrons does not fit the multiplicity. */
static hf_status refuse_parity(const struct draft *draft, const char *where, int n_electron)
{
    const struct hf_molecule *molecule = &draft->input->molecule;
    const bool odd = n_electron % 2 != 0;
    char advice[400];
    hf_input_advise_charge(draft->options, molecule, advice, sizeof advice);
    return hf_fail(draft->error, HF_BAD_INPUT,
                   "%s: %d electron%s (charge %+d) cannot have multiplicity %d; an %s number of "
                   "electrons needs an %s multiplicity, %s%s",
                   where, n_electron, n_electron > 1 ? "s" : "", molecule->charge,
                   molecule->multiplicity, odd ? "odd" : "even", odd ? "even" : "odd",
                   odd ? "2 or 4" : "1 or 3", advice);
}

static hf_status check_electrons(struct draft *draft)
{
    struct hf_molecule *molecule = &draft->input->molecule;
    const char *path = draft->text->path;
    molecule->charge = 0;
    const int nuclei = hf_molecule_n_electron(molecule);
    molecule->charge = hf_options_integer(draft->options, "charge");
    const int n_electron = hf_molecule_n_electron(molecule);
    if (n_electron <= 0)
        return hf_fail(draft->error, HF_BAD_INPUT,
                       "%s: there are no electrons (nuclei %+d, charge %+d)",
                       origin(draft, "charge", path), nuclei, molecule->charge);
    if (-molecule->charge > nuclei)
        return hf_fail(draft->error, HF_BAD_INPUT,
                       "%s: charge %+d is out of range; expected at least %+d for these nuclei",
                       origin(draft, "charge", path), molecule->charge, -nuclei);
    const struct hf_option_value *given = hf_options_given(draft->options, "multiplicity");
    molecule->multiplicity =
        given != NULL ? hf_options_integer(draft->options, "multiplicity") : 1 + n_electron % 2;
    const int unpaired = molecule->multiplicity - 1;
    const char *where = given != NULL ? given->where : origin(draft, "charge", path);
    if (unpaired > n_electron)
        return hf_fail(draft->error, HF_BAD_INPUT,
                       "%s: multiplicity %d needs %d electrons, there are %d", where,
                       molecule->multiplicity, unpaired, n_electron);
    if ((n_electron - unpaired) % 2 != 0) return refuse_parity(draft, where, n_electron);
    return HF_OK;
}

/** Warns that a doublet is assumed, for formats that could give the multiplicity. */
static hf_status warn_of_doublet(struct draft *draft)
{
    if (draft->input->molecule.multiplicity == 1) return HF_OK;
    return hf_draft_warn(
        draft, 0, "no multiplicity is given: 2 is assumed, because the number of electrons is odd");
}

/** Reports assumptions for XYZ, which has no place for charge and multiplicity: a note for closed shells (nearly all
 *  such files), otherwise a warning. */
static hf_status tell_assumed(struct draft *draft)
{
    const int assumed = draft->input->molecule.multiplicity;
    const bool charge = hf_options_given(draft->options, "charge") != NULL;
    const bool multiplicity = hf_options_given(draft->options, "multiplicity") != NULL;
    char what[200];
    if (multiplicity && (charge || !draft->state_is_beside)) return HF_OK;
    if (!draft->state_is_beside) return warn_of_doublet(draft);
    const char *key = charge ? "multiplicity" : "charge";
    if (!charge && !multiplicity)
        snprintf(what, sizeof what,
                 "neither charge nor multiplicity is given: a neutral %s is assumed; write "
                 "charge=N multiplicity=N",
                 assumed == 1 ? "singlet" : "doublet");
    else
        snprintf(what, sizeof what, "no %s is given: %d is assumed; write %s=N", key,
                 charge ? assumed : 0, key);
    return (assumed == 1 ? hf_input_note : hf_input_warn)(
        draft->input, draft->error, "%s: %s into the comment line, or use --%s", draft->text->path,
        what,
        charge || multiplicity ? (charge ? "multiplicity N" : "charge N")
                               : "charge N --multiplicity N");
}

hf_status hf_draft_finish_state(struct draft *draft)
{
    const struct hf_companions *companions = draft->companions;
    HF_CHECK(warn_of_overridden(draft));
    if (companions != NULL) HF_CHECK(use_companion(draft, &companions->charge, "charge", 0));
    if (companions != NULL)
        HF_CHECK(use_companion(draft, &companions->unpaired, "multiplicity", 1));
    HF_CHECK(check_electrons(draft));
    return tell_assumed(draft);
}
