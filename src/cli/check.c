/* What --check prints: what would run, and the memory it needs. */
#include "cli.h"

#include "hf/shell_pair.h"

/** Matrices of n x n doubles that a direct calculation holds at the same time at most: on every
 * rank with replicated data, on all ranks together with distributed data. */
enum { N_MATRIX = 12 };

/** Bytes of the program with its libraries and of the integral engine, as measured on Debian 12. */
static const double program_bytes = 45e6;

/** Bytes of the list of shell pairs on a node, about. Of a basis that no list can be made of, nothing
 * is said here: the run will. */
static double shell_pair_bytes(const struct hf_calculation *calculation)
{
    const struct hf_run_description *run = &calculation->description;
    struct hf_basis *merged = NULL;
    double bytes = 0.0;
    hf_status status = hf_basis_merge(run->basis, &merged, NULL);
    if (status == HF_OK)
        status = hf_shell_pairs_estimate(calculation->context, merged,
                                         hf_scf_pair_accuracy(run->settings), &bytes, NULL);
    hf_basis_destroy(&merged);
    return status == HF_OK ? bytes : 0.0;
}

/** Bytes of matrices on a rank at most. */
static double matrix_bytes(const struct hf_fock_settings *fock, int n_function,
                           const struct hf_context *context)
{
    const double all = N_MATRIX * (double)n_function * n_function * (double)sizeof(double);
    if (!hf_fock_is_distributed(fock->builder)) return all;
    return all / context->n_rank +
           hf_fock_cache_bytes(fock->builder, n_function, context->n_rank, context->n_node_rank);
}

static void print_fock(const struct hf_calculation *calculation, FILE *stream)
{
    const struct hf_fock_settings *fock = &calculation->settings.fock;
    fprintf(stream, "Fock matrix   %s, scheduler %s, tasks by %s, guess %s\n", fock->builder,
            fock->schedule.name, hf_grain_name(fock->grain), calculation->settings.guess);
    if (hf_fock_is_distributed(fock->builder))
        fprintf(stream, "One-sided     %s, %s adds\n", fock->onesided.transport,
                hf_accumulate_name(fock->onesided.accumulate));
}

/** What acts from outside, where there is something. */
static void print_environment(const struct hf_environment *environment, FILE *stream)
{
    const double *field = environment->field;
    if (environment->n_charge > 0)
        fprintf(stream, "Outside       %d point charges\n", environment->n_charge);
    if (field[0] != 0.0 || field[1] != 0.0 || field[2] != 0.0)
        fprintf(stream, "Outside       field %g %g %g hartree/(e bohr)\n", field[0], field[1],
                field[2]);
}

void hf_calculation_print_check(const struct hf_calculation *calculation, FILE *stream)
{
    const struct hf_run_description *run = &calculation->description;
    const struct hf_molecule *molecule = run->molecule;
    const struct hf_context *context = calculation->context;
    const double matrices = matrix_bytes(&run->settings->fock, run->basis->n_function, context);
    const double megabyte = 1e6;
    if (context->rank != 0) return;
    const double node_pairs = shell_pair_bytes(calculation);
    const double pairs = node_pairs / context->n_node_rank;
    fprintf(stream, "Input         %s (%s)\n", run->input_path, run->input_format);
    if (molecule->title != NULL) fprintf(stream, "Title         %s\n", molecule->title);
    fprintf(stream, "Molecule      %d atoms, charge %+d, multiplicity %d, %d electrons\n",
            molecule->n_atom, molecule->charge, molecule->multiplicity,
            hf_molecule_n_electron(molecule));
    print_environment(&molecule->environment, stream);
    fprintf(stream, "Method        %s/%s\n", run->method, run->basis_requested);
    fprintf(stream, "Basis         %s: %d functions in %d shells, %d primitives, l up to %d\n",
            run->basis->name, run->basis->n_function, run->basis->n_shell, run->basis->n_primitive,
            run->basis->max_l);
    print_fock(calculation, stream);
    fprintf(stream, "Ranks         %d\n", context->n_rank);
    fprintf(
        stream,
        "Memory        about %.0f MB per rank at most (matrices %.1f, shell pairs %.1f, program "
        "%.0f)\n",
        (matrices + pairs + program_bytes) / megabyte, matrices / megabyte, pairs / megabyte,
        program_bytes / megabyte);
    fprintf(stream,
            "              shell pairs %.1f MB on each node, shared by its ranks (here %d)\n",
            node_pairs / megabyte, context->n_node_rank);
    fprintf(stream, "              and up to %.0f MB per rank of stored integrals (--memory)\n",
            run->settings->fock.memory_bytes / megabyte);
    for (int i = 0; i < run->n_warning; i++) fprintf(stream, "Warning: %s\n", run->warning[i]);
    fprintf(stream, "The input is good; nothing was computed (--check).\n");
}
