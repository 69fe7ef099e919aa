/* Help and version, written from the table of options; the line of a failure. */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 23 };

static const char rest[] =
    "\nEvery option is also a key of the native input (with _ for -), except those\n"
    "under \"Instead of computing\". The command line overrides the file.\n"
    "--key value and --key=value are the same.\n\n"
    "Native input:\n\n"
    "  title   water\n"
    "  method  rhf\n"
    "  basis   cc-pVDZ                     # for all atoms\n"
    "  basis   O aug-cc-pVDZ               # for oxygen; basis 2 STO-3G: for atom 2\n"
    "  units   bohr\n"
    "  geometry\n"
    "    O  0.0   0.0          0.22166487\n"
    "    H  0.0   1.43090062  -0.88665950\n"
    "    H  0.0  -1.43090062  -0.88665950  # @H or Gh(H): a ghost atom\n"
    "  end\n\n"
    "Exit code: 0 converged; 1 not converged (results are written); 2 bad input or\n"
    "usage; 3 out of memory, disk or limits of a library, or the self-test failed;\n"
    "128 + N ended by signal N.\n";

/** Prints words from column *column on; breaks lines at WIDTH and continues them at column `indent`. */
static void print_wrapped(FILE *stream, int *column, int indent, const char *text)
{
    struct hf_word word;
    while (hf_next_word(&text, &word)) {
        if (*column + 1 + word.length > WIDTH) *column = fprintf(stream, "\n%*s", indent, "") - 1;
        *column += fprintf(stream, " %.*s", word.length, word.begin);
    }
}

void hf_option_default_text(const struct hf_option *option, size_t size, char text[])
{
    const char *value = option->default_value, *unit = option->unit;
    text[0] = '\0';
    if (value != NULL)
        snprintf(text, size, "[%s%s%s]", value, unit != NULL ? " " : "", unit != NULL ? unit : "");
    else if (unit != NULL)
        snprintf(text, size, "(in %s)", unit);
}

void hf_print_option(FILE *stream, const struct hf_option *option, bool in_full)
{
    char text[200];
    struct hf_option_choice choice;
    hf_option_spelling(option->key, sizeof text, text);
    int column = fprintf(stream, "  --%s%s%s", text, option->argument != NULL ? " " : "",
                         option->argument != NULL ? option->argument : "");
    if (column > INDENT) column = fprintf(stream, "\n") - 1;
    column += fprintf(stream, "%*s", INDENT - column, "");
    print_wrapped(stream, &column, INDENT, option->help);
    if (option->type == HF_OPTION_CHOICE && !in_full) {
        hf_option_choice_names(option, sizeof text, text);
        column += fprintf(stream, ":");
        print_wrapped(stream, &column, INDENT, text);
    }
    hf_option_default_text(option, sizeof text, text);
    print_wrapped(stream, &column, INDENT, text);
    fprintf(stream, "\n");
    hf_option_effect_text(option, sizeof text, text);
    const char *const sentences[] = {option->more != NULL ? option->more : "", text};
    for (int i = 0; in_full && i < 2; i++) {
        if (sentences[i][0] == '\0') continue;
        column = fprintf(stream, "%*s", INDENT, "");
        print_wrapped(stream, &column, INDENT, sentences[i]);
        fprintf(stream, "\n");
    }
    for (int i = 0; in_full && hf_option_choice_get(option, i, &choice); i++) {
        column = fprintf(stream, "%*s   %s:", INDENT, "", choice.name);
        print_wrapped(stream, &column, INDENT + 4, choice.about);
        fprintf(stream, "\n");
    }
}

hf_status hf_print_help(FILE *stream, const char *topic, struct hf_error *error)
{
    const bool all = topic != NULL && strcmp(topic, "all") == 0;
    const struct hf_option *option;
    const char *group = NULL;
    if (topic != NULL && !all) {
        HF_CHECK(hf_listed_option_find(topic, &option, error));
        hf_print_option(stream, option, true);
        return HF_OK;
    }
    fprintf(stream,
            "Usage: hf [options] FILE      or: mpiexec -n RANKS hf [options] FILE\n\n"
            "Computes Hartree-Fock and MP2 energies, forces, structures, vibrations. FILE is\n"
            "native input, molfile, XYZ or QCSchema; many with --each FILE...; [defaults].\n");
    for (int i = 0; (option = hf_listed_option(i)) != NULL; i++) {
        if (option->group != NULL) group = option->group;
        if (!all && !option->everyday) continue;
        if (group != NULL) fprintf(stream, "\n%s:\n", group);
        group = NULL;
        hf_print_option(stream, option, all);
    }
    fputs(all ? rest : "\nhf --help all shows all options, hf --help OPTION shows one in full.\n",
          stream);
    return HF_OK;
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

/** Writes a line to standard error, without control characters. It is one write, because the launcher also writes
 *  there and splits lines that come in pieces. */
static void print_line(const char *program, const char *kind, const char *message)
{
    char line[2048];
    const int length = snprintf(line, sizeof line - 1, "%s: %s%s", program, kind, message);
    const int room = (int)sizeof line - 2, n = length < room ? length : room;
    for (int i = 0; i < n; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f) line[i] = '?';
    memcpy(line + n, "\n", 2);
    fputs(line, stderr);
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
