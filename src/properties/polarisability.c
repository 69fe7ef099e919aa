/* Static polarisability of the solution: what an electric field makes of the dipole moment.
 *
 * A field of strength l along an axis adds l r to the Fock matrices of electrons, so that the energy of its order l^2
 * is -l^2 g H^-1 g, g the gradient that r gives: alpha_ij = -d2E / dl_i dl_j = 2 g_i H^-1 g_j. */
#include "properties_private.h"
#include "response/subspace.h"

#include <math.h>

/** Rests of the equations, as parts of the perturbation: products are right to some eight digits. */
static const double ACCURACY = 1e-4;

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    if (quantity->of->settings->smearing > 0.0)
        return hf_fail(
            error, HF_BAD_INPUT,
            "orbitals of fractional occupation have no response here; expected smearing 0");
    return HF_OK;
}

hf_status hf_dipole_perturbations(struct hf_orbital_hessian *hessian,
                                  struct hf_hamiltonian *hamiltonian, struct hf_matrix *matrix[3],
                                  struct hf_rotation field[3], struct hf_error *error)
{
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    hf_status status;
    const int n = hf_matrix_n_row(hessian->x);
    struct hf_matrix *one = NULL;
    for (int x = 0; x < 3; x++) {
        struct hf_matrix **of = matrix != NULL ? &matrix[x] : &one;
        if (*of == NULL)
            HF_TRY(
                hf_matrix_create(hessian->space.linalg, "one-electron integrals", n, n, of, error));
        HF_TRY(hf_rotation_create(&hessian->space, &field[x], error));
        HF_TRY(hf_operator_matrix(hamiltonian, along[x], *of, error));
        HF_TRY(hf_hessian_perturbation(hessian, *of, &field[x], error));
    }
cleanup:
    hf_matrix_destroy(&one);
    return status;
}

static hf_status respond(struct hf_quantity *quantity, struct hf_orbital_hessian *hessian,
                         struct hf_hamiltonian *hamiltonian, struct hf_error *error)
{
    hf_status status;
    const int before = hessian->n_product;
    struct hf_polarisability *found = quantity->self;
    struct hf_rotation field[3] = {{{NULL}}};
    struct hf_linear_response response;
    HF_TRY(hf_dipole_perturbations(hessian, hamiltonian, NULL, field, error));
    HF_TRY(hf_respond(hessian, 3, field, ACCURACY, &response, NULL, error));
    found->n_product = hessian->n_product - before;
    found->converged = response.converged;
    found->lowest_eigenvalue = response.lowest;
    for (int x = 0; x < 9; x++)
        found->tensor[x] = response.product[x / 3][x % 3] + response.product[x % 3][x / 3];
cleanup:
    for (int x = 0; x < 3; x++) hf_rotation_destroy(&field[x]);
    return status;
}

static double mean_of(const double t[9])
{
    return (t[0] + t[4] + t[8]) / 3.0;
}

/** The root of half the sum of squares of differences, as Raman spectroscopy uses it. */
static double anisotropy_of(const double t[9])
{
    const double xy = t[0] - t[4], yz = t[4] - t[8], zx = t[8] - t[0];
    const double mixed = t[1] * t[1] + t[2] * t[2] + t[5] * t[5];
    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx + 6.0 * mixed));
}

static void report(const struct hf_quantity *quantity, FILE *out)
{
    const struct hf_polarisability *found = quantity->self;
    fprintf(out, "\nPolarisability (static, Hartree-Fock), bohr^3\n  %1s %14s %14s %14s\n", "", "x",
            "y", "z");
    for (int x = 0; x < 3; x++) {
        fprintf(out, "  %c", "xyz"[x]);
        for (int y = 0; y < 3; y++) {
            const double value = found->tensor[3 * x + y];
            fprintf(out, " %14.6f", fabs(value) < 5e-7 ? 0.0 : value); /* no -0.000000 */
        }
        fprintf(out, "\n");
    }
    fprintf(out, "  Mean %.6f, anisotropy %.6f; %d products of the Hessian\n",
            mean_of(found->tensor), anisotropy_of(found->tensor), found->n_product);
    if (!found->converged)
        fprintf(out, "  WARNING: the response did not converge; not all digits are right\n");
    if (found->lowest_eigenvalue < 0.0)
        fprintf(out, "  WARNING: the solution is no minimum of the energy; see --stability\n");
}

static void put_json(const struct hf_quantity *quantity, const struct hf_json_places *all)
{
    const struct hf_polarisability *found = quantity->self;
    const struct hf_json to = hf_json_object(all->extras, "polarisability", "static, of the SCF");
    HF_PUT_ALL(to, "tensor", 9, found->tensor, "bohr^3", "[3][3]");
    HF_PUT(to, "mean", mean_of(found->tensor), "bohr^3", "a third of the trace");
    HF_PUT(to, "anisotropy", anisotropy_of(found->tensor), "bohr^3", "anisotropy of the tensor");
    HF_PUT(to, "converged", found->converged, NULL, "to about seven digits");
    HF_PUT(to, "hessian_products", found->n_product, NULL, "products of the Hessian");
}

const struct hf_option hf_options_polarisability[] = {
    HF_ROW_FLAG("polarisability", "compute the static dipole polarisability",
                .more =
                    "By the coupled-perturbed equations of rhf, uhf or rohf, in some eight passes "
                    "over the integrals. With a correlated method it is that of its reference.",
                .not_with = {{"serve", NULL}}),
    {0}};

const struct hf_quantity_ops hf_quantity_polarisability = {
    .name = "polarisability",
    .options = hf_options_polarisability,
    .option = "polarisability",
    .of_converged = true,
    .needs = HF_WAVEFUNCTION_ENERGIES,
    .commutator_tolerance = 1e-7, /* its errors are of first order in that of the orbitals */
    .size = sizeof(struct hf_polarisability),
    .plan = plan,
    .respond = respond,
    .report = report,
    .json = put_json,
};
