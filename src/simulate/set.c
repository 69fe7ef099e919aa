/* Ranks that compute the molecules of a window; see set.h. */
#include "set.h"

#include "base/growing.h"
#include "each/divide.h"
#include "hf/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct hf_sim_set *set;
    const struct hf_sim_settings *settings;
    struct hf_sim_set_outcome *outcome;
    struct hf_shared_molecule *shared; /**< [n_shared] */
    int n_shared;
    double *small; /**< [set->n] for the scheduler */
    struct hf_sim_failure failure;
    struct hf_arena arena; /**< of the arrays */
};

hf_status hf_sim_set_read(const char *path, struct hf_sim_set *set, struct hf_error *error)
{
    hf_status status = HF_OK;
    int64_t room = 0, room_seconds = 0;
    int n_read;
    double foreseen, seconds;
    FILE *file = fopen(path, "r");
    if (file == NULL) return hf_fail(error, HF_BAD_INPUT, "%s: it cannot be read", path);
    while ((n_read = fscanf(file, "%lf %lf", &foreseen, &seconds)) == 2) {
        if (!(foreseen > 0.0 && seconds > 0.0))
            HF_TRY(hf_fail(error, HF_BAD_INPUT, "%s: molecule %d: expected seconds above 0", path,
                           set->n + 1));
        if (!hf_grow(&set->foreseen, set->n + 1, &room, sizeof foreseen) ||
            !hf_grow(&set->seconds, set->n + 1, &room_seconds, sizeof seconds))
            HF_TRY(hf_fail(error, HF_NO_RESOURCE, "out of memory for %s", path));
        set->foreseen[set->n] = foreseen;
        set->seconds[set->n++] = seconds;
    }
    if (n_read != EOF || set->n == 0)
        status = hf_fail(error, HF_BAD_INPUT, "%s: expected lines with two numbers", path);
cleanup:
    fclose(file);
    return status;
}

void hf_sim_set_free(struct hf_sim_set *set)
{
    free(set->foreseen);
    free(set->seconds);
    *set = (struct hf_sim_set){.n = 0};
}

/** hf_molecule_work.together */
static hf_status compute_in_group(void *data, MPI_Comm comm, int molecule, struct hf_error *error)
{
    const struct hf_sim_set *set = ((struct job *)data)->set;
    int n_rank;
    (void)error;
    MPI_Comm_size(comm, &n_rank);
    hf_sim_compute(set->seconds[molecule] * (set->serial + (1.0 - set->serial) / n_rank));
    MPI_Barrier(comm);
    return HF_OK;
}

/** hf_molecule_work.alone */
static hf_status compute_alone(void *data, int molecule, struct hf_error *error)
{
    struct job *job = data;
    (void)error;
    hf_sim_compute(job->set->seconds[molecule]);
    job->outcome->n_done++;
    return HF_OK;
}

static hf_status compute_all(struct job *job, struct hf_context *context,
                             struct hf_scheduler *scheduler, struct hf_error *error)
{
    const int n = job->n_shared; /* each rank has a list of its own */
    struct hf_shared_molecule *shared = hf_sim_memory((size_t)n + 1, sizeof *shared);
    struct hf_molecule_work work = {context,          scheduler,     n,
                                    job->set->n,      shared,        job->small,
                                    compute_in_group, compute_alone, job};
    hf_status status;
    memcpy(shared, job->shared, (size_t)n * sizeof *shared);
    do {
        HF_TRY(hf_molecules_round(&work, error));
        MPI_Barrier(context->comm);
    } while (work.n_shared > 0);
cleanup:
    free(shared);
    return status;
}

static void be_rank(void *data)
{
    struct job *job = data;
    struct hf_context *context = NULL;
    struct hf_scheduler *scheduler = NULL;
    struct hf_error error = {0};
    hf_status status = HF_OK;
    HF_TRY(hf_context_create(MPI_COMM_WORLD, &context, &error));
    const struct hf_scheduler_settings settings = {.name = job->settings->scheduler,
                                                   .group = context->n_rank,
                                                   .context = context,
                                                   .interruption = context->interruption};
    HF_TRY(hf_scheduler_create(context->comm, &settings, &scheduler, &error));
    HF_TRY(compute_all(job, context, scheduler, &error));
    job->outcome->seconds = fmax(job->outcome->seconds, hf_sim_now());
cleanup:
    if (status != HF_OK) job->failure = (struct hf_sim_failure){status, error};
    hf_scheduler_destroy(&scheduler);
    hf_context_destroy(&context);
}

/** Divides the ranks, as all of them do. */
static hf_status divide(struct job *job, struct hf_error *error)
{
    const struct hf_sim_set *set = job->set;
    double *bytes = HF_TAKE(&job->arena, bytes, (size_t)set->n); /* memory is no limit here */
    HF_TAKE(&job->arena, job->shared, (size_t)set->n);
    HF_TAKE(&job->arena, job->small, (size_t)set->n);
    HF_CHECK(hf_arena_check(&job->arena, error));
    if (set->grouped)
        job->n_shared = hf_molecules_share(set->n, set->foreseen, bytes, job->settings->n_rank, 1.0,
                                           job->shared);
    memcpy(job->small, set->foreseen, (size_t)set->n * sizeof *job->small);
    for (int i = 0; i < job->n_shared; i++) job->small[job->shared[i].molecule] = 0.0;
    return HF_OK;
}

hf_status hf_sim_set_run(const struct hf_sim_set *set, const struct hf_sim_machine *machine,
                         const struct hf_sim_settings *settings, struct hf_sim_set_outcome *outcome,
                         struct hf_error *error)
{
    struct job job = {
        .set = set, .settings = settings, .outcome = outcome, .arena = {.label = "molecules"}};
    hf_status status;
    *outcome = (struct hf_sim_set_outcome){.seconds = 0.0};
    HF_TRY(divide(&job, error));
    outcome->n_shared = job.n_shared;
    for (int i = 0; i < set->n; i++) outcome->work += set->seconds[i];
    status = hf_sim_run_ranks(machine, settings->n_rank, be_rank, &job, &job.failure, error);
cleanup:
    hf_arena_done(&job.arena);
    return status;
}
