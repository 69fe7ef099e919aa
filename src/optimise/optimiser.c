/* The course of an optimisation: Hessian, radius of trust, steps, convergence.
 *
 * The Hessian begins as a model of force constants and is improved by what gradients change along each step: by Broyden,
 * Fletcher, Goldfarb and Shanno's formula, or where a step has negative curvature, or leads to a saddle point, by the
 * mixture of Murtagh-Sargent's and Powell's of Bofill, J. Comput. Chem. 15, 1 (1994). */
#include "optimiser_private.h"

#include "step.h"

#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

/** bohr or radians */
static const double FIRST_TRUST = 0.4, MOST_TRUST = 0.8, LEAST_TRUST = 0.002;

/** The same of a search for a saddle point, which does not come back when it has left the neighbourhood of it. */
static const double SADDLE_TRUST = 0.2, MOST_SADDLE_TRUST = 0.3;

/** hartree: a step that leads so far up is taken back. */
static const double RISE = 0.005;

/** Forces of so small a part of the thresholds end an optimisation on a flat surface. */
static const double FLAT = 0.01;

const double (*hf_optimiser_position(const struct hf_optimiser *optimiser))[3]
{
    return hf_optimiser_at(optimiser);
}

static size_t place_bytes(const struct hf_optimiser *self)
{
    return (size_t)self->n_atom * sizeof *self->x;
}

static hf_status fill(struct hf_optimiser *self, const struct hf_molecule *molecule,
                      const struct hf_optimise_settings *settings, struct hf_error *error)
{
    const size_t n = (size_t)molecule->n_atom, n_held = (size_t)settings->n_constraint;
    self->molecule = molecule;
    self->settings = *settings;
    self->n_atom = molecule->n_atom;
    self->cartesian = settings->cartesian;
    self->free_in_space = !settings->absolute;
    self->trust = settings->saddle ? SADDLE_TRUST : FIRST_TRUST;
    self->note = "";
    HF_TAKE(&self->arena, self->constraint, n_held);
    HF_TAKE(&self->arena, self->x, (1 + 2 * MOST_LAST) * n);
    HF_TAKE(&self->arena, self->next, n);
    HF_TAKE(&self->arena, self->left, n);
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (size_t k = 0; k < MOST_LAST; k++) {
        self->last_x[k] = self->x + (1 + 2 * k) * n;
        self->last_g[k] = self->last_x[k] + n;
    }
    if (n_held > 0)
        memcpy(self->constraint, settings->constraint, n_held * sizeof *self->constraint);
    for (size_t i = 0; i < n; i++)
        memcpy(self->x[i], molecule->atom[i].position_bohr, sizeof self->x[i]);
    for (size_t c = 0; c < n_held; c++)
        if (self->constraint[c].kind == HF_PLACE) self->free_in_space = false;
    HF_CHECK(
        hf_constraints_fulfil(molecule, settings->n_constraint, self->constraint, self->x, error));
    return hf_optimiser_begin(self, error);
}

hf_status hf_optimiser_create(const struct hf_molecule *molecule,
                              const struct hf_optimise_settings *settings,
                              struct hf_optimiser **optimiser, struct hf_error *error)
{
    struct hf_arena arena = {.label = "an optimisation"};
    struct hf_optimiser *made = *optimiser = HF_TAKE(&arena, made, 1);
    if (made == NULL) return hf_arena_check(&arena, error);
    made->arena = arena;
    const hf_status status = fill(made, molecule, settings, error);
    if (status != HF_OK) hf_optimiser_destroy(optimiser);
    return status;
}

void hf_optimiser_destroy(struct hf_optimiser **optimiser)
{
    struct hf_optimiser *self = *optimiser;
    if (self == NULL) return;
    hf_arena_done(&self->internals.arena);
    hf_arena_done(&self->arena);
    *optimiser = NULL;
}

/** H of dq and the change dg of the gradient; rest [n]: room. */
static void update(struct hf_optimiser *self, const double dq[], const double dg[], double rest[])
{
    const size_t n = (size_t)self->internals.n;
    const double yy = hf_dot(n, dg, dq), ss = hf_dot(n, dq, dq);
    for (size_t q = 0; q < n; q++) rest[q] = hf_dot(n, self->h + q * n, dq);
    const double shs = hf_dot(n, rest, dq);
    const bool bfgs = !self->settings.saddle && yy > 1e-3 * fabs(shs) && shs > 0.0;
    if (ss < 1e-14) return;
    if (bfgs) {
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                self->h[a * n + b] += dg[a] * dg[b] / yy - rest[a] * rest[b] / shs;
        return;
    }
    for (size_t q = 0; q < n; q++) rest[q] = dg[q] - rest[q];
    const double rs = hf_dot(n, rest, dq), rr = hf_dot(n, rest, rest);
    if (rr < 1e-16) return;
    const double part = rs * rs / (rr * ss); /* of Murtagh-Sargent's */
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            self->h[a * n + b] += (part > 0.0 ? part * rest[a] * rest[b] / rs : 0.0) +
                                  (1.0 - part) * ((rest[a] * dq[b] + dq[a] * rest[b]) / ss -
                                                  rs * dq[a] * dq[b] / (ss * ss));
}

/** Gradient in the coordinates at a point. */
static hf_status find_gradient(const struct hf_optimiser *self, const double (*x)[3],
                               const double (*g)[3], double g_q[], struct hf_error *error)
{
    struct hf_frame frame;
    const hf_status status = hf_frame_make(&self->internals, x, NULL, &frame, error);
    if (status == HF_OK) hf_frame_gradient(&frame, g[0], g_q);
    hf_arena_done(&frame.arena);
    return status;
}

/** Improves the Hessian by the way from one of the last points. */
static hf_status learn(struct hf_optimiser *self, int point, const double (*g)[3],
                       struct hf_error *error)
{
    const int n = self->internals.n;
    const double(*last)[3] = (const double(*)[3])self->last_x[point];
    double *dq = self->dq, *dg = self->g_q, *before = self->work;
    for (int q = 0; q < n; q++) {
        const struct hf_internal *it = &self->internals.list[q];
        dq[q] = hf_internal_difference(it, hf_internal_value(it, hf_optimiser_at(self)),
                                       hf_internal_value(it, last));
    }
    HF_CHECK(find_gradient(self, hf_optimiser_at(self), g, dg, error));
    HF_CHECK(find_gradient(self, last, (const double(*)[3])self->last_g[point], before, error));
    for (int q = 0; q < n; q++) dg[q] -= before[q];
    update(self, dq, dg, before);
    return HF_OK;
}

/** The radius after a step of which `change` came and `expected` was expected. */
static void adapt_trust(struct hf_optimiser *self, double change)
{
    const double noise = 1e-7;
    if (fabs(self->expected) < noise && fabs(change) < noise) return;
    const double ratio = change / self->expected;
    const bool poor = self->settings.saddle ? ratio < 0.25 || ratio > 1.75 : ratio < 0.25;
    const bool fine = self->settings.saddle ? ratio > 0.75 && ratio < 1.25 : ratio > 0.75;
    if (poor)
        self->trust = fmax(0.5 * fmin(self->reach, self->trust), LEAST_TRUST);
    else if (fine && self->reach > 0.8 * self->trust)
        self->trust =
            fmin(2.0 * self->trust, self->settings.saddle ? MOST_SADDLE_TRUST : MOST_TRUST);
}

/** A step from x to `to` [n_atom], shorter if the coordinates cannot make it; *good: they could. */
static hf_status try_step(struct hf_optimiser *self, const double (*g)[3], double (*to)[3],
                          bool *good, struct hf_error *error)
{
    enum { MOST = 4 };
    const int n = self->internals.n;
    struct hf_frame frame;
    double *g_q = self->g_q, *dq = self->dq;
    hf_status status = hf_frame_make(&self->internals, hf_optimiser_at(self), NULL, &frame, error);
    double trust = self->trust;
    *good = false;
    if (status == HF_OK) hf_frame_gradient(&frame, g[0], g_q);
    for (int k = 0; k < MOST && status == HF_OK && !*good; k++, trust *= 0.4) {
        const struct hf_step_input input = {.frame = &frame,
                                            .internals = &self->internals,
                                            .gradient = g_q,
                                            .hessian = self->h,
                                            .trust = trust,
                                            .saddle = self->settings.saddle,
                                            .mode = self->mode};
        status = hf_step_make(&input, dq, &self->expected, &self->n_negative, error);
        memcpy(to, self->x, place_bytes(self));
        if (status == HF_OK) status = hf_frame_displace(&self->internals, dq, to, good, error);
        self->reach = 0.0;
        for (int q = 0; q < n; q++) self->reach = fmax(self->reach, fabs(dq[q]));
    }
    hf_arena_done(&frame.arena);
    return status;
}

/** The same; Cartesian coordinates take over where internal ones fail. */
static hf_status make_step(struct hf_optimiser *self, const double (*g)[3], double (*to)[3],
                           struct hf_error *error)
{
    bool good = false;
    HF_CHECK(try_step(self, g, to, &good, error));
    if (good || self->cartesian) return HF_OK;
    self->cartesian = true;
    self->note = "internal coordinates failed: on in Cartesian ones";
    HF_CHECK(hf_optimiser_change_coordinates(self, hf_optimiser_at(self), g, error));
    return try_step(self, g, to, &good, error);
}

static void measure(int n_atom, const double (*to)[3], const double (*from)[3], double *largest,
                    double *rms)
{
    *largest = *rms = 0.0;
    for (int i = 0; i < n_atom; i++)
        for (int k = 0; k < 3; k++) {
            const double d = to[i][k] - (from != NULL ? from[i][k] : 0.0);
            *largest = fmax(*largest, fabs(d));
            *rms += d * d / (3 * n_atom);
        }
    *rms = sqrt(*rms);
}

/** Forces and steps, and whether they are small. */
static hf_status judge(const struct hf_optimiser *self, const double (*g)[3],
                       const double (*next)[3], struct hf_optimise_step *step,
                       struct hf_error *error)
{
    const struct hf_optimise_settings *want = &self->settings;
    double(*left)[3] = self->left;
    memcpy(left, g, place_bytes(self));
    const hf_status status =
        hf_step_free_forces(&self->internals, hf_optimiser_at(self), left[0], error);
    measure(self->n_atom, (const double(*)[3])left, NULL, &step->max_force, &step->rms_force);
    measure(self->n_atom, next, hf_optimiser_at(self), &step->max_displacement,
            &step->rms_displacement);
    const bool flat =
        step->max_force < FLAT * want->max_force && step->rms_force < FLAT * want->rms_force;
    step->held = hf_internals_hold(&self->internals, hf_optimiser_at(self));
    step->in_line = hf_constraints_in_line(want->n_constraint, self->constraint, next) >= 0;
    step->n_negative = self->n_negative;
    const bool small =
        flat || (step->max_force < want->max_force && step->rms_force < want->rms_force &&
                 step->max_displacement < want->max_displacement &&
                 step->rms_displacement < want->rms_displacement);
    step->converged = small && step->held;
    return status;
}

/** What the last step says: coordinates, Hessian, trust. *back: it is taken back. */
static hf_status look_back(struct hf_optimiser *self, double energy, const double (*g)[3],
                           bool *back, struct hf_error *error)
{
    const double change = energy - self->last_energy;
    *back = false;
    if (!self->cartesian && hf_internals_are_bad(&self->internals, hf_optimiser_at(self))) {
        self->note = "new internal coordinates";
        HF_CHECK(self->n_last > 0
                     ? hf_optimiser_change_coordinates(self, (const double(*)[3])self->last_x[0],
                                                       (const double(*)[3])self->last_g[0], error)
                     : hf_optimiser_begin(self, error));
    }
    if (self->n_last == 0) return HF_OK;
    for (int k = self->n_last - 1; k >= 0; k--) HF_CHECK(learn(self, k, g, error));
    adapt_trust(self, change);
    *back = !self->settings.saddle && change > RISE && self->trust > LEAST_TRUST;
    return HF_OK;
}

static void keep_point(struct hf_optimiser *self, double energy, const double (*g)[3])
{
    const size_t bytes = place_bytes(self);
    for (int k = MOST_LAST - 1; k > 0; k--) {
        memcpy(self->last_x[k], self->last_x[k - 1], bytes);
        memcpy(self->last_g[k], self->last_g[k - 1], bytes);
    }
    memcpy(self->last_x[0], self->x, bytes);
    memcpy(self->last_g[0], g, bytes);
    self->last_energy = energy;
    if (self->n_last < MOST_LAST) self->n_last++;
}

hf_status hf_optimiser_advance(struct hf_optimiser *self, double energy,
                               const double (*gradient)[3], struct hf_optimise_step *step,
                               struct hf_error *error)
{
    bool back = false;
    const size_t bytes = place_bytes(self);
    double(*next)[3] = self->next;
    *step = (struct hf_optimise_step){.energy = energy};
    self->note = "";
    if (self->n_last > 0) step->change = energy - self->last_energy;
    HF_CHECK(look_back(self, energy, gradient, &back, error));
    const double(*g)[3] = back ? (const double(*)[3])self->last_g[0] : gradient;
    if (back) {
        self->note = "energy rose: back, with a shorter step";
        memcpy(self->x, self->last_x[0], bytes);
    }
    HF_CHECK(make_step(self, g, next, error));
    HF_CHECK(judge(self, g, (const double(*)[3])next, step, error));
    step->note = self->note;
    if (back) step->converged = false;
    if (!step->converged && !step->in_line) {
        if (!back) keep_point(self, energy, gradient);
        memcpy(self->x, next, bytes);
    }
    return HF_OK;
}

bool hf_optimiser_retreat(struct hf_optimiser *optimiser)
{
    if (optimiser->n_last == 0) return false;
    for (int i = 0; i < optimiser->n_atom; i++)
        for (int k = 0; k < 3; k++)
            optimiser->x[i][k] = 0.5 * (optimiser->x[i][k] + optimiser->last_x[0][i][k]);
    optimiser->expected *= 0.5;
    optimiser->reach *= 0.5;
    optimiser->trust = fmax(0.5 * optimiser->trust, LEAST_TRUST);
    return true;
}

hf_status hf_optimiser_set_hessian(struct hf_optimiser *optimiser, const double *hessian,
                                   const double (*gradient)[3], struct hf_error *error)
{
    return hf_optimiser_turn_hessian(&optimiser->internals, hf_optimiser_at(optimiser), gradient,
                                     false, (double *)hessian, optimiser->h, error);
}

/** Numbers beside the places and the Hessian. */
enum { N_NUMBER = 6, N_PLACE = 1 + 2 * MOST_LAST };

size_t hf_optimiser_state_size(const struct hf_optimiser *optimiser)
{
    const size_t n_x = 3 * (size_t)optimiser->n_atom;
    return N_NUMBER + N_PLACE * n_x + n_x * n_x;
}

hf_status hf_optimiser_save(struct hf_optimiser *self, double state[], struct hf_error *error)
{
    const size_t n_x = 3 * (size_t)self->n_atom;
    const double number[N_NUMBER] = {self->n_last, self->last_energy, self->expected,
                                     self->reach,  self->trust,       self->cartesian};
    memcpy(state, number, sizeof number);
    memcpy(state + N_NUMBER, self->x, N_PLACE * n_x * sizeof *state);
    if (self->n_last == 0) return HF_OK;
    return hf_optimiser_turn_hessian(&self->internals, (const double(*)[3])self->last_x[0],
                                     (const double(*)[3])self->last_g[0], true,
                                     state + N_NUMBER + N_PLACE * n_x, self->h, error);
}

/** Whether the radius of trust, places and gradients can be those of a search. */
static bool is_sound(const double state[], size_t n_x)
{
    const double largest = 1e6; /* bohr, as of atoms in a checkpoint; hartree/bohr */
    bool sound = state[4] >= LEAST_TRUST && state[4] <= MOST_TRUST;
    for (size_t i = 0; i < N_PLACE * n_x; i++)
        sound = sound && fabs(state[N_NUMBER + i]) <= largest;
    return sound;
}

hf_status hf_optimiser_load(struct hf_optimiser *self, const double state[], bool *taken,
                            struct hf_error *error)
{
    const size_t n_x = 3 * (size_t)self->n_atom;
    *taken = false;
    if (!is_sound(state, n_x))
        return hf_fail(error, HF_BAD_INPUT,
                       "damaged checkpoint: the search for a structure has a radius of trust or "
                       "places that are out of range");
    const double(*x)[3] = (const double(*)[3])(state + N_NUMBER);
    *taken = hf_constraints_missed(self->settings.n_constraint, self->constraint, x) < 0;
    if (!*taken) return HF_OK;
    self->n_last = (int)fmax(0.0, fmin(state[0], MOST_LAST)); /* whatever a file says */
    self->last_energy = state[1];
    self->expected = state[2];
    self->reach = state[3];
    self->trust = state[4];
    self->cartesian = state[5] != 0.0;
    memcpy(self->x, state + N_NUMBER, N_PLACE * n_x * sizeof *state);
    HF_CHECK(hf_optimiser_begin(self, error));
    if (self->n_last == 0) return HF_OK;
    return hf_optimiser_turn_hessian(&self->internals, (const double(*)[3])self->last_x[0],
                                     (const double(*)[3])self->last_g[0], false,
                                     (double *)state + N_NUMBER + N_PLACE * n_x, self->h, error);
}
