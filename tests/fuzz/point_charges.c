/* Fuzz harness of files of point charges, read beside a water molecule. */
#include "fuzz.h"

#include "draft.h"

#include <math.h>

static hf_status read_charges(const char *string, struct hf_input *input, struct hf_error *error)
{
    struct hf_text text = {0};
    struct draft draft = {
        .error = error, .arena = {.label = "point charges"}, .text = &text, .input = input};
    hf_status status = HF_OK;
    HF_TRY(hf_text_from_string(FUZZ_PATH, string, &text, error));
    HF_TRY(hf_read_point_charge_file(&draft));
    HF_TRY(hf_point_charges_finish(&draft));
cleanup:
    hf_arena_done(&draft.arena);
    hf_text_done(&text);
    return status;
}

static void require_sane(const struct hf_environment *environment)
{
    FUZZ_REQUIRE(environment->n_charge >= 0);
    for (int i = 0; i < environment->n_charge; i++) {
        FUZZ_REQUIRE(isfinite(environment->charge[i].charge));
        for (int k = 0; k < 3; k++) FUZZ_REQUIRE(isfinite(environment->charge[i].position_bohr[k]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hf_atom water[] = {
        {.atomic_number = 8, .position_bohr = {0.0, 0.0, 0.22}},
        {.atomic_number = 1, .position_bohr = {0.0, 1.43, -0.88}},
        {.atomic_number = 1, .position_bohr = {0.0, -1.43, -0.88}}};
    struct hf_input input = {.molecule = {.n_atom = 3, .multiplicity = 1}};
    struct hf_error error = {.message = ""};
    char *string = fuzz_string(data, size, 0);
    input.molecule.atom = malloc(sizeof water);
    if (input.molecule.atom == NULL) abort();
    memcpy(input.molecule.atom, water, sizeof water);
    const hf_status status = read_charges(string, &input, &error);
    fuzz_require_message(status, &error, FUZZ_PATH);
    if (status == HF_OK) require_sane(&input.molecule.environment);
    hf_input_done(&input);
    free(string);
    return 0;
}
