/* The store of options and the checks of their values. */
#include "text/option.h"
#include "base/growing.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** More keys or choices than any table has. */
enum { MAX_NAMES = 256 };
/** Bytes of a list of choices, each once. */
enum { MAX_LIST = 400 };

void hf_options_init(struct hf_options *options, const struct hf_option *const table[])
{
    *options = (struct hf_options){.table = table};
}

void hf_options_done(struct hf_options *options)
{
    hf_arena_done(&options->arena);
    free(options->value);
    *options = (struct hf_options){0};
}

/** Whether a word is the key, - standing for _. */
static bool is_key(struct hf_word word, const char *key)
{
    char plain[64];
    if (word.length >= (int)sizeof plain) return false;
    for (int i = 0; i < word.length; i++)
        plain[i] = (char)(word.begin[i] == '-' ? '_' : word.begin[i]);
    return hf_word_is((struct hf_word){plain, word.length}, key);
}

const struct hf_option *hf_option_row(const struct hf_option *const table[], int i)
{
    for (; *table != NULL; table++)
        for (const struct hf_option *row = *table; row->key != NULL; row++)
            if (i-- == 0) return row;
    return NULL;
}

const struct hf_option *hf_option_find(const struct hf_option *const table[], struct hf_word key)
{
    for (; *table != NULL; table++)
        for (const struct hf_option *row = *table; row->key != NULL; row++)
            if (is_key(key, row->key)) return row;
    return NULL;
}

const char *hf_option_nearest(const struct hf_option *const table[], struct hf_word key)
{
    const char *known[MAX_NAMES];
    const struct hf_option *row;
    int n = 0;
    for (; (row = hf_option_row(table, n)) != NULL; n++) {
        assert(n < MAX_NAMES);
        known[n] = row->key;
    }
    return hf_nearest_word(key, n, known);
}

bool hf_option_choice_get(const struct hf_option *option, int i, struct hf_option_choice *choice)
{
    *choice = (struct hf_option_choice){0};
    if (option->list != NULL) return option->list(i, choice);
    if (option->choice != NULL) *choice = option->choice[i];
    return choice->name != NULL;
}

bool hf_option_is_kept(const struct hf_option *option)
{
    return !option->not_kept && option->type != HF_OPTION_ALIAS;
}

/** The word that a choice has in the table, for another one that means the same. */
static struct hf_word without_synonym(const struct hf_option *option, struct hf_word text)
{
    const struct hf_option_synonym *synonym = option->synonym;
    for (; synonym != NULL && synonym->word != NULL; synonym++)
        if (is_key(text, synonym->word) || hf_word_is(text, synonym->word))
            return hf_word_of(synonym->choice);
    return text;
}

bool hf_option_is_path(struct hf_word text)
{
    for (int i = 0; i < text.length; i++)
        if (text.begin[i] == '/' || text.begin[i] == '.') return true;
    return false;
}

/** The choice that a word names, in any case and with - for _; false: there is none. */
static bool find_choice(const struct hf_option *option, struct hf_word text,
                        struct hf_option_choice *choice)
{
    text = without_synonym(option, text);
    for (int i = 0; hf_option_choice_get(option, i, choice); i++)
        if (is_key(text, choice->name) || hf_word_is(text, choice->name)) return true;
    return false;
}

int hf_option_choice_names(const struct hf_option *option, size_t size, char text[])
{
    int n = 0;
    struct hf_option_choice choice;
    text[0] = '\0';
    for (; hf_option_choice_get(option, n, &choice); n++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", n > 0 ? ", " : "", choice.name);
    }
    return n;
}

static hf_status check_choice(const struct hf_option *option, struct hf_word text,
                              const char *where, struct hf_error *error)
{
    struct hf_option_choice choice;
    const char *known[MAX_NAMES];
    char list[400];
    if (find_choice(option, text, &choice) || (option->or_path && hf_option_is_path(text)))
        return HF_OK;
    const int n = hf_option_choice_names(option, sizeof list, list);
    for (int i = 0; i < n && hf_option_choice_get(option, i, &choice); i++) known[i] = choice.name;
    const char *reason = option->missing != NULL ? option->missing(text) : NULL;
    const char *nearest = reason == NULL ? hf_nearest_word(text, n, known) : NULL;
    return hf_fail(error, HF_BAD_INPUT, "%s: unknown %s '%.*s'; %s%sexpected %s%s%s%s%s", where,
                   option->key, HF_WORD(text), reason != NULL ? reason : "",
                   reason != NULL ? "; " : "", n > 1 ? "one of " : "", list,
                   option->or_path ? ", or a file, e.g. ./FILE" : "", HF_DID_YOU_MEAN(nearest, ""));
}

/** Next word of "X Y" or "X,Y" from text->begin on, which is moved behind it; false at the end. */
static bool next_component(struct hf_word *text, struct hf_word *component)
{
    while (text->length > 0 && strchr(" \t,", text->begin[0]) != NULL) {
        text->begin++;
        text->length--;
    }
    *component = (struct hf_word){text->begin, 0};
    while (component->length < text->length &&
           strchr(" \t,", text->begin[component->length]) == NULL)
        component->length++;
    text->begin += component->length;
    text->length -= component->length;
    return component->length > 0;
}

/** A list of choices into list[size], as the table has them. HF_BAD_INPUT: unknown, missing or repeated ones. */
static hf_status read_choices(const struct hf_option *option, struct hf_word text,
                              const char *where, size_t size, char list[], struct hf_error *error)
{
    const struct hf_word all = text;
    bool taken[MAX_NAMES] = {false};
    struct hf_word word;
    list[0] = '\0';
    while (next_component(&text, &word)) {
        struct hf_option_choice wanted, choice;
        const size_t used = strlen(list);
        int i = 0;
        HF_CHECK(check_choice(option, word, where, error));
        (void)find_choice(option, word, &wanted);
        while (hf_option_choice_get(option, i, &choice) && strcmp(choice.name, wanted.name) != 0)
            i++;
        if (taken[i])
            return hf_fail(error, HF_BAD_INPUT, "%s: %s '%.*s' has %s twice; expected it once",
                           where, option->key, HF_WORD(all), wanted.name);
        taken[i] = true;
        snprintf(list + used, size - used, "%s%s", used > 0 ? "," : "", wanted.name);
    }
    if (list[0] != '\0') return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "%s: %s needs a value (%s)", where, option->key,
                   option->argument);
}

static hf_status check_number(const struct hf_option *option, struct hf_word text,
                              const char *where, struct hf_error *error)
{
    const bool whole = option->type == HF_OPTION_INTEGER;
    const char *kind = whole ? "a whole number" : "a number";
    const char *unit = option->unit != NULL ? option->unit : "";
    const char *space = option->unit != NULL ? " " : "";
    double value = 0.0;
    int count = 0;
    const enum hf_number outcome =
        whole ? hf_word_integer(text, &count) : hf_word_real(text, &value);
    if (outcome != HF_NUMBER_OK)
        return hf_fail(error, HF_BAD_INPUT, "%s: %s '%.*s' %s; expected %s", where, option->key,
                       HF_WORD(text),
                       whole && outcome == HF_NUMBER_NONE ? "is not a whole number"
                                                          : hf_number_problem(outcome),
                       kind);
    if (whole) value = count;
    const bool limited = option->range[0] < option->range[1];
    if (limited && (value < option->range[0] || value > option->range[1]))
        return hf_fail(error, HF_BAD_INPUT, "%s: %s %.*s%s%s is out of range; expected %g to %g",
                       where, option->key, HF_WORD(text), space, unit, option->range[0],
                       option->range[1]);
    return HF_OK;
}

static hf_status check_vector(const struct hf_option *option, struct hf_word text,
                              const char *where, struct hf_error *error)
{
    const struct hf_word all = text;
    struct hf_word component;
    int n = 0;
    for (; next_component(&text, &component); n++) {
        HF_CHECK(check_number(option, component, where, error));
    }
    if (n == 3) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "%s: %s '%.*s' has %d number%s; expected 3 (%s)", where,
                   option->key, HF_WORD(all), n, n == 1 ? "" : "s", option->argument);
}

/** 1 or 0 for a yes or a no, -1 for anything else. A flag that stands alone is a yes. */
static int truth(struct hf_word text)
{
    static const char *const yes[] = {"", "yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (hf_word_is(text, yes[i])) return 1;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (hf_word_is(text, no[i])) return 0;
    return -1;
}

static hf_status check_value(const struct hf_option *option, struct hf_word text, const char *where,
                             struct hf_error *error)
{
    if (option->type == HF_OPTION_FLAG || option->type == HF_OPTION_ALIAS) {
        if (truth(text) >= 0) return HF_OK;
        return hf_fail(error, HF_BAD_INPUT, "%s: %s takes no value but yes or no, not '%.*s'",
                       where, option->key, HF_WORD(text));
    }
    if (text.length == 0)
        return hf_fail(error, HF_BAD_INPUT, "%s: %s needs a value (%s)", where, option->key,
                       option->argument);
    if (option->type == HF_OPTION_CHOICE) return check_choice(option, text, where, error);
    if (option->type == HF_OPTION_TEXT) return HF_OK;
    if (option->type == HF_OPTION_VECTOR) return check_vector(option, text, where, error);
    return check_number(option, text, where, error);
}

/** Appends; the store stays as it was when there is no memory. */
static hf_status store(struct hf_options *options, const struct hf_option *option,
                       struct hf_word text, enum hf_option_level level, const char *where,
                       struct hf_error *error)
{
    if (!hf_grow(&options->value, options->n_value + 1, &options->n_room, sizeof *options->value))
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", where);
    const struct hf_option_value value = {option, level, hf_word_copy(&options->arena, text),
                                          hf_copy_string(&options->arena, where)};
    if (value.text == NULL || value.where == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", where);
    options->value[options->n_value++] = value;
    return HF_OK;
}

static const struct hf_option *known_option(const struct hf_options *options, const char *key)
{
    const struct hf_option *option = hf_option_find(options->table, hf_rest_of_line(key));
    assert(option != NULL);
    return option;
}

hf_status hf_options_add(struct hf_options *options, const struct hf_option *option,
                         struct hf_word text, enum hf_option_level level, const char *where,
                         struct hf_error *error)
{
    char list[MAX_LIST];
    hf_status status;
    if (option->several) {
        status = read_choices(option, text, where, sizeof list, list, error);
        text = hf_rest_of_line(list);
    } else {
        status = check_value(option, text, where, error);
    }
    if (status != HF_OK) return status;
    if (option->type == HF_OPTION_ALIAS) {
        if (truth(text) == 0) return HF_OK;
        return hf_options_add(options, known_option(options, option->alias[0]),
                              hf_rest_of_line(option->alias[1]), level, where, error);
    }
    for (int i = 0; i < options->n_value && level == HF_OPTION_FILE && !option->repeatable; i++)
        if (options->value[i].option == option && options->value[i].level == level)
            return hf_fail(error, HF_BAD_INPUT, "%s: %s was given before (%s)", where, option->key,
                           options->value[i].where);
    return store(options, option, text, level, where, error);
}

const struct hf_option_value *hf_options_given(const struct hf_options *options, const char *key)
{
    const struct hf_option *option = known_option(options, key);
    const struct hf_option_value *best = NULL;
    for (int i = 0; i < options->n_value; i++) {
        const struct hf_option_value *value = &options->value[i];
        if (value->option == option && (best == NULL || value->level >= best->level)) best = value;
    }
    return best;
}

const char *hf_options_text(const struct hf_options *options, const char *key)
{
    const struct hf_option_value *given = hf_options_given(options, key);
    return given != NULL ? given->text : known_option(options, key)->default_value;
}

static struct hf_word value_word(const struct hf_options *options, const char *key)
{
    const char *text = hf_options_text(options, key);
    assert(text != NULL);
    return hf_rest_of_line(text);
}

/** The choice that counts; it has no name where it is a path. */
static struct hf_option_choice chosen(const struct hf_options *options, const char *key)
{
    struct hf_option_choice choice;
    (void)find_choice(known_option(options, key), value_word(options, key), &choice);
    return choice;
}

const char *hf_options_choice(const struct hf_options *options, const char *key)
{
    const char *name = chosen(options, key).name;
    return name != NULL ? name : hf_options_text(options, key);
}

bool hf_options_include(const struct hf_options *options, const char *key, const char *name)
{
    const struct hf_option *option = known_option(options, key);
    const char *text = hf_options_text(options, key);
    struct hf_word rest = hf_rest_of_line(text != NULL ? text : ""), word;
    while (next_component(&rest, &word)) {
        const struct hf_word plain = without_synonym(option, word);
        if (is_key(plain, name) || hf_word_is(plain, name)) return true;
    }
    return false;
}

int hf_options_value(const struct hf_options *options, const char *key)
{
    return chosen(options, key).value;
}

double hf_options_real(const struct hf_options *options, const char *key)
{
    double value = 0.0;
    const enum hf_number outcome = hf_word_real(value_word(options, key), &value);
    assert(outcome == HF_NUMBER_OK);
    (void)outcome;
    return value;
}

int hf_options_integer(const struct hf_options *options, const char *key)
{
    return (int)hf_options_real(options, key); /* which has every int as it is */
}

bool hf_options_flag(const struct hf_options *options, const char *key)
{
    const struct hf_option_value *given = hf_options_given(options, key);
    return given != NULL && truth(hf_rest_of_line(given->text)) == 1;
}

void hf_options_fill(const struct hf_options *options, const struct hf_option rows[], void *target)
{
    for (const struct hf_option *row = rows; row != NULL && row->key != NULL; row++) {
        const char *key = row->key;
        const bool choice = row->type == HF_OPTION_CHOICE;
        void *to = (char *)target + row->member.offset;
        if (row->type != HF_OPTION_FLAG && hf_options_text(options, key) == NULL) continue;
        switch (row->member.type) {
        case HF_NO_MEMBER: break;
        case HF_MEMBER_INTEGER:
            *(int *)to = choice ? hf_options_value(options, key) : hf_options_integer(options, key);
            break;
        case HF_MEMBER_REAL: *(double *)to = hf_options_real(options, key); break;
        case HF_MEMBER_FLAG:
            *(bool *)to =
                choice ? hf_options_value(options, key) != 0 : hf_options_flag(options, key);
            break;
        case HF_MEMBER_TEXT:
            *(const char **)to =
                choice ? hf_options_choice(options, key) : hf_options_text(options, key);
        }
    }
}

void hf_options_vector(const struct hf_options *options, const char *key, double vector[3])
{
    const char *text = hf_options_text(options, key);
    if (text == NULL) return;
    struct hf_word rest = hf_word_of(text), component;
    for (int k = 0; k < 3 && next_component(&rest, &component); k++)
        (void)hf_word_real(component, &vector[k]); /* checked when it was stored */
}
