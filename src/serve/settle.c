/* Checks the options of --serve, and starts serving a prepared calculation. */
#include "serve/serve.h"

#include "line.h"

#include <string.h>

hf_status hf_serve_settle(struct hf_options *options, bool *serves, struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(options, "serve"),
                                 *checkpoint = hf_options_given(options, "checkpoint"),
                                 *task = hf_options_given(options, "task");
    struct hf_error reason;
    *serves = given != NULL;
    if (!*serves) return HF_OK;
    const hf_status status = hf_line_check(given->text, &reason);
    if (status != HF_OK) return hf_fail(error, status, "%s: %.800s", given->where, reason.message);
    if (checkpoint != NULL && strcmp(checkpoint->text, "none") != 0)
        return hf_fail(error, HF_BAD_INPUT, "%s: with --serve no files are written",
                       checkpoint->where);
    if (task != NULL && task->level >= HF_OPTION_FILE &&
        strcmp(hf_options_choice(options, "task"), "energy") != 0 &&
        strcmp(hf_options_choice(options, "task"), "gradient") != 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: with --serve energies and forces are computed; expected no task %s",
                       task->where, task->text);
    return hf_options_add(options, hf_option_find(options->table, hf_word_of("task")),
                          hf_rest_of_line("gradient"), HF_OPTION_COMMAND_LINE, "--serve", error);
}

hf_status hf_serve_calculation(struct hf_calculation *calculation, const struct hf_options *options,
                               FILE *out, struct hf_error *error)
{
    hf_status status;
    const struct hf_scf_result none = {.converged = false};
    struct hf_context *context = calculation->context;
    struct hf_quantity_source source = calculation->source;
    struct hf_surface *surface = NULL;
    source.result = &none;
    HF_TRY(hf_surface_create(&source, &surface, error));
    HF_TRY(hf_serve(context, hf_options_text(options, "serve"),
                    hf_options_flag(options, "serve_remote"), source.molecule->n_atom, surface,
                    context->rank == 0 ? out : NULL, error));
cleanup:
    hf_surface_destroy(&surface);
    return status;
}
