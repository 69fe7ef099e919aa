/* First densities; J and K, energy, Fock matrix and commutator of a density. */
#include "scf_state.h"

#include "guess/guess_input.h"

#include <math.h>
hf_status hf_scf_dual(struct hf_scf *scf, struct hf_matrix **dual, struct hf_error *error)
{
    hf_status status;
    const int n = scf->result->n_function, m = scf->result->n_orbital;
    struct hf_matrix *overlap = NULL;
    HF_TRY(HF_CREATE_MATRICES(scf->linalg, "overlap", error, {&overlap, n, n}, {dual, n, m}));
    HF_TRY(hf_scf_overlap(scf, overlap, error));
    hf_matrix_multiply(1.0, false, overlap, false, scf->x[0], 0.0, *dual);
cleanup:
    hf_matrix_destroy(&overlap);
    return status;
}

/** New dual [n][m] = S X of the first basis X = V s^-1/2 (hf_orthogonaliser_create), whose columns have the squares
 *  1/s. Collective. */
static hf_status scale_to_dual(struct hf_scf *scf, struct hf_matrix **dual, struct hf_error *error)
{
    hf_status status;
    const int m = scf->result->n_orbital;
    struct hf_arena arena = {.memory = scf->context->memory, .label = "overlap eigenvalues"};
    double *s = HF_TAKE(&arena, s, (size_t)m);
    HF_TRY(hf_agree(scf->context->comm, hf_arena_check(&arena, error), error));
    hf_matrix_column_squares(scf->x[0], s);
    for (int i = 0; i < m; i++) s[i] = 1.0 / s[i];
    HF_TRY(hf_matrix_create_columns("overlap", scf->x[0], 0, m, s, dual, error));
cleanup:
    hf_arena_done(&arena);
    return status;
}

hf_status hf_scf_project_guess(struct hf_scf *scf, const struct hf_matrix *density,
                               struct hf_error *error)
{
    hf_status status;
    const int m = scf->result->n_orbital;
    struct hf_matrix *dual = NULL;
    HF_TRY(scale_to_dual(scf, &dual, error));
    HF_TRY(hf_matrix_create(scf->linalg, "guess density", m, m, &scf->guess, error));
    HF_TRY(hf_to_orthonormal(dual, density, scf->guess, error));
cleanup:
    hf_matrix_destroy(&dual);
    return status;
}

hf_status hf_scf_guess(struct hf_scf *scf, struct hf_matrix *const density[],
                       struct hf_error *error)
{
    hf_status status;
    const struct hf_guess_ops *guess = NULL;
    const struct hf_guess_input input = {
        .context = scf->context,
        .linalg = scf->linalg,
        .molecule = scf->molecule,
        .basis = scf->basis,
        .linear_dependence_threshold = scf->settings->linear_dependence_threshold,
        .of = hf_scf_determinant(scf),
        .core_hamiltonian = scf->core,
    };
    hf_timer_start(&scf->context->timers, &hf_phase_guess);
    if (scf->settings->orbitals != NULL) {
        HF_TRY(hf_scf_project_orbitals(&input, scf->settings->orbitals, density, error));
    } else {
        HF_TRY(hf_guess_find(scf->settings->guess, &guess, error));
        HF_TRY(guess->densities(&input, density, error));
    }
    scf->has_orbitals = guess == NULL || guess->from_orbitals;
    if (!scf->has_orbitals) HF_TRY(hf_scf_project_guess(scf, density[0], error));
cleanup:
    hf_timer_stop(&scf->context->timers, &hf_phase_guess);
    return status;
}

/** Total energy and its parts from densities, core Hamiltonian, J and K. */
static hf_status add_energies(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_scf_result *result = scf->result;
    const bool first = result->n_iteration == result->n_earlier + 1;
    const struct hf_fields *fields = &scf->two_electron.fields;
    const double before = result->one_electron;
    const struct hf_interaction energy = hf_interaction_here(fields->density, fields);
    double part[] = {hf_matrix_dot_here(fields->density[0], scf->core), energy.coulomb,
                     energy.exchange, scf->two_electron.change_here};
    hf_linalg_reduce(scf->linalg, 4, 0, part);
    result->one_electron = part[0];
    result->coulomb = part[1];
    result->exchange = part[2];
    result->two_electron = result->coulomb + result->exchange;
    result->smearing_entropy_term = hf_scf_entropy_term(scf);
    result->energy = result->nuclear + result->one_electron + result->two_electron;
    result->energy_change = result->one_electron - before + part[3];
    if (first) result->energy_change = result->energy - scf->energy_before;
    if (isfinite(result->energy)) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE,
                   "the energy of iteration %d is not a finite number; check the geometry and the "
                   "basis set",
                   result->n_iteration);
}

/** J and K of the next densities (whose contents are lost) and the account of the build. */
static hf_status build_two_electron(struct hf_scf *scf, struct hf_matrix *const density[],
                                    double threshold, struct hf_error *error)
{
    struct hf_scf_result *result = scf->result;
    const double start = hf_wall_seconds();
    HF_CHECK(hf_two_electron_update(&scf->two_electron, density, threshold, error));
    result->fock_seconds += hf_wall_seconds() - start;
    result->last_build = hf_fock_account(scf->builder);
    scf->busy_max += result->last_build.busy_seconds.max;
    scf->busy_mean += result->last_build.busy_seconds.mean;
    result->imbalance = scf->busy_mean > 0.0 ? scf->busy_max / scf->busy_mean : 1.0;
    return HF_OK;
}
static hf_status make_fock(struct hf_scf *scf, struct hf_error *error)
{
    const struct hf_determinant of = hf_scf_determinant(scf);
    HF_CHECK(hf_scf_create_list(scf, "Fock matrix", scf->method->n_fock, false, scf->fock, error));
    return hf_method_fock(&of, scf->core, &scf->two_electron.fields, scf->fock, error);
}

/** Commutators of scf->fock with the densities they were built from. For a guess that does not come from
 *  orbitals, with its total density: only a number for the table. */
static hf_status make_commutators(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    const struct hf_determinant of = hf_scf_determinant(scf);
    HF_TRY(
        hf_scf_create_list(scf, "commutator", scf->method->n_fock, false, scf->commutator, error));
    if (scf->has_orbitals) HF_TRY(scf->method->commutators(&of, scf->fock, scf->commutator, error));
    for (int k = 0; k < scf->method->n_fock && !scf->has_orbitals; k++)
        HF_TRY(hf_commutator(scf->fock[k], scf->guess, scf->commutator[k], error));
    hf_scf_note_descent(scf);
    scf->result->energy_error = hf_scf_estimate_error(scf);
cleanup:
    hf_matrix_destroy(&scf->guess);
    return status;
}

static void report_iteration(struct hf_scf *scf)
{
    const struct hf_scf_result *result = scf->result;
    const double now = hf_wall_seconds();
    const struct hf_fock_account *account = &result->last_build;
    const struct hf_scf_iteration iteration = {
        .number = result->n_iteration,
        .step = scf->step,
        .energy = result->energy,
        .energy_change = result->energy_change,
        .commutator = result->commutator,
        .seconds = now - scf->iteration_started,
        .threshold = scf->two_electron.threshold,
        .percent_computed =
            account->n_quartet_total > 0
                ? 100.0 * (double)account->n_quartet_computed / (double)account->n_quartet_total
                : 0.0,
        .build = *account,
    };
    scf->iteration_started = now;
    scf->n_done = result->n_iteration;
    if (scf->observer != NULL && scf->observer->iteration != NULL)
        scf->observer->iteration(scf->observer->data, &iteration);
}

hf_status hf_scf_evaluate(struct hf_scf *scf, struct hf_matrix *density[], struct hf_error *error)
{
    hf_status status;
    struct hf_timers *timers = &scf->context->timers;
    scf->result->n_iteration++;
    const double threshold =
        hf_next_threshold(scf->settings, scf->result, scf->two_electron.threshold);
    HF_TRY(build_two_electron(scf, density, threshold, error));
    hf_scf_destroy_list(density); /* others need the memory until there are next ones */

    hf_timer_start(timers, &hf_phase_linear_algebra);
    status = add_energies(scf, error);
    if (status == HF_OK) status = make_fock(scf, error);
    if (status == HF_OK) status = make_commutators(scf, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    if (status == HF_OK) report_iteration(scf);
cleanup:
    return status;
}
hf_status hf_scf_energy_of(struct hf_scf *scf, struct hf_matrix *const occupied[], double *energy,
                           struct hf_error *error)
{
    hf_status status;
    const double start = hf_wall_seconds();
    struct hf_determinant of = hf_scf_determinant(scf);
    struct hf_fields fields = {.coulomb = NULL};
    struct hf_fock_job job[HF_MAX_DENSITY];
    for (int k = 0; k < scf->method->n_set; k++) of.occupied[k] = occupied[k];
    HF_TRY(hf_fields_create(scf->linalg, "trial density, its J and K", scf->method->n_density,
                            scf->result->n_function, &fields, error));
    HF_TRY(hf_method_densities(&of, fields.density, error));
    const int n_job = hf_fields_jobs(&fields, job);
    HF_TRY(hf_fock_build(scf->builder, n_job, job, scf->two_electron.threshold, error));
    const struct hf_interaction two = hf_interaction_here(fields.density, &fields);
    *energy = hf_matrix_dot_here(fields.density[0], scf->core) + two.coulomb + two.exchange;
    hf_linalg_reduce(scf->linalg, 1, 0, energy);
    *energy += scf->result->nuclear;
    scf->result->n_trial_build++;
    scf->result->fock_seconds += hf_wall_seconds() - start;
cleanup:
    hf_fields_destroy(&fields);
    return status;
}
