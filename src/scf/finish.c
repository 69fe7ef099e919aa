/* What is only asked of the last densities: parts of the energy, dipole moment. */
#include "scf_state.h"

/** <S^2> of the determinant: S_z (S_z + 1) + N_beta - |W_alpha^T W_beta|^2. With fractional
 *  occupations the same formula. */
static hf_status find_spin(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n_set = scf->method->n_set;
    const double s = 0.5 * (scf->n_electron.alpha - scf->n_electron.beta);
    struct hf_matrix *alpha = NULL, *beta = NULL, *product = NULL;
    scf->result->spin_squared = scf->result->ideal_spin_squared = s * (s + 1.0);
    if (n_set == 1 || !scf->has_orbitals) return HF_OK;
    HF_TRY(hf_spin_orbitals(scf->linalg, scf->n_electron, n_set, scf->occupied, 0, &alpha, error));
    HF_TRY(hf_spin_orbitals(scf->linalg, scf->n_electron, n_set, scf->occupied, 1, &beta, error));
    if (alpha != NULL && beta != NULL) {
        double overlap;
        HF_TRY(hf_matrix_create(scf->linalg, "overlap of both spins", hf_matrix_n_col(alpha),
                                hf_matrix_n_col(beta), &product, error));
        hf_matrix_multiply(1.0, true, alpha, false, beta, 0.0, product);
        hf_matrix_dot(product, product, &overlap);
        scf->result->spin_squared += scf->n_electron.beta - overlap;
    }
cleanup:
    hf_matrix_destroy(&product);
    hf_matrix_destroy(&beta);
    hf_matrix_destroy(&alpha);
    return status;
}

hf_status hf_scf_finish(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_scf_result *result = scf->result;
    struct hf_timers *timers = &scf->context->timers;
    struct hf_matrix *const *density = scf->two_electron.density; /* the total one comes first */
    hf_timer_start(timers, &hf_phase_one_electron);
    hf_status status = hf_hamiltonian_energies(scf->hamiltonian, density[0], result->one_electron,
                                               &result->n_term, result->term, error);
    if (status == HF_OK)
        status = hf_hamiltonian_dipole(scf->hamiltonian, density[0], result->dipole, error);
    hf_timer_stop(timers, &hf_phase_one_electron);
    return status == HF_OK ? find_spin(scf, error) : status;
}
