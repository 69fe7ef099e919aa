/* Options that have an effect only with some tasks, methods or other options. */
#include "text/option.h"

#include <stdio.h>
#include <string.h>

static bool is_given(const struct hf_options *options, const char *key)
{
    const struct hf_option_value *given = hf_options_given(options, key);
    return given != NULL &&
           (given->option->type != HF_OPTION_FLAG || hf_options_flag(options, key));
}

/** Whether the value of an option that may be a path is one. */
static bool is_file(const struct hf_options *options, const char *key)
{
    const struct hf_option_value *given = hf_options_given(options, key);
    return given != NULL && given->option->or_path &&
           hf_option_is_path(hf_rest_of_line(given->text));
}

static bool holds(const struct hf_options *options, const struct hf_option_setting *setting)
{
    if (setting->value != NULL && strcmp(setting->value, "FILE") == 0)
        return is_file(options, setting->key);
    return setting->value != NULL ? hf_options_include(options, setting->key, setting->value)
                                  : is_given(options, setting->key);
}

/** The first setting that holds; NULL: none does. */
static const struct hf_option_setting *find_holding(const struct hf_options *options,
                                                    const struct hf_option_setting *setting)
{
    for (int i = 0; i < HF_OPTION_MOST_SETTINGS && setting[i].key != NULL; i++)
        if (holds(options, &setting[i])) return &setting[i];
    return NULL;
}

/** Appends "task vibrations or saddle" to a text. */
static void name_settings(const struct hf_option_setting *setting, size_t size, char text[])
{
    const char *key = "";
    for (int i = 0; i < HF_OPTION_MOST_SETTINGS && setting[i].key != NULL; i++) {
        const bool last = i + 1 == HF_OPTION_MOST_SETTINGS || setting[i + 1].key == NULL;
        const bool same = strcmp(setting[i].key, key) == 0;
        const char *value = setting[i].value != NULL ? setting[i].value : "";
        const size_t used = strlen(text);
        key = setting[i].key;
        snprintf(text + used, size - used, "%s%s%s%s",
                 i == 0 ? ""
                 : last ? " or "
                        : ", ",
                 same ? "" : key, same || value[0] == '\0' ? "" : " ", value);
    }
}

void hf_option_effect_text(const struct hf_option *option, size_t size, char text[])
{
    const struct hf_option_setting *list[] = {option->only_with, option->not_with};
    const char *const begin[] = {"Only with ", "Not with "};
    text[0] = '\0';
    for (int i = 0; i < 2; i++) {
        if (list[i][0].key == NULL) continue;
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", begin[i]);
        name_settings(list[i], size, text);
        snprintf(text + strlen(text), size - strlen(text), ".");
    }
}

/** One option that is given. */
static hf_status check(const struct hf_options *options, const struct hf_option_value *given,
                       struct hf_error *error)
{
    const struct hf_option *option = given->option;
    char text[200] = "";
    const struct hf_option_setting *against = find_holding(options, option->not_with);
    if (against != NULL)
        return hf_fail(error, HF_BAD_INPUT, "%s: %s cannot be combined with %s%s%s", given->where,
                       option->key, against->key, against->value != NULL ? " " : "",
                       against->value != NULL ? against->value : "");
    if (option->only_with[0].key == NULL || find_holding(options, option->only_with) != NULL)
        return HF_OK;
    name_settings(option->only_with, sizeof text, text);
    return hf_fail(error, HF_BAD_INPUT, "%s: %s has no effect without %s", given->where,
                   option->key, text);
}

hf_status hf_options_check_effect(const struct hf_options *options, struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_option *option;
    for (int i = 0; status == HF_OK && (option = hf_option_row(options->table, i)) != NULL; i++) {
        if (option->type == HF_OPTION_ALIAS || !is_given(options, option->key)) continue;
        const struct hf_option_value *given = hf_options_given(options, option->key);
        if (given != NULL && given->level >= HF_OPTION_FILE) status = check(options, given, error);
    }
    return status;
}
