/* Coulomb and exchange matrices that follow the densities through the iterations. */
#include "scf_state.h"

#include <math.h>

/** Each change adds what its screening lets go. A calculation that needs more of them than this may
 *  be held up by just that, and goes on with whole builds. */
enum { MAX_CHANGE = 10 };

hf_status hf_two_electron_init(struct hf_two_electron *self, struct hf_linalg *linalg,
                               struct hf_fock_builder *builder, const struct hf_method_ops *method,
                               int n, struct hf_error *error)
{
    *self = (struct hf_two_electron){
        .linalg = linalg, .builder = builder, .method = method, .threshold = INFINITY};
    struct hf_new_matrix list[2 * HF_MAX_DENSITY + 1] = {{&self->coulomb, n, n}};
    for (int s = 0; s < method->n_density; s++) {
        list[2 * s + 1] = (struct hf_new_matrix){&self->density[s], n, n};
        list[2 * s + 2] = (struct hf_new_matrix){&self->exchange[s], n, n};
    }
    return hf_matrix_create_several(linalg, "densities, J and K", 2 * method->n_density + 1, list,
                                    error);
}

void hf_two_electron_done(struct hf_two_electron *self)
{
    for (int s = 0; s < HF_MAX_DENSITY; s++) {
        HF_DESTROY_MATRICES(&self->exchange[s], &self->density[s]);
    }
    hf_matrix_destroy(&self->coulomb);
}

/** Adds the energy of `change` in the J and K there are. */
static void add_energy(struct hf_two_electron *self, struct hf_matrix *const change[])
{
    const struct hf_interaction energy =
        hf_interaction_here(self->method->n_density, change, self->coulomb, self->exchange);
    self->change_here += energy.coulomb + energy.exchange;
}

/** J of the first density, K of all. */
static hf_status build(const struct hf_two_electron *self, struct hf_matrix *const density[],
                       struct hf_matrix *coulomb, struct hf_matrix *const exchange[],
                       double threshold, struct hf_error *error)
{
    struct hf_fock_job job[HF_MAX_DENSITY];
    for (int s = 0; s < self->method->n_density; s++)
        job[s] = (struct hf_fock_job){
            .density = density[s], .coulomb = s == 0 ? coulomb : NULL, .exchange = exchange[s]};
    return hf_fock_build(self->builder, self->method->n_density, job, threshold, error);
}

static hf_status build_whole(struct hf_two_electron *self, struct hf_matrix *const density[],
                             double threshold, struct hf_error *error)
{
    const int n_density = self->method->n_density;
    struct hf_matrix *const *change = self->density; /* until J and K are those of the new ones */
    self->change_here = 0.0;
    for (int s = 0; s < n_density; s++) hf_matrix_add(1.0, density[s], -1.0, change[s]);
    add_energy(self, change);
    HF_CHECK(build(self, density, self->coulomb, self->exchange, threshold, error));
    add_energy(self, change);
    for (int s = 0; s < n_density; s++) hf_matrix_copy(density[s], self->density[s]);
    self->threshold = threshold;
    self->built = true;
    return HF_OK;
}

/** Adds J and K of the changes; `density` become the changes. */
static hf_status build_change(struct hf_two_electron *self, struct hf_matrix *const density[],
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = hf_matrix_n_row(density[0]), n_density = self->method->n_density;
    struct hf_matrix *coulomb = NULL, *exchange[HF_MAX_DENSITY] = {NULL};
    self->change_here = 0.0;
    struct hf_new_matrix list[HF_MAX_SPIN + 1] = {{&coulomb, n, n}};
    for (int s = 0; s < n_density; s++) {
        list[s + 1] = (struct hf_new_matrix){&exchange[s], n, n};
        hf_matrix_add(-1.0, self->density[s], 1.0, density[s]);
    }
    HF_TRY(
        hf_matrix_create_several(self->linalg, "changes of J and K", n_density + 1, list, error));
    add_energy(self, density);
    HF_TRY(build(self, density, coulomb, exchange, self->threshold, error));
    hf_matrix_add(1.0, coulomb, 1.0, self->coulomb);
    for (int s = 0; s < n_density; s++) {
        hf_matrix_add(1.0, exchange[s], 1.0, self->exchange[s]);
        hf_matrix_add(1.0, density[s], 1.0, self->density[s]);
    }
    add_energy(self, density);
    self->n_change++;
cleanup:
    for (int s = 0; s < n_density; s++) hf_matrix_destroy(&exchange[s]);
    hf_matrix_destroy(&coulomb);
    return status;
}

hf_status hf_two_electron_update(struct hf_two_electron *self, struct hf_matrix *const density[],
                                 double threshold, struct hf_error *error)
{
    const bool sharper = threshold < self->threshold;
    if (sharper) self->n_change = 0;
    if (!self->built || sharper || self->n_change >= MAX_CHANGE)
        return build_whole(self, density, threshold, error);
    return build_change(self, density, error);
}
