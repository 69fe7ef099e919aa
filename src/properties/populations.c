/* Electrons of atoms and between them: Mulliken's and Loewdin's populations, Mayer's and Wiberg's bond
 * orders, of the density of all electrons and of the spin density. */
#include "properties_private.h"

#include <math.h>

/** What both densities are analysed with. */
struct analysis {
    struct hf_context *context;
    const struct hf_wavefunction *wavefunction;
    int n;
    struct hf_matrix *root;    /**< S^1/2 */
    struct hf_matrix *product; /**< [n][n] scratch, and the next */
    struct hf_matrix *result;
    struct hf_bonds *bonds;
    double *diagonal; /**< [n] */
};

static hf_status create_square(const struct analysis *a, const char *label,
                               struct hf_matrix **matrix, struct hf_error *error)
{
    return hf_matrix_create(a->wavefunction->linalg, label, a->n, a->n, matrix, error);
}

/** From the eigenvectors of S times roots of their eigenvalues: scaled = V s^1/4. What is below zero is
 *  round-off of linearly dependent functions, in which no orbital lies. */
static hf_status diagonalise(struct analysis *a, struct hf_matrix **scaled, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *copy = NULL, *vector = NULL;
    HF_TRY(create_square(a, "overlap to diagonalise", &copy, error));
    HF_TRY(create_square(a, "overlap eigenvectors", &vector, error));
    hf_matrix_copy(a->wavefunction->overlap, copy);
    HF_TRY(hf_matrix_eigen(copy, a->diagonal, vector, error));
    for (int i = 0; i < a->n; i++) a->diagonal[i] = pow(fmax(a->diagonal[i], 0.0), 0.25);
    hf_matrix_copy_columns(vector, 0, a->n, a->diagonal, copy, 0);
    *scaled = copy;
    copy = NULL;
cleanup:
    hf_matrix_destroy(&copy);
    hf_matrix_destroy(&vector);
    return status;
}

/** The same from the orthogonaliser X = V s^-1/2, whose columns have the squares 1/s. The eigenvectors it lacks
 *  do not matter: no orbital lies in them. */
static hf_status scale_orthogonaliser(struct analysis *a, struct hf_matrix **scaled,
                                      struct hf_error *error)
{
    const struct hf_matrix *x = a->wavefunction->orthogonaliser;
    const int m = hf_matrix_n_col(x);
    HF_CHECK(
        hf_matrix_create(a->wavefunction->linalg, "overlap eigenvectors", a->n, m, scaled, error));
    hf_matrix_column_squares(x, a->diagonal);
    for (int i = 0; i < m; i++) a->diagonal[i] = pow(a->diagonal[i], -0.75);
    hf_matrix_copy_columns(x, 0, m, a->diagonal, *scaled, 0);
    return HF_OK;
}

/** a->root = S^1/2 = W W^T with W = V s^1/4. */
static hf_status make_root(struct analysis *a, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *scaled = NULL;
    HF_TRY(a->wavefunction->orthogonaliser != NULL ? scale_orthogonaliser(a, &scaled, error)
                                                   : diagonalise(a, &scaled, error));
    HF_TRY(create_square(a, "root of the overlap", &a->root, error));
    hf_matrix_multiply_to_symmetric(1.0, false, scaled, true, scaled, a->root);
cleanup:
    hf_matrix_destroy(&scaled);
    return status;
}

/** of_atom[] = sums of a->diagonal over the functions of each atom. */
static void sum_atoms(const struct analysis *a, double of_atom[])
{
    const struct hf_basis *basis = a->wavefunction->basis;
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        for (int i = 0; i < shell->n_function; i++)
            of_atom[shell->atom] += a->diagonal[shell->first_function + i];
    }
}

/** Populations of one density, and what it adds to the bond orders. */
static hf_status analyse(struct analysis *a, const struct hf_matrix *density, double mulliken[],
                         double loewdin[], struct hf_error *error)
{
    hf_matrix_multiply(1.0, false, density, false, a->wavefunction->overlap, 0.0, a->product);
    hf_matrix_diagonal(a->product, a->diagonal);
    sum_atoms(a, mulliken);
    hf_matrix_add_transposed(1.0, a->product, 0.0, a->result);
    HF_CHECK(hf_bonds_add(a->bonds, false, a->product, a->result, error));

    hf_matrix_multiply(1.0, false, a->root, false, density, 0.0, a->product);
    hf_matrix_multiply_to_symmetric(1.0, false, a->product, false, a->root, a->result);
    hf_matrix_diagonal(a->result, a->diagonal);
    sum_atoms(a, loewdin);
    return hf_bonds_add(a->bonds, true, a->result, a->result, error);
}

/** From electrons to charges. */
static void subtract_from_nuclei(const struct hf_molecule *molecule, double charge[])
{
    for (int i = 0; i < molecule->n_atom; i++)
        charge[i] = hf_molecule_nuclear_charge(molecule, i) - charge[i];
}

hf_status hf_add_populations(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                             struct hf_properties *properties, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct analysis a = {
        .context = context, .wavefunction = wavefunction, .n = wavefunction->basis->n_function};
    a.diagonal =
        hf_memory_allocate(context->memory, "populations", (size_t)a.n, sizeof *a.diagonal);
    if (a.diagonal == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for populations");
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(make_root(&a, error));
    HF_TRY(create_square(&a, "density times overlap", &a.product, error));
    HF_TRY(create_square(&a, "density of orthogonal functions", &a.result, error));
    HF_TRY(hf_bonds_create(context, wavefunction->basis, &a.bonds, error));
    HF_TRY(analyse(&a, wavefunction->density, properties->mulliken_charge,
                   properties->loewdin_charge, error));
    if (wavefunction->spin_density != NULL)
        HF_TRY(analyse(&a, wavefunction->spin_density, properties->mulliken_spin,
                       properties->loewdin_spin, error));
    subtract_from_nuclei(wavefunction->molecule, properties->mulliken_charge);
    subtract_from_nuclei(wavefunction->molecule, properties->loewdin_charge);
    HF_TRY(hf_bonds_collect(a.bonds, properties, error));
cleanup:
    hf_bonds_destroy(&a.bonds);
    hf_matrix_destroy(&a.root);
    hf_matrix_destroy(&a.product);
    hf_matrix_destroy(&a.result);
    hf_memory_release(context->memory, a.diagonal);
    return status;
}
