/* The table of all options: command line, native input, help, manual page. Rows that belong to a quantity stand with it. */
#include "calculation_private.h"
#include "quantities.h"

#include "fock/fock.h"
#include "hf/scf.h"
#include "schedule/schedule.h"

static const struct hf_option_choice units[] = {
    {"angstrom", "1 bohr = 0.529177210903 angstrom", HF_LENGTH_ANGSTROM},
    {"bohr", "atomic units", HF_LENGTH_BOHR},
    {0}};

static const struct hf_option_synonym unit_words[] = {
    {"au", "bohr"},    {"a.u.", "bohr"},          {"a0", "bohr"},
    {"bohrs", "bohr"}, {"angstroms", "angstrom"}, {"ang", "angstrom"},
    {"A", "angstrom"}, {"\xc3\x85", "angstrom"},  {"\xe2\x84\xab", "angstrom"},
    {NULL, NULL}};

/** Names that other programs have for tasks. */
static const struct hf_option_synonym task_words[] = {{"single_point", "energy"},
                                                      {"sp", "energy"},
                                                      {"grad", "gradient"},
                                                      {"force", "gradient"},
                                                      {"forces", "gradient"},
                                                      {"opt", "optimise"},
                                                      {"optimize", "optimise"},
                                                      {"optimization", "optimise"},
                                                      {"optimisation", "optimise"},
                                                      {"geometry_optimization", "optimise"},
                                                      {"geometry_optimisation", "optimise"},
                                                      {"freq", "vibrations"},
                                                      {"frequency", "vibrations"},
                                                      {"frequencies", "vibrations"},
                                                      {"hess", "vibrations"},
                                                      {"hessian", "vibrations"},
                                                      {NULL, NULL}};

static const struct hf_option_choice orbitals[] = {
    {"gap", "four orbitals on either side of the gap", HF_ORBITALS_GAP},
    {"all", "all orbitals, with their occupations", HF_ORBITALS_ALL},
    {0}};

static const struct hf_option_choice functions[] = {
    {"as-defined", "as the basis set was published", HF_CONVENTION_AS_DEFINED},
    {"spherical", "2l+1 functions in every shell", HF_CONVENTION_SPHERICAL},
    {"cartesian", "(l+1)(l+2)/2 functions in every shell", HF_CONVENTION_CARTESIAN},
    {0}};

static const struct hf_option_choice accumulations[] = {
    {"owner", "blocks are sent to their owner, which adds them", HF_ACCUMULATE_OWNER},
    {"caller", "the rank that adds locks, gets, adds, puts back and unlocks", HF_ACCUMULATE_CALLER},
    {0}};

static const struct hf_option_choice precisions[] = {
    {"auto", "single if its errors are smaller than those of screening", HF_MIXED_PRECISION},
    {"double", "double precision throughout", HF_DOUBLE_PRECISION},
    {0}};

static const struct hf_option_choice coulombs[] = {
    {"exact", "from the same integrals as exchange", HF_COULOMB_EXACT},
    {"engine", "in a separate pass, from products of primitives", HF_COULOMB_ENGINE},
    {"multipoles", "as engine, and by multipoles for products that are far apart",
     HF_COULOMB_MULTIPOLES},
    {"auto", "multipoles if exchange needs few of the integrals, else exact", HF_COULOMB_AUTO},
    {0}};

static const struct hf_option_choice orbital_searches[] = {
    {"rotate", "by rotation from those before, where that is possible", HF_ORBITALS_ROTATE},
    {"diagonalise", "by diagonalisation of the Fock matrix", HF_ORBITALS_DIAGONALISE},
    {"auto", "rotate from 200 orbitals on, else diagonalise", HF_ORBITALS_AUTO},
    {0}};

static const struct hf_option_choice xyz_units[] = {
    {"ev", "eV and eV/angstrom", 0}, {"hartree", "hartree and hartree/bohr", 1}, {0}};

static const struct hf_option_choice extrapolations[] = {
    {"auto", "helgaker for cc-pVXZ and aug-cc-pVXZ, neese for def2", 0},
    {"helgaker", "exp(-1.63 X) for the SCF, X^-3 for correlation (1999, 1998)", 0},
    {"neese", "exp(-alpha sqrt(X)) and X^-beta, fitted for each pair of sets (2011)", 0},
    {0}};

static const struct hf_option_choice counters[] = {
    {"fetch-and-op", "one atomic operation of MPI-3", HF_COUNTER_FETCH_AND_OP},
    {"array", "an array of counts under a lock, as in MPI-2", HF_COUNTER_ARRAY},
    {0}};

static const struct hf_option_choice stabilities[] = {
    {"none", "no test", HF_STABILITY_NONE},
    {"check", "lowest eigenvalues of the Hessian; for closed shells also towards UHF",
     HF_STABILITY_CHECK},
    {"follow",
     "leave unstable solutions along a mode that leads down; UHF and open shells: search twice",
     HF_STABILITY_FOLLOW},
    {0}};

static bool grain_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_grain_entry *entry = &hf_grain_list[i];
    *choice = (struct hf_option_choice){entry->name, entry->about, (int)entry->grain};
    return entry->name != NULL;
}

#define NAME_OF(ops)  (ops)->name
#define ABOUT_OF(ops) (ops)->about
HF_OPTION_CHOICES(hf_fock_list, NAME_OF, ABOUT_OF)
HF_OPTION_CHOICES(hf_scheduler_list, NAME_OF, ABOUT_OF)
HF_OPTION_CHOICES(hf_transport_list, hf_transport_name, hf_transport_about)
HF_OPTION_CHOICES(hf_guess_list, hf_guess_name, hf_guess_about)
HF_OPTION_CHOICES(hf_converger_list, hf_converger_name, hf_converger_about)

#define SETS(NAME) .member = HF_MEMBER(struct hf_scf_settings, NAME)
#define OF_WINDOWS                                                                                 \
    .only_with = {                                                                                 \
        {"method", "mp2"}, {"method", "lmp2"}, {"method", "ump2"}, {"fock", "distributed"}}
#define OF_EACH .only_with = {{"each", NULL}}
#define OF_FRAGMENTS                                                                               \
    .only_with = {{"fragments", NULL}}, .not_with = {{"serve", NULL}, {"each", NULL}}

static const struct hf_option molecule_rows[] = {
    HF_ROW_INTEGER("charge", "0", -1000, 1000, "total charge", .group = "Molecule",
                   .everyday = true, .not_kept = true),
    HF_ROW_INTEGER(
        "multiplicity", "1", 1, 1000, "spin multiplicity 2S+1", .everyday = true,
        .more = "If it is not given, it is 1 for an even and 2 for an odd number of electrons.",
        .not_kept = true),
    HF_ROW_CHOICE("units", "UNIT", "angstrom", "unit of coordinates", .everyday = true,
                  .more = "au and a.u. also mean bohr, ang also means angstrom.", .choice = units,
                  .synonym = unit_words),
    HF_ROW_TEXT("title", "TEXT", "title of the calculation", .not_kept = true),
    HF_ROW_INTEGER("record", "1", 1, 1000000000,
                   "which molecule of an SD file, or geometry of an XYZ file, counted from 1",
                   .not_kept = true, .not_with = {{"each", NULL}}),
    {.key = "field",
     .type = HF_OPTION_VECTOR,
     .argument = "X,Y,Z",
     .unit = "hartree/(e bohr)",
     .help = "uniform electric field F",
     .more = "In atomic units: 1 is 5.14e11 V/m. The energy of a dipole moment mu in it is -mu.F.",
     .range = {-10, 10},
     .not_kept = true},
    HF_ROW_TEXT("point_charges_file", "FILE", "point charges around the molecule",
                .more =
                    "The file has a line with their number, a comment, and a line charge x y z for "
                    "each. Coordinates are in angstrom, or in bohr if the comment has units=bohr.",
                .not_kept = true),
    HF_ROW_FLAG("force",
                "compute although the file looks like a flat drawing or lacks hydrogen atoms",
                .not_kept = true),
    HF_ROW_CHOICE("method", "NAME", "hf", "HF or MP2", .group = "Method", .everyday = true,
                  .more = "There is no MP2 of rohf orbitals: use ump2 for open shells.",
                  .list = hf_run_method_choice, .missing = hf_run_method_missing),
    HF_ROW_CHOICE(
        "task", "NAME,...", "energy", "what is computed", .everyday = true,
        .more =
            "Several tasks have commas between them: optimise,vibrations computes vibrations at "
            "the structure that is found. optimise stands first. The result in the JSON file is "
            "that of the last task. Names of other programs such as opt and freq are understood.",
        .list = hf_run_task_choice, .synonym = task_words, .several = true),
    {0}};

static const struct hf_option method_rows[] = {
    HF_ROW_TEXT(
        "basis", "[WHERE=]NAME", "basis set: a name or a file", .everyday = true,
        .default_value = "def2-SVP",
        .more = "NAME is a set of the library (hf --list-basis) or the path of a Gaussian-94 file. "
                "WHERE is an element (O=aug-cc-pVDZ) or an atom counted from 1 (2=STO-3G). Without "
                "WHERE the set is for all atoms. The option may be repeated. Two sets in brackets, "
                "as in cc-pV[DT]Z or def2-[SVP,TZVPP], are extrapolated to the limit of such sets.",
        .repeatable = true, .not_kept = true),
    HF_ROW_CHOICE("extrapolation", "NAME", "auto", "formula for two basis sets in brackets",
                  .choice = extrapolations, .not_kept = true,
                  .not_with = {{"serve", NULL}, {"each", NULL}}),
    HF_ROW_CHOICE("functions", "KIND", "as-defined", "kind of d and higher functions",
                  .more = "Also --spherical and --cartesian without a value.", .choice = functions,
                  .not_kept = true),
    HF_ROW_CHOICE("guess", "NAME|FILE", "sad", "first density", .everyday = true,
                  .more = "FILE is a checkpoint or a TREXIO file (HDF5); its name has a dot or a "
                          "slash. Its orbitals may be of another basis set, geometry, charge or "
                          "multiplicity. FILE,FILE,... are files of fragments, whose atoms, one "
                          "after another, are those of the molecule.",
                  .list = hf_guess_list_choice, .or_path = true, .not_kept = true, SETS(guess)),
    HF_ROW_FLAG(
        "guess_mix", "start method uhf from different orbitals for alpha and beta",
        .more =
            "Mixes the highest occupied and the lowest virtual orbital of the guess, in opposite "
            "directions for alpha and beta electrons, to leave the closed-shell solution.",
        SETS(guess_mix)),
    HF_ROW_FLAG("max_overlap", "occupy the orbitals that overlap most with the first ones",
                .more = "For methods rhf and uhf. Keeps to a solution that is not the lowest, for "
                        "example to that of --guess FILE.",
                SETS(max_overlap)),
    HF_ROW_REAL("smearing", "0", "hartree", 0, 0.2, "electronic temperature kT",
                .more = "Gives fractional occupations (Fermi-Dirac), for methods rhf and uhf. 0: "
                        "whole occupations.",
                SETS(smearing)),
    HF_ROW_CHOICE("coulomb", "NAME", "auto", "how Coulomb matrices are computed",
                  .choice = coulombs, SETS(fock.coulomb)),
    HF_ROW_CHOICE("precision", "NAME", "auto", "precision of two-electron integrals",
                  .choice = precisions, SETS(fock.precision)),
    HF_ROW_REAL("screening", "1e-12", "hartree", 1e-30, 0.01,
                "shell quartets that contribute less are left out",
                .more = "Earlier iterations use a larger threshold.", SETS(screening_threshold)),
    HF_ROW_REAL("linear_dependence", "1e-6", NULL, 1e-14, 0.1,
                "eigenvectors of the overlap matrix with smaller eigenvalues are left out",
                SETS(linear_dependence_threshold)),
    {0}};

static const struct hf_option run_rows[] = {
    HF_ROW_CHOICE("converger", "NAME", "auto", "SCF converger", .group = "Convergence",
                  .list = hf_converger_list_choice, SETS(converger)),
    HF_ROW_INTEGER("max_iterations", "100", 1, 1000000, "largest number of iterations",
                   .more = "It counts for each search for a solution.", SETS(max_iteration)),
    HF_ROW_REAL("energy_tolerance", "1e-8", "hartree", 1e-14, 1,
                "largest estimated error of the energy",
                .more = "A calculation has converged when the estimate is smaller, and the "
                        "commutator is smaller than --commutator-tolerance.",
                SETS(energy_tolerance)),
    HF_ROW_REAL("commutator_tolerance", "1e-5", NULL, 1e-14, 1,
                "largest element of the commutator FDS-SDF",
                .more = "With MP2 methods it is 1e-8 if it is not given: their energies depend "
                        "more on the orbitals.",
                SETS(commutator_tolerance)),
    HF_ROW_CHOICE("stability", "WHAT", "none", "test for a minimum", .everyday = true,
                  .choice = stabilities, HF_NOT_SERVED, SETS(stability)),
    HF_ROW_TEXT("time_limit", "TIME", "end after this time, converged or not", .everyday = true,
                .more = "TIME is minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS, as for "
                        "--time of Slurm. It counts from the start of hf.",
                .not_kept = true),
    HF_ROW_INTEGER("diis_size", "8", 0, 100, "Fock matrices that DIIS keeps; 0 turns DIIS off",
                   .not_with = {{"converger", "damping"}, {"converger", "newton"}},
                   SETS(diis_size)),
    HF_ROW_CHOICE("orbital_search", "NAME", "auto",
                  "how the occupied orbitals of the next iteration are found",
                  .more = "The energy is the same. The first and last Fock matrices are always "
                          "diagonalised, and any for which rotations fail. With --reproducible uhf "
                          "always diagonalises.",
                  .choice = orbital_searches, SETS(orbital_search)),
    HF_ROW_REAL("level_shift", "0", "hartree", 0, 1000, "raise virtual orbitals by this energy",
                .more =
                    "The shift acts while the next orbitals are computed; singly occupied orbitals "
                    "get half of it. It makes steps smaller and keeps the order of close levels.",
                SETS(level_shift)),
    HF_ROW_CHOICE("fock", "NAME", "replicated", "Fock builder", .group = "Parallel",
                  .everyday = true, .list = hf_fock_list_choice, SETS(fock.builder)),
    HF_ROW_CHOICE("schedule", "NAME", "steal", "task scheduler", .list = hf_scheduler_list_choice,
                  SETS(fock.schedule.name)),
    HF_ROW_INTEGER("threads", "1", 1, 1024, "compute threads per rank", .everyday = true,
                   .more = "On a few cores, more ranks do as well. On many cores use a rank for "
                           "each NUMA domain and a thread for each of its cores.",
                   SETS(fock.n_thread)),
    HF_ROW_INTEGER("groups", "1", 1, 1000000,
                   "groups of ranks that displacements for second derivatives are divided among",
                   .more = "As many groups as ranks are fastest. Each rank then has the matrices "
                           "of a whole calculation.",
                   .not_kept = true, .only_with = {{"task", "vibrations"}, {"saddle", NULL}},
                   .not_with = {{"each", NULL}}),
    HF_ROW_TEXT("serve", "ADDRESS", "compute energies and forces for a driver (i-PI protocol)",
                .more =
                    "ADDRESS is unix:NAME, for the socket /tmp/ipi_NAME or a path with a slash, or "
                    "HOST:PORT. i-PI and ASE are such drivers. The input has the atoms and the "
                    "settings; positions come from the driver. No files are written.",
                .not_kept = true),
    HF_ROW_FLAG("serve_remote", "let --serve connect to another host", .not_kept = true,
                .only_with = {{"serve", NULL}}),
    HF_ROW_TEXT(
        "memory", "SIZE", "memory per rank for stored integrals and MP2", .everyday = true,
        .default_value = "auto",
        .more =
            "SIZE is as in 500 MB or 2 GiB: the first build stores as many integrals as fit. 0: "
            "none are stored, every build computes all. auto: integrals are stored if that saves "
            "more time than it costs, by measured times. They take at most half of what the node, "
            "the control group of the job and the limits of processes leave, divided among the "
            "ranks of the node. MP2 takes no more than SIZE, or than half of the free memory."),
    HF_ROW_CHOICE("onesided", "NAME", "thread", "how ranks reach blocks of other ranks",
                  .list = hf_transport_list_choice, OF_WINDOWS, SETS(fock.onesided.transport)),
    HF_ROW_REAL("onesided_test", NULL, "s", 0, 1e6, "time that the test of --onesided may take",
                .more = "Every way to reach blocks of other ranks must pass a test first. 0: no "
                        "test. If it is not given, it is 20 s plus 10 ms for each rank.",
                OF_WINDOWS, SETS(fock.onesided.self_test_seconds)),
    HF_ROW_FLAG("reproducible", "same bits for any number of ranks and threads",
                .more = "Energy, orbitals and properties also have the same bits with any --fock, "
                        "--schedule, --onesided and --grain, on processors of one kind. J and K "
                        "are exact sums; each build computes all integrals, in double precision; "
                        "rank 0 does the linear algebra of the SCF.",
                SETS(fock.reproducible)),
    {0}};

static const struct hf_option fragment_rows[] = {
    HF_ROW_TEXT("fragments", "LIST", "energies of interaction of fragments",
                .group = "Energies of interaction",
                .more = "LIST is auto, for atoms that bonds connect, or the atoms of each "
                        "fragment as in 1-3,4-6 (1-3+7,4-6 if they do not follow each other). "
                        "QCSchema: fragments of the molecule.",
                .not_kept = true, HF_ALONE),
    HF_ROW_TEXT("fragment_charges", "N,N,...", "charge of each fragment",
                .more = "If they are not given, they are 0.", .not_kept = true, OF_FRAGMENTS),
    HF_ROW_TEXT("fragment_multiplicities", "N,N,...", "spin multiplicity 2S+1 of each fragment",
                .more = "If they are not given, they are 1 for an even and 2 for an odd number of "
                        "electrons. Spins of several fragments are parallel, unless all are "
                        "together.",
                .not_kept = true, OF_FRAGMENTS),
    HF_ROW_FLAG("counterpoise", "correct the superposition error with ghost atoms",
                .more = "All energies of the correction are computed with the functions of all "
                        "fragments (Boys and Bernardi).",
                .not_kept = true, OF_FRAGMENTS),
    HF_ROW_INTEGER("many_body", NULL, 2, 3,
                   "expand the energy in pairs (2), or pairs and triples (3) of fragments",
                   .more = "If it is not given, all fragments together are computed.",
                   .not_kept = true, OF_FRAGMENTS),
    HF_ROW_REAL("fragment_distance", NULL, "angstrom", 0, 1e6,
                "leave out pairs of fragments whose nearest atoms are farther apart",
                .more = "Also triples that have such a pair.", .not_kept = true,
                .only_with = {{"many_body", NULL}}),
    {0}};

static const struct hf_option each_rows[] = {
    HF_ROW_FLAG(
        "each", "compute every molecule of the files", .group = "Many molecules",
        .more = "FILE... are files of molecules: SD, XYZ of many frames, QCSchema inputs one per "
                "line, native; - is standard input, @FILE a list of files. Settings of a molecule "
                "count before options. Ranks take molecules, several ranks an expensive one. "
                "The same command continues a job that was interrupted.",
        .not_kept = true, HF_NOT_SERVED),
    HF_ROW_TEXT("xyz", "FILE", "write structures, energies and forces (extended XYZ)",
                .more = "Keys are energy and forces.", .not_kept = true, OF_EACH),
    HF_ROW_CHOICE("xyz_units", "NAME", "ev", "unit of energies in --xyz", .choice = xyz_units,
                  .not_kept = true, .only_with = {{"xyz", NULL}}),
    HF_ROW_TEXT("csv", "FILE", "write a table of energies and other numbers", .not_kept = true,
                OF_EACH),
    HF_ROW_FLAG("retry_failed", "compute molecules that failed in an earlier run again",
                .not_kept = true, OF_EACH),
    {0}};

static const struct hf_option output_rows[] = {
    HF_ROW_TEXT(
        "json", "FILE", "write the results (QCSchema)", .everyday = true,
        .more =
            "FILE is a QCSchema AtomicResult, or a FailedOperation if the calculation fails, in "
            "the "
            "version of the input if that is of QCSchema, else in version 1. With "
            "--each it has one per line, and if none is given it is named after the first file, "
            "set.hf.jsonl.",
        .not_kept = true, HF_NOT_SERVED),
    HF_ROW_TEXT("trajectory", "FILE", "write structures and energies of --task optimise (XYZ)",
                .everyday = true, .not_kept = true, .only_with = {{"task", "optimise"}},
                .not_with = {{"each", NULL}}),
    HF_ROW_TEXT("restart", "FILE", "continue from a checkpoint; no input file is needed",
                .everyday = true,
                .more = "The checkpoint has the molecule, the basis set and the settings.",
                .not_kept = true, .not_with = {{"each", NULL}}),
    HF_ROW_TEXT(
        "checkpoint", "FILE", "write checkpoints to FILE", .default_value = "auto",
        .more =
            "A checkpoint is written at intervals, when the run is interrupted, and at its end. "
            "none: no checkpoints. auto: INPUT.hf.h5, beside the JSON file or in the working "
            "folder, if the run takes over a minute (MP2: the SCF 5 seconds) or is interrupted.",
        .not_kept = true, .not_with = {{"each", NULL}}),
    HF_ROW_REAL("checkpoint_interval", "60", "s", 0, 1e9, "shortest time between checkpoints",
                .more = "It is longer if writing would take more than 1 % of the time.",
                .not_with = {{"checkpoint", "none"}, {"serve", NULL}, {"each", NULL}}),
    HF_ROW_CHOICE("orbitals", "WHICH", "gap", "orbital energies in the report", .choice = orbitals,
                  HF_ALONE),
    HF_ROW_TEXT("trace", "FILE", "write what every rank did when, task by task",
                .group = "Laboratory (measurements and comparisons)",
                .more = "For tools/timeline and tools/replay.", .not_kept = true, HF_ALONE),
    HF_ROW_INTEGER("tasks_for", "0", 0, 100000000,
                   "divide the work as for N ranks (for tools/replay); 0: as for those there are",
                   SETS(fock.tasks_for)),
    HF_ROW_CHOICE("grain", "NAME", "atom-quartet", "what one task computes", .list = grain_choice,
                  SETS(fock.grain)),
    HF_ROW_CHOICE("counter", "NAME", "fetch-and-op", "how --schedule counter reads its counter",
                  .choice = counters, .only_with = {{"schedule", "counter"}},
                  SETS(fock.schedule.counter)),
    HF_ROW_FLAG("progress_thread", "let a thread beside the counter serve other ranks",
                .only_with = {{"schedule", "counter"}}, SETS(fock.schedule.progress_thread)),
    HF_ROW_CHOICE("accumulate", "NAME", "owner", "who adds to blocks of other ranks",
                  .choice = accumulations,
                  .only_with = {{"method", "mp2"}, {"method", "ump2"}, {"fock", "distributed"}},
                  SETS(fock.onesided.accumulate)),
    {0}};

/** Older names, which help does not list. */
static const struct hf_option aliases[] = {
    {.key = "spherical", .type = HF_OPTION_ALIAS, .alias = {"functions", "spherical"}},
    {.key = "cartesian", .type = HF_OPTION_ALIAS, .alias = {"functions", "cartesian"}},
    {0}};

#define DECLARE(NAME) extern const struct hf_option hf_options_##NAME[];
#define ROWS(NAME)    hf_options_##NAME,
#define NO_ROWS(NAME)
HF_QUANTITIES(DECLARE, NO_ROWS)
DECLARE(optimisation)
DECLARE(vibrations)
DECLARE(localised)
DECLARE(mp2)
DECLARE(local_mp2)

const struct hf_option *const *hf_option_table(void)
{
    static const struct hf_option *const table[] = {molecule_rows,
                                                    hf_options_optimisation,
                                                    hf_options_vibrations,
                                                    method_rows,
                                                    hf_options_localised,
                                                    hf_options_local_mp2,
                                                    hf_options_mp2,
                                                    run_rows,
                                                    fragment_rows,
                                                    each_rows,
                                                    HF_QUANTITIES(ROWS, NO_ROWS) output_rows,
                                                    aliases,
                                                    NULL};
    return table;
}

void hf_options_fill_settings(const struct hf_options *options, struct hf_scf_settings *settings)
{
    const struct hf_option *const rows[] = {method_rows, run_rows, output_rows};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        hf_options_fill(options, rows[i], settings);
}
