/* Fuzz harness of basis-set files in the Gaussian-94 format. */
#include "fuzz.h"

#include "basis_private.h"

#include <math.h>

/** Numbers of a shell as hf_basis_create makes them: finite, or the shell is refused. */
static void require_sane_shell(const struct hf_basis_set *set, const struct hf_set_shell *shell)
{
    double coefficient[16];
    const double *exponent = set->exponent + shell->first;
    FUZZ_REQUIRE(shell->l >= 0 && shell->l <= HF_MAX_FILE_L && shell->line >= 1);
    FUZZ_REQUIRE(shell->n_primitive >= 1 && shell->first >= 0);
    FUZZ_REQUIRE(shell->first + shell->n_primitive <= set->n_primitive);
    for (int i = 0; i < shell->n_primitive; i++) {
        FUZZ_REQUIRE(isfinite(exponent[i]) && exponent[i] > 0.0);
        FUZZ_REQUIRE(isfinite(set->coefficient[shell->first + i]));
    }
    if (shell->n_primitive > 16) return;
    memcpy(coefficient, set->coefficient + shell->first,
           (size_t)shell->n_primitive * sizeof *coefficient);
    if (!hf_shell_normalise(shell->l, shell->n_primitive, exponent, coefficient)) return;
    for (int i = 0; i < shell->n_primitive; i++) FUZZ_REQUIRE(isfinite(coefficient[i]));
}

static void require_sane(const struct hf_basis_set *set)
{
    char key[64];
    FUZZ_REQUIRE(set->name != NULL && strpbrk(set->name, "\r\n") == NULL);
    hf_basis_name_key(set->name, sizeof key, key);
    FUZZ_REQUIRE(strlen(key) < sizeof key);
    for (int i = 0; i < set->n_shell; i++) require_sane_shell(set, &set->shell[i]);
    for (int z = 1; z <= HF_N_ELEMENT; z++) {
        const struct hf_set_element *element = &set->element[z];
        FUZZ_REQUIRE(element->n_shell >= 0 && element->first_shell >= 0);
        FUZZ_REQUIRE(element->first_shell + element->n_shell <= set->n_shell);
        FUZZ_REQUIRE(element->n_core_electron >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_text text = {0};
    struct hf_basis_set set = {0};
    struct hf_error error = {.message = ""};
    char *string = fuzz_string(data, size, 0);
    hf_status status = hf_text_from_string(FUZZ_PATH, string, &text, &error);
    if (status == HF_OK) status = hf_basis_set_parse(&text, &set, &error);
    fuzz_require_message(status, &error, FUZZ_PATH);
    if (status == HF_OK) require_sane(&set);
    hf_basis_set_done(&set);
    hf_text_done(&text);
    free(string);
    return 0;
}
