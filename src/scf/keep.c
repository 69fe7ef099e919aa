/* The state of a calculation, given to the keeper of the settings. */
#include "hf/interruption.h"

#include "converger.h"

#include <stdlib.h>
#include <string.h>

/** scf->occupied = the first of the orbitals vector [n_set]; with fractional occupations, which
 *  stay what they were at convergence, each times the square root of its own. */
static hf_status take_occupied(struct hf_scf *scf, struct hf_matrix *const vector[],
                               struct hf_error *error)
{
    if (scf->occupation != NULL && !scf->result->converged)
        return hf_scf_occupy(scf, vector, error);
    for (int k = 0; k < scf->method->n_set; k++)
        if (scf->occupation != NULL)
            HF_CHECK(hf_scf_weigh(scf, k, vector[k], error));
        else if (scf->occupied[k] != NULL)
            hf_matrix_copy_columns(vector[k], 0, hf_matrix_n_col(scf->occupied[k]), NULL,
                                   scf->occupied[k], 0);
    return HF_OK;
}

/** All orbitals of the last Fock matrices if the calculation is converged, else those of the next DIIS
 *  combination, which includes the last Fock matrices; scf->fock stays as it is. With maximum overlap
 *  the occupied orbitals are not the lowest: they go to scf->occupied, and vector stays empty. */
static hf_status make_all_orbitals(struct hf_scf *scf, struct hf_matrix *vector[],
                                   struct hf_error *error)
{
    hf_status status = HF_OK;
    const bool by_overlap = scf->settings->max_overlap && scf->has_orbitals;
    struct hf_matrix *fock[HF_MAX_SPIN] = {NULL};
    if (scf->result->converged) {
        HF_TRY(hf_scf_all_orbitals(scf, scf->fock, vector, error));
        scf->has_energies = true;
    } else {
        HF_TRY(hf_scf_create_list(scf, "Fock matrix", scf->method->n_fock, false, fock, error));
        for (int k = 0; k < scf->method->n_fock; k++) hf_matrix_copy(scf->fock[k], fock[k]);
        if (scf->has_orbitals) HF_TRY(hf_scf_remember(scf, error));
        if (scf->has_orbitals) HF_TRY(hf_scf_extrapolate(scf, error));
        if (by_overlap) HF_TRY(hf_scf_set_reference(scf, error));
        HF_TRY(by_overlap ? hf_scf_diagonalise(scf, error)
                          : hf_scf_next_orbitals(scf, vector, error));
        memcpy(scf->fock, fock, sizeof fock);
        memset(fock, 0, sizeof fock);
    }
    if (vector[0] != NULL) HF_TRY(take_occupied(scf, vector, error));
    scf->has_orbitals = true;
cleanup:
    hf_scf_destroy_list(fock);
    return status;
}

/** Coefficients C = X C' of C' `orthonormal` (NULL: there are none), energies and occupations. */
static hf_status make_orbitals(const struct hf_scf *scf, int k, const struct hf_matrix *orthonormal,
                               struct hf_orbitals *orbitals, struct hf_error *error)
{
    orbitals->energy = scf->orbital_energy + (size_t)k * (size_t)scf->result->n_orbital;
    hf_status status =
        hf_agree(scf->context->comm, hf_scf_describe_orbitals(scf, k, orbitals, error), error);
    if (status == HF_OK && orthonormal != NULL)
        status = hf_scf_coefficients(scf, k, orthonormal, &orbitals->coefficient, error);
    return status;
}

/** Makes the orbitals and densities of a state. After convergence scf->occupied is not changed, so all later results
 *  have the same bits with and without a checkpoint. */
static hf_status put_together(struct hf_scf *scf, enum hf_keep_reason reason,
                              struct hf_scf_state *state, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *vector[HF_MAX_SPIN] = {NULL}, *occupied[HF_MAX_SPIN] = {NULL};
    if (reason == HF_KEEP_FINISHED)
        HF_TRY(hf_scf_copy_occupied(scf, "occupied orbitals", occupied, error));
    if (reason == HF_KEEP_FINISHED || reason == HF_KEEP_UNCONVERGED)
        HF_TRY(make_all_orbitals(scf, vector, error));
    if (scf->has_orbitals)
        HF_TRY(hf_scf_make_densities(scf, "density of a checkpoint", state->density, error));
    for (int k = 0; k < state->n_spin; k++) {
        if (vector[k] == NULL && scf->occupied[k] != NULL && scf->occupation != NULL)
            HF_TRY(hf_scf_unweighed(scf, k, &vector[k], error));
        const struct hf_matrix *all = vector[k] != NULL ? vector[k] : scf->occupied[k];
        HF_TRY(make_orbitals(scf, k, scf->has_orbitals ? all : NULL, &state->spin[k], error));
    }
cleanup:
    for (int k = 0; k < scf->method->n_set; k++) {
        if (occupied[k] == NULL) continue;
        hf_matrix_destroy(&scf->occupied[k]);
        scf->occupied[k] = occupied[k];
    }
    hf_scf_destroy_list(vector);
    return status;
}

static void dismantle(struct hf_scf_state *state)
{
    hf_scf_destroy_list(state->density);
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        hf_matrix_destroy(&state->spin[k].coefficient);
        free(state->spin[k].occupation);
    }
}

hf_status hf_scf_keep(struct hf_scf *scf, enum hf_keep_reason reason, struct hf_error *error)
{
    const struct hf_scf_keeper *keeper = scf->settings->keeper;
    struct hf_timers *timers = &scf->context->timers;
    struct hf_scf_state state = {
        .method = scf->method->name,
        .n_function = scf->result->n_function,
        .n_orbital = scf->result->n_orbital,
        .n_spin = scf->method->n_set,
        .n_fock = scf->method->n_fock,
        .n_density = scf->method->n_density,
        .n_iteration = scf->n_done,
        .converged = reason == HF_KEEP_FINISHED,
        .energy = scf->result->energy,
        .energy_change = scf->result->energy_change,
        .commutator = scf->result->commutator,
        .threshold = scf->two_electron.threshold,
        .guess_energy = scf->result->guess_energy,
    };
    if (keeper == NULL || !keeper->wanted(keeper->data, reason)) return HF_OK;
    const double start = hf_wall_seconds();
    hf_timer_start(timers, &hf_phase_linear_algebra);
    hf_status status = hf_scf_share_basis(scf, error);
    if (status == HF_OK) status = put_together(scf, reason, &state, error);
    state.x = scf->x[0];
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    state.n_diis = hf_diis_n_stored(scf->diis);
    state.diis = hf_diis_in_order(scf->diis);
    status = keeper->keep(keeper->data, status == HF_OK ? &state : NULL, reason, error);
    dismantle(&state);
    /* a time limit must leave enough time for another one, perhaps on a slower disk */
    hf_interruption_reserve(scf->context->interruption, 2.0 * (hf_wall_seconds() - start));
    return status;
}

struct hf_scf_restart hf_scf_restart_of(const struct hf_scf_state *state)
{
    struct hf_scf_restart restart = {
        .method = state->method,
        .n_function = state->n_function,
        .n_orbital = state->n_orbital,
        .n_spin = state->n_spin,
        .n_fock = state->n_fock,
        .n_density = state->n_density,
        .n_iteration = state->n_iteration,
        .energy = state->energy,
        .commutator = state->commutator,
        .threshold = state->threshold,
        .guess_energy = state->guess_energy,
        .n_diis = state->n_diis,
    };
    for (int k = 0; k < state->n_spin; k++)
        if (state->spin[k].coefficient != NULL)
            restart.n_column[k] = hf_matrix_n_col(state->spin[k].coefficient);
    return restart;
}
