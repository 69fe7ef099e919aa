/* Derivatives of the energy by the coordinates of atoms as differences of energies. */
#include "calculation_private.h"

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
static hf_status find_energy(const struct hf_calculation *calculation, struct displaced *displaced,
                             int atom, int axis, double step, double *energy,
                             struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = calculation->context;
    struct hf_basis *basis = NULL;
    struct hf_scf_result result;
    double *coordinate = &displaced->molecule.atom[atom].position_bohr[axis];
    const double where = *coordinate;
    *coordinate = where + step;
    HF_TRY(hf_agree(context->comm,
                    move_basis(calculation->basis, &displaced->molecule, &basis, error), error));
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
static hf_status differentiate(const struct hf_calculation *calculation,
                               struct displaced *displaced, int atom, int axis, double energy,
                               double *derivative, struct hf_error *error)
{
    hf_status status;
    double above, below;
    HF_TRY(find_energy(calculation, displaced, atom, axis, STEP_BOHR, &above, error));
    HF_TRY(find_energy(calculation, displaced, atom, axis, -STEP_BOHR, &below, error));
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
static hf_status make_room(struct hf_calculation *calculation, struct displaced *displaced,
                           struct hf_error *error)
{
    const struct hf_molecule *molecule = &calculation->input.molecule;
    const size_t n = (size_t)molecule->n_atom;
    struct hf_gradient *gradient = &calculation->gradient;
    displaced->molecule = *molecule;
    displaced->settings = quiet_settings(&calculation->settings);
    displaced->molecule.atom = calloc(n, sizeof *displaced->molecule.atom);
    gradient->atom = calloc(n, sizeof *gradient->atom);
    if (displaced->molecule.atom == NULL || gradient->atom == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for a gradient of %zu atoms", n);
    memcpy(displaced->molecule.atom, molecule->atom, n * sizeof *molecule->atom);
    gradient->n_atom = molecule->n_atom;
    gradient->step_bohr = STEP_BOHR;
    return HF_OK;
}

hf_status hf_numerical_gradient(struct hf_calculation *calculation,
                                const struct hf_scf_result *result, struct hf_report *report,
                                struct hf_error *error)
{
    hf_status status;
    struct hf_gradient *gradient = &calculation->gradient;
    struct displaced displaced;
    HF_TRY(hf_agree(calculation->context->comm, make_room(calculation, &displaced, error), error));
    for (int i = 0; i < gradient->n_atom; i++)
        for (int axis = 0; axis < 3; axis++) {
            hf_report_begin_gradient(report, 3 * i + axis, 3 * gradient->n_atom);
            HF_TRY(differentiate(calculation, &displaced, i, axis, free_energy(result),
                                 &gradient->atom[i][axis], error));
            gradient->sum[axis] += gradient->atom[i][axis];
        }
    calculation->description.gradient = gradient;
cleanup:
    free(displaced.molecule.atom);
    return status;
}
