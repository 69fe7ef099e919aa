/* Steps by rational functions: the lowest eigenvalue of the Hessian that is extended by the gradient shifts the Hessian,
 * so that the step leads downhill (uphill along one mode, to a saddle point) and is finite. A larger shift keeps it
 * within the radius of trust.
 *
 * Source: Banerjee, Adams, Simons, Shepard, J. Phys. Chem. 89, 52 (1985); Baker, J. Comput. Chem. 7, 385 (1986). */
#include "step.h"

#include "base/arithmetic.h"
#include "hf/linalg.h"

#include <math.h>
#include <string.h>

/** Second derivative along a direction that is held. */
static const double STIFF = 1e3;

/** The least of the modes': what motions of the whole have of a gradient is rounding. */
static const double SOFT = 2e-4;

/** Eigenvalues that are nearer to zero than errors of a computed Hessian are not negative. */
static const double ZERO = 1e-5;

/** The quadratic model in the frame, and in the modes of its Hessian. */
struct model {
    int m, n_q;
    double *h;     /**< [m][m], then modes [mode][m] */
    double *value; /**< [m] ascending */
    double *g, *g_mode, *step;
    double *held;   /**< [n_held][m] orthonormal */
    int n_held, up; /**< mode that goes uphill; -1: none */
};

/** Orthonormal directions of the constraints. */
static void find_held(const struct hf_frame *frame, const struct hf_internals *internals,
                      struct model *model)
{
    const int m = frame->m;
    for (int q = 0; q < frame->n_q && model->n_held < m; q++) {
        double *to = model->held + (size_t)model->n_held * (size_t)m;
        if (!internals->list[q].fixed) continue;
        for (int k = 0; k < m; k++) to[k] = frame->u[(size_t)k * (size_t)frame->n_q + (size_t)q];
        model->n_held += hf_make_orthonormal(model->n_held, (size_t)m, model->held, 1e-8);
    }
}

static void take_off(const struct model *model, double vector[])
{
    hf_take_off(model->n_held, (size_t)model->m, model->held, vector);
}

/** Gradient and Hessian in the frame, without what is held. */
static void fill_model(const struct hf_step_input *input, struct model *model)
{
    const struct hf_frame *frame = input->frame;
    const int m = frame->m, n_q = frame->n_q;
    double *row = model->step;
    for (int a = 0; a < m; a++) {
        const double *u = frame->u + (size_t)a * (size_t)n_q;
        model->g[a] = hf_dot((size_t)n_q, u, input->gradient);
        for (int b = 0; b < m; b++) model->h[a * m + b] = 0.0;
        for (int q = 0; q < n_q; q++) {
            if (u[q] == 0.0) continue;
            const double *h = input->hessian + (size_t)q * (size_t)n_q;
            for (int b = 0; b < m; b++)
                model->h[a * m + b] +=
                    u[q] * hf_dot((size_t)n_q, h, frame->u + (size_t)b * (size_t)n_q);
        }
    }
    take_off(model, model->g);
    for (int a = 0; a < m; a++) take_off(model, model->h + (size_t)a * (size_t)m);
    for (int b = 0; b < m; b++) {
        for (int a = 0; a < m; a++) row[a] = model->h[a * m + b];
        take_off(model, row);
        for (int a = 0; a < m; a++) model->h[a * m + b] = row[a];
    }
    for (int o = 0; o < model->n_held; o++)
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++)
                model->h[a * m + b] += STIFF * model->held[o * m + a] * model->held[o * m + b];
}

/** The mode most like the last one. */
static int find_mode(const struct hf_step_input *input, const struct model *model)
{
    int best = 0;
    double largest = 0.0;
    for (int k = 0; k < model->m; k++) {
        double overlap = 0.0;
        for (int a = 0; a < model->m; a++)
            overlap += model->h[k * model->m + a] *
                       hf_dot((size_t)model->n_q, input->frame->u + (size_t)a * (size_t)model->n_q,
                              input->mode);
        if (fabs(overlap) > largest) {
            largest = fabs(overlap);
            best = k;
        }
    }
    return best;
}

/** Sum of g_k^2 / (shift - h_k) over the modes that go downhill. */
static double secular(const struct model *model, double shift)
{
    double sum = 0.0;
    for (int k = 0; k < model->m; k++)
        if (k != model->up && model->g_mode[k] != 0.0)
            sum += model->g_mode[k] * model->g_mode[k] / (shift - model->value[k]);
    return sum;
}

/** The lowest root of shift = secular(shift), which is below zero and all of the modes. */
static double find_shift(const struct model *model)
{
    enum { MOST = 200 };
    const int first = model->up == 0 ? 1 : 0;
    double high = model->m > first ? fmin(0.0, model->value[first]) : 0.0;
    double low = high - 1.0;
    while (low > secular(model, low)) low = high - 2.0 * (high - low);
    for (int n = 0; n < MOST; n++) {
        const double middle = 0.5 * (low + high);
        if (middle == low || middle == high) break;
        if (middle > secular(model, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/** dq [n_q] with a shift; returns the largest change. */
static double step_with(const struct hf_step_input *input, struct model *model, double shift,
                        double dq[])
{
    const int m = model->m, n_q = model->n_q;
    double largest = 0.0;
    memset(model->step, 0, (size_t)m * sizeof *model->step);
    for (int k = 0; k < m; k++) {
        const double g = model->g_mode[k], h = model->value[k];
        const double uphill = 0.5 * (h + sqrt(h * h + 4.0 * g * g));
        const double length = g == 0.0 ? 0.0 : -g / (h - (k == model->up ? uphill : shift));
        for (int a = 0; a < m; a++) model->step[a] += length * model->h[k * m + a];
    }
    memset(dq, 0, (size_t)n_q * sizeof *dq);
    for (int a = 0; a < m; a++)
        for (int q = 0; q < n_q; q++)
            dq[q] += model->step[a] * input->frame->u[(size_t)a * (size_t)n_q + (size_t)q];
    for (int q = 0; q < n_q; q++) largest = fmax(largest, fabs(dq[q]));
    return largest;
}

/** Within the radius: a larger shift, or to a saddle point the step made shorter. */
static void restrict_step(const struct hf_step_input *input, struct model *model, double dq[])
{
    enum { MOST = 60 };
    double high = find_shift(model), reach = step_with(input, model, high, dq);
    if (reach <= input->trust) return;
    if (model->up >= 0) {
        const double factor = input->trust / reach;
        for (int a = 0; a < model->m; a++) model->step[a] *= factor;
        for (int q = 0; q < model->n_q; q++) dq[q] *= factor;
        return;
    }
    double low = high - 1.0;
    while (step_with(input, model, low, dq) > input->trust) low = high - 2.0 * (high - low);
    for (int n = 0; n < MOST; n++) {
        const double middle = 0.5 * (low + high);
        if (step_with(input, model, middle, dq) > input->trust)
            high = middle;
        else
            low = middle;
    }
    (void)step_with(input, model, low, dq);
}

static hf_status make(const struct hf_step_input *input, struct model *model, double dq[],
                      double *expected, int *n_negative, struct hf_error *error)
{
    const int m = model->m;
    find_held(input->frame, input->internals, model);
    fill_model(input, model);
    HF_CHECK(m > 0 ? hf_eigen_small(m, model->h, model->value, error) : HF_OK);
    for (*n_negative = 0; *n_negative < m && model->value[*n_negative] < -ZERO;) ++*n_negative;
    for (int k = 0; k < m; k++) {
        model->g_mode[k] = hf_dot((size_t)m, model->h + k * m, model->g);
        if (fabs(model->value[k]) < SOFT) model->value[k] = SOFT;
    }
    model->up = input->saddle && m > 0 ? find_mode(input, model) : -1;
    restrict_step(input, model, dq);
    *expected = hf_dot((size_t)m, model->g, model->step);
    for (int k = 0; k < m; k++) {
        const double along = hf_dot((size_t)m, model->h + k * m, model->step);
        *expected += 0.5 * model->value[k] * along * along;
    }
    for (int q = 0; q < model->n_q && model->up >= 0; q++) {
        input->mode[q] = 0.0;
        for (int a = 0; a < m; a++)
            input->mode[q] += model->h[model->up * m + a] *
                              input->frame->u[(size_t)a * (size_t)model->n_q + (size_t)q];
    }
    return HF_OK;
}

hf_status hf_step_make(const struct hf_step_input *input, double dq[], double *expected,
                       int *n_negative, struct hf_error *error)
{
    const size_t m = (size_t)input->frame->m;
    struct hf_arena arena = {.label = "a step"};
    struct model model = {.m = (int)m, .n_q = input->frame->n_q, .up = -1};
    HF_TAKE(&arena, model.h, m * m);
    HF_TAKE(&arena, model.held, m * m);
    HF_TAKE(&arena, model.value, m);
    HF_TAKE(&arena, model.g, m);
    HF_TAKE(&arena, model.g_mode, m);
    HF_TAKE(&arena, model.step, m);
    hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) status = make(input, &model, dq, expected, n_negative, error);
    hf_arena_done(&arena);
    return status;
}

hf_status hf_step_free_forces(const struct hf_internals *internals, const double (*x)[3],
                              double *gradient, struct hf_error *error)
{
    struct hf_internals fixed = hf_internals_begin(internals->n_atom, false);
    struct hf_frame frame = {0};
    for (int q = 0; q < internals->n; q++)
        if (internals->list[q].fixed) hf_internals_add(&fixed, &internals->list[q]);
    hf_status status = hf_arena_check(&fixed.arena, error);
    if (status == HF_OK && fixed.n > 0) status = hf_frame_make(&fixed, x, NULL, &frame, error);
    hf_take_off(frame.m, (size_t)frame.n_x, frame.v, gradient);
    hf_arena_done(&frame.arena);
    hf_arena_done(&fixed.arena);
    return status;
}
