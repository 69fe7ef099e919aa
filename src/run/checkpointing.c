/* When and where checkpoints are written. */
#include "calculation_private.h"

#include "text/output_file.h"

#include <stdio.h>
#include <string.h>

/** With "auto" a run gets a checkpoint when it takes longer than this. */
static const double AUTO_SECONDS = 60.0;
/** When MP2 or vibrations follow, which may take much longer than the SCF, all that can be lost is this. */
static const double AUTO_SECONDS_BEFORE_MORE = 5.0;
/** What writing may take of the time of a run. */
static const double MOST_SHARE = 0.01;

struct hf_checkpointer {
    struct hf_calculation *calculation; /**< borrowed */
    struct hf_report *report;           /**< borrowed */
    struct hf_scf_keeper keeper;
    const char *path;
    bool automatic;
    bool more_follows; /**< the SCF is not the last expensive part */
    double interval_seconds;
    int n_setting;
    struct hf_checkpoint_setting *setting;               /**< [n_setting], strings of the options */
    double last_seconds, write_seconds, longest_seconds; /**< wall time of the last one; all, one */
    int n_written;
    char warning[1100]; /**< the first failure, or "" */
};

/** What counts of every option that is kept, defaults included. */
static hf_status list_settings(struct hf_checkpointer *self, struct hf_arena *arena,
                               const struct hf_options *options, struct hf_error *error)
{
    const struct hf_option *option;
    int n = 0;
    while (hf_option_row(options->table, n) != NULL) n++;
    HF_TAKE(arena, self->setting, (size_t)n);
    HF_CHECK(hf_arena_check(arena, error));
    for (int i = 0; (option = hf_option_row(options->table, i)) != NULL; i++) {
        const char *value = hf_options_text(options, option->key);
        if (value == NULL || !hf_option_is_kept(option)) continue;
        if (option->type == HF_OPTION_FLAG)
            value = hf_options_flag(options, option->key) ? "yes" : "no";
        if (option->type == HF_OPTION_CHOICE && !option->several)
            value = hf_options_choice(options, option->key); /* a synonym may stand there */
        self->setting[self->n_setting++] = (struct hf_checkpoint_setting){option->key, value};
    }
    return HF_OK;
}

/** "water.hf.h5", or with another `ending`; a restart goes on with its own file. */
static char *automatic_path(struct hf_calculation *calculation, const char *ending)
{
    if (calculation->restart != NULL) return calculation->restart->path;
    return hf_calculation_file_name(calculation, ending);
}

/** That path, or one beside it when the orbitals of the guess come from there: rank 0 looks. */
static char *free_path(struct hf_calculation *calculation)
{
    const struct hf_guess_file *guess = calculation->guess_file;
    char *path = automatic_path(calculation, ".hf.h5");
    int taken = 0;
    if (path != NULL && calculation->restart == NULL)
        for (int i = 0; guess != NULL && i < guess->n_source; i++)
            if (hf_same_file(path, guess->source[i].path)) taken = 1;
    MPI_Bcast(&taken, 1, MPI_INT, 0, calculation->context->comm);
    return taken ? automatic_path(calculation, ".2.hf.h5") : path;
}

/** Rank 0 decides for all. What an automatic checkpoint would take the place of is worth more than
 *  that of a run without an iteration. A restart that ends says so in the checkpoint it came from,
 *  however short it was. */
static bool is_due(const struct hf_checkpointer *self, enum hf_keep_reason reason)
{
    const double now = hf_wall_seconds(), passed = now - self->calculation->began_seconds;
    if (reason == HF_KEEP_INTERRUPTED)
        return !self->automatic || self->calculation->record->n_iteration > 0;
    if (reason == HF_KEEP_UNCONVERGED)
        return true; /* there is more to do, and this is where to begin */
    const bool ends_restart = reason == HF_KEEP_FINISHED && self->calculation->restart != NULL;
    const bool begins_more = reason == HF_KEEP_FINISHED && self->more_follows;
    const double least = begins_more ? AUTO_SECONDS_BEFORE_MORE : AUTO_SECONDS;
    if (self->automatic && passed < least && !ends_restart) return false;
    if (reason == HF_KEEP_FINISHED) return true;
    return now - self->last_seconds >= self->interval_seconds &&
           self->write_seconds + self->longest_seconds <= MOST_SHARE * passed;
}

static bool is_wanted(void *data, enum hf_keep_reason reason)
{
    const struct hf_checkpointer *self = data;
    const struct hf_context *context = self->calculation->context;
    int due = context->rank == 0 && is_due(self, reason);
    MPI_Bcast(&due, 1, MPI_INT, 0, context->comm);
    return due != 0;
}

/** Reports the first failure; the calculation continues. */
static void warn(struct hf_checkpointer *self, const struct hf_error *error)
{
    if (self->warning[0] != '\0') return;
    snprintf(self->warning, sizeof self->warning, "%s", error->message);
    hf_report_warning(self->report, "%s", self->warning);
}

/** A hf_scf_keeper.keep. */
static hf_status keep(void *data, const struct hf_scf_state *state, enum hf_keep_reason reason,
                      struct hf_error *error)
{
    struct hf_checkpointer *self = data;
    struct hf_calculation *calculation = self->calculation;
    const struct hf_checkpoint *restart = calculation->restart;
    struct hf_context *context = calculation->context;
    const double start = hf_wall_seconds();
    hf_status status = HF_NO_RESOURCE;
    hf_timer_start(&context->timers, &hf_phase_output);
    const struct hf_checkpoint_content content = {
        .molecule = &calculation->input.molecule,
        .basis = calculation->basis,
        .basis_requested = calculation->basis_requested,
        .n_setting = self->n_setting,
        .setting = self->setting,
        .n_earlier = restart != NULL ? restart->n_iteration : 0,
        .earlier = restart != NULL ? restart->iteration : NULL,
        .n_iteration = calculation->record->n_iteration,
        .iteration = calculation->record->iteration,
        .seconds = start - calculation->began_seconds + (restart != NULL ? restart->seconds : 0.0),
        .continues = restart,
    };
    if (state != NULL)
        status = hf_checkpoint_write(context, self->path, &content, state, reason, error);
    hf_timer_stop(&context->timers, &hf_phase_output);
    if (status == HF_OK) {
        self->n_written++;
        calculation->source.checkpoint = self->path;
    } else
        warn(self, error);
    self->last_seconds = hf_wall_seconds();
    const double seconds = self->last_seconds - start;
    self->write_seconds += seconds;
    if (seconds > self->longest_seconds) self->longest_seconds = seconds;
    return HF_OK;
}

hf_status hf_checkpointer_create(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_options *options = calculation->options;
    hf_status status = HF_OK;
    const struct hf_context *context = calculation->context;
    const bool given = hf_options_given(options, "checkpoint") != NULL;
    const char *path = hf_options_text(options, "checkpoint");
    if (strcmp(path, "none") == 0 || (!given && calculation->no_files)) return HF_OK;
    struct hf_checkpointer *made = HF_TAKE(&calculation->arena, made, 1);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&calculation->arena, error), error));
    calculation->checkpointer = made;
    made->calculation = calculation;
    made->keeper = (struct hf_scf_keeper){.wanted = is_wanted, .keep = keep, .data = made};
    made->automatic = strcmp(path, "auto") == 0;
    calculation->source.checkpoint_given = !made->automatic;
    made->more_follows =
        hf_run_is_correlated(options) || hf_options_include(options, "task", "vibrations");
    made->path = made->automatic ? free_path(calculation) : path;
    made->interval_seconds = hf_options_real(options, "checkpoint_interval");
    made->last_seconds = calculation->began_seconds;
    status = hf_arena_check(&calculation->arena, error); /* of the path */
    if (status == HF_OK) status = list_settings(made, &calculation->arena, options, error);
    if (status == HF_OK && !made->automatic && context->rank == 0)
        status = hf_checkpoint_check_target(made->path, error);
    status = hf_agree(context->comm, status, error);
cleanup:
    return status;
}

const struct hf_scf_keeper *hf_checkpointer_keeper(struct hf_checkpointer *checkpointer,
                                                   struct hf_report *report)
{
    if (checkpointer == NULL) return NULL;
    checkpointer->report = report;
    return &checkpointer->keeper;
}

void hf_checkpointer_tell(const struct hf_checkpointer *checkpointer, struct hf_report *report)
{
    if (checkpointer == NULL) return;
    struct hf_record *record = checkpointer->calculation->record;
    const size_t used = strlen(record->note);
    if (checkpointer->warning[0] != '\0')
        snprintf(record->note + used, sizeof record->note - used, "%s%s", used > 0 ? "; " : "",
                 checkpointer->warning);
    if (checkpointer->n_written > 0)
        hf_report_checkpoint(report, checkpointer->path, checkpointer->n_written,
                             checkpointer->write_seconds);
}

const char *hf_calculation_checkpoint_warning(const struct hf_calculation *calculation)
{
    const struct hf_checkpointer *checkpointer = calculation->checkpointer;
    return checkpointer != NULL && checkpointer->warning[0] != '\0' ? checkpointer->warning : NULL;
}
