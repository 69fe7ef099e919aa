/* Steps by ADIIS: the orbitals of the interpolation of Fock matrices whose energy is lowest. */
#include "converger.h"

hf_status hf_scf_step_adiis(struct hf_scf *scf, const char **label, struct hf_error *error)
{
    *label = "ADIIS";
    hf_timer_start(&scf->context->timers, &hf_phase_linear_algebra);
    hf_status status = hf_scf_remember(scf, error);
    if (status == HF_OK) status = hf_scf_interpolate(scf, error);
    hf_timer_stop(&scf->context->timers, &hf_phase_linear_algebra);
    return status == HF_OK ? hf_scf_diagonalise(scf, error) : status;
}

static hf_status step(struct hf_scf *scf, void *data, const char **label, struct hf_error *error)
{
    (void)data;
    return hf_scf_step_adiis(scf, label, error);
}

const struct hf_converger_ops hf_converger_adiis = {
    .name = "adiis",
    .about = "interpolation of the last Fock matrices to the lowest energy (the same as EDIIS)",
    .cite = "Hu, Yang, J. Chem. Phys. 132, 054109 (2010); Kudin, Scuseria, Cances, J. Chem. Phys. "
            "116, 8255 (2002)",
    .keeps_orbitals = true,
    .step = step,
};
