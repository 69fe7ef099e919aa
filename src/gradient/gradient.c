/* The analytic gradient: sum of its parts. */
#include "gradient/gradient.h"

#include "fock/fock.h"
#include "gradient/two_electron_gradient.h"
#include "hamiltonian/hamiltonian.h"
#include "orbitals/orbitals.h"

const struct hf_phase hf_phase_gradient_one_electron = {"Gradient: one electron"};

/** hartree/bohr: quartets and pairs of products whose estimates are below it, or a share of it, are left out. */
static const double THRESHOLD = 1e-10;

hf_status hf_gradient_create(const struct hf_molecule *molecule, struct hf_gradient *gradient,
                             struct hf_error *error)
{
    gradient->n_atom = molecule->n_atom;
    gradient->n_charge = molecule->environment.n_charge;
    gradient->arena.label = "a gradient";
    HF_TAKE(&gradient->arena, gradient->atom, (size_t)gradient->n_atom);
    HF_TAKE(&gradient->arena, gradient->charge, (size_t)gradient->n_charge);
    return hf_arena_check(&gradient->arena, error);
}

void hf_gradient_done(struct hf_gradient *gradient)
{
    hf_arena_done(&gradient->arena);
    *gradient = (struct hf_gradient){0};
}

/** Adds the two-electron part of densities [n_density], or of the first minus the second. Collective. */
static hf_status add_two_electron(struct hf_context *context,
                                  const struct hf_scf_settings *settings,
                                  struct hf_common_pairs *pairs, int n_density, bool difference,
                                  const struct hf_matrix *const density[],
                                  struct hf_gradient *gradient, struct hf_error *error)
{
    const struct hf_fock_settings *fock = &settings->fock;
    const struct hf_shell_pairs *list = NULL;
    const struct hf_two_electron_gradient_settings two_electron = {
        .schedule = fock->schedule,
        .tasks_for = fock->tasks_for,
        .n_thread = context->n_thread,
        .distributed = hf_fock_is_distributed(fock->builder),
        .coulomb = fock->reproducible ? HF_COULOMB_EXACT : fock->coulomb,
        .single = fock->precision == HF_MIXED_PRECISION,
        .onesided = fock->onesided,
        .difference = difference,
        .threshold = THRESHOLD,
    };
    HF_CHECK(hf_common_pairs_get(pairs, hf_scf_pair_accuracy(settings, 1.0), context->n_thread,
                                 &list, error));
    return hf_two_electron_gradient(list, &two_electron, n_density, density, gradient->n_atom,
                                    gradient->atom, error);
}

/** Adds everything but the two-electron part. Collective. */
static hf_status add_one_electron(struct hf_context *context,
                                  const struct hf_wavefunction *wavefunction,
                                  struct hf_gradient *gradient, struct hf_error *error)
{
    hf_timer_start(&context->timers, &hf_phase_gradient_one_electron);
    const hf_status status = hf_hamiltonian_gradient(
        context, wavefunction->basis, wavefunction->molecule, wavefunction->density,
        wavefunction->weighted_density, gradient->atom, gradient->charge, error);
    hf_timer_stop(&context->timers, &hf_phase_gradient_one_electron);
    return status;
}

hf_status hf_gradient_compute(struct hf_context *context,
                              const struct hf_wavefunction *wavefunction,
                              const struct hf_scf_settings *settings, struct hf_common_pairs *pairs,
                              struct hf_gradient *gradient, struct hf_error *error)
{
    const struct hf_matrix *const density[] = {wavefunction->density, wavefunction->spin_density};
    HF_CHECK(add_one_electron(context, wavefunction, gradient, error));
    return add_two_electron(context, settings, pairs, density[1] != NULL ? 2 : 1, false, density,
                            gradient, error);
}

/** Adds E2'[D + P] - E2'[P] of open shells, in two rounds. Collective. */
static hf_status add_open_shells(struct hf_context *context, const struct hf_scf_settings *settings,
                                 struct hf_common_pairs *pairs,
                                 const struct hf_relaxed_density *relaxed,
                                 struct hf_gradient *gradient, struct hf_error *error)
{
    hf_status status;
    const struct hf_wavefunction *sum = &relaxed->wavefunction;
    struct hf_gradient second = {0};
    HF_TRY(hf_agree(context->comm, hf_gradient_create(sum->molecule, &second, error), error));
    HF_TRY(add_two_electron(context, settings, pairs, 2, false,
                            (const struct hf_matrix *const[]){sum->density, sum->spin_density},
                            gradient, error));
    HF_TRY(add_two_electron(context, settings, pairs, 2, false,
                            (const struct hf_matrix *const[]){relaxed->total, relaxed->spin},
                            &second, error));
    for (int i = 0; i < gradient->n_atom; i++)
        for (int x = 0; x < 3; x++) gradient->atom[i][x] -= second.atom[i][x];
cleanup:
    hf_gradient_done(&second);
    return status;
}

hf_status hf_gradient_compute_mp2(struct hf_context *context,
                                  const struct hf_scf_settings *settings,
                                  struct hf_common_pairs *pairs,
                                  const struct hf_mp2_derivatives *derivatives,
                                  const struct hf_relaxed_density *relaxed,
                                  struct hf_gradient *gradient, struct hf_error *error)
{
    const struct hf_wavefunction *sum = &relaxed->wavefunction;
    HF_CHECK(add_one_electron(context, sum, gradient, error));
    if (relaxed->spin != NULL)
        HF_CHECK(add_open_shells(context, settings, pairs, relaxed, gradient, error));
    else
        HF_CHECK(add_two_electron(context, settings, pairs, 2, true,
                                  (const struct hf_matrix *const[]){sum->density, relaxed->total},
                                  gradient, error));
    for (int i = 0; i < gradient->n_atom; i++)
        for (int x = 0; x < 3; x++) gradient->atom[i][x] += derivatives->slope[i][x];
    return HF_OK;
}
