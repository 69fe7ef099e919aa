/* Points of an energy surface: an SCF and a gradient each. */
#include "surface/surface.h"

#include "base/arena.h"
#include "fock/fock.h"
#include "gradient/gradient.h"
#include "hamiltonian/hamiltonian.h"
#include "molecule/places.h"
#include "pairs/common_pairs.h"
#include "surface/extrapolation.h"

#include <math.h>
#include <string.h>

/** Of a tolerance of the commutator: an energy need not be better. */
static const double ENERGY_PART = 0.01;

/** Largest tolerance of the commutator for MP2, whose energy errs by the first order of it. */
static const double MP2_TOLERANCE = 1e-7;

struct hf_surface {
    struct hf_context *context;      /**< borrowed */
    struct hf_molecule molecule;     /**< `atom` owned, the rest borrowed */
    struct hf_basis *basis;          /**< where the atoms are now */
    struct hf_common_pairs *pairs;   /**< of it */
    struct hf_scf_settings settings; /**< of an SCF from the guess */
    bool correlated;                 /**< the energy is that of MP2 */
    struct hf_mp2_settings mp2;
    struct hf_mp2_derivatives
        derivatives;         /**< factors of spins; the arrays while a point is computed */
    double energy_tolerance; /**< of the calculation */
    struct hf_extrapolation past;
    struct hf_scf_orbitals orbitals;
    struct hf_arena arena; /**< has the atoms and this struct */
};

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
    surface->correlated = of->correlation != NULL;
    if (surface->correlated) {
        surface->mp2 = *of->correlation;
        surface->derivatives = *of->correlation->derivatives;
        surface->derivatives.arena = (struct hf_arena){0};
    }
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
    HF_TRY(hf_extrapolation_init(&made->past, of->context, of->basis->n_function,
                                 hf_fock_is_distributed(of->settings->fock.builder), error));
    if (of->result->converged && of->wavefunction->spin[0].coefficient != NULL)
        HF_TRY(hf_extrapolation_add(&made->past, of->wavefunction, error));
    *surface = made;
    return HF_OK;
cleanup:
    hf_surface_destroy(&made);
    return status;
}

void hf_surface_set_tolerance(struct hf_surface *surface, double commutator)
{
    if (surface->correlated) commutator = fmin(commutator, MP2_TOLERANCE);
    surface->settings.commutator_tolerance = commutator;
    surface->settings.energy_tolerance = fmax(surface->energy_tolerance, ENERGY_PART * commutator);
}

hf_status hf_surface_start_from(struct hf_surface *surface, const struct hf_surface *from,
                                struct hf_error *error)
{
    return hf_extrapolation_add_last(&surface->past, &from->past, error);
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
    hf_extrapolation_done(&self->past);
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
    double accuracy = hf_scf_pair_accuracy(&surface->settings, 1.0);
    if (surface->correlated) accuracy = fmin(accuracy, hf_mp2_pair_accuracy(&surface->mp2));
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
    const struct hf_extrapolation *past = &surface->past;
    *orbitals = NULL;
    if (past->n_point == 0) return HF_OK;
    HF_CHECK(hf_extrapolation_estimate(&surface->past, position_bohr[0], error));
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
    hf_extrapolation_forget(&surface->past);
    point->from_guess = true;
    status = solve(surface, NULL, result, wavefunction, &point->n_build, error);
cleanup:
    return status;
}

/** The dipole moment of a density. Collective. */
static hf_status find_dipole(const struct hf_surface *surface,
                             const struct hf_wavefunction *wavefunction, double dipole[3],
                             struct hf_error *error)
{
    hf_status status;
    struct hf_hamiltonian *hamiltonian = NULL;
    HF_TRY(hf_hamiltonian_create(surface->context, wavefunction->linalg, surface->basis,
                                 &surface->molecule, &hamiltonian, error));
    HF_TRY(hf_hamiltonian_dipole(hamiltonian, wavefunction->density, dipole, error));
cleanup:
    hf_hamiltonian_destroy(&hamiltonian);
    return status;
}

/** Gradient and dipole moment of the MP2 energy. Collective. */
static hf_status differentiate_correlated(struct hf_surface *surface,
                                          const struct hf_wavefunction *wavefunction,
                                          struct hf_surface_point *point,
                                          struct hf_gradient *gradient, struct hf_error *error)
{
    hf_status status;
    struct hf_relaxed_density relaxed = {0};
    HF_TRY(hf_relax_density(surface->context, wavefunction, &surface->settings, surface->pairs,
                            &surface->derivatives, &relaxed, error));
    point->converged = relaxed.converged;
    if (!relaxed.converged) point->unconverged = HF_Z_VECTOR;
    if (!relaxed.converged) goto cleanup;
    HF_TRY(hf_gradient_compute_mp2(surface->context, &surface->settings, surface->pairs,
                                   &surface->derivatives, &relaxed, gradient, error));
    HF_TRY(find_dipole(surface, &relaxed.wavefunction, point->dipole, error));
cleanup:
    hf_relaxed_density_done(&relaxed);
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
    if (surface->correlated)
        HF_TRY(differentiate_correlated(surface, wavefunction, point, &gradient, error));
    else
        HF_TRY(hf_gradient_compute(surface->context, wavefunction, &surface->settings,
                                   surface->pairs, &gradient, error));
    memcpy(point->gradient, gradient.atom, (size_t)gradient.n_atom * sizeof *gradient.atom);
cleanup:
    hf_gradient_done(&gradient);
    return status;
}

/** Adds the correlation energy, with what its derivatives need if they are wanted. Collective. */
static hf_status correlate(struct hf_surface *surface, const struct hf_wavefunction *wavefunction,
                           struct hf_surface_point *point, struct hf_error *error)
{
    struct hf_mp2_result result;
    struct hf_mp2_settings settings = surface->mp2;
    settings.pairs = surface->pairs;
    settings.derivatives = point->gradient != NULL ? &surface->derivatives : NULL;
    HF_CHECK(hf_mp2_compute(surface->context, wavefunction, &settings, &result, error));
    point->energy += surface->derivatives.opposite * result.opposite_spin +
                     surface->derivatives.same * result.same_spin;
    return HF_OK;
}

hf_status hf_surface_compute(struct hf_surface *surface, const double (*position_bohr)[3],
                             struct hf_surface_point *point, struct hf_error *error)
{
    hf_status status;
    struct hf_scf_result result = {0};
    struct hf_wavefunction wavefunction = {0};
    point->n_build = 0;
    point->converged = false;
    point->unconverged = "the SCF";
    HF_TRY(move(surface, position_bohr, error));
    HF_TRY(find_solution(surface, position_bohr, point, &result, &wavefunction, error));
    point->energy = result.energy + result.smearing_entropy_term;
    memcpy(point->dipole, result.dipole, sizeof point->dipole);
    point->converged = result.converged;
    point->n_removed = result.n_removed;
    if (!result.converged) goto cleanup;
    point->unconverged = "";
    HF_TRY(hf_extrapolation_add(&surface->past, &wavefunction, error));
    if (surface->correlated) HF_TRY(correlate(surface, &wavefunction, point, error));
    if (point->gradient != NULL) HF_TRY(differentiate(surface, &wavefunction, point, error));
cleanup:
    hf_mp2_derivatives_done(&surface->derivatives);
    hf_wavefunction_done(&wavefunction);
    hf_common_pairs_drop(surface->pairs);
    return status;
}
