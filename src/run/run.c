/* The front door: a whole calculation in one call. */
#include "hf/run.h"

#include "gradient/gradient.h"

#include "hf/interruption.h"
#include "run/calculation.h"

#include <stdlib.h>
#include <string.h>

/** What an outcome's parts hang on. */
struct hf_run_state {
    struct hf_context *context;
    struct hf_options options;
    struct hf_calculation calculation;
    struct hf_report *report;
};

/** Whether all ranks were given the same; other arguments than these need not be the same (`report`), or
 *  are pointers that are not (`observer`). Collective. */
static hf_status check_same(MPI_Comm comm, const struct hf_run_settings *settings,
                            struct hf_error *error)
{
    enum { MOLECULE, BASIS, SETTINGS, N_KIND };
    static const char *const name[] = {"the molecule", "the basis", "a setting"};
    static const char *const molecular[] = {"charge", "multiplicity"};
    uint64_t sum[N_KIND] = {HF_HASH_EMPTY, HF_HASH_EMPTY, HF_HASH_EMPTY};
    const bool atoms = settings->atomic_number != NULL && settings->position_bohr != NULL;
    const size_t n = atoms && settings->n_atom > 0 ? (size_t)settings->n_atom : 0;
    uint64_t molecule = hf_hash_add_text(sum[MOLECULE], settings->input_path);
    molecule = hf_hash_add(molecule, sizeof n, &n);
    molecule = hf_hash_add(molecule, n * sizeof *settings->atomic_number, settings->atomic_number);
    sum[MOLECULE] =
        hf_hash_add(molecule, n * sizeof *settings->position_bohr, settings->position_bohr);
    sum[SETTINGS] =
        hf_hash_add(sum[SETTINGS], sizeof settings->wavefunction, &settings->wavefunction);
    for (int i = 0; i < settings->n_key; i++) {
        const struct hf_run_key *key = &settings->key[i];
        int kind = SETTINGS;
        for (int k = 0; k < 2 && key->key != NULL; k++)
            if (strcmp(key->key, molecular[k]) == 0) kind = MOLECULE;
        if (key->key != NULL && strcmp(key->key, "basis") == 0) kind = BASIS;
        sum[kind] = hf_hash_add_text(hf_hash_add_text(sum[kind], key->key), key->value);
    }
    return hf_agree_on_same(comm, N_KIND, name, sum, error);
}

static bool has_key(const struct hf_run_settings *settings, const char *key)
{
    for (int i = 0; i < settings->n_key && settings->key != NULL; i++)
        if (settings->key[i].key != NULL && strcmp(settings->key[i].key, key) == 0) return true;
    return false;
}

static hf_status check_settings(const struct hf_run_settings *settings,
                                const struct hf_run_outcome *outcome, struct hf_error *error)
{
    if (outcome == NULL) return hf_fail(error, HF_BAD_INPUT, "there is no place for the outcome");
    if (settings == NULL) return hf_fail(error, HF_BAD_INPUT, "the settings are NULL");
    const bool atoms = settings->atomic_number != NULL && settings->position_bohr != NULL;
    if (settings->input_path == NULL && !atoms && !has_key(settings, "restart"))
        return hf_fail(error, HF_BAD_INPUT,
                       "nothing to compute: settings have neither an input file nor atoms");
    if (settings->input_path != NULL && settings->n_atom != 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "settings have an input file and atoms; expected one of them");
    if (settings->n_key < 0 || (settings->n_key > 0 && settings->key == NULL))
        return hf_fail(error, HF_BAD_INPUT, "settings announce %d keys and have none",
                       settings->n_key);
    return HF_OK;
}

/** Options and input. Collective. */
static hf_status read_input(struct hf_run_state *state, const struct hf_run_settings *settings,
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_error later;
    struct hf_input *input = &state->calculation.input;
    MPI_Comm comm = state->context->comm;
    hf_options_init(&state->options, hf_option_table());
    for (int i = 0; i < settings->n_key; i++) { /* a wrong key hides no "json" behind it */
        const hf_status added =
            hf_run_add_key(&state->options, settings->key[i].key, settings->key[i].value,
                           status == HF_OK ? error : &later);
        if (status == HF_OK) status = added;
    }
    HF_TRY(hf_agree(comm, status, error));
    if (settings->input_path != NULL)
        return hf_input_read(state->context, settings->input_path, &state->options, input, error);
    if (settings->n_atom == 0 && has_key(settings, "restart")) return HF_OK;
    status = hf_input_from_atoms(settings->n_atom, settings->atomic_number, settings->position_bohr,
                                 &state->options, input, error);
    HF_TRY(hf_agree(comm, status, error));
    HF_TRY(hf_input_read_point_charges(state->context, &state->options, input, error));
cleanup:
    return status;
}

/** What the outcome shows of its state. */
static void show(struct hf_run_outcome *outcome)
{
    const struct hf_calculation *calculation = &outcome->state->calculation;
    outcome->record = calculation->record;
    outcome->properties = hf_calculation_made(calculation, "properties");
    outcome->polarisability = hf_calculation_made(calculation, "polarisability");
    const struct hf_gradient *gradient = hf_calculation_made(calculation, "gradient");
    if (gradient != NULL) outcome->gradient = (const double(*)[3])gradient->atom;
    outcome->found = calculation->structure_found;
    outcome->molecule = calculation->description.molecule;
    outcome->basis = calculation->description.basis;
    outcome->n_warning = calculation->description.n_warning;
    outcome->warning = calculation->description.warning;
    outcome->stuck_in_mpi = outcome->state->context->stuck_in_mpi;
}

/** Writes the failure to the JSON file. If that fails too, only the first failure is reported. */
static void leave_failure(const struct hf_run_state *state, const struct hf_run_settings *settings,
                          hf_status status, const struct hf_error *error)
{
    if (state->context->rank != 0) return;
    const hf_status unwritten = hf_calculation_write_failure(
        &state->calculation, &state->options, settings->input_path, status, error, NULL);
    (void)unwritten;
}

static hf_status compute(struct hf_run_outcome *outcome, const struct hf_run_settings *settings,
                         struct hf_error *error)
{
    struct hf_run_state *state = outcome->state;
    struct hf_calculation *calculation = &state->calculation;
    hf_status status;
    hf_calculation_begin(calculation, state->context);
    HF_TRY(read_input(state, settings, error));
    HF_TRY(hf_calculation_take_restart(calculation, &state->options, error));
    calculation->no_files = true;
    for (int i = 0; i < 3; i++) {
        static const char *const keys[] = {"serve", "fragments", "extrapolation"};
        const struct hf_option_value *given = hf_options_given(&state->options, keys[i]);
        if (given != NULL && given->level >= HF_OPTION_FILE)
            HF_TRY(hf_fail(error, HF_BAD_INPUT, "%s: the program does that, not the library",
                           keys[i]));
    }
    HF_TRY(hf_calculation_prepare(calculation, &state->options, false, error));
    status = hf_report_create(state->context, settings->report, &state->report, error);
    HF_TRY(hf_agree(state->context->comm, status, error));
    calculation->settings.wavefunction = /* more, or less than properties */
        settings->wavefunction < calculation->needs ? settings->wavefunction : calculation->needs;
    hf_interruption_watch(state->context->interruption, settings->progress,
                          settings->progress_data);
    hf_record_add_listener(calculation->record, &settings->observer);
    HF_TRY(hf_calculation_run(calculation, state->report, &outcome->result, &outcome->wavefunction,
                              error));
    outcome->energy = hf_output_energy(&calculation->description, &outcome->result);
    show(outcome);
cleanup:
    if (status != HF_OK) leave_failure(state, settings, status, error);
    return status;
}

/** hf_run after checks of the caller, which gave `status` on this rank. */
static hf_status run(MPI_Comm comm, hf_status status, const struct hf_run_settings *settings,
                     struct hf_run_outcome *outcome, struct hf_error *error)
{
    struct hf_error own;
    if (outcome != NULL) *outcome = (struct hf_run_outcome){.state = NULL};
    const hf_status usable = hf_run_check_mpi(comm, status == HF_OK ? error : &own);
    if (usable != HF_OK) return usable;
    if (status == HF_OK) status = check_settings(settings, outcome, error);
    HF_TRY(hf_agree(comm, status, error));
    HF_TRY(check_same(comm, settings, error));
    outcome->state = calloc(1, sizeof *outcome->state);
    status = outcome->state != NULL ? HF_OK : hf_fail(error, HF_NO_RESOURCE, "out of memory");
    HF_TRY(hf_agree(comm, status, error));
    HF_TRY(hf_context_create(comm, &outcome->state->context, error));
    HF_TRY(compute(outcome, settings, error));
cleanup:
    if (status != HF_OK) hf_run_done(outcome);
    return status;
}

hf_status hf_run(MPI_Comm comm, const struct hf_run_settings *settings,
                 struct hf_run_outcome *outcome, struct hf_error *error)
{
    struct hf_error own;
    return run(comm, HF_OK, settings, outcome, error != NULL ? error : &own);
}

void hf_run_done(struct hf_run_outcome *outcome)
{
    if (outcome == NULL) return;
    struct hf_run_state *state = outcome->state;
    bool stuck_in_mpi = outcome->stuck_in_mpi;
    if (state != NULL) {
        if (state->context != NULL) stuck_in_mpi = state->context->stuck_in_mpi;
        hf_wavefunction_done(&outcome->wavefunction);
        hf_report_destroy(&state->report);
        hf_calculation_done(&state->calculation);
        hf_options_done(&state->options);
        hf_context_destroy(&state->context);
        free(state);
    }
    *outcome = (struct hf_run_outcome){.stuck_in_mpi = stuck_in_mpi};
}

hf_status hf_energy(MPI_Comm comm, int n_atom, const int atomic_number[],
                    const double position_bohr[][3], int charge, int multiplicity,
                    const char *basis, double *energy, struct hf_error *error)
{
    char charge_text[16], multiplicity_text[16];
    snprintf(charge_text, sizeof charge_text, "%d", charge);
    snprintf(multiplicity_text, sizeof multiplicity_text, "%d", multiplicity);
    const struct hf_run_key key[] = {
        {"charge", charge_text}, {"multiplicity", multiplicity_text}, {"basis", basis}};
    const struct hf_run_settings settings = {
        .n_atom = n_atom,
        .atomic_number = atomic_number,
        .position_bohr = position_bohr,
        .n_key = sizeof key / sizeof *key,
        .key = key,
        .wavefunction = HF_WAVEFUNCTION_ENERGIES,
    };
    struct hf_run_outcome outcome;
    struct hf_error own;
    hf_status status = HF_OK;
    if (error == NULL) error = &own;
    if (energy == NULL) status = hf_fail(error, HF_BAD_INPUT, "there is no place for the energy");
    status = run(comm, status, &settings, &outcome, error);
    if (status != HF_OK) return status;
    if (outcome.result.converged)
        *energy = outcome.energy;
    else
        status = hf_fail(error, HF_NOT_CONVERGED, "the energy did not converge in %d iterations",
                         outcome.result.n_iteration);
    hf_run_done(&outcome);
    return status;
}
