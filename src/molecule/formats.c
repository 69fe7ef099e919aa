/* Input files: recognises the format and calls its reader. */
#include "draft.h"

#include <string.h>

/** Detects an MDL file whose first four lines are damaged, which would otherwise be read as native input. */
static hf_status check_mdl_header(const struct draft *draft)
{
    const struct hf_text *text = draft->text;
    for (int i = 0; i < 6 && i < text->n_line; i++)
        if (strstr(text->line[i], "V2000") != NULL || strstr(text->line[i], "V3000") != NULL)
            return hf_draft_fail(draft, i + 1,
                                 "this looks like the counts line of an MDL molfile; expected it "
                                 "in line 4 with V2000 or V3000 in columns 35 to 39");
    const struct hf_word dimension =
        text->n_line > 1 ? hf_columns(text->line[1], 21, 22) : hf_word_of("");
    if (text->n_line < 4 && (hf_word_is(dimension, "3D") || hf_word_is(dimension, "2D")))
        return hf_draft_fail(draft, text->n_line,
                             "the file ends here; expected line 4 of an MDL molfile, the counts");
    return HF_OK;
}

static bool has_version(const struct hf_text *text, const char *version)
{
    return text->n_line >= 4 && hf_word_is(hf_columns(text->line[3], 34, 39), version);
}

/** Whether a text is a molfile older than the versions: counts in the columns of line 4, and an atom in line 5. */
static bool is_old_molfile(const struct hf_text *text)
{
    int count;
    double number;
    if (text->n_line < 5) return false;
    const char *counts = text->line[3], *atom = text->line[4];
    if (strspn(counts, " 0123456789") != strlen(counts)) return false;
    for (int i = 0; i < 2; i++)
        if (hf_word_integer(hf_columns(counts, 3 * i + 1, 3 * i + 3), &count) != HF_NUMBER_OK ||
            (i == 0 && count < 1))
            return false;
    for (int i = 0; i < 3; i++)
        if (hf_word_real(hf_columns(atom, 10 * i + 1, 10 * i + 10), &number) != HF_NUMBER_OK)
            return false;
    const struct hf_word symbol = hf_columns(atom, 32, 34);
    return symbol.length > 0 && (symbol.begin[0] | 32) >= 'a' && (symbol.begin[0] | 32) <= 'z';
}

/** Reads native input. If that fails and another format is recognised, the message names that format. */
static hf_status read_native(struct draft *draft)
{
    const struct foreign *foreign = hf_recognise_foreign(draft->text);
    draft->input->format = "native";
    const hf_status status = hf_read_native(draft);
    if (status != HF_BAD_INPUT || foreign == NULL) return status;
    return hf_refuse_foreign(draft, foreign);
}

/** Chooses the reader by content, not by the file's name. */
static hf_status read_any(struct draft *draft)
{
    const struct hf_text *text = draft->text;
    int first = 0;
    if (has_version(text, "V2000") || has_version(text, "V3000")) {
        draft->input->format = has_version(text, "V2000") ? "MDL V2000" : "MDL V3000";
        return hf_read_mdl(draft);
    }
    HF_CHECK(check_mdl_header(draft));
    while (first + 1 < text->n_line && hf_rest_of_line(text->line[first]).length == 0) first++;
    if (hf_looks_like_json(text)) {
        bool is_one = false;
        draft->input->format = "QCSchema";
        HF_CHECK(hf_read_qcschema(draft, &is_one));
        if (is_one) return HF_OK;
    }
    if (is_old_molfile(text)) {
        draft->input->format = "MDL V2000";
        return hf_read_mdl(draft);
    }
    if (hf_looks_like_xyz(text->line[first])) {
        draft->input->format = "XYZ";
        return hf_read_xyz(draft, first);
    }
    return read_native(draft);
}

/** All steps after reading the bytes; local, the same on every rank. */
static hf_status input_from_text(struct hf_text *text, const struct hf_companions *companions,
                                 struct hf_options *options, struct hf_input *input,
                                 struct hf_error *error)
{
    struct hf_text chosen;
    struct draft draft = {.error = error,
                          .arena = {.label = "the input"},
                          .text = &chosen,
                          .options = options,
                          .input = input,
                          .companions = companions};
    hf_status status = HF_OK;
    *input = (struct hf_input){.arena = {.label = "the input"}};
    input->path = hf_copy_string(&input->arena, text->path);
    HF_TRY(hf_arena_check(&input->arena, error));
    HF_TRY(hf_choose_record(&draft, text, &chosen));
    HF_TRY(read_any(&draft));
    HF_TRY(hf_draft_finish(&draft));
cleanup:
    hf_arena_done(&draft.arena);
    return status;
}

hf_status hf_input_from_string(const char *path, const char *string, struct hf_options *options,
                               struct hf_input *input, struct hf_error *error)
{
    struct hf_text text = {0};
    hf_status status = HF_OK;
    *input = (struct hf_input){0};
    HF_TRY(hf_text_from_string(path, string, &text, error));
    HF_TRY(input_from_text(&text, NULL, options, input, error));
cleanup:
    hf_text_done(&text);
    /* keeps the warnings, which explain the failure */
    if (status != HF_OK) hf_molecule_done(&input->molecule);
    return status;
}

hf_status hf_input_read_point_charges(struct hf_context *context, const struct hf_options *options,
                                      struct hf_input *input, struct hf_error *error)
{
    struct hf_text text = {0};
    struct draft draft = {
        .error = error, .arena = {.label = "point charges"}, .text = &text, .input = input};
    const char *path = hf_options_text(options, "point_charges_file");
    hf_status status = HF_OK;
    if (path == NULL) return HF_OK;
    HF_TRY(hf_text_read(context, path, &text, error));
    status = hf_read_point_charge_file(&draft);
    if (status == HF_OK && !draft.charges.unit_said &&
        hf_options_value(options, "units") == HF_LENGTH_BOHR)
        status = hf_input_warn(input, error,
                               "%s: the comment names no unit: taken as angstrom, although the "
                               "units of the molecule are bohr",
                               path);
    if (status == HF_OK) status = hf_point_charges_finish(&draft);
    HF_TRY(hf_agree(context->comm, status, error));
cleanup:
    hf_arena_done(&draft.arena);
    hf_text_done(&text);
    return status;
}

hf_status hf_input_read(struct hf_context *context, const char *path, struct hf_options *options,
                        struct hf_input *input, struct hf_error *error)
{
    struct hf_text text = {0};
    struct hf_companions companions;
    hf_status status = HF_OK;
    *input = (struct hf_input){0};
    if (strcmp(path, "-") == 0) {
        HF_TRY(hf_text_read_standard_input(context, &text, error));
        status = input_from_text(&text, NULL, options, input, error);
    } else {
        HF_TRY(hf_text_read(context, path, &text, error));
        if (context->rank == 0) hf_companions_find(path, &companions);
        hf_broadcast_bytes(context->comm, 0, sizeof companions, &companions);
        status = input_from_text(&text, &companions, options, input, error);
    }
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_input_read_point_charges(context, options, input, error));
cleanup:
    hf_text_done(&text);
    /* keeps the warnings, which explain the failure */
    if (status != HF_OK) hf_molecule_done(&input->molecule);
    return status;
}
