/* The analytic gradient: sum of its parts. */
#include "hf/gradient.h"

#include "hf/coulomb_gradient.h"
#include "hf/fock.h"
#include "hf/hamiltonian.h"
#include "hf/two_electron_gradient.h"

#include <stdlib.h>

const struct hf_phase hf_phase_gradient_one_electron = {"Gradient: one electron"};

/** hartree/bohr: quartets and pairs of products whose estimates are below it, or a share of it, are left out. */
static const double THRESHOLD = 1e-10;

hf_status hf_gradient_create(const struct hf_molecule *molecule, struct hf_gradient *gradient,
                             struct hf_error *error)
{
    gradient->n_atom = molecule->n_atom;
    gradient->n_charge = molecule->environment.n_charge;
    gradient->atom = calloc((size_t)gradient->n_atom + 1, sizeof *gradient->atom);
    gradient->charge = calloc((size_t)gradient->n_charge + 1, sizeof *gradient->charge);
    if (gradient->atom != NULL && gradient->charge != NULL) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for a gradient of %d atoms",
                   gradient->n_atom);
}

void hf_gradient_done(struct hf_gradient *gradient)
{
    free(gradient->atom);
    free(gradient->charge);
    *gradient = (struct hf_gradient){0};
}

/** Adds the two-electron part: the Coulomb part by the pass if the SCF computes J so. Collective. */
static hf_status add_two_electron(const struct hf_shell_pairs *pairs,
                                  const struct hf_wavefunction *wavefunction,
                                  const struct hf_fock_settings *fock, struct hf_gradient *gradient,
                                  struct hf_error *error)
{
    const int n_thread = pairs->context->n_thread;
    const struct hf_matrix *const density[] = {wavefunction->density, wavefunction->spin_density};
    double share;
    const enum hf_coulomb_choice choice = hf_fock_choose_coulomb(fock, pairs, &share);
    const struct hf_coulomb_settings coulomb = {
        .schedule = fock->schedule,
        .n_thread = n_thread,
        .single = fock->precision == HF_MIXED_PRECISION,
        .multipoles = choice == HF_COULOMB_MULTIPOLES,
    };
    const struct hf_two_electron_gradient_settings quartets = {
        .schedule = fock->schedule,
        .n_thread = n_thread,
        .distributed = hf_fock_is_distributed(fock->builder),
        .exchange_alone = choice != HF_COULOMB_EXACT,
        .onesided = fock->onesided,
        .threshold = THRESHOLD,
    };
    hf_status status = HF_OK;
    if (quartets.exchange_alone)
        HF_TRY(hf_coulomb_gradient(pairs, &coulomb, THRESHOLD, density[0], gradient->n_atom,
                                   gradient->atom, error));
    HF_TRY(hf_two_electron_gradient(pairs, &quartets, density[1] != NULL ? 2 : 1, density,
                                    gradient->n_atom, gradient->atom, error));
cleanup:
    return status;
}

hf_status hf_gradient_compute(struct hf_context *context,
                              const struct hf_wavefunction *wavefunction,
                              const struct hf_scf_settings *settings, struct hf_common_pairs *pairs,
                              struct hf_gradient *gradient, struct hf_error *error)
{
    const struct hf_shell_pairs *list = NULL;
    hf_timer_start(&context->timers, &hf_phase_gradient_one_electron);
    hf_status status = hf_hamiltonian_gradient(
        context, wavefunction->basis, wavefunction->molecule, wavefunction->density,
        wavefunction->weighted_density, gradient->atom, gradient->charge, error);
    hf_timer_stop(&context->timers, &hf_phase_gradient_one_electron);
    if (status == HF_OK)
        status = hf_common_pairs_get(pairs, hf_scf_pair_accuracy(settings, 1.0), context->n_thread,
                                     &list, error);
    if (status == HF_OK)
        status = add_two_electron(list, wavefunction, &settings->fock, gradient, error);
    return status;
}
