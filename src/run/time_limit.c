/* --time-limit: how long a calculation may take, written as for Slurm's --time, and what is said when
 * one ends before it is done. */
#include "hf/interruption.h"
#include "run/calculation.h"

#include <stdio.h>
#include <string.h>

/** Reads "12:30:00" into parts; how many there were, 0: it is not of that kind. */
static int read_parts(const char *text, double part[3])
{
    int n = 0;
    while (n < 3) {
        int value;
        const size_t length = strspn(text, "0123456789");
        if (hf_word_integer((struct hf_word){text, (int)length}, &value) != HF_NUMBER_OK) return 0;
        part[n++] = value;
        text += length;
        if (*text == '\0') return n;
        if (*text++ != ':') return 0;
    }
    return 0;
}

bool hf_parse_time_limit(const char *text, double *seconds)
{
    const char *dash = strchr(text, '-');
    double days[3] = {0}, part[3] = {0};
    char front[16] = "";
    const size_t length = dash != NULL ? (size_t)(dash - text) : 0;
    if (length >= sizeof front) return false;
    memcpy(front, text, length);
    const int n = read_parts(dash != NULL ? dash + 1 : text, part);
    if (n == 0 || (dash != NULL && read_parts(front, days) != 1)) return false;
    for (int i = 1; i < n; i++)
        if (part[i] >= 60.0) return false;
    if (dash != NULL && part[0] >= 24.0) return false;
    /* without days the last of two parts is seconds, and a lone one minutes */
    const bool from_hours = dash != NULL || n == 3;
    *seconds = 86400.0 * days[0];
    if (from_hours)
        *seconds += 3600.0 * part[0] + 60.0 * part[1] + part[2];
    else
        *seconds += 60.0 * part[0] + part[1];
    return *seconds > 0.0;
}

hf_status hf_calculation_limit_time(struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_option_value *given = hf_options_given(calculation->options, "time_limit");
    double seconds;
    if (given == NULL) return HF_OK;
    if (!hf_parse_time_limit(given->text, &seconds))
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: time limit '%s'; expected minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or "
                       "D-HH:MM:SS, more than 0",
                       given->where, given->text);
    calculation->time_limit = given->text;
    hf_interruption_set_deadline(calculation->context->interruption,
                                 calculation->began_seconds + seconds);
    return HF_OK;
}

void hf_calculation_explain_end(const struct hf_calculation *calculation, struct hf_error *error)
{
    const struct hf_record *record = calculation->record;
    const struct hf_checkpoint *restart = calculation->restart;
    const int reason = error->signal_number;
    const char *path = calculation->source.checkpoint;
    const char *lacking = calculation->computing;
    char cause[64], word[800];
    int n = restart != NULL ? restart->state.n_iteration : 0;
    if (record != NULL && record->n_iteration > 0)
        n = record->iteration[record->n_iteration - 1].number;
    if (path == NULL && restart != NULL) path = restart->path; /* still where it was */
    if (reason == HF_TIME_IS_UP)
        snprintf(cause, sizeof cause, "the time limit of %.24s is up", calculation->time_limit);
    else
        snprintf(cause, sizeof cause, "interrupted by signal %d", reason);
    const char *missing = "";
    if (calculation->converged)
        missing = lacking != NULL ? ", but not computed: " : ", but not all files are written";
    /* the checkpoint has the task, too, unless it is that of an earlier run */
    const char *tasks = calculation->description.tasks;
    const bool more = path != NULL && tasks != NULL;
    (void)hf_fail(error, HF_INTERRUPTED, "%s: %sconverged after %d iteration%s%s%s%s%s%s%s", cause,
                  calculation->converged ? "" : "not ", n, n == 1 ? "" : "s", missing,
                  calculation->converged && lacking != NULL ? lacking : "",
                  path != NULL ? "; to continue: hf --restart " : "",
                  path != NULL ? hf_shell_word(path, sizeof word, word) : "",
                  more ? " --task " : "", more ? tasks : "");
    error->signal_number = reason;
}
