/* Writes the manual page of hf-bench around its help text; run once when hf-bench is built. */
#include "bench.h"

#include "output/output.h"

#include <stdlib.h>

static const char rest[] =
    ".SH EXAMPLES\n"
    ".TP\n.B mpiexec \\-n 2 hf\\-bench pingpong\n"
    "Latency and bandwidth; the JSON file of this is what tools/replay takes with \\-\\-pingpong.\n"
    ".TP\n.B mpiexec \\-n 4 hf\\-bench counter \\-\\-quick\n"
    "Does the shared counter work, and does it wait for rank 0 to come by?\n"
    ".TP\n.B mpiexec \\-n 4 hf\\-bench accumulate \\-\\-json accumulate.json\n"
    "Bandwidth of additions to the memory of another rank, with every single measurement.\n"
    ".SH FILES\n"
    ".TP\n.I share/doc/hf/docs/laboratory.md\n"
    "what every kernel does, numbers of two MPI libraries, and the members of the JSON file\n"
    ".SH SEE ALSO\n.BR hf (1),\n.BR mpiexec (1)\n";

/** Prints the text as it is, line by line; escapes characters that troff would interpret. */
static void print_verbatim(const char *text)
{
    bool line_begins = true;
    printf(".nf\n");
    for (const char *c = text; *c != '\0'; c++) {
        if (line_begins && (*c == '.' || *c == '\'')) printf("\\&");
        if (*c == '-' || *c == '\\') putchar('\\');
        putchar(*c);
        line_begins = *c == '\n';
    }
    printf(".fi\n");
}

int main(void)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return EXIT_FAILURE;
    hf_bench_print_help(stream);
    if (fclose(stream) != 0) return EXIT_FAILURE;
    printf(
        ".TH HF-BENCH 1 \"\" \"hf %s\" \"User Commands\"\n"
        ".SH NAME\nhf-bench \\- measurements of what hf asks of an MPI library\n"
        ".SH SYNOPSIS\n.B mpiexec \\-n\n\\fIRANKS\\fR \\fBhf\\-bench\\fR \\fIKERNEL\\fR [options]\n"
        ".SH DESCRIPTION\n",
        hf_version());
    print_verbatim(text);
    printf("%s", rest);
    free(text);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
