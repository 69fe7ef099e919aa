/* From the last Fock matrices and densities to a wave function that outlives the calculation. */
#include "converger.h"

#include <stdlib.h>
#include <string.h>

/** Local: room for energies and occupations, the latter filled. */
static hf_status make_arrays(const struct hf_scf *scf, int k, struct hf_orbitals *orbitals,
                             struct hf_error *error)
{
    const int m = scf->result->n_orbital;
    const hf_status status = hf_scf_describe_orbitals(scf, k, orbitals, error);
    if (status != HF_OK) return status;
    orbitals->energy = calloc((size_t)m, sizeof *orbitals->energy);
    if (orbitals->energy == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d orbital energies", m);
    return HF_OK;
}

/** Orbitals C = X C' of the last Fock matrices, which are destroyed. */
static hf_status make_orbitals(struct hf_scf *scf, struct hf_wavefunction *wavefunction,
                               struct hf_error *error)
{
    hf_status status;
    struct hf_timers *timers = &scf->context->timers;
    struct hf_matrix *vector[HF_MAX_SPIN] = {NULL};
    HF_TRY(hf_scf_all_orbitals(scf, scf->fock, vector, error));
    hf_scf_destroy_list(scf->fock);
    for (int k = 0; k < scf->method->n_set; k++) {
        hf_timer_start(timers, &hf_phase_linear_algebra);
        status = hf_scf_coefficients(scf, vector[k], &wavefunction->spin[k].coefficient, error);
        hf_timer_stop(timers, &hf_phase_linear_algebra);
        if (status != HF_OK) goto cleanup;
        hf_matrix_destroy(&vector[k]);
    }
cleanup:
    hf_scf_destroy_list(vector);
    return status;
}

/** Moves the densities and the grid over, which cannot fail. */
static void hand_over(struct hf_scf *scf, struct hf_wavefunction *wavefunction)
{
    wavefunction->density = scf->two_electron.density[0];
    wavefunction->spin_density = scf->two_electron.density[1];
    scf->two_electron.density[0] = scf->two_electron.density[1] = NULL;
    wavefunction->linalg = scf->linalg;
    scf->linalg = NULL;
}

hf_status hf_scf_give_wavefunction(struct hf_scf *scf, struct hf_wavefunction *wavefunction,
                                   struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = scf->result->n_function, n_spin = scf->method->n_set;
    const size_t m = (size_t)scf->result->n_orbital;
    const bool matrices = scf->settings->wavefunction != HF_WAVEFUNCTION_ENERGIES;
    const bool orbitals = scf->settings->wavefunction == HF_WAVEFUNCTION_ALL;
    *wavefunction = (struct hf_wavefunction){.method = scf->method->name,
                                             .n_spin = n_spin,
                                             .basis = scf->basis,
                                             .molecule = scf->molecule};
    for (int k = 0; k < n_spin && status == HF_OK; k++)
        status = make_arrays(scf, k, &wavefunction->spin[k], error);
    HF_TRY(hf_agree(scf->context->comm, status, error));
    if (matrices) hf_diis_destroy(&scf->diis); /* makes room */
    HF_TRY(orbitals ? make_orbitals(scf, wavefunction, error)
                    : hf_scf_orbital_energies(scf, error));
    for (int k = 0; k < n_spin; k++)
        memcpy(wavefunction->spin[k].energy, scf->orbital_energy + (size_t)k * m,
               m * sizeof *scf->orbital_energy);
    if (!matrices) return HF_OK;
    HF_TRY(hf_matrix_create(scf->linalg, "overlap", n, n, &wavefunction->overlap, error));
    HF_TRY(hf_scf_overlap(scf, wavefunction->overlap, error));
    hand_over(scf, wavefunction);
    return HF_OK;
cleanup:
    hf_wavefunction_done(wavefunction);
    return status;
}
