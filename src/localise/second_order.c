/* A second-order step of localisation: Newton's step, or away from a saddle. Both are sought in one subspace, which
 * grows by what is still wrong with the step and with the eigenvector of the highest curvature. Rank 0 has the vectors, so
 * that the step has the same bits on any number of ranks: those of response/subspace.h are distributed. All ranks share
 * the products with H.
 *
 * Source   Davidson, J. Comput. Phys. 17, 87 (1975); Nocedal, Wright, Numerical Optimization, 2nd ed., chapter 4. */
#include "localise_private.h"

#include "base/arithmetic.h"
#include "hf/linalg.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 };

/** Curvatures nearer to zero belong to directions in which nothing changes, as between the two sets of double bonds of
 *  benzene: the wave function is no more symmetric than it has converged. */
static const double SMALLEST_FLAT = 1e-4, LARGEST_FLAT = 1e-2; /* they err by about the gradient */
/** Radians: the largest rotation of a step. */
static const double LONGEST = 0.2;
/** Errors that a step may have, as parts of the gradient, and the eigenvector. */
static const double LARGEST_REST = 0.1, SMALLEST_REST = 1e-3, REST_OF_MODE = 1e-3;
/** A vector of norm 1 of which less is new is not new. A divisor is no nearer to zero. */
static const double NOTHING_NEW = 1e-6, SMALLEST_DIVISOR = 0.1;

struct subspace {
    struct hf_curvature *curvature;
    struct hf_arena arena; /**< of vectors and products */
    int n;
    double *vector[MOST], *product[MOST]; /**< [n_pair] each; vectors are orthonormal */
    double matrix[MOST * MOST];           /**< between them, symmetrised: rows of MOST */
    double gradient[MOST];
    double flat;                           /**< curvatures nearer to zero count as zero */
    double value[MOST], mode[MOST * MOST]; /**< eigenvalues, rising, and eigenvectors */
    double step[MOST];
};

static void add(int n, double factor, const double *from, double *to)
{
    for (int p = 0; p < n; p++) to[p] += factor * from[p];
}

/** Removes the vectors of the subspace from x; returns the norm of the remainder. */
static double project_out(const struct subspace *self, double x[])
{
    const int n = self->curvature->n_pair;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < self->n; k++)
            add(n, -hf_dot((size_t)n, self->vector[k], x), self->vector[k], x);
    return sqrt(hf_dot((size_t)n, x, x));
}

/** Takes what is new in x. False: no memory. */
static bool extend(struct subspace *self, const double x[])
{
    const int n = self->curvature->n_pair;
    const double norm = sqrt(hf_dot((size_t)n, x, x));
    if (self->n == MOST || !(norm > 0.0)) return true;
    double *v = HF_TAKE(&self->arena, v, (size_t)n);
    double *hv = HF_TAKE(&self->arena, hv, (size_t)n);
    if (self->arena.failed) return false;
    add(n, 1.0 / norm, x, v);
    const double left = project_out(self, v);
    if (left < NOTHING_NEW) {
        hf_arena_release(&self->arena, v);
        hf_arena_release(&self->arena, hv);
        return true;
    }
    for (int p = 0; p < n; p++) v[p] /= left;
    project_out(self, v);
    hf_curvature_multiply(self->curvature, v, hv);
    const int new = self->n++;
    self->vector[new] = v;
    self->product[new] = hv;
    self->gradient[new] = hf_dot((size_t)n, v, self->curvature->gradient);
    for (int k = 0; k <= new; k++)
        self->matrix[k * MOST + new] = self->matrix[new *MOST + k] =
            0.5 * (hf_dot((size_t)n, self->vector[k], hv) + hf_dot((size_t)n, v, self->product[k]));
    return true;
}

/** Eigenvectors, and the step -H^-1 g without flat directions and those that curve upwards. */
static hf_status solve(struct subspace *self, struct hf_error *error)
{
    const int n = self->n;
    for (int k = 0; k < n; k++)
        memcpy(self->mode + k * n, self->matrix + k * MOST, (size_t)n * sizeof *self->mode);
    HF_CHECK(hf_eigen_small(n, self->mode, self->value, error));
    memset(self->step, 0, sizeof self->step);
    for (int m = 0; m < n && self->value[m] < -self->flat; m++)
        add(n, -hf_dot((size_t)n, self->mode + m * n, self->gradient) / self->value[m],
            self->mode + m * n, self->step);
    return HF_OK;
}

/** sum = sum_k coefficient_k basis_k. */
static void combine(const struct subspace *self, double *const basis[], const double coefficient[],
                    double sum[])
{
    const int n = self->curvature->n_pair;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int k = 0; k < self->n; k++) add(n, coefficient[k], basis[k], sum);
}

/** x becomes what is wrong with combination y of the vectors, H y - e y or H y + g, preconditioned; returns the norm
 *  that it had before. */
static double find_rest(const struct subspace *self, const double y[], double e,
                        const double gradient[], double x[])
{
    const struct hf_curvature *curvature = self->curvature;
    combine(self, self->product, y, x);
    if (gradient != NULL) add(curvature->n_pair, 1.0, gradient, x);
    const double norm = project_out(self, x); /* the part e y, too */
    for (int p = 0; p < curvature->n_pair; p++)
        x[p] /= fmin(curvature->own[p] - e, -SMALLEST_DIVISOR);
    return norm;
}

/** Numbers without symmetry, larger for pairs whose rotation changes less: a mode of any symmetry has part in them. */
static void scatter(const struct hf_curvature *curvature, double x[])
{
    uint32_t bits = 12345U;
    for (int p = 0; p < curvature->n_pair; p++) {
        bits = bits * 1664525U + 1013904223U;
        x[p] = ((double)bits / UINT32_MAX - 0.5) / fmax(-curvature->own[p], SMALLEST_DIVISOR);
    }
}

/** Solves for both, up to their errors, with at most MOST vectors; rest [2][n_pair]. */
static hf_status search(struct subspace *self, double *rest, struct hf_error *error)
{
    const struct hf_curvature *curvature = self->curvature;
    const int n = curvature->n_pair;
    const double *gradient = curvature->gradient;
    const double norm = sqrt(hf_dot((size_t)n, gradient, gradient));
    const double of_mode = fmax(REST_OF_MODE, norm);
    const double of_step = norm * fmin(LARGEST_REST, fmax(SMALLEST_REST, norm));
    self->flat = fmin(LARGEST_FLAT, fmax(SMALLEST_FLAT, norm));
    for (int p = 0; p < n; p++) rest[p] = gradient[p] / fmin(curvature->own[p], -SMALLEST_DIVISOR);
    scatter(curvature, rest + n);
    for (int before = -1; self->n > before;) {
        before = self->n;
        if (!extend(self, rest) || !extend(self, rest + n))
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for rotations of orbitals");
        if (self->n == 0) break;
        HF_CHECK(solve(self, error));
        const int top = self->n - 1;
        const double *mode = self->mode + top * self->n;
        const bool has_step = find_rest(self, self->step, 0.0, gradient, rest) <= of_step;
        const bool has_mode = find_rest(self, mode, self->value[top], NULL, rest + n) <= of_mode;
        if (has_step && has_mode) break;
        if (has_step) memset(rest, 0, (size_t)n * sizeof *rest);
        if (has_mode) memset(rest + n, 0, (size_t)n * sizeof *rest);
    }
    return HF_OK;
}

/** x of the subspace that has been solved: along the highest mode if that curves upwards, else Newton's step. */
static void choose(const struct subspace *self, struct hf_second_order *step, double x[])
{
    const int n = self->curvature->n_pair;
    double most = 0.0, along = 0.0;
    step->curvature = self->n > 0 ? self->value[self->n - 1] : -INFINITY;
    step->saddle = step->curvature > self->flat;
    if (step->saddle)
        combine(self, self->vector, self->mode + (self->n - 1) * self->n, x);
    else
        combine(self, self->vector, self->step, x);
    for (int p = 0; p < n; p++) most = fmax(most, fabs(x[p]));
    if (step->saddle) along = hf_dot((size_t)n, x, self->curvature->gradient) / most;
    double factor = most > LONGEST || step->saddle ? LONGEST / most : 1.0;
    for (int p = 0; step->saddle && along == 0.0 && p < n; p++)
        if (fabs(x[p]) > 0.999 * most) along = x[p];
    if (step->saddle && along < 0.0) factor = -factor; /* uphill */
    for (int p = 0; p < n; p++) x[p] *= factor;
    step->largest = most * fabs(factor);
}

hf_status hf_second_order_step(struct hf_curvature *curvature, struct hf_second_order *step,
                               double angle[], struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = curvature->context;
    const size_t n = (size_t)curvature->n_pair, o = (size_t)curvature->n_orbital;
    struct subspace self = {.curvature = curvature,
                            .arena = {.memory = context->memory, .label = "rotations"}};
    double *rest = HF_TAKE(&self.arena, rest, 2 * n);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&self.arena, error), error));
    if (context->rank == 0) {
        status = search(&self, rest, error);
        hf_curvature_end(curvature);
    } else {
        hf_curvature_serve(curvature);
    }
    HF_TRY(hf_agree(context->comm, status, error));
    if (context->rank == 0) choose(&self, step, rest);
    step->n_product = curvature->n_product;
    step->n_pair = curvature->n_pair;
    hf_broadcast_bytes(context->comm, 0, sizeof *step, step);
    hf_broadcast_bytes(context->comm, 0, n * sizeof *rest, rest);
    for (size_t p = 0; p < n; p++) {
        const struct hf_pair_element *pair = &curvature->element[curvature->first[p]];
        angle[(size_t)pair->i * o + (size_t)pair->j] = rest[p];
    }
cleanup:
    hf_arena_done(&self.arena);
    return status;
}
