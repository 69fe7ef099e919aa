/* The table of all options: command line, native input, help, manual page. */
#include "calculation_private.h"

#include "hf/fock.h"
#include "hf/local_mp2.h"
#include "hf/localise.h"
#include "hf/mp2.h"
#include "hf/scf.h"
#include "hf/schedule.h"

static const struct hf_option_choice units[] = {
    {"angstrom", "1 bohr = 0.529177210903 angstrom", HF_LENGTH_ANGSTROM},
    {"bohr", "atomic units", HF_LENGTH_BOHR},
    {0}};

static const struct hf_option_synonym unit_words[] = {
    {"au", "bohr"},    {"a.u.", "bohr"},          {"a0", "bohr"},
    {"bohrs", "bohr"}, {"angstroms", "angstrom"}, {"ang", "angstrom"},
    {"A", "angstrom"}, {"\xc3\x85", "angstrom"},  {"\xe2\x84\xab", "angstrom"},
    {NULL, NULL}};

static const struct hf_option_choice orbitals[] = {
    {"gap", "four orbitals on either side of the gap", HF_ORBITALS_GAP},
    {"all", "all orbitals, with their occupations", HF_ORBITALS_ALL},
    {0}};

static const struct hf_option_choice gradients[] = {
    {"analytic", "derivatives of integrals", 0},
    {"numerical", "6 energies for each atom, as a check", 0},
    {0}};

static const struct hf_option_choice properties[] = {
    {"none", "no properties; a wrong number of electrons in the density is still reported",
     HF_PROPERTIES_NONE},
    {"short", "charges and spins of atoms in the report, all properties in the JSON file",
     HF_PROPERTIES_SHORT},
    {"all", "also moments, bond orders, potentials at the nuclei and rotation in the report",
     HF_PROPERTIES_ALL},
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

static const struct hf_option_choice localisations[] = {
    {"pm", "Pipek-Mezey, with Mulliken populations", HF_LOCALISE_PM},
    {"boys", "Foster-Boys: small spreads", HF_LOCALISE_BOYS},
    {"none", "canonical orbitals", HF_LOCALISE_NONE},
    {0}};

static const struct hf_option_choice domains[] = {
    {"plain", "98 % of each orbital", HF_DOMAINS_PLAIN},
    {"default", "those; for pairs of near orbitals also the atoms bonded to them",
     HF_DOMAINS_DEFAULT},
    {"tight", "99.5 % of each orbital, and the atoms bonded to these, for all pairs",
     HF_DOMAINS_TIGHT},
    {"full", "all atoms, which is MP2 if no pair is distant", HF_DOMAINS_FULL},
    {0}};

static const struct hf_option_choice counters[] = {
    {"fetch-and-op", "one atomic operation of MPI-3", HF_COUNTER_FETCH_AND_OP},
    {"array", "an array of counts under a lock, as in MPI-2", HF_COUNTER_ARRAY},
    {0}};

static const struct hf_option_choice stabilities[] = {
    {"none", "no test", HF_STABILITY_NONE},
    {"check", "lowest eigenvalues of the Hessian; for closed shells also towards UHF",
     HF_STABILITY_CHECK},
    {"follow", "if the solution is unstable, follow the lowest mode and converge again",
     HF_STABILITY_FOLLOW},
    {0}};

static bool grain_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_grain_entry *entry = &hf_grain_list[i];
    if (entry->name != NULL) *choice = (struct hf_option_choice){entry->name, entry->about, 0};
    return entry->name != NULL;
}

/** A function LIST_choice with the entries of a list of the library, which ends with NULL. */
#define CHOICES_OF(LIST, NAME, ABOUT)                                                              \
    static bool LIST##_choice(int i, struct hf_option_choice *choice)                              \
    {                                                                                              \
        if (LIST[i] != NULL)                                                                       \
            *choice = (struct hf_option_choice){NAME(LIST[i]), ABOUT(LIST[i]), 0};                 \
        return LIST[i] != NULL;                                                                    \
    }
#define NAME_OF(ops)  (ops)->name
#define ABOUT_OF(ops) (ops)->about
CHOICES_OF(hf_fock_list, NAME_OF, ABOUT_OF)
CHOICES_OF(hf_scheduler_list, NAME_OF, ABOUT_OF)
CHOICES_OF(hf_transport_list, hf_transport_name, hf_transport_about)
CHOICES_OF(hf_mp2_algorithm_list, hf_mp2_algorithm_name, hf_mp2_algorithm_about)
CHOICES_OF(hf_local_transform_list, hf_local_transform_name, hf_local_transform_about)
CHOICES_OF(hf_guess_list, hf_guess_name, hf_guess_about)
CHOICES_OF(hf_converger_list, hf_converger_name, hf_converger_about)

static const struct hf_option table[] = {
    {.key = "charge",
     .type = HF_OPTION_INTEGER,
     .group = "Molecule",
     .everyday = true,
     .argument = "N",
     .default_value = "0",
     .help = "total charge",
     .range = {-1000, 1000},
     .not_kept = true},
    {.key = "multiplicity",
     .type = HF_OPTION_INTEGER,
     .everyday = true,
     .argument = "N",
     .default_value = "1",
     .help = "spin multiplicity 2S+1",
     .more = "If it is not given, it is 1 for an even and 2 for an odd number of electrons.",
     .range = {1, 1000},
     .not_kept = true},
    {.key = "units",
     .type = HF_OPTION_CHOICE,
     .everyday = true,
     .argument = "UNIT",
     .default_value = "angstrom",
     .help = "unit of coordinates",
     .more = "au and a.u. also mean bohr, ang also means angstrom.",
     .choice = units,
     .synonym = unit_words,
     .not_kept = true},
    {.key = "title", .argument = "TEXT", .help = "title of the calculation", .not_kept = true},
    {.key = "record",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "1",
     .help = "which molecule of an SD file, or geometry of an XYZ file, counted from 1",
     .range = {1, 1000000000},
     .not_kept = true},
    {.key = "field",
     .type = HF_OPTION_VECTOR,
     .argument = "X,Y,Z",
     .unit = "hartree/(e bohr)",
     .help = "uniform electric field F",
     .more = "In atomic units: 1 is 5.14e11 V/m. The energy of a dipole moment mu in it is -mu.F.",
     .range = {-10, 10},
     .not_kept = true},
    {.key = "point_charges_file",
     .argument = "FILE",
     .help = "point charges around the molecule",
     .more = "The file has a line with their number, a comment, and a line charge x y z for each. "
             "Coordinates are in angstrom, or in bohr if the comment has units=bohr.",
     .not_kept = true},
    {.key = "force",
     .type = HF_OPTION_FLAG,
     .help = "compute although the file looks like a flat drawing or lacks hydrogen atoms",
     .not_kept = true},
    {.key = "method",
     .type = HF_OPTION_CHOICE,
     .group = "Method",
     .everyday = true,
     .argument = "NAME",
     .default_value = "hf",
     .help = "HF or MP2",
     .more = "There is no MP2 of rohf orbitals: use ump2 for open shells.",
     .list = hf_run_method_choice},
    {.key = "task",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "energy",
     .help = "what is computed",
     .list = hf_run_task_choice,
     .not_kept = true},
    {.key = "gradient",
     .type = HF_OPTION_CHOICE,
     .argument = "WAY",
     .default_value = "analytic",
     .help = "how --task gradient computes derivatives",
     .choice = gradients,
     .not_kept = true},
    {.key = "basis",
     .everyday = true,
     .argument = "[WHERE=]NAME",
     .default_value = "def2-SVP",
     .help = "basis set: a name or a file",
     .more = "NAME is a set of the library (hf --list-basis) or the path of a Gaussian-94 file. "
             "WHERE is an element (O=aug-cc-pVDZ) or an atom counted from 1 (2=STO-3G). Without "
             "WHERE the set is for all atoms. The option may be repeated.",
     .repeatable = true,
     .not_kept = true},
    {.key = "functions",
     .type = HF_OPTION_CHOICE,
     .argument = "KIND",
     .default_value = "as-defined",
     .help = "kind of d and higher functions",
     .choice = functions,
     .not_kept = true},
    {.key = "guess",
     .type = HF_OPTION_CHOICE,
     .everyday = true,
     .argument = "NAME|FILE",
     .default_value = "sad",
     .help = "first density",
     .more = "FILE is a checkpoint; its name has a dot or a slash. Its orbitals may be of another "
             "basis set, geometry, charge or multiplicity. FILE,FILE,... are checkpoints of "
             "fragments, whose atoms, one after another, are those of the molecule.",
     .list = hf_guess_list_choice,
     .or_path = true,
     .not_kept = true},
    {.key = "guess_mix",
     .type = HF_OPTION_FLAG,
     .help = "start method uhf from different orbitals for alpha and beta",
     .more = "Mixes the highest occupied and the lowest virtual orbital of the guess, in opposite "
             "directions for alpha and beta electrons, to leave the closed-shell solution."},
    {.key = "max_overlap",
     .type = HF_OPTION_FLAG,
     .help = "occupy the orbitals that overlap most with the first ones",
     .more = "For methods rhf and uhf. Keeps to a solution that is not the lowest, for example to "
             "that of --guess FILE."},
    {.key = "smearing",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "0",
     .unit = "hartree",
     .help = "electronic temperature kT",
     .more = "Gives fractional occupations (Fermi-Dirac), for methods rhf and uhf. 0: whole "
             "occupations.",
     .range = {0, 0.2}},
    {.key = "coulomb",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "auto",
     .help = "how Coulomb matrices are computed",
     .choice = coulombs},
    {.key = "precision",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "auto",
     .help = "precision of two-electron integrals",
     .choice = precisions},
    {.key = "screening",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-12",
     .unit = "hartree",
     .help = "shell quartets that contribute less are left out",
     .more = "Earlier iterations use a larger threshold.",
     .range = {1e-30, 0.01}},
    {.key = "linear_dependence",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-6",
     .help = "eigenvectors of the overlap matrix with smaller eigenvalues are left out",
     .range = {1e-14, 0.1}},
    {.key = "frozen_core",
     .argument = "WHICH",
     .default_value = "default",
     .help = "orbitals that MP2 does not correlate: none, default, or a number",
     .more =
         "default: for each atom the orbitals of the noble gas before it. Na, Mg and the alkali "
         "and alkaline earth metals below keep their outer core correlated."},
    {.key = "localise",
     .type = HF_OPTION_CHOICE,
     .argument = "HOW",
     .default_value = "pm",
     .help = "localise the occupied orbitals",
     .more =
         "If it is given, spreads and populations of the localised orbitals are in the report and "
         "the JSON file, and Molden and cube files have them. Local MP2 localises anyway. Frozen "
         "core orbitals stay as they are.",
     .choice = localisations},
    {.key = "domains",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME|FILE",
     .default_value = "default",
     .help = "atoms that local MP2 excites an orbital to",
     .more =
         "FILE is a checkpoint or JSON file of hf with local MP2 of the same atoms, at the same or "
         "other places: with its domains a scan of geometries has a smooth curve. A restart keeps "
         "the domains of its checkpoint.",
     .choice = domains,
     .or_path = true},
    {.key = "domain_completeness",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "0",
     .help = "part of an orbital that its domain may lack",
     .more = "In the squared norm of the difference. 0: 0.02, for domains tight 0.005.",
     .range = {0, 1}},
    {.key = "strong_distance",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "6",
     .unit = "bohr",
     .help = "pairs of orbitals that are nearer have larger domains in local MP2",
     .more = "Between the nearest atoms of their domains; 0: they share an atom.",
     .range = {0, 1e9}},
    {.key = "pair_distance",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "15",
     .unit = "bohr",
     .help = "pairs of orbitals that are farther apart are treated as dipoles by local MP2",
     .more = "Between the nearest atoms of their domains.",
     .range = {0, 1e9}},
    {.key = "local_screening",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-9",
     .unit = "hartree",
     .help = "smaller integrals are left out at each step of the transformation of local MP2",
     .range = {1e-30, 0.01}},
    {.key = "local_transform",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "bras",
     .help = "how local MP2 transforms the integrals",
     .list = hf_local_transform_list_choice},
    {.key = "replicate_amplitudes",
     .type = HF_OPTION_FLAG,
     .help = "keep the amplitudes of local MP2 on every rank",
     .more = "Otherwise each rank has those of its pairs and gets others when it needs them."},
    {.key = "frozen_virtuals",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "0",
     .help = "highest virtual orbitals that MP2 leaves out",
     .range = {0, 1000000}},
    {.key = "mp2_algorithm",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "auto",
     .help = "how MP2 transforms the integrals",
     .list = hf_mp2_algorithm_list_choice},
    {.key = "scs",
     .type = HF_OPTION_FLAG,
     .help = "also report the spin-component scaled MP2 energy",
     .more = "Opposite spins count 6/5, same spins 1/3 (Grimme 2003)."},
    {.key = "converger",
     .type = HF_OPTION_CHOICE,
     .group = "Convergence",
     .everyday = true,
     .argument = "NAME",
     .default_value = "auto",
     .help = "SCF converger",
     .list = hf_converger_list_choice},
    {.key = "max_iterations",
     .type = HF_OPTION_INTEGER,
     .everyday = true,
     .argument = "N",
     .default_value = "100",
     .help = "largest number of iterations",
     .more = "With --stability follow it counts for each solution.",
     .range = {1, 1000000}},
    {.key = "energy_tolerance",
     .type = HF_OPTION_REAL,
     .everyday = true,
     .argument = "X",
     .default_value = "1e-8",
     .unit = "hartree",
     .help = "largest estimated error of the energy",
     .more = "A calculation has converged when the estimate is smaller, and the commutator is "
             "smaller than --commutator-tolerance.",
     .range = {1e-14, 1}},
    {.key = "commutator_tolerance",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-5",
     .help = "largest element of the commutator FDS-SDF",
     .more = "With MP2 methods it is 1e-8 if it is not given: their energies depend more on the "
             "orbitals.",
     .range = {1e-14, 1}},
    {.key = "stability",
     .type = HF_OPTION_CHOICE,
     .everyday = true,
     .argument = "WHAT",
     .default_value = "none",
     .help = "test for a minimum",
     .choice = stabilities},
    {.key = "time_limit",
     .everyday = true,
     .argument = "TIME",
     .help = "end after this time, converged or not",
     .more = "TIME is minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS, as for --time of "
             "Slurm. It counts from the start of hf.",
     .not_kept = true},
    {.key = "diis_size",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "8",
     .help = "Fock matrices that DIIS keeps; 0 turns DIIS off",
     .range = {0, 100}},
    {.key = "orbital_search",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "auto",
     .help = "how the occupied orbitals of the next iteration are found",
     .more =
         "The energy is the same. Diagonalised are also the first Fock matrices, the last one, and "
         "those that rotations do not suit.",
     .choice = orbital_searches},
    {.key = "level_shift",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "0",
     .unit = "hartree",
     .help = "raise virtual orbitals by this energy",
     .more = "The shift acts while the next orbitals are computed; singly occupied orbitals get "
             "half of it. It makes steps smaller and keeps the order of close levels.",
     .range = {0, 1000}},
    {.key = "fock",
     .type = HF_OPTION_CHOICE,
     .group = "Parallel",
     .everyday = true,
     .argument = "NAME",
     .default_value = "replicated",
     .help = "Fock builder",
     .list = hf_fock_list_choice},
    {.key = "schedule",
     .type = HF_OPTION_CHOICE,
     .everyday = true,
     .argument = "NAME",
     .default_value = "steal",
     .help = "task scheduler",
     .list = hf_scheduler_list_choice},
    {.key = "threads",
     .type = HF_OPTION_INTEGER,
     .everyday = true,
     .argument = "N",
     .default_value = "1",
     .help = "compute threads per rank",
     .more = "On a few cores, more ranks do as well. On many cores use a rank for each NUMA domain "
             "and a thread for each of its cores.",
     .range = {1, 1024}},
    {.key = "memory",
     .everyday = true,
     .argument = "SIZE",
     .default_value = "auto",
     .help = "memory per rank for stored integrals and MP2",
     .more = "SIZE is as in 500 MB or 2 GiB: the first build stores as many integrals as fit. 0: "
             "none are stored, every build computes all. auto: integrals are stored if that saves "
             "more time than it costs, by measured times. They take at most half of what the node, "
             "the control group of the job and the limits of processes leave, divided among the "
             "ranks of the node. MP2 takes no more than SIZE, or than half of the free memory."},
    {.key = "onesided",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "thread",
     .help = "how ranks reach blocks of other ranks",
     .more = "With --fock distributed.",
     .list = hf_transport_list_choice},
    {.key = "onesided_test",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .unit = "s",
     .help = "time that the test of --onesided may take",
     .more = "Every way to reach blocks of other ranks must pass a test first. 0: no test. If it "
             "is not given, it is 20 s plus 10 ms for each rank. With --fock distributed.",
     .range = {0, 1e6}},
    {.key = "reproducible",
     .type = HF_OPTION_FLAG,
     .help = "same bits for any number of ranks and threads",
     .more =
         "Energy, orbitals and properties also have the same bits with any --fock, --schedule, "
         "--onesided and --grain, on processors of one kind. J and K are exact sums; each build "
         "computes all integrals, in double precision; rank 0 does the linear algebra of the SCF."},
    {.key = "properties",
     .type = HF_OPTION_CHOICE,
     .group = "Output",
     .everyday = true,
     .argument = "WHICH",
     .default_value = "short",
     .help = "properties to compute and show",
     .choice = properties},
    {.key = "polarisability",
     .type = HF_OPTION_FLAG,
     .help = "compute the static dipole polarisability",
     .more = "By the coupled-perturbed equations of rhf, uhf or rohf, in some eight passes over "
             "the integrals. "
             "With a correlated method it is that of its reference."},
    {.key = "json",
     .everyday = true,
     .argument = "FILE",
     .help = "write the results (QCSchema)",
     .more = "FILE is a QCSchema AtomicResult, or a FailedOperation if the calculation fails.",
     .not_kept = true},
    {.key = "molden",
     .everyday = true,
     .argument = "FILE",
     .help = "write geometry, basis and orbitals (Molden format)",
     .not_kept = true},
    {.key = "cube",
     .everyday = true,
     .argument = "LIST",
     .help = "write cube files, for example of density,esp,homo",
     .more = "LIST has commas between its words: density, spin (alpha minus beta), esp "
             "(electrostatic potential), homo, lumo, and numbers of orbitals. Each is written to "
             "INPUT.WHAT.cube, beside the JSON file or in the working folder.",
     .not_kept = true},
    {.key = "restart",
     .everyday = true,
     .argument = "FILE",
     .help = "continue from a checkpoint; no input file is needed",
     .more = "The checkpoint has the molecule, the basis set and the settings.",
     .not_kept = true},
    {.key = "checkpoint",
     .argument = "FILE",
     .default_value = "auto",
     .help = "write checkpoints to FILE",
     .more = "A checkpoint is written at intervals, when the run is interrupted, and at its end. "
             "none: no checkpoints. auto: INPUT.hf.h5, beside the JSON file or in the working "
             "folder, if the run takes over a minute (MP2: the SCF 5 seconds) or is interrupted.",
     .not_kept = true},
    {.key = "checkpoint_interval",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "60",
     .unit = "s",
     .help = "shortest time between checkpoints",
     .more = "It is longer if writing would take more than 1 % of the time.",
     .range = {0, 1e9}},
    {.key = "orbitals",
     .type = HF_OPTION_CHOICE,
     .argument = "WHICH",
     .default_value = "gap",
     .help = "orbital energies in the report",
     .choice = orbitals},
    {.key = "json_orbitals",
     .type = HF_OPTION_FLAG,
     .help = "also write orbitals and density to the JSON file",
     .more = "They are two matrices as text (key wavefunction), which rank 0 holds as a whole. Up "
             "to 4000 basis functions.",
     .not_kept = true},
    {.key = "cube_spacing",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "0.2",
     .unit = "bohr",
     .help = "distance between points of cube files",
     .range = {0.001, 10},
     .not_kept = true},
    {.key = "cube_margin",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "7",
     .unit = "bohr",
     .help = "space around the atoms in cube files",
     .range = {0, 1000},
     .not_kept = true},
    {.key = "trace",
     .group = "Laboratory (measurements and comparisons)",
     .argument = "FILE",
     .help = "write what every rank did when, task by task",
     .more = "For tools/timeline and tools/replay.",
     .not_kept = true},
    {.key = "tasks_for",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "0",
     .help = "divide the work as for N ranks (for tools/replay); 0: as for those there are",
     .range = {0, 100000000}},
    {.key = "grain",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "atom-quartet",
     .help = "what one task computes",
     .list = grain_choice},
    {.key = "counter",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "fetch-and-op",
     .help = "how --schedule counter reads its counter",
     .choice = counters},
    {.key = "progress_thread",
     .type = HF_OPTION_FLAG,
     .help = "let a thread beside the counter serve other ranks (with --schedule counter)"},
    {.key = "accumulate",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "owner",
     .help = "who adds to blocks of other ranks (with --fock distributed)",
     .choice = accumulations},
    /* older names, which help does not list, stand last */
    {.key = "spherical", .type = HF_OPTION_ALIAS, .alias = {"functions", "spherical"}},
    {.key = "cartesian", .type = HF_OPTION_ALIAS, .alias = {"functions", "cartesian"}},
};

const struct hf_option *hf_option_table(int *n)
{
    *n = (int)(sizeof table / sizeof *table);
    return table;
}
