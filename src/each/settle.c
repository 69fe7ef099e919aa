/* Options of a job; see each_private.h. */
#include "each_private.h"

#include "text/text.h"

#include <string.h>

/** Whether `each` is among the options that one has an effect with, or none. */
static bool is_listed(const struct hf_option_setting setting[])
{
    for (int i = 0; i < HF_OPTION_MOST_SETTINGS && setting[i].key != NULL; i++)
        if (strcmp(setting[i].key, "each") == 0) return true;
    return false;
}

bool hf_each_refuses(const struct hf_option *option)
{
    return is_listed(option->not_with);
}

bool hf_each_is_of_job(const struct hf_option *option)
{
    static const char *const more[] = {"each", "json", "serve", "xyz_units", "time_limit", NULL};
    for (int i = 0; more[i] != NULL; i++)
        if (strcmp(option->key, more[i]) == 0) return true;
    return is_listed(option->only_with);
}

/** Whether an option that a job refuses is allowed for a single molecule: it only writes, or divides the work. */
static bool is_of_one(const struct hf_option *option)
{
    static const char *const keys[] = {"checkpoint",
                                       "checkpoint_interval",
                                       "cube",
                                       "fcidump",
                                       "groups",
                                       "molden",
                                       "record",
                                       "trace",
                                       "trajectory",
                                       "trexio",
                                       "trexio_integrals",
                                       "wfn",
                                       "wfx",
                                       NULL};
    for (int i = 0; keys[i] != NULL; i++)
        if (strcmp(option->key, keys[i]) == 0) return true;
    return false;
}

hf_status hf_each_check_record(const struct hf_options *options, bool alone, struct hf_error *error)
{
    for (int i = 0; i < options->n_value; i++) {
        const struct hf_option_value *value = &options->value[i];
        if (value->level == HF_OPTION_FILE &&
            (hf_each_is_of_job(value->option) ||
             (hf_each_refuses(value->option) && !(alone && is_of_one(value->option)))))
            return hf_fail(error, HF_BAD_INPUT, "%s: %s is no setting of a %s", value->where,
                           value->option->key,
                           alone ? "calculation in memory"
                                 : "single molecule of many; expected it on the command line, or "
                                   "not at all");
    }
    return HF_OK;
}

/** Whether results are the same whatever the value: how the work is divided, and what is written. */
static bool changes_nothing(const struct hf_option *option)
{
    static const char *const keys[] = {
        "fock",     "schedule",      "threads", "memory",    "onesided",
        "counter",  "accumulate",    "grain",   "tasks_for", "progress_thread",
        "orbitals", "onesided_test", NULL};
    for (int i = 0; keys[i] != NULL; i++)
        if (strcmp(option->key, keys[i]) == 0) return true;
    return hf_each_is_of_job(option);
}

uint64_t hf_each_hash_settings(const struct hf_options *options)
{
    const struct hf_option *option;
    uint64_t hash = HF_HASH_EMPTY;
    for (int i = 0; (option = hf_option_row(options->table, i)) != NULL; i++) {
        if (option->type == HF_OPTION_ALIAS || changes_nothing(option)) continue;
        for (int k = 0; k < options->n_value;
             k++) /* the order matters among values of one option */
            if (options->value[k].option == option)
                hash =
                    hf_hash_add_text(hf_hash_add_text(hash, option->key), options->value[k].text);
    }
    return hash;
}
