/* What is diagonalised next, as a combination of what the history of DIIS has. */
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
    hf_status status = HF_OK;
    const struct hf_method_ops *method = scf->method;
    const int m = scf->result->n_orbital;
    struct hf_matrix *one[HF_MAX_SPIN] = {NULL}, *const * occupied;
    for (int k = 0; k < method->n_set; k++) {
        HF_TRY(hf_matrix_create(scf->linalg, "Fock matrix", m, m, &scf->effective[k], error));
        HF_TRY(hf_matrix_create(scf->linalg, "Fock matrix", m, m, &one[k], error));
    }
    for (int i = 0; i < hf_diis_n_stored(scf->diis); i++) {
        if (coefficient[i] == 0.0) continue;
        hf_diis_recall(scf->diis, i, scf->fock, &occupied);
        HF_TRY(method->effective(scf->linalg, scf->n_electron, scf->fock,
                                 occupied[0] != NULL ? occupied : scf->occupied, false, one,
                                 error));
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

hf_status hf_scf_interpolate(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    const double *coefficient;
    HF_TRY(
        hf_diis_interpolate(scf->diis, scf->n_electron, scf->method->n_set, &coefficient, error));
    HF_TRY(combine(scf, coefficient, error));
cleanup:
    return status;
}
