/* Vibrations as a quantity: options, report, JSON. */
#include "vibrations/vibrations.h"

#include "checkpoint/checkpoint.h"
#include "correlation/mp2_derivatives.h"
#include "fock/fock.h"
#include "gradient/gradient.h"
#include "hf/units.h"
#include "schedule/rank_groups.h"
#include "vibrations/differences.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/** What commutators are converged to if nothing is given: an error of the Hessian is of its order over the step. */
#define COMMUTATOR_TOLERANCE 1e-8

/** A larger derivative gets a warning: the largest that criteria of optimisations allow, hartree/bohr. */
static const double STATIONARY = 4.5e-4;

/** CODATA 2018: 1 hartree/kelvin in J/(mol K). */
static const double IN_JOULE_PER_MOL = 2625499.639;

struct row {
    struct hf_vibrations vibrations; /**< first: files of orbitals get it */
    struct hf_gas gas;
    char *stem; /**< of the files of displacements; NULL: none */
    int n_group, n_found;
    double largest_derivative; /**< of the energy, hartree/bohr */
    double seconds_before;     /**< as in struct hf_differences */
    int n_point;
    double *builds, *seconds; /**< [n_point] of each displacement */
};

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    struct row *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    self->n_group = hf_options_integer(of->options, "groups");
    HF_CHECK(hf_rank_groups_check(of->context, self->n_group, error));
    for (int i = 0; i < of->molecule->n_atom; i++)
        if (of->molecule->atom[i].ghost)
            return hf_fail(error, HF_BAD_INPUT,
                           "task vibrations: atom %d is a ghost, which has no mass", i + 1);
    return HF_OK;
}

/** Points, Hessian and modes; matrices of an SCF and of derivatives of fewer ranks, beside those that there are. */
static hf_status peak(struct hf_quantity *quantity, double *bytes, struct hf_error *error)
{
    enum { MATRICES = 12 };
    const struct row *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const double n = of->basis->n_function, n_coordinate = 3.0 * of->molecule->n_atom;
    const int n_group_rank = of->context->n_rank / self->n_group,
              n_rank = n_group_rank > 0 ? n_group_rank : 1;
    (void)error;
    *bytes =
        sizeof(double) *
        (2.0 * n_coordinate * (n_coordinate + HF_POINT_GRADIENT) +
         3.0 * n_coordinate * n_coordinate +
         n * hf_molecule_n_electron(of->molecule) + /* occupied orbitals on their way to groups */
         MATRICES * n * n *
             hf_linalg_largest_share(of->basis->n_function, n_rank,
                                     hf_fock_is_distributed(of->settings->fock.builder)));
    quantity->differentiates = true;
    quantity->stores = true; /* the SCFs of the points do */
    if (of->correlation != NULL) *bytes += hf_relaxation_bytes(of, n_rank);
    return HF_OK;
}

/** Hessian and derivatives of the dipole from the points. */
static void differentiate(const struct hf_differences *points, struct row *self)
{
    const int n = points->n / 2;
    hf_differences_hessian(points, self->vibrations.hessian);
    for (int i = 0; i < n; i++) {
        const double *up = points->point + (size_t)(2 * i) * (size_t)points->width;
        const double *down = up + points->width;
        for (int x = 0; x < 3; x++)
            self->vibrations.dipole_derivative[3 * (size_t)i + (size_t)x] =
                (up[HF_POINT_DIPOLE + x] - down[HF_POINT_DIPOLE + x]) / (2.0 * HF_VIBRATIONS_STEP);
        /* moved to either side its mean is that of the middle, but for third derivatives */
        self->largest_derivative =
            fmax(self->largest_derivative,
                 0.5 * fabs(up[HF_POINT_GRADIENT + i] + down[HF_POINT_GRADIENT + i]));
    }
}

/** The checkpoint that this run writes, for a restart knows no other name; NULL: it has the name of the input. */
static const char *checkpoint_of(const struct hf_quantity_source *of)
{
    const char *checkpoint = hf_options_text(of->options, "checkpoint");
    if (checkpoint != NULL && strcmp(checkpoint, "auto") != 0) return checkpoint;
    return of->restart != NULL ? of->restart->path : NULL;
}

/** Name of the files that go with a checkpoint (NULL: with the input), STEM.displacements-CHECKSUM. NULL: no memory. */
static char *stem_of(const struct hf_differences *points, const char *checkpoint,
                     struct hf_arena *arena)
{
    enum { MOST_ENDING = 24 };
    static const char *const endings[] = {".h5", ".hf"};
    const char *begin = checkpoint != NULL ? checkpoint : points->of->file_stem;
    const uint64_t sum = hf_differences_checksum(points);
    size_t n = strlen(begin);
    for (int i = 0; i < 2 && checkpoint != NULL; i++) {
        const size_t n_end = strlen(endings[i]);
        if (n > n_end && strncmp(begin + n - n_end, endings[i], n_end) == 0) n -= n_end;
    }
    char *stem = HF_TAKE(arena, stem, n + MOST_ENDING);
    if (stem != NULL)
        sprintf(stem, "%.*s.displacements-%08" PRIx32, (int)n, begin, (uint32_t)(sum ^ sum >> 32));
    return stem;
}

/** Names the files that displacements are kept in until all are there: calculations of the same name, such as another
 *  basis set, keep theirs apart. Reads those of the checkpoint that this run continues, if it writes another one. */
static hf_status name_files(struct hf_differences *points, struct row *self, struct hf_error *error)
{
    const struct hf_quantity_source *of = points->of;
    const char *checkpoint = hf_options_text(of->options, "checkpoint");
    if (of->no_files || (checkpoint != NULL && strcmp(checkpoint, "none") == 0)) return HF_OK;
    struct hf_arena *arena = &self->vibrations.arena;
    self->stem = stem_of(points, checkpoint_of(of), arena);
    const char *earlier =
        of->restart != NULL ? stem_of(points, of->restart->path, arena) : self->stem;
    HF_CHECK(hf_arena_check(arena, error));
    if (strcmp(earlier, self->stem) != 0 && of->context->rank == 0) hf_points_read(points, earlier);
    return HF_OK;
}

/** What each point took, for the JSON file. */
static hf_status keep_costs(const struct hf_differences *points, struct row *self,
                            struct hf_error *error)
{
    const size_t n = (size_t)points->n, width = (size_t)points->width;
    HF_TAKE(&self->vibrations.arena, self->builds, n);
    HF_TAKE(&self->vibrations.arena, self->seconds, n);
    HF_CHECK(hf_arena_check(&self->vibrations.arena, error));
    self->n_point = points->n;
    self->seconds_before = points->seconds_before;
    for (size_t i = 0; i < n; i++) {
        self->builds[i] = points->point[i * width + HF_POINT_BUILDS];
        self->seconds[i] = points->point[i * width + HF_POINT_SECONDS];
    }
    return HF_OK;
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    hf_status status;
    struct row *self = quantity->self;
    struct hf_quantity_source source = *quantity->of; /* with the energy of the method */
    const struct hf_quantity_source *of = &source;
    struct hf_scf_result result = *source.result;
    struct hf_differences points = {0};
    struct hf_surface *middle = NULL;
    if (source.correlation != NULL) result.energy += source.correlation->derivatives->energy;
    source.result = &result;
    status = hf_vibrations_create(of->molecule, &self->vibrations, error);
    if (status == HF_OK) status = hf_differences_create(of, &points, error);
    if (status == HF_OK) status = name_files(&points, self, error);
    HF_TRY(hf_agree(of->context->comm, status, error));
    HF_TRY(hf_surface_create(of, &middle, error));
    HF_TRY(hf_differences_compute(&points, middle, self->n_group, self->stem, error));
    self->n_found = points.n_found;
    differentiate(&points, self);
    status = hf_vibrations_analyse(of->molecule, &self->gas, &self->vibrations, error);
    if (status == HF_OK) status = keep_costs(&points, self, error);
    HF_TRY(hf_agree(of->context->comm, status, error));
cleanup:
    hf_surface_destroy(&middle);
    hf_arena_done(&points.arena);
    return status;
}

static int count_imaginary(const struct hf_vibrations *vibrations)
{
    int n = 0;
    while (n < vibrations->n_mode && vibrations->frequency[n] < 0.0) n++;
    return n;
}

static void print_modes(const struct row *self, FILE *out)
{
    const struct hf_vibrations *all = &self->vibrations;
    fprintf(out, "  %5s %14s %15s %14s\n  %5s %14s %15s %14s\n", "Mode", "Frequency",
            "Reduced mass", "Intensity", "", "1/cm", "mass units", "km/mol");
    for (int k = 0; k < all->n_mode; k++)
        fprintf(out, "  %5d %13.2f%c %15.4f %14.3f\n", k + 1, fabs(all->frequency[k]),
                all->frequency[k] < 0.0 ? 'i' : ' ', all->reduced_mass[k], all->intensity[k]);
}

/** The atoms that have most of a mode. */
static void print_movers(const struct hf_vibrations *all, const struct hf_molecule *molecule, int k,
                         FILE *out)
{
    static const double part = 0.1;
    const double *mode = all->mode + (size_t)k * 3 * (size_t)all->n_atom;
    const char *before = ":";
    fprintf(out, "  Mode %d is imaginary", k + 1);
    for (int i = 0; i < all->n_atom; i++) {
        const double *d = mode + 3 * i, square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square < part) continue;
        fprintf(out, "%s %s%d %.0f %%", before, hf_element_symbol(molecule->atom[i].atomic_number),
                i + 1, 100.0 * square);
        before = ",";
    }
    fprintf(out, "%s\n", *before == ':' ? "" : " of the motion");
}

/** `saddle`: the point was found as a saddle point. */
static void print_warnings(const struct row *self, const struct hf_molecule *molecule, bool saddle,
                           FILE *out)
{
    const int n = count_imaginary(&self->vibrations);
    for (int k = 0; k < n; k++) print_movers(&self->vibrations, molecule, k, out);
    if (self->largest_derivative > STATIONARY)
        fprintf(
            out,
            "  WARNING: the point is not stationary: the largest derivative of the energy is %.1e "
            "hartree/bohr\n",
            self->largest_derivative);
    else if (saddle && n == 1)
        fprintf(out, "  The point is a saddle point of first order, as --saddle looks for\n");
    else if (saddle)
        fprintf(
            out,
            "  WARNING: the point has %d imaginary modes; a saddle point of first order has 1\n",
            n);
    else if (n > 0)
        fprintf(out, "  WARNING: the point is no minimum, but a saddle point of order %d\n", n);
}

/** A molecule is taken as bent although its atoms are nearly on a line: the classical rotation about that line, and so
 *  the entropy, is only as good as the bend. Bent molecules are below 200 K. */
static void print_nearly_linear(const struct hf_thermochemistry *of, FILE *out)
{
    const double hottest = of->rotational_temperature[0];
    if (!isfinite(hottest) || hottest < 1000.0) return;
    fprintf(
        out,
        "  Note: the molecule is nearly linear, but not quite: three rotations are counted, one of "
        "a\n  rotational temperature of %.0f K; if it is meant to be linear, its atoms are to be "
        "on a line.\n",
        hottest);
}

static void print_thermochemistry(const struct row *self, double energy, FILE *out)
{
    static const char *const names[HF_N_MOTION] = {"Translation", "Rotation", "Vibration",
                                                   "Electronic"};
    const struct hf_thermochemistry *of = &self->vibrations.thermochemistry;
    fprintf(out, "\nThermochemistry at %g K and %g Pa, symmetry number %d%s", of->gas.temperature,
            of->gas.pressure, of->gas.symmetry_number, of->symmetry_found ? " (found)" : "");
    if (of->gas.scale != 1.0) fprintf(out, ", frequencies times %g", of->gas.scale);
    fprintf(out, "\n");
    if (!self->vibrations.held) print_nearly_linear(of, out);
    fprintf(out, "  %-24s %16s %16s %16s\n  %-24s %16s %16s %16s\n", "", "Energy", "Entropy",
            "Heat capacity", "", "hartree", "J/(mol K)", "J/(mol K)");
    for (int k = 0; k < HF_N_MOTION; k++)
        fprintf(out, "  %-24s %16.8f %16.4f %16.4f\n", names[k], of->energy[k],
                IN_JOULE_PER_MOL * of->entropy[k], IN_JOULE_PER_MOL * of->heat_capacity[k]);
    fprintf(out, "  %-24s %16.8f %16.4f %16.4f\n", "Sum", of->total_energy,
            IN_JOULE_PER_MOL * of->total_entropy, IN_JOULE_PER_MOL * of->heat_capacity_v);
    fprintf(out, "  %-24s %16.8f\n  %-24s %16.8f\n", "Zero-point energy", of->zero_point,
            "Energy + zero-point", energy + of->zero_point);
    fprintf(out, "  %-24s %16.8f\n  %-24s %16.8f\n", "Enthalpy H", energy + of->enthalpy,
            "Free energy G = H - T S", energy + of->gibbs);
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct row *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    fprintf(out, "\nVibrations, from %d gradients %g bohr to either side", 6 * of->molecule->n_atom,
            HF_VIBRATIONS_STEP);
    if (self->n_group > 1) fprintf(out, ", by %d groups of ranks", self->n_group);
    if (self->n_found > 0) fprintf(out, "; %d were there from an earlier run", self->n_found);
    fprintf(out, "\n");
    print_modes(self, out);
    print_warnings(self, of->molecule,
                   hf_options_include(of->options, "task", "optimise") &&
                       hf_options_flag(of->options, "saddle"),
                   out);
    print_thermochemistry(
        self,
        of->result->energy + (of->correlation != NULL ? of->correlation->derivatives->energy : 0.0),
        out);
}

static void put_thermochemistry(struct hf_json in, const struct hf_thermochemistry *of)
{
    const struct hf_json to = hf_json_object(in, "thermochemistry", "ideal gas, of a molecule");
    HF_PUT(to, "temperature", of->gas.temperature, "K", "`--temperature`");
    HF_PUT(to, "pressure", of->gas.pressure, "Pa", "`--pressure`");
    HF_PUT(to, "symmetry_number", of->gas.symmetry_number, NULL, "symmetry number of rotations");
    HF_PUT(to, "frequency_scale", of->gas.scale, NULL, "`--frequency-scale`");
    HF_PUT(to, "zero_point_energy", of->zero_point, "hartree", "zero-point energy");
    HF_PUT(to, "thermal_energy", of->total_energy, "hartree", "without the energy of electrons");
    HF_PUT(to, "enthalpy", of->enthalpy, "hartree", "without the energy of electrons");
    HF_PUT(to, "gibbs_energy", of->gibbs, "hartree", "without the energy of electrons");
    HF_PUT(to, "entropy", of->total_entropy, "hartree/K", "entropy");
    HF_PUT(to, "heat_capacity_v", of->heat_capacity_v, "hartree/K", "at constant volume");
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct row *self = quantity->self;
    const struct hf_vibrations *of = &self->vibrations;
    const int n = 3 * of->n_atom, n_mode = of->n_mode;
    const struct hf_json to = hf_json_object(all->extras, "vibrations", "normal modes");
    if (HF_ANY(to, all->returned))
        HF_PUT_ALL(all->result, "return_result", n * n, of->hessian, "hartree/bohr^2",
                   "task vibrations: the Hessian");
    HF_PUT(to, "step_bohr", HF_VIBRATIONS_STEP, "bohr", "displacement of the differences");
    HF_PUT(to, "largest_derivative", self->largest_derivative, "hartree/bohr",
           "largest derivative of the energy");
    HF_PUT(to, "seconds_before", self->seconds_before, "s",
           "processor time before the first displacement");
    HF_PUT_ALL(to, "displacement_seconds", self->n_point, self->seconds, "s",
               "processor time of each displacement");
    HF_PUT_ALL(to, "displacement_fock_builds", self->n_point, self->builds, NULL,
               "Fock builds of each displacement");
    HF_PUT(to, "imaginary_modes", count_imaginary(of), NULL, "modes of negative eigenvalue");
    HF_PUT_ALL(to, "frequencies", n_mode, of->frequency, "1/cm", "imaginary ones are negative");
    HF_PUT_ALL(to, "reduced_masses", n_mode, of->reduced_mass, "u", "of the modes");
    HF_PUT_ALL(to, "infrared_intensities", n_mode, of->intensity, "km/mol", "of the modes");
    HF_PUT_ALL(to, "modes", n_mode * n, of->mode, NULL, "Cartesian displacements, of norm 1");
    HF_PUT_ALL(to, "dipole_derivatives", 3 * n, of->dipole_derivative, "e",
               "derivatives of the dipole moment by each coordinate");
    put_thermochemistry(to, &of->thermochemistry);
}

/** The results are in their files: displacements go, unless a checkpoint was asked for by name. */
static hf_status clean_up(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    const struct row *self = quantity->self;
    (void)error;
    if (self->stem != NULL && quantity->made && of->context->rank == 0 && !of->checkpoint_given)
        hf_points_remove(self->stem);
    return HF_OK;
}

static void done(struct hf_quantity *quantity)
{
    struct row *self = quantity->self;
    hf_arena_done(&self->vibrations.arena);
}

#define IN_SELF(NAME) .member = HF_MEMBER(struct row, NAME)
const struct hf_option hf_options_vibrations[] = {
    HF_ROW_REAL("temperature", "298.15", "K", 0.01, 1e6, "temperature of thermochemistry",
                .only_with = {{"task", "vibrations"}}, IN_SELF(gas.temperature)),
    HF_ROW_REAL("pressure", "101325", "Pa", 1e-9, 1e15, "pressure of thermochemistry",
                .only_with = {{"task", "vibrations"}}, IN_SELF(gas.pressure)),
    HF_ROW_INTEGER("symmetry_number", "0", 0, 1000,
                   "rotations that carry the molecule onto itself; 0: to be found",
                   .only_with = {{"task", "vibrations"}}, IN_SELF(gas.symmetry_number)),
    HF_ROW_REAL("frequency_scale", "1", NULL, 0.1, 2, "factor of frequencies in thermochemistry",
                .more = "For what Hartree-Fock, or MP2, and the harmonic oscillator miss, 0.89 for "
                        "Hartree-Fock in 6-31G*. Printed frequencies are not scaled.",
                .only_with = {{"task", "vibrations"}}, IN_SELF(gas.scale)),
    {0}};

const struct hf_quantity_ops hf_quantity_vibrations = {
    .name = "vibrations",
    .options = hf_options_vibrations,
    .of_converged = true,
    .of_structure = true,
    .needs = HF_WAVEFUNCTION_ALL,
    .commutator_tolerance = COMMUTATOR_TOLERANCE,
    .phases = hf_gradient_phases,
    .size = sizeof(struct row),
    .doing = "Vibrations",
    .plan = plan,
    .peak = peak,
    .compute = compute,
    .report = report,
    .json = put_json,
    .write = clean_up,
    .done = done,
};
