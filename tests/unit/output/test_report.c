/* The text report: what a reader must find in it, and who writes when. */
#include "fixture.h"

#include <stdio.h>

static const struct hf_scf_start start = {
    .n_function = 9, .n_orbital = 7, .linalg = "LAPACK on rank 0"};

/** A report into a file of this rank. */
struct written {
    FILE *stream;
    struct hf_report *report;
    char path[256];
};

static struct written open_report(const struct fixture *f)
{
    struct written w = {0};
    char name[32];
    snprintf(name, sizeof name, "report.%d", f->context->rank);
    fixture_path(f, name, sizeof w.path, w.path);
    w.stream = fopen(w.path, "w");
    assert_non_null(w.stream);
    assert_ok(hf_report_create(f->context, w.stream, &w.report, &error));
    return w;
}

/** What the file holds now, to be freed; nothing is flushed here. */
static char *close_report(struct written *w)
{
    hf_report_destroy(&w->report);
    assert_null(w->report);
    fclose(w->stream);
    return read_whole_file(w->path);
}

static void assert_contains(const char *text, const char *part)
{
    const char *whole = text != NULL ? text : "(no file)";
    if (strstr(whole, part) == NULL) fail_msg("\"%s\" is not in:\n%s", part, whole);
}

TEST_IN(header_names_everything_that_changes_the_result, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct written w = open_report(f);
    hf_report_header(w.report, &f->run, f->record);
    char *text = close_report(&w);
    static const char *const parts[] = {"MPI library",
                                        "built with",
                                        "Libint",
                                        "water and a ghost",
                                        "water.mol (native format)",
                                        "Charge                 -1",
                                        "H ghost",
                                        "x/bohr",
                                        "x/angstrom",
                                        "0.22166487",
                                        "tiny (given as TINY)",
                                        "3 (1 s, 1 p, 1 d) of 6 primitives",
                                        "spherical",
                                        "Second line of it.",
                                        "sad",
                                        "replicated; tasks: atom-quartet, scheduler: static",
                                        "1.0e-10",
                                        "\nNote: a neutral singlet is assumed\n"
                                        "Warning: atoms 1 and 2 are close\n"};
    if (f->context->rank == 0)
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) assert_contains(text, parts[i]);
    free(text);
}

TEST_IN(only_rank_zero_writes, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct written w = open_report(f);
    const struct hf_scf_observer observer = hf_report_observer(w.report);
    const struct hf_scf_iteration iteration = {.number = 1, .step = "", .energy = -75.0};
    hf_report_header(w.report, &f->run, f->record);
    observer.started(observer.data, &start);
    observer.iteration(observer.data, &iteration);
    hf_report_result(w.report, &f->run, &f->result, &f->wavefunction);
    hf_record_measure(f->record);
    hf_report_timings(w.report, &f->run, f->record, &f->result);
    char *text = close_report(&w);
    if (f->context->rank == 0)
        assert_contains(text, "Timings");
    else
        assert_string_equal(text, "");
    free(text);
}

TEST_IN(iteration_lines_are_flushed_as_they_happen, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct written w = open_report(f);
    const struct hf_scf_observer observer = hf_report_observer(w.report);
    observer.started(observer.data, &start);
    const struct hf_scf_iteration first = {.number = 1, .step = "", .percent_computed = 99.9};
    observer.iteration(observer.data, &first);
    const struct hf_scf_iteration iteration = {.number = 17,
                                               .step = "DIIS",
                                               .energy = -75.1234567891,
                                               .energy_change = -1e-3,
                                               .commutator = 2e-4,
                                               .percent_computed = 43.2};
    observer.iteration(observer.data, &iteration);
    char *text = read_whole_file(w.path);
    if (f->context->rank == 0) {
        assert_contains(text, "7 from 9 functions (2 removed");
        assert_contains(text, "    17       -75.1234567891     -1.000e-03    2.000e-04");
        assert_contains(text, "99.9\n");
        assert_contains(text, "43.2  DIIS\n");
    }
    free(text);
    free(close_report(&w));
}

TEST_IN(cores_are_told_by_atom_where_those_of_an_element_differ, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct written w = open_report(f);
    f->atom[2].ghost = false;
    for (int i = 0; i < 2; i++) f->atom[i].n_core = 2;
    hf_report_header(w.report, &f->run, f->record);
    f->atom[2].n_core = 2;
    f->atom[0].n_core = 4;
    hf_report_header(w.report, &f->run, f->record);
    f->atom[2].n_core = 4;
    hf_report_header(w.report, &f->run, f->record);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        assert_contains(text, "  Core potentials        2 electrons of H (atom 2) O\n");
        assert_contains(text, "  Core potentials        2 electrons of H\n"
                              "                         4 electrons of O\n");
        assert_contains(text, "  Core potentials        2 electrons of H (atom 2)\n"
                              "                         4 electrons of H (atom 3) O\n");
    }
    free(text);
}

TEST_IN(another_transport_than_asked_for_is_a_warning, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct written w = open_report(f);
    const struct hf_scf_observer observer = hf_report_observer(w.report);
    struct hf_scf_start changed = start;
    changed.transport = "rma";
    changed.note = "using onesided rma, since thread: no threads";
    f->settings.fock.builder = "distributed";
    f->settings.fock.onesided.transport = "thread";
    f->result.last_build.transport = "rma";
    f->result.last_build.blocks =
        (struct hf_block_counts){.n_asked = 200, .n_cached = 150, .n_own = 20};
    hf_report_header(w.report, &f->run, f->record);
    observer.started(observer.data, &changed);
    hf_record_measure(f->record);
    hf_report_timings(w.report, &f->run, f->record, &f->result);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        assert_contains(text, "One-sided              thread, owner adds\n");
        assert_contains(text, "One-sided transport    rma\n");
        assert_contains(text, "Warning: using onesided rma, since thread: no threads\n");
        assert_contains(text, "200: 75.0 % cached, 10.0 % own, 15.0 % fetched");
    }
    free(text);
}

TEST_IN(result_shows_parts_gap_and_dipole, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct written w = open_report(f);
    hf_report_result(w.report, &f->run, &f->result, &f->wavefunction);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        assert_contains(text, "Converged after 2 iterations");
        assert_contains(text, "Total energy                 -75.4333333333 hartree");
        assert_contains(text, "Virial ratio -V/T              2.0057777778");
        assert_null(strstr(text, "<S^2>"));
        assert_contains(text, "HOMO-3        -1.30000000");
        assert_contains(text, "LUMO+1 ");
        assert_contains(text, "gap            0.70000000        19.047970");
        assert_contains(text, "0.26534537"); /* norm in e bohr */
        assert_contains(text, "debye     0.25417465");
        assert_null(strstr(text, "HOMO-4"));
        assert_null(strstr(text, "Advice"));
    }
    free(text);
}

TEST_IN(what_acts_from_outside_is_shown_apart, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct hf_point_charge charge[] = {{0.5, {0.0, 3.0, 0.0}}, {-0.75, {0.0, -3.0, 0.0}}};
    f->molecule.environment =
        (struct hf_environment){.n_charge = 2, .charge = charge, .field = {0.0, 0.01, -0.002}};
    f->result.term[2] = (struct hf_energy_term){"point charges", 1.25, -1.5};
    f->result.term[3] = (struct hf_energy_term){"field", 0.125, 0.25};
    f->result.n_term = 4;
    struct written w = open_report(f);
    hf_report_header(w.report, &f->run, f->record);
    hf_report_result(w.report, &f->run, &f->result, &f->wavefunction);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        assert_contains(text, "  Point charges          2, in all -0.250000 e\n");
        assert_contains(text, "  Field                  0 0.01 -0.002 hartree/(e bohr)\n");
        assert_contains(text, "  Nuclear repulsion              4.1000000000 hartree\n");
        assert_contains(text, "  Nuclei in point charges       -1.5000000000 hartree\n");
        assert_contains(text, "  Nuclei in field                0.2500000000 hartree\n");
        assert_contains(text, "    nuclear attraction        -190.0000000000 hartree\n");
        assert_contains(text, "    point charges                1.2500000000 hartree\n");
        assert_contains(text, "    field                        0.1250000000 hartree\n");
        assert_null(strstr(text, "Virial"));
    }
    free(text);
}

TEST_IN(all_orbitals_are_shown_when_asked_for, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct written w = open_report(f);
    f->run.all_orbitals = true;
    hf_report_result(w.report, &f->run, &f->result, &f->wavefunction);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        assert_contains(text, "occupation\n");
        assert_contains(text, "1 HOMO-4        -2.00000000       -54.422772         2.0\n");
        assert_contains(text, "7 LUMO+1         2.20000000        59.865050         0.0\n");
    }
    free(text);
}

/** An open shell of the fixture's orbitals: 5 alpha and 3 beta electrons. */
static void make_triplet(struct fixture *f, const char *method, int n_spin)
{
    f->run.method = method;
    f->molecule.multiplicity = 3;
    f->molecule.charge = 1; /* 8 electrons */
    f->result.n_occupied[1] = 3;
    f->result.ideal_spin_squared = f->result.spin_squared = 2.0;
    f->wavefunction.method = method;
    f->wavefunction.n_spin = n_spin;
    for (int i = 0; i < 7; i++) f->occupation[i] = (i < 5) + (n_spin == 1 && i < 3);
}

static char *report_of(const struct fixture *f)
{
    struct written w = open_report(f);
    hf_report_header(w.report, &f->run, f->record);
    hf_report_result(w.report, &f->run, &f->result, &f->wavefunction);
    return close_report(&w);
}

TEST_IN(shared_orbitals_are_doubly_or_singly_occupied, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    make_triplet(f, "rohf", 1);
    f->run.all_orbitals = true;
    char *text = report_of(f);
    if (f->context->rank == 0) {
        assert_contains(text, "Electrons              8 (5 alpha, 3 beta)\n");
        assert_contains(text,
                        "Method                 rohf, orbital energies as Guest and Saunders");
        assert_contains(text, "<S^2>                          2.0000000000\n");
        assert_null(strstr(text, "Contamination"));
        assert_contains(text, "Orbital energies (3 doubly and 2 singly occupied of 7)\n");
        assert_contains(text, "3 HOMO          -0.60000000       -16.326832         2.0\n");
        assert_contains(text, "4 SOMO-1         0.10000000         2.721139         1.0\n");
        assert_contains(text, "5 SOMO ");
        assert_contains(text, "6 LUMO           1.50000000        40.817079         0.0\n");
        assert_contains(text, "gap            0.70000000");
    }
    free(text);
}

TEST_IN(each_spin_has_its_orbitals_and_its_gap, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    double energy[7], occupation[7];
    for (int i = 0; i < 7; i++) {
        energy[i] = -1.75 + 0.75 * i;
        occupation[i] = i < 3;
    }
    make_triplet(f, "uhf", 2);
    f->result.spin_squared = 2.034;
    f->wavefunction.spin[1] = (struct hf_orbitals){
        .n_orbital = 7, .n_occupied = 3, .energy = energy, .occupation = occupation};
    char *text = report_of(f);
    if (f->context->rank == 0) {
        assert_contains(text, "Method                 uhf\n");
        assert_contains(text, "<S^2>                          2.0340000000\n");
        assert_contains(text, "Contamination                  0.0340000000\n");
        assert_null(strstr(text, "the same as RHF"));
        assert_contains(text, "Orbital energies of alpha electrons (5 occupied of 7)\n");
        assert_contains(text, "Orbital energies of beta electrons (3 occupied of 7)\n");
        assert_contains(text, "3 HOMO          -0.25000000");
        assert_contains(text, "gap            0.75000000");
    }
    free(text);
}

TEST_IN(a_collapsed_singlet_is_called_the_same_as_rhf, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    f->wavefunction.n_spin = 2;
    f->wavefunction.spin[1] = f->wavefunction.spin[0];
    f->result.spin_squared = -1e-14;
    char *text = report_of(f);
    if (f->context->rank == 0) {
        assert_contains(text, "<S^2>                          0.0000000000\n");
        assert_contains(text, "the same as RHF");
    }
    free(text);
    f->result.spin_squared = 0.8;
    text = report_of(f);
    if (f->context->rank == 0) assert_null(strstr(text, "the same as RHF"));
    free(text);
}

TEST_IN(not_converged_is_said_with_two_lines_of_advice, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    f->result.converged = false;
    struct written w = open_report(f);
    hf_report_result(w.report, &f->run, &f->result, &f->wavefunction);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        assert_contains(text, "NOT CONVERGED after 2 iterations");
        const char *first = strstr(text, "Advice:");
        assert_non_null(first);
        const char *second = strstr(first + 1, "Advice:");
        assert_non_null(second);
        assert_null(strstr(second + 1, "Advice:"));
        assert_null(strstr(text, "--restart"));
    }
    free(text);
}

TEST_IN(the_last_tables_name_the_slowest_rank_and_what_took_memory, fixture_set_up,
        fixture_tear_down)
{
    struct fixture *f = *state;
    const int last = f->context->n_rank - 1;
    hf_timer_add(&f->context->timers, &fixture_phase, 1.0 + f->context->rank);
    void *block = hf_memory_allocate(f->context->memory, "density copy", 1000000, 8);
    assert_non_null(block);
    hf_memory_count(f->context->memory, HF_MEMORY_PAIRS, "shell pairs", 2000000);
    hf_memory_discount(f->context->memory, HF_MEMORY_PAIRS, 2000000);
    hf_memory_release(f->context->memory, block);
    f->run.n_core = 64;
    struct written w = open_report(f);
    hf_report_header(w.report, &f->run, f->record);
    hf_record_measure(f->record);
    hf_report_timings(w.report, &f->run, f->record, &f->result);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        char line[128];
        snprintf(line, sizeof line, "%-32s %11.3f %11.3f %11.3f %13d\n", fixture_phase.name, 1.0,
                 1.0 + 0.5 * last, 1.0 + last, last);
        assert_contains(text, line);
        assert_contains(text, "Largest block (density copy)            8.00");
        assert_contains(text,
                        "Peak of its shell pairs                 2.00        2.00        2.00");
        assert_contains(text, "1.250");
        assert_contains(text, "5000000000 unique, 4000000000 computed (3000000000 in single "
                              "precision), 1000000000 screened");
        assert_null(strstr(text, "shared 64 cores"));
    }
    free(text);
}

TEST_IN(more_ranks_than_cores_are_named_above_the_table, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    f->run.n_core = 1;
    struct written w = open_report(f);
    hf_report_header(w.report, &f->run, f->record);
    hf_record_measure(f->record);
    hf_report_timings(w.report, &f->run, f->record, &f->result);
    char *text = close_report(&w);
    if (f->context->rank == 0) {
        const char *caution = strstr(text, "shared 1 cores");
        assert_int_equal(caution != NULL, f->context->n_rank > 1);
        if (caution != NULL) assert_true(caution < strstr(text, "Seconds over the ranks"));
    }
    free(text);
}

MPI_TEST_MAIN
