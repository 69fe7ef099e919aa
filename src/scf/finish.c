/* What is only asked of the last densities: parts of the energy, dipole moment. */
#include "scf_state.h"

#include <string.h>

hf_status hf_scf_finish(struct hf_scf *scf, struct hf_error *error)
{
    struct hf_scf_result *result = scf->result;
    struct hf_timers *timers = &scf->context->timers;
    const int n_density = scf->method->n_density;
    struct hf_matrix *const *density = scf->two_electron.density;
    hf_timer_start(timers, &hf_phase_one_electron);
    hf_status status =
        hf_hamiltonian_energies(scf->hamiltonian, n_density, density, result->one_electron,
                                &result->n_term, result->term, error);
    if (status == HF_OK)
        status = hf_hamiltonian_dipole(scf->hamiltonian, n_density, density, result->dipole, error);
    hf_timer_stop(timers, &hf_phase_one_electron);
    return status;
}

double hf_scf_term_electrons(const struct hf_scf_result *result, const struct hf_term_ops *term)
{
    for (int i = 0; i < result->n_term; i++)
        if (strcmp(result->term[i].name, term->name) == 0) return result->term[i].electrons;
    return 0.0;
}
