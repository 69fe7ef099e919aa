/* Fuzz harness of the command line: every line of the bytes is an argument. What was accepted is
 * asked for again by its type. */
#include "fuzz.h"

#include "cli.h"

#include <math.h>

enum { MAX_ARGUMENT = 64 };

/** Values that count can be had as what they are, in the range of their option. */
static void require_sane_value(const struct hf_options *options, const struct hf_option *option)
{
    const bool limited = option->range[0] < option->range[1];
    double vector[3] = {0.0, 0.0, 0.0};
    if (hf_options_given(options, option->key) == NULL && option->default_value == NULL) return;
    if (option->type == HF_OPTION_INTEGER || option->type == HF_OPTION_REAL) {
        const double value = option->type == HF_OPTION_INTEGER
                                 ? hf_options_integer(options, option->key)
                                 : hf_options_real(options, option->key);
        FUZZ_REQUIRE(isfinite(value));
        FUZZ_REQUIRE(!limited || (value >= option->range[0] && value <= option->range[1]));
    }
    if (option->type == HF_OPTION_CHOICE)
        FUZZ_REQUIRE(hf_options_choice(options, option->key) != NULL);
    if (option->type == HF_OPTION_TEXT) FUZZ_REQUIRE(hf_options_text(options, option->key) != NULL);
    if (option->type == HF_OPTION_VECTOR) hf_options_vector(options, option->key, vector);
    for (int k = 0; k < 3; k++) FUZZ_REQUIRE(isfinite(vector[k]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char program[] = "hf";
    char *argument[MAX_ARGUMENT + 1] = {program}, *line = fuzz_string(data, size, 0);
    int n_argument = 1;
    for (char *next = line; next != NULL && n_argument < MAX_ARGUMENT;) {
        char *end = strchr(next, '\n');
        argument[n_argument++] = next;
        if (end != NULL) *end++ = '\0';
        next = end;
    }
    struct hf_command command;
    struct hf_error error = {.message = ""};
    const hf_status status = hf_command_parse(n_argument, argument, &command, &error);
    fuzz_require_message(status, &error, "");
    const struct hf_option *option;
    for (int i = 0; status == HF_OK && (option = hf_option_row(hf_option_table(), i)) != NULL; i++)
        require_sane_value(&command.options, option);
    hf_command_done(&command);
    free(line);
    return 0;
}
