/* Steps by DIIS: the orbitals of the combination of Fock matrices whose commutator is shortest. */
#include "converger.h"

static hf_status step(struct hf_scf *scf, void *data, const char **label, struct hf_error *error)
{
    (void)data;
    *label = "DIIS";
    hf_timer_start(&scf->context->timers, &hf_phase_linear_algebra);
    const hf_status status = hf_diis_extrapolate(scf->diis, scf->fock, scf->commutator, error);
    hf_timer_stop(&scf->context->timers, &hf_phase_linear_algebra);
    hf_scf_destroy_list(scf->commutator);
    return status == HF_OK ? hf_scf_diagonalise(scf, error) : status;
}

const struct hf_converger_ops hf_converger_diis = {
    .name = "diis",
    .about = "direct inversion in the iterative subspace",
    .cite = "Pulay, J. Comput. Chem. 3, 556 (1982)",
    .step = step,
};
