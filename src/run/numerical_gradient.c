/* Derivatives of the energy by the coordinates of atoms, ghosts included, by central differences
 *
 *     dE/dx = (E(x + h) - E(x - h)) / 2 h + O(h^2 d3E/dx3 / 6)          h = 0.001 bohr
 *
 * of energies that are converged further than the calculation may have been. With third derivatives of a
 * few hartree/bohr^3 along bonds the error is some 1e-7 to 1e-6 hartree/bohr. Point charges and the field
 * stay where they are. With fractional occupations it is the free energy that is differentiated: the
 * energy alone is no minimum. Functions on ghosts move with them.
 *
 * It takes 6 calculations for each atom, one after another, each from the guess that the settings name,
 * without a report. HF_NOT_CONVERGED: an energy does not converge, or to another solution than the
 * calculation's. */
#include "hf/output.h"
#include "hf/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP_BOHR = 1e-3;

/** An error e of an energy is one of e / h of the gradient; that of an energy is of second order in
 *  the commutator. */
static const double ENERGY_TOLERANCE = 1e-10, COMMUTATOR_TOLERANCE = 1e-6;

/** Second derivatives of one solution are at most a few hartree/bohr^2. Where differences of energies
 *  say more, one of them is of another solution. */
static const double MOST_CURVATURE = 20.0;

/** hartree/bohr */
struct gradient {
    double sum[3];     /**< over the atoms: 0 unless something acts from outside */
    double (*atom)[3]; /**< [n_atom]; owned */
};

/** The molecule with one atom moved. */
struct displaced {
    struct hf_molecule molecule; /**< `atom` owned, the rest borrowed */
    struct hf_scf_settings settings;
};

static double free_energy(const struct hf_scf_result *result)
{
    return result->energy + result->smearing_entropy_term;
}

/** The same settings with less tolerance, and nothing that is kept or gone on from. */
static struct hf_scf_settings quiet_settings(const struct hf_scf_settings *settings)
{
    struct hf_scf_settings quiet = *settings;
    quiet.energy_tolerance = fmin(settings->energy_tolerance, ENERGY_TOLERANCE);
    quiet.commutator_tolerance = fmin(settings->commutator_tolerance, COMMUTATOR_TOLERANCE);
    quiet.keeper = NULL;
    quiet.restart = NULL;
    quiet.pairs = NULL; /* of other places of the atoms */
    return quiet;
}

/** The basis of the calculation with its shells where the atoms are now. Not collective. */
static hf_status move_basis(const struct hf_basis *from, const struct hf_molecule *molecule,
                            struct hf_basis **basis, struct hf_error *error)
{
    const hf_status status = hf_basis_from_shells(molecule, from->name, from->citation,
                                                  from->n_shell, from->shell, basis, error);
    if (status != HF_OK) return status;
    return hf_basis_set_core_potentials(molecule, from->n_core_potential, from->core_potential,
                                        *basis, error);
}

/** The energy of the molecule with coordinate `axis` of an atom changed. Collective. */
static hf_status find_energy(const struct hf_quantity_source *of, struct displaced *displaced,
                             int atom, int axis, double step, double *energy,
                             struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = of->context;
    struct hf_basis *basis = NULL;
    struct hf_scf_result result;
    double *coordinate = &displaced->molecule.atom[atom].position_bohr[axis];
    const double where = *coordinate;
    *coordinate = where + step;
    HF_TRY(
        hf_agree(context->comm, move_basis(of->basis, &displaced->molecule, &basis, error), error));
    HF_TRY(hf_scf_run(context, &displaced->molecule, basis, &displaced->settings, NULL, &result,
                      NULL, error));
    if (!result.converged)
        status = hf_fail(error, HF_NOT_CONVERGED,
                         "gradient: the energy with atom %d moved by %g bohr along %c did not "
                         "converge in %d iterations",
                         atom + 1, step, "xyz"[axis], result.n_iteration);
    *energy = free_energy(&result);
cleanup:
    *coordinate = where;
    hf_basis_destroy(&basis);
    return status;
}

/** One element of the gradient. Collective. */
static hf_status differentiate(const struct hf_quantity_source *of, struct displaced *displaced,
                               int atom, int axis, double *derivative, struct hf_error *error)
{
    hf_status status;
    double above, below;
    const double energy = free_energy(of->result);
    HF_TRY(find_energy(of, displaced, atom, axis, STEP_BOHR, &above, error));
    HF_TRY(find_energy(of, displaced, atom, axis, -STEP_BOHR, &below, error));
    *derivative = (above - below) / (2.0 * STEP_BOHR);
    const double curvature = (above - 2.0 * energy + below) / (STEP_BOHR * STEP_BOHR);
    if (!(fabs(curvature) < MOST_CURVATURE)) /* the same on every rank, as the energies are */
        status = hf_fail(error, HF_NOT_CONVERGED,
                         "gradient: with atom %d moved by %g bohr along %c the SCF finds another "
                         "solution (%.8f and %.8f, %.8f between them)",
                         atom + 1, STEP_BOHR, "xyz"[axis], below, above, energy);
cleanup:
    return status;
}

/** Room for the result, and for the molecule that is moved. Not collective. */
static hf_status make_room(struct hf_quantity *quantity, struct displaced *displaced,
                           struct hf_error *error)
{
    struct gradient *self = quantity->self;
    const struct hf_molecule *molecule = quantity->of->molecule;
    const size_t n = (size_t)molecule->n_atom;
    displaced->molecule = *molecule;
    displaced->settings = quiet_settings(quantity->of->settings);
    displaced->molecule.atom = calloc(n, sizeof *displaced->molecule.atom);
    self->atom = calloc(n, sizeof *self->atom);
    if (displaced->molecule.atom == NULL || self->atom == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for a gradient of %zu atoms", n);
    memcpy(displaced->molecule.atom, molecule->atom, n * sizeof *molecule->atom);
    return HF_OK;
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    hf_status status;
    struct gradient *self = quantity->self;
    const struct hf_quantity_source *of = quantity->of;
    const int n_atom = of->molecule->n_atom;
    struct displaced displaced;
    char doing[64];
    HF_TRY(hf_agree(of->context->comm, make_room(quantity, &displaced, error), error));
    for (int i = 0; i < n_atom; i++)
        for (int axis = 0; axis < 3; axis++) {
            snprintf(doing, sizeof doing, "Gradient, %d of %d elements done; Fock build",
                     3 * i + axis, 3 * n_atom);
            hf_report_begin(of->report, doing);
            HF_TRY(differentiate(of, &displaced, i, axis, &self->atom[i][axis], error));
            self->sum[axis] += self->atom[i][axis];
        }
cleanup:
    free(displaced.molecule.atom);
    return status;
}

/** The matrices of the wave function, beside which the energies are computed: density and overlap, of both
 *  spins, and orbitals if they are needed, else the orthogonaliser. */
static double memory(const struct hf_quantity *quantity)
{
    const struct hf_quantity_source *of = quantity->of;
    const struct hf_scf_settings *settings = of->settings;
    const int n_spin = strcmp(settings->method, "rhf") == 0 ? 1 : 2;
    const int n_matrix = 1 + n_spin + (settings->wavefunction == HF_WAVEFUNCTION_ALL ? n_spin : 1);
    const double n = of->basis->n_function;
    return n_matrix * n * n * sizeof(double) *
           hf_linalg_largest_share(of->basis->n_function, of->context->n_rank,
                                   hf_fock_is_distributed(settings->fock.builder));
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct gradient *self = quantity->self;
    const struct hf_molecule *molecule = quantity->of->molecule;
    fprintf(out, "\nGradient (numerical), hartree/bohr\n  %5s %4s %14s %14s %14s\n", "Atom", "",
            "x", "y", "z");
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        fprintf(out, "  %5d  %c%-2s", i + 1, atom->ghost ? '@' : ' ',
                hf_element_symbol(atom->atomic_number));
        for (int k = 0; k < 3; k++) {
            const double value = self->atom[i][k];
            fprintf(out, " %14.7f", fabs(value) < 5e-8 ? 0.0 : value); /* no -0.0000000 */
        }
        fprintf(out, "\n");
    }
    fprintf(out, "  %-10s", "Sum");
    for (int k = 0; k < 3; k++) fprintf(out, " %14.1e", self->sum[k]);
    fprintf(out, "\n  Central differences of %d energies, %g bohr to either side\n",
            6 * molecule->n_atom, STEP_BOHR);
}

static bool add_json(const struct hf_quantity *quantity, const struct hf_json_places *to)
{
    const struct gradient *self = quantity->self;
    const int n = 3 * quantity->of->molecule->n_atom;
    cJSON *object = cJSON_AddObjectToObject(to->extras, "gradient");
    return hf_json_add_doubles(to->properties, "scf_total_gradient", n, self->atom[0]) &&
           (!to->returned || hf_json_add_doubles(to->result, "return_result", n, self->atom[0])) &&
           object != NULL && hf_json_add_text(object, "method", "numerical") &&
           hf_json_add_double(object, "step_bohr", STEP_BOHR) &&
           hf_json_add_doubles(object, "sum", 3, self->sum);
}

static void done(struct hf_quantity *quantity)
{
    struct gradient *self = quantity->self;
    free(self->atom);
}

const struct hf_quantity_ops hf_quantity_gradient = {
    .name = "gradient",
    .of_converged = true,
    .needs = HF_WAVEFUNCTION_ENERGIES,
    .size = sizeof(struct gradient),
    .memory = memory,
    .compute = compute,
    .report = report,
    .json = add_json,
    .done = done,
};
