/* A run as a QCSchema AtomicResult, or one that failed as a FailedOperation; what the schema has no
 * key for goes under extras.hf. */
#include "output/output.h"

#include "output_private.h"

#include <string.h>

/** What acts from outside; charges as [charge, x, y, z], for which the schema has no key. */
static void put_environment(struct hf_json extras, const struct hf_environment *environment)
{
    const struct hf_json to = hf_json_object(extras, "environment", "field and point charges");
    HF_PUT_ALL(to, "field", 3, environment->field, "hartree/(e bohr)", "uniform electric field");
    const struct hf_json list = hf_json_array(to, "point_charges", "e, bohr", "charge, x, y, z");
    for (int i = 0; i < environment->n_charge; i++) {
        const struct hf_point_charge *charge = &environment->charge[i];
        const struct hf_json row = hf_json_add(list, NULL, cJSON_CreateArray());
        HF_APPEND(row, charge->charge);
        for (int k = 0; k < 3; k++) HF_APPEND(row, charge->position_bohr[k]);
    }
}

static void put_properties(struct hf_json to, const struct hf_run_description *run,
                           const struct hf_scf_result *result)
{
    HF_PUT(to, "calcinfo_nbasis", result->n_function, NULL, "basis functions");
    HF_PUT(to, "calcinfo_nmo", result->n_orbital, NULL, "orbitals");
    HF_PUT(to, "calcinfo_nalpha", result->n_occupied[0], NULL, "alpha electrons");
    HF_PUT(to, "calcinfo_nbeta", result->n_occupied[1], NULL, "beta electrons");
    HF_PUT(to, "calcinfo_natom", run->molecule->n_atom, NULL, "atoms");
    HF_PUT(to, "nuclear_repulsion_energy", result->nuclear_repulsion, "hartree",
           "repulsion of the nuclei");
    HF_PUT(to, "return_energy", hf_output_energy(run, result), "hartree", "energy of the method");
    HF_PUT(to, "scf_one_electron_energy", result->one_electron, "hartree", "one-electron part");
    HF_PUT(to, "scf_two_electron_energy", result->two_electron, "hartree", "two-electron part");
    HF_PUT(to, "scf_total_energy", result->energy, "hartree", "energy of the SCF");
    HF_PUT_ALL(to, "scf_dipole_moment", 3, result->dipole, "e bohr", "x, y, z, about the origin");
    HF_PUT(to, "scf_iterations", result->n_iteration, NULL,
           "iterations, with those before a restart");
}

static void put_energies(struct hf_json extras, const struct hf_scf_result *result)
{
    const int n = result->n_term;
    const struct hf_energy_term *term = result->term;
    const struct hf_json to =
        hf_json_object(extras, "energy_parts", "parts of the energy of the SCF");
    HF_PUT(to, "kinetic", hf_electrons_of_term(n, term, &hf_term_kinetic), "hartree",
           "kinetic energy");
    HF_PUT(to, "nuclear_attraction", hf_electrons_of_term(n, term, &hf_term_nuclei), "hartree",
           "electrons in the field of the nuclei");
    HF_PUT(to, "coulomb", result->coulomb, "hartree", "Coulomb energy of the electrons");
    HF_PUT(to, "exchange", result->exchange, "hartree", "exchange energy of the electrons");
    const struct hf_json list = hf_json_array(to, "terms", NULL, "terms of the Hamiltonian");
    for (int i = 0; i < HF_COUNT(list, n); i++) {
        const struct hf_json row = hf_json_row(list);
        HF_PUT(row, "name", term[i].name, NULL, "name");
        HF_PUT(row, "electrons", term[i].electrons, "hartree", "energy of the electrons in it");
        HF_PUT(row, "nuclei", term[i].nuclei, "hartree", "energy of the nuclei in it");
    }
    HF_PUT(to, "virial_ratio", hf_output_virial_ratio(result), NULL, "-V/T; null: no meaning");
}

static void put_iterations(struct hf_json extras, const struct hf_record *record)
{
    const struct hf_json list = hf_json_array(extras, "iterations", NULL, "iterations of the SCF");
    for (int i = 0; i < HF_COUNT(list, record->n_iteration); i++) {
        const struct hf_scf_iteration *it = &record->iteration[i];
        const struct hf_json to = hf_json_row(list);
        HF_PUT(to, "number", it->number, NULL, "from 1; counts on in a restart");
        HF_PUT(to, "step", it->step, NULL, "what made the density of the iteration");
        HF_PUT(to, "energy", it->energy, "hartree", "total energy");
        HF_PUT(to, "energy_change", it->energy_change, "hartree",
               "change by the change of the density");
        HF_PUT(to, "commutator", it->commutator, NULL, "largest element of X^T (FDS - SDF) X");
        HF_PUT(to, "seconds", it->seconds, "s", "wall time");
        HF_PUT(to, "screening_threshold", it->threshold, "hartree", "threshold of the screening");
        HF_PUT(to, "percent_computed", it->percent_computed, "%",
               "share of all unique shell quartets that was computed");
        HF_PUT(to, "quartets_computed", it->build.n_quartet_computed, NULL, "shell quartets");
        HF_PUT(to, "quartets_single", it->build.n_quartet_single, NULL,
               "shell quartets computed in single precision");
    }
}

static void put_scf(struct hf_json extras, const struct hf_record *record,
                    const struct hf_scf_result *result, const struct hf_wavefunction *wavefunction)
{
    const struct hf_json to = hf_json_object(extras, "scf", "end of the SCF");
    const struct hf_orbitals *alpha = &wavefunction->spin[0], *beta = &wavefunction->spin[1];
    HF_PUT(to, "converged", result->converged, NULL, "the SCF converged");
    HF_PUT(to, "energy_change", result->energy_change, "hartree", "change in the last iteration");
    HF_PUT(to, "energy_error_estimate", result->energy_error, "hartree",
           "estimate of energy minus converged energy; null: none");
    HF_PUT(to, "commutator", result->commutator, NULL, "largest element in the last iteration");
    HF_PUT(to, "guess_energy", result->guess_energy, "hartree", "energy of the first iteration");
    HF_PUT(to, "smearing_entropy_term", result->smearing_entropy_term, "hartree", "-TS");
    HF_PUT(to, "free_energy", result->energy + result->smearing_entropy_term, "hartree",
           "with -TS");
    HF_PUT(to, "spin_squared", result->spin_squared, NULL, "expectation value of S^2");
    HF_PUT(to, "ideal_spin_squared", result->ideal_spin_squared, NULL, "S(S+1)");
    HF_PUT(to, "functions_removed", result->n_removed, NULL,
           "linearly dependent combinations that were left out");
    HF_PUT(to, "smallest_overlap_eigenvalue", result->smallest_overlap_eigenvalue, NULL,
           "smallest eigenvalue of the overlap matrix");
    HF_PUT(to, "linear_algebra", record->linalg, NULL, "library in use");
    HF_PUT_ALL(to, "orbital_energies", alpha->n_orbital, alpha->energy, "hartree",
               "orbital energies; UHF: of alpha electrons");
    HF_PUT_ALL(to, "orbital_occupations", alpha->n_orbital, alpha->occupation, NULL,
               "electrons in each orbital; UHF: of alpha spin");
    if (HF_ANY(to, wavefunction->n_spin == 2)) {
        HF_PUT_ALL(to, "orbital_energies_beta", beta->n_orbital, beta->energy, "hartree",
                   "UHF: orbital energies of beta electrons");
        HF_PUT_ALL(to, "orbital_occupations_beta", beta->n_orbital, beta->occupation, NULL,
                   "UHF: electrons of beta spin in each orbital");
    }
}

static void put_basis(struct hf_json extras, const struct hf_run_description *run)
{
    const struct hf_basis *basis = run->basis;
    double shells[HF_MAX_L + 1];
    hf_count_shells(basis, shells);
    const struct hf_json to = hf_json_object(extras, "basis", "basis set");
    HF_PUT(to, "name", basis->name, NULL, "as published");
    HF_PUT(to, "requested", run->basis_requested, NULL, "name as given");
    HF_PUT(to, "shells", basis->n_shell, NULL, "shells");
    HF_PUT_ALL(to, "shells_by_angular_momentum", HF_MAX_L + 1, shells, NULL, "s, p, d ... shells");
    HF_PUT(to, "functions", basis->n_function, NULL, "basis functions");
    HF_PUT(to, "primitives", basis->n_primitive, NULL, "primitive Gaussians");
    HF_PUT(to, "convention", hf_basis_convention_name(basis), NULL, "spherical or Cartesian");
    HF_PUT(to, "literature", basis->citation, NULL, "source");
    if (HF_ANY(to, hf_molecule_n_core(run->molecule) > 0)) {
        const struct hf_json list = hf_json_array(to, "core_electrons", NULL,
                                                  "electrons in the core potential of each atom");
        for (int i = 0; i < run->molecule->n_atom; i++)
            HF_APPEND(list, run->molecule->atom[i].n_core);
    }
}

/** Adds an array of n lines to `extras`. Returns it, so that the caller can append more. */
static struct hf_json put_lines(struct hf_json extras, const char *name, int n,
                                const char *const *line)
{
    const struct hf_json array = hf_json_array(extras, name, NULL, "as in the report");
    for (int i = 0; i < n; i++) HF_APPEND(array, line[i]);
    return array;
}

static void put_warnings(struct hf_json extras, const struct hf_run_description *run,
                         const struct hf_record *record)
{
    const struct hf_json warnings = put_lines(extras, "warnings", run->n_warning, run->warning);
    if (record->note[0] != '\0') HF_APPEND(warnings, record->note);
    put_lines(extras, "notes", run->n_note, run->note);
}

static void put_launch(struct hf_json extras, const struct hf_run_description *run,
                       const struct hf_record *record)
{
    const struct hf_library_versions *versions = &record->versions;
    const struct hf_json to = hf_json_object(extras, "launch", "where and with what hf ran");
    put_warnings(extras, run, record);
    HF_PUT(to, "ranks", record->context->n_rank, NULL, "MPI processes");
    HF_PUT(to, "hosts", run->n_node, NULL, "hosts of the processes; 0: unknown");
    HF_PUT(to, "cores_on_node", run->n_core, NULL,
           "cores of this node that the processes may use; 0: unknown");
    HF_PUT(to, "numa_domains", run->n_numa, NULL, "memory domains of these cores; 0: unknown");
    HF_PUT(to, "mpi_library", versions->mpi_found, NULL, "MPI in use");
    HF_PUT(to, "mpi_built_with", versions->mpi_built, NULL, "MPI of the build");
    HF_PUT(to, "libint", versions->libint, NULL, "version of Libint");
    HF_PUT(to, "blas", versions->blas, NULL, "BLAS in use");
    HF_PUT(to, "scalapack", versions->scalapack, NULL, "version of ScaLAPACK");
    HF_PUT(to, "hdf5", versions->hdf5, NULL, "version of HDF5");
    HF_PUT(to, "build_remark", record->build_remark, NULL,
           "why times mean little (debugging, sanitizers), or null");
    HF_PUT(to, "input_path", run->input_path, NULL, "input file");
    HF_PUT(to, "input_format", run->input_format, NULL, "format of the input file");
}

static void put_statistic(struct hf_json to, const struct hf_statistic *statistic, const char *unit)
{
    HF_PUT(to, "min", statistic->min, unit, "smallest of all ranks");
    HF_PUT(to, "mean", statistic->mean, unit, "mean");
    HF_PUT(to, "max", statistic->max, unit, "largest");
    HF_PUT(to, "min_rank", statistic->min_rank, NULL, "rank that has the smallest");
    HF_PUT(to, "max_rank", statistic->max_rank, NULL, "rank that has the largest");
}

static void put_timings(struct hf_json extras, const struct hf_run_statistics *statistics)
{
    const struct hf_json list = hf_json_array(extras, "timings_seconds", "s", "wall times");
    for (int i = 0; i < HF_COUNT(list, statistics->n_phase); i++) {
        const struct hf_json to = hf_json_row(list);
        HF_PUT(to, "phase", statistics->phase[i].name, NULL, "what takes the time");
        put_statistic(to, &statistics->phase[i].seconds, "s");
    }
}

static void put_memory(struct hf_json extras, const struct hf_run_statistics *all)
{
    const struct hf_json to = hf_json_object(extras, "memory_bytes", "peaks of memory");
    const struct {
        const char *key, *about;
        const struct hf_statistic *of;
    } rows[] = {{"tracked_peak", "all arrays", &all->tracked_bytes},
                {"matrix_peak", "matrices", &all->matrix_bytes},
                {"shell_pair_peak", "shell pairs", &all->pair_bytes},
                {"stored_peak", "stored integrals", &all->stored_bytes},
                {"largest_block", "the largest array", &all->largest_bytes},
                {"resident_peak", "resident set", &all->resident_bytes}};
    for (int i = 0; i < 6; i++) {
        if (i == 5)
            HF_PUT(to, "largest_block_label", all->largest_label, NULL,
                   "what the largest array holds");
        put_statistic(hf_json_object(to, rows[i].key, rows[i].about), rows[i].of, "bytes");
    }
}

/** What was expected before anything was made. */
static void put_need(struct hf_json extras, const struct hf_memory_need *need)
{
    const struct hf_json to =
        hf_json_object(extras, "memory_expected_bytes", "upper bounds of memory, foreseen");
    HF_PUT(to, "rank", need->rank, "bytes", "rank with the most memory");
    HF_PUT(to, "node", need->node, "bytes", "all ranks of a node");
    HF_PUT(to, "program", need->program, "bytes", "a rank: the process and its libraries");
    HF_PUT(to, "matrices", need->matrices, "bytes", "a rank: matrices");
    HF_PUT(to, "shell_pairs", need->pairs, "bytes", "a rank: shell pairs");
    HF_PUT(to, "threads", need->threads, "bytes", "a rank: engines and buffers of threads");
    HF_PUT(to, "stored", need->stored, "bytes", "a rank: stored integrals");
    HF_PUT(to, "after_scf", need->after, "bytes", "a rank: what needs memory after the SCF");
}

/** What only distributed matrices have. */
static void put_blocks(struct hf_json fock, const struct hf_fock_account *account)
{
    const struct hf_block_counts *blocks = &account->blocks;
    const struct hf_json to =
        hf_json_object(fock, "density_blocks", "blocks of densities in all builds");
    HF_PUT(fock, "onesided_transport", account->transport, NULL, "one-sided communication");
    HF_PUT(to, "asked", blocks->n_asked, NULL, "blocks that were needed");
    HF_PUT(to, "cached", blocks->n_cached, NULL, "of these: found in the cache");
    HF_PUT(to, "own", blocks->n_own, NULL, "of these: owned by the rank");
    HF_PUT(fock, "sums_sent", blocks->n_sent, NULL, "blocks sent to other ranks");
}

/** Why so many integrals are stored, if it was weighed. */
static void put_outlook(struct hf_json fock, const struct hf_store_outlook *outlook)
{
    const struct hf_json to = hf_json_object(fock, "choice_of_stored_integrals",
                                             "estimates on which the choice was based");
    HF_PUT(to, "bytes", outlook->bytes, "bytes", "integrals to be stored on all ranks");
    HF_PUT(to, "seconds_to_store", outlook->store_seconds, "s", "time of a rank to store them");
    HF_PUT(to, "seconds_saved", outlook->saved_seconds, "s", "time that a rank saves later");
    HF_PUT(to, "builds_to_come", outlook->n_build, NULL, "likely number of builds");
}

static void put_fock(struct hf_json extras, const struct hf_scf_result *result)
{
    const struct hf_fock_account *account = &result->last_build;
    const struct hf_json to = hf_json_object(extras, "fock", "counts are of the last Fock build");
    HF_PUT(to, "imbalance", result->imbalance, NULL, "slowest over mean rank, of all builds");
    HF_PUT(to, "hessian_products", result->n_hessian_product, NULL, "trial densities");
    HF_PUT(to, "trial_builds", result->n_trial_build, NULL,
           "Fock builds on the way from unstable solutions");
    HF_PUT(to, "orbital_rotations", result->n_rotation, NULL, "sets of orbitals found by rotation");
    HF_PUT(to, "orbital_rotations_given_up", result->n_given_up, NULL,
           "sets of orbitals for which rotation failed");
    HF_PUT(to, "orbital_sweeps", result->n_sweep, NULL, "sweeps of all rotations");
    HF_PUT(to, "quartets_total", account->n_quartet_total, NULL, "unique shell quartets");
    HF_PUT(to, "quartets_computed", account->n_quartet_computed, NULL,
           "shell quartets that were computed");
    HF_PUT(to, "quartets_single", account->n_quartet_single, NULL,
           "shell quartets computed in single precision");
    HF_PUT(to, "product_pairs", account->n_product_pair, NULL,
           "pairs of products in the Coulomb pass");
    HF_PUT(to, "coulomb_apart", account->coulomb_apart, NULL, "J was computed separately");
    HF_PUT(to, "quartets_read", account->n_quartet_read, NULL,
           "shell quartets read from the store");
    HF_PUT(to, "stored_bytes", account->stored_bytes, "bytes", "stored integrals of all ranks");
    HF_PUT(to, "stored_share_of_cost", account->stored_share, NULL,
           "share of the cost that is stored, 0 to 1, an estimate");
    if (HF_ANY(to, account->outlook.n_build > 0)) put_outlook(to, &account->outlook);
    if (HF_ANY(to, account->exact_range != 0.0))
        HF_PUT(to, "range_of_sums", account->exact_range, "hartree",
               "bound on all sums, with `--reproducible`");
    HF_PUT(to, "tasks", account->n_task, NULL, "tasks that were handed out");
    HF_PUT(to, "scheduler", account->scheduler, NULL, "scheduler that handed the tasks out");
    if (HF_ANY(to, account->transport != NULL)) put_blocks(to, account);
    put_statistic(hf_json_object(to, "busy_seconds_last_build", "computing time"),
                  &account->busy_seconds, "s");
}

/** Eigenvalues of one kind of rotation. */
static void put_roots(struct hf_json in, const char *name, const char *about,
                      const struct hf_stability_roots *roots)
{
    if (HF_ANY(in, roots->analysed)) {
        const struct hf_json to = hf_json_object(in, name, about);
        HF_PUT(to, "stable", roots->stable, NULL, "no eigenvalue is negative");
        HF_PUT(to, "converged", roots->converged, NULL, "false: eigenvalues are upper bounds");
        HF_PUT(to, "zero_eigenvalues", roots->n_zero, NULL,
               "eigenvalues that are zero (rotations that change nothing)");
        HF_PUT_ALL(to, "eigenvalues", roots->n, roots->eigenvalue, "hartree",
                   "lowest eigenvalues of the Hessian");
    }
}

static void put_stability(struct hf_json extras, const struct hf_stability_result *stability)
{
    const int n_analysed = stability->n_follow + (stability->internal.analysed ? 1 : 0);
    if (HF_ANY(extras, n_analysed > 0)) {
        const struct hf_json to = hf_json_object(extras, "stability", "with `--stability`");
        put_roots(to, "internal", "within the method", &stability->internal);
        put_roots(to, "external", "closed shells: towards UHF", &stability->external);
        HF_PUT(to, "zero_below", stability->zero, "hartree", "smaller eigenvalues count as zero");
        HF_PUT(to, "followed", stability->n_follow, NULL, "unstable solutions that were left");
        HF_PUT_ALL(to, "energies", n_analysed, stability->energy, "hartree",
                   "energy of each solution");
    }
}

/** What a document is written from. */
struct sources {
    const struct hf_run_description *run;
    const struct hf_record *record;
    const struct hf_scf_result *result;
    const struct hf_wavefunction *wavefunction;
};

/** What is known of a calculation before its SCF. */
static void put_description(struct hf_json extras, const struct hf_run_description *run,
                            const struct hf_record *record)
{
    if (run->of_many)
        put_warnings(extras, run, record);
    else
        put_launch(extras, run, record);
    put_basis(extras, run);
    if (!run->of_many) hf_json_put_settings(extras, "settings", run);
    put_environment(extras, &run->molecule->environment);
}

static void put_extras(struct hf_json extras, const struct sources *from)
{
    put_description(extras, from->run, from->record);
    put_scf(extras, from->record, from->result, from->wavefunction);
    put_energies(extras, from->result);
    put_stability(extras, &from->result->stability);
    if (from->run->of_many) return;
    put_iterations(extras, from->record);
    put_fock(extras, from->result);
    put_timings(extras, &from->record->statistics);
    put_memory(extras, &from->record->statistics);
    if (HF_ANY(extras, from->run->need != NULL)) put_need(extras, from->run->need);
}

/** Everything that came out; the energy is the result unless a quantity is. */
static void put_results(struct hf_json object, struct hf_json extras, const struct sources *from)
{
    const struct hf_run_description *run = from->run;
    struct hf_json_places to = {.result = object,
                                .properties =
                                    hf_json_object(object, "properties", "as the schema says"),
                                .extras = extras};
    put_properties(to.properties, run, from->result);
    put_extras(extras, from);
    for (int i = 0; i < run->n_quantity; i++) {
        const struct hf_quantity *quantity = &run->quantity[i];
        to.returned = quantity->ops == run->task->returns;
        if (quantity->made && quantity->ops->json != NULL) quantity->ops->json(quantity, &to);
    }
    if (!cJSON_HasObjectItem(object.at, "return_result"))
        HF_PUT(object, "return_result", hf_output_energy(run, from->result), "hartree",
               "the energy, unless the task returns something else");
}

/** An AtomicResult. */
static void put_result(struct hf_json root, const struct sources *from)
{
    const struct hf_json hf = {.of = root.of, .at = cJSON_CreateObject()};
    hf_json_put_identity(root, "qcschema_output");
    hf_json_put_input(root, from->run);
    HF_ADD(root, "success", (bool)true);
    HF_ADD(root, "error", (char *)NULL);
    put_results(root, hf, from);
    if (from->run->report != NULL) HF_ADD(root, "stdout", from->run->report);
    const struct hf_json extras = hf_json_object(root, "extras", "");
    if (!cJSON_AddItemToObject(extras.at, "hf", hf.at)) root.of->failed = true;
}

/** An AtomicInput. */
static void put_input_data(struct hf_json root, const struct hf_run_description *run)
{
    const struct hf_json input = hf_json_object(root, "input_data", "");
    hf_json_put_identity(input, "qcschema_input");
    hf_json_put_input(input, run);
}

/** Whether the result was to be a structure, and none was found. */
static bool lacks_structure(const struct hf_run_description *run)
{
    return run->request != NULL && run->request->optimisation && run->structure_found != NULL &&
           !*run->structure_found;
}

/** A FailedOperation: the energy of the last iteration is not a result. */
static void put_unconverged(struct hf_json root, const struct sources *from)
{
    char message[128];
    if (from->result->converged && lacks_structure(from->run))
        snprintf(message, sizeof message, "no structure was found");
    else if (from->result->converged)
        snprintf(message, sizeof message, "no structure was found, and task %s needs one",
                 from->run->task->name);
    else
        snprintf(message, sizeof message, "the SCF did not converge in %d iterations",
                 from->result->n_iteration);
    put_input_data(root, from->run);
    hf_json_put_error(root, "convergence_error", message);
    const struct hf_json extras = hf_json_object(root, "extras", "");
    const struct hf_json hf = hf_json_object(extras, "hf", "");
    put_results(hf_json_object(extras, "unconverged", ""), hf, from);
}

static void put_failure(struct hf_json root, const struct hf_json_failure *failure)
{
    hf_json_put_error(root, failure->type, failure->message);
    const struct hf_json extras = hf_json_object(hf_json_object(root, "extras", ""), "hf", "");
    HF_ADD(extras, "version", hf_version());
    if (failure->run != NULL) {
        put_input_data(root, failure->run);
        put_description(extras, failure->run, failure->record);
        if (!failure->run->of_many) put_iterations(extras, failure->record);
        return;
    }
    const struct hf_json input = hf_json_object(root, "input_data", "");
    HF_ADD(input, "input_path", failure->input_path);
    put_lines(extras, "warnings", failure->n_warning, failure->warning);
}

/** A FailedOperation without results. */
void hf_json_put_failure(struct hf_json root, const struct hf_json_failure *failure)
{
    put_failure(root, failure);
    hf_json_answer(root, failure->request);
}

/** Whether there is what the task is for. */
static bool has_result(const struct hf_run_description *run)
{
    if (lacks_structure(run)) return false;
    for (int i = 0; i < run->n_quantity; i++)
        if (run->quantity[i].ops == run->task->returns)
            return run->quantity[i].made || !run->quantity[i].ops->of_structure;
    return true;
}

void hf_json_put_run(struct hf_json root, const struct hf_run_description *run,
                     const struct hf_record *record, const struct hf_scf_result *result,
                     const struct hf_wavefunction *wavefunction)
{
    const struct sources from = {run, record, result, wavefunction};
    if (result->converged && has_result(run))
        put_result(root, &from);
    else
        put_unconverged(root, &from);
    hf_json_answer(root, run->request);
}

hf_status hf_json_write_failure(const char *path, const struct hf_json_failure *failure,
                                struct hf_error *error)
{
    struct hf_json_document document = {0};
    const struct hf_json root = hf_json_begin(&document);
    hf_json_put_failure(root, failure);
    const hf_status status = hf_json_save(path, root, error);
    cJSON_Delete(root.at);
    return status;
}

hf_status hf_json_write(const char *path, const struct hf_run_description *run,
                        const struct hf_record *record, const struct hf_scf_result *result,
                        const struct hf_wavefunction *wavefunction, struct hf_error *error)
{
    hf_status status = HF_OK;
    if (record->context->rank == 0) {
        struct hf_json_document document = {0};
        const struct hf_json root = hf_json_begin(&document);
        hf_json_put_run(root, run, record, result, wavefunction);
        status = hf_json_save(path, root, error);
        cJSON_Delete(root.at);
    }
    return hf_agree(record->context->comm, status, error);
}

void hf_json_describe(FILE *page, int n, struct hf_quantity quantity[])
{
    struct hf_json_document document = {.page = page};
    const struct hf_json root = {.of = &document};
    const struct hf_json extras = {.of = &document, .path = "extras.hf."};
    static struct hf_context context;
    static struct hf_molecule molecule;
    static const struct hf_basis basis;
    static const struct hf_scf_settings settings;
    static const struct hf_run_task task;
    static const struct hf_record record = {.context = &context};
    static const struct hf_scf_result result;
    static const struct hf_wavefunction wavefunction;
    const struct hf_quantity_source source = {.result = &result, .molecule = &molecule};
    const struct hf_run_description run = {.molecule = &molecule,
                                           .basis = &basis,
                                           .settings = &settings,
                                           .task = &task,
                                           .n_quantity = n,
                                           .quantity = quantity};
    for (int i = 0; i < n; i++) quantity[i].of = &source;
    fprintf(page, "\n## Results\n\n| key | unit | meaning |\n|---|---|---|\n");
    hf_json_put_identity(root, "");
    hf_json_put_input(root, &run);
    put_results(root, extras, &(struct sources){&run, &record, &result, &wavefunction});
    fprintf(page, "\n## The header of a trace\n\n| key | unit | meaning |\n|---|---|---|\n");
    hf_trace_put_header(root, &run, &record, &result, 0);
}
