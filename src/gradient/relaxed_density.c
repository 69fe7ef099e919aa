/* The relaxed density of MP2; see relaxed_density.h. Matrices between orbitals are [m][m] of each spin; with closed
 * shells of one of the two spins, which are equal. */
#include "relaxed_density_private.h"

#include "response/subspace.h"
#include "text/trace.h"

#include <math.h>

const struct hf_phase hf_phase_relaxation = {"Relaxation of the orbitals"};

/** Of the norm of the right side: an error of the gradient is of its order. Frequencies from differences of gradients
 *  change by 1.4e-4 1/cm for water and 4e-5 1/cm for its dimer if it is 1e-10. */
static const double ACCURACY = 1e-7;

static int n_orbital(const struct hf_relaxation *self, int spin)
{
    return self->wavefunction->spin[spin].n_orbital;
}

/** Makes a new matrix between orbitals or functions, unless there is one. */
static hf_status make(const struct hf_relaxation *self, int n_row, int n_column,
                      struct hf_matrix **matrix, struct hf_error *error)
{
    return hf_matrix_create(self->linalg, "relaxed densities", n_row, n_column, matrix, error);
}

/* ---- Densities of the amplitudes ------------------------------------------------------------- */

/** What element-wise functions read. */
struct elements {
    const struct hf_relaxation *self;
    int spin;
};

/** Whether the orbital is frozen, occupied or virtual. */
static bool is_frozen(const struct hf_mp2_derivatives *from, int spin, int p)
{
    return p < from->n_frozen[spin] || p >= from->n_orbital[spin] - from->n_frozen_virtual;
}

static bool is_occupied(const struct hf_mp2_derivatives *from, int spin, int p)
{
    return p < from->n_occupied[spin];
}

/** P_pq of p frozen and q correlated, occupied alike, from Y_pq. hf_mp2_compute has refused frozen orbitals that are
 *  degenerate with correlated ones. */
static double between_frozen(void *data, int p, int q, double y)
{
    const struct elements *of = data;
    const struct hf_mp2_derivatives *from = of->self->from;
    const double *energy = of->self->wavefunction->spin[of->spin].energy;
    if (is_occupied(from, of->spin, p) != is_occupied(from, of->spin, q)) return 0.0;
    if (!is_frozen(from, of->spin, p) || is_frozen(from, of->spin, q)) return 0.0;
    return 0.5 * y / (energy[q] - energy[p]);
}

/** Collective. */
static hf_status begin_density(struct hf_relaxation *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *between = NULL;
    for (int s = 0; s < self->n_spin; s++) {
        struct elements of = {.self = self, .spin = s};
        const int m = n_orbital(self, s);
        HF_TRY(make(self, m, m, &between, error));
        HF_TRY(make(self, m, m, &self->density[s], error));
        HF_TRY(make(self, m, m, &self->lagrangian[s], error));
        HF_TRY(make(self, m, m, &self->field[s], error));
        if (self->n_removed > 0) HF_TRY(make(self, self->n, self->n, &self->operator[s], error));
        HF_TRY(hf_mp2_get_lagrangian(self->from, s, self->linalg,
                                     self->wavefunction->spin[s].coefficient, self->lagrangian[s],
                                     error));
        hf_matrix_copy(self->lagrangian[s], between);
        hf_matrix_map(between, between_frozen, &of);
        hf_mp2_get_density(self->from, s, self->density[s]);
        hf_matrix_add(1.0, between, 1.0, self->density[s]);
        hf_matrix_add_transposed(1.0, between, 1.0, self->density[s]);
        hf_matrix_destroy(&between);
    }
cleanup:
    hf_matrix_destroy(&between);
    return status;
}

/* ---- Its field ------------------------------------------------------------------------------- */

/** to [n][n] += factor C P C^T of a spin. Collective. */
static hf_status add_to_functions(const struct hf_relaxation *self, int spin, double factor,
                                  const struct hf_matrix *between, struct hf_matrix *to,
                                  struct hf_error *error)
{
    hf_status status;
    const struct hf_matrix *c = self->wavefunction->spin[spin].coefficient;
    struct hf_matrix *half = NULL;
    HF_TRY(make(self, self->n, n_orbital(self, spin), &half, error));
    hf_matrix_multiply(1.0, false, c, false, between, 0.0, half);
    hf_matrix_multiply(factor, false, half, true, c, 1.0, to);
cleanup:
    hf_matrix_destroy(&half);
    return status;
}

/** self->ao: the densities in functions, exactly symmetric. Collective. */
static hf_status make_ao_densities(struct hf_relaxation *self, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *sum = NULL;
    HF_TRY(make(self, self->n, self->n, &sum, error));
    for (int k = 0; k < self->n_spin; k++) {
        hf_matrix_add(0.0, sum, 0.0, sum);
        for (int s = 0; s < self->n_spin; s++)
            HF_TRY(add_to_functions(self, s,
                                    self->n_spin == 1  ? 2.0
                                    : k == 1 && s == 1 ? -1.0
                                                       : 1.0,
                                    self->density[s], sum, error));
        if (self->ao[k] == NULL) HF_TRY(make(self, self->n, self->n, &self->ao[k], error));
        hf_matrix_add(0.5, sum, 0.0, self->ao[k]);
        hf_matrix_add_transposed(0.5, sum, 1.0, self->ao[k]);
    }
cleanup:
    hf_matrix_destroy(&sum);
    return status;
}

/** field = C^T operator C of a spin. Collective. */
static hf_status to_orbitals(const struct hf_relaxation *self, int spin,
                             const struct hf_matrix *operator, struct hf_matrix * field,
                             struct hf_error *error)
{
    hf_status status;
    const struct hf_matrix *c = self->wavefunction->spin[spin].coefficient;
    struct hf_matrix *half = NULL;
    HF_TRY(make(self, self->n, n_orbital(self, spin), &half, error));
    hf_matrix_multiply(1.0, false, operator, false, c, 0.0, half);
    hf_matrix_multiply(1.0, true, c, false, half, 0.0, field);
cleanup:
    hf_matrix_destroy(&half);
    return status;
}

/** Makes self->ao and self->field of self->density. Collective. */
static hf_status make_fields(struct hf_relaxation *self, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *coulomb = NULL, *exchange[HF_MAX_SPIN] = {NULL};
    struct hf_fock_job job[HF_MAX_SPIN];
    HF_TRY(make_ao_densities(self, error));
    HF_TRY(make(self, self->n, self->n, &coulomb, error));
    for (int k = 0; k < self->n_spin; k++) {
        HF_TRY(make(self, self->n, self->n, &exchange[k], error));
        job[k] = (struct hf_fock_job){
            .density = self->ao[k], .coulomb = k == 0 ? coulomb : NULL, .exchange = exchange[k]};
    }
    HF_TRY(hf_fock_build(self->builder, self->n_spin, job, self->settings->screening_threshold,
                         error));
    hf_matrix_add(-0.5, exchange[0], 1.0, coulomb);
    for (int s = 0; s < self->n_spin; s++) {
        if (self->n_spin == 2) hf_matrix_add(s == 0 ? -0.5 : 1.0, exchange[1], 1.0, coulomb);
        HF_TRY(to_orbitals(self, s, coulomb, self->field[s], error));
        if (self->operator[s] != NULL) hf_matrix_copy(coulomb, self->operator[s]);
    }
cleanup:
    HF_DESTROY_MATRICES(&coulomb, &exchange[0], &exchange[1]);
    return status;
}

/* ---- The equation for z ---------------------------------------------------------------------- */

/** Only elements of virtual rows and occupied columns remain. */
static double keep_virtual_rows(void *data, int a, int i, double value)
{
    const struct elements *of = data;
    const struct hf_mp2_derivatives *from = of->self->from;
    return is_occupied(from, of->spin, a) || !is_occupied(from, of->spin, i) ? 0.0 : value;
}

/** to = U matrix U^T, or back. Collective. */
static hf_status turn(const struct hf_relaxation *self, int spin, bool back,
                      const struct hf_matrix *matrix, struct hf_matrix *to, struct hf_error *error)
{
    hf_status status;
    const struct hf_matrix *u = self->to_first[spin];
    struct hf_matrix *half = NULL;
    HF_TRY(make(self, hf_matrix_n_row(u), hf_matrix_n_col(u), &half, error));
    hf_matrix_multiply(1.0, back, u, false, matrix, 0.0, half);
    hf_matrix_multiply(1.0, false, half, !back, u, 0.0, to);
cleanup:
    hf_matrix_destroy(&half);
    return status;
}

static double energy_on_diagonal(void *data, int p, int q, double value)
{
    const double *energy = data;
    (void)value;
    return p == q ? energy[p] : 0.0;
}

/** Orbitals and Fock matrices in the orbitals of the first spin, which are orthonormal. Collective. */
static hf_status make_orbitals(struct hf_relaxation *self, struct hf_error *error)
{
    hf_status status;
    const struct hf_wavefunction *w = self->wavefunction;
    const int n = self->n, m = n_orbital(self, 0);
    struct hf_matrix *half = NULL, *energy = NULL;
    HF_TRY(make(self, n, m, &half, error));
    HF_TRY(make(self, m, m, &energy, error));
    for (int s = 0; s < self->n_spin; s++) {
        const int o = w->spin[s].n_occupied;
        HF_TRY(make(self, m, m, &self->to_first[s], error));
        HF_TRY(make(self, m, m, &self->fock[s], error));
        hf_matrix_multiply(1.0, false, w->overlap, false, w->spin[s].coefficient, 0.0, half);
        hf_matrix_multiply(1.0, true, w->spin[0].coefficient, false, half, 0.0, self->to_first[s]);
        hf_matrix_map(energy, energy_on_diagonal, w->spin[s].energy);
        HF_TRY(turn(self, s, false, energy, self->fock[s], error));
        if (o == 0) continue;
        HF_TRY(make(self, m, o, &self->occupied[s], error));
        hf_matrix_copy_columns(self->to_first[s], 0, o, NULL, self->occupied[s], 0);
    }
cleanup:
    HF_DESTROY_MATRICES(&half, &energy);
    return status;
}

/** The right sides as a rotation of the Hessian. Collective. */
static hf_status make_right_side(const struct hf_relaxation *self,
                                 const struct hf_orbital_hessian *hessian,
                                 struct hf_rotation *right, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *between = NULL, *turned[HF_MAX_SPIN] = {NULL};
    for (int s = 0; s < self->n_spin; s++) {
        const int m = n_orbital(self, s);
        struct elements of = {.self = self, .spin = s};
        HF_TRY(make(self, m, m, &between, error));
        HF_TRY(make(self, m, m, &turned[s], error));
        hf_matrix_copy(self->lagrangian[s], between);
        hf_matrix_add_transposed(-1.0, self->lagrangian[s], 1.0, between);
        hf_matrix_add(-1.0, self->field[s], -0.5, between); /* -(Y_ai - Y_ia) / 2 - G_ai */
        hf_matrix_map(between, keep_virtual_rows, &of);
        HF_TRY(turn(self, s, false, between, turned[s], error));
        hf_matrix_destroy(&between);
    }
    HF_TRY(hf_rotation_project(&hessian->space, turned, right, error));
cleanup:
    HF_DESTROY_MATRICES(&between, &turned[0], &turned[1]);
    return status;
}

/** Adds z_ai and z_ia to the densities. Collective. */
static hf_status add_solution(struct hf_relaxation *self, const struct hf_orbital_hessian *hessian,
                              const struct hf_rotation *solution, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *expanded[HF_MAX_SPIN] = {NULL}, *z = NULL;
    const double weight = self->n_spin == 1 ? sqrt(2.0) : 1.0; /* of hf_rotation_project */
    HF_TRY(hf_rotation_expand(&hessian->space, solution, expanded, error));
    for (int s = 0; s < self->n_spin; s++) {
        const int m = n_orbital(self, s);
        struct elements of = {.self = self, .spin = s};
        if (expanded[s] == NULL) continue;
        HF_TRY(make(self, m, m, &z, error));
        HF_TRY(turn(self, s, true, expanded[s], z, error));
        hf_matrix_map(z, keep_virtual_rows, &of);
        hf_matrix_add(weight, z, 1.0, self->density[s]);
        hf_matrix_add_transposed(weight, z, 1.0, self->density[s]);
        hf_matrix_destroy(&z);
    }
cleanup:
    HF_DESTROY_MATRICES(&z, &expanded[0], &expanded[1]);
    return status;
}

/** Solves the equation. Collective. */
static hf_status solve(struct hf_relaxation *self, struct hf_relaxed_density *relaxed,
                       struct hf_error *error)
{
    hf_status status;
    struct hf_orbital_hessian hessian = {.n_spin = 0};
    struct hf_rotation right = {{NULL}}, solution = {{NULL}};
    struct hf_linear_response response;
    HF_TRY(make_orbitals(self, error));
    HF_TRY(hf_hessian_init(&hessian,
                           &(struct hf_hessian_input){
                               .context = self->context,
                               .builder = self->builder,
                               .of = {.method = self->method,
                                      .n_electron = self->n_electron,
                                      .x = {self->wavefunction->spin[0].coefficient},
                                      .occupied = {self->occupied[0], self->occupied[1]}},
                               .fock = self->fock,
                               .threshold = self->settings->screening_threshold,
                           },
                           error));
    HF_TRY(make_right_side(self, &hessian, &right, error));
    HF_TRY(hf_rotation_create(&hessian.space, &solution, error));
    HF_TRY(hf_respond(&hessian, 1, &right, ACCURACY, &response, &solution, error));
    HF_TRY(add_solution(self, &hessian, &solution, error));
    relaxed->n_product = hessian.n_product;
    relaxed->converged = response.converged;
cleanup:
    hf_rotation_destroy(&solution);
    hf_rotation_destroy(&right);
    hf_hessian_done(&hessian);
    return status;
}

/* ---- The energy-weighted density ------------------------------------------------------------- */

/** e_p P_pq */
static double times_energy(void *data, int p, int q, double density)
{
    const struct elements *of = data;
    (void)q;
    return of->self->wavefunction->spin[of->spin].energy[p] * density;
}

/** W between occupied and virtual orbitals is that of p occupied, which has no G; what follows symmetrises it. */
static double keep_occupied_rows(void *data, int p, int q, double value)
{
    const struct elements *of = data;
    const struct hf_mp2_derivatives *from = of->self->from;
    const bool occupied_p = is_occupied(from, of->spin, p);
    if (occupied_p == is_occupied(from, of->spin, q)) return value;
    return occupied_p ? 2.0 * value : 0.0;
}

static double keep_occupied(void *data, int p, int q, double value)
{
    const struct elements *of = data;
    const struct hf_mp2_derivatives *from = of->self->from;
    return is_occupied(from, of->spin, p) && is_occupied(from, of->spin, q) ? value : 0.0;
}

/** weighted [n][n] of P and G(P). Collective. */
static hf_status make_weighted(const struct hf_relaxation *self, struct hf_matrix *weighted,
                               struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_matrix *between = NULL, *sum = NULL;
    HF_TRY(make(self, self->n, self->n, &sum, error));
    for (int s = 0; s < self->n_spin; s++) {
        const int m = n_orbital(self, s);
        struct elements of = {.self = self, .spin = s};
        HF_TRY(make(self, m, m, &between, error));
        hf_matrix_copy(self->density[s], between);
        hf_matrix_map(between, times_energy, &of);
        hf_matrix_add(0.5, self->lagrangian[s], 1.0, between);
        hf_matrix_map(between, keep_occupied_rows, &of);
        hf_matrix_map(self->field[s], keep_occupied, &of);
        hf_matrix_add(1.0, self->field[s], 1.0, between);
        HF_TRY(add_to_functions(self, s, self->n_spin == 1 ? 2.0 : 1.0, between, sum, error));
        hf_matrix_destroy(&between);
    }
    hf_matrix_add(0.5, sum, 0.0, weighted);
    hf_matrix_add_transposed(0.5, sum, 1.0, weighted);
cleanup:
    HF_DESTROY_MATRICES(&between, &sum);
    return status;
}

/** The sum of a matrix and what correlation adds to it. Collective. */
static hf_status add_matrices(const struct hf_wavefunction *wavefunction,
                              const struct hf_matrix *first, const struct hf_matrix *second,
                              struct hf_matrix **sum, struct hf_error *error)
{
    const int n = wavefunction->basis->n_function;
    HF_CHECK(hf_matrix_create(wavefunction->linalg, "relaxed densities", n, n, sum, error));
    hf_matrix_copy(first, *sum);
    hf_matrix_add(1.0, second, 1.0, *sum);
    return HF_OK;
}

/** Makes the wave function with the sums. Collective. */
static hf_status add_up(const struct hf_wavefunction *wavefunction,
                        struct hf_relaxed_density *relaxed, struct hf_error *error)
{
    struct hf_wavefunction *sum = &relaxed->wavefunction;
    *sum = *wavefunction;
    sum->density = sum->spin_density = sum->weighted_density = NULL;
    HF_CHECK(
        add_matrices(wavefunction, wavefunction->density, relaxed->total, &sum->density, error));
    if (relaxed->spin != NULL)
        HF_CHECK(add_matrices(wavefunction, wavefunction->spin_density, relaxed->spin,
                              &sum->spin_density, error));
    return add_matrices(wavefunction, wavefunction->weighted_density, relaxed->weighted,
                        &sum->weighted_density, error);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void done(struct hf_relaxation *self)
{
    hf_fock_destroy(&self->builder);
    for (int s = 0; s < HF_MAX_SPIN; s++)
        HF_DESTROY_MATRICES(&self->density[s], &self->lagrangian[s], &self->field[s], &self->ao[s],
                            &self->to_first[s], &self->fock[s], &self->occupied[s],
                            &self->operator[s]);
}

/** Collective. */
static hf_status begin(struct hf_relaxation *self, struct hf_common_pairs *pairs,
                       struct hf_error *error)
{
    hf_status status;
    const struct hf_shell_pairs *list = NULL;
    struct hf_fock_settings fock = self->settings->fock;
    fock.store_weighed = false; /* some 20 builds follow: the first one stores what fits */
    status = hf_method_find(self->wavefunction->method, &self->method, error);
    if (status == HF_OK)
        status = hf_spin_count_of(self->wavefunction->molecule, &self->n_electron, error);
    HF_TRY(hf_agree(self->context->comm, status, error));
    HF_TRY(hf_common_pairs_get(pairs, hf_scf_pair_accuracy(self->settings, 1.0),
                               self->context->n_thread, &list, error));
    HF_TRY(hf_fock_create(self->context, list, &fock, &self->builder, error));
cleanup:
    return status;
}

hf_status hf_relax_density(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                           const struct hf_scf_settings *settings, struct hf_common_pairs *pairs,
                           const struct hf_mp2_derivatives *derivatives,
                           struct hf_relaxed_density *relaxed, struct hf_error *error)
{
    hf_status status;
    const int n = wavefunction->basis->n_function;
    struct hf_relaxation self = {.context = context,
                                 .wavefunction = wavefunction,
                                 .settings = settings,
                                 .from = derivatives,
                                 .linalg = wavefunction->linalg,
                                 .n = n,
                                 .n_removed = n - wavefunction->spin[0].n_orbital,
                                 .n_spin = wavefunction->n_spin};
    const struct hf_trace_span span = hf_trace_begin_span(context->trace);
    hf_timer_start(&context->timers, &hf_phase_relaxation);
    HF_TRY(begin(&self, pairs, error));
    HF_TRY(begin_density(&self, error));
    HF_TRY(make_fields(&self, error));
    HF_TRY(solve(&self, relaxed, error));
    HF_TRY(make_fields(&self, error));
    HF_TRY(make(&self, n, n, &relaxed->weighted, error));
    HF_TRY(make_weighted(&self, relaxed->weighted, error));
    HF_TRY(hf_weigh_removed_correlation(&self, relaxed->weighted, error));
    relaxed->total = self.ao[0];
    relaxed->spin = self.ao[1];
    self.ao[0] = self.ao[1] = NULL;
    HF_TRY(add_up(wavefunction, relaxed, error));
cleanup:
    hf_timer_stop(&context->timers, &hf_phase_relaxation);
    hf_trace_begin_batch(context->trace);
    hf_trace_end_span(context->trace, 0, HF_TRACE_STEP, 0, span);
    hf_trace_end_build(context->trace);
    done(&self);
    return status;
}

void hf_relaxed_density_done(struct hf_relaxed_density *relaxed)
{
    struct hf_wavefunction *sum = &relaxed->wavefunction;
    HF_DESTROY_MATRICES(&sum->density, &sum->spin_density, &sum->weighted_density);
    HF_DESTROY_MATRICES(&relaxed->total, &relaxed->spin, &relaxed->weighted);
}
