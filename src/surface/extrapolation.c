/* Orbitals of a molecule whose atoms move, from those at the last points. The new place R of the atoms is nearly
 *
 *     R = sum_i c_i R_i          sum_i c_i = 1          (least squares, small c)
 *
 * and occupied orbitals are taken to change as the places do. Those of every point are turned among themselves to be
 * nearest to those C_1 of the last point, by projection, as a solution does not say which of its orbitals is which:
 *
 *     C = sum_i c_i C_i (C_i^T S_i C_1)
 *
 * Who starts from them makes them orthonormal in the new overlap.
 *
 * Source: the projection VandeVondele et al., Comput. Phys. Commun. 167, 103 (2005), after Kolafa, J. Comput. Chem. 25,
 * 335 (2004); coefficients from geometries Polack, Mikhalev, Dusson, Stamm, Lipparini, Mol. Phys. 118, e1779834
 * (2020). */
#include "surface/extrapolation.h"

#include "base/arena.h"
#include "linalg/new_matrix.h"

#include <stdlib.h>
#include <string.h>

/** bohr^2: what a coefficient of 1 is worth in the fit. Less amplifies what SCFs left of errors. */
static const double PENALTY = 1e-6;

hf_status hf_extrapolation_init(struct hf_extrapolation *self, struct hf_context *context,
                                int n_function, bool spread, struct hf_error *error)
{
    self->context = context;
    return spread ? hf_linalg_create_spread(context, n_function, &self->linalg, error)
                  : hf_linalg_create(context, n_function, &self->linalg, error);
}

static void forget(struct hf_surface_past *past)
{
    free(past->position);
    for (int k = 0; k < HF_MAX_SPIN; k++)
        HF_DESTROY_MATRICES(&past->conjugate[k], &past->orbitals[k]);
    *past = (struct hf_surface_past){0};
}

void hf_extrapolation_forget(struct hf_extrapolation *self)
{
    while (self->n_point > 0) forget(&self->past[--self->n_point]);
    for (int k = 0; k < HF_MAX_SPIN; k++) hf_matrix_destroy(&self->estimate[k]);
}

void hf_extrapolation_done(struct hf_extrapolation *self)
{
    hf_extrapolation_forget(self);
    hf_linalg_destroy(&self->linalg);
}

/** Copies the occupied orbitals of a spin, and S times them. */
static hf_status take(struct hf_extrapolation *self, int spin,
                      const struct hf_wavefunction *wavefunction, const struct hf_matrix *overlap,
                      struct hf_surface_past *past, struct hf_error *error)
{
    hf_status status;
    const struct hf_orbitals *from = &wavefunction->spin[spin];
    const int n = hf_matrix_n_row(overlap), o = from->n_occupied;
    struct hf_matrix *all = NULL;
    self->n_occupied[spin] = o;
    if (o == 0) return HF_OK;
    HF_TRY(hf_matrix_create(self->linalg, "orbitals of a point", n, from->n_orbital, &all, error));
    hf_matrix_copy(from->coefficient, all); /* to this grid */
    HF_TRY(hf_matrix_create_columns("orbitals of a point", all, 0, o, NULL, &past->orbitals[spin],
                                    error));
    HF_TRY(hf_matrix_create_product("orbitals of a point", false, overlap, false,
                                    past->orbitals[spin], &past->conjugate[spin], error));
cleanup:
    hf_matrix_destroy(&all);
    return status;
}

/** Makes past with room for places of atoms. Collective over `context`. */
static hf_status begin_point(struct hf_extrapolation *self, struct hf_context *context, int n_atom,
                             int n_spin, struct hf_surface_past *past, struct hf_error *error)
{
    hf_status status = HF_OK;
    *past =
        (struct hf_surface_past){.position = malloc(3 * (size_t)n_atom * sizeof *past->position)};
    self->n_atom = n_atom;
    self->n_spin = n_spin;
    if (past->position == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for places of atoms");
    return hf_agree(context->comm, status, error);
}

/** Puts *past before the others, of which the oldest one gives way. */
static void end_point(struct hf_extrapolation *self, struct hf_surface_past *past)
{
    if (self->n_point == HF_SURFACE_POINTS) forget(&self->past[--self->n_point]);
    memmove(self->past + 1, self->past, (size_t)self->n_point * sizeof *past);
    self->past[0] = *past;
    self->n_point++;
    *past = (struct hf_surface_past){0};
}

hf_status hf_extrapolation_add(struct hf_extrapolation *self,
                               const struct hf_wavefunction *wavefunction, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_molecule *molecule = wavefunction->molecule;
    const int n = wavefunction->basis->n_function;
    struct hf_matrix *overlap = NULL;
    struct hf_surface_past past = {0};
    HF_TRY(begin_point(self, self->context, molecule->n_atom, wavefunction->n_spin, &past, error));
    for (int i = 0; i < molecule->n_atom; i++)
        memcpy(past.position + 3 * i, molecule->atom[i].position_bohr,
               sizeof molecule->atom[i].position_bohr);
    HF_TRY(hf_matrix_create(self->linalg, "overlap", n, n, &overlap, error));
    hf_matrix_copy(wavefunction->overlap, overlap);
    for (int k = 0; k < self->n_spin; k++)
        HF_TRY(take(self, k, wavefunction, overlap, &past, error));
    end_point(self, &past);
cleanup:
    hf_matrix_destroy(&overlap);
    forget(&past);
    return status;
}

/** *to, on the grid of self, = from, whose ranks include all of these. Each rank has the whole for a moment. */
static hf_status copy_from_whole(struct hf_extrapolation *self,
                                 const struct hf_extrapolation *whole, const struct hf_matrix *from,
                                 struct hf_matrix **to, struct hf_error *error)
{
    hf_status status;
    struct hf_arena arena = {.memory = self->context->memory, .label = "orbitals of a point"};
    const int n = hf_matrix_n_row(from), o = hf_matrix_n_col(from);
    double *full = HF_TAKE(&arena, full, (size_t)n * (size_t)o);
    HF_TRY(hf_agree(whole->context->comm, hf_arena_check(&arena, error), error));
    hf_matrix_gather_full(from, full);
    status = hf_matrix_create(self->linalg, "orbitals of a point", n, o, to, error);
    HF_TRY(hf_agree(whole->context->comm, status, error));
    hf_matrix_set_full(*to, full);
cleanup:
    hf_arena_done(&arena);
    return status;
}

hf_status hf_extrapolation_add_last(struct hf_extrapolation *self,
                                    const struct hf_extrapolation *from, struct hf_error *error)
{
    hf_status status;
    const struct hf_surface_past *last = &from->past[0];
    struct hf_surface_past past = {0};
    if (from->n_point == 0) return HF_OK;
    HF_TRY(begin_point(self, from->context, from->n_atom, from->n_spin, &past, error));
    memcpy(past.position, last->position, 3 * (size_t)self->n_atom * sizeof *past.position);
    for (int k = 0; k < self->n_spin; k++) {
        self->n_occupied[k] = from->n_occupied[k];
        if (from->n_occupied[k] == 0) continue;
        HF_TRY(copy_from_whole(self, from, last->orbitals[k], &past.orbitals[k], error));
        HF_TRY(copy_from_whole(self, from, last->conjugate[k], &past.conjugate[k], error));
    }
    end_point(self, &past);
cleanup:
    forget(&past);
    return status;
}

/** Scalar product of the ways from the last point to points i and j; `to` is point 0. */
static double product(const struct hf_extrapolation *self, const double *to, int i, int j)
{
    double sum = 0.0;
    const double *from = self->past[0].position;
    const double *a = i > 0 ? self->past[i].position : to, *b = j > 0 ? self->past[j].position : to;
    for (int x = 0; x < 3 * self->n_atom; x++) sum += (a[x] - from[x]) * (b[x] - from[x]);
    return sum;
}

/** The coefficients [n_point], the same bits on every rank. */
static hf_status fit(const struct hf_extrapolation *self, const double *position,
                     double coefficient[], struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n = self->n_point - 1;
    double square[HF_SURFACE_POINTS * HF_SURFACE_POINTS], right[HF_SURFACE_POINTS];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            square[i * n + j] = product(self, position, i + 1, j + 1) + (i == j ? PENALTY : 0.0);
        right[i] = product(self, position, i + 1, 0);
    }
    if (n > 0) status = hf_solve_symmetric(n, square, right, error);
    coefficient[0] = 1.0;
    for (int i = 0; i < n && status == HF_OK; i++) {
        coefficient[i + 1] = right[i];
        coefficient[0] -= right[i];
    }
    status = hf_agree(self->context->comm, status, error);
    hf_broadcast_bytes(self->context->comm, 0, (size_t)(n + 1) * sizeof *coefficient, coefficient);
    return status;
}

/** The orbitals of a spin. */
static hf_status combine(struct hf_extrapolation *self, int spin, const double coefficient[],
                         struct hf_error *error)
{
    const int o = self->n_occupied[spin];
    const struct hf_matrix *last = self->past[0].orbitals[spin];
    struct hf_matrix *turn = NULL, **estimate = &self->estimate[spin];
    if (o == 0) return HF_OK;
    if (*estimate == NULL)
        HF_CHECK(hf_matrix_create_like("extrapolated orbitals", last, estimate, error));
    hf_matrix_add(coefficient[0], last, 0.0, *estimate);
    HF_CHECK(hf_matrix_create(self->linalg, "orbitals of a point", o, o, &turn, error));
    for (int i = 1; i < self->n_point; i++) {
        hf_matrix_multiply(1.0, true, self->past[i].conjugate[spin], false, last, 0.0, turn);
        hf_matrix_multiply(coefficient[i], false, self->past[i].orbitals[spin], false, turn, 1.0,
                           *estimate);
    }
    hf_matrix_destroy(&turn);
    return HF_OK;
}

hf_status hf_extrapolation_estimate(struct hf_extrapolation *self, const double *position,
                                    struct hf_error *error)
{
    double coefficient[HF_SURFACE_POINTS];
    HF_CHECK(fit(self, position, coefficient, error));
    for (int k = 0; k < self->n_spin; k++) HF_CHECK(combine(self, k, coefficient, error));
    return HF_OK;
}
