/* The table of all options: command line, native input, help, manual page. */
#include "hf/calculation.h"

#include "hf/fock.h"
#include "hf/scf.h"
#include "hf/schedule.h"

static const struct hf_option_choice units[] = {
    {"angstrom", "1 bohr = 0.529177210903 angstrom", NULL},
    {"bohr", "atomic units", NULL},
    {NULL, NULL, NULL}};

static const struct hf_option_synonym unit_words[] = {
    {"au", "bohr"},    {"a.u.", "bohr"},          {"a0", "bohr"},
    {"bohrs", "bohr"}, {"angstroms", "angstrom"}, {"ang", "angstrom"},
    {"A", "angstrom"}, {"\xc3\x85", "angstrom"},  {"\xe2\x84\xab", "angstrom"},
    {NULL, NULL}};

static const struct hf_option_choice method_by_multiplicity = {
    "hf", "rhf for singlets, uhf for all others", NULL};

static const struct hf_option_choice orbitals[] = {
    {"gap", "the four orbitals on either side of the gap", NULL},
    {"all", "every orbital, with its occupation", NULL},
    {NULL, NULL, NULL}};

static const struct hf_option_choice properties[] = {
    {"none", "nothing but the number of electrons in the density, told when it is wrong", NULL},
    {"short", "the report has charges and spins of atoms, the JSON file all there is", NULL},
    {"all", "moments, bond orders, potentials at the nuclei, rotation in the report, too", NULL},
    {NULL, NULL, NULL}};

static const struct hf_option_choice functions[] = {
    {"as-defined", "as the basis set was published", NULL},
    {"spherical", "2l+1 functions in every shell", NULL},
    {"cartesian", "(l+1)(l+2)/2 functions in every shell", NULL},
    {NULL, NULL, NULL}};

static const struct hf_option_choice accumulations[] = {
    {"owner", "blocks are sent to their owner, which adds them", NULL},
    {"caller", "whoever adds locks, gets, adds, puts back and unlocks", NULL},
    {NULL, NULL, NULL}};

static const struct hf_option_choice precisions[] = {
    {"auto", "single precision where its errors are below what screening leaves out", NULL},
    {"double", "double precision throughout", NULL},
    {0}};
static const struct hf_option_choice coulombs[] = {
    {"exact", "the integrals that exchange is made of, too", NULL},
    {"engine", "products of primitives in the Hermite basis, apart from exchange", NULL},
    {"multipoles", "likewise, those far from each other by multipoles", NULL},
    {"auto", "multipoles where exchange wants few of the integrals, exact else", NULL},
    {NULL, NULL, NULL}};
static const struct hf_option_choice counters[] = {
    {"fetch-and-op", "one atomic operation of MPI-3", NULL},
    {"array", "an array of counts read and updated under a lock, as in MPI-2", NULL},
    {NULL, NULL, NULL}};

static const struct hf_option_choice stabilities[] = {
    {"none", "nobody asks", NULL},
    {"check", "lowest eigenvalues of the Hessian; for closed shells towards UHF, too", NULL},
    {"follow", "and on along the lowest eigenvector until none is negative", NULL},
    {NULL, NULL, NULL}};

static bool method_choice(int i, struct hf_option_choice *choice)
{
    *choice = method_by_multiplicity;
    if (i == 0) return true;
    const struct hf_method_ops *ops = hf_method_list[i - 1];
    if (ops == NULL) return false;
    *choice = (struct hf_option_choice){hf_method_name(ops), hf_method_about(ops), NULL};
    return true;
}

static bool grain_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_grain_entry *entry = &hf_grain_list[i];
    if (entry->name != NULL) *choice = (struct hf_option_choice){entry->name, entry->about, NULL};
    return entry->name != NULL;
}

static bool fock_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_fock_ops *ops = hf_fock_list[i];
    if (ops != NULL) *choice = (struct hf_option_choice){ops->name, ops->about, NULL};
    return ops != NULL;
}

static bool scheduler_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_scheduler_ops *ops = hf_scheduler_list[i];
    if (ops != NULL) *choice = (struct hf_option_choice){ops->name, ops->about, NULL};
    return ops != NULL;
}

static bool transport_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_transport_ops *ops = hf_transport_list[i];
    if (ops != NULL)
        *choice = (struct hf_option_choice){hf_transport_name(ops), hf_transport_about(ops), NULL};
    return ops != NULL;
}

static bool guess_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_guess_ops *ops = hf_guess_list[i];
    if (ops != NULL)
        *choice = (struct hf_option_choice){hf_guess_name(ops), hf_guess_about(ops), NULL};
    return ops != NULL;
}

static bool converger_choice(int i, struct hf_option_choice *choice)
{
    const struct hf_converger_ops *ops = hf_converger_list[i];
    if (ops != NULL)
        *choice = (struct hf_option_choice){hf_converger_name(ops), hf_converger_about(ops), NULL};
    return ops != NULL;
}

static const struct hf_option table[] = {
    {.key = "title",
     .type = HF_OPTION_TEXT,
     .argument = "TEXT",
     .help = "title of the calculation",
     .not_kept = true},
    {.key = "method",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "hf",
     .help = "method, in any case",
     .list = method_choice},
    {.key = "task",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "energy",
     .help = "what is computed",
     .list = hf_run_task_choice,
     .not_kept = true},
    {.key = "basis",
     .type = HF_OPTION_TEXT,
     .argument = "[WHERE=]NAME",
     .default_value = "def2-SVP",
     .help =
         "basis set: a name of the library or the path of a Gaussian-94 file, for all atoms, or "
         "for an element (O=aug-cc-pVDZ) or an atom counted from 1 (2=STO-3G); may be repeated",
     .repeatable = true,
     .not_kept = true},
    {.key = "functions",
     .type = HF_OPTION_CHOICE,
     .argument = "KIND",
     .default_value = "as-defined",
     .help = "kind of d and higher functions",
     .choice = functions,
     .not_kept = true},
    {.key = "spherical",
     .type = HF_OPTION_ALIAS,
     .help = "short for functions spherical",
     .alias_key = "functions",
     .alias_value = "spherical"},
    {.key = "cartesian",
     .type = HF_OPTION_ALIAS,
     .help = "short for functions cartesian",
     .alias_key = "functions",
     .alias_value = "cartesian"},
    {.key = "charge",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "0",
     .help = "total charge",
     .least = -1000,
     .most = 1000,
     .not_kept = true},
    {.key = "multiplicity",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "1",
     .help = "spin multiplicity 2S+1; when nobody says it 1, or 2 for an odd number of electrons",
     .least = 1,
     .most = 1000,
     .not_kept = true},
    {.key = "units",
     .type = HF_OPTION_CHOICE,
     .argument = "UNIT",
     .default_value = "angstrom",
     .help = "unit of the coordinates; au and a.u. are bohr, ang is angstrom",
     .choice = units,
     .synonym = unit_words,
     .not_kept = true},
    {.key = "record",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "1",
     .help = "which molecule of an SD file, or geometry of an XYZ file, counted from 1",
     .least = 1,
     .most = 1000000000,
     .not_kept = true},
    {.key = "field",
     .type = HF_OPTION_VECTOR,
     .argument = "X,Y,Z",
     .unit = "hartree/(e bohr)",
     .help = "uniform electric field F in atomic units (1 is 5.14e11 V/m); the energy of a dipole "
             "moment mu in it is -mu.F",
     .least = -10,
     .most = 10,
     .not_kept = true},
    {.key = "point_charges_file",
     .type = HF_OPTION_TEXT,
     .argument = "FILE",
     .help =
         "charges around the molecule: a count, a comment, lines of charge x y z in angstrom, or "
         "in bohr when the comment says units=bohr",
     .not_kept = true},
    {.key = "force",
     .type = HF_OPTION_FLAG,
     .help = "compute although the file looks like a flat drawing or lacks hydrogen atoms",
     .not_kept = true},
    {.key = "fock",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "replicated",
     .help = "how Fock matrices are built",
     .list = fock_choice},
    {.key = "schedule",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "steal",
     .help = "how tasks are handed out to the ranks",
     .list = scheduler_choice},
    {.key = "counter",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "fetch-and-op",
     .help = "how schedule counter reads its counter",
     .choice = counters},
    {.key = "progress_thread",
     .type = HF_OPTION_FLAG,
     .help = "schedule counter: a thread beside the counter that lets MPI serve the others"},
    {.key = "onesided",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "thread",
     .help = "how fock distributed reaches blocks of other ranks",
     .list = transport_choice},
    {.key = "accumulate",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "owner",
     .help = "who adds to blocks of other ranks (fock distributed)",
     .choice = accumulations},
    {.key = "onesided_test",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .unit = "s",
     .help = "how long the test may take that every way to reach blocks of other ranks must pass "
             "first (fock distributed); 0: no test; 20 s and 10 ms for each rank unless said",
     .least = 0,
     .most = 1e6},
    {.key = "grain",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "atom-quartet",
     .help = "what one task covers",
     .list = grain_choice},
    {.key = "tasks_for",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "0",
     .help = "tasks of the size they have on N ranks, for replays; 0: as many ranks as there are",
     .least = 0,
     .most = 100000000},
    {.key = "guess",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME|FILE[,FILE...]",
     .default_value = "sad",
     .help =
         "first density; FILE, with a dot or a slash in its name: a checkpoint, whose orbitals may "
         "be of another basis set, geometry, charge or multiplicity; FILE,FILE,...: checkpoints of "
         "fragments, whose atoms, one after another, are those of the molecule",
     .list = guess_choice,
     .or_path = true,
     .not_kept = true},
    {.key = "guess_mix",
     .type = HF_OPTION_FLAG,
     .help =
         "with method uhf: mix highest occupied and lowest virtual orbitals of the guess, of alpha "
         "and beta electrons in opposite directions, to leave the closed-shell solution"},
    {.key = "converger",
     .type = HF_OPTION_CHOICE,
     .argument = "NAME",
     .default_value = "auto",
     .help = "how the orbitals of the next density are made from those of the last ones",
     .list = converger_choice},
    {.key = "stability",
     .type = HF_OPTION_CHOICE,
     .argument = "WHAT",
     .default_value = "none",
     .help = "whether the solution is a minimum for real orbitals",
     .choice = stabilities},
    {.key = "max_iterations",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "100",
     .help = "iterations at most, each time with stability follow",
     .least = 1,
     .most = 1000000},
    {.key = "time_limit",
     .type = HF_OPTION_TEXT,
     .argument = "TIME",
     .help = "end when so much time has passed since the start, converged or not: minutes, MM:SS, "
             "HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS, as for Slurm's --time; none unless given",
     .not_kept = true},
    {.key = "energy_tolerance",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-8",
     .unit = "hartree",
     .help = "converged when the estimated error of the energy is smaller",
     .least = 1e-14,
     .most = 1},
    {.key = "commutator_tolerance",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-5",
     .help = "and when the largest element of FDS-SDF is smaller",
     .least = 1e-14,
     .most = 1},
    {.key = "linear_dependence",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-6",
     .help = "overlap eigenvalues below are left out",
     .least = 1e-14,
     .most = 0.1},
    {.key = "screening",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "1e-12",
     .unit = "hartree",
     .help = "shell quartets that add less are left out (last iterations)",
     .least = 1e-30,
     .most = 0.01},
    {.key = "precision",
     .type = HF_OPTION_CHOICE,
     .choice = precisions,
     .default_value = "auto",
     .help = "of two-electron integrals"},
    {.key = "coulomb",
     .type = HF_OPTION_CHOICE,
     .choice = coulombs,
     .default_value = "auto",
     .help = "what Coulomb matrices are made of"},
    {.key = "reproducible",
     .type = HF_OPTION_FLAG,
     .help = "the same bits of energy, orbitals and properties for any number of ranks and "
             "threads, fock, "
             "schedule, onesided and grain, on processors of one kind: J and K in sums that are "
             "exact, all "
             "integrals anew in each build and in double precision, matrices of the SCF on rank 0"},
    {.key = "memory",
     .type = HF_OPTION_TEXT,
     .argument = "SIZE",
     .default_value = "auto",
     .help = "memory per rank for stored integrals, as 500 MB or 2 GiB: as much as fits is stored "
             "in the first build; 0: none, all are computed in every build; auto: up to half of "
             "what the node, the job's control group and limits of processes leave, divided among "
             "its ranks, for integrals that save more time than storing them takes, by measured "
             "times"},
    {.key = "threads",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "1",
     .help = "compute threads per rank; on few cores ranks do as well, on many take a rank for "
             "each NUMA domain and a thread for each of its cores",
     .least = 1,
     .most = 1024},
    {.key = "diis_size",
     .type = HF_OPTION_INTEGER,
     .argument = "N",
     .default_value = "8",
     .help = "Fock matrices that DIIS keeps; 0 turns it off",
     .least = 0,
     .most = 100},
    {.key = "level_shift",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "0",
     .unit = "hartree",
     .help =
         "virtual orbitals are raised by so much when the next orbitals are made, half of it for "
         "singly occupied ones: smaller steps, and levels that are close do not change places",
     .least = 0,
     .most = 1000},
    {.key = "smearing",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "0",
     .unit = "hartree",
     .help =
         "temperature of the electrons, kT: fractional occupations of Fermi and Dirac, for methods "
         "rhf and uhf; 0: whole ones",
     .least = 0,
     .most = 0.2},
    {.key = "max_overlap",
     .type = HF_OPTION_FLAG,
     .help = "occupied orbitals are those that overlap most with the first ones, as of --guess "
             "FILE, instead "
             "of the lowest, for methods rhf and uhf: keeps to a solution that is not the lowest"},
    {.key = "orbitals",
     .type = HF_OPTION_CHOICE,
     .argument = "WHICH",
     .default_value = "gap",
     .help = "orbitals whose energies the report shows",
     .choice = orbitals},
    {.key = "properties",
     .type = HF_OPTION_CHOICE,
     .argument = "WHICH",
     .default_value = "short",
     .help = "what is computed from the wave function, and shown",
     .choice = properties},
    {.key = "json",
     .type = HF_OPTION_TEXT,
     .argument = "FILE",
     .help = "write the results to FILE as a QCSchema AtomicResult, or the failure as a "
             "FailedOperation",
     .not_kept = true},
    {.key = "json_orbitals",
     .type = HF_OPTION_FLAG,
     .help = "write orbitals and density there too (key wavefunction): two matrices as text, which "
             "rank 0 holds as a whole; up to 4000 basis functions",
     .not_kept = true},
    {.key = "molden",
     .type = HF_OPTION_TEXT,
     .argument = "FILE",
     .help = "write geometry, basis and all orbitals to FILE in the Molden format",
     .not_kept = true},
    {.key = "cube",
     .type = HF_OPTION_TEXT,
     .argument = "LIST",
     .help = "write cube files of what LIST names, with commas between: density, spin (alpha less "
             "beta), esp (electrostatic potential), homo, lumo, orbitals by their number; each to "
             "INPUT.WHAT.cube, beside the JSON file or in the working folder",
     .not_kept = true},
    {.key = "cube_spacing",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "0.2",
     .unit = "bohr",
     .help = "between points of cube files",
     .least = 0.001,
     .most = 10,
     .not_kept = true},
    {.key = "cube_margin",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "7",
     .unit = "bohr",
     .help = "room that cube files have round the atoms",
     .least = 0,
     .most = 1000,
     .not_kept = true},
    {.key = "trace",
     .type = HF_OPTION_TEXT,
     .argument = "FILE",
     .help = "write to FILE what every rank did when, task by task, for tools/timeline and "
             "tools/replay",
     .not_kept = true},
    {.key = "checkpoint",
     .type = HF_OPTION_TEXT,
     .argument = "FILE",
     .default_value = "auto",
     .help = "write the state of the calculation to FILE now and then, when it is interrupted and "
             "at its "
             "end, for --restart; none: nowhere; auto: INPUT.hf.h5 beside the JSON file or in the "
             "working "
             "folder, when the run takes longer than a minute or is interrupted",
     .not_kept = true},
    {.key = "checkpoint_interval",
     .type = HF_OPTION_REAL,
     .argument = "X",
     .default_value = "60",
     .unit = "s",
     .help =
         "time between checkpoints at least; longer where writing would take more than 1 % of it",
     .least = 0,
     .most = 1e9},
    {.key = "restart",
     .type = HF_OPTION_TEXT,
     .argument = "FILE",
     .help = "go on from the checkpoint FILE; molecule, basis and settings are there, and an input "
             "file is "
             "not needed",
     .not_kept = true},
};

const struct hf_option *hf_option_table(int *n)
{
    *n = (int)(sizeof table / sizeof *table);
    return table;
}
