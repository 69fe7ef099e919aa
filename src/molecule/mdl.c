/* MDL molfiles: what V2000 and V3000 have in common. */
#include "draft.h"
#include "elements.h"

#include <string.h>

/** Charges and radicals of all atoms become charge and multiplicity of the molecule, differences of
 *  mass isotopes. */
static hf_status sum_up(struct draft *draft, struct hf_error *error)
{
    int charge = 0, unpaired = 0;
    for (int i = 0; i < draft->n_atom; i++) {
        struct draft_atom *atom = &draft->atom[i];
        charge += atom->charge;
        unpaired += atom->unpaired;
        if (atom->mass_difference != 0)
            atom->mass_number = hf_weight_number(atom->atomic_number) + atom->mass_difference;
    }
    hf_status status = HF_OK;
    if (charge != 0) status = hf_draft_option_integer(draft, "charge", charge, 0, error);
    if (status == HF_OK && draft->has_radical)
        status = hf_draft_option_integer(draft, "multiplicity", unpaired + 1, 0, error);
    return status;
}

hf_status hf_read_mdl(struct draft *draft, struct hf_error *error)
{
    struct hf_text *text = draft->text;
    const struct hf_word title = hf_rest_of_line(text->line[0]);
    hf_status status = HF_OK;
    draft->always_angstrom = true;
    if (title.length > 0) status = hf_draft_option(draft, "title", title, 1, error);
    if (status != HF_OK) return status;
    status = strstr(text->line[3], "V3000") != NULL ? hf_read_mdl_v3000(draft, error)
                                                    : hf_read_mdl_v2000(draft, error);
    if (status == HF_OK) status = sum_up(draft, error);
    return status == HF_OK ? hf_check_mdl_structure(draft, error) : status;
}
