/* Coulomb and exchange matrices that follow the density through the iterations. */
#include "scf_private.h"

/** Each change adds what its screening lets go. A calculation that needs more of them than this may
 *  be held up by just that, and goes on with whole builds. */
enum { MAX_CHANGE = 10 };

hf_status hf_two_electron_init(struct hf_two_electron *self, struct hf_linalg *linalg,
                               struct hf_fock_builder *builder, int n, struct hf_error *error)
{
    hf_status status;
    *self = (struct hf_two_electron){.linalg = linalg, .builder = builder};
    HF_TRY(hf_matrix_create(linalg, "density matrix", n, n, &self->density, error));
    HF_TRY(hf_matrix_create(linalg, "Coulomb matrix", n, n, &self->coulomb, error));
    HF_TRY(hf_matrix_create(linalg, "exchange matrix", n, n, &self->exchange, error));
cleanup:
    return status;
}

void hf_two_electron_done(struct hf_two_electron *self)
{
    hf_matrix_destroy(&self->exchange);
    hf_matrix_destroy(&self->coulomb);
    hf_matrix_destroy(&self->density);
}

/** *energy += factor tr D (J - K/2). */
static void add_energy(double factor, const struct hf_matrix *density,
                       const struct hf_matrix *coulomb, const struct hf_matrix *exchange,
                       double *energy)
{
    double of_coulomb, of_exchange;
    hf_matrix_dot(density, coulomb, &of_coulomb);
    hf_matrix_dot(density, exchange, &of_exchange);
    *energy += factor * (of_coulomb - 0.5 * of_exchange);
}

static hf_status build_whole(struct hf_two_electron *self, const struct hf_matrix *density,
                             double threshold, struct hf_error *error)
{
    hf_status status;
    const struct hf_fock_job job = {
        .density = density, .coulomb = self->coulomb, .exchange = self->exchange};
    struct hf_matrix *change = self->density; /* until J and K are those of the new one */
    self->energy_change = 0.0;
    hf_matrix_add(1.0, density, -1.0, change);
    add_energy(0.5, change, self->coulomb, self->exchange, &self->energy_change);
    HF_TRY(hf_fock_build(self->builder, 1, &job, threshold, error));
    add_energy(0.5, change, self->coulomb, self->exchange, &self->energy_change);
    hf_matrix_copy(density, self->density);
    self->threshold = threshold;
    self->built = true;
cleanup:
    return status;
}

/** Adds J and K of the change; `density` becomes the change. */
static hf_status build_change(struct hf_two_electron *self, struct hf_matrix *density,
                              struct hf_error *error)
{
    hf_status status;
    const int n = hf_matrix_n_row(density);
    struct hf_matrix *coulomb = NULL, *exchange = NULL;
    self->energy_change = 0.0;
    HF_TRY(hf_matrix_create(self->linalg, "change of Coulomb matrix", n, n, &coulomb, error));
    HF_TRY(hf_matrix_create(self->linalg, "change of exchange matrix", n, n, &exchange, error));
    hf_matrix_add(-1.0, self->density, 1.0, density);

    const struct hf_fock_job job = {.density = density, .coulomb = coulomb, .exchange = exchange};
    add_energy(0.5, density, self->coulomb, self->exchange, &self->energy_change);
    HF_TRY(hf_fock_build(self->builder, 1, &job, self->threshold, error));
    hf_matrix_add(1.0, coulomb, 1.0, self->coulomb);
    hf_matrix_add(1.0, exchange, 1.0, self->exchange);
    hf_matrix_add(1.0, density, 1.0, self->density);
    add_energy(0.5, density, self->coulomb, self->exchange, &self->energy_change);
    self->n_change++;
cleanup:
    hf_matrix_destroy(&exchange);
    hf_matrix_destroy(&coulomb);
    return status;
}

hf_status hf_two_electron_update(struct hf_two_electron *self, struct hf_matrix *density,
                                 double threshold, struct hf_error *error)
{
    const bool sharper = threshold < self->threshold;
    if (sharper) self->n_change = 0;
    if (!self->built || sharper || self->n_change >= MAX_CHANGE)
        return build_whole(self, density, threshold, error);
    return build_change(self, density, error);
}
