/* From the command line to a calculation: input, basis choices, settings, description. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const default_basis = "def2-SVP";

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

static bool is_for_all_atoms(const struct hf_basis_choice *choice)
{
    return choice->atom < 0 && choice->atomic_number == 0;
}

/** Adds the choices of one level; a choice for all atoms takes the first place. */
static hf_status add_choices(struct hf_calculation *calculation, const struct hf_options *options,
                             enum hf_option_level level, struct hf_error *error)
{
    for (int i = 0; i < options->n_value; i++) {
        const struct hf_option_value *value = &options->value[i];
        struct hf_basis_choice choice;
        if (value->level != level || strcmp(value->option->key, "basis") != 0) continue;
        const hf_status status =
            split_choice(value, calculation->input.molecule.n_atom, &choice, error);
        if (status != HF_OK) return status;
        if (is_for_all_atoms(&choice))
            calculation->choice[0] = choice;
        else
            calculation->choice[calculation->n_choice++] = choice;
    }
    return HF_OK;
}

/** Basis choices, the one for all atoms first. When the command line has one for all atoms, it
 *  replaces everything that the file says; else it adds to it. */
static hf_status choose_basis(struct hf_calculation *calculation, const struct hf_options *options,
                              struct hf_error *error)
{
    const struct hf_basis_choice unsaid = {.atom = -1, .name = default_basis, .where = "default"};
    calculation->choice = calloc((size_t)options->n_value + 1, sizeof *calculation->choice);
    if (calculation->choice == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
    calculation->choice[0] = unsaid;
    calculation->n_choice = 1;
    hf_status status = add_choices(calculation, options, HF_OPTION_COMMAND_LINE, error);
    if (status != HF_OK || calculation->choice[0].where != unsaid.where) return status;
    calculation->n_choice = 1;
    status = add_choices(calculation, options, HF_OPTION_FILE, error);
    return status == HF_OK ? add_choices(calculation, options, HF_OPTION_COMMAND_LINE, error)
                           : status;
}

/** "cc-pVDZ; O aug-cc-pVDZ; atom 2 STO-3G" */
static hf_status describe_basis(struct hf_calculation *calculation, struct hf_error *error)
{
    size_t size = 1;
    for (int i = 0; i < calculation->n_choice; i++)
        size += strlen(calculation->choice[i].name) + 32;
    char *text = calculation->basis_requested = calloc(size, 1);
    if (text == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory");
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

/** Says which of method and basis nobody gave. */
static hf_status note_defaults(struct hf_calculation *calculation, const struct hf_options *options,
                               struct hf_error *error)
{
    const bool method = hf_options_given(options, "method") != NULL;
    const bool basis = strcmp(calculation->choice[0].where, "default") != 0;
    struct hf_input *input = &calculation->input;
    if (!method && !basis)
        return hf_input_warn(input, error,
                             "neither method nor basis was given: RHF/%s is the default",
                             default_basis);
    if (!basis)
        return hf_input_warn(input, error, "no basis was given%s: %s is the default",
                             calculation->n_choice > 1 ? " for the other atoms" : "",
                             default_basis);
    return HF_OK;
}

static bool is_choice(const struct hf_options *options, const char *key, const char *name)
{
    return strcmp(hf_options_choice(options, key), name) == 0;
}

static enum hf_convention convention(const struct hf_options *options)
{
    if (is_choice(options, "functions", "spherical")) return HF_CONVENTION_SPHERICAL;
    if (is_choice(options, "functions", "cartesian")) return HF_CONVENTION_CARTESIAN;
    return HF_CONVENTION_AS_DEFINED;
}

static enum hf_grain grain(const struct hf_options *options)
{
    if (is_choice(options, "grain", "shell-pair")) return HF_GRAIN_SHELL_PAIR;
    if (is_choice(options, "grain", "shell-quartet")) return HF_GRAIN_SHELL_QUARTET;
    return HF_GRAIN_ATOM_QUARTET;
}

static struct hf_scheduler_settings schedule(const struct hf_options *options)
{
    return (struct hf_scheduler_settings){
        .name = hf_options_choice(options, "schedule"),
        .counter =
            is_choice(options, "counter", "array") ? HF_COUNTER_ARRAY : HF_COUNTER_FETCH_AND_OP,
        .progress_thread = hf_options_flag(options, "progress_thread"),
    };
}

static struct hf_onesided_settings onesided(const struct hf_options *options)
{
    return (struct hf_onesided_settings){
        .transport = hf_options_choice(options, "onesided"),
        .accumulate =
            is_choice(options, "accumulate", "caller") ? HF_ACCUMULATE_CALLER : HF_ACCUMULATE_OWNER,
    };
}

/** For hf_fock_settings.progress: shows progress, and tells of signals. `data` is the report. Open
 *  MPI puts a pseudo-terminal between a rank and whatever its standard output goes to, a file too,
 *  but none for standard error: progress is shown when that is a terminal as well. */
static int progress(void *data, double fraction)
{
    if (isatty(STDERR_FILENO) == 1) hf_report_progress(data, fraction);
    return hf_signal_caught();
}

static void make_settings(struct hf_calculation *calculation, const struct hf_options *options)
{
    struct hf_scf_settings *settings = &calculation->settings;
    *settings = hf_scf_defaults();
    settings->method = hf_options_choice(options, "method");
    settings->wavefunction = HF_WAVEFUNCTION_ENERGIES;
    settings->guess = hf_options_choice(options, "guess");
    settings->max_iteration = hf_options_integer(options, "max_iterations");
    settings->energy_tolerance = hf_options_real(options, "energy_tolerance");
    settings->commutator_tolerance = hf_options_real(options, "commutator_tolerance");
    settings->linear_dependence_threshold = hf_options_real(options, "linear_dependence");
    settings->screening_threshold = hf_options_real(options, "screening");
    settings->diis_size = hf_options_integer(options, "diis_size");
    settings->fock = (struct hf_fock_settings){
        .builder = hf_options_choice(options, "fock"),
        .schedule = schedule(options),
        .onesided = onesided(options),
        .grain = grain(options),
        .tasks_for = hf_options_integer(options, "tasks_for"),
        .n_thread = hf_options_integer(options, "threads"),
        .store_threshold = hf_options_real(options, "screening"),
        .progress = progress,
        .progress_data = calculation->report,
    };
}

/** The one method there is needs paired electrons. */
static hf_status check_method(const struct hf_calculation *calculation,
                              const struct hf_options *options, struct hf_error *error)
{
    const struct hf_molecule *molecule = &calculation->input.molecule;
    const struct hf_option_value *given = hf_options_given(options, "multiplicity");
    if (molecule->multiplicity == 1) return HF_OK;
    return hf_fail(
        error, HF_BAD_INPUT,
        "%s: %d electrons (charge %+d) with multiplicity %d are an open shell; method rhf "
        "needs multiplicity 1",
        given != NULL ? given->where : calculation->input.path, hf_molecule_n_electron(molecule),
        molecule->charge, molecule->multiplicity);
}

/** Everything after the input file that this rank does alone. */
static hf_status follow_from_input(struct hf_calculation *calculation,
                                   const struct hf_options *options, const struct hf_launch *launch,
                                   struct hf_error *error)
{
    hf_status status = check_method(calculation, options, error);
    if (status == HF_OK) status = choose_basis(calculation, options, error);
    if (status == HF_OK) status = describe_basis(calculation, error);
    if (status == HF_OK) status = note_defaults(calculation, options, error);
    if (status == HF_OK)
        status = hf_launch_warn(launch, hf_options_integer(options, "threads"), &calculation->input,
                                error);
    return status;
}

static void describe(struct hf_calculation *calculation, const struct hf_options *options,
                     const struct hf_launch *launch)
{
    calculation->description = (struct hf_run_description){
        .input_path = calculation->input.path,
        .input_format = calculation->input.format,
        .method = hf_options_choice(options, "method"),
        .basis_requested = calculation->basis_requested,
        .molecule = &calculation->input.molecule,
        .basis = calculation->basis,
        .settings = &calculation->settings,
        .n_core = launch->n_core,
        .n_warning = calculation->input.n_warning,
        .warning = (const char *const *)calculation->input.warning,
        .report = calculation->report,
    };
}

hf_status hf_calculation_prepare(struct hf_context *context, struct hf_command *command,
                                 const struct hf_launch *launch, struct hf_calculation *calculation,
                                 struct hf_error *error)
{
    struct hf_options *options = &command->options;
    hf_status status = HF_OK;
    calculation->context = context;
    HF_TRY(hf_input_read(context, command->path, options, &calculation->input, error));
    calculation->json_path = hf_options_text(options, "json");
    if (calculation->json_path != NULL) {
        HF_TRY(hf_json_check_path(context, calculation->json_path, error));
        calculation->json_is_writable = true;
    }
    calculation->trace_path = hf_options_text(options, "trace");
    if (calculation->trace_path != NULL)
        HF_TRY(hf_trace_check_path(context, calculation->trace_path, error));
    status = follow_from_input(calculation, options, launch, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_basis_create(context, &calculation->input.molecule, calculation->n_choice,
                           calculation->choice, convention(options), &calculation->basis, error));
    status = hf_report_create(context, stdout, &calculation->report, error);
    HF_TRY(hf_agree(context->comm, status, error));
    make_settings(calculation, options);
    HF_TRY(
        hf_memory_for_integrals(context, options, &calculation->settings.fock.memory_bytes, error));
    calculation->grain_name = hf_options_choice(options, "grain");
    describe(calculation, options, launch);
    if (calculation->trace_path != NULL && command->action == HF_ACTION_RUN)
        HF_TRY(hf_trace_create(context, calculation->settings.fock.n_thread, &calculation->trace,
                               error));
cleanup:
    return status;
}

void hf_calculation_done(struct hf_calculation *calculation)
{
    hf_trace_destroy(&calculation->trace);
    hf_report_destroy(&calculation->report);
    hf_basis_destroy(&calculation->basis);
    hf_input_done(&calculation->input);
    free(calculation->basis_requested);
    free(calculation->choice);
    *calculation = (struct hf_calculation){0};
}
