/* The coordinates of an optimisation: which they are, the Hessian in them, the constraints. */
#include "optimiser_private.h"

#include <stdlib.h>
#include <string.h>

static hf_status add_places(struct hf_optimiser *self, struct hf_internals *to,
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    for (int i = 0; i < self->n_atom && status == HF_OK; i++)
        status = hf_internals_add_place(to, i, false, hf_optimiser_at(self), error);
    return status;
}

/** The coordinates at x; if they do not describe the molecule, places are added to them. */
static hf_status find_internals(struct hf_optimiser *self, struct hf_internals *to,
                                struct hf_error *error)
{
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
    hf_frame_done(&frame);
    if (status == HF_OK && !complete && !self->cartesian && !self->settings.absolute)
        status = add_places(self, to, error);
    return status;
}

/** Room for matrices of the coordinates. */
static hf_status make_room(int n_q, double **h, double **mode, struct hf_error *error)
{
    *h = calloc((size_t)n_q * (size_t)n_q + 1, sizeof **h);
    *mode = calloc((size_t)n_q + 1, sizeof **mode);
    return *h != NULL && *mode != NULL ? HF_OK : hf_optimiser_no_memory(error);
}

static void take_coordinates(struct hf_optimiser *self, struct hf_internals *internals, double *h,
                             double *mode)
{
    hf_internals_done(&self->internals);
    free(self->h);
    free(self->mode);
    self->internals = *internals;
    self->h = h;
    self->mode = mode;
}

hf_status hf_optimiser_begin(struct hf_optimiser *self, struct hf_error *error)
{
    struct hf_internals made = {0};
    double *h = NULL, *mode = NULL;
    hf_status status = find_internals(self, &made, error);
    if (status == HF_OK) status = make_room(made.n, &h, &mode, error);
    for (int q = 0; q < made.n && status == HF_OK; q++)
        h[(size_t)q * (size_t)(made.n + 1)] =
            hf_model_force_constant(self->molecule, &made.list[q], hf_optimiser_at(self));
    take_coordinates(self, &made, h, mode);
    return status;
}

hf_status hf_optimiser_turn_hessian(const struct hf_optimiser *self,
                                    const struct hf_internals *internals, const double (*x)[3],
                                    const double (*g)[3], bool to_places, double *h_x, double *h_q,
                                    struct hf_error *error)
{
    struct hf_frame frame;
    double *g_q = calloc((size_t)internals->n + 1, sizeof *g_q);
    hf_status status = g_q != NULL ? HF_OK : hf_optimiser_no_memory(error);
    if (status == HF_OK)
        status = hf_frame_make(internals, self->n_atom, x, self->free_in_space, &frame, error);
    if (status == HF_OK) {
        hf_frame_gradient(&frame, g[0], g_q);
        status = to_places ? hf_frame_cartesian_hessian(&frame, internals, x, g_q, h_q, h_x, error)
                           : hf_frame_hessian(&frame, internals, x, g_q, h_x, h_q, error);
        hf_frame_done(&frame);
    }
    free(g_q);
    return status;
}

hf_status hf_optimiser_change_coordinates(struct hf_optimiser *self, const double (*from)[3],
                                          const double (*g)[3], struct hf_error *error)
{
    const size_t n_x = 3 * (size_t)self->n_atom;
    struct hf_internals made = {0};
    double *h = NULL, *mode = NULL, *h_x = calloc(n_x * n_x, sizeof *h_x);
    hf_status status = h_x != NULL ? HF_OK : hf_optimiser_no_memory(error);
    if (status == HF_OK)
        status =
            hf_optimiser_turn_hessian(self, &self->internals, from, g, true, h_x, self->h, error);
    if (status == HF_OK) status = find_internals(self, &made, error);
    if (status == HF_OK) status = make_room(made.n, &h, &mode, error);
    if (status == HF_OK)
        status = hf_optimiser_turn_hessian(self, &made, from, g, false, h_x, h, error);
    free(h_x);
    take_coordinates(self, &made, h, mode);
    return status;
}
