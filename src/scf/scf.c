/* The closed-shell self-consistent field (book Fig. 8.1). */
#include "hf/scf.h"

#include "scf_private.h"

#include <math.h>
#include <stdlib.h>

/** What lives as long as one calculation. */
struct run {
    struct hf_context *context;
    const struct hf_molecule *molecule;
    const struct hf_basis *basis;
    const struct hf_scf_settings *settings;
    const struct hf_scf_observer *observer;
    struct hf_scf_result *result;
    struct hf_linalg *linalg;
    struct hf_basis *merged; /* the same functions in the shells of the two-electron integrals */
    struct hf_shell_pairs *pairs;
    struct hf_fock_builder *builder;
    struct hf_two_electron two_electron;
    struct hf_diis *diis;
    struct hf_matrix *core;          /* [n][n] kinetic energy and nuclear attraction */
    struct hf_matrix *x;             /* [n][m] */
    struct hf_matrix *occupied;      /* [m][o] orbitals of the density; NULL when o = 0 */
    struct hf_matrix *guess_density; /* [m][m] D' of a guess not made of orbitals, until used */
    struct hf_matrix *fock;          /* [m][m] F' of the last density, until the next is made */
    struct hf_matrix *commutator;    /* [m][m] of the two */
    double stored_share;             /* hf_fock_stored_share of the builder */
    double busy_max, busy_mean;      /* sums over the builds */
    double iteration_started;
};

/** hf_one_electron, timed. */
static hf_status one_electron(struct run *run, enum hf_operator which, struct hf_matrix *matrix,
                              struct hf_error *error)
{
    struct hf_timers *timers = &run->context->timers;
    hf_timer_start(timers, &hf_phase_one_electron);
    const hf_status status =
        hf_one_electron(run->context, run->basis, run->molecule, which, matrix, error);
    hf_timer_stop(timers, &hf_phase_one_electron);
    return status;
}

static hf_status make_core(struct run *run, struct hf_error *error)
{
    hf_status status;
    const int n = run->basis->n_function;
    struct hf_matrix *nuclear = NULL;
    HF_TRY(hf_matrix_create(run->linalg, "core Hamiltonian", n, n, &run->core, error));
    HF_TRY(hf_matrix_create(run->linalg, "nuclear attraction", n, n, &nuclear, error));
    HF_TRY(one_electron(run, HF_KINETIC, run->core, error));
    HF_TRY(one_electron(run, HF_NUCLEAR, nuclear, error));
    hf_matrix_add(1.0, nuclear, 1.0, run->core);
cleanup:
    hf_matrix_destroy(&nuclear);
    return status;
}

static hf_status make_orthogonaliser(struct run *run, struct hf_error *error)
{
    hf_status status;
    const int n = run->basis->n_function;
    struct hf_scf_result *result = run->result;
    struct hf_overlap_spectrum spectrum;
    struct hf_matrix *overlap = NULL;
    HF_TRY(hf_matrix_create(run->linalg, "overlap", n, n, &overlap, error));
    HF_TRY(one_electron(run, HF_OVERLAP, overlap, error));
    HF_TRY(hf_orthogonaliser_create(run->context, run->linalg, overlap,
                                    run->settings->linear_dependence_threshold, &run->x, &spectrum,
                                    error));
    result->n_function = n;
    result->n_orbital = n - spectrum.n_removed;
    result->n_removed = spectrum.n_removed;
    result->smallest_overlap_eigenvalue = spectrum.smallest;
    if (result->n_occupied > result->n_orbital)
        status = hf_fail(error, HF_BAD_INPUT,
                         "%d pairs of electrons do not fit into %d orbitals; a larger basis set "
                         "is needed",
                         result->n_occupied, result->n_orbital);
cleanup:
    hf_matrix_destroy(&overlap);
    return status;
}

static hf_status make_builder(struct run *run, struct hf_error *error)
{
    /* primitives may err by less than the screening lets go */
    const double primitive_accuracy = 1e-2 * run->settings->screening_threshold;
    hf_status status;
    hf_timer_start(&run->context->timers, &hf_phase_setup);
    HF_TRY(hf_agree(run->context->comm, hf_basis_merge(run->basis, &run->merged, error), error));
    HF_TRY(
        hf_shell_pairs_create(run->context, run->merged, primitive_accuracy, &run->pairs, error));
    HF_TRY(hf_fock_create(run->context, run->pairs, &run->settings->fock, &run->builder, error));
    run->stored_share = hf_fock_stored_share(run->builder);
cleanup:
    hf_timer_stop(&run->context->timers, &hf_phase_setup);
    return status;
}

/** With distributed data no rank may hold a whole matrix, however small. */
static hf_status make_grid(struct run *run, struct hf_error *error)
{
    const int n = run->basis->n_function;
    if (hf_fock_is_distributed(run->settings->fock.builder))
        return hf_linalg_create_spread(run->context, n, &run->linalg, error);
    return hf_linalg_create(run->context, n, &run->linalg, error);
}

static hf_status set_up(struct run *run, struct hf_error *error)
{
    hf_status status;
    struct hf_scf_result *result = run->result;
    const int n = run->basis->n_function;
    HF_TRY(make_grid(run, error));
    HF_TRY(make_orthogonaliser(run, error));
    HF_TRY(make_core(run, error));
    HF_TRY(make_builder(run, error));
    HF_TRY(hf_diis_create(run->context, run->linalg, result->n_orbital, run->settings->diis_size,
                          &run->diis, error));
    if (result->n_occupied > 0)
        HF_TRY(hf_matrix_create(run->linalg, "occupied orbitals", result->n_orbital,
                                result->n_occupied, &run->occupied, error));
    result->orbital_energy = calloc((size_t)result->n_orbital, sizeof *result->orbital_energy);
    if (result->orbital_energy == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %d orbital energies",
                         result->n_orbital);
    HF_TRY(hf_agree(run->context->comm, status, error));
    HF_TRY(hf_two_electron_init(&run->two_electron, run->linalg, run->builder, n, error));
cleanup:
    return status;
}

static void tear_down(struct run *run)
{
    hf_two_electron_done(&run->two_electron);
    hf_matrix_destroy(&run->guess_density);
    hf_matrix_destroy(&run->occupied);
    hf_matrix_destroy(&run->commutator);
    hf_matrix_destroy(&run->fock);
    hf_matrix_destroy(&run->core);
    hf_matrix_destroy(&run->x);
    hf_diis_destroy(&run->diis);
    hf_fock_destroy(&run->builder);
    hf_shell_pairs_destroy(&run->pairs);
    hf_basis_destroy(&run->merged);
    hf_linalg_destroy(&run->linalg);
}

/** D' = X^T S D S X of a density that is not made of orbitals. */
static hf_status project_guess(struct run *run, const struct hf_matrix *density,
                               struct hf_error *error)
{
    hf_status status;
    const int n = run->result->n_function, m = run->result->n_orbital;
    struct hf_matrix *overlap = NULL, *dual = NULL;
    HF_TRY(hf_matrix_create(run->linalg, "overlap", n, n, &overlap, error));
    HF_TRY(hf_matrix_create(run->linalg, "overlap times orthogonaliser", n, m, &dual, error));
    HF_TRY(hf_matrix_create(run->linalg, "guess density", m, m, &run->guess_density, error));
    HF_TRY(hf_one_electron(run->context, run->basis, run->molecule, HF_OVERLAP, overlap, error));
    hf_matrix_multiply(1.0, false, overlap, false, run->x, 0.0, dual);
    HF_TRY(hf_to_orthonormal(run->linalg, dual, density, run->guess_density, error));
cleanup:
    hf_matrix_destroy(&dual);
    hf_matrix_destroy(&overlap);
    return status;
}

static hf_status guess_density(struct run *run, struct hf_matrix *density, struct hf_error *error)
{
    hf_status status;
    const struct hf_guess_ops *guess = NULL;
    bool has_orbitals = true;
    const struct hf_guess_input input = {
        .context = run->context,
        .linalg = run->linalg,
        .molecule = run->molecule,
        .basis = run->basis,
        .settings = run->settings,
        .core_hamiltonian = run->core,
        .x = run->x,
        .n_occupied = run->result->n_occupied,
    };
    hf_timer_start(&run->context->timers, &hf_phase_guess);
    HF_TRY(hf_guess_find(run->settings->guess, &guess, error));
    HF_TRY(guess->density(&input, density, run->occupied, &has_orbitals, error));
    if (!has_orbitals) HF_TRY(project_guess(run, density, error));
cleanup:
    hf_timer_stop(&run->context->timers, &hf_phase_guess);
    return status;
}

/** Total energy and its parts from density, core Hamiltonian, J and K. */
static hf_status add_energies(struct run *run, struct hf_error *error)
{
    struct hf_scf_result *result = run->result;
    const struct hf_two_electron *two = &run->two_electron;
    double coulomb, exchange;
    const double before = result->one_electron;
    hf_matrix_dot(two->density, run->core, &result->one_electron);
    hf_matrix_dot(two->density, two->coulomb, &coulomb);
    hf_matrix_dot(two->density, two->exchange, &exchange);
    result->coulomb = 0.5 * coulomb;
    result->exchange = -0.25 * exchange;
    result->two_electron = result->coulomb + result->exchange;
    result->energy = result->nuclear_repulsion + result->one_electron + result->two_electron;
    result->energy_change = result->one_electron - before + two->energy_change;
    if (result->n_iteration == 1) result->energy_change = result->energy;
    if (isfinite(result->energy)) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE,
                   "the energy of iteration %d is not a finite number; check the geometry and the "
                   "basis set",
                   result->n_iteration);
}

/** J and K of the next density (which is destroyed) and the account of the build. */
static hf_status build_two_electron(struct run *run, struct hf_matrix *density, double threshold,
                                    struct hf_error *error)
{
    struct hf_scf_result *result = run->result;
    const double start = hf_wall_seconds();
    const hf_status status = hf_two_electron_update(&run->two_electron, density, threshold, error);
    if (status != HF_OK) return status;
    result->fock_seconds += hf_wall_seconds() - start;
    result->last_build = hf_fock_account(run->builder);
    run->busy_max += result->last_build.busy_seconds.max;
    run->busy_mean += result->last_build.busy_seconds.mean;
    result->imbalance = run->busy_mean > 0.0 ? run->busy_max / run->busy_mean : 1.0;
    return HF_OK;
}

/** run->fock = X^T (H + J - K/2) X. */
static hf_status make_fock(struct run *run, struct hf_error *error)
{
    hf_status status;
    const int n = run->result->n_function, m = run->result->n_orbital;
    struct hf_matrix *fock = NULL;
    HF_TRY(hf_matrix_create(run->linalg, "Fock matrix", n, n, &fock, error));
    hf_matrix_copy(run->core, fock);
    hf_matrix_add(1.0, run->two_electron.coulomb, 1.0, fock);
    hf_matrix_add(-0.5, run->two_electron.exchange, 1.0, fock);
    HF_TRY(hf_matrix_create(run->linalg, "Fock matrix", m, m, &run->fock, error));
    HF_TRY(hf_to_orthonormal(run->linalg, run->x, fock, run->fock, error));
cleanup:
    hf_matrix_destroy(&fock);
    return status;
}

/** run->commutator of run->fock with the density it was made from. */
static hf_status make_commutator(struct run *run, struct hf_error *error)
{
    hf_status status;
    const int m = run->result->n_orbital;
    HF_TRY(hf_matrix_create(run->linalg, "commutator", m, m, &run->commutator, error));
    if (run->guess_density != NULL)
        HF_TRY(hf_commutator(run->linalg, run->fock, run->guess_density, run->commutator, error));
    else
        HF_TRY(hf_commutator_of_orbitals(run->linalg, run->fock, run->occupied, run->commutator,
                                         error));
    hf_matrix_max_abs(run->commutator, &run->result->commutator);
cleanup:
    hf_matrix_destroy(&run->guess_density);
    return status;
}

static bool is_converged(const struct run *run)
{
    const struct hf_scf_result *result = run->result;
    return result->n_iteration > 1 &&
           fabs(result->energy_change) < run->settings->energy_tolerance &&
           result->commutator < run->settings->commutator_tolerance &&
           run->two_electron.threshold <= run->settings->screening_threshold;
}

static void tell_start(const struct run *run)
{
    const struct hf_fock_account account = hf_fock_account(run->builder);
    const struct hf_scf_start start = {
        .n_function = run->result->n_function,
        .n_orbital = run->result->n_orbital,
        .linalg = hf_linalg_description(run->linalg),
        .transport = account.transport,
        .note = hf_fock_note(run->builder),
    };
    if (run->observer != NULL && run->observer->started != NULL)
        run->observer->started(run->observer->data, &start);
}

static void tell_observer(struct run *run)
{
    const struct hf_scf_result *result = run->result;
    const double now = hf_wall_seconds();
    const struct hf_fock_account *account = &result->last_build;
    const struct hf_scf_iteration iteration = {
        .number = result->n_iteration,
        .energy = result->energy,
        .energy_change = result->energy_change,
        .commutator = result->commutator,
        .seconds = now - run->iteration_started,
        .threshold = run->two_electron.threshold,
        .percent_computed =
            account->n_quartet_total > 0
                ? 100.0 * (double)account->n_quartet_computed / (double)account->n_quartet_total
                : 0.0,
        .build = *account,
    };
    run->iteration_started = now;
    if (run->observer != NULL && run->observer->iteration != NULL)
        run->observer->iteration(run->observer->data, &iteration);
}

/** Energy, Fock matrix and commutator of the next density, which is destroyed. */
static hf_status evaluate(struct run *run, struct hf_matrix *density, struct hf_error *error)
{
    hf_status status;
    struct hf_timers *timers = &run->context->timers;
    const struct hf_two_electron *two = &run->two_electron;
    run->result->n_iteration++;
    const double threshold = hf_next_threshold(run->settings, run->result, run->stored_share,
                                               two->built ? two->threshold : INFINITY);
    HF_TRY(build_two_electron(run, density, threshold, error));

    hf_timer_start(timers, &hf_phase_linear_algebra);
    status = add_energies(run, error);
    if (status == HF_OK) status = make_fock(run, error);
    if (status == HF_OK) status = make_commutator(run, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    if (status == HF_OK) tell_observer(run);
cleanup:
    return status;
}

/** The next density, from the Fock matrices and commutators so far. Matrices that the next Fock
 *  build does not need are gone before it starts. */
static hf_status advance(struct run *run, struct hf_matrix *density, struct hf_error *error)
{
    hf_status status;
    struct hf_timers *timers = &run->context->timers;
    hf_timer_start(timers, &hf_phase_linear_algebra);
    status = hf_diis_extrapolate(run->diis, run->fock, run->commutator, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    hf_matrix_destroy(&run->commutator);
    if (status != HF_OK) return status;

    HF_TRY(hf_lowest_orbitals(run->context, run->fock, run->result->orbital_energy, run->occupied,
                              error));
    hf_matrix_destroy(&run->fock);
    hf_timer_start(timers, &hf_phase_linear_algebra);
    status = hf_density_of_orbitals(run->linalg, run->x, run->occupied, density, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
cleanup:
    return status;
}

/** Asks whether a signal wants the run to end. */
static hf_status look_for_signal(const struct run *run, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_fock_settings *fock = &run->settings->fock;
    if (fock->progress != NULL) {
        const int signal_number = fock->progress(fock->progress_data, 0.0);
        if (signal_number != 0) status = hf_interrupted(error, signal_number);
    }
    return hf_agree(run->context->comm, status, error);
}

/** From the guess to convergence or the last iteration allowed. */
static hf_status converge(struct run *run, struct hf_error *error)
{
    hf_status status;
    const int n = run->result->n_function;
    struct hf_matrix *density = NULL;
    HF_TRY(hf_matrix_create(run->linalg, "next density", n, n, &density, error));
    HF_TRY(guess_density(run, density, error));
    run->iteration_started = hf_wall_seconds();
    for (;;) {
        HF_TRY(evaluate(run, density, error));
        if (run->result->n_iteration == 1) run->result->guess_energy = run->result->energy;
        run->result->converged = is_converged(run);
        if (run->result->converged || run->result->n_iteration >= run->settings->max_iteration)
            break;
        HF_TRY(look_for_signal(run, error));
        HF_TRY(advance(run, density, error));
    }
cleanup:
    hf_matrix_destroy(&density);
    return status;
}

/** result = sum_mn D_mn <m| operator |n>. */
static hf_status expectation(struct run *run, enum hf_operator which, double *value,
                             struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *matrix = NULL;
    const int n = run->result->n_function;
    HF_TRY(hf_matrix_create(run->linalg, "one-electron integrals", n, n, &matrix, error));
    HF_TRY(one_electron(run, which, matrix, error));
    hf_matrix_dot(run->two_electron.density, matrix, value);
cleanup:
    hf_matrix_destroy(&matrix);
    return status;
}

/** What is only asked of the last density: orbital energies, parts of the energy, dipole. */
static hf_status finish(struct run *run, struct hf_error *error)
{
    hf_status status;
    struct hf_scf_result *result = run->result;
    HF_TRY(hf_lowest_orbitals(run->context, run->fock, result->orbital_energy, NULL, error));
    HF_TRY(expectation(run, HF_KINETIC, &result->kinetic, error));
    result->nuclear_attraction = result->one_electron - result->kinetic;
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    for (int x = 0; x < 3; x++) {
        double electrons;
        HF_TRY(expectation(run, along[x], &electrons, error));
        result->dipole[x] = -electrons;
        for (int a = 0; a < run->molecule->n_atom; a++)
            result->dipole[x] += hf_molecule_nuclear_charge(run->molecule, a) *
                                 run->molecule->atom[a].position_bohr[x];
    }
cleanup:
    return status;
}

void hf_scf_result_done(struct hf_scf_result *result)
{
    free(result->orbital_energy);
    *result = (struct hf_scf_result){0};
}

hf_status hf_scf_run(struct hf_context *context, const struct hf_molecule *molecule,
                     const struct hf_basis *basis, const struct hf_scf_settings *settings,
                     const struct hf_scf_observer *observer, struct hf_scf_result *result,
                     struct hf_error *error)
{
    hf_status status;
    struct run run = {
        .context = context,
        .molecule = molecule,
        .basis = basis,
        .settings = settings,
        .observer = observer,
        .result = result,
    };
    *result = (struct hf_scf_result){0};
    hf_scf_declare_phases(&context->timers);
    HF_TRY(hf_agree(context->comm, hf_scf_check(molecule, settings, &result->n_occupied, error),
                    error));
    result->nuclear_repulsion = hf_molecule_nuclear_repulsion(molecule);
    HF_TRY(set_up(&run, error));
    tell_start(&run);
    HF_TRY(converge(&run, error));
    HF_TRY(finish(&run, error));
cleanup:
    tear_down(&run);
    if (status != HF_OK) hf_scf_result_done(result);
    return status;
}
