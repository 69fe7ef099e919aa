/* Points of an energy surface: an SCF and a gradient each.
 *
 * The orbitals of a point are estimated from those of the last points. The new place R of the atoms is nearly
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
#include "surface/surface.h"

#include "base/arena.h"
#include "fock/fock.h"
#include "gradient/gradient.h"
#include "linalg/new_matrix.h"
#include "molecule/places.h"
#include "pairs/common_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Of a tolerance of the commutator: an energy need not be better. */
static const double ENERGY_PART = 0.01;

/** Initialise with = {0}. */
struct extrapolation {
    struct hf_context *context; /**< borrowed */
    struct hf_linalg *linalg;   /**< made like that of the calculations */
    int n_atom, n_spin, n_point;
    int n_occupied[HF_MAX_SPIN];
    struct past {
        double *position;                         /**< [n_atom][3] bohr */
        struct hf_matrix *orbitals[HF_MAX_SPIN];  /**< C [n][o]; NULL: none is occupied */
        struct hf_matrix *conjugate[HF_MAX_SPIN]; /**< S C */
    } past[HF_SURFACE_POINTS];                    /**< the last one first */
    struct hf_matrix *estimate[HF_MAX_SPIN];
};

struct hf_surface {
    struct hf_context *context;      /**< borrowed */
    struct hf_molecule molecule;     /**< `atom` owned, the rest borrowed */
    struct hf_basis *basis;          /**< where the atoms are now */
    struct hf_common_pairs *pairs;   /**< of it */
    struct hf_scf_settings settings; /**< of an SCF from the guess */
    double energy_tolerance;         /**< of the calculation */
    struct extrapolation past;
    struct hf_scf_orbitals orbitals;
    struct hf_arena arena; /**< has the atoms and this struct */
};

/* ---- Estimates of orbitals ------------------------------------------------------------------- */

/** bohr^2: what a coefficient of 1 is worth in the fit. Less amplifies what SCFs left of errors. */
static const double PENALTY = 1e-6;

/** Spread: over all ranks, however small the matrices. Collective. HF_NO_RESOURCE. */
static hf_status extrapolation_init(struct extrapolation *self, struct hf_context *context,
                                    int n_function, bool spread, struct hf_error *error)
{
    self->context = context;
    return spread ? hf_linalg_create_spread(context, n_function, &self->linalg, error)
                  : hf_linalg_create(context, n_function, &self->linalg, error);
}

static void forget(struct past *past)
{
    free(past->position);
    for (int k = 0; k < HF_MAX_SPIN; k++)
        HF_DESTROY_MATRICES(&past->conjugate[k], &past->orbitals[k]);
    *past = (struct past){0};
}

/** Forgets all points. Not collective. */
static void forget_all(struct extrapolation *self)
{
    while (self->n_point > 0) forget(&self->past[--self->n_point]);
    for (int k = 0; k < HF_MAX_SPIN; k++) hf_matrix_destroy(&self->estimate[k]);
}

/** Accepts a half-made one. Collective. */
static void extrapolation_done(struct extrapolation *self)
{
    forget_all(self);
    hf_linalg_destroy(&self->linalg);
}

/** Copies the occupied orbitals of a spin, and S times them. */
static hf_status take(struct extrapolation *self, int spin,
                      const struct hf_wavefunction *wavefunction, const struct hf_matrix *overlap,
                      struct past *past, struct hf_error *error)
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
static hf_status begin_point(struct extrapolation *self, struct hf_context *context, int n_atom,
                             int n_spin, struct past *past, struct hf_error *error)
{
    hf_status status = HF_OK;
    *past = (struct past){.position = malloc(3 * (size_t)n_atom * sizeof *past->position)};
    self->n_atom = n_atom;
    self->n_spin = n_spin;
    if (past->position == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for places of atoms");
    return hf_agree(context->comm, status, error);
}

/** Puts *past before the others, of which the oldest one gives way. */
static void end_point(struct extrapolation *self, struct past *past)
{
    if (self->n_point == HF_SURFACE_POINTS) forget(&self->past[--self->n_point]);
    memmove(self->past + 1, self->past, (size_t)self->n_point * sizeof *past);
    self->past[0] = *past;
    self->n_point++;
    *past = (struct past){0};
}

/** Adds the point of a wave function, where its molecule is; the oldest one gives way. It has orbitals. Collective.
 *  HF_NO_RESOURCE. */
static hf_status remember(struct extrapolation *self, const struct hf_wavefunction *wavefunction,
                          struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_molecule *molecule = wavefunction->molecule;
    const int n = wavefunction->basis->n_function;
    struct hf_matrix *overlap = NULL;
    struct past past = {0};
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
static hf_status copy_from_whole(struct extrapolation *self, const struct extrapolation *whole,
                                 const struct hf_matrix *from, struct hf_matrix **to,
                                 struct hf_error *error)
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

/** Adds the last point of another one of the same functions, whose ranks include all of these; nothing if it has none.
 *  Collective over the ranks of `from`. HF_NO_RESOURCE. */
static hf_status remember_last(struct extrapolation *self, const struct extrapolation *from,
                               struct hf_error *error)
{
    hf_status status;
    const struct past *last = &from->past[0];
    struct past past = {0};
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
static double product(const struct extrapolation *self, const double *to, int i, int j)
{
    double sum = 0.0;
    const double *from = self->past[0].position;
    const double *a = i > 0 ? self->past[i].position : to, *b = j > 0 ? self->past[j].position : to;
    for (int x = 0; x < 3 * self->n_atom; x++) sum += (a[x] - from[x]) * (b[x] - from[x]);
    return sum;
}

/** The coefficients [n_point], the same bits on every rank. */
static hf_status fit(const struct extrapolation *self, const double *position, double coefficient[],
                     struct hf_error *error)
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
static hf_status combine(struct extrapolation *self, int spin, const double coefficient[],
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

/** Sets `estimate` for atoms at `position`; there is a point. Not orthonormal. Collective. HF_NO_RESOURCE. */
static hf_status estimate_orbitals(struct extrapolation *self, const double *position,
                                   struct hf_error *error)
{
    double coefficient[HF_SURFACE_POINTS];
    HF_CHECK(fit(self, position, coefficient, error));
    for (int k = 0; k < self->n_spin; k++) HF_CHECK(combine(self, k, coefficient, error));
    return HF_OK;
}

/* ---- The surface ----------------------------------------------------------------------------- */

/** Nothing that is kept, gone on from, or looked at again. */
static void settle(struct hf_surface *surface, const struct hf_scf_settings *settings)
{
    surface->settings = *settings;
    surface->energy_tolerance = settings->energy_tolerance;
    surface->settings.keeper = NULL;
    surface->settings.restart = NULL;
    surface->settings.orbitals = NULL;
    surface->settings.pairs = NULL;
    surface->settings.stability = HF_STABILITY_NONE;
    surface->settings.wavefunction = HF_WAVEFUNCTION_ALL;
    surface->settings.weighted_density = true;
    surface->settings.responding = NULL;
}

/** What is copied of the calculation. Not collective. */
static hf_status copy(const struct hf_quantity_source *of, struct hf_surface **made,
                      struct hf_error *error)
{
    const size_t n = (size_t)of->molecule->n_atom;
    struct hf_arena arena = {.label = "a surface"};
    struct hf_surface *surface = HF_TAKE(&arena, surface, 1);
    struct hf_atom *atom = HF_TAKE(&arena, atom, n);
    const hf_status status = hf_arena_check(&arena, error);
    if (status != HF_OK) {
        hf_arena_done(&arena);
        return status;
    }
    *made = surface;
    surface->arena = arena;
    surface->context = of->context;
    settle(surface, of->settings);
    surface->molecule = *of->molecule;
    surface->molecule.atom = memcpy(atom, of->molecule->atom, n * sizeof *atom);
    return hf_basis_move(of->basis, &surface->molecule, &surface->basis, error);
}

hf_status hf_surface_create(const struct hf_quantity_source *of, struct hf_surface **surface,
                            struct hf_error *error)
{
    hf_status status;
    struct hf_surface *made = *surface = NULL;
    HF_TRY(hf_agree(of->context->comm, copy(of, &made, error), error));
    HF_TRY(extrapolation_init(&made->past, of->context, of->basis->n_function,
                              hf_fock_is_distributed(of->settings->fock.builder), error));
    if (of->result->converged && of->wavefunction->spin[0].coefficient != NULL)
        HF_TRY(remember(&made->past, of->wavefunction, error));
    *surface = made;
    return HF_OK;
cleanup:
    hf_surface_destroy(&made);
    return status;
}

void hf_surface_set_tolerance(struct hf_surface *surface, double commutator)
{
    surface->settings.commutator_tolerance = commutator;
    surface->settings.energy_tolerance = fmax(surface->energy_tolerance, ENERGY_PART * commutator);
}

hf_status hf_surface_start_from(struct hf_surface *surface, const struct hf_surface *from,
                                struct hf_error *error)
{
    return remember_last(&surface->past, &from->past, error);
}

void hf_surface_set_keeper(struct hf_surface *surface, const struct hf_scf_keeper *keeper)
{
    surface->settings.keeper = keeper;
}

void hf_surface_destroy(struct hf_surface **surface)
{
    struct hf_surface *self = *surface;
    if (self == NULL) return;
    hf_common_pairs_destroy(&self->pairs);
    extrapolation_done(&self->past);
    hf_basis_destroy(&self->basis);
    struct hf_arena arena = self->arena;
    hf_arena_done(&arena);
    *surface = NULL;
}

/** Atoms, basis and pairs to other places. Collective. */
static hf_status move(struct hf_surface *surface, const double (*position_bohr)[3],
                      struct hf_error *error)
{
    hf_status status;
    struct hf_basis *moved = NULL;
    const double accuracy = hf_scf_pair_accuracy(&surface->settings, 1.0);
    hf_common_pairs_destroy(&surface->pairs);
    for (int i = 0; i < surface->molecule.n_atom; i++)
        memcpy(surface->molecule.atom[i].position_bohr, position_bohr[i], sizeof *position_bohr);
    status = hf_check_places(&surface->molecule, error);
    if (status == HF_OK) status = hf_basis_move(surface->basis, &surface->molecule, &moved, error);
    HF_TRY(hf_agree(surface->context->comm, status, error));
    hf_basis_destroy(&surface->basis);
    surface->basis = moved;
    moved = NULL;
    HF_TRY(
        hf_common_pairs_create(surface->context, surface->basis, accuracy, &surface->pairs, error));
cleanup:
    hf_basis_destroy(&moved);
    return status;
}

hf_status hf_surface_orbitals(struct hf_surface *surface, const double (*position_bohr)[3],
                              const struct hf_scf_orbitals **orbitals, struct hf_error *error)
{
    const struct extrapolation *past = &surface->past;
    *orbitals = NULL;
    if (past->n_point == 0) return HF_OK;
    HF_CHECK(estimate_orbitals(&surface->past, position_bohr[0], error));
    surface->orbitals = (struct hf_scf_orbitals){
        .molecule = &surface->molecule, .basis = surface->basis, .n_spin = past->n_spin};
    for (int k = 0; k < past->n_spin; k++) {
        surface->orbitals.n_column[k] = past->n_occupied[k];
        surface->orbitals.coefficient[k] = past->estimate[k];
    }
    *orbitals = &surface->orbitals;
    return HF_OK;
}

/** An SCF from those orbitals; NULL: from the guess. Adds its builds. */
static hf_status solve(struct hf_surface *surface, const struct hf_scf_orbitals *orbitals,
                       struct hf_scf_result *result, struct hf_wavefunction *wavefunction,
                       int *n_build, struct hf_error *error)
{
    struct hf_scf_settings settings = surface->settings;
    settings.pairs = surface->pairs;
    settings.orbitals = orbitals;
    if (orbitals != NULL) settings.guess_mix = false; /* they differ between the spins already */
    const hf_status status = hf_scf_run(surface->context, &surface->molecule, surface->basis,
                                        &settings, NULL, result, wavefunction, error);
    *n_build += result->n_iteration + result->n_hessian_product;
    return status;
}

/** The solution, if need be at the second attempt. */
static hf_status find_solution(struct hf_surface *surface, const double (*position_bohr)[3],
                               struct hf_surface_point *point, struct hf_scf_result *result,
                               struct hf_wavefunction *wavefunction, struct hf_error *error)
{
    hf_status status;
    const struct hf_scf_orbitals *orbitals = NULL;
    HF_TRY(hf_surface_orbitals(surface, position_bohr, &orbitals, error));
    point->from_guess = orbitals == NULL;
    status = solve(surface, orbitals, result, wavefunction, &point->n_build, error);
    const bool again = status == HF_BAD_INPUT || (status == HF_OK && !result->converged);
    if (orbitals == NULL || !again) return status; /* the same on every rank */
    hf_wavefunction_done(wavefunction);
    forget_all(&surface->past);
    point->from_guess = true;
    status = solve(surface, NULL, result, wavefunction, &point->n_build, error);
cleanup:
    return status;
}

static hf_status differentiate(struct hf_surface *surface,
                               const struct hf_wavefunction *wavefunction,
                               struct hf_surface_point *point, struct hf_error *error)
{
    hf_status status;
    struct hf_gradient gradient = {0};
    HF_TRY(hf_agree(surface->context->comm,
                    hf_gradient_create(&surface->molecule, &gradient, error), error));
    HF_TRY(hf_gradient_compute(surface->context, wavefunction, &surface->settings, surface->pairs,
                               &gradient, error));
    memcpy(point->gradient, gradient.atom, (size_t)gradient.n_atom * sizeof *gradient.atom);
cleanup:
    hf_gradient_done(&gradient);
    return status;
}

hf_status hf_surface_compute(struct hf_surface *surface, const double (*position_bohr)[3],
                             struct hf_surface_point *point, struct hf_error *error)
{
    hf_status status;
    struct hf_scf_result result = {0};
    struct hf_wavefunction wavefunction = {0};
    point->n_build = 0;
    point->converged = false;
    HF_TRY(move(surface, position_bohr, error));
    HF_TRY(find_solution(surface, position_bohr, point, &result, &wavefunction, error));
    point->energy = result.energy + result.smearing_entropy_term;
    memcpy(point->dipole, result.dipole, sizeof point->dipole);
    point->converged = result.converged;
    point->n_removed = result.n_removed;
    if (!result.converged) goto cleanup;
    HF_TRY(remember(&surface->past, &wavefunction, error));
    if (point->gradient != NULL) HF_TRY(differentiate(surface, &wavefunction, point, error));
cleanup:
    hf_wavefunction_done(&wavefunction);
    hf_common_pairs_drop(surface->pairs);
    return status;
}
