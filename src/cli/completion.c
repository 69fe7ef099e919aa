/* What bash completes of hf's command line: options, the words they may be, basis sets, files. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/** The first lines of the function: COMP_WORDS parts "--key=value" into three words. */
static const char head[] =
    "# bash completion for hf(1); made from hf's table of options when it was built\n\n"
    "_hf()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    if [[ $current == = ]]; then\n"
    "        current=\n"
    "    elif [[ $previous == = ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    COMPREPLY=()\n"
    "    case $previous in\n";

static void print_pattern(FILE *stream, const struct hf_option *option)
{
    char spelling[40];
    hf_option_spelling(option->key, sizeof spelling, spelling);
    fprintf(stream, "    --%s)\n", spelling);
}

/** Words for the value of an option; `list` has those of basis sets. */
static void print_words(FILE *stream, const struct hf_option *option,
                        const struct hf_basis_list *list)
{
    struct hf_option_choice choice;
    print_pattern(stream, option);
    fprintf(stream, "        mapfile -t COMPREPLY < <(compgen -W '");
    for (int i = 0; list == NULL && hf_option_choice_get(option, i, &choice); i++)
        if (choice.refused == NULL) fprintf(stream, "%s%s", i > 0 ? " " : "", choice.name);
    for (int i = 0; list != NULL && i < list->n; i++)
        fprintf(stream, "%s%s", i > 0 ? " " : "", list->entry[i].name);
    fprintf(stream, "' -- \"$current\")\n        return;;\n");
}

static void print_files(FILE *stream, const struct hf_option *option)
{
    print_pattern(stream, option);
    fprintf(stream, "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                    "        return;;\n");
}

/** A value that nothing is known of, such as a number. */
static void print_nothing(FILE *stream, const struct hf_option *option)
{
    print_pattern(stream, option);
    fprintf(stream, "        return;;\n");
}

static void print_value(FILE *stream, const struct hf_option *option,
                        const struct hf_basis_list *list)
{
    if (option->type == HF_OPTION_FLAG || option->type == HF_OPTION_ALIAS) return;
    if (option->type == HF_OPTION_CHOICE)
        print_words(stream, option, NULL);
    else if (strcmp(option->key, "basis") == 0)
        print_words(stream, option, list);
    else if (strcmp(option->argument, "FILE") == 0)
        print_files(stream, option);
    else
        print_nothing(stream, option);
}

static const struct hf_option_choice sizes[] = {
    {"quick", NULL, NULL}, {"full", NULL, NULL}, {NULL, NULL, NULL}};

/** Actions that are completed as options are. */
static const struct hf_option list_basis = {.key = "list_basis"},
                              self_test = {
                                  .key = "self_test", .type = HF_OPTION_CHOICE, .choice = sizes};

hf_status hf_print_completion(FILE *stream, struct hf_error *error)
{
    char spelling[40];
    int n = 0;
    const struct hf_option *table = hf_option_table(&n);
    struct hf_basis_list list = {0};
    const hf_status status = hf_basis_list_create(&list, error);
    if (status != HF_OK) return status;
    fputs(head, stream);
    for (int i = 0; i < n; i++) print_value(stream, &table[i], &list);
    print_words(stream, &list_basis, &list);
    print_words(stream, &self_test, NULL);
    hf_basis_list_done(&list);
    fprintf(stream, "    esac\n"
                    "    if [[ $current == -* ]]; then\n"
                    "        mapfile -t COMPREPLY < <(compgen -W '");
    for (int i = 0; i < n; i++) {
        hf_option_spelling(table[i].key, sizeof spelling, spelling);
        fprintf(stream, "--%s ", spelling);
    }
    fprintf(stream, "--check --show --list-basis --self-test --help --version' -- \"$current\")\n"
                    "    else\n"
                    "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                    "    fi\n"
                    "}\n"
                    "complete -o filenames -F _hf hf\n");
    return HF_OK;
}
