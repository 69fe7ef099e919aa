/* The command line: options before and behind the file, --key value and --key=value. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/** Options that are no keys of an input file. */
static const struct {
    const char *name;
    enum hf_action action;
    bool takes_word;
} actions[] = {{"help", HF_ACTION_HELP, false},
               {"version", HF_ACTION_VERSION, false},
               {"check", HF_ACTION_CHECK, false},
               {"self-test", HF_ACTION_SELF_TEST, true},
               {"list-basis", HF_ACTION_LIST_BASIS, true},
               {"show", HF_ACTION_SHOW, false}};
enum { N_ACTION = sizeof actions / sizeof *actions, MAX_KEYS = 100 };

void hf_command_done(struct hf_command *command)
{
    hf_options_done(&command->options);
    *command = (struct hf_command){0};
}

void hf_option_spelling(const char *key, size_t size, char text[])
{
    snprintf(text, size, "%s", key);
    for (char *c = strchr(text, '_'); c != NULL; c = strchr(c, '_')) *c = '-';
}

static hf_status unknown_option(const char *argument, struct hf_word name, struct hf_error *error)
{
    int n = 0;
    const struct hf_option *table = hf_option_table(&n);
    char spelling[MAX_KEYS][40];
    const char *known[MAX_KEYS];
    int n_known = 0;
    for (int i = 0; i < n && n_known < MAX_KEYS; i++) {
        hf_option_spelling(table[i].key, sizeof spelling[0], spelling[n_known]);
        known[n_known] = spelling[n_known];
        n_known++;
    }
    for (int i = 0; i < N_ACTION && n_known < MAX_KEYS; i++) known[n_known++] = actions[i].name;
    const char *nearest = hf_nearest_word(name, n_known, known);
    return hf_fail(error, HF_BAD_INPUT, "unknown option '%.80s'%s%s", argument,
                   nearest != NULL ? "; did you mean --" : "; hf --help lists the options",
                   nearest != NULL ? nearest : "");
}

static bool is_flag(const struct hf_option *option)
{
    return option->type == HF_OPTION_FLAG || option->type == HF_OPTION_ALIAS;
}

hf_status hf_command_read_value(int argc, char **argv, int *i, const struct hf_option *option,
                                struct hf_options *options, struct hf_error *error)
{
    const char *equals = strchr(argv[*i], '='), *value = equals != NULL ? equals + 1 : "";
    char where[64] = "--";
    hf_option_spelling(option->key, sizeof where - 2, where + 2);
    if (equals == NULL && !is_flag(option)) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return hf_fail(error, HF_BAD_INPUT, "%s needs a value (%s)", where, option->argument);
        value = argv[++*i];
    }
    return hf_options_add(options, option, hf_rest_of_line(value), HF_OPTION_COMMAND_LINE, where,
                          error);
}

/** Reads the option argv[*i] with its value, which may be argv[*i + 1]. */
static hf_status read_option(int argc, char **argv, int *i, struct hf_command *command,
                             struct hf_error *error)
{
    const char *argument = argv[*i], *equals = strchr(argument, '=');
    const struct hf_options *options = &command->options;
    struct hf_word name = {argument + 2, (int)strlen(argument + 2)};
    if (equals != NULL) name.length = (int)(equals - name.begin);
    for (int k = 0; k < N_ACTION; k++) {
        const bool takes_word = actions[k].takes_word;
        if ((equals != NULL && !takes_word) || !hf_word_is(name, actions[k].name)) continue;
        command->action = actions[k].action;
        if (takes_word && equals != NULL)
            command->word = equals + 1;
        else if (takes_word && *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
            command->word = argv[++*i];
        return HF_OK;
    }
    const struct hf_option *option = hf_option_find(options->n_option, options->table, name);
    if (option == NULL) return unknown_option(argument, name, error);
    return hf_command_read_value(argc, argv, i, option, &command->options, error);
}

/** Reads argv[*i]: an option, with its value behind it, or the file. */
static hf_status read_argument(int argc, char **argv, int *i, bool *only_files,
                               struct hf_command *command, struct hf_error *error)
{
    const char *argument = argv[*i];
    if (!*only_files && strcmp(argument, "--") == 0) {
        *only_files = true;
        return HF_OK;
    }
    if (!*only_files && (strcmp(argument, "-h") == 0 || strcmp(argument, "-V") == 0)) {
        command->action = argument[1] == 'h' ? HF_ACTION_HELP : HF_ACTION_VERSION;
        return HF_OK;
    }
    if (!*only_files && strncmp(argument, "--", 2) == 0)
        return read_option(argc, argv, i, command, error);
    if (!*only_files && argument[0] == '-' && argument[1] != '\0')
        return hf_fail(error, HF_BAD_INPUT, "unknown option '%.80s'; options begin with --",
                       argument);
    if (command->path != NULL)
        return hf_fail(error, HF_BAD_INPUT, "more than one input file: '%.80s' and '%.80s'",
                       command->path, argument);
    command->path = argument;
    return HF_OK;
}

/** Whether the rest of the command line goes with --self-test. */
static hf_status check_self_test(const struct hf_command *command, struct hf_error *error)
{
    if (command->path != NULL || command->options.n_value > 0)
        return hf_fail(error, HF_BAD_INPUT, "--self-test takes no input file and no other options");
    if (command->word == NULL || strcmp(command->word, "quick") == 0 ||
        strcmp(command->word, "full") == 0)
        return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "--self-test '%.80s' is unknown; expected quick or full",
                   command->word);
}

hf_status hf_command_parse(int argc, char **argv, struct hf_command *command,
                           struct hf_error *error)
{
    int n_option = 0;
    bool only_files = false;
    struct hf_error later;
    hf_status status = HF_OK;
    const struct hf_option *table = hf_option_table(&n_option);
    *command = (struct hf_command){.action = HF_ACTION_RUN};
    hf_options_init(&command->options, n_option, table);
    for (int i = 1; i < argc; i++) {
        const hf_status found =
            read_argument(argc, argv, &i, &only_files, command, status == HF_OK ? error : &later);
        if (status == HF_OK) status = found;
        if (status == HF_OK && command->action >= HF_ACTION_HELP &&
            command->action != HF_ACTION_SHOW)
            return HF_OK;
    }
    if (status == HF_OK && command->action == HF_ACTION_SELF_TEST)
        return check_self_test(command, error);
    if (status != HF_OK || command->path != NULL) return status;
    if (command->action == HF_ACTION_SHOW)
        return hf_fail(error, HF_BAD_INPUT, "--show needs the name of a checkpoint");
    if (hf_options_given(&command->options, "restart") != NULL) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "no input file; usage: hf [options] FILE; hf --help tells more");
}
