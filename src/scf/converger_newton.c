/* Newton's method with the exact Hessian and a trust region: the step has the lowest energy, by the Taylor series to
 * second order, of all steps that are no longer than the radius of the region. It is found in a subspace, which is
 * extended by the residual of the step; each vector costs a Fock build. If the Hessian has negative eigenvalues, the
 * step goes down along their eigenvectors and leaves the saddle point. A step that raises the energy is taken back and
 * made shorter, without further products.
 *
 * Source   Helmich-Paris, J. Chem. Phys. 154, 164104 (2021); Nocedal, Wright, Numerical
 *          Optimization, 2nd ed., chapter 4. */
#include "converger.h"
#include "response/subspace.h"

#include <math.h>
#include <string.h>

/* Lengths in the norm of struct hf_rotation: 0.5 turns one electron by 29 degrees. */
static const double FIRST_RADIUS = 0.5, LARGEST_RADIUS = 2.0;
/* Largest residual of a step as part of the gradient. Far from the solution an exact step is of no use; close to it
 * each digit of the step is one of the result. */
static const double LARGEST_REST = 0.1, SMALLEST_REST = 1e-3;
enum { MAX_VECTOR = 16 };
/* hartree; the eigenvector of a lower eigenvalue is worth a vector of the next subspace. */
static const double SOFT_MODE = 0.1;
/* Eigenvalues closer to zero belong to rotations that hardly change the energy, such as that of a broken symmetry.
 * They must not determine the length of a step. Away from the solution their error is about the gradient, so the limit
 * is the gradient, between these two. */
static const double LARGEST_SOFT = 1e-4, SMALLEST_SOFT = 1e-6;
/* Smaller energy changes may be noise of screening. */
static const double NOISE = 1e-9;
/* The stability analysis calls eigenvalues between -FLAT and 0 zero. If the stationary point along such a mode is less than
 * HIGHER hartree higher, the step goes there: an iron atom has an eigenvalue of -2e-6, and down along it the energy falls by
 * 3e-7 in a hundred steps. */
static const double FLAT = 1e-5, HIGHER = 1e-8;

/** The last step, until its energy is known. */
struct newton {
    struct hf_orbital_hessian hessian; /* of the point that it began at */
    struct hf_subspace subspace;
    bool pending;  /* whether there is a step at all */
    int iteration; /* whose density it began at or was last tried after */
    double radius;
    double predicted; /* hartree; change of the energy by the Taylor series */
    double found;     /* hartree; change of the energy since this step began, over all its tries */
    double soft;      /* eigenvalues nearer to zero count as this */
    double lowest;    /* eigenvalue of the Hessian in the subspace */
    struct hf_matrix *mode[HF_MAX_SPIN]; /* its eigenvector, NULLs: none; see hf_rotation_expand */
    double gradient[HF_SUBSPACE_MOST];   /* in the subspace */
};

static hf_status create(struct hf_scf *scf, void **data, struct hf_error *error)
{
    HF_CHECK(
        hf_scf_take_data(scf, "the second-order converger", sizeof(struct newton), data, error));
    ((struct newton *)*data)->radius = FIRST_RADIUS;
    return HF_OK;
}

/** Frees the last step. */
static void forget(struct newton *newton)
{
    hf_subspace_done(&newton->subspace);
    hf_hessian_done(&newton->hessian);
    newton->pending = false;
}

static void destroy(void **data)
{
    struct newton *newton = *data;
    if (newton != NULL) {
        forget(newton);
        hf_scf_destroy_list(newton->mode);
    }
    *data = NULL;
}

/** Square of the length of the step -(H - mu)^-1 g in the basis of eigenvectors. */
static double length_squared(int n, const double value[], const double gradient[], double mu)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double part = gradient[i] / (value[i] - mu);
        sum += part * part;
    }
    return sum;
}

/** mu <= 0 below all eigenvalues, so that the step is no longer than the radius, and 0 if it can
 *  be. */
static double find_shift(int n, const double value[], const double gradient[], double radius)
{
    double norm = 0.0, high = 0.0;
    for (int i = 0; i < n; i++) {
        norm += gradient[i] * gradient[i];
        high = fmin(high, value[i]);
    }
    const double target = radius * radius;
    double low = high - sqrt(norm) / radius - 1e-8;
    if (high == 0.0 && length_squared(n, value, gradient, 0.0) <= target) return 0.0;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (length_squared(n, value, gradient, middle) < target)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/** A step in the subspace: coefficients of its vectors. */
struct trust_step {
    double coefficient[HF_SUBSPACE_MOST];
    double shift, predicted, lowest;
    double mode[HF_SUBSPACE_MOST]; /* eigenvector of the lowest eigenvalue */
};

/** Whether the step goes to the stationary point along a mode of negative eigenvalue. */
static bool rises_slightly(double value, double gradient)
{
    return value < 0.0 && value > -FLAT && gradient * gradient < -HIGHER * value;
}

/** Place of the lowest of n values. */
static int lowest_of(int n, const double value[])
{
    int lowest = 0;
    for (int i = 1; i < n; i++)
        if (value[i] < value[lowest]) lowest = i;
    return lowest;
}

/** The step of lowest energy within the radius, but for flat modes (rises_slightly). When it does not reach the border
 *  though the Hessian has a negative eigenvalue, the gradient has no part along that eigenvector: it goes there, either
 *  way. */
static hf_status find_step(const struct newton *newton, struct trust_step *step,
                           struct hf_error *error)
{
    const int n = newton->subspace.n;
    struct hf_subspace_spectrum spectrum;
    double gradient[HF_SUBSPACE_MOST], part[HF_SUBSPACE_MOST], sign[HF_SUBSPACE_MOST];
    HF_CHECK(hf_subspace_solve(&newton->subspace, &spectrum, error));
    for (int i = 0; i < n; i++) {
        gradient[i] = 0.0; /* in the basis of eigenvectors */
        for (int j = 0; j < n; j++) gradient[i] += spectrum.vector[i * n + j] * newton->gradient[j];
    }
    step->lowest = spectrum.value[0];
    memcpy(step->mode, spectrum.vector, (size_t)n * sizeof *step->mode);
    for (int i = 0; i < n; i++) {
        if (fabs(spectrum.value[i]) < newton->soft) spectrum.value[i] = newton->soft;
        sign[i] = rises_slightly(spectrum.value[i], gradient[i]) ? -1.0 : 1.0;
        spectrum.value[i] *= sign[i];
        gradient[i] *= sign[i];
    }
    step->shift = find_shift(n, spectrum.value, gradient, newton->radius);
    double length = 0.0;
    for (int i = 0; i < n; i++) {
        part[i] = -gradient[i] / (spectrum.value[i] - step->shift);
        length += part[i] * part[i];
    }
    const double missing = newton->radius * newton->radius - length;
    const int down = lowest_of(n, spectrum.value);
    if (spectrum.value[down] < 0.0 && missing > 0.0)
        part[down] +=
            copysign(sqrt(part[down] * part[down] + missing) - fabs(part[down]), part[down]);
    step->predicted = 0.0;
    for (int i = 0; i < n; i++)
        step->predicted += sign[i] * part[i] * (2.0 * gradient[i] + spectrum.value[i] * part[i]);
    for (int j = 0; j < n; j++) {
        step->coefficient[j] = 0.0;
        for (int i = 0; i < n; i++) step->coefficient[j] += part[i] * spectrum.vector[i * n + j];
    }
    return HF_OK;
}

/** Adds candidates to the subspace, and the components of the gradient along the new vectors. */
static hf_status extend(struct newton *newton, const struct hf_rotation *gradient, int *n,
                        struct hf_rotation candidate[], struct hf_error *error)
{
    const int before = newton->subspace.n;
    const hf_status status = hf_subspace_add(&newton->subspace, n, candidate, error);
    for (int i = before; status == HF_OK && i < newton->subspace.n; i++)
        newton->gradient[i] = hf_rotation_dot(&newton->subspace.vector[i], gradient);
    return status;
}

/** Largest residual of a step from the last densities, as part of the gradient. */
static double part_left(const struct hf_scf *scf)
{
    const double norm = sqrt(scf->descent.point[0].gradient_square);
    return fmin(LARGEST_REST, fmax(SMALLEST_REST, norm));
}

/** First vectors: the step without two-electron part; the lowest eigenvector of the last
 *  subspace if it has a low eigenvalue; if there is none and the eigenvalues were not all positive,
 *  one without symmetry, or that of the molecule would never be left. */
static hf_status begin_subspace(struct newton *newton, const struct hf_rotation *gradient,
                                struct hf_error *error)
{
    hf_status status;
    struct hf_rotation first[2] = {{{NULL}}};
    const struct hf_rotation_space *space = &newton->hessian.space;
    const bool has_mode = newton->mode[0] != NULL || newton->mode[1] != NULL;
    int n = has_mode || !(newton->lowest > 0.0) ? 2 : 1;
    HF_TRY(hf_rotation_create(space, &first[0], error));
    hf_rotation_add(-1.0, gradient, 0.0, &first[0]);
    hf_rotation_precondition(space, 0.0, &first[0]);
    if (has_mode)
        HF_TRY(hf_rotation_project(space, newton->mode, &first[1], error));
    else if (n == 2) {
        HF_TRY(hf_rotation_create(space, &first[1], error));
        hf_rotation_scatter(space, 1, &first[1]);
    }
    HF_TRY(extend(newton, gradient, &n, first, error));
cleanup:
    for (int i = 0; i < 2; i++) hf_rotation_destroy(&first[i]);
    return status;
}

/** Computes the residual of a step, rest = g + (H - mu) y; returns its norm. */
static double find_rest(const struct newton *newton, const struct hf_rotation *gradient,
                        const struct trust_step *step, struct hf_rotation *rest,
                        struct hf_rotation *work)
{
    const struct hf_subspace *subspace = &newton->subspace;
    hf_subspace_combine(subspace, subspace->product, step->coefficient, rest);
    hf_subspace_combine(subspace, subspace->vector, step->coefficient, work);
    hf_rotation_add(-step->shift, work, 1.0, rest);
    hf_rotation_add(1.0, gradient, 1.0, rest);
    return sqrt(hf_rotation_dot(rest, rest));
}

/** Finds the step from scf->fock and scf->occupied, up to a part of the gradient. */
static hf_status solve(struct newton *newton, double part, struct trust_step *step,
                       struct hf_error *error)
{
    hf_status status;
    struct hf_rotation gradient = {{NULL}}, rest = {{NULL}}, work = {{NULL}};
    const struct hf_rotation_space *space = &newton->hessian.space;
    HF_TRY(hf_rotation_create(space, &gradient, error));
    HF_TRY(hf_rotation_create(space, &work, error));
    HF_TRY(hf_hessian_gradient(&newton->hessian, &gradient, error));
    const double norm = sqrt(hf_rotation_dot(&gradient, &gradient));
    const double enough = part * norm;
    newton->soft = fmin(LARGEST_SOFT, fmax(SMALLEST_SOFT, norm));
    HF_TRY(begin_subspace(newton, &gradient, error));
    for (int n = newton->subspace.n; n > 0 && newton->subspace.n < MAX_VECTOR;) {
        HF_TRY(find_step(newton, step, error));
        HF_TRY(hf_rotation_create(space, &rest, error));
        if (find_rest(newton, &gradient, step, &rest, &work) < enough) break;
        hf_rotation_precondition(space, step->shift, &rest);
        n = 1;
        HF_TRY(extend(newton, &gradient, &n, &rest, error));
    }
    if (newton->subspace.n > 0) HF_TRY(find_step(newton, step, error));
cleanup:
    hf_rotation_destroy(&work);
    hf_rotation_destroy(&rest);
    hf_rotation_destroy(&gradient);
    return status;
}

/** Judges the last step by its energy; true if it must be taken back. */
static bool judge(struct newton *newton, double energy_change)
{
    newton->found += energy_change;
    const double ratio = newton->found / newton->predicted;
    if (newton->found > (newton->predicted > 0.0 ? HIGHER : NOISE)) {
        newton->radius *= 0.3;
        return true;
    }
    if (newton->predicted > -NOISE) return false;
    if (ratio < 0.25)
        newton->radius *= 0.5;
    else if (ratio > 0.75)
        newton->radius = fmin(1.5 * newton->radius, LARGEST_RADIUS);
    return false;
}

/** Keeps the eigenvector of a low eigenvalue for the next subspace. */
static hf_status keep_mode(struct newton *newton, const struct trust_step *step,
                           struct hf_rotation *work, struct hf_error *error)
{
    hf_scf_destroy_list(newton->mode);
    if (step->lowest > SOFT_MODE) return HF_OK;
    hf_subspace_combine(&newton->subspace, newton->subspace.vector, step->mode, work);
    return hf_rotation_expand(&newton->hessian.space, work, newton->mode, error);
}

/** Makes scf->occupied those of the step, from where it began. */
static hf_status go(struct hf_scf *scf, struct newton *newton, const struct trust_step *step,
                    struct hf_error *error)
{
    hf_status status;
    struct hf_rotation rotation = {{NULL}};
    HF_TRY(hf_rotation_create(&newton->hessian.space, &rotation, error));
    hf_subspace_combine(&newton->subspace, newton->subspace.vector, step->coefficient, &rotation);
    HF_TRY(hf_rotation_turn(&newton->hessian.space, &rotation, scf->occupied, error));
    HF_TRY(keep_mode(newton, step, &rotation, error));
    newton->predicted = step->predicted;
    newton->lowest = scf->gap = step->lowest;
    newton->pending = true;
    newton->iteration = scf->result->n_iteration;
cleanup:
    hf_rotation_destroy(&rotation);
    return status;
}

/** A new step from the orbitals and Fock matrices there are. */
static hf_status begin(struct hf_scf *scf, struct newton *newton, struct trust_step *step,
                       struct hf_error *error)
{
    hf_status status;
    forget(newton);
    newton->found = 0.0;
    HF_TRY(hf_scf_make_hessian(scf, part_left(scf) / SMALLEST_REST, &newton->hessian, error));
    hf_subspace_init(&newton->subspace, &newton->hessian, HF_ROTATION_INTERNAL);
    if (hf_rotation_count(&newton->hessian.space) > 0.0)
        HF_TRY(solve(newton, part_left(scf), step, error));
cleanup:
    hf_scf_count_products(scf, &newton->hessian);
    return status;
}

static hf_status step(struct hf_scf *scf, void *data, const char **label, struct hf_error *error)
{
    struct newton *newton = data;
    struct trust_step step = {.shift = 0.0};
    const bool follows = newton->pending && newton->iteration + 1 == scf->result->n_iteration;
    *label = "Newton";
    if (!follows) {
        newton->radius = FIRST_RADIUS;
        newton->lowest = 0.0; /* not known */
        hf_scf_destroy_list(newton->mode);
    }
    if (follows && judge(newton, scf->result->energy_change))
        HF_CHECK(find_step(newton, &step, error));
    else
        HF_CHECK(begin(scf, newton, &step, error));
    if (newton->subspace.n > 0) HF_CHECK(go(scf, newton, &step, error));
    return HF_OK;
}

const struct hf_converger_ops hf_converger_newton = {
    .name = "newton",
    .about = "Newton's method with the exact Hessian and a trust region",
    .cite = "Helmich-Paris, J. Chem. Phys. 154, 164104 (2021)",
    .create = create,
    .destroy = destroy,
    .step = step,
};
