/* From the last Fock matrices and densities to a wave function that outlives the calculation. */
#include "scf_state.h"

#include <stdlib.h>

/** Local: room for energies and occupations, the latter filled. */
static hf_status make_arrays(const struct hf_scf *scf, int k, struct hf_orbitals *orbitals,
                             struct hf_error *error)
{
    const int m = scf->result->n_orbital;
    orbitals->n_orbital = m;
    orbitals->n_occupied = scf->result->n_occupied[k];
    orbitals->energy = calloc((size_t)m, sizeof *orbitals->energy);
    orbitals->occupation = calloc((size_t)m, sizeof *orbitals->occupation);
    if (orbitals->energy == NULL || orbitals->occupation == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d orbital energies", m);
    scf->method->occupations(k, scf->result->n_occupied, m, orbitals->occupation);
    return HF_OK;
}

/** Energies of the last Fock matrix k, which is destroyed, and C = X C'. */
static hf_status make_orbitals(struct hf_scf *scf, int k, struct hf_orbitals *orbitals,
                               struct hf_error *error)
{
    hf_status status;
    const int n = scf->result->n_function, m = scf->result->n_orbital;
    struct hf_timers *timers = &scf->context->timers;
    struct hf_matrix *vector = NULL;
    HF_TRY(hf_matrix_create(scf->linalg, "orbitals", m, m, &vector, error));
    HF_TRY(hf_lowest_orbitals(scf->context, scf->fock[k], orbitals->energy, vector, error));
    hf_matrix_destroy(&scf->fock[k]);
    HF_TRY(
        hf_matrix_create(scf->linalg, "orbital coefficients", n, m, &orbitals->coefficient, error));
    hf_timer_start(timers, &hf_phase_linear_algebra);
    hf_matrix_multiply(1.0, false, scf->x, false, vector, 0.0, orbitals->coefficient);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
cleanup:
    hf_matrix_destroy(&vector);
    return status;
}

/** Moves the densities and the grid over, which cannot fail. Where spins share their orbitals, their
 *  densities are added up. */
static void hand_over(struct hf_scf *scf, struct hf_wavefunction *wavefunction)
{
    for (int k = scf->method->n_fock; k < scf->method->n_density; k++)
        hf_matrix_add(1.0, scf->two_electron.density[k], 1.0, scf->two_electron.density[0]);
    for (int k = 0; k < scf->method->n_fock; k++) {
        wavefunction->spin[k].density = scf->two_electron.density[k];
        scf->two_electron.density[k] = NULL;
    }
    wavefunction->linalg = scf->linalg;
    scf->linalg = NULL;
}

hf_status hf_scf_give_wavefunction(struct hf_scf *scf, struct hf_wavefunction *wavefunction,
                                   struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = scf->result->n_function, n_spin = scf->method->n_fock;
    const bool matrices = scf->settings->wavefunction == HF_WAVEFUNCTION_ALL;
    *wavefunction = (struct hf_wavefunction){.method = scf->method->name,
                                             .n_spin = n_spin,
                                             .basis = scf->basis,
                                             .molecule = scf->molecule};
    for (int k = 0; k < n_spin && status == HF_OK; k++)
        status = make_arrays(scf, k, &wavefunction->spin[k], error);
    HF_TRY(hf_agree(scf->context->comm, status, error));
    if (matrices) hf_diis_destroy(&scf->diis); /* makes room */
    for (int k = 0; k < n_spin; k++) {
        struct hf_orbitals *orbitals = &wavefunction->spin[k];
        if (matrices)
            HF_TRY(make_orbitals(scf, k, orbitals, error));
        else
            HF_TRY(hf_lowest_orbitals(scf->context, scf->fock[k], orbitals->energy, NULL, error));
    }
    if (!matrices) return HF_OK;
    HF_TRY(hf_matrix_create(scf->linalg, "overlap", n, n, &wavefunction->overlap, error));
    HF_TRY(hf_scf_overlap(scf, wavefunction->overlap, error));
    hand_over(scf, wavefunction);
    return HF_OK;
cleanup:
    hf_wavefunction_done(wavefunction);
    return status;
}
