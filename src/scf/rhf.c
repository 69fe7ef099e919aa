/* Closed shells: one density, two electrons in every occupied orbital.
 *
 *     D = 2 C_occ C_occ^T      F = H + J - K/2      E = tr D H + tr D J / 2 - tr D K / 4
 *
 * Source   Roothaan, Rev. Mod. Phys. 23, 69 (1951); book Eqs. 8.4 to 8.6. */
#include "steps.h"

static const double ELECTRONS_PER_ORBITAL = 2.0;

/** Counts the pairs of electrons. */
static hf_status rhf_occupy(const struct hf_molecule *molecule, int n_occupied[2],
                            struct hf_error *error)
{
    const int n_electron = hf_molecule_n_electron(molecule);
    if (n_electron < 0)
        return hf_fail(error, HF_BAD_INPUT, "charge %+d leaves %d electrons", molecule->charge,
                       n_electron);
    if (molecule->multiplicity != 1)
        return hf_fail(
            error, HF_BAD_INPUT,
            "%d electrons (charge %+d) with multiplicity %d are an open shell; method rhf "
            "needs multiplicity 1",
            n_electron, molecule->charge, molecule->multiplicity);
    if (n_electron % 2 != 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%d electrons (charge %+d) cannot be paired as multiplicity 1 asks",
                       n_electron, molecule->charge);
    n_occupied[0] = n_occupied[1] = n_electron / 2;
    return HF_OK;
}

static void rhf_occupations(int which, const int n_occupied[2], int n_orbital, double occupation[])
{
    for (int i = 0; i < n_orbital; i++)
        occupation[i] = i < n_occupied[which] ? ELECTRONS_PER_ORBITAL : 0.0;
}

static hf_status rhf_densities(struct hf_linalg *linalg, const struct hf_matrix *x,
                               struct hf_matrix *const occupied[],
                               struct hf_matrix *const density[], struct hf_error *error)
{
    return hf_density_of_orbitals(linalg, ELECTRONS_PER_ORBITAL, x, occupied[0], density[0], error);
}

static void rhf_interact(struct hf_matrix *const density[], struct hf_matrix *const coulomb[],
                         struct hf_matrix *const exchange[], struct hf_interaction *energy)
{
    double of_coulomb, of_exchange;
    hf_matrix_dot(density[0], coulomb[0], &of_coulomb);
    hf_matrix_dot(density[0], exchange[0], &of_exchange);
    *energy = (struct hf_interaction){.coulomb = 0.5 * of_coulomb, .exchange = -0.25 * of_exchange};
}

static hf_status rhf_fock(struct hf_linalg *linalg, const struct hf_matrix *x,
                          const struct hf_matrix *core, struct hf_matrix *const coulomb[],
                          struct hf_matrix *const exchange[], struct hf_matrix *const fock[],
                          struct hf_error *error)
{
    hf_status status;
    const int n = hf_matrix_n_row(core);
    struct hf_matrix *sum = NULL;
    HF_TRY(hf_matrix_create(linalg, "Fock matrix", n, n, &sum, error));
    hf_matrix_copy(core, sum);
    hf_matrix_add(1.0, coulomb[0], 1.0, sum);
    hf_matrix_add(-0.5, exchange[0], 1.0, sum);
    HF_TRY(hf_to_orthonormal(linalg, x, sum, fock[0], error));
cleanup:
    hf_matrix_destroy(&sum);
    return status;
}

static hf_status rhf_commutators(struct hf_linalg *linalg, struct hf_matrix *const fock[],
                                 struct hf_matrix *const occupied[],
                                 struct hf_matrix *const density_orthonormal[],
                                 struct hf_matrix *const commutator[], struct hf_error *error)
{
    if (density_orthonormal[0] != NULL)
        return hf_commutator(linalg, fock[0], density_orthonormal[0], commutator[0], error);
    return hf_commutator_of_orbitals(linalg, ELECTRONS_PER_ORBITAL, fock[0], occupied[0],
                                     commutator[0], error);
}

const struct hf_method_ops hf_method_rhf = {
    .name = "rhf",
    .about = "closed-shell (restricted) Hartree-Fock",
    .cite = "Roothaan, Rev. Mod. Phys. 23, 69 (1951)",
    .n_density = 1,
    .n_fock = 1,
    .occupy = rhf_occupy,
    .occupations = rhf_occupations,
    .densities = rhf_densities,
    .interact = rhf_interact,
    .fock = rhf_fock,
    .commutators = rhf_commutators,
};
