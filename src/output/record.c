/* The record of a run: filled as things happen; times and memory over all ranks. */
#include "hf/record.h"
#include "base/growing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_LISTENER = sizeof((struct hf_record *)0)->listener / sizeof(struct hf_scf_observer) };

hf_status hf_record_create(struct hf_context *context, struct hf_record **record,
                           struct hf_error *error)
{
    struct hf_record *made = calloc(1, sizeof *made);
    if (made == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the run's record");
    made->context = context;
    made->build_remark = hf_build_remark();
    hf_library_versions_get(&made->versions);
    *record = made;
    return HF_OK;
}

void hf_record_destroy(struct hf_record **record)
{
    if (record == NULL || *record == NULL) return;
    free((*record)->iteration);
    free(*record);
    *record = NULL;
}

static void observe_start(void *data, const struct hf_scf_start *start)
{
    struct hf_record *record = data;
    snprintf(record->linalg, sizeof record->linalg, "%s", start->linalg);
    snprintf(record->note, sizeof record->note, "%s", start->note != NULL ? start->note : "");
    for (int i = 0; i < record->n_listener; i++)
        if (record->listener[i].started != NULL)
            record->listener[i].started(record->listener[i].data, start);
}

/** Without memory for the history the run goes on. */
static void remember(struct hf_record *record, const struct hf_scf_iteration *iteration)
{
    if (hf_grow(&record->iteration, record->n_iteration + 1, &record->n_allocated,
                sizeof *iteration))
        record->iteration[record->n_iteration++] = *iteration;
}

static void observe_iteration(void *data, const struct hf_scf_iteration *iteration)
{
    struct hf_record *record = data;
    remember(record, iteration);
    for (int i = 0; i < record->n_listener; i++)
        if (record->listener[i].iteration != NULL)
            record->listener[i].iteration(record->listener[i].data, iteration);
}

struct hf_scf_observer hf_record_observer(struct hf_record *record)
{
    return (struct hf_scf_observer){
        .started = observe_start, .iteration = observe_iteration, .data = record};
}

void hf_record_add_listener(struct hf_record *record, const struct hf_scf_observer *listener)
{
    if (record->n_listener < MAX_LISTENER) record->listener[record->n_listener++] = *listener;
}

/** Peak resident set of this process; Linux counts it in units of 1024 bytes. */
static double resident_bytes(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0.0;
    return 1024.0 * (double)usage.ru_maxrss;
}

void hf_record_measure(struct hf_record *record)
{
    const struct hf_context *context = record->context;
    const struct hf_timers *timers = &context->timers;
    struct hf_run_statistics *statistics = &record->statistics;
    enum { N_BYTES = 6 };
    double value[N_BYTES + HF_MAX_PHASE + 1] = {
        (double)hf_memory_peak_bytes(context->memory),
        (double)hf_memory_largest_bytes(context->memory),
        resident_bytes(),
        (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_MATRIX),
        (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_PAIRS),
        (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_STORED),
    };
    struct hf_statistic reduced[N_BYTES + HF_MAX_PHASE + 1];
    double *outside = &value[N_BYTES + timers->n_phase];
    for (int i = 0; i < timers->n_phase; i++) {
        const bool total = timers->timer[i].phase == &hf_phase_total;
        value[N_BYTES + i] = hf_timer_seconds(timers, timers->timer[i].phase);
        *outside += total ? value[N_BYTES + i] : -value[N_BYTES + i];
    }
    hf_statistics_reduce(context->comm, N_BYTES + timers->n_phase + 1, value, reduced);
    statistics->outside = reduced[N_BYTES + timers->n_phase];
    statistics->tracked_bytes = reduced[0];
    statistics->largest_bytes = reduced[1];
    statistics->resident_bytes = reduced[2];
    statistics->matrix_bytes = reduced[3];
    statistics->pair_bytes = reduced[4];
    statistics->stored_bytes = reduced[5];
    statistics->n_phase = timers->n_phase;
    for (int i = 0; i < timers->n_phase; i++)
        statistics->phase[i] =
            (struct hf_phase_seconds){timers->timer[i].phase->name, reduced[N_BYTES + i]};

    memset(statistics->largest_label, 0, sizeof statistics->largest_label);
    snprintf(statistics->largest_label, sizeof statistics->largest_label, "%s",
             hf_memory_largest_label(context->memory));
    hf_broadcast_bytes(context->comm, statistics->largest_bytes.max_rank,
                       sizeof statistics->largest_label, statistics->largest_label);

    statistics->n_rank_on_node = context->n_node_rank;
    MPI_Bcast(&statistics->n_rank_on_node, 1, MPI_INT, 0, context->comm);
}
