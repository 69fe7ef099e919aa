/* The options in the manual page of hf. */
#include "cli.h"

#include <string.h>

/** Text with the characters that mean something to troff made harmless. */
static void print_roff(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '-' || *c == '\\') fputc('\\', stream);
        fputc(*c, stream);
    }
}

static void print_option(FILE *stream, const struct hf_option *option)
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
    for (int i = 0; hf_option_choice_get(option, i, &choice); i++) {
        fprintf(stream, ".br\n");
        print_roff(stream, choice.name);
        fprintf(stream, ": ");
        print_roff(stream, choice.about);
        fprintf(stream, "\n");
    }
}

void hf_print_manual(FILE *stream, FILE *page)
{
    char line[400];
    const struct hf_option *option;
    while (fgets(line, sizeof line, page) != NULL) {
        fputs(line, stream);
        if (strstr(line, "hf-manual writes the options here") == NULL) continue;
        for (int i = 0; (option = hf_listed_option(i)) != NULL; i++) print_option(stream, option);
    }
}
