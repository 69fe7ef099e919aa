/* Projected atomic orbitals, and S and F between them.
 *
 *     V = S C_v      P = C_v V^T      S_PAO = V V^T      F_PAO = V e V^T
 *
 * of all virtual orbitals v with energies e. Where linearly dependent functions were dropped, 1 - D S / 2 would keep
 * them; this does not. */
#include "local_mp2_private.h"

#include "base/arithmetic.h"

#include <math.h>

/** Functions that lie in the occupied space but for this (of a squared norm that was 1) have no PAO. */
static const double NOTHING_LEFT = 1e-7;

/** C_v, V, and V times something. */
struct projection {
    struct hf_linalg *linalg;
    int n, n_virtual;
    struct hf_matrix *virtuals, *product, *scaled;
    double *factor; /**< [n] that normalise PAOs; 0: there is none */
};

/** Collective. */
static hf_status begin(struct projection *self, const struct hf_wavefunction *wave,
                       struct hf_error *error)
{
    const struct hf_orbitals *orbitals = &wave->spin[0];
    const int n = self->n, v = self->n_virtual;
    HF_CHECK(hf_matrix_create(self->linalg, "virtual orbitals", n, v, &self->virtuals, error));
    HF_CHECK(hf_matrix_create(self->linalg, "overlap with virtual orbitals", n, v, &self->product,
                              error));
    HF_CHECK(hf_matrix_create(self->linalg, "virtual orbitals", n, v, &self->scaled, error));
    hf_matrix_copy_columns(orbitals->coefficient, orbitals->n_occupied, v, NULL, self->virtuals, 0);
    hf_matrix_multiply(1.0, false, wave->overlap, false, self->virtuals, 0.0, self->product);
    hf_matrix_copy_columns(self->product, 0, v, orbitals->energy + orbitals->n_occupied,
                           self->scaled, 0);
    return HF_OK;
}

/** P, S and F from the dense matrix, which is used for one after another. Collective. */
static hf_status fill(struct hf_local *local, struct projection *self, struct hf_matrix *dense,
                      struct hf_error *error)
{
    struct hf_context *context = local->context;
    const double threshold = local->settings->sparse;
    const struct hf_sparse_choice paos = {"projected atomic orbitals", threshold, NULL,
                                          self->factor};
    const struct hf_sparse_choice overlap = {"overlap of projected orbitals", threshold,
                                             self->factor, self->factor};
    const struct hf_sparse_choice fock = {"Fock matrix of projected orbitals", threshold,
                                          self->factor, self->factor};
    hf_matrix_multiply_to_symmetric(1.0, false, self->product, true, self->product, dense);
    hf_matrix_diagonal(dense, self->factor);
    for (int m = 0; m < self->n; m++)
        self->factor[m] = self->factor[m] > NOTHING_LEFT ? 1.0 / sqrt(self->factor[m]) : 0.0;
    HF_CHECK(hf_sparse_from_matrix(context, local->basis, dense, false, &overlap, &local->overlap,
                                   error));
    hf_matrix_multiply_to_symmetric(1.0, false, self->scaled, true, self->product, dense);
    HF_CHECK(
        hf_sparse_from_matrix(context, local->basis, dense, false, &fock, &local->fock, error));
    hf_matrix_multiply(1.0, false, self->virtuals, true, self->product, 0.0, dense);
    return hf_sparse_from_matrix(context, local->basis, dense, false, &paos, &local->paos, error);
}

/** F_ik = sum over canonical orbitals c of u_ic e_c u_kc. Local. */
static hf_status make_fock_occupied(struct hf_local *local, const double energy[],
                                    struct hf_error *error)
{
    const int o = local->n_orbital;
    const double *u = local->localised.rotation;
    struct hf_sparse_matrix *fock = local->fock_occupied = hf_sparse_create(
        local->context->memory, "Fock matrix of localised orbitals", o, NULL, o, NULL);
    double *scaled = HF_TAKE(&local->arena, scaled, (size_t)o);
    for (int k = 0; scaled != NULL && k < o; k++) {
        for (int c = 0; c < o; c++) scaled[c] = u[(size_t)k * (size_t)o + (size_t)c] * energy[c];
        for (int i = 0; i < o; i++) {
            const double sum = hf_dot((size_t)o, u + (size_t)i * (size_t)o, scaled);
            hf_sparse_add(fock, i, k, local->settings->sparse, &sum, 1);
        }
    }
    return scaled != NULL ? hf_sparse_finish(fock, error) : hf_arena_check(&local->arena, error);
}

hf_status hf_local_make_paos(struct hf_local *local, const struct hf_wavefunction *wavefunction,
                             struct hf_error *error)
{
    hf_status status;
    const struct hf_orbitals *orbitals = &wavefunction->spin[0];
    struct hf_matrix *dense = NULL;
    struct projection self = {.linalg = wavefunction->linalg,
                              .n = local->basis->n_function,
                              .n_virtual = orbitals->n_orbital - orbitals->n_occupied};
    HF_TAKE(&local->arena, self.factor, (size_t)self.n);
    status = hf_arena_check(&local->arena, error);
    if (status == HF_OK)
        status = make_fock_occupied(
            local, orbitals->energy + orbitals->n_occupied - local->n_orbital, error);
    HF_TRY(hf_agree(local->context->comm, status, error));
    HF_TRY(begin(&self, wavefunction, error));
    HF_TRY(
        hf_matrix_create(self.linalg, "projected atomic orbitals", self.n, self.n, &dense, error));
    HF_TRY(fill(local, &self, dense, error));
cleanup:
    hf_matrix_destroy(&self.virtuals);
    hf_matrix_destroy(&self.product);
    hf_matrix_destroy(&self.scaled);
    hf_matrix_destroy(&dense);
    return status;
}
