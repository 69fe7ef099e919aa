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

/** What is offered for the value of an option: words, names of basis sets or files; nothing for a number. */
static void print_value(FILE *stream, const struct hf_option *option,
                        const struct hf_basis_list *list)
{
    char spelling[40];
    struct hf_option_choice choice;
    const bool basis = strcmp(option->key, "basis") == 0 || strcmp(option->key, "list_basis") == 0;
    if (option->argument == NULL) return;
    hf_option_spelling(option->key, sizeof spelling, spelling);
    fprintf(stream, "    --%s)\n", spelling);
    if (basis || option->type == HF_OPTION_CHOICE) {
        fprintf(stream, "        mapfile -t COMPREPLY < <(compgen -W '");
        for (int i = 0; hf_option_choice_get(option, i, &choice); i++)
            fprintf(stream, "%s ", choice.name);
        for (int i = 0; basis && i < list->n; i++) fprintf(stream, "%s ", list->entry[i].name);
        fprintf(stream, "' -- \"$current\")\n");
    } else if (strcmp(option->argument, "FILE") == 0) {
        fprintf(stream, "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n");
    }
    fprintf(stream, "        return;;\n");
}

hf_status hf_print_completion(FILE *stream, struct hf_error *error)
{
    char spelling[40];
    const struct hf_option *option;
    struct hf_basis_list list = {0};
    const hf_status status = hf_basis_list_create(&list, error);
    if (status != HF_OK) return status;
    fputs(head, stream);
    for (int i = 0; (option = hf_listed_option(i)) != NULL; i++) print_value(stream, option, &list);
    hf_basis_list_done(&list);
    fprintf(stream, "    esac\n"
                    "    if [[ $current == -* ]]; then\n"
                    "        mapfile -t COMPREPLY < <(compgen -W '");
    for (int i = 0; (option = hf_listed_option(i)) != NULL; i++) {
        hf_option_spelling(option->key, sizeof spelling, spelling);
        fprintf(stream, "--%s ", spelling);
    }
    fprintf(stream, "' -- \"$current\")\n"
                    "    else\n"
                    "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                    "    fi\n"
                    "}\n"
                    "complete -o filenames -F _hf hf\n");
    return HF_OK;
}
