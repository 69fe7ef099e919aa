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

/** A vector and the matrices of its products. */
struct trial {
    struct hf_rotation kappa;
    struct hf_matrix *turned[HF_MAX_SPIN]; /**< T = kappa W */
    struct hf_fields fields;               /**< coulomb NULL: not needed */
    /** S D_s - D_s S of the spins and their exchange; NULL: not needed */
    struct hf_fields imaginary;
};

/** Vectors that go through the integrals together. */
struct pass {
    int n, n_job;
    bool both; /**< both kinds of products */
    struct trial trial[MOST_AT_ONCE];
    struct hf_fock_job job[2 * MOST_AT_ONCE * HF_MAX_SPIN];
};

static void trial_done(struct trial *trial)
{
    hf_rotation_destroy(&trial->kappa);
    HF_DESTROY_MATRICES(&trial->turned[0], &trial->turned[1]);
    hf_fields_destroy(&trial->fields);
    hf_fields_destroy(&trial->imaginary);
}

/** New density [n][n] = [kappa, D_s] of spin s, and S D_s - D_s S if it is needed; also computes T of that spin. */
static hf_status make_spin_density(const struct hf_orbital_hessian *self, int s, bool both,
                                   struct trial *trial, struct hf_error *error)
{
    hf_status status;
    const struct hf_spin_of_hessian *spin = &self->spin[s];
    const int n = hf_matrix_n_row(self->x);
    struct hf_matrix *ao = NULL, *half = NULL, **density = &trial->fields.density[s];
    struct hf_matrix **imaginary = &trial->imaginary.density[s];
    HF_TRY(hf_matrix_create(self->space.linalg, "trial density", n, n, density, error));
    if (both) HF_TRY(hf_matrix_create_like("trial density", *density, imaginary, error));
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
    if (both) hf_matrix_copy(half, *imaginary);
    if (both) hf_matrix_add_transposed(-1.0, half, 1.0, *imaginary);
cleanup:
    HF_DESTROY_MATRICES(&half, &ao);
    return status;
}

/** Makes the densities of a rotation, `both` of its kinds or one, and matrices for their J and K. */
static hf_status make_trial(const struct hf_orbital_hessian *self, enum hf_rotation_kind kind,
                            bool both, const struct hf_rotation *vector, struct trial *trial,
                            struct hf_error *error)
{
    struct hf_fields *fields = &trial->fields;
    struct hf_matrix **density = fields->density;
    HF_CHECK(hf_rotation_create(&self->space, &trial->kappa, error));
    hf_rotation_add(1.0, vector, 0.0, &trial->kappa);
    hf_rotation_weigh(&self->space, &trial->kappa);
    for (int s = 0; s < self->n_spin; s++) HF_CHECK(make_spin_density(self, s, both, trial, error));
    if (self->n_spin == 2) {
        hf_matrix_add(1.0, density[1], 1.0, density[0]);  /* alpha + beta */
        hf_matrix_add(1.0, density[0], -2.0, density[1]); /* alpha - beta */
    }
    for (int s = 0; s < self->n_spin; s++) {
        HF_CHECK(hf_matrix_create_like("exchange of a trial density", density[s],
                                       &fields->exchange[s], error));
        if (both)
            HF_CHECK(hf_matrix_create_like("exchange of a trial density", density[s],
                                           &trial->imaginary.exchange[s], error));
    }
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

/** dF of each spin overwrites K. */
static void make_fields(const struct hf_orbital_hessian *self, struct hf_fields *fields)
{
    struct hf_matrix *first = fields->exchange[0], *second = fields->exchange[1];
    if (self->n_spin == 1) { /* the same for both spins, or opposite signs (then without J) */
        hf_matrix_add(0.0, first, -1.0, first);
        if (fields->coulomb != NULL) hf_matrix_add(2.0, fields->coulomb, 1.0, first);
    } else { /* J - (K[D] + K[M]) / 2 for alpha, then with + K[M] / 2 for beta */
        hf_matrix_add(1.0, fields->coulomb, -0.5, first);
        hf_matrix_add(-0.5, second, 1.0, first);
        hf_matrix_add(1.0, first, 1.0, second);
    }
}

/** product = the sum over spins s, each with dF in field [s] [n][n], times `sign`. */
static hf_status finish_product(const struct hf_orbital_hessian *self, const struct trial *trial,
                                struct hf_matrix *const field[], const struct hf_rotation *product,
                                struct hf_error *error)
{
    hf_rotation_add(0.0, product, 0.0, (struct hf_rotation *)product);
    for (int s = 0; s < self->n_spin; s++)
        HF_CHECK(add_spin(self, s, trial, field[s], product, error));
    hf_rotation_weigh(&self->space, (struct hf_rotation *)product);
    return HF_OK;
}

/** Makes the trial densities of n vectors, and the jobs that build their J and K; returns the number of jobs. */
static hf_status make_trials(const struct hf_orbital_hessian *self, enum hf_rotation_kind kind,
                             struct pass *pass, const struct hf_rotation vector[],
                             struct hf_error *error)
{
    for (int i = 0; i < pass->n; i++) {
        struct hf_fields *imaginary = &pass->trial[i].imaginary;
        HF_CHECK(make_trial(self, kind, pass->both, &vector[i], &pass->trial[i], error));
        pass->n_job += hf_fields_jobs(&pass->trial[i].fields, pass->job + pass->n_job);
        for (int s = 0; pass->both && s < self->n_spin; s++)
            pass->job[pass->n_job++] = (struct hf_fock_job){.density = imaginary->density[s],
                                                            .exchange = imaginary->exchange[s],
                                                            .antisymmetric = true};
    }
    return HF_OK;
}

static hf_status finish_trials(const struct hf_orbital_hessian *self, struct pass *pass,
                               struct hf_hessian_products product, struct hf_error *error)
{
    for (int i = 0; i < pass->n; i++) {
        struct trial *trial = &pass->trial[i];
        struct hf_matrix **exchange = trial->imaginary.exchange;
        make_fields(self, &trial->fields);
        HF_CHECK(finish_product(self, trial, trial->fields.exchange, &product.real[i], error));
        for (int s = 0; pass->both && s < self->n_spin; s++)
            hf_matrix_add(0.0, exchange[s], -1.0, exchange[s]);
        if (pass->both)
            HF_CHECK(finish_product(self, trial, exchange, &product.imaginary[i], error));
        trial_done(trial);
    }
    return HF_OK;
}

/** Builds the J and K of the trial densities of a pass. */
static hf_status build(struct hf_orbital_hessian *self, enum hf_rotation_kind kind,
                       const struct hf_rotation vector[], struct pass *pass, struct hf_error *error)
{
    struct hf_timers *timers = &self->context->timers;
    hf_timer_start(timers, &hf_phase_linear_algebra);
    hf_status status = make_trials(self, kind, pass, vector, error);
    hf_timer_stop(timers, &hf_phase_linear_algebra);
    const double start = hf_wall_seconds();
    if (status == HF_OK)
        status = hf_fock_build(self->builder, pass->n_job, pass->job, self->threshold, error);
    self->build_seconds += hf_wall_seconds() - start;
    if (status == HF_OK) self->n_product += pass->n;
    return status;
}

hf_status hf_hessian_multiply(struct hf_orbital_hessian *self, enum hf_rotation_kind kind, int n,
                              const struct hf_rotation vector[], struct hf_hessian_products product,
                              struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_timers *timers = &self->context->timers;
    for (int i = 0; i < n && status == HF_OK; i += MOST_AT_ONCE) {
        struct pass pass = {.n = n - i < MOST_AT_ONCE ? n - i : MOST_AT_ONCE,
                            .both = product.imaginary != NULL};
        const struct hf_hessian_products rest = {product.real + i,
                                                 pass.both ? product.imaginary + i : NULL};
        status = build(self, kind, vector + i, &pass, error);
        hf_timer_start(timers, &hf_phase_linear_algebra);
        if (status == HF_OK) status = finish_trials(self, &pass, rest, error);
        hf_timer_stop(timers, &hf_phase_linear_algebra);
        for (int k = 0; k < pass.n; k++) trial_done(&pass.trial[k]);
    }
    return status;
}

/** For spin s: adds tr t_a t_b^T F(vv) - tr t_a^T t_b F(oo) to third [9 a + 3 b] for all a, b; F is `fock` [n][n]. */
static hf_status add_third(const struct hf_orbital_hessian *self, int s, const struct pass *pass,
                           const struct hf_matrix *fock, double third[], struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_spin_of_hessian *spin = &self->spin[s];
    struct hf_matrix *half = NULL, *inner = NULL, *ao[3] = {NULL}, *between = NULL;
    if (spin->occupied == NULL) return HF_OK;
    HF_TRY(hf_matrix_create_product("field times orbitals", false, fock, false, spin->ao, &half,
                                    error));
    HF_TRY(hf_matrix_create_product("field between orbitals", true, spin->ao, false, half, &inner,
                                    error));
    HF_TRY(hf_matrix_create_like("overlap of rotations", inner, &between, error));
    for (int a = 0; a < 3; a++)
        HF_TRY(hf_matrix_create_product("rotated orbitals", false, self->x, false,
                                        pass->trial[a].turned[s], &ao[a], error));
    for (int b = 0; b < 3; b++) {
        hf_matrix_multiply(1.0, false, fock, false, ao[b], 0.0, half);
        for (int a = 0; a < 3; a++) {
            double of_virtual, of_occupied;
            hf_matrix_multiply(1.0, true, pass->trial[a].turned[s], false, pass->trial[b].turned[s],
                               0.0, between);
            hf_matrix_dot(ao[a], half, &of_virtual);
            hf_matrix_dot(between, inner, &of_occupied);
            third[9 * a + 3 * b] += weight_of(self) * (of_virtual - of_occupied);
        }
    }
cleanup:
    HF_DESTROY_MATRICES(&half, &inner, &between, &ao[0], &ao[1], &ao[2]);
    return status;
}

hf_status hf_hessian_third(struct hf_orbital_hessian *self, const struct hf_rotation solution[],
                           struct hf_matrix *const matrix[], double third[], struct hf_error *error)
{
    hf_status status;
    double one_order[27] = {0.0}; /* [a][b][c] */
    struct pass pass = {.n = 3};
    HF_TRY(build(self, HF_ROTATION_INTERNAL, solution, &pass, error));
    for (int c = 0; c < 3; c++) {
        struct hf_matrix *const *field = pass.trial[c].fields.exchange;
        make_fields(self, &pass.trial[c].fields);
        for (int s = 0; s < self->n_spin; s++) {
            hf_matrix_add(1.0, matrix[c], -1.0, field[s]);
            HF_TRY(add_third(self, s, &pass, field[s], one_order + c, error));
        }
    }
    for (int abc = 0; abc < 27; abc++) {
        const int a = abc / 9, b = abc / 3 % 3, c = abc % 3;
        const int order[6] = {9 * a + 3 * b + c, 9 * a + 3 * c + b, 9 * b + 3 * a + c,
                              9 * b + 3 * c + a, 9 * c + 3 * a + b, 9 * c + 3 * b + a};
        third[abc] = 0.0;
        for (int k = 0; k < 6; k++) third[abc] += one_order[order[k]];
    }
cleanup:
    for (int k = 0; k < pass.n; k++) trial_done(&pass.trial[k]);
    return status;
}
