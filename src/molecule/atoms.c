/* Makes a molecule from atoms given by the caller, with the same checks as for a file. */
#include "draft.h"

#include <string.h>

/** Messages treat the atoms as lines of a file with this name. */
static char list_name[] = "list of atoms";

static hf_status fill(struct draft *draft, int n_atom, const int atomic_number[],
                      const double position_bohr[][3])
{
    static const struct hf_word bohr = {"bohr", 4};
    struct hf_options *options = draft->options;
    const struct hf_option *units = hf_option_find(options->table, hf_word_of("units"));
    if (hf_options_given(options, "units") != NULL &&
        hf_options_value(options, "units") != HF_LENGTH_BOHR)
        return hf_fail(draft->error, HF_BAD_INPUT,
                       "units %s: the positions of given atoms are in bohr",
                       hf_options_choice(options, "units"));
    HF_CHECK(hf_options_add(options, units, bohr, HF_OPTION_COMMAND_LINE, list_name, draft->error));
    for (int i = 0; i < n_atom; i++) {
        struct draft_atom atom = {.atomic_number = atomic_number[i], .line = i + 1};
        memcpy(atom.position, position_bohr[i], sizeof atom.position);
        if (hf_element_symbol(atom.atomic_number) == NULL)
            return hf_draft_fail(draft, i + 1, "atomic number %d; expected 1 to 118",
                                 atom.atomic_number);
        HF_CHECK(hf_draft_add_atom(draft, &atom));
    }
    return HF_OK;
}

hf_status hf_input_from_atoms(int n_atom, const int atomic_number[],
                              const double position_bohr[][3], struct hf_options *options,
                              struct hf_input *input, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_text text = {.path = list_name};
    struct draft draft = {.error = error,
                          .arena = {.label = "the input"},
                          .text = &text,
                          .options = options,
                          .input = input,
                          .own_format = true};
    *input = (struct hf_input){.format = "hf_run", .arena = {.label = "the input"}};
    input->path = hf_copy_string(&input->arena, list_name);
    HF_TRY(hf_arena_check(&input->arena, error));
    if (n_atom < 1) HF_TRY(hf_fail(error, HF_BAD_INPUT, "%d atoms; expected at least one", n_atom));
    HF_TRY(fill(&draft, n_atom, atomic_number, position_bohr));
    HF_TRY(hf_draft_finish(&draft));
cleanup:
    hf_arena_done(&draft.arena);
    if (status != HF_OK) hf_input_done(input);
    return status;
}
