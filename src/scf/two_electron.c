/* Coulomb and exchange matrices that follow the densities through the iterations. */
#include "scf_state.h"

#include <math.h>

/** Number of updates at one threshold. Each adds its screening error, which may be the reason why a calculation needs
 *  so many; it continues with whole builds. */
enum { MAX_CHANGE = 10 };

hf_status hf_two_electron_init(struct hf_two_electron *self, struct hf_linalg *linalg,
                               struct hf_fock_builder *builder, int n_density, int n,
                               struct hf_error *error)
{
    *self =
        (struct hf_two_electron){.builder = builder, .n_density = n_density, .threshold = INFINITY};
    return hf_fields_create(linalg, "densities, J and K", n_density, n, &self->fields, error);
}

/** Adds the energy of `change` in the J and K there are. */
static void add_energy(struct hf_two_electron *self, struct hf_matrix *const change[])
{
    const struct hf_interaction energy = hf_interaction_here(change, &self->fields);
    self->change_here += energy.coulomb + energy.exchange;
}

/** Builds J and K of `fields`. */
static hf_status build(const struct hf_two_electron *self, const struct hf_fields *fields,
                       double threshold, struct hf_error *error)
{
    struct hf_fock_job job[HF_MAX_DENSITY];
    const int n_job = hf_fields_jobs(fields, job);
    return hf_fock_build(self->builder, n_job, job, threshold, error);
}

static hf_status build_whole(struct hf_two_electron *self, struct hf_matrix *const density[],
                             double threshold, struct hf_error *error)
{
    const int n_density = self->n_density;
    struct hf_matrix *const *change = self->fields.density; /* until the build has ended */
    struct hf_fields whole = self->fields;
    self->change_here = 0.0;
    for (int s = 0; s < n_density; s++) {
        whole.density[s] = density[s];
        hf_matrix_add(1.0, density[s], -1.0, change[s]);
    }
    add_energy(self, change);
    HF_CHECK(build(self, &whole, threshold, error));
    add_energy(self, change);
    for (int s = 0; s < n_density; s++) hf_matrix_copy(density[s], self->fields.density[s]);
    self->threshold = threshold;
    self->built = true;
    return HF_OK;
}

/** Adds J and K of the changes; `density` become the changes. */
static hf_status build_change(struct hf_two_electron *self, struct hf_matrix *const density[],
                              struct hf_error *error)
{
    hf_status status;
    struct hf_fields *sum = &self->fields, change = {.coulomb = NULL};
    const int n = hf_matrix_n_row(density[0]);
    struct hf_new_matrix list[HF_MAX_DENSITY + 1] = {{&change.coulomb, n, n}};
    self->change_here = 0.0;
    for (int s = 0; s < self->n_density; s++) {
        list[s + 1] = (struct hf_new_matrix){&change.exchange[s], n, n};
        change.density[s] = density[s];
        hf_matrix_add(-1.0, sum->density[s], 1.0, density[s]);
    }
    HF_CHECK(hf_matrix_create_several(hf_matrix_grid(density[0]), "changes of J and K",
                                      self->n_density + 1, list, error));
    add_energy(self, density);
    HF_TRY(build(self, &change, self->threshold, error));
    hf_matrix_add(1.0, change.coulomb, 1.0, sum->coulomb);
    for (int s = 0; s < self->n_density; s++) {
        hf_matrix_add(1.0, change.exchange[s], 1.0, sum->exchange[s]);
        hf_matrix_add(1.0, density[s], 1.0, sum->density[s]);
    }
    add_energy(self, density);
    self->n_change++;
cleanup:
    HF_DESTROY_MATRICES(&change.exchange[0], &change.exchange[1], &change.coulomb);
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
