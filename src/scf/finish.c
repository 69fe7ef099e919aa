/* What is only asked of the last densities: parts of the energy, dipole moment. */
#include "scf_state.h"

/** *value = sum_mn D_mn <m| operator |n> over all densities. */
static hf_status expectation(struct hf_scf *scf, enum hf_operator which, double *value,
                             struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *matrix = NULL;
    const int n = scf->result->n_function;
    HF_TRY(hf_matrix_create(scf->linalg, "one-electron integrals", n, n, &matrix, error));
    HF_TRY(hf_scf_one_electron(scf, which, matrix, error));
    *value = 0.0;
    for (int s = 0; s < scf->method->n_density; s++) {
        double of_density;
        hf_matrix_dot(scf->two_electron.density[s], matrix, &of_density);
        *value += of_density;
    }
cleanup:
    hf_matrix_destroy(&matrix);
    return status;
}

hf_status hf_scf_finish(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_scf_result *result = scf->result;
    HF_TRY(expectation(scf, HF_KINETIC, &result->kinetic, error));
    result->nuclear_attraction = result->one_electron - result->kinetic;
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    for (int x = 0; x < 3; x++) {
        double electrons;
        HF_TRY(expectation(scf, along[x], &electrons, error));
        result->dipole[x] = -electrons;
        for (int a = 0; a < scf->molecule->n_atom; a++)
            result->dipole[x] += hf_molecule_nuclear_charge(scf->molecule, a) *
                                 scf->molecule->atom[a].position_bohr[x];
    }
cleanup:
    return status;
}
