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
    struct hf_matrix *left[HF_MAX_SPIN] = {self->space.set[0].left, self->space.set[1].left};
    spin->set = input->method->n_set == 2 ? s : 0;
    if (left[spin->set] == NULL) return HF_OK;
    HF_CHECK(hf_spin_orbitals(input->linalg, input->n_electron, input->method->n_set, left, s,
                              &spin->occupied, error));
    if (spin->occupied == NULL) return HF_OK;
    const int o = hf_matrix_n_col(spin->occupied);
    HF_CHECK(hf_matrix_create(input->linalg, "Fock times orbitals", self->space.m, o, &spin->image,
                              error));
    HF_CHECK(hf_matrix_create(input->linalg, "occupied orbitals", hf_matrix_n_row(input->x), o,
                              &spin->ao, error));
    hf_matrix_multiply(1.0, false, self->fock[s], false, spin->occupied, 0.0, spin->image);
    hf_matrix_multiply(1.0, false, input->x, false, spin->occupied, 0.0, spin->ao);
    return HF_OK;
}

hf_status hf_hessian_init(struct hf_orbital_hessian *self, const struct hf_hessian_input *input,
                          struct hf_error *error)
{
    *self = (struct hf_orbital_hessian){
        .context = input->context,
        .builder = input->builder,
        .method = input->method,
        .x = input->x,
        .n_spin = input->method->n_fock,
        .threshold = input->threshold,
    };
    for (int s = 0; s < self->n_spin; s++) self->fock[s] = input->fock[s];
    HF_CHECK(hf_rotation_space_init(&self->space, input->context, input->linalg, input->method,
                                    input->n_electron, input->fock, input->occupied, error));
    for (int s = 0; s < self->n_spin; s++) HF_CHECK(make_spin(self, input, s, error));
    return HF_OK;
}

void hf_hessian_done(struct hf_orbital_hessian *self)
{
    for (int s = 0; s < HF_MAX_SPIN; s++) {
        HF_DESTROY_MATRICES(&self->spin[s].occupied, &self->spin[s].image, &self->spin[s].ao);
    }
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
    hf_status status = HF_OK;
    const struct hf_rotation_set *s = &self->space.set[set];
    const int o = hf_matrix_n_col(a);
    struct hf_matrix *right = NULL, *left = NULL;
    HF_TRY(
        hf_matrix_create(self->space.linalg, "products of orbitals", s->n_right, o, &right, error));
    HF_TRY(
        hf_matrix_create(self->space.linalg, "products of orbitals", s->n_left, o, &left, error));
    for (int i = 0; i < 2; i++) {
        hf_matrix_multiply(1.0, true, s->right, false, i == 0 ? a : b, 0.0, right);
        hf_matrix_multiply(1.0, true, s->left, false, i == 0 ? b : a, 0.0, left);
        hf_matrix_multiply(i == 0 ? weight : -weight, false, right, true, left, 1.0, block);
    }
cleanup:
    HF_DESTROY_MATRICES(&left, &right);
    return status;
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
    const int n = hf_matrix_n_row(self->x);
    hf_rotation_add(0.0, gradient, 0.0, gradient);
    for (int s = 0; s < self->n_spin; s++) {
        const struct hf_spin_of_hessian *spin = &self->spin[s];
        if (spin->occupied == NULL) continue;
        const int o = hf_matrix_n_col(spin->occupied);
        HF_TRY(hf_matrix_create(self->space.linalg, "operator times orbitals", n, o, &half, error));
        HF_TRY(hf_matrix_create(self->space.linalg, "operator times orbitals", self->space.m, o,
                                &image, error));
        hf_matrix_multiply(1.0, false, matrix, false, spin->ao, 0.0, half);
        hf_matrix_multiply(1.0, true, self->x, false, half, 0.0, image);
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
    struct hf_matrix *turned[HF_MAX_SPIN];  /**< T = kappa W */
    struct hf_matrix *density[HF_MAX_SPIN]; /**< [n][n] total and spin density */
    struct hf_matrix *coulomb, *exchange[HF_MAX_SPIN];
};

static void trial_done(struct trial *trial)
{
    hf_rotation_destroy(&trial->kappa);
    for (int s = 0; s < HF_MAX_SPIN; s++) {
        HF_DESTROY_MATRICES(&trial->turned[s], &trial->density[s], &trial->exchange[s]);
    }
    hf_matrix_destroy(&trial->coulomb);
}

/** density [n][n] = [kappa, D_s] of spin s; also computes T of that spin. */
static hf_status make_spin_density(const struct hf_orbital_hessian *self, int s,
                                   struct trial *trial, struct hf_matrix *density,
                                   struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_spin_of_hessian *spin = &self->spin[s];
    struct hf_linalg *linalg = self->space.linalg;
    const int n = hf_matrix_n_row(self->x);
    struct hf_matrix *ao = NULL, *half = NULL;
    if (spin->occupied == NULL) return HF_OK; /* the new matrix is already zero */
    const int o = hf_matrix_n_col(spin->occupied);
    HF_TRY(
        hf_matrix_create(linalg, "rotated orbitals", self->space.m, o, &trial->turned[s], error));
    HF_TRY(hf_matrix_create(linalg, "rotated orbitals", n, o, &ao, error));
    HF_TRY(hf_matrix_create(linalg, "half a trial density", n, n, &half, error));
    HF_TRY(hf_rotation_apply(&self->space, spin->set, trial->kappa.block[spin->set], spin->occupied,
                             trial->turned[s], error));
    hf_matrix_multiply(1.0, false, self->x, false, trial->turned[s], 0.0, ao);
    hf_matrix_multiply(1.0, false, ao, true, spin->ao, 0.0, half);
    hf_matrix_copy(half, density);
    hf_matrix_add_transposed(1.0, half, 1.0, density);
cleanup:
    HF_DESTROY_MATRICES(&half, &ao);
    return status;
}

/** Makes the densities of a rotation, and matrices for their J and K. */
static hf_status make_trial(const struct hf_orbital_hessian *self, enum hf_rotation_kind kind,
                            const struct hf_rotation *vector, struct trial *trial,
                            struct hf_error *error)
{
    struct hf_linalg *linalg = self->space.linalg;
    const int n = hf_matrix_n_row(self->x);
    HF_CHECK(hf_rotation_create(&self->space, &trial->kappa, error));
    hf_rotation_add(1.0, vector, 0.0, &trial->kappa);
    hf_rotation_weigh(&self->space, &trial->kappa);
    for (int s = 0; s < self->n_spin; s++) {
        HF_CHECK(hf_matrix_create(linalg, "trial density", n, n, &trial->density[s], error));
        HF_CHECK(make_spin_density(self, s, trial, trial->density[s], error));
    }
    if (self->n_spin == 2) {
        hf_matrix_add(1.0, trial->density[1], 1.0, trial->density[0]);  /* alpha + beta */
        hf_matrix_add(1.0, trial->density[0], -2.0, trial->density[1]); /* alpha - beta */
    }
    for (int s = 0; s < self->n_spin; s++)
        HF_CHECK(hf_matrix_create(linalg, "exchange of a trial density", n, n, &trial->exchange[s],
                                  error));
    if (kind == HF_ROTATION_INTERNAL)
        HF_CHECK(
            hf_matrix_create(linalg, "Coulomb of a trial density", n, n, &trial->coulomb, error));
    return HF_OK;
}

/** product += contribution of spin s; `field` [n][n] is its J - K. */
static hf_status add_spin(const struct hf_orbital_hessian *self, int s, const struct trial *trial,
                          const struct hf_matrix *field, const struct hf_rotation *product,
                          struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_spin_of_hessian *spin = &self->spin[s];
    struct hf_linalg *linalg = self->space.linalg;
    struct hf_matrix *half = NULL, *p = NULL;
    if (spin->occupied == NULL) return HF_OK;
    const int n = hf_matrix_n_row(self->x), o = hf_matrix_n_col(spin->occupied);
    const double weight = weight_of(self);
    struct hf_matrix *block = product->block[spin->set];
    HF_TRY(hf_matrix_create(linalg, "field times orbitals", n, o, &half, error));
    HF_TRY(hf_matrix_create(linalg, "image of a rotation", self->space.m, o, &p, error));
    HF_TRY(hf_rotation_apply(&self->space, spin->set, trial->kappa.block[spin->set], spin->image, p,
                             error));
    hf_matrix_multiply(1.0, false, self->fock[s], false, trial->turned[s], -0.5, p);
    hf_matrix_multiply(1.0, false, field, false, spin->ao, 0.0, half);
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
    struct hf_matrix *field = trial->exchange[0];
    hf_rotation_add(0.0, product, 0.0, (struct hf_rotation *)product);
    if (self->n_spin == 1) { /* the same for both spins, or opposite signs (then without J) */
        hf_matrix_add(0.0, field, -1.0, field);
        if (trial->coulomb != NULL) hf_matrix_add(2.0, trial->coulomb, 1.0, field);
        HF_CHECK(add_spin(self, 0, trial, field, product, error));
    }
    if (self->n_spin == 2) { /* J - (K[D] + K[M]) / 2 for alpha, then with + K[M] / 2 for beta */
        hf_matrix_add(1.0, trial->coulomb, -0.5, field);
        hf_matrix_add(-0.5, trial->exchange[1], 1.0, field);
        HF_CHECK(add_spin(self, 0, trial, field, product, error));
        hf_matrix_add(1.0, trial->exchange[1], 1.0, field);
        HF_CHECK(add_spin(self, 1, trial, field, product, error));
    }
    hf_rotation_weigh(&self->space, (struct hf_rotation *)product);
    return HF_OK;
}

/** Makes the trial densities of n vectors, and the jobs that build their J and K. */
static hf_status make_trials(const struct hf_orbital_hessian *self, enum hf_rotation_kind kind,
                             int n, const struct hf_rotation vector[], struct trial trial[],
                             struct hf_fock_job job[], struct hf_error *error)
{
    for (int i = 0; i < n; i++) {
        HF_CHECK(make_trial(self, kind, &vector[i], &trial[i], error));
        for (int s = 0; s < self->n_spin; s++)
            *job++ = (struct hf_fock_job){.density = trial[i].density[s],
                                          .coulomb = s == 0 ? trial[i].coulomb : NULL,
                                          .exchange = trial[i].exchange[s]};
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
