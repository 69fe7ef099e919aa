/* The job: windows of molecules, who computes them, and the end; see each.h. */
#include "each/each.h"

#include "base/memory_limits.h"
#include "basis/basis_sets.h"
#include "basis_limit.h"
#include "cost.h"
#include "each/divide.h"
#include "each_private.h"
#include "hf/interruption.h"
#include "schedule/schedule.h"
#include "text/output_file.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/** Records of a window for each rank, at least and in the first window, and at most; seconds of a window. */
enum { LEAST_OF_RANK = 16, MOST_OF_RANK = 4096, WINDOW_SECONDS = 20 };

struct job {
    const struct hf_each_settings *settings; /**< borrowed */
    struct hf_context *context;              /**< of all ranks, borrowed */
    struct hf_context *alone;                /**< of this rank */
    struct hf_basis_sets *sets;
    struct hf_each_start start;
    struct hf_each_worker worker; /**< this rank alone */
    struct hf_scheduler *scheduler;
    struct hf_record_reader *reader; /**< on rank 0 */
    struct hf_finished finished;     /**< on rank 0 */
    struct hf_results results;
    struct hf_results_files files;
    struct hf_window window;
    struct hf_cost_times times;
    double *model, *bytes, *n_function; /**< [window.n] what the model says */
    double *seconds, *small;            /**< [window.n] corrected; for the scheduler */
    struct hf_shared_molecule *shared;  /**< [window.n] room for those of groups of ranks */
    double busy;                        /**< seconds that this rank computed */
    uint64_t settings_hash;
    struct hf_each_outlook outlook; /**< of the records that this rank estimated */
    struct hf_arena arena, window_arena;
};

/** Interruptions of a rank or group follow those of the job. */
static int ask_job(void *data, double fraction)
{
    (void)fraction;
    return hf_interruption_look(data, false);
}

/** Called at intervals while this rank computes or waits: results of other ranks are written. */
static int watch(void *data, double fraction)
{
    struct job *job = data;
    const struct hf_each_settings *settings = job->settings;
    if (job->results.from_any_thread) hf_results_take(&job->results);
    if (job->results.status != HF_OK) return SIGTERM; /* nobody is to compute for nothing */
    return settings->asked != NULL ? settings->asked(settings->asked_data, fraction) : 0;
}

static void take_results(void *data)
{
    hf_results_take(&((struct job *)data)->results);
}

/** The files of the job, none of which may be another one. Local; rank 0 looks at the files. */
static hf_status choose_files(struct job *job, struct hf_error *error)
{
    const struct hf_options *options = job->settings->options;
    struct hf_results_files *files = &job->files;
    const int n_path = job->settings->source.n_path;
    int n = 0;
    *files = (struct hf_results_files){.json = NULL};
    if (job->settings->result != NULL) return HF_OK; /* there are none */
    const char *json = hf_options_text(options, "json");
    if (json == NULL)
        json = hf_each_name_file(&job->arena, job->settings->source.path[0], ".hf.jsonl");
    *files = (struct hf_results_files){json, hf_options_text(options, "xyz"),
                                       hf_options_text(options, "csv"),
                                       hf_options_value(options, "xyz_units") != 0};
    struct hf_run_file *list = HF_TAKE(&job->arena, list, (size_t)n_path + 3);
    HF_CHECK(hf_arena_check(&job->arena, error));
    list[n++] = (struct hf_run_file){"--json", "the file of results", files->json, false};
    if (files->xyz != NULL)
        list[n++] = (struct hf_run_file){"--xyz", "the file of structures", files->xyz, false};
    if (files->csv != NULL)
        list[n++] = (struct hf_run_file){"--csv", "the table", files->csv, false};
    for (int i = 0; i < n_path; i++) {
        const char *path = job->settings->source.path[i];
        if (strcmp(path, "-") == 0) continue;
        list[n++] = (struct hf_run_file){"input", "an input file", path + (path[0] == '@'), true};
    }
    if (job->context->rank != 0) return HF_OK;
    HF_CHECK(hf_output_files_check_apart(n, list, error));
    return hf_each_check_named(options, n_path, job->settings->source.path, files, error);
}

/** A context for a worker. Collective over `comm`. */
static hf_status create_context(struct job *job, MPI_Comm comm, struct hf_context **made,
                                struct hf_error *error)
{
    HF_CHECK(hf_context_create(comm, made, error));
    (*made)->basis_sets = job->sets;
    (*made)->n_beside = job->context->n_node_rank - (*made)->n_node_rank;
    hf_interruption_watch((*made)->interruption, ask_job, job->context->interruption);
    return HF_OK;
}

static hf_status create_scheduler(struct job *job, struct hf_error *error)
{
    const struct hf_options *options = job->settings->options;
    const bool asked_for = hf_options_given(options, "schedule") != NULL;
    const struct hf_scheduler_settings settings = {
        /* a rank that computes a molecule cannot answer requests to steal */
        .name = asked_for ? hf_options_choice(options, "schedule") : "counter",
        .asked_for = asked_for,
        .group = job->context->n_rank, /* one counter or manager: molecules take long */
        .counter = (enum hf_counter_method)hf_options_value(options, "counter"),
        .progress_thread = hf_options_flag(options, "progress_thread"),
        .context = job->context,
        .interruption = job->context->interruption,
    };
    HF_CHECK(hf_scheduler_create(job->context->comm, &settings, &job->scheduler, error));
    hf_scheduler_set_idle(job->scheduler, &(struct hf_idle_work){take_results, job});
    return HF_OK;
}

/** What the job needs before its first window. Collective. */
static hf_status begin(struct job *job, struct hf_error *error)
{
    const struct hf_each_settings *settings = job->settings;
    struct hf_context *context = job->context;
    const struct hf_options *options = settings->options;
    hf_status status = hf_options_check_effect(options, error);
    if (status == HF_OK && hf_basis_limit_is_asked(options))
        status =
            hf_fail(error, HF_BAD_INPUT,
                    "%s: '%s': two basis sets are extrapolated of one molecule, without each",
                    hf_options_given(options, "basis")->where, hf_options_text(options, "basis"));
    if (status == HF_OK) status = choose_files(job, error);
    if (status == HF_OK) status = hf_basis_sets_create(&job->sets, error);
    if (status == HF_OK && context->rank == 0)
        status =
            hf_record_reader_create(context->interruption, &settings->source, &job->reader, error);
    HF_CHECK(hf_agree(context->comm, status, error));
    if (context->rank == 0) /* the one that reads records */
        job->settings_hash = hf_each_hash_named(options, hf_each_hash_settings(options));
    HF_CHECK(
        hf_agree(context->comm, create_context(job, MPI_COMM_SELF, &job->alone, error), error));
    job->worker = (struct hf_each_worker){job->alone, options, &job->start, &job->files, false};
    HF_CHECK(create_scheduler(job, error));
    hf_interruption_watch(context->interruption, watch, job);
    if (settings->rehearsal) {
        if (context->rank == 0) status = hf_finished_read(&job->finished, job->files.json, error);
        if (hf_options_flag(options, "retry_failed")) hf_finished_forget_failures(&job->finished);
        return hf_agree(context->comm, status, error);
    }
    const struct hf_each_records records = {&settings->source, job->settings_hash};
    return hf_results_open(&job->results, context, &job->files,
                           hf_options_flag(options, "retry_failed") ? &records : NULL,
                           &job->finished, error);
}

/** What the model says of record i; it stays 0 if the record cannot be read. Local. */
static void estimate(struct job *job, int i)
{
    struct hf_options options;
    struct hf_calculation calculation = {.context = job->alone};
    struct hf_error reason;
    hf_status status =
        hf_molecule_read(&job->worker, &job->window.record[i], &options, &calculation, &reason);
    if (status == HF_OK) status = hf_calculation_make_basis(&calculation, &options, &reason);
    if (status == HF_OK) {
        const struct hf_cost cost =
            hf_cost_model(&calculation.input.molecule, calculation.basis, &options);
        job->model[i] = cost.seconds;
        job->bytes[i] = cost.bytes;
        job->n_function[i] = calculation.basis->n_function;
    }
    hf_calculation_done(&calculation);
    hf_options_done(&options);
}

/** Makes the arrays of a window and fills them; each rank estimates its share. Collective. */
static hf_status foresee(struct job *job, struct hf_error *error)
{
    const int n = job->window.n, rank = job->context->rank, n_rank = job->context->n_rank;
    struct hf_arena *arena = &job->window_arena;
    hf_arena_done(arena);
    HF_TAKE(arena, job->model, (size_t)n);
    HF_TAKE(arena, job->bytes, (size_t)n);
    HF_TAKE(arena, job->n_function, (size_t)n);
    HF_TAKE(arena, job->seconds, (size_t)n);
    HF_TAKE(arena, job->small, (size_t)n);
    HF_TAKE(arena, job->shared, (size_t)n);
    HF_CHECK(hf_agree(job->context->comm, hf_arena_check(arena, error), error));
    for (int i = rank; i < n; i += n_rank) estimate(job, i);
    hf_sum_over_ranks(job->context->comm, (size_t)n, job->model);
    hf_sum_over_ranks(job->context->comm, (size_t)n, job->bytes);
    hf_sum_over_ranks(job->context->comm, (size_t)n, job->n_function);
    for (int i = 0; i < n; i++) { /* a record that cannot be read costs little */
        const double least = 1e-4;
        job->model[i] = fmax(job->model[i], least);
        job->seconds[i] = fmax(hf_cost_seconds(&job->times, job->model[i]), least);
    }
    return HF_OK;
}

/** Bytes that a rank may have for matrices. Equal on all ranks. Collective. */
static double bytes_of_rank(const struct hf_context *context)
{
    struct hf_memory_limits limits;
    hf_memory_limits_find("", &limits);
    double bytes =
        HF_SAFE_SHARE * hf_memory_of_rank(&limits, context->n_node_rank, context->n_node_rank);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MIN, context->comm);
    return bytes;
}

/** Computes record i with a worker and hands its result on. Collective over the worker. */
static hf_status compute(struct job *job, struct hf_each_worker *worker, int i,
                         struct hf_error *error)
{
    struct hf_molecule_result result;
    const char *name = job->window.record[i].name;
    hf_status status =
        hf_molecule_compute(worker, &job->window.record[i], job->window.hash[i], &result, error);
    job->busy += result.seconds;
    if (status == HF_OK && worker->context->n_rank == 1)
        hf_cost_add(&job->times, job->model[i], result.seconds);
    if (status == HF_OK && worker->context->rank == 0)
        status = hf_results_add(&job->results, name, &result, error);
    hf_results_take(&job->results);
    hf_molecule_result_done(&result);
    return status;
}

/** hf_molecule_work.together */
static hf_status compute_in_group(void *data, MPI_Comm comm, int molecule, struct hf_error *error)
{
    struct job *job = data;
    struct hf_each_worker group = job->worker;
    group.start = NULL; /* its orbitals are divided otherwise */
    hf_status status = create_context(job, comm, &group.context, error);
    if (status != HF_OK) return status;
    status = compute(job, &group, molecule, error);
    hf_context_destroy(&group.context);
    return status;
}

/** hf_molecule_work.alone */
static hf_status compute_alone(void *data, int molecule, struct hf_error *error)
{
    struct job *job = data;
    return compute(job, &job->worker, molecule, error);
}

/** Computes all molecules of the window. Collective. */
static hf_status compute_window(struct job *job, struct hf_error *error)
{
    struct hf_context *context = job->context;
    const int n = job->window.n;
    struct hf_molecule_work work = {
        context,          job->scheduler, 0,  n, job->shared, job->small,
        compute_in_group, compute_alone,  job};
    struct hf_error unwritten;
    hf_status status;
    work.n_shared = hf_molecules_share(n, job->seconds, job->bytes, context->n_rank,
                                       bytes_of_rank(context), job->shared);
    for (int i = 0; i < n; i++) job->small[i] = job->seconds[i];
    for (int i = 0; i < work.n_shared; i++) job->small[job->shared[i].molecule] = 0.0;
    do {
        status = hf_molecules_round(&work, error);
        const hf_status written = hf_results_collect(&job->results, &unwritten);
        status = hf_agree_to_go_on(context, status, error);
        if (written != HF_OK) *error = unwritten;
        if (written != HF_OK) return written;
        HF_CHECK(status);
    } while (work.n_shared > 0);
    hf_cost_agree(&job->times, context->comm);
    return HF_OK;
}

/** Records of the next window. */
static int64_t window_size(const struct job *job)
{
    const double mean = job->times.mean_seconds, n_rank = job->context->n_rank;
    const double of_rank = mean > 0.0                 ? WINDOW_SECONDS / mean
                           : job->settings->rehearsal ? 1e9
                                                      : 0.0;
    return (int64_t)(n_rank * fmin(fmax(of_rank, LEAST_OF_RANK), MOST_OF_RANK));
}

/** Adds the estimates of a window to the outlook. Local, the same on all ranks. */
static void look_ahead(struct job *job)
{
    struct hf_each_outlook *outlook = &job->outlook;
    for (int i = 0; i < job->window.n; i++) {
        const char *name = job->window.record[i].name;
        if (job->n_function[i] == 0.0) {
            if (outlook->n_bad++ == 0) snprintf(outlook->bad, sizeof outlook->bad, "%s", name);
            continue;
        }
        outlook->n++;
        outlook->seconds += job->seconds[i];
        outlook->longest = fmax(outlook->longest, job->seconds[i]);
        outlook->most_bytes = fmax(outlook->most_bytes, job->bytes[i]);
        if (job->n_function[i] <= outlook->most_functions) continue;
        outlook->most_functions = (int)job->n_function[i];
        snprintf(outlook->largest, sizeof outlook->largest, "%s", name);
    }
}

/** All windows. Collective. */
static hf_status compute_all(struct job *job, struct hf_error *error)
{
    do {
        HF_CHECK(hf_window_fill(&job->window, job->context, window_size(job), job->settings_hash,
                                job->reader, &job->finished, error));
        HF_CHECK(foresee(job, error));
        if (job->settings->rehearsal)
            look_ahead(job);
        else
            HF_CHECK(compute_window(job, error));
        if (job->context->rank == 0)
            job->results.progress.fraction = hf_record_reader_fraction(job->reader);
    } while (!job->window.ended);
    return HF_OK;
}

/** Prints what was done, also of a job that ends early. Collective. */
static void tell_end(struct job *job)
{
    const struct hf_context *context = job->context;
    struct hf_each_summary summary = {
        .account = &job->results.account,
        .before = &job->finished,
        .seconds = hf_wall_seconds() - job->results.progress.began,
        .n_rank = context->n_rank,
        .json = job->files.json,
    };
    hf_statistics_reduce(context->comm, 1, &job->busy, &summary.busy);
    if (context->rank != 0) return;
    if (job->results.progress.printed > 0.0) fprintf(job->results.progress.stream, "\r%78s\r", "");
    hf_each_tell_end(job->settings->out, &summary);
}

/** The message of a job that is interrupted. Local. */
static void explain_end(const struct job *job, struct hf_error *error)
{
    const struct hf_results_account *account = &job->results.account;
    const int reason = error->signal_number;
    char cause[48] = "the time limit is up";
    if (reason != HF_TIME_IS_UP) snprintf(cause, sizeof cause, "interrupted by signal %d", reason);
    (void)hf_fail(error, HF_INTERRUPTED,
                  "%s after %" PRId64 " molecules; the same command continues", cause,
                  account->n_good + account->n_failed);
    error->signal_number = reason;
}

static void end(struct job *job)
{
    hf_interruption_watch(job->context->interruption, job->settings->asked,
                          job->settings->asked_data);
    hf_results_close(&job->results);
    hf_record_reader_destroy(&job->reader);
    hf_finished_done(&job->finished);
    hf_window_done(&job->window);
    hf_each_start_done(&job->start);
    if (job->scheduler != NULL) hf_scheduler_destroy(&job->scheduler);
    hf_context_destroy(&job->alone);
    hf_basis_sets_destroy(&job->sets);
    hf_arena_done(&job->window_arena);
    hf_arena_done(&job->arena);
}

hf_status hf_each(struct hf_context *context, const struct hf_each_settings *settings,
                  bool *all_good, struct hf_error *error)
{
    struct job job = {
        .settings = settings,
        .context = context,
        .results.result = settings->result,
        .results.data = settings->source.data,
        .results.progress = {settings->progress, hf_wall_seconds(), 0.0, -1.0},
        .arena = {.label = "a job of many molecules"},
        .window.arena = {.label = "a window of molecules"},
        .window_arena = {.label = "costs of molecules"},
    };
    struct hf_calculation clock = {.context = context,
                                   .options = settings->options,
                                   .began_seconds = job.results.progress.began};
    hf_status status;
    int n_bad = 0;
    HF_TRY(hf_calculation_limit_time(&clock, error));
    HF_TRY(begin(&job, error));
    status = compute_all(&job, error);
    if (settings->rehearsal && status == HF_OK)
        hf_each_tell_outlook(settings->out, &job.outlook, job.finished.n_taken);
    if (!settings->rehearsal && (status == HF_OK || status == HF_INTERRUPTED)) tell_end(&job);
    if (status == HF_INTERRUPTED) explain_end(&job, error);
    n_bad = job.results.account.n_failed > 0 || job.finished.n_failed > 0;
    MPI_Bcast(&n_bad, 1, MPI_INT, 0, context->comm);
    *all_good = n_bad == 0;
cleanup:
    end(&job);
    return status;
}
