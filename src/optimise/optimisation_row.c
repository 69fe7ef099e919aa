/* An optimisation as a quantity: options, trajectory, report, JSON. What finds the structure is in search.c. */
#include "optimise/optimisation.h"

#include "checkpoint/checkpoint.h"
#include "fock/fock.h"
#include "gradient/gradient.h"
#include "hamiltonian/hamiltonian.h"
#include "hf/units.h"
#include "molecule/input.h"
#include "output/output.h"
#include "schedule/rank_groups.h"
#include "surface/extrapolation.h"
#include "text/output_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/** Of lengths in the option `key`: that of the input, or of a constraint in a checkpoint that of its input. */
static double length_unit(const struct hf_quantity_source *of, const char *key)
{
    const struct hf_option_value *given = hf_options_given(of->options, key);
    bool bohr = hf_options_value(of->options, "units") == HF_LENGTH_BOHR;
    if (given != NULL && given->level == HF_OPTION_RESTART) {
        const char *kept = hf_checkpoint_setting(of->restart, "units");
        bohr = kept != NULL && strcmp(kept, "bohr") == 0;
    }
    return bohr ? 1.0 : 1.0 / HF_BOHR_IN_ANGSTROM;
}

/** Constraints with semicolons between them. */
static hf_status read_constraints(struct hf_optimisation *self, const struct hf_quantity_source *of,
                                  struct hf_error *error)
{
    const char *text = hf_options_text(of->options, "constraint");
    const double unit = length_unit(of, "constraint");
    while (text != NULL && *text != '\0') {
        char one[200];
        const size_t length = strcspn(text, ";");
        int n, *n_all = &self->settings.n_constraint;
        if (length >= sizeof one)
            return hf_fail(error, HF_BAD_INPUT, "a constraint of %zu letters is too long", length);
        memcpy(one, text, length);
        one[length] = '\0';
        HF_CHECK(hf_constraint_read(one, of->molecule, unit, false,
                                    HF_MOST_CONSTRAINTS - 1 - *n_all, self->constraint + *n_all, &n,
                                    error));
        *n_all += n;
        text += length + (text[length] == ';');
    }
    return HF_OK;
}

static hf_status read_scan(struct hf_optimisation *self, const struct hf_quantity_source *of,
                           struct hf_error *error)
{
    const char *text = hf_options_text(of->options, "scan");
    struct hf_constraint *scan = &self->constraint[self->settings.n_constraint];
    int n;
    self->n_point = 1;
    if (text == NULL) return HF_OK;
    HF_CHECK(
        hf_constraint_read(text, of->molecule, length_unit(of, "scan"), true, 1, scan, &n, error));
    self->settings.n_constraint++;
    self->n_point = scan->n_point;
    self->from = scan->value;
    self->to = scan->end;
    return HF_OK;
}

/** Constraints, at all points of the scan, on a copy of the atoms: what cannot hold is refused before anything is
 *  computed. */
static hf_status check_constraints(struct hf_optimisation *self, const struct hf_molecule *molecule,
                                   struct hf_error *error)
{
    const int n = self->settings.n_constraint;
    struct hf_error why;
    struct hf_constraint *copy = HF_TAKE(&self->arena, copy, (size_t)n);
    double(*x)[3] = HF_TAKE(&self->arena, x, (size_t)molecule->n_atom);
    hf_status status = hf_arena_check(&self->arena, error);
    for (int i = 0; i < molecule->n_atom && status == HF_OK; i++)
        memcpy(x[i], molecule->atom[i].position_bohr, sizeof *x);
    for (int p = 0; p < self->n_point && n > 0 && status == HF_OK; p++) {
        memcpy(copy, self->constraint, (size_t)n * sizeof *copy);
        if (self->n_point > 1) copy[n - 1].value = hf_optimisation_value(self, p);
        status = hf_constraints_fulfil(molecule, n, copy, x, &why);
        if (status != HF_OK && self->n_point > 1)
            status = hf_fail(error, status, "point %d: %.300s", p + 1, why.message);
        else if (status != HF_OK)
            status = hf_fail(error, status, "%.300s", why.message);
    }
    return status;
}

/** What is held. */
static hf_status plan_constraints(struct hf_quantity *quantity, struct hf_error *error)
{
    struct hf_optimisation *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    quantity->about = hf_options_given(of->options, "constraint");
    HF_CHECK(read_constraints(self, of, error));
    if (hf_options_given(of->options, "scan") != NULL)
        quantity->about = hf_options_given(of->options, "scan");
    HF_CHECK(read_scan(self, of, error));
    return check_constraints(self, of->molecule, error);
}

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    struct hf_optimisation *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_options *options = of->options;
    self->n_atom = of->molecule->n_atom;
    self->arena.label = "an optimisation";
    self->n_negative_start = -1;
    self->settings.constraint = self->constraint;
    self->settings.absolute = hf_is_held(of->molecule);
    quantity->about = hf_options_given(options, "groups");
    if (self->settings.saddle) /* its second derivatives are computed by groups */
        HF_CHECK(hf_rank_groups_check(of->context, hf_options_integer(options, "groups"), error));
    return plan_constraints(quantity, error);
}

static const char *path_of(const struct hf_quantity *quantity, int i)
{
    return i == 0 ? hf_options_text(quantity->of->options, "trajectory") : NULL;
}

/** Extended XYZ. Other programs take its `energy` for eV, so that hartree stands in the key of the other. */
void hf_optimisation_write(struct hf_quantity *quantity)
{
    struct hf_optimisation *self = quantity->self;
    const struct hf_molecule *molecule = quantity->of->molecule;
    const char *path = path_of(quantity, 0);
    struct hf_output_file file;
    if (path == NULL) return;
    self->lost = 0;
    if (!hf_output_file_begin(path, &file)) {
        self->lost = errno != 0 ? errno : EIO;
        return;
    }
    for (int s = 0; s < self->n_step; s++) {
        const struct hf_optimisation_step *it = &self->step[s];
        hf_output_file_print(
            &file,
            "%d\nProperties=species:S:1:pos:R:3 charge=%d multiplicity=%d "
            "step=%d scan_point=%d energy=%.9f energy_unit=eV energy_hartree=%.10f "
            "max_force_au=%.8f\n",
            self->n_atom, molecule->charge, molecule->multiplicity, s + 1, it->point + 1,
            it->step.energy * HF_HARTREE_IN_EV, it->step.energy, it->step.max_force);
        for (int i = 0; i < self->n_atom; i++)
            hf_output_file_print(
                &file, "%s%-2s %16.10f %16.10f %16.10f\n", molecule->atom[i].ghost ? "@" : "",
                hf_element_symbol(molecule->atom[i].atomic_number),
                it->x[i][0] * HF_BOHR_IN_ANGSTROM, it->x[i][1] * HF_BOHR_IN_ANGSTROM,
                it->x[i][2] * HF_BOHR_IN_ANGSTROM);
    }
    if (!hf_output_file_end(&file, true)) self->lost = errno != 0 ? errno : EIO;
}

/** It was written step by step; now it is said if that failed. */
static hf_status write_trajectory(struct hf_quantity *quantity, struct hf_error *error)
{
    const struct hf_optimisation *self = quantity->self;
    hf_status status = HF_OK;
    if (self->lost != 0)
        status = hf_fail(error, HF_NO_RESOURCE, "%s: the trajectory cannot be written: %s",
                         path_of(quantity, 0), strerror(self->lost));
    return hf_agree(quantity->of->context->comm, status, error);
}

/** Of the scan: value of the last structure of a point, or that it was to have if there is none, in the units of the
 *  input. */
static double shown_value(const struct hf_quantity *quantity, int point)
{
    const struct hf_optimisation *self = quantity->self;
    const struct hf_optimisation_step *last = hf_optimisation_last_of(self, point);
    struct hf_constraint scan = self->constraint[self->settings.n_constraint - 1];
    const double unit =
        scan.kind == HF_STRETCH ? length_unit(quantity->of, "scan") : acos(-1.0) / 180.0;
    scan.value = hf_optimisation_value(self, point);
    if (last != NULL) scan.value = hf_constraint_value_near(&scan, (const double(*)[3])last->x);
    return scan.value / unit;
}

void hf_optimisation_print_head(const struct hf_quantity *quantity)
{
    hf_report_text(quantity->of->report,
                   "\nOptimisation\n  Step      Energy/hartree      Change    Max force    RMS "
                   "force     Max step     RMS step  Builds\n");
}

void hf_optimisation_print_step(const struct hf_quantity *quantity)
{
    const struct hf_optimisation *self = quantity->self;
    const struct hf_optimisation_step *it = &self->step[self->n_step - 1];
    const struct hf_optimise_step *t = &it->step;
    hf_report_text(quantity->of->report,
                   "  %4d %19.10f %11.2e %12.8f %12.8f %12.8f %12.8f %7d%s%s\n", self->n_step,
                   t->energy, t->change, t->max_force, t->rms_force, t->max_displacement,
                   t->rms_displacement, it->n_build, t->note[0] != '\0' ? "  " : "", t->note);
}

void hf_optimisation_begin_tell(const struct hf_quantity *quantity)
{
    struct hf_optimisation *self = quantity->self;
    if (!self->settings.saddle) return;
    self->n_negative_start = self->step[self->n_step - 1].step.n_negative;
    if (self->n_negative_start == 0)
        hf_report_warning(quantity->of->report,
                          "--saddle: no eigenvalue of the Hessian is negative at the start, which "
                          "may be near a minimum; the search follows the lowest mode uphill");
}

void hf_optimisation_tell_removed(const struct hf_quantity *quantity)
{
    const struct hf_optimisation *self = quantity->self;
    const struct hf_optimisation_step *it = &self->step[self->n_step - 1];
    if (it[0].n_removed == it[-1].n_removed) return;
    hf_report_warning(quantity->of->report,
                      "step %d removes %d linearly dependent functions, the step before %d: the "
                      "energy jumps; see --linear-dependence",
                      self->n_step, it[0].n_removed, it[-1].n_removed);
}

/** " at point 3", of a scan. */
static const char *place_of(const struct hf_optimisation *self, int point, char text[32])
{
    text[0] = '\0';
    if (self->n_point > 1) snprintf(text, 32, " at point %d", point + 1);
    return text;
}

void hf_optimisation_tell_bonds(const struct hf_quantity *quantity, int point, bool at_end,
                                const double (*from)[3], const double (*to)[3])
{
    const struct hf_optimisation *self = quantity->self;
    const int n = self->settings.n_constraint;
    char bonds[200], place[32];
    if (n == 0 || hf_constraints_changed_bonds(quantity->of->molecule, n, self->constraint, from,
                                               to, sizeof bonds, bonds) == 0)
        return;
    hf_report_warning(quantity->of->report, "bonds changed %s%s: %s",
                      at_end ? "during the optimisation" : "when the constraints were set",
                      place_of(self, point, place), bonds);
}

void hf_optimisation_tell_failure(const struct hf_quantity *quantity, int point, const char *why)
{
    struct hf_optimisation *self = quantity->self;
    char place[32];
    snprintf(self->why, sizeof self->why, "%s", why);
    if (self->n_point > 1)
        hf_report_warning(quantity->of->report, "no structure%s: %s", place_of(self, point, place),
                          why);
}

/** How the search ended. */
static void tell_end(const struct hf_quantity *quantity)
{
    const struct hf_optimisation *self = quantity->self;
    const int n_failed = hf_optimisation_n_failed(self);
    struct hf_report *report = quantity->of->report;
    const char *why = self->why[0] != '\0' ? self->why : "see the report of the run before";
    char which[64] = "";
    if (self->n_point > 1)
        snprintf(which, sizeof which, " at %d of the %d points", n_failed, self->n_point);
    if (n_failed == 0)
        hf_report_text(report, "\nStructure found after %d steps, angstrom\n", self->n_step);
    else
        hf_report_text(report,
                       "\nWARNING: no structure found%s in %d steps: %s; the last one, angstrom\n",
                       which, self->n_step, why);
}

/** Of a search for a saddle point. */
static void tell_order(const struct hf_quantity *quantity)
{
    const struct hf_optimisation *self = quantity->self;
    const int n = self->n_step > 0 ? self->step[self->n_step - 1].step.n_negative : -1;
    if (!self->settings.saddle || n < 0) return;
    const bool doubtful = n != 1 || self->n_negative_start == 0;
    hf_report_text(quantity->of->report,
                   "\n%s%d negative eigenvalue%s of the updated Hessian%s; --task vibrations "
                   "computes the exact one\n",
                   doubtful ? "WARNING: " : "", n, n == 1 ? "" : "s",
                   self->n_negative_start != 0 ? ""
                   : n > 0                     ? ", but none at the start"
                                               : ", and none at the start");
}

/** The table of a scan. */
static void tell_scan(const struct hf_quantity *quantity)
{
    const struct hf_optimisation *self = quantity->self;
    struct hf_report *report = quantity->of->report;
    if (self->n_point < 2) return;
    hf_report_text(report, "\nScan\n  Point        Value      Energy/hartree\n");
    for (int p = 0; p < self->n_point; p++) {
        const struct hf_optimisation_step *last = hf_optimisation_last_of(self, p);
        if (last == NULL)
            hf_report_text(report, "  %5d %12.5f %19s   no energy\n", p + 1,
                           shown_value(quantity, p), "-");
        else
            hf_report_text(report, "  %5d %12.5f %19.10f%s\n", p + 1, shown_value(quantity, p),
                           last->step.energy, last->step.converged ? "" : "   not converged");
    }
}

void hf_optimisation_tell(const struct hf_quantity *quantity)
{
    const struct hf_molecule *molecule = quantity->of->molecule;
    tell_end(quantity);
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = atom->position_bohr[k] * HF_BOHR_IN_ANGSTROM;
            if (fabs(x[k]) < 5e-9) x[k] = 0.0; /* no -0.00000000 */
        }
        hf_report_text(quantity->of->report, "  %5d %c%-2s %16.8f %16.8f %16.8f\n", i + 1,
                       atom->ghost ? '@' : ' ', hf_element_symbol(atom->atomic_number), x[0], x[1],
                       x[2]);
    }
    tell_order(quantity);
    tell_scan(quantity);
}

/** Occupied orbitals of the last structures, twice, and those that are extrapolated. */
static double memory(const struct hf_quantity *quantity)
{
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_scf_settings *settings = of->settings;
    const double n = of->basis->n_function, n_electron = hf_molecule_n_electron(of->molecule);
    const double n_orbital = strcmp(settings->method, "uhf") == 0 ? n_electron : 0.5 * n_electron;
    return (2.0 * HF_SURFACE_POINTS + 1.0) * n * n_orbital * sizeof(double) *
           hf_linalg_largest_share(of->basis->n_function, of->context->n_rank,
                                   hf_fock_is_distributed(settings->fock.builder));
}

static void put_steps(struct hf_json in, const struct hf_optimisation *self)
{
    const struct hf_json list = hf_json_array(in, "steps", NULL, "structures that were computed");
    for (int s = 0; s < HF_COUNT(list, self->n_step); s++) {
        const struct hf_optimisation_step *it = &self->step[s];
        const struct hf_json to = hf_json_row(list);
        HF_PUT(to, "energy", it->step.energy, "hartree", "energy");
        HF_PUT(to, "max_force", it->step.max_force, "hartree/bohr", "largest force");
        HF_PUT(to, "rms_force", it->step.rms_force, "hartree/bohr", "root mean square of forces");
        HF_PUT(to, "max_displacement", it->step.max_displacement, "bohr",
               "largest displacement in the next step");
        HF_PUT(to, "rms_displacement", it->step.rms_displacement, "bohr",
               "root mean square of the displacements in the next step");
        HF_PUT(to, "fock_builds", it->n_build, NULL, "Fock builds");
        HF_PUT(to, "scan_point", it->point + 1, NULL, "counted from 1");
        if (HF_ANY(to, self->settings.saddle && it->step.n_negative >= 0))
            HF_PUT(to, "updated_hessian_negative_eigenvalues", it->step.n_negative, NULL,
                   "with `--saddle`; a guess");
        HF_PUT_ALL(to, "geometry", 3 * self->n_atom, it->x[0], "bohr", "x, y, z of each atom");
        if (HF_ANY(to, it->gradient != NULL))
            HF_PUT_ALL(to, "gradient", 3 * self->n_atom, it->gradient[0], "hartree/bohr",
                       "derivatives of the energy, unless of a run before a restart");
    }
}

static void put_scan(struct hf_json in, const struct hf_quantity *quantity)
{
    const struct hf_optimisation *self = quantity->self;
    const struct hf_json list = hf_json_array(in, "scan", NULL, "points, with `--scan`");
    for (int p = 0; p < HF_COUNT(list, self->n_point); p++) {
        const struct hf_json to = hf_json_row(list);
        const struct hf_optimisation_step *last = hf_optimisation_last_of(self, p);
        const bool converged = last != NULL && last->step.converged;
        HF_PUT(to, "value", shown_value(quantity, p), "angstrom, degree",
               "value of the scanned coordinate");
        if (HF_ANY(to, last != NULL))
            HF_PUT(to, "energy", last->step.energy, "hartree", "energy of the structure found");
        HF_PUT(to, "converged", converged, NULL, "a structure was found");
    }
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct hf_optimisation *self = quantity->self;
    const struct hf_json to = hf_json_object(all->extras, "optimisation", "task optimise");
    const bool converged = hf_optimisation_n_failed(self) == 0;
    HF_PUT(to, "converged", converged, NULL, "all structures were found");
    if (HF_ANY(to, self->n_negative_start >= 0))
        HF_PUT(to, "start_hessian_negative_eigenvalues", self->n_negative_start, NULL,
               "of the Hessian that was computed, if one was");
    put_steps(to, self);
    if (HF_ANY(to, self->n_point > 1)) put_scan(to, quantity);
}

static void done(struct hf_quantity *quantity)
{
    struct hf_optimisation *self = quantity->self;
    hf_arena_done(&self->arena);
}

static const struct hf_option_choice coordinates[] = {
    {"internal", "bonds, angles and torsions; Cartesian ones where these fail", 0},
    {"cartesian", "those of the atoms", 1},
    {0}};

#define SEARCHING     .only_with = {{"task", "optimise"}}
#define IN_SELF(NAME) .member = HF_MEMBER(struct hf_optimisation, NAME)
const struct hf_option hf_options_optimisation[] = {
    HF_ROW_INTEGER("max_steps", "100", 1, 100000,
                   "steps that --task optimise makes at most, at each point of a scan", SEARCHING,
                   IN_SELF(max_step)),
    HF_ROW_TEXT("constraint", "TEXT", "what --task optimise holds", .everyday = true,
                .more = "For example 'distance 1 2 = 1.4; angle 1 2 3; torsion 1 2 3 4 = 60; fix "
                        "5-7'. Atoms are counted from 1, lengths are in the units of the input, "
                        "angles in degrees. Without a value that of the input is held.",
                SEARCHING),
    HF_ROW_TEXT("scan", "TEXT",
                "a constraint with several values, 'distance 1 2 = 1.0 to 2.0 in 11'",
                .more = "--task optimise finds the structure for each.", SEARCHING),
    HF_ROW_FLAG("saddle", "--task optimise looks for a saddle point",
                .more = "It begins with second derivatives, from 6 gradients for each atom.",
                SEARCHING, IN_SELF(settings.saddle)),
    HF_ROW_CHOICE("coordinates", "KIND", "internal", "coordinates of the steps of --task optimise",
                  .choice = coordinates, SEARCHING, IN_SELF(settings.cartesian)),
    HF_ROW_REAL("max_force", "4.5e-4", "hartree/bohr", 1e-7, 1,
                "largest force where --task optimise ends", SEARCHING, IN_SELF(settings.max_force)),
    HF_ROW_REAL("rms_force", "3e-4", "hartree/bohr", 1e-7, 1, "root mean square of the forces",
                SEARCHING, IN_SELF(settings.rms_force)),
    HF_ROW_REAL("max_displacement", "1.8e-3", "bohr", 1e-7, 10,
                "largest displacement in the next step", SEARCHING,
                IN_SELF(settings.max_displacement)),
    HF_ROW_REAL("rms_displacement", "1.2e-3", "bohr", 1e-7, 10,
                "root mean square of the displacements", SEARCHING,
                IN_SELF(settings.rms_displacement)),
    {0}};

const struct hf_quantity_ops hf_quantity_optimisation = {
    .name = "optimisation",
    .options = hf_options_optimisation,
    .option = "trajectory",
    .of_converged = true,
    .weighted_density = true,
    .needs = HF_WAVEFUNCTION_ALL,
    .phases = hf_gradient_phases,
    .size = sizeof(struct hf_optimisation),
    .file = "the trajectory",
    .plan = plan,
    .memory = memory,
    .json = put_json,
    .path = path_of,
    .write = write_trajectory,
    .done = done,
};
