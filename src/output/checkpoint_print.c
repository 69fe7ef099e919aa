/* What --show prints. */
#include "output_private.h"

#include "text/text.h"

/** Text of a file, which may hold anything, as one line of printable characters. */
static void print_text(FILE *stream, const char *label, const char *text)
{
    fprintf(stream, "%-14s", label);
    for (const char *c = text; *c != '\0'; c++)
        fputc((unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c, stream);
    fputc('\n', stream);
}

static void print_molecule(const struct hf_checkpoint *checkpoint, FILE *stream)
{
    const struct hf_molecule *molecule = &checkpoint->molecule;
    if (molecule->title != NULL) print_text(stream, "Title", molecule->title);
    hf_print_molecule(stream, molecule);
    fprintf(stream, "              hash %s\n", checkpoint->molecule_hash);
    fprintf(stream, "\n  %5s  %-8s %14s %14s %14s\n", "Atom", "Element", "x/angstrom", "y/angstrom",
            "z/angstrom");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        char name[16];
        snprintf(name, sizeof name, "%s%s", hf_element_symbol(atom->atomic_number),
                 atom->ghost ? " ghost" : "");
        fprintf(stream, "  %5d  %-8s %14.8f %14.8f %14.8f\n", i + 1, name,
                atom->position_bohr[0] * HF_BOHR_IN_ANGSTROM,
                atom->position_bohr[1] * HF_BOHR_IN_ANGSTROM,
                atom->position_bohr[2] * HF_BOHR_IN_ANGSTROM);
    }
    fprintf(stream, "\n");
}

static void print_settings(const struct hf_checkpoint *checkpoint, FILE *stream)
{
    const struct hf_basis *basis = checkpoint->basis;
    char line[400];
    snprintf(line, sizeof line, "%.80s/%.200s", checkpoint->method, checkpoint->basis_requested);
    print_text(stream, "Method", line);
    snprintf(line, sizeof line,
             "%.100s: %d functions in %d shells, %d primitives, l up to %d; hash %s", basis->name,
             basis->n_function, basis->n_shell, basis->n_primitive, basis->max_l,
             checkpoint->basis_hash);
    print_text(stream, "Basis", line);
    for (int i = 0; i < checkpoint->n_setting; i++) {
        snprintf(line, sizeof line, "%-20.60s %.300s", checkpoint->setting[i].key,
                 checkpoint->setting[i].value);
        print_text(stream, i == 0 ? "Settings" : "", line);
    }
}

static void print_iterations(const struct hf_checkpoint *checkpoint, FILE *stream)
{
    if (checkpoint->n_iteration == 0) return;
    fprintf(stream, "\n  %4s %20s %14s %12s %9s\n", "Iter", "Energy/hartree", "Change",
            "Commutator", "Seconds");
    for (int i = 0; i < checkpoint->n_iteration; i++) {
        const struct hf_scf_iteration *iteration = &checkpoint->iteration[i];
        fprintf(stream, "  %4d %20.10f %14.3e %12.3e %9.3f\n", iteration->number, iteration->energy,
                iteration->energy_change, iteration->commutator, iteration->seconds);
    }
    fprintf(stream, "\n");
}

/** Energies beside the gap. */
static void print_orbitals(const struct hf_checkpoint *checkpoint, FILE *stream)
{
    const struct hf_scf_restart *state = &checkpoint->state;
    for (int k = 0; k < state->n_spin; k++) {
        const struct hf_checkpoint_orbitals *orbitals = &checkpoint->spin[k];
        const int o = orbitals->n_occupied;
        const int n_single = state->n_spin == 1 ? checkpoint->molecule.multiplicity - 1 : 0;
        const char *const spin[] = {"alpha", "beta"};
        fprintf(stream, "%-14s", k == 0 ? "Orbitals" : "");
        if (state->n_spin > 1) fprintf(stream, "of %s ", spin[k]);
        fprintf(stream, "%d from %d functions, ", state->n_orbital, state->n_function);
        if (n_single > 0 && n_single <= o)
            fprintf(stream, "%d doubly and %d singly occupied", o - n_single, n_single);
        else
            fprintf(stream, "%d occupied", o);
        if (state->n_column[k] == 0)
            fprintf(stream, "; none are stored yet");
        else
            fprintf(stream, "; the %s %d are stored",
                    o == state->n_column[k] ? "occupied" : "lowest", state->n_column[k]);
        if (state->n_column[k] > 0 && o > 0)
            fprintf(stream, ", the highest occupied at %.6f hartree", orbitals->energy[o - 1]);
        fprintf(stream, "\n");
    }
    fprintf(stream, "DIIS          %d Fock matrices\n", state->n_diis);
}

/** What local MP2 added. */
static void print_added(const struct hf_checkpoint *checkpoint, FILE *stream)
{
    int n_orbital = 0, n_atom = 0, n = 0, one = 0;
    if (!hf_checkpoint_added(checkpoint, HF_CHECKPOINT_LOCAL_MP2 "/domains", &n_orbital, &n_atom))
        return;
    fprintf(stream, "Local MP2     domains of %d orbitals", n_orbital);
    if (hf_checkpoint_added(checkpoint, HF_CHECKPOINT_LOCAL_MP2 "/integrals", &n, &one))
        fprintf(stream, "; integrals of their pairs, %.1f MB", 8e-6 * n);
    fprintf(stream, "\n");
}

static void print_state(const struct hf_checkpoint *checkpoint, FILE *stream)
{
    static const char *const reasons[] = {"written while it ran", "interrupted", "finished"};
    const struct hf_scf_restart *state = &checkpoint->state;
    char word[1000];
    const char *path = hf_shell_word(checkpoint->path, sizeof word, word);
    fprintf(stream, "State         %s after %d iterations and %.1f s%s\n",
            reasons[checkpoint->reason], state->n_iteration, checkpoint->seconds,
            checkpoint->converged                    ? ", converged"
            : checkpoint->reason == HF_KEEP_FINISHED ? ", not converged"
                                                     : "");
    if (state->n_iteration > 0)
        fprintf(stream, "Energy        %.10f hartree%s\n", state->energy,
                checkpoint->converged ? "" : " (not converged)");
    print_orbitals(checkpoint, stream);
    print_added(checkpoint, stream);
    fprintf(stream, "To continue   hf --restart %s\n", path);
    fprintf(stream,
            "Other start   hf INPUT --guess %s starts another calculation from its orbitals\n",
            path);
}

void hf_checkpoint_print(const struct hf_checkpoint *checkpoint, FILE *stream)
{
    char line[200];
    fprintf(stream, "Checkpoint    %s, %.1f MB\n", checkpoint->path, 1e-6 * checkpoint->file_bytes);
    snprintf(line, sizeof line, "by hf %.60s at %.60s, layout %d", checkpoint->program_version,
             checkpoint->written, checkpoint->version);
    print_text(stream, "Written", line);
    print_molecule(checkpoint, stream);
    print_settings(checkpoint, stream);
    print_iterations(checkpoint, stream);
    print_state(checkpoint, stream);
}
