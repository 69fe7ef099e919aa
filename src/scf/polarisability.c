/* Static polarisability of the solution: what an electric field makes of the dipole moment.
 *
 * A field of strength l along an axis adds l r to the Fock matrices of electrons, so that the energy of its order l^2
 * is -l^2 g H^-1 g, g the gradient that r gives: alpha_ij = -d2E / dl_i dl_j = 2 g_i H^-1 g_j. */
#include "scf_state.h"

#include "hamiltonian/hamiltonian.h"
#include "response/subspace.h"

/** Rests of the equations, as parts of the perturbation: products are right to some eight digits. */
static const double ACCURACY = 1e-4;
/** Products of the Hessian have errors of first order in its integrals. */
static const double LOOSENESS = 0.1;

static hf_status perturb(struct hf_scf *scf, struct hf_orbital_hessian *hessian,
                         struct hf_rotation field[3], struct hf_error *error)
{
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    hf_status status;
    struct hf_matrix *matrix = NULL;
    const int n = scf->result->n_function;
    HF_TRY(hf_matrix_create(scf->linalg, "one-electron integrals", n, n, &matrix, error));
    for (int x = 0; x < 3; x++) {
        HF_TRY(hf_rotation_create(&hessian->space, &field[x], error));
        HF_TRY(hf_operator_matrix(scf->hamiltonian, along[x], matrix, error));
        HF_TRY(hf_hessian_perturbation(hessian, matrix, &field[x], error));
    }
cleanup:
    hf_matrix_destroy(&matrix);
    return status;
}

hf_status hf_scf_find_polarisability(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_polarisability *found = &scf->result->polarisability;
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    struct hf_rotation field[3] = {{{NULL}}};
    struct hf_linear_response response;
    hf_diis_forget(scf->diis); /* makes room */
    HF_TRY(hf_scf_make_hessian(scf, LOOSENESS, &hessian, error));
    HF_TRY(perturb(scf, &hessian, field, error));
    HF_TRY(hf_respond(&hessian, 3, field, ACCURACY, &response, error));
    found->n_product = hessian.n_product;
    found->computed = true;
    found->converged = response.converged;
    found->lowest_eigenvalue = response.lowest;
    for (int x = 0; x < 9; x++)
        found->tensor[x] = response.product[x / 3][x % 3] + response.product[x % 3][x / 3];
cleanup:
    hf_scf_count_products(scf, &hessian);
    for (int x = 0; x < 3; x++) hf_rotation_destroy(&field[x]);
    hf_hessian_done(&hessian);
    return status;
}
