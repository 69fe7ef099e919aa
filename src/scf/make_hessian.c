/* The Hessian of a calculation as it stands. */
#include "response/hessian.h"
#include "scf/quantity.h"
#include "scf_state.h"

#include <math.h>

/* Products err by some hundred times the screening threshold and, in the orthonormal basis, by more
 * the smaller the overlap's eigenvalues are. These are thresholds for products that are right to
 * five digits. */
static const double THRESHOLD = 1e-8, THRESHOLD_PER_OVERLAP = 2e-5;

/** Of responses, whose errors are of first order in the integrals. */
static const double SHARPNESS = 0.1;

hf_status hf_scf_make_hessian(struct hf_scf *scf, double looseness,
                              struct hf_orbital_hessian *hessian, struct hf_error *error)
{
    const double overlap =
        fmax(scf->result->smallest_overlap_eigenvalue, scf->settings->linear_dependence_threshold);
    const double threshold = looseness * fmin(THRESHOLD, THRESHOLD_PER_OVERLAP * overlap);
    HF_CHECK(hf_scf_share_basis(scf, error));
    const struct hf_hessian_input input = {
        .context = scf->context,
        .builder = scf->builder,
        .of = hf_scf_determinant(scf),
        .fock = scf->fock,
        .threshold = fmax(scf->settings->screening_threshold, threshold),
    };
    return hf_hessian_init(hessian, &input, error);
}

void hf_scf_count_products(struct hf_scf *scf, struct hf_orbital_hessian *hessian)
{
    scf->result->n_hessian_product += hessian->n_product;
    scf->result->fock_seconds += hessian->build_seconds;
    hessian->n_product = 0;
    hessian->build_seconds = 0.0;
}

hf_status hf_scf_respond(struct hf_scf *scf, struct hf_error *error)
{
    hf_status status;
    struct hf_quantity *quantity = scf->settings->responding;
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    hf_diis_forget(scf->diis); /* makes room */
    HF_TRY(hf_scf_make_hessian(scf, SHARPNESS, &hessian, error));
    for (; quantity != NULL; quantity = quantity->next_responding)
        HF_TRY(quantity->ops->respond(quantity, &hessian, scf->hamiltonian, error));
cleanup:
    hf_scf_count_products(scf, &hessian);
    hf_hessian_done(&hessian);
    return status;
}
