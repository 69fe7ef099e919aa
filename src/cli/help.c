/* Help and version, made from the table of options; and the line of a failure. */
#include "cli.h"

#include <signal.h>
#include <string.h>

enum { WIDTH = 88, INDENT = 32 };

/** Prints words from column *column on, breaking lines at WIDTH. */
static void print_wrapped(FILE *stream, int *column, const char *text)
{
    struct hf_word word;
    while (hf_next_word(&text, &word)) {
        if (*column + 1 + word.length > WIDTH) {
            fprintf(stream, "\n%*s", INDENT - 1, "");
            *column = INDENT - 1;
        }
        fprintf(stream, " %.*s", word.length, word.begin);
        *column += 1 + word.length;
    }
}

void hf_option_default_text(const struct hf_option *option, size_t size, char text[])
{
    text[0] = '\0';
    if (option->default_value != NULL)
        snprintf(text, size, "(default %s%s%s)", option->default_value,
                 option->unit != NULL ? " " : "", option->unit != NULL ? option->unit : "");
}

static void print_option(FILE *stream, const struct hf_option *option)
{
    char spelling[40], text[120];
    struct hf_option_choice choice;
    hf_option_spelling(option->key, sizeof spelling, spelling);
    int column = fprintf(stream, "  --%s%s%s", spelling, option->argument != NULL ? " " : "",
                         option->argument != NULL ? option->argument : "");
    if (column < INDENT - 1) column += fprintf(stream, "%*s", INDENT - 1 - column, "");
    print_wrapped(stream, &column, option->help);
    hf_option_default_text(option, sizeof text, text);
    print_wrapped(stream, &column, text);
    fprintf(stream, "\n");
    if (option->type != HF_OPTION_CHOICE) return;
    for (int i = 0; hf_option_choice_get(option, i, &choice); i++) {
        if (choice.refused != NULL) continue;
        column = fprintf(stream, "%*s %s:", INDENT, "", choice.name);
        print_wrapped(stream, &column, choice.about);
        fprintf(stream, "\n");
    }
}

void hf_print_help(FILE *stream)
{
    int n = 0;
    const struct hf_option *table = hf_option_table(&n);
    fprintf(stream,
            "Usage: hf [options] FILE\n"
            "       mpiexec -n RANKS hf [options] FILE\n\n"
            "Computes the Hartree-Fock energy of the molecule in FILE: native input (keys and a\n"
            "geometry block), an MDL molfile (V2000 or V3000) or XYZ, recognised by content.\n"
            "Every option but the last six is also a key of the native input (with _ for -);\n"
            "the command line overrides the file. --key value and --key=value are the same.\n\n");
    for (int i = 0; i < n; i++) print_option(stream, &table[i]);
    fprintf(
        stream,
        "  --check                       read and check the input, print what would run and the\n"
        "                                memory it needs, compute nothing\n"
        "  --list-basis [NAME]           print the basis sets there are, or what is in one, and "
        "stop\n"
        "  --self-test [quick|full]      compute installed reference cases, compare energies, and "
        "stop\n"
        "  --show FILE                   print what is in a checkpoint and stop\n"
        "  -h, --help                    print this and stop\n"
        "  -V, --version                 print the versions of hf and its libraries and stop\n\n"
        "Native input:\n\n"
        "  title   water\n"
        "  method  rhf\n"
        "  basis   cc-pVDZ        # basis O aug-cc-pVDZ: for an element; basis 2 STO-3G: an atom\n"
        "  units   bohr\n"
        "  geometry\n"
        "    O  0.0   0.0          0.22166487\n"
        "    H  0.0   1.43090062  -0.88665950\n"
        "    H  0.0  -1.43090062  -0.88665950    # @H or Gh(H): a ghost atom\n"
        "  end\n\n"
        "Exit code: 0 converged; 1 not converged (results are written); 2 bad input or usage;\n"
        "3 out of memory, disk or limits of a library, self-test failed; 129, 130, 143 ended by\n"
        "SIGHUP, SIGINT, SIGTERM.\n");
}

void hf_print_version(FILE *stream)
{
    struct hf_library_versions versions;
    hf_library_versions_get(&versions);
    fprintf(stream, "hf %s\n", hf_version());
    fprintf(stream, "MPI: %s, built with %s\n", versions.mpi_found, versions.mpi_built);
    fprintf(stream, "Libint: %s\n", versions.libint);
    if (versions.blas[0] != '\0') fprintf(stream, "BLAS: %s\n", versions.blas);
    if (versions.scalapack[0] != '\0') fprintf(stream, "ScaLAPACK: %s\n", versions.scalapack);
    fprintf(stream, "HDF5: %s\n", versions.hdf5);
}

int hf_exit_code(hf_status status, const struct hf_error *error)
{
    enum { SIGNAL_BASE = 128 };
    if (status != HF_INTERRUPTED) return (int)status;
    return error->signal_number == HF_TIME_IS_UP ? (int)HF_NOT_CONVERGED
                                                 : SIGNAL_BASE + error->signal_number;
}

/** A line on standard error in which nothing can move the cursor. */
static void print_line(const char *program, const char *kind, const char *message)
{
    fprintf(stderr, "%s: %s", program, kind);
    for (const char *c = message; *c != '\0'; c++)
        fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, stderr);
    fputc('\n', stderr);
}

void hf_print_warnings(const char *program, int n, char *const warning[])
{
    fflush(stdout);
    for (int i = 0; i < n; i++) print_line(program, "warning: ", warning[i]);
}

void hf_print_error(const char *program, const struct hf_error *error)
{
    if (error->signal_number == SIGPIPE) return;
    fflush(stdout);
    print_line(program, "", error->message);
}
