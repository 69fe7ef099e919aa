/* The polarisability as a quantity: the SCF computes it, while it has its Fock matrices. */
#include "scf/quantity.h"

#include <math.h>

static hf_status plan(struct hf_quantity *quantity, struct hf_error *error)
{
    if (quantity->of->settings->smearing > 0.0)
        return hf_fail(
            error, HF_BAD_INPUT,
            "orbitals of fractional occupation have no response here; expected smearing 0");
    quantity->polarisability = true;
    return HF_OK;
}

static hf_status compute(struct hf_quantity *quantity, struct hf_error *error)
{
    (void)quantity;
    (void)error;
    return HF_OK;
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
    const struct hf_polarisability *found = &quantity->of->result->polarisability;
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
    const struct hf_polarisability *found = &quantity->of->result->polarisability;
    const struct hf_json to = hf_json_object(all->extras, "polarisability", "static");
    HF_PUT_ALL(to, "tensor", 9, found->tensor, "bohr^3", "[3][3]");
    HF_PUT(to, "mean", mean_of(found->tensor), "bohr^3", "a third of the trace");
    HF_PUT(to, "anisotropy", anisotropy_of(found->tensor), "bohr^3", "as for Raman spectra");
    HF_PUT(to, "converged", found->converged, NULL, "to about seven digits");
    HF_PUT(to, "hessian_products", found->n_product, NULL, "products of the Hessian");
}

const struct hf_quantity_ops hf_quantity_polarisability = {
    .name = "polarisability",
    .option = "polarisability",
    .of_converged = true,
    .needs = HF_WAVEFUNCTION_ENERGIES,
    .commutator_tolerance = 1e-7, /* its errors are of first order in that of the orbitals */
    .compute = compute,
    .plan = plan,
    .report = report,
    .json = put_json,
};
