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
#include "hf/gradient.h"

#include "hf/interruption.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    quiet.weighted_density = quiet.polarisability = false;
    quiet.pairs = NULL; /* of other places of the atoms */
    return quiet;
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
    HF_TRY(hf_agree(context->comm, hf_basis_move(of->basis, &displaced->molecule, &basis, error),
                    error));
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
    HF_TRY(find_energy(of, displaced, atom, axis, HF_GRADIENT_STEP, &above, error));
    HF_TRY(find_energy(of, displaced, atom, axis, -HF_GRADIENT_STEP, &below, error));
    *derivative = (above - below) / (2.0 * HF_GRADIENT_STEP);
    const double curvature = (above - 2.0 * energy + below) / (HF_GRADIENT_STEP * HF_GRADIENT_STEP);
    if (!(fabs(curvature) < MOST_CURVATURE)) /* the same on every rank, as the energies are */
        status = hf_fail(error, HF_NOT_CONVERGED,
                         "gradient: with atom %d moved by %g bohr along %c the SCF finds another "
                         "solution (%.8f and %.8f, %.8f between them)",
                         atom + 1, HF_GRADIENT_STEP, "xyz"[axis], below, above, energy);
cleanup:
    return status;
}

/** Room for the molecule that is moved. Not collective. */
static hf_status make_room(const struct hf_quantity_source *of, struct displaced *displaced,
                           struct hf_error *error)
{
    const size_t n = (size_t)of->molecule->n_atom;
    displaced->molecule = *of->molecule;
    displaced->settings = quiet_settings(of->settings);
    displaced->molecule.atom = calloc(n, sizeof *displaced->molecule.atom);
    if (displaced->molecule.atom == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for a gradient of %zu atoms", n);
    memcpy(displaced->molecule.atom, of->molecule->atom, n * sizeof *of->molecule->atom);
    return HF_OK;
}

hf_status hf_gradient_differences(const struct hf_quantity_source *of, struct hf_gradient *gradient,
                                  struct hf_error *error)
{
    hf_status status;
    struct displaced displaced;
    struct hf_interruption *interruption = of->context->interruption;
    HF_TRY(hf_agree(of->context->comm, make_room(of, &displaced, error), error));
    for (int i = 0; i < gradient->n_atom; i++)
        for (int axis = 0; axis < 3; axis++) {
            hf_interruption_count(interruption, "coordinate", 3 * i + axis + 1,
                                  3 * gradient->n_atom);
            HF_TRY(differentiate(of, &displaced, i, axis, &gradient->atom[i][axis], error));
        }
cleanup:
    hf_interruption_count(interruption, NULL, 0, 0);
    free(displaced.molecule.atom);
    return status;
}
