/* Writes documents from the table of options when hf is built:
 *
 *     hf-manual page < docs/hf.1.in      the manual page
 *     hf-manual options                  docs/options.md; a test compares the file with this
 *     hf-manual json                     docs/json.md
 *     hf-manual completion               completion for bash: options, their values, basis sets, files */
#include "cli/cli.h"
#include "each/combination.h"

#include <stdlib.h>
#include <string.h>

/** Prints a text with escapes for characters that are special in troff. */
static void print_roff(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '-' || *c == '\\') fputc('\\', stream);
        fputc(*c, stream);
    }
}

static void print_roff_option(FILE *stream, const struct hf_option *option)
{
    char spelling[40], text[120];
    struct hf_option_choice choice;
    hf_option_spelling(option->key, sizeof spelling, spelling);
    if (option->group != NULL) fprintf(stream, ".SS %s\n", option->group);
    fprintf(stream, ".TP\n.B \\-\\-");
    print_roff(stream, spelling);
    if (option->argument != NULL) fprintf(stream, " \\fI%s\\fR", option->argument);
    fprintf(stream, "\n");
    print_roff(stream, option->help);
    fprintf(stream, " ");
    hf_option_default_text(option, sizeof text, text);
    print_roff(stream, text);
    fprintf(stream, "\n");
    if (option->more != NULL) {
        fprintf(stream, ".br\n");
        print_roff(stream, option->more);
        fprintf(stream, "\n");
    }
    hf_option_effect_text(option, sizeof text, text);
    if (text[0] != '\0') {
        fprintf(stream, ".br\n");
        print_roff(stream, text);
        fprintf(stream, "\n");
    }
    for (int i = 0; hf_option_choice_get(option, i, &choice); i++) {
        fprintf(stream, ".br\n");
        print_roff(stream, choice.name);
        fprintf(stream, ": ");
        print_roff(stream, choice.about);
        fprintf(stream, "\n");
    }
}

/** Prints the page with the options in it. */
static void print_page(FILE *stream, FILE *page)
{
    char line[400];
    const struct hf_option *option;
    while (fgets(line, sizeof line, page) != NULL) {
        fputs(line, stream);
        if (strstr(line, "hf-manual writes the options here") == NULL) continue;
        for (int i = 0; (option = hf_listed_option(i)) != NULL; i++)
            print_roff_option(stream, option);
    }
}

/** Prints the text of a table cell; a bar would end the cell. */
static void print_cell(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) fprintf(stream, *c == '|' ? "\\|" : "%c", *c);
}

static void print_row(FILE *stream, const struct hf_option *option)
{
    char spelling[40], effect[200];
    struct hf_option_choice choice;
    hf_option_spelling(option->key, sizeof spelling, spelling);
    hf_option_effect_text(option, sizeof effect, effect);
    fprintf(stream, "| `--%s%s", spelling, option->argument != NULL ? " " : "");
    if (option->argument != NULL) print_cell(stream, option->argument);
    fprintf(stream, "` | ");
    print_cell(stream, option->help);
    for (int i = 0; hf_option_choice_get(option, i, &choice); i++)
        fprintf(stream, "%s `%s`: %s", i > 0 ? ";" : ".", choice.name, choice.about);
    if (option->more != NULL) fprintf(stream, ". %s", option->more);
    if (effect[0] != '\0') fprintf(stream, "%s %s", option->more != NULL ? "" : ".", effect);
    fprintf(stream, " | ");
    if (option->default_value != NULL) fprintf(stream, "`%s` ", option->default_value);
    if (option->unit != NULL)
        fprintf(stream, "%s%s ", option->default_value != NULL ? "" : "in ", option->unit);
    fprintf(stream, "|\n");
}

static void print_option_page(FILE *stream)
{
    const struct hf_option *option;
    fprintf(stream,
            "# Options of hf\n\n"
            "`hf --help` shows the options of everyday use, `hf --help all` all of them, and\n"
            "`hf --help OPTION` one. Every option is also a key of the native input, with `_` for "
            "`-`,\nexcept those under \"Instead of computing\". The command line overrides the "
            "file.\n[The guide](guide.md) explains when to use which.\n");
    for (int i = 0; (option = hf_listed_option(i)) != NULL; i++) {
        if (option->group != NULL)
            fprintf(stream, "\n## %s\n\n| option | meaning | default |\n|---|---|---|\n",
                    option->group);
        print_row(stream, option);
    }
}

static bool print_json_page(FILE *stream)
{
    fprintf(stream,
            "# Keys of the JSON file\n\n"
            "[The guide](guide.md#the-json-file) says how the file is asked for, and what "
            "stands in it if a run fails.\nA key `a[].b` is in each object of the array `a`. "
            "Most keys under `extras.hf` are there only if their quantity\nwas computed. "
            "Without a unit: a number, a text, or true or false.\n");
    if (!hf_run_describe_json(stream)) return false;
    hf_combination_describe_json(stream);
    return true;
}

/** Beginning of the function. COMP_WORDS splits "--key=value" into three words. */
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

/** Prints the completions for the value of an option: words, names of basis sets, or files; nothing for a number. */
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

static hf_status print_completion(FILE *stream, struct hf_error *error)
{
    char spelling[40];
    const struct hf_option *option;
    struct hf_basis_list list = {0};
    HF_CHECK(hf_basis_list_create(&list, error));
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

int main(int argc, char **argv)
{
    struct hf_error error = {0};
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "page") == 0) print_page(stdout, stdin);
    if (strcmp(what, "options") == 0) print_option_page(stdout);
    if (strcmp(what, "json") == 0 && !print_json_page(stdout)) return EXIT_FAILURE;
    if (strcmp(what, "completion") == 0 && print_completion(stdout, &error) != HF_OK) {
        hf_print_error("hf-manual", &error);
        return EXIT_FAILURE;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
