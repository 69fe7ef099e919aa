/* A calculation that continues from a checkpoint. */
#include "run/calculation.h"

#include "calculation_private.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/** Whether it is the default, which checkpoints keep, too. It counts as not given: other settings of this run may
 *  decide what it means, as MP2 decides the tolerance of the commutator. */
static bool is_default(const struct hf_option *option, const char *value)
{
    return option != NULL && option->default_value != NULL &&
           strcmp(value, option->default_value) == 0;
}

/** Whether the checkpoint takes the place of an input. */
static bool is_own_input(const struct hf_calculation *calculation)
{
    return strcmp(calculation->input.path, calculation->restart->path) == 0;
}

/** Adds the settings of the checkpoint; settings of this run override them. Warns of settings that this
 *  version does not know. */
static hf_status add_settings(struct hf_calculation *calculation, struct hf_options *options,
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_checkpoint *checkpoint = calculation->restart;
    for (int i = 0; i < checkpoint->n_setting && status == HF_OK; i++) {
        const struct hf_checkpoint_setting *setting = &checkpoint->setting[i];
        const struct hf_word key = hf_word_of(setting->key);
        const struct hf_option *option = hf_option_find(options->table, key);
        char where[400];
        if (is_default(option, setting->value)) continue;
        if (strcmp(setting->key, "units") == 0 && !is_own_input(calculation)) continue;
        snprintf(where, sizeof where, "%.300s, /settings/%.60s", checkpoint->path, setting->key);
        if (option != NULL && hf_option_is_kept(option))
            status = hf_options_add(options, option, hf_rest_of_line(setting->value),
                                    HF_OPTION_RESTART, where, error);
        else
            status = hf_input_warn(&calculation->input, error,
                                   "%s: not known to this version, not used", where);
    }
    return status;
}

/** Refuses options of the molecule if there is no input file: it is that of the checkpoint. */
static hf_status check_options(const struct hf_checkpoint *checkpoint,
                               const struct hf_options *options, struct hf_error *error)
{
    static const char *const keys[] = {"charge", "multiplicity",       "units",
                                       "field",  "point_charges_file", "record"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct hf_option_value *given = hf_options_given(options, keys[i]);
        if (given != NULL)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: a restart continues with the molecule of %.300s; for another "
                           "molecule start from its orbitals with --guess",
                           given->where, checkpoint->path);
    }
    return HF_OK;
}

/** The molecule of the checkpoint takes the place of an input. */
static hf_status fill_input(struct hf_calculation *calculation, const struct hf_options *options,
                            struct hf_error *error)
{
    const struct hf_molecule *from = &calculation->restart->molecule;
    struct hf_molecule *to = &calculation->input.molecule;
    const size_t n_atom = (size_t)from->n_atom, n_charge = (size_t)from->environment.n_charge;
    const char *given = hf_options_text(options, "title");
    const char *title = given != NULL ? given : from->title;
    HF_CHECK(check_options(calculation->restart, options, error));
    *to = *from;
    to->atom = calloc(n_atom + 1, sizeof *to->atom);
    to->environment.charge = calloc(n_charge + 1, sizeof *to->environment.charge);
    to->title = title != NULL ? strdup(title) : NULL;
    calculation->input.path = hf_copy_string(&calculation->input.arena, calculation->restart->path);
    calculation->input.format = "checkpoint";
    if (to->atom == NULL || to->environment.charge == NULL || calculation->input.path == NULL) {
        to->n_atom = to->environment.n_charge = 0;
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the molecule of a checkpoint");
    }
    memcpy(to->atom, from->atom, n_atom * sizeof *to->atom);
    if (n_charge > 0)
        memcpy(to->environment.charge, from->environment.charge,
               n_charge * sizeof *to->environment.charge);
    return HF_OK;
}

hf_status hf_calculation_take_restart(struct hf_calculation *calculation,
                                      struct hf_options *options, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = calculation->context;
    const char *path = hf_options_text(options, "restart");
    if (path == NULL) return HF_OK;
    HF_TAKE(&calculation->arena, calculation->restart, 1);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&calculation->arena, error), error));
    HF_TRY(hf_checkpoint_load(context, path, calculation->restart, error));
    if (calculation->input.path == NULL) status = fill_input(calculation, options, error);
    if (status == HF_OK) status = add_settings(calculation, options, error);
    status = hf_agree(context->comm, status, error);
cleanup:
    return status;
}

bool hf_restart_has_basis(const struct hf_calculation *calculation)
{
    return calculation->restart != NULL && hf_options_given(calculation->options, "basis") == NULL;
}

/** Whether the shells of the checkpoint are of the kind of the option `functions`, if it is given. */
static hf_status check_functions(const struct hf_checkpoint *checkpoint,
                                 const struct hf_options *options, struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(options, "functions");
    const int kind = hf_options_value(options, "functions");
    const struct hf_basis *kept = checkpoint->basis;
    if (given == NULL || kind == HF_CONVENTION_AS_DEFINED) return HF_OK;
    const bool spherical = kind == HF_CONVENTION_SPHERICAL;
    for (int i = 0; i < kept->n_shell; i++)
        if (kept->shell[i].l >= 2 && kept->shell[i].spherical != spherical)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: a restart keeps the basis of %.300s, whose shell %d has %s "
                           "functions; for another basis start from its orbitals with --guess",
                           given->where, checkpoint->path, i + 1,
                           spherical ? "Cartesian" : "spherical");
    return HF_OK;
}

hf_status hf_restart_make_basis(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_basis *kept = calculation->restart->basis;
    const hf_status fits = check_functions(calculation->restart, calculation->options, error);
    if (fits != HF_OK) return fits;
    calculation->basis_requested = calculation->restart->basis_requested;
    const struct hf_molecule *molecule = &calculation->input.molecule;
    return hf_basis_move(kept, molecule, &calculation->basis, error);
}

hf_status hf_restart_check(const struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_molecule *molecule = &calculation->input.molecule;
    const char *method = hf_run_reference(calculation->options, molecule);
    if (calculation->restart == NULL) return HF_OK;
    return hf_checkpoint_compare(calculation->restart, method, molecule, calculation->basis, error);
}

/** A flag of the checkpoint; false if an older version did not have it. */
static bool kept_flag(const struct hf_checkpoint *checkpoint, const char *key)
{
    const char *text = hf_checkpoint_setting(checkpoint, key);
    return text != NULL && strcmp(text, "yes") == 0;
}

static double kept_smearing(const struct hf_checkpoint *checkpoint)
{
    const char *text = hf_checkpoint_setting(checkpoint, "smearing");
    double value = 0.0;
    if (text != NULL && hf_word_real(hf_rest_of_line(text), &value) != HF_NUMBER_OK) value = 0.0;
    return value;
}

hf_status hf_restart_settle(struct hf_calculation *calculation, struct hf_error *error)
{
    struct hf_checkpoint *checkpoint = calculation->restart;
    struct hf_scf_settings *settings = &calculation->settings;
    if (checkpoint == NULL) return HF_OK;
    struct hf_scf_restart *state = &checkpoint->state;
    const struct hf_option_value *guess = hf_options_given(calculation->options, "guess");
    settings->restart = state;
    if (state->n_column[0] == 0) return HF_OK; /* the guess begins */
    if (settings->guess_mix != kept_flag(checkpoint, "guess_mix"))
        return hf_fail(
            error, HF_BAD_INPUT,
            "%s: orbitals of a guess are mixed; a restart continues with those of %.300s "
            "as they are; --guess takes them as a guess",
            hf_options_given(calculation->options, "guess_mix")->where, checkpoint->path);
    state->is_guess = settings->smearing != kept_smearing(checkpoint) ||
                      (kept_flag(checkpoint, "max_overlap") && !settings->max_overlap);
    if (guess == NULL) return HF_OK;
    return hf_input_warn(&calculation->input, error,
                         "%s: not used: a restart continues with the orbitals of %.300s",
                         guess->where, checkpoint->path);
}
