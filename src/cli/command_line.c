/* The command line: options before and after the file, as --key value or --key=value. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const struct hf_option_choice self_test_sizes[] = {
    {"quick", "cases of a few seconds", 0}, {"full", "all cases", 0}, {0}};

/** Options that are not keys of an input file, in the order of enum hf_action. */
static const struct hf_option actions[] = {
    HF_ROW_FLAG("check", "check the input, print what would run and its memory",
                .group = "Instead of computing", .everyday = true),
    HF_ROW_CHOICE("self_test", "[SIZE]", NULL, "compute installed reference cases",
                  .choice = self_test_sizes),
    HF_ROW_TEXT("help", "[all|OPTION]", "print this, all options, or one option (also -h)",
                .everyday = true),
    HF_ROW_FLAG("version", "print the versions of hf and its libraries (also -V)",
                .everyday = true),
    HF_ROW_TEXT("list_basis", "[NAME]", "print the basis sets, or what is in one of them",
                .everyday = true),
    HF_ROW_FLAG("show", "print what is in a checkpoint", .argument = "FILE",
                /* the input */ .everyday = true),
    {0}};
static const struct hf_option *const action_table[] = {actions, NULL};
enum { MAX_KEYS = 256 };

const struct hf_option *hf_listed_option(int i)
{
    int n = 0;
    const struct hf_option *row;
    for (; (row = hf_option_row(hf_option_table(), n)) != NULL && row->type != HF_OPTION_ALIAS; n++)
        if (n == i) return row;
    return hf_option_row(action_table, i - n);
}

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
    char spelling[MAX_KEYS][40];
    const char *known[MAX_KEYS];
    const struct hf_option *option;
    int n = 0;
    for (; n < MAX_KEYS && (option = hf_listed_option(n)) != NULL; n++) {
        hf_option_spelling(option->key, sizeof spelling[n], spelling[n]);
        known[n] = spelling[n];
    }
    const char *nearest = hf_nearest_word(name, n, known);
    return hf_fail(error, HF_BAD_INPUT, "unknown option '%.80s'%s%s", argument,
                   nearest != NULL ? "; did you mean --" : "; hf --help all lists the options",
                   nearest != NULL ? nearest : "");
}

static bool is_flag(const struct hf_option *option)
{
    return option->type == HF_OPTION_FLAG || option->type == HF_OPTION_ALIAS;
}

hf_status hf_listed_option_find(const char *name, const struct hf_option **option,
                                struct hf_error *error)
{
    const struct hf_word word = hf_rest_of_line(name + strspn(name, "-"));
    *option = hf_option_find(hf_option_table(), word);
    if (*option == NULL) *option = hf_option_find(action_table, word);
    if (*option == NULL) return unknown_option(name, word, error);
    if ((*option)->type != HF_OPTION_ALIAS) return HF_OK;
    return hf_listed_option_find((*option)->alias[0], option, error);
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

/** Reads an action and its argument, if there is one: after an =, or argv[*i + 1]. */
static void read_action(int argc, char **argv, int *i, enum hf_action action,
                        struct hf_command *command)
{
    const char *equals = strchr(argv[*i], '=');
    command->action = action;
    if (equals != NULL)
        command->word = equals + 1;
    else if (!is_flag(&actions[action - 1]) && *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
        command->word = argv[++*i];
}

/** Reads the option argv[*i] and its value, which may be argv[*i + 1]. */
static hf_status read_option(int argc, char **argv, int *i, struct hf_command *command,
                             struct hf_error *error)
{
    const char *argument = argv[*i], *equals = strchr(argument, '=');
    const struct hf_options *options = &command->options;
    struct hf_word name = hf_word_of(argument + 2);
    if (equals != NULL) name.length = (int)(equals - name.begin);
    const struct hf_option *action = hf_option_find(action_table, name);
    if (action != NULL && (equals == NULL || !is_flag(action))) {
        read_action(argc, argv, i, (enum hf_action)(action - actions + 1), command);
        return HF_OK;
    }
    const struct hf_option *option = hf_option_find(options->table, name);
    if (option == NULL) return unknown_option(argument, name, error);
    return hf_command_read_value(argc, argv, i, option, &command->options, error);
}

/** Reads argv[*i]: an option and its value, or the file. */
static hf_status read_argument(int argc, char **argv, int *i, bool *only_files,
                               struct hf_command *command, struct hf_error *error)
{
    const char *argument = argv[*i];
    if (!*only_files && strcmp(argument, "--") == 0) {
        *only_files = true;
        return HF_OK;
    }
    if (!*only_files && (strcmp(argument, "-h") == 0 || strcmp(argument, "-V") == 0)) {
        read_action(argc, argv, i, argument[1] == 'h' ? HF_ACTION_HELP : HF_ACTION_VERSION,
                    command);
        return HF_OK;
    }
    if (!*only_files && strncmp(argument, "--", 2) == 0)
        return read_option(argc, argv, i, command, error);
    if (!*only_files && argument[0] == '-' && argument[1] != '\0')
        return hf_fail(error, HF_BAD_INPUT, "unknown option '%.80s'; options begin with --",
                       argument);
    command->all_paths[command->n_path++] = argument;
    command->path = command->all_paths[0];
    return HF_OK;
}

/** Checks that there is one file, or with --each at least one. */
static hf_status check_paths(const struct hf_command *command, struct hf_error *error)
{
    const bool each = hf_options_flag(&command->options, "each");
    if (command->n_path > 1 && !each)
        return hf_fail(error, HF_BAD_INPUT,
                       "more than one input file: '%.80s' and '%.80s'; --each computes them all",
                       command->path, command->all_paths[1]);
    if (command->path != NULL) return HF_OK;
    if (!each && hf_options_given(&command->options, "restart") != NULL) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT, "no input file; usage: hf [options] FILE; see hf --help");
}

/** Checks the other arguments of a command line with --self-test. */
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
    bool only_files = false;
    struct hf_error later;
    hf_status status = HF_OK;
    *command = (struct hf_command){.action = HF_ACTION_RUN};
    hf_options_init(&command->options, hf_option_table());
    HF_TAKE(&command->options.arena, command->all_paths, (size_t)argc + 1);
    HF_CHECK(hf_arena_check(&command->options.arena, error));
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
    if (status != HF_OK) return status;
    if (command->action == HF_ACTION_SHOW && command->path == NULL)
        return hf_fail(error, HF_BAD_INPUT, "--show needs the name of a checkpoint");
    return check_paths(command, error);
}
