/* Numbers over all ranks for the record, and those that writers derive from a run. */
#include "output_private.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

const struct hf_phase hf_phase_output = {.name = "Output"};

/** Peak resident set of this process; Linux counts it in units of 1024 bytes. */
static double resident_bytes(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0.0;
    return 1024.0 * (double)usage.ru_maxrss;
}

static void collect_phases(const struct hf_context *context, struct hf_run_statistics *statistics)
{
    const struct hf_timers *timers = &context->timers;
    double seconds[HF_MAX_PHASE];
    struct hf_statistic reduced[HF_MAX_PHASE];
    statistics->n_phase = timers->n_phase;
    for (int i = 0; i < timers->n_phase; i++)
        seconds[i] = hf_timer_seconds(timers, timers->timer[i].phase);
    hf_statistics_reduce(context->comm, timers->n_phase, seconds, reduced);
    for (int i = 0; i < timers->n_phase; i++)
        statistics->phase[i] = (struct hf_phase_seconds){timers->timer[i].phase->name, reduced[i]};
}

void hf_run_statistics_collect(const struct hf_context *context,
                               struct hf_run_statistics *statistics)
{
    collect_phases(context, statistics);
    const double bytes[] = {
        (double)hf_memory_peak_bytes(context->memory),
        (double)hf_memory_largest_bytes(context->memory),
        resident_bytes(),
        (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_MATRIX),
        (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_PAIRS),
        (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_STORED),
    };
    struct hf_statistic reduced[sizeof bytes / sizeof *bytes];
    hf_statistics_reduce(context->comm, sizeof bytes / sizeof *bytes, bytes, reduced);
    statistics->tracked_bytes = reduced[0];
    statistics->largest_bytes = reduced[1];
    statistics->resident_bytes = reduced[2];
    statistics->matrix_bytes = reduced[3];
    statistics->pair_bytes = reduced[4];
    statistics->stored_bytes = reduced[5];

    memset(statistics->largest_label, 0, sizeof statistics->largest_label);
    snprintf(statistics->largest_label, sizeof statistics->largest_label, "%s",
             hf_memory_largest_label(context->memory));
    hf_broadcast_bytes(context->comm, statistics->largest_bytes.max_rank,
                       sizeof statistics->largest_label, statistics->largest_label);

    statistics->n_rank_on_node = context->n_node_rank;
    MPI_Bcast(&statistics->n_rank_on_node, 1, MPI_INT, 0, context->comm);
}

struct hf_basis_summary hf_basis_summarise(const struct hf_basis *basis)
{
    struct hf_basis_summary summary = {.convention = "no functions above p"};
    int n_spherical = 0, n_cartesian = 0;
    for (int i = 0; i < basis->n_shell; i++) {
        const struct hf_shell *shell = &basis->shell[i];
        if (shell->l <= HF_MAX_L) summary.n_shell_of_l[shell->l]++;
        if (shell->l < 2) continue;
        if (shell->spherical)
            n_spherical++;
        else
            n_cartesian++;
    }
    if (n_spherical > 0 && n_cartesian > 0)
        summary.convention = "mixed Cartesian and spherical";
    else if (n_spherical > 0)
        summary.convention = "spherical";
    else if (n_cartesian > 0)
        summary.convention = "Cartesian";
    return summary;
}

double hf_output_virial_ratio(const struct hf_scf_result *result)
{
    const double kinetic = hf_scf_term_electrons(result, &hf_term_kinetic);
    for (int i = 0; i < result->n_term; i++)
        if (strcmp(result->term[i].name, hf_term_kinetic.name) != 0 &&
            strcmp(result->term[i].name, hf_term_nuclei.name) != 0)
            return NAN;
    return kinetic > 0.0 ? (kinetic - result->energy) / kinetic : NAN;
}
