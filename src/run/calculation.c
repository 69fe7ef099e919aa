/* From options to a calculation: basis choices, settings, description; and its results. */
#include "run/calculation.h"

#include "calculation_private.h"
#include "hamiltonian/hamiltonian.h"
#include "pairs/common_pairs.h"
#include "text/output_file.h"

#include <string.h>

/** Warns of a basis set for an element that the molecule lacks: a mistake, or a script for several
 *  molecules. */
static hf_status note_absent_element(struct hf_input *input, const struct hf_basis_choice *choice,
                                     struct hf_error *error)
{
    const struct hf_molecule *molecule = &input->molecule;
    if (choice->atomic_number == 0) return HF_OK;
    for (int i = 0; i < molecule->n_atom; i++)
        if (molecule->atom[i].atomic_number == choice->atomic_number) return HF_OK;
    return hf_input_warn(input, error, "%s: basis %s is for %s, of which the molecule has none",
                         choice->where, choice->name, hf_element_symbol(choice->atomic_number));
}

/** Tells of a default method or basis set. */
static hf_status note_defaults(struct hf_calculation *calculation, struct hf_error *error)
{
    const bool method = hf_options_given(calculation->options, "method") != NULL;
    const bool basis = strcmp(calculation->choice[0].where, "default") != 0;
    struct hf_input *input = &calculation->input;
    if (hf_restart_has_basis(calculation)) return HF_OK;
    if (!method && !basis)
        return hf_input_note(input, error,
                             "neither method nor basis was given: %s/%s is the default",
                             input->molecule.multiplicity == 1 ? "RHF" : "UHF", hf_default_basis);
    if (!basis)
        return hf_input_note(input, error, "no basis was given%s: %s is the default",
                             calculation->n_choice > 1 ? " for the other atoms" : "",
                             hf_default_basis);
    return HF_OK;
}

/** Says which options the command line has twice with different values: the last one counts, so that
 *  a script can be given another value behind its own. */
static hf_status note_repetitions(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_options *options = calculation->options;
    const struct hf_option *option;
    for (int k = 0; (option = hf_option_row(options->table, k)) != NULL; k++) {
        const struct hf_option_value *last = hf_options_given(options, option->key), *other = NULL;
        for (int i = 0; i < options->n_value && !option->repeatable; i++) {
            const struct hf_option_value *value = &options->value[i];
            if (value->option == option && value->level == HF_OPTION_COMMAND_LINE &&
                strcmp(value->text, last->text) != 0)
                other = value;
        }
        if (other == NULL) continue;
        HF_CHECK(hf_input_warn(&calculation->input, error,
                               "%s: '%s' was given before; the last one, '%s', counts", last->where,
                               other->text, last->text));
    }
    return HF_OK;
}

static void make_settings(struct hf_calculation *calculation)
{
    const struct hf_options *options = calculation->options;
    struct hf_scf_settings *settings = &calculation->settings;
    struct hf_fock_settings *fock = &settings->fock;
    *settings = hf_scf_defaults();
    hf_options_fill_settings(options, settings);
    settings->method = hf_run_reference(options, &calculation->input.molecule);
    fock->store_threshold = settings->screening_threshold;
    fock->schedule.asked_for = hf_options_given(options, "schedule") != NULL;
    fock->onesided.skip_self_test = hf_options_given(options, "onesided_test") != NULL &&
                                    fock->onesided.self_test_seconds == 0.0;
    *fock = hf_fock_settings_in_use(fock);
}

/** Whether the method can do the molecule, with the electrons that its cores leave as far as they are
 *  known; says where the multiplicity comes from, or the charge that leaves none. */
static hf_status check_method(const struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_options *options = calculation->options;
    struct hf_error reason;
    char advice[400] = "";
    const bool correlated = hf_run_is_correlated(options);
    const struct hf_molecule *molecule = &calculation->input.molecule;
    const struct hf_option_value *given =
        hf_options_given(options, hf_molecule_n_electron(molecule) > 0 ? "multiplicity" : "charge");
    const hf_status status =
        hf_method_check(hf_run_reference(options, molecule), molecule, &reason);
    if (status == HF_OK) return HF_OK;
    /* one electron more or less pairs all of them only where they are odd */
    if (hf_molecule_n_electron(molecule) % 2 != 0)
        hf_input_advise_charge(options, molecule, advice, sizeof advice);
    else if (correlated && molecule->multiplicity > 1)
        snprintf(advice, sizeof advice, "; expected method ump2 (there is no MP2 of rohf)");
    return hf_fail(error, status, "%s: %.400s%s",
                   given != NULL ? given->where : calculation->input.path, reason.message, advice);
}

/** Checks that options for the occupation of orbitals are allowed with the other settings. */
static hf_status check_occupation(const struct hf_calculation *calculation, struct hf_error *error)
{
    struct hf_error reason;
    const char *key;
    const hf_status status = hf_scf_settings_check(&calculation->settings, &key, &reason);
    if (status == HF_OK) return HF_OK;
    return hf_fail(error, status, "%s: %.400s", hf_options_given(calculation->options, key)->where,
                   reason.message);
}

/** Checks that the options given are allowed together with `reproducible`. */
static hf_status check_reproducible(const struct hf_options *options, struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(options, "coulomb");
    if (!hf_options_flag(options, "reproducible") || given == NULL) return HF_OK;
    const int coulomb = hf_options_value(options, "coulomb");
    if (coulomb == HF_COULOMB_EXACT || coulomb == HF_COULOMB_AUTO) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "%s: reproducible sums are made with coulomb exact only; '%s' was given",
                   given->where, given->text);
}

/** Everything after the input file that this rank does alone. */
static hf_status follow_from_input(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_options *options = calculation->options;
    hf_status status = hf_options_check_effect(options, error);
    if (status == HF_OK && hf_options_flag(options, "each"))
        status = hf_fail(error, HF_BAD_INPUT,
                         "%s: each: only the command line of hf asks for many molecules",
                         hf_options_given(options, "each")->where);
    if (status == HF_OK) status = check_reproducible(options, error);
    if (status == HF_OK) status = check_method(calculation, error);
    if (status == HF_OK) status = hf_choose_basis(calculation, error);
    if (status == HF_OK) status = note_repetitions(calculation, error);
    if (status == HF_OK) status = note_defaults(calculation, error);
    for (int i = 0; i < calculation->n_choice && status == HF_OK; i++)
        status = note_absent_element(&calculation->input, &calculation->choice[i], error);
    if (status == HF_OK)
        status = hf_record_create(calculation->context, &calculation->record, error);
    return status;
}

void hf_calculation_describe_warnings(struct hf_calculation *calculation)
{
    calculation->description.n_warning = calculation->input.n_warning;
    calculation->description.warning = (const char *const *)calculation->input.warning;
    calculation->description.n_note = calculation->input.n_note;
    calculation->description.note = (const char *const *)calculation->input.note;
}

static void describe(struct hf_calculation *calculation)
{
    const struct hf_options *options = calculation->options;
    calculation->description = (struct hf_run_description){
        .input_path = calculation->input.path,
        .input_format = calculation->input.format,
        .request = &calculation->input.request,
        .method = hf_run_method(options, &calculation->input.molecule),
        .basis_requested = calculation->basis_requested,
        .molecule = &calculation->input.molecule,
        .basis = calculation->basis,
        .settings = &calculation->settings,
        .options = options,
        .need = &calculation->need,
        .task = calculation->task,
        .structure_found = &calculation->structure_found,
        .tasks =
            hf_options_given(options, "task") != NULL ? hf_options_text(options, "task") : NULL,
        .n_quantity = calculation->n_quantity,
        .quantity = calculation->quantity,
        .all_orbitals = hf_options_value(options, "orbitals") == HF_ORBITALS_ALL,
        .json_orbitals = hf_options_flag(options, "json_orbitals"),
    };
    hf_calculation_describe_warnings(calculation);
}

void hf_calculation_begin(struct hf_calculation *calculation, struct hf_context *context)
{
    struct hf_timers *timers = &context->timers;
    calculation->context = context;
    calculation->arena.label = "a calculation";
    calculation->began_seconds = hf_wall_seconds();
    hf_timers_declare(timers, &hf_phase_total);
    hf_scf_declare_phases(timers);
    hf_timer_start(timers, &hf_phase_total);
    hf_timer_start(timers, &hf_phase_setup);
}

/** The basis that the options name, or that of the checkpoint; with one, it must be its own. */
static hf_status make_basis(struct hf_calculation *calculation, struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = calculation->context;
    if (hf_restart_has_basis(calculation))
        status = hf_agree(context->comm, hf_restart_make_basis(calculation, error), error);
    else
        status = hf_basis_create(
            context, &calculation->input.molecule, calculation->n_choice, calculation->choice,
            hf_options_value(calculation->options, "functions"), &calculation->basis, error);
    if (status != HF_OK) return status;
    hf_basis_set_cores(calculation->basis, &calculation->input.molecule);
    status = hf_restart_check(calculation, error);
    if (status == HF_OK) status = check_method(calculation, error);
    return hf_agree(context->comm, status, error);
}

hf_status hf_calculation_make_basis(struct hf_calculation *calculation,
                                    const struct hf_options *options, struct hf_error *error)
{
    calculation->options = options;
    HF_CHECK(hf_agree(calculation->context->comm, hf_choose_basis(calculation, error), error));
    return make_basis(calculation, error);
}

hf_status hf_calculation_prepare(struct hf_calculation *calculation,
                                 const struct hf_options *options, bool rehearsal,
                                 struct hf_error *error)
{
    struct hf_context *context = calculation->context;
    calculation->options = options;
    calculation->json_path = hf_options_text(options, "json");
    calculation->trace_path = hf_options_text(options, "trace");
    HF_CHECK(hf_agree(context->comm, hf_guess_file_name(calculation, error), error));
    HF_CHECK(hf_calculation_limit_time(calculation, error));
    HF_CHECK(hf_agree(context->comm, follow_from_input(calculation, error), error));
    HF_CHECK(make_basis(calculation, error));
    make_settings(calculation);
    HF_CHECK(hf_agree(context->comm, hf_quantities_plan(calculation, error), error));
    HF_CHECK(hf_calculation_make_pairs(calculation, error));
    hf_timers_declare(&context->timers, &hf_phase_output);
    HF_CHECK(hf_calculation_try_files(calculation, error));
    HF_CHECK(check_occupation(calculation, error));
    HF_CHECK(hf_agree(context->comm, hf_restart_settle(calculation, error), error));
    HF_CHECK(hf_guess_file_open(calculation, error));
    HF_CHECK(hf_memory_foresee(calculation, error));
    if (calculation->refusal.message[0] != '\0' && !rehearsal)
        return hf_fail(error, HF_NO_RESOURCE, "%s", calculation->refusal.message);
    describe(calculation);
    calculation->description.nuclear_repulsion =
        hf_nuclear_energy_of(context, calculation->description.molecule, &hf_term_nuclei);
    if (!rehearsal) HF_CHECK(hf_checkpointer_create(calculation, error));
    if (calculation->trace_path != NULL && !rehearsal)
        HF_CHECK(hf_trace_create(context, calculation->settings.fock.n_thread, &calculation->trace,
                                 error));
    hf_timer_stop(&context->timers, &hf_phase_setup);
    return HF_OK;
}

hf_status hf_calculation_run(struct hf_calculation *calculation, struct hf_report *report,
                             struct hf_scf_result *result, struct hf_wavefunction *wavefunction,
                             struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_run_description *run = &calculation->description;
    struct hf_context *context = calculation->context;
    struct hf_record *record = calculation->record;
    const struct hf_scf_observer observer = hf_record_observer(record),
                                 reporter = hf_report_observer(report);
    hf_record_add_listener(record, &reporter);
    hf_report_header(report, run, record);
    calculation->settings.keeper = hf_checkpointer_keeper(calculation->checkpointer, report);
    HF_TRY(hf_scf_run(context, run->molecule, run->basis, run->settings, &observer, result,
                      wavefunction, error));
    calculation->converged = result->converged;
    calculation->source.result = result;
    calculation->source.wavefunction = wavefunction;
    calculation->source.report = report;
    HF_TRY(hf_calculation_optimise(calculation, result, wavefunction, error));
    calculation->converged = result->converged;
    hf_report_result(report, run, result, wavefunction);
    hf_checkpointer_tell(calculation->checkpointer, report);
    HF_TRY(hf_quantities_compute(calculation, error));
    hf_timer_start(&context->timers, &hf_phase_output);
    hf_record_measure(record);
    status = hf_calculation_write_files(calculation, error);
    hf_timer_stop(&context->timers, &hf_phase_output);
    hf_record_measure(record);
    hf_report_timings(report, run, record, result);
cleanup:
    hf_quantities_release(calculation);
    hf_common_pairs_drop(calculation->pairs);
    if (status == HF_INTERRUPTED && error != NULL) {
        hf_calculation_explain_end(calculation, error);
        hf_report_interrupted(report, error->message);
    }
    return status;
}

void hf_calculation_done(struct hf_calculation *calculation)
{
    hf_output_files_let_go(calculation->context);
    hf_trace_destroy(&calculation->trace);
    if (calculation->restart != NULL) hf_checkpoint_done(calculation->restart);
    hf_guess_file_close(&calculation->guess_file);
    hf_record_destroy(&calculation->record);
    hf_quantities_done(calculation);
    hf_common_pairs_destroy(&calculation->pairs);
    hf_basis_destroy(&calculation->basis);
    hf_input_done(&calculation->input);
    hf_arena_done(&calculation->arena);
    *calculation = (struct hf_calculation){0};
}

hf_status hf_run_check_mpi(MPI_Comm comm, struct hf_error *error)
{
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (finalised) return hf_fail(error, HF_BAD_INPUT, "MPI has been finalised");
    if (!initialised)
        return hf_fail(error, HF_BAD_INPUT,
                       "MPI is not initialised; call MPI_Init_thread with MPI_THREAD_MULTIPLE "
                       "before hf");
    if (comm == MPI_COMM_NULL) return hf_fail(error, HF_BAD_INPUT, "the communicator is null");
    return HF_OK;
}

hf_status hf_run_add_key(struct hf_options *options, const char *key, const char *value,
                         struct hf_error *error)
{
    if (key == NULL || value == NULL)
        return hf_fail(error, HF_BAD_INPUT, "a key of the settings or its value is NULL");
    const struct hf_word name = hf_word_of(key);
    const struct hf_word text = hf_rest_of_line(value);
    const struct hf_option *option = hf_option_find(options->table, name);
    if (option != NULL)
        return hf_options_add(options, option, text, HF_OPTION_COMMAND_LINE, option->key, error);
    const char *nearest = hf_option_nearest(options->table, name);
    return hf_fail(error, HF_BAD_INPUT, "unknown key '%.80s'%s%s", key,
                   HF_DID_YOU_MEAN(nearest, ""));
}
