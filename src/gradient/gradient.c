/* The analytic gradient: sum of its parts. */
#include "gradient/gradient.h"

#include "fock/fock.h"
#include "gradient/two_electron_gradient.h"
#include "hamiltonian/hamiltonian.h"

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

hf_status hf_gradient_compute(struct hf_context *context,
                              const struct hf_wavefunction *wavefunction,
                              const struct hf_scf_settings *settings, struct hf_common_pairs *pairs,
                              struct hf_gradient *gradient, struct hf_error *error)
{
    const struct hf_fock_settings *fock = &settings->fock;
    const struct hf_matrix *const density[] = {wavefunction->density, wavefunction->spin_density};
    const struct hf_shell_pairs *list = NULL;
    const struct hf_two_electron_gradient_settings two_electron = {
        .schedule = fock->schedule,
        .tasks_for = fock->tasks_for,
        .n_thread = context->n_thread,
        .distributed = hf_fock_is_distributed(fock->builder),
        .coulomb = fock->reproducible ? HF_COULOMB_EXACT : fock->coulomb,
        .single = fock->precision == HF_MIXED_PRECISION,
        .onesided = fock->onesided,
        .threshold = THRESHOLD,
    };
    hf_timer_start(&context->timers, &hf_phase_gradient_one_electron);
    hf_status status = hf_hamiltonian_gradient(
        context, wavefunction->basis, wavefunction->molecule, wavefunction->density,
        wavefunction->weighted_density, gradient->atom, gradient->charge, error);
    hf_timer_stop(&context->timers, &hf_phase_gradient_one_electron);
    if (status == HF_OK)
        status = hf_common_pairs_get(pairs, hf_scf_pair_accuracy(settings, 1.0), context->n_thread,
                                     &list, error);
    if (status == HF_OK)
        status = hf_two_electron_gradient(list, &two_electron, density[1] != NULL ? 2 : 1, density,
                                          gradient->n_atom, gradient->atom, error);
    return status;
}
