/* Results from orbitals and densities of a calculation: densities and coefficients, parts of the energy,
 * dipole moment and spin, a wave function that outlives the calculation. */
#include "converger.h"

#include <stdlib.h>
#include <string.h>
hf_status hf_scf_make_densities(const struct hf_scf *scf, const char *label,
                                struct hf_matrix *density[], struct hf_error *error)
{
    const struct hf_determinant of = hf_scf_determinant(scf);
    HF_CHECK(hf_scf_create_list(scf, label, scf->method->n_density, true, density, error));
    return hf_method_densities(&of, density, error);
}

hf_status hf_scf_describe_orbitals(const struct hf_scf *scf, int k, struct hf_orbitals *orbitals,
                                   struct hf_error *error)
{
    const int m = scf->result->n_orbital;
    orbitals->n_orbital = m;
    orbitals->n_occupied = hf_set_size(scf->n_electron, k);
    orbitals->occupation = calloc((size_t)m, sizeof *orbitals->occupation);
    if (orbitals->occupation == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for %d occupations", m);
    hf_scf_occupations(scf, k, orbitals->occupation);
    return HF_OK;
}
hf_status hf_scf_coefficients(const struct hf_scf *scf, int k, const struct hf_matrix *orthonormal,
                              struct hf_matrix **coefficient, struct hf_error *error)
{
    const struct hf_determinant of = hf_scf_determinant(scf);
    return hf_matrix_create_product("orbital coefficients", false, hf_basis_of_set(&of, k), false,
                                    orthonormal, coefficient, error);
}

/** <S^2> of the determinant: S_z (S_z + 1) + N_beta - |W_alpha^T W_beta|^2. With fractional
 *  occupations the same formula. */
static hf_status find_spin(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    const struct hf_determinant of = hf_scf_determinant(scf);
    const double s = 0.5 * (scf->n_electron.alpha - scf->n_electron.beta);
    struct hf_matrix *alpha = NULL, *beta = NULL, *product = NULL;
    scf->result->spin_squared = scf->result->ideal_spin_squared = s * (s + 1.0);
    if (scf->method->n_set == 1 || !scf->has_orbitals) return HF_OK;
    HF_TRY(hf_spin_orbitals(&of, 0, &alpha, error));
    HF_TRY(hf_spin_orbitals(&of, 1, &beta, error));
    if (alpha != NULL && beta != NULL) {
        double overlap;
        HF_TRY(hf_matrix_create_product("overlap of both spins", true, alpha, false, beta, &product,
                                        error));
        hf_matrix_dot(product, product, &overlap);
        scf->result->spin_squared += scf->n_electron.beta - overlap;
    }
cleanup:
    HF_DESTROY_MATRICES(&product, &beta, &alpha);
    return status;
}

hf_status hf_scf_finish(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_scf_result *result = scf->result;
    struct hf_timers *timers = &scf->context->timers;
    struct hf_matrix *const *density = scf->two_electron.fields.density; /* the total one first */
    hf_timer_start(timers, &hf_phase_one_electron);
    hf_status status = hf_hamiltonian_energies(scf->hamiltonian, density[0], result->one_electron,
                                               &result->n_term, result->term, error);
    if (status == HF_OK)
        status = hf_hamiltonian_dipole(scf->hamiltonian, density[0], result->dipole, error);
    hf_timer_stop(timers, &hf_phase_one_electron);
    if (status == HF_OK) status = hf_scf_share_basis(scf, error);
    return status == HF_OK ? find_spin(scf, error) : status;
}

/** Local: room for energies and occupations, the latter filled. */
static hf_status make_arrays(const struct hf_scf *scf, int k, struct hf_orbitals *orbitals,
                             struct hf_error *error)
{
    const int m = scf->result->n_orbital;
    HF_CHECK(hf_scf_describe_orbitals(scf, k, orbitals, error));
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
        status = hf_scf_coefficients(scf, k, vector[k], &wavefunction->spin[k].coefficient, error);
        hf_timer_stop(timers, &hf_phase_linear_algebra);
        if (status != HF_OK) goto cleanup;
        hf_matrix_destroy(&vector[k]);
    }
cleanup:
    hf_scf_destroy_list(vector);
    return status;
}
hf_status hf_scf_weigh_density(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_timers *timers = &scf->context->timers;
    const struct hf_determinant of = hf_scf_determinant(scf);
    const struct hf_matrix *x = scf->canonical != NULL ? scf->canonical : scf->x[0];
    hf_status status =
        hf_matrix_create_like("energy-weighted density", scf->core, &scf->weighted_density, error);
    hf_timer_start(timers, &hf_phase_linear_algebra);
    if (status == HF_OK)
        status =
            hf_method_weighted_density(scf->context, &of, scf->fock, scf->weighted_density, error);
    if (status == HF_OK)
        status = hf_method_weigh_removed(scf->context, x, &scf->removed, scf->core,
                                         &scf->two_electron.fields, scf->weighted_density, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    return status;
}

/** Moves the densities and the grid over, which cannot fail. */
static void hand_over(struct hf_scf *scf, struct hf_wavefunction *wavefunction)
{
    struct hf_matrix **density = scf->two_electron.fields.density;
    wavefunction->density = density[0];
    wavefunction->spin_density = density[1];
    density[0] = density[1] = NULL;
    wavefunction->weighted_density = scf->weighted_density;
    scf->weighted_density = NULL;
    if (scf->settings->wavefunction == HF_WAVEFUNCTION_DENSITIES) {
        struct hf_matrix **canonical = scf->canonical != NULL ? &scf->canonical : &scf->x[0];
        wavefunction->orthogonaliser = *canonical;
        *canonical = NULL;
    }
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
    if (orbitals)
        HF_TRY(make_orbitals(scf, wavefunction, error));
    else if (!scf->has_energies) /* else a checkpoint has had them */
        HF_TRY(hf_scf_orbital_energies(scf, error));
    hf_scf_destroy_list(scf->fock);
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
