/* Steps by DIIS: the orbitals of the combination of Fock matrices whose commutator is shortest. */
#include "converger.h"

hf_status hf_scf_step_diis(struct hf_scf *scf, const char **label, struct hf_error *error)
{
    *label = "DIIS";
    hf_timer_start(&scf->context->timers, &hf_phase_linear_algebra);
    hf_status status = hf_scf_remember(scf, error);
    if (status == HF_OK) status = hf_scf_extrapolate(scf, error);
    hf_timer_stop(&scf->context->timers, &hf_phase_linear_algebra);
    return status == HF_OK ? hf_scf_diagonalise(scf, error) : status;
}

static hf_status step(struct hf_scf *scf, void *data, const char **label, struct hf_error *error)
{
    (void)data;
    return hf_scf_step_diis(scf, label, error);
}

const struct hf_converger_ops hf_converger_diis = {
    .name = "diis",
    .about = "direct inversion in the iterative subspace",
    .cite = "Pulay, J. Comput. Chem. 3, 556 (1982)",
    .step = step,
};
