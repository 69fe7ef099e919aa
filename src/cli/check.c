/* Output of --check: what would run, and the memory it needs. */
#include "cli/cli.h"

#include <math.h>

static void print_fock(const struct hf_calculation *calculation, FILE *stream)
{
    const struct hf_fock_settings *fock = &calculation->settings.fock;
    fprintf(stream, "Fock matrix   %s, scheduler %s, tasks by %s, guess %s\n", fock->builder,
            fock->schedule.name, hf_grain_name(fock->grain), calculation->settings.guess);
    if (hf_fock_is_distributed(fock->builder))
        fprintf(stream, "One-sided     %s, %s adds\n", fock->onesided.transport,
                hf_accumulate_name(fock->onesided.accumulate));
}

static void print_memory(const struct hf_calculation *calculation, FILE *stream)
{
    const struct hf_memory_need *need = &calculation->need;
    const double megabyte = 1e6;
    fprintf(
        stream,
        "Memory        about %.0f MB per rank at most (program %.0f, matrices %.1f, shell pairs "
        "%.1f, threads %.1f, stored integrals %.0f)\n",
        need->rank / megabyte, need->program / megabyte, need->matrices / megabyte,
        need->pairs / megabyte, need->threads / megabyte, need->stored / megabyte);
    if (need->after > 0.0)
        fprintf(stream,
                "              %.1f MB per rank after the SCF, instead of stored integrals\n",
                need->after / megabyte);
    fprintf(stream, "              %.0f MB on each node, for its ranks (here %d)",
            need->node / megabyte, need->n_node_rank);
    if (isfinite(need->left))
        fprintf(stream, "; %.0f MB are available there", need->left / megabyte);
    fprintf(stream, "\n");
    if (calculation->refusal.message[0] != '\0')
        fprintf(stream, "Warning: %s\n", calculation->refusal.message);
}

void hf_calculation_print_check(const struct hf_calculation *calculation, FILE *stream)
{
    const struct hf_run_description *run = &calculation->description;
    const struct hf_molecule *molecule = run->molecule;
    const struct hf_context *context = calculation->context;
    if (context->rank != 0) return;
    fprintf(stream, "Input         %s (%s)\n", run->input_path, run->input_format);
    if (molecule->title != NULL) fprintf(stream, "Title         %s\n", molecule->title);
    hf_print_molecule(stream, molecule);
    fprintf(stream, "Method        %s/%s\n", run->method, run->basis_requested);
    if (run->tasks != NULL) fprintf(stream, "Task          %s\n", run->tasks);
    fprintf(stream, "Basis         %s: %d functions in %d shells, %d primitives, l up to %d\n",
            run->basis->name, run->basis->n_function, run->basis->n_shell, run->basis->n_primitive,
            run->basis->max_l);
    print_fock(calculation, stream);
    fprintf(stream, "Ranks         %d\n", context->n_rank);
    print_memory(calculation, stream);
    for (int i = 0; i < run->n_note; i++) fprintf(stream, "Note: %s\n", run->note[i]);
    for (int i = 0; i < run->n_warning; i++) fprintf(stream, "Warning: %s\n", run->warning[i]);
    fprintf(stream, "The input is good; nothing was computed (--check).\n");
}
