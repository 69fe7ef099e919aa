/* Where the atoms of a calculation are, and the shell pairs there. */
#include "calculation_private.h"

#include "pairs/common_pairs.h"

#include <string.h>

hf_status hf_calculation_make_pairs(struct hf_calculation *calculation, struct hf_error *error)
{
    hf_status status;
    HF_TRY(hf_common_pairs_create(calculation->context, calculation->basis,
                                  hf_quantities_pair_accuracy(calculation, 0), &calculation->pairs,
                                  error));
    calculation->settings.pairs = calculation->source.pairs = calculation->pairs;
cleanup:
    return status;
}

hf_status hf_calculation_move(struct hf_calculation *calculation, const double (*x)[3],
                              struct hf_error *error)
{
    hf_status status;
    struct hf_molecule *molecule = &calculation->input.molecule;
    struct hf_basis *basis = NULL;
    hf_common_pairs_destroy(&calculation->pairs);
    for (int i = 0; i < molecule->n_atom; i++)
        memcpy(molecule->atom[i].position_bohr, x[i], sizeof *x);
    HF_TRY(hf_agree(calculation->context->comm,
                    hf_basis_move(calculation->basis, molecule, &basis, error), error));
    hf_basis_destroy(&calculation->basis);
    calculation->basis = basis;
    calculation->source.basis = calculation->description.basis = basis;
    calculation->settings.pairs = calculation->source.pairs = NULL;
cleanup:
    return status;
}
