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

/** Norms of residuals: of states that are wanted, and of others, whose energies must show whether they are degenerate. */
static const double SHARP = 1e-5, ROUGH = 1e-3;
/** The residual of Y is used only if it is larger than that of X by this factor: 105 products of benzene/6-31G in place
 *  of 132 for 5 states. */
static const double Y_OVER_X = 2.0;
/** States with such a difference are degenerate, hartree. */
static const double DEGENERATE = 1e-5;
/** Smallest eigenvalue of a positive matrix. */
static const double SMALLEST = 1e-10;
enum { MORE_ROOTS = 3, MOST_PASSES = 100 };

/** A pair of equations and its solution in the subspace. */
struct equation {
    double a, b;
    const struct hf_rotation *right; /**< g; NULL: 0 */
    double *p, *q;                   /**< [n] coefficients */
    double limit;                    /**< of the norms of residuals */
};

/** What the equations of a search have in common. */
struct paired {
    struct hf_subspace subspace;
    bool singles;            /**< Y is zero */
    struct hf_arena arena;   /**< has the arrays */
    double *work;            /**< [4 most^2 + 2 most] */
    double *p, *q, *value;   /**< [n_equation][most] each */
    bool indefinite;         /**< neither A + B nor A - B is positive */
    struct hf_rotation *new; /**< [2 n_equation] candidates */
    int n_new;
};

/** Allocates for n_equation equations and `most` vectors. Collective. */
static hf_status paired_init(struct paired *self, struct hf_orbital_hessian *hessian,
                             enum hf_rotation_kind kind, int n_equation, int most,
                             struct hf_error *error)
{
    const size_t room = (size_t)most, n = (size_t)n_equation;
    hf_subspace_init(&self->subspace, hessian, kind);
    self->subspace.most = most;
    self->subspace.both = true;
    self->arena.label = "excited states";
    HF_TAKE(&self->arena, self->work, 4 * room * room + 2 * room);
    HF_TAKE(&self->arena, self->p, n * room);
    HF_TAKE(&self->arena, self->q, n * room);
    HF_TAKE(&self->arena, self->value, n * room);
    HF_TAKE(&self->arena, self->new, 2 * n);
    return hf_agree(hessian->context->comm, hf_arena_check(&self->arena, error), error);
}

static void paired_done(struct paired *self)
{
    for (int i = 0; i < self->n_new; i++) hf_rotation_destroy(&self->new[i]);
    hf_subspace_done(&self->subspace);
    hf_arena_done(&self->arena);
}

/** Appends rest, divided by differences of orbital energies less `shift`, to the candidates if it is not small. */
static hf_status take_rest(struct paired *self, const struct hf_rotation *rest, double shift,
                           double limit, struct hf_error *error)
{
    const struct hf_rotation_space *space = &self->subspace.hessian->space;
    if (!(sqrt(hf_rotation_dot(rest, rest)) > limit)) return HF_OK;
    struct hf_rotation *next = &self->new[self->n_new];
    HF_CHECK(hf_rotation_create(space, next, error));
    self->n_new++;
    hf_rotation_add(1.0, rest, 0.0, next);
    hf_rotation_divide(space, shift, next);
    return HF_OK;
}

/** Appends the residuals of an equation that are too large to the candidates. */
static hf_status find_pair_rests(struct paired *self, const struct equation *of,
                                 struct hf_error *error)
{
    hf_status status;
    const struct hf_subspace *subspace = &self->subspace;
    const struct hf_rotation_space *space = &subspace->hessian->space;
    struct hf_rotation of_p = {{NULL}}, of_q = {{NULL}}, work = {{NULL}};
    const double shift = of->a < 0.0 || of->b < 0.0 ? -fabs(of->a) : of->a;
    HF_TRY(hf_rotation_create(space, &of_p, error));
    HF_TRY(hf_rotation_create(space, &of_q, error));
    HF_TRY(hf_rotation_create(space, &work, error));
    hf_subspace_combine(subspace, subspace->product, of->p, &of_p);
    hf_subspace_combine(subspace, subspace->vector, of->q, &work);
    hf_rotation_add(-of->a, &work, 1.0, &of_p);
    if (of->right != NULL) hf_rotation_add(-1.0, of->right, 1.0, &of_p);
    hf_subspace_combine(subspace, subspace->imaginary, of->q, &of_q);
    hf_subspace_combine(subspace, subspace->vector, of->p, &work);
    hf_rotation_add(-of->b, &work, 1.0, &of_q);
    hf_rotation_add(1.0, &of_p, 0.0, &work);
    hf_rotation_add(0.5, &of_q, 0.5, &work);
    const double least_y = fmax(of->limit, Y_OVER_X * sqrt(hf_rotation_dot(&work, &work)));
    HF_TRY(take_rest(self, &work, shift, of->limit, error));
    hf_rotation_add(-1.0, &of_q, 1.0, &work);
    if (!self->singles) HF_TRY(take_rest(self, &work, -fabs(of->a), least_y, error));
cleanup:
    hf_rotation_destroy(&work);
    hf_rotation_destroy(&of_q);
    hf_rotation_destroy(&of_p);
    return status;
}

/** Reduces the subspace to the solutions of n equations, which it spans orthonormally first. */
static hf_status reduce_pairs(struct paired *self, int n_equation, const struct equation equation[],
                              struct hf_error *error)
{
    const int n = self->subspace.n;
    int k = 0;
    for (int i = 0; i < 2 * n_equation && k < n; i++) {
        double *next = self->work + (size_t)k * (size_t)n, norm = 0.0;
        memcpy(next, i % 2 == 0 ? equation[i / 2].p : equation[i / 2].q, (size_t)n * sizeof *next);
        for (int pass = 0; pass < 2; pass++) {
            for (int m = 0; m < k; m++) {
                const double *other = self->work + (size_t)m * (size_t)n;
                double along = 0.0;
                for (int x = 0; x < n; x++) along += other[x] * next[x];
                for (int x = 0; x < n; x++) next[x] -= along * other[x];
            }
            norm = 0.0;
            for (int x = 0; x < n; x++) norm += next[x] * next[x];
            if (!(norm > SMALLEST)) break;
            for (int x = 0; x < n; x++) next[x] /= sqrt(norm);
        }
        if (norm > SMALLEST) k++;
    }
    return hf_subspace_replace(&self->subspace, k, self->work, error);
}

/** Extends the subspace by the residuals of n equations; *n_new: new vectors, *converged: nothing was too large. */
static hf_status extend_pairs(struct paired *self, int n, const struct equation equation[],
                              int *n_new, bool *converged, struct hf_error *error)
{
    for (int i = 0; i < n; i++) HF_CHECK(find_pair_rests(self, &equation[i], error));
    *converged = self->n_new == 0;
    if (*converged) return HF_OK;
    if (self->subspace.n + self->n_new > self->subspace.most)
        HF_CHECK(reduce_pairs(self, n, equation, error));
    *n_new = self->n_new;
    self->n_new = 0;
    return hf_subspace_add(&self->subspace, n_new, self->new, error);
}

/* ---- Excited states -------------------------------------------------------------------------- */

/** c [n][n] = a b of symmetric matrices in rows of n. */
static void multiply(int n, const double *a, const double *b, double *c)
{
    memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/** power [n][n] = matrix^exponent by its eigenvalues and vectors. */
static void take_power(int n, const double value[], const double vector[], double exponent,
                       double power[])
{
    memset(power, 0, (size_t)n * (size_t)n * sizeof *power);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            const double factor = vector[k * n + i] * pow(value[k], exponent);
            for (int j = 0; j < n; j++) power[i * n + j] += factor * vector[k * n + j];
        }
}

/** to [n][n] = factor times a matrix of the subspace, added to `to` if `add`. */
static void copy_matrix(const struct hf_subspace *subspace, const double matrix[], double factor,
                        bool add, double to[])
{
    const int n = subspace->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[i * n + j] = (add ? to[i * n + j] : 0.0) + factor * matrix[i * subspace->most + j];
}

/** Solves the problem of pairs in the subspace for its first n_root states. With S the square root of the positive one of
 *  both matrices, and M the other one, omega^2 are the eigenvalues of S M S.  */
static hf_status solve_pairs(struct paired *self, int n_root, struct equation equation[],
                             struct hf_error *error)
{
    const struct hf_subspace *subspace = &self->subspace;
    const int n = subspace->n;
    const size_t square = (size_t)n * (size_t)n;
    double *vector = self->work, *root = vector + square, *half = root + square,
           *other = half + square, *value = other + square;
    const double *positive = subspace->imaginary_matrix, *rest = subspace->matrix;
    copy_matrix(subspace, positive, 1.0, false, vector);
    HF_CHECK(hf_eigen_small(n, vector, value, error));
    const bool exchanged = value[0] < SMALLEST;
    if (exchanged) {
        positive = subspace->matrix;
        rest = subspace->imaginary_matrix;
        copy_matrix(subspace, positive, 1.0, false, vector);
        HF_CHECK(hf_eigen_small(n, vector, value, error));
    }
    self->indefinite = value[0] < SMALLEST;
    if (self->indefinite) return HF_OK;
    take_power(n, value, vector, 0.5, root);
    copy_matrix(subspace, rest, 1.0, false, other);
    multiply(n, other, root, half);
    take_power(n, value, vector, -0.5, other);
    multiply(n, root, half, vector);
    HF_CHECK(hf_eigen_small(n, vector, value, error));
    for (int k = 0; k < n_root && k < n; k++) {
        const double omega = fmax(sqrt(fabs(value[k])), SMALLEST);
        struct equation *of = &equation[k];
        double *forth = exchanged ? of->q : of->p, *back = exchanged ? of->p : of->q;
        self->value[k] = copysign(omega, value[k]);
        of->a = exchanged ? omega : self->value[k];
        of->b = exchanged ? self->value[k] : omega;
        for (int i = 0; i < n; i++) {
            forth[i] = back[i] = 0.0;
            for (int j = 0; j < n; j++) {
                forth[i] += root[i * n + j] * vector[k * n + j] / sqrt(omega);
                back[i] += other[i * n + j] * vector[k * n + j] * sqrt(omega);
            }
        }
    }
    return HF_OK;
}

/** Solves that of A = (A + B) / 2 + (A - B) / 2. */
static hf_status solve_singles(struct paired *self, int n_root, struct equation equation[],
                               struct hf_error *error)
{
    const struct hf_subspace *subspace = &self->subspace;
    const int n = subspace->n;
    copy_matrix(subspace, subspace->matrix, 0.5, false, self->work);
    copy_matrix(subspace, subspace->imaginary_matrix, 0.5, true, self->work);
    HF_CHECK(hf_eigen_small(n, self->work, self->value, error));
    for (int k = 0; k < n_root && k < n; k++) {
        equation[k].a = equation[k].b = self->value[k];
        for (int i = 0; i < n; i++) equation[k].p[i] = equation[k].q[i] = self->work[k * n + i];
    }
    return HF_OK;
}

/** First vectors: simple rotations, and one without symmetry, so that no symmetry is missing. */
static hf_status begin_pairs(struct paired *self, int n_first, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_rotation_space *space = &self->subspace.hessian->space;
    for (; self->n_new < n_first + 1; self->n_new++)
        HF_TRY(hf_rotation_create(space, &self->new[self->n_new], error));
    hf_rotation_scatter(space, 2, &self->new[n_first]);
    hf_rotation_smallest(space, &n_first, self->new);
    int n = self->n_new; /* if there are fewer simple ones, some are zero: not new */
    self->n_new = 0;
    HF_TRY(hf_subspace_add(&self->subspace, &n, self->new, error));
cleanup:
    return status;
}

/** Number of states that are wanted: those of the input, and others that are degenerate with the last one. */
static int count_wanted(const struct paired *self, int n_wanted, int n_root)
{
    int n = n_wanted < n_root ? n_wanted : n_root;
    while (n > 0 && n < n_root && self->value[n] - self->value[n - 1] < DEGENERATE) n++;
    return n;
}

int hf_excited_states_room(int n_wanted)
{
    return 12 * (n_wanted + MORE_ROOTS);
}

/** Copies the states to the caller. */
static hf_status hand_over(const struct paired *self, const struct equation equation[],
                           struct hf_excited_states *states, struct hf_error *error)
{
    hf_status status;
    const struct hf_subspace *subspace = &self->subspace;
    const struct hf_rotation_space *space = &subspace->hessian->space;
    HF_TAKE(&states->arena, states->energy, (size_t)states->n);
    HF_TAKE(&states->arena, states->p, (size_t)states->n);
    HF_TAKE(&states->arena, states->q, (size_t)states->n);
    status = hf_arena_check(&states->arena, error);
    if (status != HF_OK) states->n = 0;
    HF_TRY(hf_agree(subspace->hessian->context->comm, status, error));
    for (int k = 0; k < states->n; k++) {
        states->energy[k] = self->value[k];
        HF_TRY(hf_rotation_create(space, &states->p[k], error));
        HF_TRY(hf_rotation_create(space, &states->q[k], error));
        hf_subspace_combine(subspace, subspace->vector, equation[k].p, &states->p[k]);
        hf_subspace_combine(subspace, subspace->vector, equation[k].q, &states->q[k]);
    }
cleanup:
    return status;
}

hf_status hf_excited_states_find(struct hf_orbital_hessian *hessian,
                                 struct hf_excited_states *states, struct hf_error *error)
{
    hf_status status;
    const int n_root = states->n_wanted + MORE_ROOTS,
              most = hf_excited_states_room(states->n_wanted);
    struct paired self = {.singles = states->singles};
    struct equation *equation = HF_TAKE(&self.arena, equation, (size_t)n_root);
    int n_new = 1, n = 0;
    states->arena.label = "excited states";
    HF_TRY(paired_init(&self, hessian, states->kind, n_root, most, error));
    HF_TRY(begin_pairs(&self, 2 * n_root - 1, error));
    for (; self.subspace.n > 0; states->n_pass++) {
        n = n_root < self.subspace.n ? n_root : self.subspace.n;
        for (int k = 0; k < n; k++) {
            equation[k].p = self.p + k * most;
            equation[k].q = self.q + k * most;
        }
        HF_TRY(hf_agree(hessian->context->comm,
                        (states->singles ? solve_singles : solve_pairs)(&self, n, equation, error),
                        error));
        states->indefinite = self.indefinite;
        if (states->indefinite) break;
        states->n = count_wanted(&self, states->n_wanted, n);
        for (int k = 0; k < n; k++) equation[k].limit = k < states->n ? SHARP : ROUGH;
        if (states->converged || n_new == 0 || states->n_pass == MOST_PASSES) break;
        HF_TRY(extend_pairs(&self, n, equation, &n_new, &states->converged, error));
        if (states->converged) break;
    }
    states->converged = states->converged || n_new == 0 || self.subspace.n == 0;
    states->cut = states->n == n_root;
    if (states->indefinite) states->n = 0;
    HF_TRY(hand_over(&self, equation, states, error));
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

/** Solves an equation in the subspace; part [n]: components of the perturbation. */
static hf_status solve_one(struct paired *self, const double part[], struct equation *of,
                           struct hf_error *error)
{
    const struct hf_subspace *subspace = &self->subspace;
    const int n = subspace->n, two = 2 * n;
    double *matrix = self->work, *right = matrix + (size_t)two * (size_t)two;
    const double sign = of->a * of->b < 0.0 ? -1.0 : 1.0;
    memset(matrix, 0, (size_t)two * (size_t)two * sizeof *matrix);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            matrix[i * two + j] = subspace->matrix[i * subspace->most + j];
            matrix[(n + i) * two + n + j] =
                sign * subspace->imaginary_matrix[i * subspace->most + j];
        }
        matrix[i * two + n + i] = matrix[(n + i) * two + i] = -of->a;
        right[i] = part[i];
        right[n + i] = 0.0;
    }
    HF_CHECK(hf_solve_symmetric(two, matrix, right, error));
    memcpy(of->p, right, (size_t)n * sizeof *right);
    memcpy(of->q, right + n, (size_t)n * sizeof *right);
    return HF_OK;
}

/** Solves the equations of one frequency. */
static hf_status respond_once(struct paired *self, int n, struct equation equation[],
                              struct hf_frequency *frequency, struct hf_error *error)
{
    const struct hf_subspace *subspace = &self->subspace;
    int n_new = 1;
    for (int pass = 0; pass < MOST_PASSES && n_new > 0 && !frequency->converged; pass++) {
        hf_status status = HF_OK;
        for (int i = 0; i < n; i++) {
            double *part = self->value + i * subspace->most;
            for (int k = 0; k < subspace->n; k++)
                part[k] = hf_rotation_dot(&subspace->vector[k], equation[i].right);
            equation[i].a = frequency->imaginary ? -frequency->omega : frequency->omega;
            equation[i].b = frequency->omega;
            if (status == HF_OK) status = solve_one(self, part, &equation[i], error);
        }
        HF_CHECK(hf_agree(subspace->hessian->context->comm, status, error));
        for (int i = 0; i < n * n; i++) {
            double *product = &frequency->product[i];
            *product = 0.0;
            for (int k = 0; k < subspace->n; k++)
                *product += 2.0 * self->value[i / n * subspace->most + k] * equation[i % n].p[k];
        }
        HF_CHECK(extend_pairs(self, n, equation, &n_new, &frequency->converged, error));
    }
    frequency->converged = frequency->converged || n_new == 0;
    return HF_OK;
}

hf_status hf_respond_at(struct hf_orbital_hessian *hessian, int n,
                        const struct hf_rotation perturbation[], double accuracy, int n_frequency,
                        struct hf_frequency frequency[], struct hf_error *error)
{
    hf_status status;
    struct paired self = {.singles = false};
    struct equation equation[HF_MOST_PERTURBATIONS];
    int n_first = n;
    HF_TRY(paired_init(&self, hessian, HF_ROTATION_INTERNAL, n, HF_RESPONSE_MOST, error));
    for (int i = 0; i < n; i++) {
        const double norm = sqrt(hf_rotation_dot(&perturbation[i], &perturbation[i]));
        equation[i] = (struct equation){.right = &perturbation[i],
                                        .p = self.p + i * HF_RESPONSE_MOST,
                                        .q = self.q + i * HF_RESPONSE_MOST,
                                        .limit = accuracy * norm};
        HF_TRY(take_rest(&self, &perturbation[i], 0.0, 0.0, error));
    }
    n_first = self.n_new;
    self.n_new = 0;
    HF_TRY(hf_subspace_add(&self.subspace, &n_first, self.new, error));
    for (int k = 0; k < n_frequency; k++)
        HF_TRY(respond_once(&self, n, equation, &frequency[k], error));
cleanup:
    paired_done(&self);
    return status;
}
