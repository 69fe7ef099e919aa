/* A run as a QCSchema AtomicResult, or one that failed as a FailedOperation; what the schema has no
 * key for goes under extras.hf. */
#include "output/output.h"

#include "output_private.h"

#include <string.h>

/** What counts of an option, the default included; nothing of one that has neither. */
static bool add_value(cJSON *object, const struct hf_options *options,
                      const struct hf_option *option)
{
    const char *key = option->key;
    if (option->type == HF_OPTION_FLAG)
        return cJSON_AddBoolToObject(object, key, hf_options_flag(options, key)) != NULL;
    if (hf_options_text(options, key) == NULL) return true;
    if (option->type == HF_OPTION_INTEGER || option->type == HF_OPTION_REAL)
        return hf_json_add_double(object, key, hf_options_real(options, key));
    return hf_json_add_text(object, key,
                            option->type == HF_OPTION_CHOICE ? hf_options_choice(options, key)
                                                             : hf_options_text(options, key));
}

/** How it was computed, under the keys that the native input and the command line have. The method is in
 *  the model, the last task in the driver; the default of the commutator tolerance depends on it. */
static bool add_settings(cJSON *parent, const char *name, const struct hf_run_description *run)
{
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    const struct hf_options *options = run->options;
    bool ok = object != NULL;
    const struct hf_option *option;
    for (int i = 0; ok && (option = hf_option_row(options->table, i)) != NULL; i++) {
        const bool guess = strcmp(option->key, "guess") == 0; /* which checkpoints do not keep */
        const bool below = strcmp(option->key, "method") == 0 ||
                           strcmp(option->key, "commutator_tolerance") == 0 ||
                           strcmp(option->key, "units") == 0 || /* of the input; here are bohr */
                           (strcmp(option->key, "task") == 0 && strcmp(name, "keywords") == 0);
        if (guess || (hf_option_is_kept(option) && !below)) ok = add_value(object, options, option);
    }
    return ok &&
           hf_json_add_double(object, "commutator_tolerance",
                              run->settings->commutator_tolerance) &&
           hf_json_add_double(object, "memory_bytes", run->settings->fock.memory_bytes);
}

/** Readers of the schema drop a wave function that the protocol does not ask for. */
static bool add_protocols(cJSON *root, const struct hf_run_description *run)
{
    cJSON *object = cJSON_AddObjectToObject(root, "protocols");
    return object != NULL &&
           (!run->json_orbitals || hf_json_add_text(object, "wavefunction", "all"));
}

/** The keys of what acts on the molecule from outside, as settings have theirs. */
static bool add_environment_keys(cJSON *object, const struct hf_molecule *molecule)
{
    return hf_json_add_doubles(object, "field", 3, molecule->environment.field) &&
           hf_json_add_integer(object, "point_charges", molecule->environment.n_charge);
}

/** The same in full: charges as [charge, x, y, z] in bohr, for which the schema has no key. */
static bool add_environment(cJSON *extras, const struct hf_molecule *molecule)
{
    const struct hf_environment *environment = &molecule->environment;
    cJSON *object = cJSON_AddObjectToObject(extras, "environment");
    bool ok =
        object != NULL && hf_json_add_doubles(object, "field", 3, molecule->environment.field);
    cJSON *list = cJSON_AddArrayToObject(object, "point_charges");
    for (int i = 0; ok && i < environment->n_charge; i++) {
        const struct hf_point_charge *charge = &environment->charge[i];
        cJSON *row = cJSON_CreateArray();
        ok = cJSON_AddItemToArray(list, row) && hf_json_append_double(row, charge->charge);
        for (int k = 0; ok && k < 3; k++) ok = hf_json_append_double(row, charge->position_bohr[k]);
    }
    return ok && list != NULL;
}

static bool add_input(cJSON *root, const struct hf_run_description *run)
{
    cJSON *model = cJSON_AddObjectToObject(root, "model");
    return hf_json_add_molecule(root, run->molecule) &&
           hf_json_add_text(root, "driver", run->task->driver) && model != NULL &&
           hf_json_add_text(model, "method", run->method) &&
           hf_json_add_text(model, "basis", run->basis->name) &&
           add_settings(root, "keywords", run) &&
           add_environment_keys(cJSON_GetObjectItem(root, "keywords"), run->molecule) &&
           add_protocols(root, run);
}

static bool add_properties(cJSON *object, const struct hf_run_description *run,
                           const struct hf_scf_result *result)
{
    return object != NULL && hf_json_add_integer(object, "calcinfo_nbasis", result->n_function) &&
           hf_json_add_integer(object, "calcinfo_nmo", result->n_orbital) &&
           hf_json_add_integer(object, "calcinfo_nalpha", result->n_occupied[0]) &&
           hf_json_add_integer(object, "calcinfo_nbeta", result->n_occupied[1]) &&
           hf_json_add_integer(object, "calcinfo_natom", run->molecule->n_atom) &&
           hf_json_add_double(object, "nuclear_repulsion_energy", result->nuclear_repulsion) &&
           hf_json_add_double(object, "return_energy", hf_output_energy(run, result)) &&
           hf_json_add_double(object, "scf_one_electron_energy", result->one_electron) &&
           hf_json_add_double(object, "scf_two_electron_energy", result->two_electron) &&
           hf_json_add_double(object, "scf_total_energy", result->energy) &&
           hf_json_add_doubles(object, "scf_dipole_moment", 3, result->dipole) &&
           hf_json_add_integer(object, "scf_iterations", result->n_iteration);
}

/** The terms of the Hamiltonian: what electrons and nuclei have of each. */
static bool add_terms(cJSON *parts, const struct hf_scf_result *result)
{
    cJSON *list = cJSON_AddArrayToObject(parts, "terms");
    bool ok = list != NULL;
    for (int i = 0; ok && i < result->n_term; i++) {
        const struct hf_energy_term *term = &result->term[i];
        cJSON *object = hf_json_append_object(list);
        ok = object != NULL && hf_json_add_text(object, "name", term->name) &&
             hf_json_add_double(object, "electrons", term->electrons) &&
             hf_json_add_double(object, "nuclei", term->nuclei);
    }
    return ok;
}

static bool add_energies(cJSON *extras, const struct hf_scf_result *result)
{
    cJSON *object = cJSON_AddObjectToObject(extras, "energy_parts");
    return object != NULL &&
           hf_json_add_double(
               object, "kinetic",
               hf_electrons_of_term(result->n_term, result->term, &hf_term_kinetic)) &&
           hf_json_add_double(
               object, "nuclear_attraction",
               hf_electrons_of_term(result->n_term, result->term, &hf_term_nuclei)) &&
           hf_json_add_double(object, "coulomb", result->coulomb) &&
           hf_json_add_double(object, "exchange", result->exchange) && add_terms(object, result) &&
           hf_json_add_double(object, "virial_ratio", hf_output_virial_ratio(result));
}

static bool add_iterations(cJSON *extras, const struct hf_record *record)
{
    cJSON *list = cJSON_AddArrayToObject(extras, "iterations");
    bool ok = list != NULL;
    for (int i = 0; ok && i < record->n_iteration; i++) {
        const struct hf_scf_iteration *iteration = &record->iteration[i];
        cJSON *object = hf_json_append_object(list);
        ok =
            object != NULL && hf_json_add_integer(object, "number", iteration->number) &&
            hf_json_add_text(object, "step", iteration->step) &&
            hf_json_add_double(object, "energy", iteration->energy) &&
            hf_json_add_double(object, "energy_change", iteration->energy_change) &&
            hf_json_add_double(object, "commutator", iteration->commutator) &&
            hf_json_add_double(object, "seconds", iteration->seconds) &&
            hf_json_add_double(object, "screening_threshold", iteration->threshold) &&
            hf_json_add_double(object, "percent_computed", iteration->percent_computed) &&
            hf_json_add_integer(object, "quartets_computed", iteration->build.n_quartet_computed) &&
            hf_json_add_integer(object, "quartets_single", iteration->build.n_quartet_single);
    }
    return ok;
}

/** Energies and occupations of a set: of both spins, or of alpha's; with `suffix` "_beta" of beta's. */
static bool add_orbitals(cJSON *object, const char *suffix, const struct hf_orbitals *orbitals)
{
    char energies[40], occupations[40];
    snprintf(energies, sizeof energies, "orbital_energies%s", suffix);
    snprintf(occupations, sizeof occupations, "orbital_occupations%s", suffix);
    return hf_json_add_doubles(object, energies, orbitals->n_orbital, orbitals->energy) &&
           hf_json_add_doubles(object, occupations, orbitals->n_orbital, orbitals->occupation);
}

static bool add_scf(cJSON *extras, const struct hf_record *record,
                    const struct hf_scf_result *result, const struct hf_wavefunction *wavefunction)
{
    cJSON *object = cJSON_AddObjectToObject(extras, "scf");
    return object != NULL &&
           cJSON_AddBoolToObject(object, "converged", result->converged) != NULL &&
           hf_json_add_double(object, "energy_change", result->energy_change) &&
           hf_json_add_double(object, "energy_error_estimate", result->energy_error) &&
           hf_json_add_double(object, "commutator", result->commutator) &&
           hf_json_add_double(object, "guess_energy", result->guess_energy) &&
           hf_json_add_double(object, "smearing_entropy_term", result->smearing_entropy_term) &&
           hf_json_add_double(object, "free_energy",
                              result->energy + result->smearing_entropy_term) &&
           hf_json_add_double(object, "spin_squared", result->spin_squared) &&
           hf_json_add_double(object, "ideal_spin_squared", result->ideal_spin_squared) &&
           hf_json_add_integer(object, "functions_removed", result->n_removed) &&
           hf_json_add_double(object, "smallest_overlap_eigenvalue",
                              result->smallest_overlap_eigenvalue) &&
           hf_json_add_text(object, "linear_algebra", record->linalg) &&
           add_orbitals(object, "", &wavefunction->spin[0]) &&
           (wavefunction->n_spin == 1 || add_orbitals(object, "_beta", &wavefunction->spin[1]));
}

/** Electrons in the core potential of each atom; only where there are some. */
static bool add_cores(cJSON *basis, const struct hf_molecule *molecule)
{
    if (hf_molecule_n_core(molecule) == 0) return true;
    cJSON *list = cJSON_AddArrayToObject(basis, "core_electrons");
    bool ok = list != NULL;
    for (int i = 0; ok && i < molecule->n_atom; i++)
        ok = hf_json_append_double(list, molecule->atom[i].n_core);
    return ok;
}

static bool add_basis(cJSON *extras, const struct hf_run_description *run)
{
    const struct hf_basis *basis = run->basis;
    double shells[HF_MAX_L + 1];
    hf_count_shells(basis, shells);
    cJSON *object = cJSON_AddObjectToObject(extras, "basis");
    return object != NULL && hf_json_add_text(object, "name", basis->name) &&
           hf_json_add_text(object, "requested", run->basis_requested) &&
           hf_json_add_integer(object, "shells", basis->n_shell) &&
           hf_json_add_doubles(object, "shells_by_angular_momentum", HF_MAX_L + 1, shells) &&
           hf_json_add_integer(object, "functions", basis->n_function) &&
           hf_json_add_integer(object, "primitives", basis->n_primitive) &&
           hf_json_add_text(object, "convention", hf_basis_convention_name(basis)) &&
           hf_json_add_text(object, "literature", basis->citation) &&
           add_cores(object, run->molecule);
}

/** An array of lines; NULL: out of memory. */
static cJSON *add_lines(cJSON *extras, const char *name, int n, const char *const *line)
{
    cJSON *array = cJSON_AddArrayToObject(extras, name);
    bool ok = array != NULL;
    for (int i = 0; ok && i < n; i++) ok = hf_json_append_text(array, line[i]);
    return ok ? array : NULL;
}

static bool add_launch(cJSON *extras, const struct hf_run_description *run,
                       const struct hf_record *record)
{
    const struct hf_library_versions *versions = &record->versions;
    cJSON *object = cJSON_AddObjectToObject(extras, "launch");
    cJSON *warnings = add_lines(extras, "warnings", run->n_warning, run->warning);
    bool ok = object != NULL && warnings != NULL &&
              add_lines(extras, "notes", run->n_note, run->note) != NULL &&
              hf_json_add_integer(object, "ranks", record->context->n_rank) &&
              hf_json_add_integer(object, "hosts", run->n_node) &&
              hf_json_add_integer(object, "cores_on_node", run->n_core) &&
              hf_json_add_integer(object, "numa_domains", run->n_numa) &&
              hf_json_add_text(object, "mpi_library", versions->mpi_found) &&
              hf_json_add_text(object, "mpi_built_with", versions->mpi_built) &&
              hf_json_add_text(object, "libint", versions->libint) &&
              hf_json_add_text(object, "blas", versions->blas) &&
              hf_json_add_text(object, "scalapack", versions->scalapack) &&
              hf_json_add_text(object, "hdf5", versions->hdf5) &&
              hf_json_add_text(object, "build_remark", record->build_remark) &&
              hf_json_add_text(object, "input_path", run->input_path) &&
              hf_json_add_text(object, "input_format", run->input_format);
    if (ok && record->note[0] != '\0') ok = hf_json_append_text(warnings, record->note);
    return ok;
}

static bool add_statistic(cJSON *object, const struct hf_statistic *statistic)
{
    return object != NULL && hf_json_add_double(object, "min", statistic->min) &&
           hf_json_add_double(object, "mean", statistic->mean) &&
           hf_json_add_double(object, "max", statistic->max) &&
           hf_json_add_integer(object, "min_rank", statistic->min_rank) &&
           hf_json_add_integer(object, "max_rank", statistic->max_rank);
}

static bool add_timings(cJSON *extras, const struct hf_run_statistics *statistics)
{
    cJSON *list = cJSON_AddArrayToObject(extras, "timings_seconds");
    bool ok = list != NULL;
    for (int i = 0; ok && i < statistics->n_phase; i++) {
        cJSON *object = hf_json_append_object(list);
        ok = object != NULL && hf_json_add_text(object, "phase", statistics->phase[i].name) &&
             add_statistic(object, &statistics->phase[i].seconds);
    }
    return ok;
}

static bool add_memory(cJSON *extras, const struct hf_run_statistics *statistics)
{
    cJSON *object = cJSON_AddObjectToObject(extras, "memory_bytes");
    return object != NULL &&
           add_statistic(cJSON_AddObjectToObject(object, "tracked_peak"),
                         &statistics->tracked_bytes) &&
           add_statistic(cJSON_AddObjectToObject(object, "matrix_peak"),
                         &statistics->matrix_bytes) &&
           add_statistic(cJSON_AddObjectToObject(object, "shell_pair_peak"),
                         &statistics->pair_bytes) &&
           add_statistic(cJSON_AddObjectToObject(object, "stored_peak"),
                         &statistics->stored_bytes) &&
           add_statistic(cJSON_AddObjectToObject(object, "largest_block"),
                         &statistics->largest_bytes) &&
           hf_json_add_text(object, "largest_block_label", statistics->largest_label) &&
           add_statistic(cJSON_AddObjectToObject(object, "resident_peak"),
                         &statistics->resident_bytes);
}

/** What was expected before anything was made. */
static bool add_need(cJSON *extras, const struct hf_memory_need *need)
{
    cJSON *object = cJSON_AddObjectToObject(extras, "memory_expected_bytes");
    return object != NULL && hf_json_add_double(object, "rank", need->rank) &&
           hf_json_add_double(object, "node", need->node) &&
           hf_json_add_double(object, "program", need->program) &&
           hf_json_add_double(object, "matrices", need->matrices) &&
           hf_json_add_double(object, "shell_pairs", need->pairs) &&
           hf_json_add_double(object, "threads", need->threads) &&
           hf_json_add_double(object, "stored", need->stored) &&
           hf_json_add_double(object, "after_scf", need->after);
}

/** What only distributed matrices have. */
static bool add_blocks(cJSON *fock, const struct hf_fock_account *account)
{
    const struct hf_block_counts *blocks = &account->blocks;
    cJSON *object = cJSON_AddObjectToObject(fock, "density_blocks");
    return object != NULL && hf_json_add_text(fock, "onesided_transport", account->transport) &&
           hf_json_add_integer(object, "asked", blocks->n_asked) &&
           hf_json_add_integer(object, "cached", blocks->n_cached) &&
           hf_json_add_integer(object, "own", blocks->n_own) &&
           hf_json_add_integer(fock, "sums_sent", blocks->n_sent);
}

/** Why so many integrals are stored, if it was weighed. */
static bool add_outlook(cJSON *fock, const struct hf_store_outlook *outlook)
{
    if (outlook->n_build == 0) return true;
    cJSON *object = cJSON_AddObjectToObject(fock, "choice_of_stored_integrals");
    return object != NULL && hf_json_add_double(object, "bytes", outlook->bytes) &&
           hf_json_add_double(object, "seconds_to_store", outlook->store_seconds) &&
           hf_json_add_double(object, "seconds_saved", outlook->saved_seconds) &&
           hf_json_add_integer(object, "builds_to_come", outlook->n_build);
}

static bool add_fock(cJSON *extras, const struct hf_scf_result *result)
{
    const struct hf_fock_account *account = &result->last_build;
    cJSON *object = cJSON_AddObjectToObject(extras, "fock");
    return object != NULL && hf_json_add_double(object, "imbalance", result->imbalance) &&
           hf_json_add_integer(object, "hessian_products", result->n_hessian_product) &&
           hf_json_add_integer(object, "trial_builds", result->n_trial_build) &&
           hf_json_add_integer(object, "orbital_rotations", result->n_rotation) &&
           hf_json_add_integer(object, "orbital_rotations_given_up", result->n_given_up) &&
           hf_json_add_integer(object, "orbital_sweeps", result->n_sweep) &&
           hf_json_add_integer(object, "quartets_total", account->n_quartet_total) &&
           hf_json_add_integer(object, "quartets_computed", account->n_quartet_computed) &&
           hf_json_add_integer(object, "quartets_single", account->n_quartet_single) &&
           hf_json_add_integer(object, "product_pairs", account->n_product_pair) &&
           cJSON_AddBoolToObject(object, "coulomb_apart", account->coulomb_apart) != NULL &&
           hf_json_add_integer(object, "quartets_read", account->n_quartet_read) &&
           hf_json_add_double(object, "stored_bytes", account->stored_bytes) &&
           hf_json_add_double(object, "stored_share_of_cost", account->stored_share) &&
           add_outlook(object, &account->outlook) &&
           (account->exact_range == 0.0 ||
            hf_json_add_double(object, "range_of_sums", account->exact_range)) &&
           hf_json_add_integer(object, "tasks", account->n_task) &&
           hf_json_add_text(object, "scheduler", account->scheduler) &&
           (account->transport == NULL || add_blocks(object, account)) &&
           add_statistic(cJSON_AddObjectToObject(object, "busy_seconds_last_build"),
                         &account->busy_seconds);
}

/** Eigenvalues of one kind of rotation. */
static bool add_roots(cJSON *parent, const char *name, const struct hf_stability_roots *roots)
{
    if (!roots->analysed) return true;
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    return object != NULL && cJSON_AddBoolToObject(object, "stable", roots->stable) != NULL &&
           cJSON_AddBoolToObject(object, "converged", roots->converged) != NULL &&
           hf_json_add_integer(object, "zero_eigenvalues", roots->n_zero) &&
           hf_json_add_doubles(object, "eigenvalues", roots->n, roots->eigenvalue);
}

static bool add_stability(cJSON *extras, const struct hf_stability_result *stability)
{
    const int n_analysed = stability->n_follow + (stability->internal.analysed ? 1 : 0);
    if (n_analysed == 0) return true;
    cJSON *object = cJSON_AddObjectToObject(extras, "stability");
    return object != NULL && add_roots(object, "internal", &stability->internal) &&
           add_roots(object, "external", &stability->external) &&
           hf_json_add_double(object, "zero_below", stability->zero) &&
           hf_json_add_integer(object, "followed", stability->n_follow) &&
           hf_json_add_doubles(object, "energies", n_analysed, stability->energy);
}

/** What a document is written from. */
struct sources {
    const struct hf_run_description *run;
    const struct hf_record *record;
    const struct hf_scf_result *result;
    const struct hf_wavefunction *wavefunction;
};

static bool add_extras(cJSON *extras, const struct sources *from)
{
    const struct hf_run_description *run = from->run;
    const struct hf_record *record = from->record;
    const struct hf_scf_result *result = from->result;
    return extras != NULL && add_launch(extras, run, record) && add_basis(extras, run) &&
           add_settings(extras, "settings", run) && add_environment(extras, run->molecule) &&
           add_scf(extras, record, result, from->wavefunction) && add_energies(extras, result) &&
           add_stability(extras, &result->stability) && add_iterations(extras, record) &&
           add_fock(extras, result) && add_timings(extras, &record->statistics) &&
           add_memory(extras, &record->statistics) &&
           (run->need == NULL || add_need(extras, run->need));
}

/** The parts of all quantities. */
static bool add_quantities(struct hf_json_places *to, const struct hf_run_description *run)
{
    bool ok = true;
    for (int i = 0; ok && i < run->n_quantity; i++) {
        const struct hf_quantity *quantity = &run->quantity[i];
        to->returned = quantity->ops == run->task->returns;
        if (quantity->made && quantity->ops->json != NULL) ok = quantity->ops->json(quantity, to);
    }
    return ok;
}

/** Everything that came out; the energy is the result unless a quantity is. */
static bool add_results(cJSON *object, cJSON *extras, const struct sources *from)
{
    struct hf_json_places to = {.result = object,
                                .properties = cJSON_AddObjectToObject(object, "properties"),
                                .extras = extras};
    return add_properties(to.properties, from->run, from->result) && add_extras(extras, from) &&
           add_quantities(&to, from->run) &&
           (cJSON_HasObjectItem(object, "return_result") ||
            hf_json_add_double(object, "return_result", hf_output_energy(from->run, from->result)));
}

/** An AtomicResult. */
static bool build_result(cJSON *root, const struct sources *from)
{
    cJSON *extras = cJSON_CreateObject();
    const bool ok = root != NULL && hf_json_add_identity(root, "qcschema_output") &&
                    add_input(root, from->run) && cJSON_AddTrueToObject(root, "success") != NULL &&
                    cJSON_AddNullToObject(root, "error") != NULL && add_results(root, extras, from);
    return cJSON_AddItemToObject(cJSON_AddObjectToObject(root, "extras"), "hf", extras) && ok;
}

/** An AtomicInput. */
static bool add_input_data(cJSON *root, const struct hf_run_description *run)
{
    cJSON *input = cJSON_AddObjectToObject(root, "input_data");
    return input != NULL && hf_json_add_identity(input, "qcschema_input") && add_input(input, run);
}

/** A FailedOperation: the energy of the last iteration is not a result. */
static bool build_unconverged(cJSON *root, const struct sources *from)
{
    char message[128];
    if (from->result->converged)
        snprintf(message, sizeof message, "no structure was found, and task %s needs one",
                 from->run->task->name);
    else
        snprintf(message, sizeof message, "the SCF did not converge in %d iterations",
                 from->result->n_iteration);
    if (root == NULL || !add_input_data(root, from->run) ||
        !hf_json_add_error(root, "convergence_error", message))
        return false;
    cJSON *extras = cJSON_AddObjectToObject(root, "extras");
    return add_results(cJSON_AddObjectToObject(extras, "unconverged"),
                       cJSON_AddObjectToObject(extras, "hf"), from);
}

/** A FailedOperation without results. */
static bool build_failure(cJSON *root, const struct hf_json_failure *failure)
{
    if (root == NULL || !hf_json_add_error(root, failure->type, failure->message)) return false;
    cJSON *all_extras = cJSON_AddObjectToObject(root, "extras");
    cJSON *extras = cJSON_AddObjectToObject(all_extras, "hf");
    if (extras == NULL || !hf_json_add_text(extras, "version", hf_version())) return false;
    if (failure->run != NULL)
        return add_input_data(root, failure->run) &&
               add_launch(extras, failure->run, failure->record) &&
               add_basis(extras, failure->run) && add_settings(extras, "settings", failure->run) &&
               add_environment(extras, failure->run->molecule) &&
               add_iterations(extras, failure->record);
    cJSON *input = cJSON_AddObjectToObject(root, "input_data");
    return input != NULL && hf_json_add_text(input, "input_path", failure->input_path) &&
           add_lines(extras, "warnings", failure->n_warning, failure->warning) != NULL;
}

/** Whether there is what the task is for. */
static bool has_result(const struct hf_run_description *run)
{
    for (int i = 0; i < run->n_quantity; i++)
        if (run->quantity[i].ops == run->task->returns)
            return run->quantity[i].made || !run->quantity[i].ops->of_structure;
    return true;
}

static hf_status save(const char *path, const cJSON *root, bool built, struct hf_error *error)
{
    if (built) return hf_json_save(path, root, error);
    return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory while writing the JSON file", path);
}

hf_status hf_json_write_failure(const char *path, const struct hf_json_failure *failure,
                                struct hf_error *error)
{
    cJSON *root = cJSON_CreateObject();
    const hf_status status = save(path, root, build_failure(root, failure), error);
    cJSON_Delete(root);
    return status;
}

hf_status hf_json_write(const char *path, const struct hf_run_description *run,
                        const struct hf_record *record, const struct hf_scf_result *result,
                        const struct hf_wavefunction *wavefunction, struct hf_error *error)
{
    const struct hf_context *context = record->context;
    const struct sources from = {run, record, result, wavefunction};
    hf_status status = HF_OK;
    if (context->rank == 0) {
        cJSON *root = cJSON_CreateObject();
        const bool built = result->converged && has_result(run) ? build_result(root, &from)
                                                                : build_unconverged(root, &from);
        status = save(path, root, built, error);
        cJSON_Delete(root);
    }
    return hf_agree(context->comm, status, error);
}
