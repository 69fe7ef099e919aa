/* The record of a run: filled as things happen. */
#include "hf/record.h"

#include "output_private.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_LISTENER = sizeof((struct hf_record *)0)->listener / sizeof(struct hf_scf_observer) };

hf_status hf_record_create(struct hf_context *context, struct hf_record **record,
                           struct hf_error *error)
{
    struct hf_record *made = calloc(1, sizeof *made);
    if (made == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the run's record");
    made->context = context;
    made->build_remark = hf_output_build_remark();
    hf_library_versions_get(&made->versions);
    *record = made;
    return HF_OK;
}

void hf_record_destroy(struct hf_record **record)
{
    if (*record == NULL) return;
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
    if (record->n_iteration == record->n_allocated) {
        const int n = record->n_allocated == 0 ? 32 : 2 * record->n_allocated;
        struct hf_scf_iteration *more = realloc(record->iteration, (size_t)n * sizeof *more);
        if (more == NULL) return;
        record->iteration = more;
        record->n_allocated = n;
    }
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

void hf_record_measure(struct hf_record *record)
{
    hf_run_statistics_collect(record->context, &record->statistics);
}
