/* Excited states, and responses to perturbations of a frequency: equations for a pair of vectors p and q,
 *
 *     (A + B) p - a q = g      (A - B) q - b p = 0
 *
 *                          a        b       g
 *     excited state        omega    omega   0      if omega^2 < 0: one of them -|omega|
 *     real frequency       omega    omega   the perturbation
 *     imaginary frequency  -omega   omega   the perturbation
 *
 * Both are expanded in one set of vectors. It grows by the residuals of X = (p + q) / 2 and Y = (p - q) / 2, each
 * divided by its differences of orbital energies. */
#include "response/subspace.h"

#include <math.h>
#include <string.h>

/** Norms of residuals: of states that are requested, and of others, whose energies must show whether they are degenerate.
 *  The norm of these must also be smaller than a part of the distance to the last requested state: a mixture of a
 *  state degenerate with it and one that is higher by g has a residual of at most g/2. */
static const double SHARP = 1e-5, ROUGH = 1e-3, PART_OF_DISTANCE = 0.3;
/** Even more states are followed if their energies may fall below that of the last requested state: by so many times
 *  what perturbation theory gives, the residual times itself divided by differences of energies. */
static const double FALL = 2.0;
/** The residual of Y is used only if it is larger than that of X by this factor: 103 products of benzene/6-31G in place
 *  of 116 for 5 states. */
static const double Y_OVER_X = 2.0;
/** States with such a difference are degenerate; smaller energies are zero. Hartree. */
static const double DEGENERATE = 1e-5, ZERO_ENERGY = 1e-10;
/** Largest norm of p and q over that of g, 1/hartree: if it is larger, an excitation is too near. */
static const double LARGEST_RESPONSE = 100.0;
/** First vectors: twice the states that are always followed, and some more, since atoms have many degenerate rotations. */
enum { MORE_ROOTS = 3, MORE_FIRST = 10, MOST_PASSES = 100 };

/** A pair of equations and its solution in the subspace. */
struct equation {
    double a, b;
    const struct hf_rotation *right; /**< g; NULL: 0 */
    double *p, *q;                   /**< [n] coefficients */
    double limit;                    /**< of the norms of residuals */
    double below; /**< the state is followed only if its energy may fall below this one */
};

/** A search in one subspace. */
struct paired {
    struct hf_subspace subspace;
    bool singles;              /**< Y is zero */
    bool indefinite;           /**< neither A + B nor A - B is positive */
    struct hf_arena arena;     /**< has the arrays */
    int n;                     /**< equations */
    struct equation *equation; /**< [n] */
    double *work;              /**< [4 most^2 + 2 most] */
    double *value;             /**< [n][most] energies, or components of perturbations */
    int n_component;           /**< vectors of which the components are known */
    struct hf_rotation *new;   /**< [2 n] candidates */
    int n_new;
};

/** Allocates for n equations and `most` vectors. Collective. */
static hf_status paired_init(struct paired *self, struct hf_orbital_hessian *hessian,
                             enum hf_rotation_kind kind, int n, int most, struct hf_error *error)
{
    const size_t room = (size_t)most;
    double *coefficient = HF_TAKE(&self->arena, coefficient, 2 * (size_t)n * room);
    hf_subspace_init(&self->subspace, hessian, kind);
    self->subspace.most = most;
    self->subspace.both = true;
    self->arena.label = "excited states";
    self->n = n;
    HF_TAKE(&self->arena, self->equation, (size_t)n);
    HF_TAKE(&self->arena, self->work, 4 * room * room + 2 * room);
    HF_TAKE(&self->arena, self->value, (size_t)n * room);
    HF_TAKE(&self->arena, self->new, 2 * (size_t)n);
    HF_CHECK(hf_agree(hessian->context->comm, hf_arena_check(&self->arena, error), error));
    for (int i = 0; i < n; i++)
        self->equation[i] = (struct equation){.below = INFINITY,
                                              .p = coefficient + 2 * i * most,
                                              .q = coefficient + (2 * i + 1) * most};
    return HF_OK;
}

static void paired_done(struct paired *self)
{
    for (int i = 0; i < self->n_new; i++) hf_rotation_destroy(&self->new[i]);
    hf_subspace_done(&self->subspace);
    hf_arena_done(&self->arena);
}

/** Appends a copy of `rest`, divided by differences of orbital energies less `shift`, to the candidates. */
static hf_status take_rest(struct paired *self, const struct hf_rotation *rest, double shift,
                           struct hf_error *error)
{
    const struct hf_rotation_space *space = &self->subspace.hessian->space;
    struct hf_rotation *next = &self->new[self->n_new];
    HF_CHECK(hf_rotation_create(space, next, error));
    self->n_new++;
    hf_rotation_add(1.0, rest, 0.0, next);
    hf_rotation_precondition(space, shift, next);
    return HF_OK;
}

/** Adds the candidates to the subspace; *n_new becomes the number of new vectors. */
static hf_status add_candidates(struct paired *self, int *n_new, struct hf_error *error)
{
    *n_new = self->n_new;
    self->n_new = 0;
    return hf_subspace_add(&self->subspace, n_new, self->new, error);
}

/** rest = products p - c vectors q, of coefficients. */
static void combine(const struct hf_subspace *subspace, const struct hf_rotation product[],
                    const double p[], double c, const double q[], struct hf_rotation *work,
                    struct hf_rotation *rest)
{
    hf_subspace_combine(subspace, product, p, rest);
    hf_subspace_combine(subspace, subspace->vector, q, work);
    hf_rotation_add(-c, work, 1.0, rest);
}

/** Appends the residuals of an equation that are too large to the candidates. */
static hf_status take_rests(struct paired *self, const struct equation *of, struct hf_error *error)
{
    hf_status status;
    const struct hf_subspace *subspace = &self->subspace;
    const struct hf_rotation_space *space = &subspace->hessian->space;
    struct hf_rotation of_p = {{NULL}}, of_q = {{NULL}}, x = {{NULL}};
    const double shift = of->a < 0.0 || of->b < 0.0 ? -fabs(of->a) : of->a;
    HF_TRY(hf_rotation_create(space, &of_p, error));
    HF_TRY(hf_rotation_create(space, &of_q, error));
    HF_TRY(hf_rotation_create(space, &x, error));
    combine(subspace, subspace->product, of->p, of->a, of->q, &x, &of_p);
    combine(subspace, subspace->imaginary, of->q, of->b, of->p, &x, &of_q);
    if (of->right != NULL) hf_rotation_add(-1.0, of->right, 1.0, &of_p);
    hf_rotation_add(0.5, &of_p, 0.0, &x);
    hf_rotation_add(0.5, &of_q, 1.0, &x);
    const double norm = sqrt(hf_rotation_dot(&x, &x));
    if (norm > of->limit) {
        HF_TRY(take_rest(self, &x, shift, error));
        const struct hf_rotation *next = &self->new[self->n_new - 1];
        if (of->a - FALL * hf_rotation_dot(&x, next) > of->below) {
            hf_rotation_destroy(&self->new[--self->n_new]);
            goto cleanup;
        }
    }
    hf_rotation_add(-1.0, &of_q, 1.0, &x);
    if (!self->singles && sqrt(hf_rotation_dot(&x, &x)) > fmax(of->limit, Y_OVER_X * norm))
        HF_TRY(take_rest(self, &x, -fabs(of->a), error));
cleanup:
    hf_rotation_destroy(&x);
    hf_rotation_destroy(&of_q);
    hf_rotation_destroy(&of_p);
    return status;
}

/** Reduces the subspace to the solutions of the first n equations. */
static hf_status begin_again(struct paired *self, int n, struct hf_error *error)
{
    struct hf_subspace *subspace = &self->subspace;
    while (self->n_new > 0) hf_rotation_destroy(&self->new[--self->n_new]);
    for (; self->n_new < 2 * n; self->n_new++) {
        const struct equation *of = &self->equation[self->n_new / 2];
        struct hf_rotation *next = &self->new[self->n_new];
        HF_CHECK(hf_rotation_create(&subspace->hessian->space, next, error));
        hf_subspace_combine(subspace, subspace->vector, self->n_new % 2 == 0 ? of->p : of->q, next);
    }
    hf_subspace_done(subspace);
    self->n_component = 0;
    return HF_OK;
}

/** Components of the perturbations along the vectors that are new. Collective. */
static void add_components(struct paired *self)
{
    const struct hf_subspace *subspace = &self->subspace;
    for (; self->n_component < subspace->n; self->n_component++)
        for (int i = 0; i < self->n; i++)
            self->value[i * subspace->most + self->n_component] =
                hf_rotation_dot(&subspace->vector[self->n_component], self->equation[i].right);
}

/** Extends the subspace by the residuals of the first n equations, or makes room if they are too many. *n_new: new
 *  vectors; *converged: nothing was too large. */
static hf_status extend_pairs(struct paired *self, int n, int *n_new, bool *converged,
                              struct hf_error *error)
{
    for (int i = 0; i < n; i++) HF_CHECK(take_rests(self, &self->equation[i], error));
    *converged = self->n_new == 0;
    if (self->subspace.n + self->n_new > self->subspace.most) HF_CHECK(begin_again(self, n, error));
    return add_candidates(self, n_new, error);
}

/* ---- Excited states -------------------------------------------------------------------------- */

/** matrix [n][n] = real (A + B) + imaginary (A - B) in the subspace, with these factors. */
static void set_matrix(const struct paired *self, double real, double imaginary,
                       struct hf_matrix *matrix)
{
    const struct hf_subspace *subspace = &self->subspace;
    const int n = subspace->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            self->work[i * n + j] = real * subspace->matrix[i * subspace->most + j] +
                                    imaginary * subspace->imaginary_matrix[i * subspace->most + j];
    hf_matrix_set_full(matrix, self->work);
}

static double of_lower_triangle(void *data, int row, int column, double value)
{
    (void)data;
    return row < column ? 0.0 : value;
}

/** With positive = L L^T, one of both matrices, and M the other one, omega^2 are the eigenvalues of L^T M L with vectors
 *  u. Of A - B = L L^T, p = L u omega^-1/2 and q = L^-T u omega^1/2; otherwise p and q exchange their places. */
static hf_status solve_pairs(struct paired *self, int n_root, struct hf_error *error)
{
    hf_status status;
    const int n = self->subspace.n;
    double *forth = self->work, *back = forth + (size_t)n * (size_t)n;
    struct hf_matrix *factor = NULL, *other = NULL, *half = NULL, *vector = NULL;
    bool exchanged = false;
    HF_TRY(HF_CREATE_MATRICES(self->subspace.hessian->space.linalg, "pairs of vectors", error,
                              {&factor, n, n}, {&other, n, n}, {&half, n, n}, {&vector, n, n}));
    set_matrix(self, 0.0, 1.0, factor);
    if (!hf_matrix_cholesky(factor)) {
        exchanged = true;
        set_matrix(self, 1.0, 0.0, factor);
        self->indefinite = !hf_matrix_cholesky(factor);
        if (self->indefinite) goto cleanup;
    }
    hf_matrix_map(factor, of_lower_triangle, NULL);
    set_matrix(self, exchanged ? 0.0 : 1.0, exchanged ? 1.0 : 0.0, other);
    hf_matrix_multiply(1.0, false, other, false, factor, 0.0, half);
    hf_matrix_multiply_to_symmetric(1.0, true, factor, false, half, other);
    HF_TRY(hf_matrix_eigen(other, self->value, vector, error));
    hf_matrix_multiply(1.0, false, factor, false, vector, 0.0, half);
    hf_matrix_gather_full(half, forth);
    hf_matrix_add_transposed(1.0, vector, 0.0, other);
    hf_matrix_divide(factor, false, other);
    hf_matrix_add_transposed(1.0, other, 0.0, half);
    hf_matrix_gather_full(half, back);
    for (int k = 0; k < n_root; k++) {
        const double omega = fmax(sqrt(fabs(self->value[k])), ZERO_ENERGY);
        const double real = copysign(omega, self->value[k]);
        struct equation *of = &self->equation[k];
        for (int i = 0; i < n; i++) {
            (exchanged ? of->q : of->p)[i] = forth[k * n + i] / sqrt(omega);
            (exchanged ? of->p : of->q)[i] = back[k * n + i] * sqrt(omega);
        }
        of->a = exchanged ? omega : real;
        of->b = exchanged ? real : omega;
        self->value[k] = real;
    }
cleanup:
    HF_DESTROY_MATRICES(&factor, &other, &half, &vector);
    return status;
}

/** Eigenvalues of A, the mean of both matrices. */
static hf_status solve_singles(struct paired *self, int n_root, struct hf_error *error)
{
    hf_status status;
    const int n = self->subspace.n;
    struct hf_matrix *matrix = NULL, *vector = NULL;
    HF_TRY(HF_CREATE_MATRICES(self->subspace.hessian->space.linalg, "single excitations", error,
                              {&matrix, n, n}, {&vector, n, n}));
    set_matrix(self, 0.5, 0.5, matrix);
    HF_TRY(hf_matrix_eigen(matrix, self->value, vector, error));
    hf_matrix_gather_full(vector, self->work);
    for (int k = 0; k < n_root; k++) {
        struct equation *of = &self->equation[k];
        of->a = of->b = self->value[k];
        for (int i = 0; i < n; i++) of->p[i] = of->q[i] = self->work[k * n + i];
    }
cleanup:
    HF_DESTROY_MATRICES(&matrix, &vector);
    return status;
}

/** First vectors: simple rotations, and one without symmetry, so that no symmetry is missing. */
static hf_status begin_pairs(struct paired *self, int n_first, struct hf_error *error)
{
    const struct hf_rotation_space *space = &self->subspace.hessian->space;
    for (; self->n_new < n_first + 1; self->n_new++)
        HF_CHECK(hf_rotation_create(space, &self->new[self->n_new], error));
    hf_rotation_scatter(space, 2, &self->new[n_first]);
    hf_rotation_smallest(space, &n_first, self->new); /* if there are fewer, some stay zero */
    return add_candidates(self, &n_first, error);
}

/** Says which residuals of n_root states are used: the first n states are requested, the first n_near always followed. */
static void set_limits(const struct paired *self, int n, int n_near, int n_root)
{
    for (int k = 0; k < n_root; k++) {
        const double distance = self->value[k] - self->value[n - 1];
        self->equation[k].below = k < n || k < n_near ? INFINITY : self->value[n - 1];
        self->equation[k].limit =
            k < n ? SHARP : fmax(SHARP, fmin(ROUGH, PART_OF_DISTANCE * distance));
    }
}

/** Number of states that are requested: those of the input, and others that are degenerate with the last one. */
static int count_requested(const struct paired *self, int n_requested, int n_root)
{
    int n = n_requested < n_root ? n_requested : n_root;
    while (n > 0 && n < n_root && self->value[n] - self->value[n - 1] < DEGENERATE) n++;
    return n;
}

int hf_excited_states_room(int n_requested)
{
    return 12 * (n_requested + MORE_ROOTS) + 32;
}

/** Copies the states to the caller. */
static hf_status hand_over(const struct paired *self, struct hf_excited_states *states,
                           struct hf_error *error)
{
    const struct hf_subspace *subspace = &self->subspace;
    const struct hf_rotation_space *space = &subspace->hessian->space;
    HF_TAKE(&states->arena, states->energy, (size_t)states->n);
    HF_TAKE(&states->arena, states->p, (size_t)states->n);
    HF_TAKE(&states->arena, states->q, (size_t)states->n);
    HF_CHECK(
        hf_agree(subspace->hessian->context->comm, hf_arena_check(&states->arena, error), error));
    for (int k = 0; k < states->n; k++) {
        states->energy[k] = self->value[k];
        HF_CHECK(hf_rotation_create(space, &states->p[k], error));
        HF_CHECK(hf_rotation_create(space, &states->q[k], error));
        hf_subspace_combine(subspace, subspace->vector, self->equation[k].p, &states->p[k]);
        hf_subspace_combine(subspace, subspace->vector, self->equation[k].q, &states->q[k]);
    }
    return HF_OK;
}

hf_status hf_excited_states_find(struct hf_orbital_hessian *hessian,
                                 struct hf_excited_states *states, struct hf_error *error)
{
    hf_status status;
    const int n_near = states->n_requested + MORE_ROOTS, n_root = 2 * n_near + MORE_FIRST;
    struct paired self = {.singles = states->singles};
    states->arena.label = "excited states";
    HF_TRY(paired_init(&self, hessian, states->kind, n_root,
                       hf_excited_states_room(states->n_requested), error));
    HF_TRY(begin_pairs(&self, n_root, error));
    for (int pass = 0, n_new = 1; self.subspace.n > 0; pass++) {
        const int n = n_root < self.subspace.n ? n_root : self.subspace.n;
        HF_TRY((states->singles ? solve_singles : solve_pairs)(&self, n, error));
        if (self.indefinite) break;
        states->n = count_requested(&self, states->n_requested, n);
        states->cut = states->n == n_root;
        if (states->converged || n_new == 0 || pass == MOST_PASSES) break;
        set_limits(&self, states->n, n_near, n);
        HF_TRY(extend_pairs(&self, n, &n_new, &states->converged, error));
        states->converged = states->converged || n_new == 0;
    }
    states->indefinite = self.indefinite;
    if (self.subspace.n == 0) states->converged = true; /* there are no rotations */
    if (self.indefinite) states->n = 0;
    HF_TRY(hand_over(&self, states, error));
cleanup:
    paired_done(&self);
    return status;
}

void hf_excited_states_done(struct hf_excited_states *states)
{
    for (int k = 0; k < states->n && states->q != NULL; k++) {
        hf_rotation_destroy(&states->p[k]);
        hf_rotation_destroy(&states->q[k]);
    }
    states->n = 0;
    hf_arena_done(&states->arena);
}

/* ---- Frequencies ----------------------------------------------------------------------------- */

/** Solves equation i of a frequency in the subspace. Local. */
static hf_status solve_one(struct paired *self, int i, const struct hf_frequency *frequency,
                           struct hf_error *error)
{
    const struct hf_subspace *subspace = &self->subspace;
    const int n = subspace->n, two = 2 * n;
    double *matrix = self->work, *right = matrix + (size_t)two * (size_t)two;
    struct equation *of = &self->equation[i];
    of->a = frequency->imaginary ? -frequency->omega : frequency->omega;
    of->b = frequency->omega;
    memset(matrix, 0, ((size_t)two + 1) * (size_t)two * sizeof *matrix);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            const double imaginary = subspace->imaginary_matrix[k * subspace->most + j];
            matrix[k * two + j] = subspace->matrix[k * subspace->most + j];
            matrix[(n + k) * two + n + j] = frequency->imaginary ? -imaginary : imaginary;
        }
        matrix[k * two + n + k] = matrix[(n + k) * two + k] = -of->a;
    }
    memcpy(right, self->value + i * subspace->most, (size_t)n * sizeof *right);
    HF_CHECK(hf_solve_symmetric(two, matrix, right, error));
    memcpy(of->p, right, (size_t)n * sizeof *right);
    memcpy(of->q, right + n, (size_t)n * sizeof *right);
    return HF_OK;
}

/** Whether the solution of an equation is so large that the frequency is close to an excitation. */
static bool is_too_large(const struct hf_subspace *subspace, const struct equation *of)
{
    const double most = LARGEST_RESPONSE * sqrt(hf_rotation_dot(of->right, of->right));
    double square = 0.0;
    for (int k = 0; k < subspace->n; k++) square += of->p[k] * of->p[k] + of->q[k] * of->q[k];
    return square > most * most;
}

/** Solves the equations of one frequency. */
static hf_status respond_once(struct paired *self, struct hf_frequency *frequency,
                              struct hf_error *error)
{
    const struct hf_subspace *subspace = &self->subspace;
    const int n = self->n, most = subspace->most;
    for (int pass = 0, n_new = 1; pass < MOST_PASSES && !frequency->converged; pass++) {
        hf_status status = HF_OK;
        add_components(self);
        for (int i = 0; i < n && status == HF_OK; i++)
            status = solve_one(self, i, frequency, error);
        HF_CHECK(hf_agree(subspace->hessian->context->comm, status, error));
        for (int i = 0; i < n * n; i++) {
            frequency->product[i] = 0.0;
            for (int k = 0; k < subspace->n; k++)
                frequency->product[i] +=
                    2.0 * self->value[i / n * most + k] * self->equation[i % n].p[k];
        }
        HF_CHECK(extend_pairs(self, n, &n_new, &frequency->converged, error));
        frequency->converged = frequency->converged || n_new == 0;
    }
    for (int i = 0; i < n && frequency->converged; i++)
        frequency->converged = !is_too_large(subspace, &self->equation[i]);
    return HF_OK;
}

hf_status hf_respond_at(struct hf_orbital_hessian *hessian, int n,
                        const struct hf_rotation perturbation[], double accuracy, int n_frequency,
                        struct hf_frequency frequency[], struct hf_error *error)
{
    hf_status status;
    struct paired self = {.singles = false};
    int n_first;
    HF_TRY(paired_init(&self, hessian, HF_ROTATION_INTERNAL, n, HF_RESPONSE_MOST, error));
    for (int i = 0; i < n; i++) {
        self.equation[i].right = &perturbation[i];
        self.equation[i].limit =
            accuracy * sqrt(hf_rotation_dot(&perturbation[i], &perturbation[i]));
        HF_TRY(take_rest(&self, &perturbation[i], 0.0, error));
    }
    HF_TRY(add_candidates(&self, &n_first, error));
    for (int k = 0; k < n_frequency; k++) {
        frequency[k].converged = n_first == 0; /* the perturbation has no effect */
        HF_TRY(respond_once(&self, &frequency[k], error));
    }
cleanup:
    paired_done(&self);
    return status;
}
