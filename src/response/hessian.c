/* Products of the Hessian with rotations. Only the trial densities and their Fock matrices have more columns than
 * occupied orbitals. W are the occupied orbitals of spin s:
 *
 *     T = kappa W      [kappa, D] = T W^T + W T^T
 *     H kappa = sum_s M - M^T,   M = P W^T + F W T^T / 2,   P = F T - kappa F W / 2 + dF W */
#include "response/hessian.h"

/** Vectors in one pass over the integrals. More vectors take more memory and save less and less time. */
enum { MOST_AT_ONCE = 4 };
static hf_status make_spin(struct hf_orbital_hessian *self, const struct hf_hessian_input *input,
                           int s, struct hf_error *error)
{
    struct hf_spin_of_hessian *spin = &self->spin[s];
    struct hf_determinant of = input->of;
    for (int k = 0; k < HF_MAX_SPIN; k++) of.occupied[k] = self->space.set[k].left;
    spin->set = of.method->n_set == 2 ? s : 0;
    HF_CHECK(hf_spin_orbitals(&of, s, &spin->occupied, error));
    if (spin->occupied == NULL) return HF_OK;
    HF_CHECK(hf_matrix_create_product("Fock times orbitals", false, self->fock[s], false,
                                      spin->occupied, &spin->image, error));
    return hf_matrix_create_product("occupied orbitals", false, self->x, false, spin->occupied,
                                    &spin->ao, error);
}

hf_status hf_hessian_init(struct hf_orbital_hessian *self, const struct hf_hessian_input *input,
                          struct hf_error *error)
{
    *self = (struct hf_orbital_hessian){
        .context = input->context,
        .builder = input->builder,
        .x = input->of.x[0],
        .n_spin = input->of.method->n_fock,
        .threshold = input->threshold,
    };
    for (int s = 0; s < self->n_spin; s++) self->fock[s] = input->fock[s];
    HF_CHECK(hf_rotation_space_init(&self->space, input->context, &input->of, input->fock, error));
    for (int s = 0; s < self->n_spin; s++) HF_CHECK(make_spin(self, input, s, error));
    return HF_OK;
}

void hf_hessian_done(struct hf_orbital_hessian *self)
{
    for (int s = 0; s < HF_MAX_SPIN; s++)
        HF_DESTROY_MATRICES(&self->spin[s].occupied, &self->spin[s].image, &self->spin[s].ao);
    hf_rotation_space_done(&self->space);
}

/** Closed shells: both spins contribute the same. */
static double weight_of(const struct hf_orbital_hessian *self)
{
    return self->n_spin == 1 ? 2.0 : 1.0;
}

/** block += weight R^T (a b^T - b a^T) L of a set. */
static hf_status add_commutator(const struct hf_orbital_hessian *self, int set, double weight,
                                const struct hf_matrix *a, const struct hf_matrix *b,
                                struct hf_matrix *block, struct hf_error *error)
{
    const struct hf_rotation_set *s = &self->space.set[set];
    const int o = hf_matrix_n_col(a);
    struct hf_matrix *right = NULL, *left = NULL;
    HF_CHECK(HF_CREATE_MATRICES(self->space.linalg, "products of orbitals", error,
                                {&right, s->n_right, o}, {&left, s->n_left, o}));
    for (int i = 0; i < 2; i++) {
        hf_matrix_multiply(1.0, true, s->right, false, i == 0 ? a : b, 0.0, right);
        hf_matrix_multiply(1.0, true, s->left, false, i == 0 ? b : a, 0.0, left);
        hf_matrix_multiply(i == 0 ? weight : -weight, false, right, true, left, 1.0, block);
    }
    HF_DESTROY_MATRICES(&left, &right);
    return HF_OK;
}

hf_status hf_hessian_gradient(struct hf_orbital_hessian *self, struct hf_rotation *gradient,
                              struct hf_error *error)
{
    hf_rotation_add(0.0, gradient, 0.0, gradient);
    for (int s = 0; s < self->n_spin; s++) {
        const struct hf_spin_of_hessian *spin = &self->spin[s];
        if (spin->occupied != NULL)
            HF_CHECK(add_commutator(self, spin->set, weight_of(self), spin->image, spin->occupied,
                                    gradient->block[spin->set], error));
    }
    hf_rotation_weigh(&self->space, gradient);
    return HF_OK;
}

hf_status hf_hessian_perturbation(struct hf_orbital_hessian *self, const struct hf_matrix *matrix,
                                  struct hf_rotation *gradient, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *half = NULL, *image = NULL;
    hf_rotation_add(0.0, gradient, 0.0, gradient);
    for (int s = 0; s < self->n_spin; s++) {
        const struct hf_spin_of_hessian *spin = &self->spin[s];
        if (spin->occupied == NULL) continue;
        HF_TRY(hf_matrix_create_like("operator times orbitals", spin->ao, &half, error));
        hf_matrix_multiply(1.0, false, matrix, false, spin->ao, 0.0, half);
        HF_TRY(hf_matrix_create_product("operator times orbitals", true, self->x, false, half,
                                        &image, error));
        HF_TRY(add_commutator(self, spin->set, weight_of(self), image, spin->occupied,
                              gradient->block[spin->set], error));
        HF_DESTROY_MATRICES(&half, &image);
    }
    hf_rotation_weigh(&self->space, gradient);
cleanup:
    HF_DESTROY_MATRICES(&half, &image);
    return status;
}

/** A vector and the matrices of its product. */
struct trial {
    struct hf_rotation kappa;
    struct hf_matrix *turned[HF_MAX_SPIN]; /**< T = kappa W */
    struct hf_fields fields;               /**< coulomb NULL: not needed */
};
static void trial_done(struct trial *trial)
{
    hf_rotation_destroy(&trial->kappa);
    HF_DESTROY_MATRICES(&trial->turned[0], &trial->turned[1]);
    hf_fields_destroy(&trial->fields);
}

/** New *density [n][n] = [kappa, D_s] of spin s; also computes T of that spin. */
static hf_status make_spin_density(const struct hf_orbital_hessian *self, int s,
                                   struct trial *trial, struct hf_matrix **density,
                                   struct hf_error *error)
{
    hf_status status;
    const struct hf_spin_of_hessian *spin = &self->spin[s];
    const int n = hf_matrix_n_row(self->x);
    struct hf_matrix *ao = NULL, *half = NULL;
    HF_TRY(hf_matrix_create(self->space.linalg, "trial density", n, n, density, error));
    if (spin->occupied == NULL) return HF_OK; /* the new matrix is already zero */
    HF_TRY(hf_matrix_create_like("rotated orbitals", spin->occupied, &trial->turned[s], error));
    HF_TRY(hf_rotation_apply(&self->space, spin->set, trial->kappa.block[spin->set], spin->occupied,
                             trial->turned[s], error));
    HF_TRY(hf_matrix_create_product("rotated orbitals", false, self->x, false, trial->turned[s],
                                    &ao, error));
    HF_TRY(
        hf_matrix_create_product("half a trial density", false, ao, true, spin->ao, &half, error));
    hf_matrix_copy(half, *density);
    hf_matrix_add_transposed(1.0, half, 1.0, *density);
cleanup:
    HF_DESTROY_MATRICES(&half, &ao);
    return status;
}

/** Makes the densities of a rotation, and matrices for their J and K. */
static hf_status make_trial(const struct hf_orbital_hessian *self, enum hf_rotation_kind kind,
                            const struct hf_rotation *vector, struct trial *trial,
                            struct hf_error *error)
{
    struct hf_fields *fields = &trial->fields;
    struct hf_matrix **density = fields->density;
    HF_CHECK(hf_rotation_create(&self->space, &trial->kappa, error));
    hf_rotation_add(1.0, vector, 0.0, &trial->kappa);
    hf_rotation_weigh(&self->space, &trial->kappa);
    for (int s = 0; s < self->n_spin; s++)
        HF_CHECK(make_spin_density(self, s, trial, &density[s], error));
    if (self->n_spin == 2) {
        hf_matrix_add(1.0, density[1], 1.0, density[0]);  /* alpha + beta */
        hf_matrix_add(1.0, density[0], -2.0, density[1]); /* alpha - beta */
    }
    for (int s = 0; s < self->n_spin; s++)
        HF_CHECK(hf_matrix_create_like("exchange of a trial density", density[s],
                                       &fields->exchange[s], error));
    if (kind == HF_ROTATION_INTERNAL)
        HF_CHECK(hf_matrix_create_like("Coulomb of a trial density", density[0], &fields->coulomb,
                                       error));
    return HF_OK;
}

/** product += contribution of spin s; `field` [n][n] is its J - K. */
static hf_status add_spin(const struct hf_orbital_hessian *self, int s, const struct trial *trial,
                          const struct hf_matrix *field, const struct hf_rotation *product,
                          struct hf_error *error)
{
    hf_status status;
    const struct hf_spin_of_hessian *spin = &self->spin[s];
    struct hf_matrix *half = NULL, *p = NULL, *block = product->block[spin->set];
    if (spin->occupied == NULL) return HF_OK;
    const double weight = weight_of(self);
    HF_TRY(hf_matrix_create_product("field times orbitals", false, field, false, spin->ao, &half,
                                    error));
    HF_TRY(hf_matrix_create_like("image of a rotation", spin->image, &p, error));
    HF_TRY(hf_rotation_apply(&self->space, spin->set, trial->kappa.block[spin->set], spin->image, p,
                             error));
    hf_matrix_multiply(1.0, false, self->fock[s], false, trial->turned[s], -0.5, p);
    hf_matrix_multiply(1.0, true, self->x, false, half, 1.0, p);
    HF_TRY(add_commutator(self, spin->set, weight, p, spin->occupied, block, error));
    HF_TRY(
        add_commutator(self, spin->set, 0.5 * weight, spin->image, trial->turned[s], block, error));
cleanup:
    HF_DESTROY_MATRICES(&p, &half);
    return status;
}

/** Computes the product. dF of each spin overwrites K. */
static hf_status finish_trial(const struct hf_orbital_hessian *self, struct trial *trial,
                              const struct hf_rotation *product, struct hf_error *error)
{
    const struct hf_fields *fields = &trial->fields;
    struct hf_matrix *field = fields->exchange[0];
    hf_rotation_add(0.0, product, 0.0, (struct hf_rotation *)product);
    if (self->n_spin == 1) { /* the same for both spins, or opposite signs (then without J) */
        hf_matrix_add(0.0, field, -1.0, field);
        if (fields->coulomb != NULL) hf_matrix_add(2.0, fields->coulomb, 1.0, field);
        HF_CHECK(add_spin(self, 0, trial, field, product, error));
    }
    if (self->n_spin == 2) { /* J - (K[D] + K[M]) / 2 for alpha, then with + K[M] / 2 for beta */
        hf_matrix_add(1.0, fields->coulomb, -0.5, field);
        hf_matrix_add(-0.5, fields->exchange[1], 1.0, field);
        HF_CHECK(add_spin(self, 0, trial, field, product, error));
        hf_matrix_add(1.0, fields->exchange[1], 1.0, field);
        HF_CHECK(add_spin(self, 1, trial, field, product, error));
    }
    hf_rotation_weigh(&self->space, (struct hf_rotation *)product);
    return HF_OK;
}

/** Makes the trial densities of n vectors, and the jobs [n * n_spin] that build their J and K. */
static hf_status make_trials(const struct hf_orbital_hessian *self, enum hf_rotation_kind kind,
                             int n, const struct hf_rotation vector[], struct trial trial[],
                             struct hf_fock_job job[], struct hf_error *error)
{
    for (int i = 0; i < n; i++) {
        HF_CHECK(make_trial(self, kind, &vector[i], &trial[i], error));
        hf_fields_jobs(&trial[i].fields, job + i * self->n_spin);
    }
    return HF_OK;
}

static hf_status finish_trials(const struct hf_orbital_hessian *self, int n, struct trial trial[],
                               const struct hf_rotation product[], struct hf_error *error)
{
    for (int i = 0; i < n; i++) {
        HF_CHECK(finish_trial(self, &trial[i], &product[i], error));
        trial_done(&trial[i]);
    }
    return HF_OK;
}

/** Multiplies at most MOST_AT_ONCE vectors, in one pass. */
static hf_status multiply_some(struct hf_orbital_hessian *self, enum hf_rotation_kind kind, int n,
                               const struct hf_rotation vector[],
                               const struct hf_rotation product[], struct hf_error *error)
{
    hf_status status;
    struct hf_timers *timers = &self->context->timers;
    struct trial trial[MOST_AT_ONCE] = {0};
    struct hf_fock_job job[MOST_AT_ONCE * HF_MAX_SPIN];
    hf_timer_start(timers, &hf_phase_linear_algebra);
    status = make_trials(self, kind, n, vector, trial, job, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    const double start = hf_wall_seconds();
    if (status == HF_OK)
        status = hf_fock_build(self->builder, n * self->n_spin, job, self->threshold, error);
    self->build_seconds += hf_wall_seconds() - start;
    hf_timer_start(timers, &hf_phase_linear_algebra);
    if (status == HF_OK) status = finish_trials(self, n, trial, product, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    for (int i = 0; i < n; i++) trial_done(&trial[i]);
    if (status == HF_OK) self->n_product += n;
    return status;
}

hf_status hf_hessian_multiply(struct hf_orbital_hessian *self, enum hf_rotation_kind kind, int n,
                              const struct hf_rotation vector[], const struct hf_rotation product[],
                              struct hf_error *error)
{
    for (int i = 0; i < n; i += MOST_AT_ONCE) {
        const int rest = n - i;
        HF_CHECK(multiply_some(self, kind, rest < MOST_AT_ONCE ? rest : MOST_AT_ONCE, vector + i,
                               product + i, error));
    }
    return HF_OK;
}
