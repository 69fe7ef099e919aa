/* What an input file gives: warnings, and its end. */
#include "hf/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hf_input_done(struct hf_input *input)
{
    hf_molecule_done(&input->molecule);
    for (int i = 0; i < input->n_warning; i++) free(input->warning[i]);
    free(input->warning);
    free(input->path);
    *input = (struct hf_input){0};
}

hf_status hf_input_warn(struct hf_input *input, struct hf_error *error, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *copy = strdup(line);
    char **longer =
        realloc(input->warning, (size_t)(input->n_warning + 1) * sizeof *input->warning);
    if (longer != NULL) input->warning = longer;
    if (copy == NULL || longer == NULL) {
        free(copy);
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", input->path);
    }
    input->warning[input->n_warning++] = copy;
    return HF_OK;
}
