/* The self-consistent field (book Fig. 8.1), the same for every method, and a second search for a lower solution. */
#include "hf/scf.h"

#include "converger.h"
#include "hf/interruption.h"
#include "pairs/common_pairs.h"

#include <string.h>

/* ---- A second search -------------------------------------------------------------------------- */

/* A second search of UHF and of open shells, by second-order steps: where `auto` needed such steps, as to leave a saddle
 * point, and for `--stability follow`. Open shells begin at the same first orbitals: of 85 that leave a saddle point
 * (tests/reference, 27 curves) each search ends lower than the other in seven, by up to 0.09 hartree; without it curves of NO
 * and CN have steps. Singlets begin where alpha and beta electrons prefer different atoms: CO from 2 angstrom on ends 0.07
 * hartree lower than from the first orbitals. */

/* Hartree; a smaller difference is none. */
static const double SAME = 1e-7;

/** New coefficients saved [n_set] [n][o] of scf->occupied. They do not depend on the orthonormal basis. */
static hf_status save(const struct hf_scf *scf, struct hf_matrix *saved[], struct hf_error *error)
{
    for (int k = 0; k < scf->method->n_set; k++)
        if (scf->occupied[k] != NULL)
            HF_CHECK(hf_scf_coefficients(scf, k, scf->occupied[k], &saved[k], error));
    return HF_OK;
}

/** scf->occupied = the saved orbitals, which are destroyed. */
static hf_status go_back(struct hf_scf *scf, struct hf_matrix *saved[], struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *dual = NULL;
    HF_TRY(hf_scf_share_basis(scf, error));
    HF_TRY(hf_scf_dual(scf, &dual, error));
    for (int k = 0; k < scf->method->n_set; k++)
        if (saved[k] != NULL)
            hf_matrix_multiply(1.0, true, dual, false, saved[k], 0.0, scf->occupied[k]);
    hf_scf_destroy_list(saved);
cleanup:
    hf_matrix_destroy(&dual);
    return status;
}

bool hf_scf_may_search_twice(const struct hf_scf_settings *settings,
                             const struct hf_method_ops *method)
{
    return strcmp(settings->converger, hf_converger_auto.name) == 0 && !settings->max_overlap &&
           strcmp(method->name, "rhf") != 0 && !hf_scf_starts_near(settings);
}

/** Notes whether there may be a second search. Not collective. */
static void plan_second_search(struct hf_scf *scf)
{
    if (hf_scf_may_search_twice(scf->settings, scf->method)) scf->search.stage = HF_SEARCH_FIRST;
}

/** Keeps mixed orbitals (hf_scf_mix_guess) for the second search of a singlet, if the first Fock matrices are there; scf stays
 *  as it is. Collective. HF_NO_RESOURCE. */
static hf_status note_mixed_orbitals(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_second_search *search = &scf->search;
    struct hf_matrix *copy[HF_MAX_SPIN] = {NULL};
    const bool has_orbitals = scf->has_orbitals;
    if (search->stage != HF_SEARCH_FIRST || search->has_first || scf->method->n_set == 1 ||
        scf->n_electron.alpha != scf->n_electron.beta || scf->settings->guess_mix)
        return HF_OK;
    HF_TRY(hf_scf_copy_occupied(scf, "orbitals of the first search", copy, error));
    HF_TRY(hf_scf_mix_guess(scf, error));
    HF_TRY(save(scf, search->first, error));
    search->has_first = true;
    for (int k = 0; k < scf->method->n_set; k++)
        if (copy[k] != NULL) hf_matrix_copy(copy[k], scf->occupied[k]);
    scf->has_orbitals = has_orbitals;
cleanup:
    hf_scf_destroy_list(copy);
    return status;
}

/** Keeps scf->occupied for the second search, if it needs first orbitals and has none. Collective. HF_NO_RESOURCE. */
static hf_status note_first_orbitals(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    if (search->stage != HF_SEARCH_FIRST || search->has_first) return HF_OK;
    search->has_first = true;
    return save(scf, search->first, error);
}

/** At the end of the first search: *again becomes true, scf->occupied the first orbitals. Collective. HF_NO_RESOURCE. */
static hf_status search_again(struct hf_scf *scf, bool *again, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    *again = search->stage == HF_SEARCH_FIRST && search->has_first &&
             ((search->strayed && scf->result->converged) ||
              scf->settings->stability == HF_STABILITY_FOLLOW);
    if (search->stage == HF_SEARCH_FIRST) search->stage = *again ? HF_SEARCH_SECOND : HF_SEARCH_ONE;
    if (!*again) return HF_OK;
    search->has_found = scf->result->converged;
    search->energy = scf->result->energy;
    search->error = scf->result->energy_error;
    search->n_iteration = scf->result->n_iteration - scf->n_before;
    if (search->has_found) HF_CHECK(save(scf, search->found, error));
    HF_CHECK(go_back(scf, search->first, error));
    scf->soft = false;
    scf->step = "anew";
    return hf_scf_use_newton(scf, error);
}

/** Whether a second search that nobody asked for ends after so many iterations: it takes far more than the first one.
 *  Not collective. */
static bool second_search_ends(const struct hf_scf *scf, int n_iteration)
{
    const struct hf_second_search *search = &scf->search;
    return search->stage == HF_SEARCH_SECOND && search->has_found &&
           scf->settings->stability != HF_STABILITY_FOLLOW &&
           n_iteration >= 2 * search->n_iteration + 10;
}

/** At the end of the second search: *again becomes true and scf->occupied those of the first one if that was lower.
 *  Collective. HF_NO_RESOURCE. */
static hf_status take_lower(struct hf_scf *scf, bool *again, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    struct hf_scf_result *result = scf->result;
    const bool is_second = search->stage == HF_SEARCH_SECOND;
    *again = is_second && search->has_found &&
             (!result->converged || result->energy > search->energy + SAME);
    search->stage = *again ? HF_SEARCH_BACK : HF_SEARCH_ONE;
    if (!*again) return HF_OK;
    result->stability.n_follow = 0; /* of the second search */
    scf->step = "lower";
    return go_back(scf, search->found, error);
}

/** If a second search is interrupted: scf->occupied and the energy become those of the first one, if it converged.
 *  Collective. HF_NO_RESOURCE. */
static hf_status end_second_search(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_second_search *search = &scf->search;
    if (search->stage != HF_SEARCH_SECOND || !search->has_found) return HF_OK;
    search->stage = HF_SEARCH_ONE;
    scf->result->energy = search->energy;
    return go_back(scf, search->found, error);
}

/* ---- The driver ------------------------------------------------------------------------------- */

static bool is_last(const struct hf_scf *scf)
{
    const int n = scf->result->n_iteration - scf->n_before;
    return n >= scf->settings->max_iteration || second_search_ends(scf, n);
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
    HF_CHECK(note_mixed_orbitals(scf, error));
    if (scf->settings->guess_mix && scf->result->n_iteration == 1) {
        scf->step = "mixing";
        HF_CHECK(hf_scf_mix_guess(scf, error));
    } else if (scf->has_orbitals) {
        HF_CHECK(scf->converger->step(scf, scf->converger_data, &scf->step, error));
    } else {
        scf->step = "Roothaan";
        HF_CHECK(hf_scf_diagonalise(scf, error));
    }
    HF_CHECK(note_first_orbitals(scf, error));
    return make_densities(scf, density, error);
}

/** Keeps the state of an interrupted calculation if that is possible; the error that is reported is the
 *  interruption. A restart state that was not read completely must not replace itself. */
static void keep_interrupted(struct hf_scf *scf)
{
    struct hf_error ignored;
    if (scf->settings->restart != NULL && !scf->has_orbitals) return;
    hf_status status = end_second_search(scf, &ignored);
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
        HF_TRY(search_again(scf, &again, error));
        if (!again) HF_TRY(hf_scf_settle(scf, &again, error));
        if (!again) HF_TRY(take_lower(scf, &again, error));
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

/** Checks that pointers are given and fit together. */
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
    plan_second_search(&scf);
    result->n_occupied[0] = scf.n_electron.alpha;
    result->n_occupied[1] = scf.n_electron.beta;
    result->nuclear_repulsion = hf_nuclear_energy_of(context, molecule, &hf_term_nuclei);
    result->nuclear = hf_nuclear_energy(context, molecule);
    HF_TRY(hf_scf_set_up(&scf, error));
    report_start(&scf);
    HF_TRY(solve(&scf, error));
    if (settings->weighted_density && result->converged) HF_TRY(hf_scf_weigh_density(&scf, error));
    if (settings->responding != NULL && result->converged) HF_TRY(hf_scf_respond(&scf, error));
    hf_fock_destroy(&scf.builder); /* its arrays and integrals take most of the memory */
    HF_TRY(hf_scf_keep(&scf, result->converged ? HF_KEEP_FINISHED : HF_KEEP_UNCONVERGED, error));
    hf_scf_destroy_list(scf.commutator);
    HF_TRY(hf_scf_finish(&scf, error));
    if (wavefunction != NULL) HF_TRY(hf_scf_give_wavefunction(&scf, wavefunction, error));
cleanup:
    hf_scf_tear_down(&scf);
    /* an interruption of the set-up or the guess must not end another calculation of this context */
    if (status == HF_INTERRUPTED) hf_interruption_settle(context->interruption);
    if (status != HF_OK) {
        *result = (struct hf_scf_result){0};
        if (wavefunction != NULL) hf_wavefunction_done(wavefunction);
    }
    return status;
}
