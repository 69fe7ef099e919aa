/* docs/options.md: all options in tables; a test compares the file with this. */
#include "cli.h"

/** Text in a cell of a table, where a bar would end the cell. */
static void print_cell(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) fprintf(stream, *c == '|' ? "\\|" : "%c", *c);
}

static void print_option(FILE *stream, const struct hf_option *option)
{
    char spelling[40];
    struct hf_option_choice choice;
    hf_option_spelling(option->key, sizeof spelling, spelling);
    fprintf(stream, "| `--%s%s", spelling, option->argument != NULL ? " " : "");
    if (option->argument != NULL) print_cell(stream, option->argument);
    fprintf(stream, "` | ");
    print_cell(stream, option->help);
    for (int i = 0; hf_option_choice_get(option, i, &choice); i++)
        fprintf(stream, "%s `%s`: %s", i > 0 ? ";" : ".", choice.name, choice.about);
    if (option->more != NULL) fprintf(stream, ". %s", option->more);
    fprintf(stream, " | ");
    if (option->default_value != NULL) fprintf(stream, "`%s` ", option->default_value);
    if (option->unit != NULL)
        fprintf(stream, "%s%s ", option->default_value != NULL ? "" : "in ", option->unit);
    fprintf(stream, "|\n");
}

void hf_print_option_page(FILE *stream)
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
        print_option(stream, option);
    }
}
