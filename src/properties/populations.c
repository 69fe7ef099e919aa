/* Electrons of atoms and between them: Mulliken's and Loewdin's populations, Mayer's and Wiberg's bond
 * orders, of the density of all electrons and of the spin density. A bond order is a sum over the block of two
 * atoms, made on the rank that owns the block. */
#include "properties_private.h"

#include "base/arena.h"
#include "base/gather.h"
#include "linalg/matrix_blocks.h"
#include "linalg/new_matrix.h"

#include <math.h>
#include <stdlib.h>

/** Data for the analysis of both densities. */
struct analysis {
    struct hf_context *context;
    const struct hf_wavefunction *wavefunction;
    int n;
    struct hf_matrix *root;             /**< S^1/2 */
    struct hf_matrix *product, *result; /**< [n][n] scratch */
    double *diagonal;                   /**< [n] */
    struct hf_block_layout *layout;
    int n_own;            /**< blocks of this rank */
    struct hf_bond *bond; /**< [n_own] in the order of the blocks, those of one atom included */
    double *block[2];     /**< this rank's part of two matrices */
    struct hf_arena arena;
};

/** Local: room for what this rank owns. */
static hf_status make_room(struct analysis *a, struct hf_error *error)
{
    const size_t size = hf_block_layout_local_size(a->layout);
    struct hf_own_blocks own = hf_own_blocks_begin(a->layout);
    struct hf_own_block here;
    while (hf_own_blocks_next(&own, &here)) a->n_own++;
    HF_TAKE(&a->arena, a->diagonal, (size_t)a->n);
    HF_TAKE(&a->arena, a->bond, (size_t)a->n_own);
    for (int k = 0; k < 2; k++)
        a->block[k] = hf_arena_take_class(&a->arena, HF_MEMORY_MATRIX, "bond orders", size,
                                          sizeof *a->block[k]);
    HF_CHECK(hf_arena_check(&a->arena, error));
    own = hf_own_blocks_begin(a->layout);
    for (int k = 0; hf_own_blocks_next(&own, &here); k++)
        a->bond[k] = (struct hf_bond){.atom = here.i, .other = here.j};
    return HF_OK;
}

/** From the eigenvectors of S times roots of their eigenvalues: scaled = V s^1/4. Eigenvalues below zero are
 *  round-off of linearly dependent functions; no orbital lies there. */
static hf_status diagonalise(struct analysis *a, struct hf_matrix **scaled, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *copy = NULL, *vector = NULL;
    HF_TRY(hf_matrix_create_copy("overlap to diagonalise", a->wavefunction->overlap, &copy, error));
    HF_TRY(hf_matrix_create_like("overlap eigenvectors", copy, &vector, error));
    HF_TRY(hf_matrix_eigen(copy, a->diagonal, vector, error));
    for (int i = 0; i < a->n; i++) a->diagonal[i] = pow(fmax(a->diagonal[i], 0.0), 0.25);
    hf_matrix_destroy(&copy); /* makes room */
    HF_TRY(hf_matrix_create_columns("overlap eigenvectors", vector, 0, a->n, a->diagonal, scaled,
                                    error));
cleanup:
    HF_DESTROY_MATRICES(&copy, &vector);
    return status;
}

/** The same from the orthogonaliser X = V s^-1/2, whose columns have the squares 1/s. The eigenvectors it lacks
 *  do not matter: no orbital lies in them. */
static hf_status scale_orthogonaliser(struct analysis *a, struct hf_matrix **scaled,
                                      struct hf_error *error)
{
    const struct hf_matrix *x = a->wavefunction->orthogonaliser;
    const int m = hf_matrix_n_col(x);
    hf_matrix_column_squares(x, a->diagonal);
    for (int i = 0; i < m; i++) a->diagonal[i] = pow(a->diagonal[i], -0.75);
    return hf_matrix_create_columns("overlap eigenvectors", x, 0, m, a->diagonal, scaled, error);
}

/** a->root = S^1/2 = W W^T with W = V s^1/4. */
static hf_status make_root(struct analysis *a, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *scaled = NULL;
    HF_TRY(a->wavefunction->orthogonaliser != NULL ? scale_orthogonaliser(a, &scaled, error)
                                                   : diagonalise(a, &scaled, error));
    HF_TRY(hf_matrix_create_like("root of the overlap", a->wavefunction->overlap, &a->root, error));
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

/** Adds sum_mn P_mn Q_nm over the functions m of one atom and n of the other, for a matrix P and
 *  `transposed` Q^T: to the orders of Mayer, or of Wiberg. */
static hf_status add_bonds(struct analysis *a, bool wiberg, const struct hf_matrix *matrix,
                           const struct hf_matrix *transposed, struct hf_error *error)
{
    const double *p = a->block[0], *q = a->block[1];
    HF_CHECK(hf_matrix_get_blocks(matrix, a->layout, a->block[0], error));
    HF_CHECK(hf_matrix_get_blocks(transposed, a->layout, a->block[1], error));
    struct hf_own_blocks own = hf_own_blocks_begin(a->layout);
    struct hf_own_block here;
    for (struct hf_bond *bond = a->bond; hf_own_blocks_next(&own, &here); bond++) {
        double sum = 0.0;
        for (size_t k = here.offset; k < here.offset + here.size; k++) sum += p[k] * q[k];
        *(wiberg ? &bond->wiberg : &bond->mayer) += sum;
    }
    return HF_OK;
}

/** Populations of one density, and what it adds to the bond orders. */
static hf_status analyse(struct analysis *a, const struct hf_matrix *density, double mulliken[],
                         double loewdin[], struct hf_error *error)
{
    hf_matrix_multiply(1.0, false, density, false, a->wavefunction->overlap, 0.0, a->product);
    hf_matrix_diagonal(a->product, a->diagonal);
    sum_atoms(a, mulliken);
    hf_matrix_add_transposed(1.0, a->product, 0.0, a->result);
    HF_CHECK(add_bonds(a, false, a->product, a->result, error));

    hf_matrix_multiply(1.0, false, a->root, false, density, 0.0, a->product);
    hf_matrix_multiply_to_symmetric(1.0, false, a->product, false, a->root, a->result);
    hf_matrix_diagonal(a->result, a->diagonal);
    sum_atoms(a, loewdin);
    return add_bonds(a, true, a->result, a->result, error);
}

/** From electrons to charges. */
static void subtract_from_nuclei(const struct hf_molecule *molecule, double charge[])
{
    for (int i = 0; i < molecule->n_atom; i++)
        charge[i] = hf_molecule_nuclear_charge(molecule, i) - charge[i];
}

static bool is_large(const struct hf_bond *bond)
{
    return bond->atom != bond->other &&
           (fabs(bond->mayer) >= HF_LEAST_BOND_ORDER || fabs(bond->wiberg) >= HF_LEAST_BOND_ORDER);
}

static int compare(const void *a, const void *b)
{
    const struct hf_bond *one = a, *two = b;
    if (one->atom != two->atom) return one->atom < two->atom ? -1 : 1;
    return (one->other > two->other) - (one->other < two->other);
}

/** The pairs with large bond orders, in order, on every rank. */
static hf_status collect_bonds(struct analysis *a, struct hf_properties *properties,
                               struct hf_error *error)
{
    int n = 0;
    for (int k = 0; k < a->n_own; k++)
        if (is_large(&a->bond[k])) a->bond[n++] = a->bond[k];
    HF_CHECK(hf_gather_lists(a->context->comm, n, a->bond, sizeof *a->bond, "bond orders",
                             &properties->n_bond, &properties->bond, HF_OK, error));
    qsort(properties->bond, (size_t)properties->n_bond, sizeof *properties->bond, compare);
    return HF_OK;
}

hf_status hf_add_populations(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                             struct hf_properties *properties, struct hf_error *error)
{
    hf_status status;
    const int n = wavefunction->basis->n_function;
    struct analysis a = {.context = context,
                         .wavefunction = wavefunction,
                         .n = n,
                         .arena = {.memory = context->memory, .label = "populations"}};
    HF_TRY(hf_atom_layout_create(context, wavefunction->basis, &a.layout, error));
    HF_TRY(hf_agree(context->comm, make_room(&a, error), error));
    HF_TRY(make_root(&a, error));
    HF_TRY(HF_CREATE_MATRICES(wavefunction->linalg, "populations", error, {&a.product, n, n},
                              {&a.result, n, n}));
    HF_TRY(analyse(&a, wavefunction->density, properties->mulliken_charge,
                   properties->loewdin_charge, error));
    if (wavefunction->spin_density != NULL)
        HF_TRY(analyse(&a, wavefunction->spin_density, properties->mulliken_spin,
                       properties->loewdin_spin, error));
    subtract_from_nuclei(wavefunction->molecule, properties->mulliken_charge);
    subtract_from_nuclei(wavefunction->molecule, properties->loewdin_charge);
    HF_TRY(collect_bonds(&a, properties, error));
cleanup:
    HF_DESTROY_MATRICES(&a.root, &a.product, &a.result);
    hf_block_layout_destroy(&a.layout);
    hf_arena_done(&a.arena);
    return status;
}
