/* The manual page of hf: its options come from the table, its examples are run by a test. */
#include "cli.h"

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
    fprintf(stream, ".TP\n.B \\-\\-");
    print_roff(stream, spelling);
    if (option->argument != NULL) fprintf(stream, " \\fI%s\\fR", option->argument);
    fprintf(stream, "\n");
    print_roff(stream, option->help);
    hf_option_default_text(option, sizeof text, text);
    fprintf(stream, " ");
    print_roff(stream, text);
    fprintf(stream, "\n");
    if (option->type != HF_OPTION_CHOICE) return;
    for (int i = 0; hf_option_choice_get(option, i, &choice); i++) {
        if (choice.refused != NULL) continue;
        fprintf(stream, ".br\n");
        print_roff(stream, choice.name);
        fprintf(stream, ": ");
        print_roff(stream, choice.about);
        fprintf(stream, "\n");
    }
}

static void print_head(FILE *stream)
{
    fprintf(stream,
            ".TH HF 1 \"\" \"hf %s\" \"User Commands\"\n"
            ".SH NAME\nhf \\- Hartree\\-Fock energies of molecules, in parallel\n"
            ".SH SYNOPSIS\n.B hf\n[options] \\fIFILE\\fR\n.br\n"
            ".B mpiexec \\-n\n\\fIRANKS\\fR \\fBhf\\fR [options] \\fIFILE\\fR\n"
            ".SH DESCRIPTION\n"
            "Computes the exact Hartree\\-Fock energy of the molecule in \\fIFILE\\fR, which is "
            "native\n"
            "input, an MDL molfile (V2000 or V3000) or XYZ and is recognised by content.\n"
            "A file without a basis set is computed with def2\\-SVP.\n"
            ".SH OPTIONS\n"
            "Every option but the last six is also a key of the native input, with _ for \\-;\n"
            "the command line overrides the file.\n",
            hf_version());
}

static void print_input_and_exit(FILE *stream)
{
    fprintf(
        stream,
        ".TP\n.BI \\-\\-show \" FILE\"\nprint what is in a checkpoint and stop\n"
        ".TP\n.B \\-\\-check\nread and check the input, print what would run and the memory it\n"
        "needs, compute nothing\n"
        ".TP\n.B \\-\\-self\\-test\n[\\fBquick\\fR|\\fBfull\\fR]\ncompute installed reference "
        "cases on the ranks\nthat there are, with every builder, scheduler and transport; print a "
        "table of "
        "energies\nand a verdict, and stop\n"
        ".TP\n.B \\-\\-list\\-basis\n[\\fINAME\\fR]\nprint the basis sets there are with their "
        "elements and\nliterature, or what is in one of them, and stop\n"
        ".TP\n.BR \\-h \", \" \\-\\-help\nprint a summary and stop\n"
        ".TP\n.BR \\-V \", \" \\-\\-version\nprint versions and stop\n"
        ".SH NATIVE INPUT\n.nf\n"
        "title   water\nmethod  rhf\nbasis   cc\\-pVDZ   # a comment\nunits   bohr\ngeometry\n"
        "  O  0.0   0.0          0.22166487\n  H  0.0   1.43090062  \\-0.88665950\n"
        "  H  0.0  \\-1.43090062  \\-0.88665950\nend\n.fi\n"
        ".SH EXIT STATUS\n"
        "0 converged; 1 not converged, results are written; 2 bad input or usage; 3 out of "
        "memory,\n"
        "disk or limits of a library, or the self\\-test failed; 129, 130 and 143 ended by "
        "SIGHUP,\n"
        "SIGINT and SIGTERM.\n");
}

static void print_examples(FILE *stream)
{
    static const char *const example[][2] = {
        {"hf water.mol", "One process needs no mpiexec."},
        {"mpiexec -n 2 hf --basis cc-pVTZ --json methanol.json methanol.xyz",
         "A molecule without keys of its own; the results are written to a file as well."},
        {"mpiexec -n 2 hf water.mol --basis cc-pVDZ --basis O=aug-cc-pVDZ",
         "Another basis set for the atoms of one element."},
        {"mpiexec -n 2 hf uracil.mol --fock distributed --onesided rma --schedule steal",
         "Matrices in blocks over all ranks, tasks taken by whoever is idle."},
        {"hf oxygen.mol --multiplicity 3 --method rohf",
         "An open shell of high spin; without a method UHF."},
        {"mpiexec -n 2 hf --self-test", "Whether hf and the MPI library work on this machine."},
        {"hf --check uracil-dimer.mol", "What would run and the memory it needs."},
    };
    fprintf(stream, ".SH EXAMPLES\n");
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        fprintf(stream, ".TP\n.B ");
        print_roff(stream, example[i][0]);
        fprintf(stream, "\n%s\n", example[i][1]);
    }
}

static void print_surroundings(FILE *stream)
{
    fprintf(
        stream,
        ".SH ENVIRONMENT\n.TP\n.B HF_BASIS_PATH\n"
        "directories with basis sets, separated by colons, looked at first\n"
        ".SH FILES\n"
        ".TP\n.I share/hf/basis/*.gbs\n"
        "basis sets in the format of Gaussian 94, beside the installed program: of several files\n"
        "with one name the first counts, in the order HF_BASIS_PATH, the tree that the library "
        "is in\n"
        "(also one that was moved), the tree it was installed to\n"
        ".TP\n.I share/hf/reference/*.json\n"
        "reference energies of the self\\-test, each file with the programs that computed it;\n"
        "directories in HF_REFERENCE_PATH are looked at first\n"
        ".TP\n.I share/doc/hf/\n"
        "guides for users, for clusters and for programs that use the library\n"
        ".SH NOTES\n"
        "When hf ends with another code than 0, Open MPI's mpiexec adds lines of its own; the "
        "option\n"
        ".B \\-\\-quiet\nof mpiexec, or OMPI_MCA_orte_execute_quiet=1 in the environment, silences "
        "them\n"
        "(and everything else that mpiexec has to say).\n"
        "With ranks on several hosts, Open MPI's mpiexec notices a cut link between them after 480 "
        "s;\n"
        "with\n.B \\-\\-mca oob_tcp_keepalive_time 10 \\-\\-mca oob_tcp_keepalive_intvl 5 "
        "\\-\\-mca\n"
        ".B oob_tcp_keepalive_probes 2\nthe job ends within 30 s; hf warns where they are not "
        "set.\n"
        "When mpiexec itself gets SIGINT or SIGTERM it passes the signal on, but the exit code it\n"
        "then returns is its own.\n"
        ".SH SEE ALSO\n.BR hf\\-bench (1),\n.BR mpiexec (1)\n");
}

void hf_print_manual(FILE *stream)
{
    int n = 0;
    const struct hf_option *table = hf_option_table(&n);
    print_head(stream);
    for (int i = 0; i < n; i++) print_option(stream, &table[i]);
    print_input_and_exit(stream);
    print_examples(stream);
    print_surroundings(stream);
}
