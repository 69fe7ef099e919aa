/* The coordinates of an optimisation: which they are, the Hessian in them, the constraints. */
#include "optimiser_private.h"

#include <string.h>

static void add_places(struct hf_optimiser *self, struct hf_internals *to)
{
    for (int i = 0; i < self->n_atom; i++)
        hf_internals_add_place(to, i, false, hf_optimiser_at(self));
}

/** The coordinates at x; if they do not describe the molecule, places are added to them. */
static hf_status find_internals(struct hf_optimiser *self, struct hf_error *error)
{
    struct hf_internals *to = &self->internals;
    const double(*x)[3] = hf_optimiser_at(self);
    struct hf_frame frame;
    if (self->cartesian || self->settings.absolute) add_places(self, to);
    if (!self->cartesian) hf_internals_find(self->molecule, NULL, x, to);
    hf_constraints_add(self->settings.n_constraint, self->constraint, x, to);
    const hf_status status = hf_frame_make(to, x, NULL, &frame, error);
    const bool complete = frame.m >= hf_n_vibration(self->n_atom, x);
    hf_arena_done(&frame.arena);
    if (!complete && !self->cartesian && !self->settings.absolute) add_places(self, to);
    return status;
}

/** *made: self with coordinates of its own at x. */
static hf_status make_coordinates(const struct hf_optimiser *self, struct hf_optimiser *made,
                                  struct hf_error *error)
{
    *made = *self;
    made->internals = hf_internals_begin(self->n_atom, self->free_in_space);
    HF_CHECK(find_internals(made, error));
    const size_t n = (size_t)made->internals.n;
    struct hf_arena *arena = &made->internals.arena;
    HF_TAKE(arena, made->h, n * n);
    HF_TAKE(arena, made->mode, n);
    HF_TAKE(arena, made->dq, n);
    HF_TAKE(arena, made->g_q, n);
    HF_TAKE(arena, made->work, n);
    return hf_arena_check(arena, error);
}

/** Replaces the coordinates of self by those of `made`, unless something failed. */
static hf_status take_coordinates(struct hf_optimiser *self, struct hf_optimiser *made,
                                  hf_status status)
{
    hf_arena_done(status == HF_OK ? &self->internals.arena : &made->internals.arena);
    if (status == HF_OK) *self = *made;
    return status;
}

hf_status hf_optimiser_begin(struct hf_optimiser *self, struct hf_error *error)
{
    struct hf_optimiser made;
    const hf_status status = make_coordinates(self, &made, error);
    const int n = made.internals.n;
    for (int q = 0; q < n && status == HF_OK; q++)
        made.h[(size_t)q * (size_t)(n + 1)] =
            hf_model_force_constant(self->molecule, &made.internals.list[q], hf_optimiser_at(self));
    return take_coordinates(self, &made, status);
}

hf_status hf_optimiser_turn_hessian(const struct hf_internals *internals, const double (*x)[3],
                                    const double (*g)[3], bool to_places, double *h_x, double *h_q,
                                    struct hf_error *error)
{
    struct hf_frame frame;
    hf_status status = hf_frame_make(internals, x, NULL, &frame, error);
    double *g_q = HF_TAKE(&frame.arena, g_q, (size_t)internals->n);
    if (status == HF_OK) status = hf_arena_check(&frame.arena, error);
    if (status == HF_OK) {
        hf_frame_gradient(&frame, g[0], g_q);
        status = to_places ? hf_frame_cartesian_hessian(&frame, internals, x, g_q, h_q, h_x, error)
                           : hf_frame_hessian(&frame, internals, x, g_q, h_x, h_q, error);
    }
    hf_arena_done(&frame.arena);
    return status;
}

hf_status hf_optimiser_change_coordinates(struct hf_optimiser *self, const double (*from)[3],
                                          const double (*g)[3], struct hf_error *error)
{
    const size_t n_x = 3 * (size_t)self->n_atom;
    struct hf_optimiser made;
    hf_status status;
    HF_TRY(make_coordinates(self, &made, error));
    double *h_x = HF_TAKE(&made.internals.arena, h_x, n_x * n_x);
    HF_TRY(hf_arena_check(&made.internals.arena, error));
    HF_TRY(hf_optimiser_turn_hessian(&self->internals, from, g, true, h_x, self->h, error));
    HF_TRY(hf_optimiser_turn_hessian(&made.internals, from, g, false, h_x, made.h, error));
cleanup:
    return take_coordinates(self, &made, status);
}
