/* The report before anything is computed: program, molecule, basis set, settings, warnings. */
#include "output/output.h"
#include "schedule/schedule.h"

#include "output_private.h"

#include <math.h>
#include <string.h>

static void print_program(const struct hf_report *report, const struct hf_run_description *run,
                          const struct hf_record *record)
{
    const struct hf_library_versions *versions = &record->versions;
    FILE *out = report->stream;
    fprintf(out, "hf %s: exact Hartree-Fock energies of molecules, in parallel\n\n", hf_version());
    fprintf(out, "Program\n");
    fprintf(out, "  %-22s %s (built with %s)\n", "MPI library", versions->mpi_found,
            versions->mpi_built);
    fprintf(out, "  %-22s Libint %s, ScaLAPACK %s\n", "Libraries", versions->libint,
            versions->scalapack);
    if (versions->blas[0] != '\0') fprintf(out, "  %-22s %s\n", "BLAS", versions->blas);
    fprintf(out, "  %-22s %d", "Ranks", report->context->n_rank);
    if (run->n_node > 1) fprintf(out, " on %d hosts", run->n_node);
    if (report->n_core > 0) fprintf(out, "; %d cores usable on this node", report->n_core);
    if (run->n_numa > 1) fprintf(out, " in %d NUMA domains", run->n_numa);
    fprintf(out, "\n");
    if (record->build_remark != NULL) fprintf(out, "  %-22s %s\n", "Build", record->build_remark);
}

static void print_molecule(FILE *out, const struct hf_run_description *run)
{
    const struct hf_molecule *molecule = run->molecule;
    int n_ghost = 0;
    for (int i = 0; i < molecule->n_atom; i++) n_ghost += molecule->atom[i].ghost;
    fprintf(out, "\nMolecule\n");
    if (molecule->title != NULL && molecule->title[0] != '\0')
        fprintf(out, "  %-22s %s\n", "Title", molecule->title);
    fprintf(out, "  %-22s %s (%s format)\n", "Read from", run->input_path, run->input_format);
    fprintf(out, "  %-22s %d\n", "Charge", molecule->charge);
    fprintf(out, "  %-22s %d\n", "Multiplicity", molecule->multiplicity);
    fprintf(out, "  %-22s %d", "Electrons", hf_molecule_n_electron(molecule));
    hf_print_electrons(out, molecule);
    fprintf(out, "\n");
    if (hf_molecule_n_core(molecule) > 0)
        fprintf(out, "  %-22s %d (effective core potentials)\n", "Core electrons",
                hf_molecule_n_core(molecule));
    fprintf(out, "  %-22s %d", "Atoms", molecule->n_atom - n_ghost);
    if (n_ghost > 0) fprintf(out, " and %d ghosts", n_ghost);
    fprintf(out, "\n  %-22s %.10f hartree\n", "Nuclear repulsion", run->nuclear_repulsion);
    hf_print_environment(out, "  ", 22, molecule);
    fprintf(out, "\n");
    fprintf(out, "  %5s  %-8s %12s %13s %13s   %12s %13s %13s\n", "Atom", "", "x/bohr", "y/bohr",
            "z/bohr", "x/angstrom", "y/angstrom", "z/angstrom");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        const double *r = atom->position_bohr;
        char name[16];
        snprintf(name, sizeof name, "%s%s", hf_element_symbol(atom->atomic_number),
                 atom->ghost ? " ghost" : "");
        fprintf(out, "  %5d  %-8s %12.8f %13.8f %13.8f   %12.8f %13.8f %13.8f\n", i + 1, name, r[0],
                r[1], r[2], r[0] * HF_BOHR_IN_ANGSTROM, r[1] * HF_BOHR_IN_ANGSTROM,
                r[2] * HF_BOHR_IN_ANGSTROM);
    }
}

static void print_indented_lines(FILE *out, const char *label, const char *text)
{
    while (*text != '\0') {
        const int length = (int)strcspn(text, "\n");
        fprintf(out, "  %-22s %.*s\n", label, length, text);
        text += length;
        if (*text == '\n') text++;
        label = "";
    }
}

/** Whether an atom has a core of so many electrons. */
static bool has_core(const struct hf_atom *atom, int atomic_number, int n_core)
{
    return atom->atomic_number == atomic_number && atom->n_core == n_core && !atom->ghost;
}

/** Prints `before` and " I"; adds " (atoms 1, 3)" if other atoms of the element have another core or none. If no atom
 *  has n_core core electrons, prints nothing and returns false. */
static bool print_atoms_of_core(FILE *out, const char *before, const struct hf_molecule *molecule,
                                int atomic_number, int n_core)
{
    int n = 0, n_other = 0;
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        const bool has = has_core(atom, atomic_number, n_core);
        n += has;
        n_other += !has && !atom->ghost && atom->atomic_number == atomic_number;
    }
    if (n == 0) return false;
    fprintf(out, "%s %s", before, hf_element_symbol(atomic_number));
    if (n_other == 0) return true;
    const char *separator = n > 1 ? " (atoms " : " (atom ";
    for (int i = 0; i < molecule->n_atom; i++) {
        if (!has_core(&molecule->atom[i], atomic_number, n_core)) continue;
        fprintf(out, "%s%d", separator, i + 1);
        separator = ", ";
    }
    fprintf(out, ")");
    return true;
}

/** What has a core, by rising atomic number, one line for each core: "28 electrons of Ag I". */
static void print_cores(FILE *out, const struct hf_molecule *molecule)
{
    enum { N_ELEMENT = 118 };
    const char *label = "Core potentials";
    for (int n_core = 2; n_core <= N_ELEMENT; n_core += 2) {
        char before[64];
        snprintf(before, sizeof before, "  %-22s %d electrons of", label, n_core);
        bool any = false;
        for (int z = 1; z <= N_ELEMENT; z++)
            any |= print_atoms_of_core(out, any ? "" : before, molecule, z, n_core);
        if (any) fprintf(out, "\n");
        if (any) label = "";
    }
}

static void print_basis(FILE *out, const struct hf_run_description *run)
{
    static const char letters[] = "spdfghi";
    const struct hf_basis *basis = run->basis;
    double n_shell[HF_MAX_L + 1];
    hf_count_shells(basis, n_shell);
    fprintf(out, "\nBasis set\n");
    fprintf(out, "  %-22s %s (given as %s)\n", "Name", basis->name, run->basis_requested);
    fprintf(out, "  %-22s %d (", "Shells", basis->n_shell);
    const char *separator = "";
    for (int l = 0; l <= HF_MAX_L; l++) {
        if (n_shell[l] == 0.0) continue;
        fprintf(out, "%s%.0f %c", separator, n_shell[l], letters[l]);
        separator = ", ";
    }
    fprintf(out, ") of %d primitives\n", basis->n_primitive);
    fprintf(out, "  %-22s %d\n", "Functions", basis->n_function);
    fprintf(out, "  %-22s %s\n", "d and higher", hf_basis_convention_name(basis));
    print_cores(out, run->molecule);
    if (basis->citation != NULL) print_indented_lines(out, "Literature", basis->citation);
}

/** Which scheduler, why, and what it does. */
static void print_scheduler(FILE *out, const struct hf_scheduler_settings *schedule)
{
    const char *why = schedule->asked_for ? "as given" : "by default";
    for (int i = 0; hf_scheduler_list[i] != NULL; i++)
        if (strcmp(hf_scheduler_list[i]->name, schedule->name) == 0)
            fprintf(out, "  %-22s %s, %s: %s\n", "Tasks", schedule->name, why,
                    hf_scheduler_list[i]->about);
}

static void print_fock(FILE *out, const struct hf_fock_settings *fock)
{
    fprintf(out, "  %-22s %s; tasks: %s, scheduler: %s", "Fock builder", fock->builder,
            hf_grain_name(fock->grain), fock->schedule.name);
    if (strcmp(fock->schedule.name, "counter") == 0)
        fprintf(out, " (%s%s)", hf_counter_method_name(fock->schedule.counter),
                fock->schedule.progress_thread ? ", progress thread" : "");
    fprintf(out, "\n");
    print_scheduler(out, &fock->schedule);
    fprintf(out, "  %-22s %s\n", "Integrals",
            fock->precision == HF_DOUBLE_PRECISION
                ? "double precision"
                : "single precision where its errors are below the screening's, double elsewhere");
    if (fock->coulomb == HF_COULOMB_ENGINE || fock->coulomb == HF_COULOMB_MULTIPOLES)
        fprintf(out, "  %-22s products of primitives, separate from exchange%s\n", "Coulomb",
                fock->coulomb == HF_COULOMB_MULTIPOLES ? "; far ones by multipoles" : "");
    if (fock->reproducible)
        fprintf(
            out,
            "  %-22s J and K in exact sums; matrices of the SCF on rank 0; no stored integrals\n",
            "Reproducible");
    if (fock->n_thread > 1) fprintf(out, "  %-22s %d per rank\n", "Threads", fock->n_thread);
    if (hf_fock_is_distributed(fock->builder))
        fprintf(out, "  %-22s %s, %s adds\n", "One-sided", fock->onesided.transport,
                hf_accumulate_name(fock->onesided.accumulate));
}

/** What the run is expected to take, and what there is. The parts add up to the memory of a rank; the larger one of stored
 *  integrals and of what is needed after the SCF counts. */
static void print_need(FILE *out, const struct hf_memory_need *need)
{
    fprintf(
        out,
        "  %-22s about %.1f MB per rank at most (program %.1f, matrices %.1f, shell pairs %.1f, "
        "threads %.1f, stored integrals %.1f)\n",
        "Memory", 1e-6 * need->rank, 1e-6 * need->program, 1e-6 * need->matrices,
        1e-6 * need->pairs, 1e-6 * need->threads, 1e-6 * need->stored);
    if (need->after >= 0.05e6) /* else 0.0 */
        fprintf(out, "  %-22s %.1f MB per rank after the SCF, instead of stored integrals\n", "",
                1e-6 * need->after);
    fprintf(out, "  %-22s about %.1f MB for the ranks of a node, here %d", "", 1e-6 * need->node,
            need->n_node_rank);
    if (isfinite(need->left)) fprintf(out, "; %.1f MB are available there", 1e-6 * need->left);
    fprintf(out, "\n");
}

static void print_settings(FILE *out, const struct hf_run_description *run)
{
    const struct hf_scf_settings *settings = run->settings;
    fprintf(out, "\nSettings\n");
    const char *convention = hf_method_convention(run->method);
    fprintf(out, "  %-22s %s%s%s\n", "Method", run->method, convention[0] != '\0' ? ", " : "",
            convention);
    if (run->tasks != NULL) fprintf(out, "  %-22s %s\n", "Task", run->tasks);
    if (settings->restart != NULL && settings->restart->n_column[0] > 0)
        fprintf(out, "  %-22s orbitals of the checkpoint%s\n", "Initial guess",
                settings->restart->is_guess ? ", then occupied in another way" : "");
    else
        fprintf(out, "  %-22s %s%s\n", "Initial guess", settings->guess,
                settings->guess_mix ? ", then orbitals of alpha and beta mixed" : "");
    print_fock(out, &settings->fock);
    fprintf(out, "  %-22s energy %.1e hartree and commutator %.1e, at most %d iterations\n",
            "Convergence", settings->energy_tolerance, settings->commutator_tolerance,
            settings->max_iteration);
    if (settings->smearing > 0.0)
        fprintf(out, "  %-22s of Fermi and Dirac at kT = %g hartree\n", "Occupations",
                settings->smearing);
    fprintf(out, "  %-22s %.1e hartree in the last iterations\n", "Screening",
            settings->screening_threshold);
    fprintf(out, "  %-22s overlap eigenvalues below %.1e\n", "Linear dependence",
            settings->linear_dependence_threshold);
    if (settings->diis_size > 0)
        fprintf(out, "  %-22s %d Fock matrices\n", "DIIS", settings->diis_size);
    else
        fprintf(out, "  %-22s off\n", "DIIS");
}

void hf_report_header(struct hf_report *report, const struct hf_run_description *run,
                      const struct hf_record *record)
{
    report->n_core = run->n_core;
    if (report->stream == NULL) return;
    print_program(report, run, record);
    if (run->need != NULL) print_need(report->stream, run->need);
    print_molecule(report->stream, run);
    print_basis(report->stream, run);
    print_settings(report->stream, run);
    if (run->n_note + run->n_warning > 0) fprintf(report->stream, "\n");
    for (int i = 0; i < run->n_note; i++) fprintf(report->stream, "Note: %s\n", run->note[i]);
    for (int i = 0; i < run->n_warning; i++)
        fprintf(report->stream, "Warning: %s\n", run->warning[i]);
    hf_report_flush(report);
}
