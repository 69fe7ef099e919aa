/* Where the atoms of a calculation are, the shell pairs there, and the move to the structure of an optimisation. */
#include "calculation_private.h"

#include "hamiltonian/hamiltonian.h"
#include "hf/interruption.h"
#include "optimise/optimisation.h"
#include "pairs/common_pairs.h"
#include "surface/surface.h"

#include <string.h>

hf_status hf_calculation_make_pairs(struct hf_calculation *calculation, struct hf_error *error)
{
    HF_CHECK(hf_common_pairs_create(calculation->context, calculation->basis,
                                    hf_quantities_pair_accuracy(calculation, 0),
                                    &calculation->pairs, error));
    calculation->settings.pairs = calculation->source.pairs = calculation->pairs;
    return HF_OK;
}

hf_status hf_calculation_move(struct hf_calculation *calculation, const double (*x)[3],
                              struct hf_error *error)
{
    struct hf_molecule *molecule = &calculation->input.molecule;
    struct hf_basis *basis = NULL;
    hf_common_pairs_destroy(&calculation->pairs);
    for (int i = 0; i < molecule->n_atom; i++)
        memcpy(molecule->atom[i].position_bohr, x[i], sizeof *x);
    HF_CHECK(hf_agree(calculation->context->comm,
                      hf_basis_move(calculation->basis, molecule, &basis, error), error));
    hf_basis_destroy(&calculation->basis);
    calculation->basis = basis;
    calculation->source.basis = calculation->description.basis = basis;
    calculation->settings.pairs = calculation->source.pairs = NULL;
    return HF_OK;
}

/** The calculation at the structure that was found, from the last orbitals. Collective. */
static hf_status solve_there(struct hf_calculation *calculation, struct hf_search *search,
                             struct hf_scf_result *result, struct hf_wavefunction *wavefunction,
                             struct hf_error *error)
{
    const struct hf_run_description *run = &calculation->description;
    const double(*x)[3] = (const double(*)[3])search->x;
    struct hf_scf_settings settings = calculation->settings;
    const struct hf_scf_observer observer = hf_record_observer(calculation->record);
    HF_CHECK(hf_calculation_move(calculation, x, error));
    HF_CHECK(hf_calculation_make_pairs(calculation, error));
    calculation->description.nuclear_repulsion =
        hf_nuclear_energy_of(calculation->context, run->molecule, &hf_term_nuclei);
    settings.pairs = calculation->pairs;
    settings.restart = NULL;
    settings.guess_mix = false;
    settings.keeper = search->base != NULL ? &search->keeper : NULL;
    HF_CHECK(hf_surface_orbitals(search->surface, x, &settings.orbitals, error));
    calculation->record->n_iteration = 0; /* those of the structure alone are results */
    return hf_scf_run(calculation->context, run->molecule, run->basis, &settings, &observer, result,
                      wavefunction, error);
}

hf_status hf_calculation_optimise(struct hf_calculation *calculation, struct hf_scf_result *result,
                                  struct hf_wavefunction *wavefunction, struct hf_error *error)
{
    hf_status status;
    struct hf_search search;
    struct hf_quantity *quantity = calculation->quantity, *end = quantity + calculation->n_quantity;
    struct hf_report *report = calculation->source.report;
    while (quantity < end && quantity->ops != calculation->search) quantity++;
    if (quantity == end || !result->converged) return HF_OK;
    calculation->computing = "the structure";
    HF_TRY(hf_search_init(&search, quantity, error));
    hf_wavefunction_done(wavefunction);
    hf_report_begin(report, "Optimisation");
    HF_TRY(hf_search_run(&search, &calculation->structure_found, error));
    hf_interruption_count(calculation->context->interruption, NULL, 0, 0);
    hf_report_begin(report, ""); /* a Fock build */
    HF_TRY(solve_there(calculation, &search, result, wavefunction, error));
    quantity->made = true;
    hf_optimisation_tell(quantity);
cleanup:
    hf_search_done(&search);
    return status;
}
