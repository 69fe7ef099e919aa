/* The steps of an optimisation: kept, packed for checkpoints, and what they say about the points of a scan. */
#include "optimise/optimisation.h"

#include <math.h>
#include <string.h>

/** Numbers of a step beside its places. */
enum { N_NUMBER = 9, CONVERGED = N_NUMBER - 1 };

hf_status hf_optimisation_add(struct hf_optimisation *self, struct hf_error *error)
{
    if (!hf_arena_grow(&self->arena, &self->step, self->n_step + 1, &self->n_room,
                       sizeof *self->step))
        return hf_arena_check(&self->arena, error);
    struct hf_optimisation_step *next = &self->step[self->n_step];
    *next = (struct hf_optimisation_step){.step = {.note = ""}};
    if (HF_TAKE(&self->arena, next->x, 2 * (size_t)self->n_atom) != NULL) self->n_step++;
    return hf_arena_check(&self->arena, error);
}

double hf_optimisation_value(const struct hf_optimisation *self, int point)
{
    if (self->n_point < 2) return self->from;
    return self->from + (self->to - self->from) * point / (self->n_point - 1);
}

const struct hf_optimisation_step *hf_optimisation_last_of(const struct hf_optimisation *self,
                                                           int point)
{
    const struct hf_optimisation_step *last = NULL;
    for (int s = 0; s < self->n_step; s++)
        if (self->step[s].point == point) last = &self->step[s];
    return last;
}

int hf_optimisation_n_failed(const struct hf_optimisation *self)
{
    int n = 0;
    for (int p = 0; p < self->n_point; p++) {
        const struct hf_optimisation_step *last = hf_optimisation_last_of(self, p);
        n += last == NULL || !last->step.converged;
    }
    return n;
}

const double (*hf_optimisation_last_found(const struct hf_optimisation *self))[3]
{
    for (int s = self->n_step - 1; s >= 0; s--)
        if (self->step[s].step.converged) return (const double(*)[3])self->step[s].x;
    return NULL;
}

int hf_optimisation_n_packed(const struct hf_optimisation *self)
{
    return N_NUMBER + 3 * self->n_atom;
}

bool hf_optimisation_packed_converged(const double *step)
{
    return step[CONVERGED] != 0.0;
}

void hf_optimisation_pack(const struct hf_optimisation *self, double *to)
{
    for (int s = 0; s < self->n_step; s++) {
        const struct hf_optimisation_step *it = &self->step[s];
        const struct hf_optimise_step *t = &it->step;
        const double number[N_NUMBER] = {
            t->energy,           t->change,           t->max_force,
            t->rms_force,        t->max_displacement, t->rms_displacement,
            (double)it->n_build, (double)it->point,   t->converged};
        memcpy(to, number, sizeof number);
        memcpy(to + N_NUMBER, it->x, 3 * (size_t)self->n_atom * sizeof *to);
        to += hf_optimisation_n_packed(self);
    }
}

hf_status hf_optimisation_unpack(struct hf_optimisation *self, int n, const double *from,
                                 struct hf_error *error)
{
    for (int s = 0; s < n; s++) {
        const double *number = from + (size_t)s * (size_t)hf_optimisation_n_packed(self);
        HF_CHECK(hf_optimisation_add(self, error));
        struct hf_optimisation_step *it = &self->step[s];
        it->step = (struct hf_optimise_step){.energy = number[0],
                                             .change = number[1],
                                             .max_force = number[2],
                                             .rms_force = number[3],
                                             .max_displacement = number[4],
                                             .rms_displacement = number[5],
                                             .n_negative = -1,
                                             .converged = number[CONVERGED] != 0.0,
                                             .held = true,
                                             .note = ""};
        it->n_build = (int)fmax(0.0, fmin(number[6], 1e9)); /* whatever the file says */
        it->point = (int)fmax(0.0, fmin(number[7], self->n_point - 1));
        memcpy(it->x, number + N_NUMBER, 3 * (size_t)self->n_atom * sizeof *number);
    }
    return HF_OK;
}
