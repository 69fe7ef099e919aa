/* What an input says of the surroundings of its molecule: point charges and a uniform field. */
#include "draft.h"

#include <string.h>

/** The field, and a word of warning to ions. */
static hf_status finish_field(struct draft *draft, struct hf_error *error)
{
    struct hf_molecule *molecule = &draft->input->molecule;
    double *field = molecule->environment.field;
    const struct hf_option_value *given = hf_options_given(draft->options, "field");
    if (given == NULL) return HF_OK;
    hf_options_vector(draft->options, "field", field);
    if (molecule->charge == 0 || (field[0] == 0.0 && field[1] == 0.0 && field[2] == 0.0))
        return HF_OK;
    return hf_input_warn(
        draft->input, error,
        "%s: the charge is %+d: in a uniform field the energy of an ion depends on "
        "where the origin is",
        given->where, molecule->charge);
}

hf_status hf_environment_finish(struct draft *draft, struct hf_error *error)
{
    const struct hf_option_value *file = hf_options_given(draft->options, "point_charges_file");
    const hf_status status = finish_field(draft, error);
    if (status != HF_OK || draft->charges_line == 0) return status;
    if (file != NULL)
        return hf_text_fail(error, draft->text, draft->charges_line,
                            "point charges stand here and in the file %s (%s); expected one of the "
                            "two",
                            file->text, file->where);
    draft->charges.bohr = hf_options_value(draft->options, "units") == HF_LENGTH_BOHR;
    return hf_point_charges_finish(&draft->charges, &draft->input->molecule, error);
}
