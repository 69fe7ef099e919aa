/* Steps by DIIS and by ADIIS: the orbitals of a combination of Fock matrices. DIIS takes the combination
 * whose commutator is shortest, ADIIS the interpolation whose energy is lowest. */
#include "converger.h"

hf_status hf_scf_remember(struct hf_scf *scf, struct hf_error *error)
{
    const bool orbitals = scf->converger->keeps_orbitals || scf->method->effective != NULL;
    const hf_status status = hf_diis_remember(scf->diis, scf->fock, scf->commutator,
                                              orbitals ? scf->occupied : NULL, error);
    hf_scf_destroy_list(scf->commutator);
    return status;
}

/** scf->effective [n_set], new = the sum of the effective matrices of the history, each made with
 *  the orbitals of its own density. Combined in this way they are right to second order in what is
 *  wrong with these; an effective matrix of combined Fock matrices, which needs one set of
 *  orbitals, is not: nitrogen then takes 15 iterations instead of 9. */
static hf_status combine_effective(struct hf_scf *scf, const double coefficient[],
                                   struct hf_error *error)
{
    hf_status status;
    const struct hf_method_ops *method = scf->method;
    struct hf_determinant of = hf_scf_determinant(scf);
    struct hf_matrix *one[HF_MAX_SPIN] = {NULL}, *const * occupied;
    HF_TRY(hf_scf_create_list(scf, "Fock matrix", method->n_set, false, scf->effective, error));
    HF_TRY(hf_scf_create_list(scf, "Fock matrix", method->n_set, false, one, error));
    for (int i = 0; i < hf_diis_n_stored(scf->diis); i++) {
        if (coefficient[i] == 0.0) continue;
        hf_diis_recall(scf->diis, i, scf->fock, &occupied);
        for (int k = 0; k < method->n_set; k++)
            of.occupied[k] = occupied[0] != NULL ? occupied[k] : scf->occupied[k];
        HF_TRY(method->effective(&of, scf->fock, false, one, error));
        for (int k = 0; k < method->n_set; k++)
            hf_matrix_add(coefficient[i], one[k], 1.0, scf->effective[k]);
    }
cleanup:
    hf_scf_destroy_list(one);
    return status;
}

static hf_status combine(struct hf_scf *scf, const double coefficient[], struct hf_error *error)
{
    if (coefficient == NULL) return HF_OK;
    if (scf->method->effective != NULL) return combine_effective(scf, coefficient, error);
    return hf_diis_combine(scf->diis, coefficient, scf->fock, error);
}

hf_status hf_scf_extrapolate(struct hf_scf *scf, struct hf_error *error)
{
    return combine(scf, hf_diis_solve(scf->diis), error);
}
static hf_status interpolate(struct hf_scf *scf, struct hf_error *error)
{
    const struct hf_determinant of = hf_scf_determinant(scf);
    const double *coefficient;
    HF_CHECK(hf_diis_interpolate(scf->diis, &of, &coefficient, error));
    return combine(scf, coefficient, error);
}

/** A step from the history, which `make` combines. */
static hf_status take_step(struct hf_scf *scf,
                           hf_status (*make)(struct hf_scf *, struct hf_error *),
                           struct hf_error *error)
{
    hf_timer_start(&scf->context->timers, &hf_phase_linear_algebra);
    hf_status status = hf_scf_remember(scf, error);
    if (status == HF_OK) status = make(scf, error);
    hf_timer_stop(&scf->context->timers, &hf_phase_linear_algebra);
    return status == HF_OK ? hf_scf_diagonalise(scf, error) : status;
}

hf_status hf_scf_step_diis(struct hf_scf *scf, void *data, const char **label,
                           struct hf_error *error)
{
    (void)data;
    *label = "DIIS";
    return take_step(scf, hf_scf_extrapolate, error);
}

hf_status hf_scf_step_adiis(struct hf_scf *scf, void *data, const char **label,
                            struct hf_error *error)
{
    (void)data;
    *label = "ADIIS";
    return take_step(scf, interpolate, error);
}

const struct hf_converger_ops hf_converger_diis = {
    .name = "diis",
    .about = "direct inversion in the iterative subspace",
    .cite = "Pulay, J. Comput. Chem. 3, 556 (1982)",
    .step = hf_scf_step_diis,
};

const struct hf_converger_ops hf_converger_adiis = {
    .name = "adiis",
    .about = "interpolation of the last Fock matrices to the lowest energy (the same as EDIIS)",
    .cite = "Hu, Yang, J. Chem. Phys. 132, 054109 (2010); Kudin, Scuseria, Cances, J. Chem. Phys. "
            "116, 8255 (2002)",
    .keeps_orbitals = true,
    .step = hf_scf_step_adiis,
};
