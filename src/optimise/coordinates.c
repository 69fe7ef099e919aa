/* The coordinates of an optimisation: which they are, the Hessian in them, the constraints. */
#include "optimiser_private.h"

#include <string.h>

static hf_status add_places(struct hf_optimiser *self, struct hf_internals *to,
                            struct hf_error *error)
{
    for (int i = 0; i < self->n_atom; i++)
        HF_CHECK(hf_internals_add_place(to, i, false, hf_optimiser_at(self), error));
    return HF_OK;
}

/** The coordinates at x; if they do not describe the molecule, places are added to them. */
static hf_status find_internals(struct hf_optimiser *self, struct hf_error *error)
{
    struct hf_internals *to = &self->internals;
    struct hf_frame frame = {0};
    hf_status status =
        self->cartesian || self->settings.absolute ? add_places(self, to, error) : HF_OK;
    if (status == HF_OK && !self->cartesian)
        status = hf_internals_find(self->molecule, NULL, hf_optimiser_at(self), to, error);
    if (status == HF_OK)
        status = hf_constraints_add(self->settings.n_constraint, self->constraint,
                                    hf_optimiser_at(self), to, error);
    if (status == HF_OK)
        status = hf_frame_make(to, self->n_atom, hf_optimiser_at(self), self->free_in_space, &frame,
                               error);
    const bool complete = frame.m >= hf_n_vibration(self->n_atom, hf_optimiser_at(self));
    hf_arena_done(&frame.arena);
    if (status == HF_OK && !complete && !self->cartesian && !self->settings.absolute)
        status = add_places(self, to, error);
    return status;
}

/** *made: self with coordinates of its own at x. */
static hf_status make_coordinates(const struct hf_optimiser *self, struct hf_optimiser *made,
                                  struct hf_error *error)
{
    *made = *self;
    made->internals = (struct hf_internals){0};
    made->coordinates = (struct hf_arena){.label = "an optimisation"};
    HF_CHECK(find_internals(made, error));
    const size_t n = (size_t)made->internals.n;
    HF_TAKE(&made->coordinates, made->h, n * n);
    HF_TAKE(&made->coordinates, made->mode, n);
    HF_TAKE(&made->coordinates, made->dq, n);
    HF_TAKE(&made->coordinates, made->g_q, n);
    HF_TAKE(&made->coordinates, made->work, n);
    return hf_arena_check(&made->coordinates, error);
}

static void take_coordinates(struct hf_optimiser *self, const struct hf_optimiser *made)
{
    hf_internals_done(&self->internals);
    hf_arena_done(&self->coordinates);
    *self = *made;
}

hf_status hf_optimiser_begin(struct hf_optimiser *self, struct hf_error *error)
{
    struct hf_optimiser made;
    const hf_status status = make_coordinates(self, &made, error);
    const int n = made.internals.n;
    for (int q = 0; q < n && status == HF_OK; q++)
        made.h[(size_t)q * (size_t)(n + 1)] =
            hf_model_force_constant(self->molecule, &made.internals.list[q], hf_optimiser_at(self));
    take_coordinates(self, &made);
    return status;
}

hf_status hf_optimiser_turn_hessian(const struct hf_optimiser *self,
                                    const struct hf_internals *internals, const double (*x)[3],
                                    const double (*g)[3], bool to_places, double *h_x, double *h_q,
                                    struct hf_error *error)
{
    struct hf_frame frame;
    hf_status status =
        hf_frame_make(internals, self->n_atom, x, self->free_in_space, &frame, error);
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
    hf_status status = make_coordinates(self, &made, error);
    double *h_x = HF_TAKE(&made.coordinates, h_x, n_x * n_x);
    if (status == HF_OK) status = hf_arena_check(&made.coordinates, error);
    if (status == HF_OK)
        status =
            hf_optimiser_turn_hessian(self, &self->internals, from, g, true, h_x, self->h, error);
    if (status == HF_OK)
        status =
            hf_optimiser_turn_hessian(self, &made.internals, from, g, false, h_x, made.h, error);
    take_coordinates(self, &made);
    return status;
}
