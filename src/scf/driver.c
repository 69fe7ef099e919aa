/* The self-consistent field (book Fig. 8.1), the same for every method. */
#include "hf/scf.h"

#include "converger.h"
#include "hf/interruption.h"
#include "pairs/common_pairs.h"

static bool is_last(const struct hf_scf *scf)
{
    const int n = scf->result->n_iteration - scf->n_before;
    return n >= scf->settings->max_iteration || hf_scf_second_search_ends(scf, n);
}

static void report_start(const struct hf_scf *scf)
{
    const struct hf_fock_account account = hf_fock_account(scf->builder);
    const struct hf_scf_start start = {
        .n_function = scf->result->n_function,
        .n_orbital = scf->result->n_orbital,
        .linalg = hf_linalg_description(scf->linalg),
        .transport = account.transport,
        .note = hf_fock_note(scf->builder),
    };
    if (scf->observer != NULL && scf->observer->started != NULL)
        scf->observer->started(scf->observer->data, &start);
}

/** The densities of scf->occupied. The last Fock matrices are destroyed first: the next build needs the
 *  memory. */
static hf_status make_densities(struct hf_scf *scf, struct hf_matrix *density[],
                                struct hf_error *error)
{
    struct hf_timers *timers = &scf->context->timers;
    hf_scf_destroy_list(scf->commutator);
    hf_scf_destroy_list(scf->fock);
    hf_timer_start(timers, &hf_phase_linear_algebra);
    const hf_status status = hf_scf_make_densities(scf, "next density", density, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    return status;
}

/** The next densities, from the Fock matrices and commutators so far.
 *
 *  A density that does not come from orbitals, such as a superposition of atoms, only gives the first
 *  orbitals: no converger must use it. It is not idempotent and, where atoms are far apart, nearly
 *  commutes with its own Fock matrix, so that DIIS would return to it for ever. */
static hf_status advance(struct hf_scf *scf, struct hf_matrix *density[], struct hf_error *error)
{
    if (scf->settings->max_overlap && scf->has_orbitals) HF_CHECK(hf_scf_set_reference(scf, error));
    HF_CHECK(hf_scf_note_mixed_orbitals(scf, error));
    if (scf->settings->guess_mix && scf->result->n_iteration == 1) {
        scf->step = "mixing";
        HF_CHECK(hf_scf_mix_guess(scf, error));
    } else if (scf->has_orbitals) {
        HF_CHECK(scf->converger->step(scf, scf->converger_data, &scf->step, error));
    } else {
        scf->step = "Roothaan";
        HF_CHECK(hf_scf_diagonalise(scf, error));
    }
    HF_CHECK(hf_scf_note_first_orbitals(scf, error));
    return make_densities(scf, density, error);
}

/** Keeps the state of an interrupted calculation if that is possible; the error that is reported is the
 *  interruption. A restart state that was not read completely must not replace itself. */
static void keep_interrupted(struct hf_scf *scf)
{
    struct hf_error ignored;
    if (scf->settings->restart != NULL && !scf->has_orbitals) return;
    hf_status status = hf_scf_end_second_search(scf, &ignored);
    if (status == HF_OK) status = hf_scf_keep(scf, HF_KEEP_INTERRUPTED, &ignored);
    (void)status;
}

/** The next density, evaluated: an iteration. */
static hf_status iterate(struct hf_scf *scf, struct hf_matrix *density[], struct hf_error *error)
{
    const hf_status status = hf_scf_evaluate(scf, density, error);
    if (status == HF_OK && scf->result->n_iteration == 1)
        scf->result->guess_energy = scf->result->energy;
    return status;
}

/** result->converged of the last iteration: never of a density that only gives the first orbitals,
 *  nor before fractional occupations are those of its Fock matrices. */
static hf_status judge(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_scf_result *result = scf->result;
    const struct hf_converger_ops *converger = scf->converger;
    if (scf->search.stage == HF_SEARCH_BACK) { /* judged by the first search */
        scf->search.stage = HF_SEARCH_ONE;
        result->converged = true;
        result->energy_error = scf->search.error;
        return HF_OK;
    }
    result->converged = scf->has_orbitals && hf_scf_is_converged(scf);
    if (result->converged) HF_CHECK(hf_scf_occupations_fit(scf, &result->converged, error));
    if (result->converged && converger->confirm != NULL && !is_last(scf))
        HF_CHECK(converger->confirm(scf, scf->converger_data, &result->converged, error));
    return HF_OK;
}

/** From densities, which are destroyed, to convergence or the last iteration allowed. */
static hf_status converge(struct hf_scf *scf, struct hf_matrix *density[], struct hf_error *error)
{
    scf->descent.n = 0;
    for (;;) {
        HF_CHECK(iterate(scf, density, error));
        HF_CHECK(judge(scf, error));
        if (scf->result->converged || is_last(scf)) break;
        HF_CHECK(advance(scf, density, error));
        HF_CHECK(hf_scf_keep(scf, HF_KEEP_ITERATION, error));
        HF_CHECK(hf_agree_to_go_on(scf->context, HF_OK, error));
    }
    return HF_OK;
}

/** From the guess, or an earlier calculation, to a solution; then to lower solutions, if the stability
 *  analysis finds any. */
static hf_status solve(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status = HF_OK;
    bool again = false;
    struct hf_matrix *density[HF_MAX_SPIN] = {NULL};
    HF_TRY(hf_scf_create_list(scf, "next density", scf->method->n_density, true, density, error));
    if (scf->settings->restart != NULL)
        HF_TRY(hf_scf_take_restart(scf, density, error));
    else
        HF_TRY(hf_scf_guess(scf, density, error));
    scf->n_before = scf->result->n_earlier;
    scf->iteration_started = hf_wall_seconds();
    for (;;) {
        HF_TRY(converge(scf, density, error));
        HF_TRY(hf_scf_search_again(scf, &again, error));
        if (!again) HF_TRY(hf_scf_settle(scf, &again, error));
        if (!again) HF_TRY(hf_scf_take_lower(scf, &again, error));
        if (!again) break;
        scf->n_before = scf->result->n_iteration;
        HF_TRY(make_densities(scf, density, error));
    }
cleanup:
    hf_scf_destroy_list(density);
    if (status == HF_INTERRUPTED) keep_interrupted(scf);
    return status;
}

/** The converger of the settings; `auto` is another one with fractional occupations and with maximum overlap. */
static hf_status find_converger(struct hf_scf *scf, struct hf_error *error)
{
    const struct hf_scf_settings *settings = scf->settings;
    const hf_status status = hf_converger_find(settings->converger, &scf->converger, error);
    if (settings->smearing > 0.0 && scf->converger == &hf_converger_auto)
        scf->converger = &hf_converger_smearing;
    if (settings->max_overlap && scf->converger == &hf_converger_auto)
        scf->converger = &hf_converger_diis;
    return status;
}

/** What must be there at all. */
static hf_status check_arguments(const struct hf_context *context,
                                 const struct hf_molecule *molecule, const struct hf_basis *basis,
                                 const struct hf_scf_settings *settings,
                                 const struct hf_scf_result *result, struct hf_error *error)
{
    if (context == NULL || molecule == NULL || basis == NULL || settings == NULL || result == NULL)
        return hf_fail(error, HF_BAD_INPUT,
                       "a calculation needs a context, a molecule, basis and settings, and a place "
                       "for the result; one of them is NULL");
    if (basis->n_atom != molecule->n_atom)
        return hf_fail(error, HF_BAD_INPUT, "the basis has %d atoms, the molecule %d",
                       basis->n_atom, molecule->n_atom);
    if (settings->pairs != NULL && !hf_common_pairs_are_of(settings->pairs, basis))
        return hf_fail(error, HF_BAD_INPUT, "the shell pairs of the settings are of another basis");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_core_potential *potential = hf_atom_core_potential(basis, i);
        const int n_core = potential != NULL ? potential->n_core : 0;
        if (molecule->atom[i].n_core != n_core)
            return hf_fail(error, HF_BAD_INPUT,
                           "atom %d has a core of %d electrons, its basis set one of %d; call "
                           "hf_basis_set_cores before the calculation",
                           i + 1, molecule->atom[i].n_core, n_core);
    }
    return HF_OK;
}

hf_status hf_scf_run(struct hf_context *context, const struct hf_molecule *molecule,
                     const struct hf_basis *basis, const struct hf_scf_settings *settings,
                     const struct hf_scf_observer *observer, struct hf_scf_result *result,
                     struct hf_wavefunction *wavefunction, struct hf_error *error)
{
    hf_status status = check_arguments(context, molecule, basis, settings, result, error);
    if (context != NULL) status = hf_agree(context->comm, status, error);
    if (status == HF_OK)
        status = hf_scf_check_same(context, molecule, basis, settings, wavefunction != NULL, error);
    if (status != HF_OK) return status;
    struct hf_scf scf = {
        .context = context,
        .molecule = molecule,
        .basis = basis,
        .settings = settings,
        .observer = observer,
        .result = result,
        .step = "",
    };
    *result = (struct hf_scf_result){0};
    context->n_thread = settings->fock.n_thread > 1 ? settings->fock.n_thread : 1;
    context->reproducible = settings->fock.reproducible;
    if (context->reproducible) hf_linalg_set_blas_threads(1);
    hf_scf_declare_phases(&context->timers);
    if (wavefunction != NULL) *wavefunction = (struct hf_wavefunction){0};
    HF_TRY(hf_agree(context->comm,
                    hf_scf_check(molecule, settings, &scf.method, &scf.n_electron, error), error));
    HF_TRY(find_converger(&scf, error));
    hf_scf_plan_second_search(&scf);
    result->n_occupied[0] = scf.n_electron.alpha;
    result->n_occupied[1] = scf.n_electron.beta;
    result->nuclear_repulsion = hf_nuclear_energy_of(context, molecule, &hf_term_nuclei);
    result->nuclear = hf_nuclear_energy(context, molecule);
    HF_TRY(hf_scf_set_up(&scf, error));
    report_start(&scf);
    HF_TRY(solve(&scf, error));
    if (settings->weighted_density && result->converged) HF_TRY(hf_scf_weigh_density(&scf, error));
    if (settings->responding != NULL && result->converged) HF_TRY(hf_scf_respond(&scf, error));
    hf_fock_destroy(&scf.builder); /* its arrays and integrals are the most there is */
    HF_TRY(hf_scf_keep(&scf, result->converged ? HF_KEEP_FINISHED : HF_KEEP_UNCONVERGED, error));
    hf_scf_destroy_list(scf.commutator);
    HF_TRY(hf_scf_finish(&scf, error));
    if (wavefunction != NULL) HF_TRY(hf_scf_give_wavefunction(&scf, wavefunction, error));
cleanup:
    hf_scf_tear_down(&scf);
    /* what ended the set-up or the guess is to end no other calculation of this context */
    if (status == HF_INTERRUPTED) hf_interruption_settle(context->interruption);
    if (status != HF_OK) {
        *result = (struct hf_scf_result){0};
        if (wavefunction != NULL) hf_wavefunction_done(wavefunction);
    }
    return status;
}
