/* Extended Hueckel: orbitals in the span of the orbitals of free atoms (book section 8.2).
 *
 * The atomic orbitals belong to the atoms whose densities are added in guess "sad". They are expanded in the basis,
 * C [n][k] with energies e_i, so their overlap is exact:
 *
 *     S = C^T S_basis C      H_ij = K S_ij (e_i + e_j)/2      H_ii = e_i      K = 1.75
 *
 * Their span is orthonormalised: W [m][r] in the orthonormal basis. In the remaining space (Q = 1 - W W^T) the Fock
 * matrix is the kinetic energy, which is positive. So electrons only occupy it if there are more than the atomic
 * orbitals can hold:
 *
 *     F' = W H' W^T + Q T' Q       H' [r][r]: H in the orthonormal span
 *
 * Source   Wolfsberg and Helmholz, J. Chem. Phys. 20, 837 (1952); Hoffmann, J. Chem. Phys. 39, 1397
 *          (1963). */
#include "guess_private.h"

#include "atom.h"
#include "hamiltonian/hamiltonian.h"
#include "hf/linalg.h"

#include <string.h>

static const double K = 1.75;

/** Orbitals of all atoms, one atom after another. */
struct minimal_basis {
    /** for each kind of atom: energies, then coefficients [orbitals][functions] */
    struct hf_like_atoms atoms;
    const struct hf_guess_input *input;
    int *first;     /**< [n_atom + 1] first orbital of each atom; in the arena of `atoms` */
    double *energy; /**< [first[n_atom]]; in the same arena */
};

static size_t orbitals_size(const struct hf_guess_input *input, int atom)
{
    const int atomic_number = input->molecule->atom[atom].atomic_number;
    return (size_t)hf_atom_n_orbital(input->basis, atom, atomic_number) *
           ((size_t)hf_atom_n_function(input->basis, atom) + 1);
}

static hf_status make_atomic_orbitals(const struct hf_guess_input *input, int atom, double data[],
                                      struct hf_error *error)
{
    const int atomic_number = input->molecule->atom[atom].atomic_number;
    return hf_atom_orbitals(input->basis, atom, atomic_number, input->linear_dependence_threshold,
                            data, data + hf_atom_n_orbital(input->basis, atom, atomic_number),
                            error);
}

static const struct hf_like_atoms_ops atomic_orbitals = {
    .label = "atomic orbitals", .size = orbitals_size, .make = make_atomic_orbitals};

/** Collective. */
static hf_status minimal_basis_init(struct minimal_basis *self, const struct hf_guess_input *input,
                                    struct hf_error *error)
{
    const int n_atom = input->molecule->n_atom;
    const struct hf_atom *atom = input->molecule->atom;
    struct hf_arena *arena = &self->atoms.arena;
    *self = (struct minimal_basis){.input = input};
    HF_CHECK(hf_like_atoms_init(&self->atoms, input, &atomic_orbitals, error));
    HF_TAKE(arena, self->first, (size_t)n_atom + 1);
    for (int a = 0; a < n_atom && self->first != NULL; a++)
        self->first[a + 1] =
            self->first[a] +
            (atom[a].ghost ? 0 : hf_atom_n_orbital(input->basis, a, atom[a].atomic_number));
    if (self->first != NULL) HF_TAKE(arena, self->energy, (size_t)self->first[n_atom]);
    HF_CHECK(hf_agree(input->context->comm, hf_arena_check(arena, error), error));
    for (int a = 0; a < n_atom; a++)
        for (int i = self->first[a]; i < self->first[a + 1]; i++)
            self->energy[i] = self->atoms.data[self->atoms.like[a]][i - self->first[a]];
    return HF_OK;
}

/** Fills rows of C, which are zero except for the orbitals of one atom. */
static hf_status give_coefficients(void *data, int first, int n, double rows[],
                                   struct hf_error *error)
{
    const struct minimal_basis *self = data;
    const struct hf_basis *basis = self->input->basis;
    const size_t k = (size_t)self->first[basis->n_atom];
    int atom = 0, function = 0; /* `function` is the first of the atom */
    (void)error;
    memset(rows, 0, (size_t)n * k * sizeof *rows);
    for (int f = first; f < first + n; f++, rows += k) {
        while (f >= function + hf_atom_n_function(basis, atom))
            function += hf_atom_n_function(basis, atom++);
        const int n_orbital = self->first[atom + 1] - self->first[atom];
        if (n_orbital == 0) continue;
        const double *coefficient = self->atoms.data[self->atoms.like[atom]] + n_orbital;
        for (int i = 0; i < n_orbital; i++)
            rows[self->first[atom] + i] =
                coefficient[(size_t)i * (size_t)hf_atom_n_function(basis, atom) +
                            (size_t)(f - function)];
    }
    return HF_OK;
}

/** Fills rows of the diagonal matrix (1 - K) e. */
static hf_status give_diagonal(void *data, int first, int n, double rows[], struct hf_error *error)
{
    const struct minimal_basis *self = data;
    const size_t k = (size_t)self->first[self->input->molecule->n_atom];
    (void)error;
    memset(rows, 0, (size_t)n * k * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[(size_t)i * k + (size_t)(first + i)] = (1.0 - K) * self->energy[first + i];
    return HF_OK;
}

/** New *projected [m][k] = X^T S_basis C. Collective. */
static hf_status project(struct minimal_basis *self, struct hf_matrix **projected,
                         struct hf_error *error)
{
    hf_status status;
    const struct hf_guess_input *input = self->input;
    const int n = input->basis->n_function, k = self->first[input->molecule->n_atom];
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *overlap = NULL, *orbital = NULL, *product = NULL;
    HF_TRY(HF_CREATE_MATRICES(input->linalg, "atomic orbitals", error, {&overlap, n, n},
                              {&orbital, n, k}));
    HF_TRY(hf_hamiltonian_create(input->context, input->linalg, input->basis, input->molecule,
                                 &hamiltonian, error));
    HF_TRY(hf_operator_matrix(hamiltonian, HF_OVERLAP, overlap, error));
    HF_TRY(hf_matrix_receive_rows(orbital, give_coefficients, self, error));
    HF_TRY(hf_matrix_create_product("atomic orbitals", false, overlap, false, orbital, &product,
                                    error));
    HF_TRY(hf_matrix_create_product("atomic orbitals", true, input->of.x[0], false, product,
                                    projected, error));
cleanup:
    HF_DESTROY_MATRICES(&product, &orbital, &overlap);
    hf_hamiltonian_destroy(&hamiltonian);
    return status;
}

/** New *huckel [k][k] = H of the atomic orbitals, from their overlap. Collective. */
static hf_status make_huckel(struct minimal_basis *self, const struct hf_matrix *overlap,
                             struct hf_matrix **huckel, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *scaled = NULL;
    HF_TRY(hf_matrix_create_columns("atomic orbitals", overlap, 0, hf_matrix_n_col(overlap),
                                    self->energy, &scaled, error));
    HF_TRY(hf_matrix_create_like("atomic orbitals", overlap, huckel, error));
    HF_TRY(hf_matrix_receive_rows(*huckel, give_diagonal, self, error));
    hf_matrix_add(0.5 * K, scaled, 1.0, *huckel);
    hf_matrix_add_transposed(0.5 * K, scaled, 1.0, *huckel);
cleanup:
    hf_matrix_destroy(&scaled);
    return status;
}

/** Computes *span = W and *inside = H'. Collective. */
static hf_status make_span(const struct hf_guess_input *input, struct hf_matrix **span,
                           struct hf_matrix **inside, struct hf_error *error)
{
    hf_status status;
    struct minimal_basis minimal;
    struct hf_overlap_spectrum spectrum;
    struct hf_matrix *projected = NULL, *overlap = NULL, *huckel = NULL, *x = NULL;
    HF_TRY(minimal_basis_init(&minimal, input, error));
    const int k = minimal.first[input->molecule->n_atom];
    if (k == 0) goto cleanup; /* only ghosts */
    HF_TRY(project(&minimal, &projected, error));
    HF_TRY(hf_matrix_create(input->linalg, "atomic orbitals", k, k, &overlap, error));
    hf_matrix_multiply_to_symmetric(1.0, true, projected, false, projected, overlap);
    HF_TRY(make_huckel(&minimal, overlap, &huckel, error));
    HF_TRY(hf_orthogonaliser_create(input->context, overlap, input->linear_dependence_threshold, &x,
                                    &spectrum, NULL, error));
    const int r = hf_matrix_n_col(x);
    HF_TRY(hf_matrix_create_product("atomic orbitals", false, projected, false, x, span, error));
    HF_TRY(hf_matrix_create(input->linalg, "atomic orbitals", r, r, inside, error));
    HF_TRY(hf_to_orthonormal(x, huckel, *inside, error));
cleanup:
    HF_DESTROY_MATRICES(&x, &huckel, &overlap, &projected);
    hf_arena_done(&minimal.atoms.arena);
    return status;
}

/** fock [m][m] contains T' and becomes F' by adding W (H' + W^T T' W) W^T - T' W W^T - W W^T T'. Collective. */
static hf_status put_span(const struct hf_matrix *span, struct hf_matrix *inside,
                          struct hf_matrix *fock, struct hf_error *error)
{
    const int m = hf_matrix_n_row(span), r = hf_matrix_n_col(span);
    struct hf_matrix *half = NULL, *whole = NULL;
    HF_CHECK(HF_CREATE_MATRICES(hf_matrix_grid(span), "kinetic energy", error, {&half, m, r},
                                {&whole, m, m}));
    hf_matrix_multiply(1.0, false, fock, false, span, 0.0, half);
    hf_matrix_multiply(1.0, false, half, true, span, 0.0, whole);
    hf_matrix_multiply(1.0, true, span, false, half, 1.0, inside);
    hf_matrix_add(-1.0, whole, 1.0, fock);
    hf_matrix_add_transposed(-1.0, whole, 1.0, fock);
    hf_matrix_multiply(1.0, false, span, false, inside, 0.0, half);
    hf_matrix_multiply(1.0, false, half, true, span, 1.0, fock);
    HF_DESTROY_MATRICES(&whole, &half);
    return HF_OK;
}

/** New *orthonormal [m][m] = X^T T X. Collective. */
static hf_status make_kinetic(const struct hf_guess_input *input, struct hf_matrix **orthonormal,
                              struct hf_error *error)
{
    hf_status status;
    const int n = input->basis->n_function, m = hf_matrix_n_col(input->of.x[0]);
    struct hf_hamiltonian *hamiltonian = NULL;
    struct hf_matrix *kinetic = NULL;
    HF_TRY(HF_CREATE_MATRICES(input->linalg, "kinetic energy", error, {orthonormal, m, m},
                              {&kinetic, n, n}));
    HF_TRY(hf_hamiltonian_create(input->context, input->linalg, input->basis, input->molecule,
                                 &hamiltonian, error));
    HF_TRY(hf_operator_matrix(hamiltonian, HF_KINETIC, kinetic, error));
    HF_TRY(hf_to_orthonormal(input->of.x[0], kinetic, *orthonormal, error));
cleanup:
    hf_matrix_destroy(&kinetic);
    hf_hamiltonian_destroy(&hamiltonian);
    return status;
}
static hf_status huckel_densities(const struct hf_guess_input *input,
                                  struct hf_matrix *const density[], struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *span = NULL, *inside = NULL, *fock = NULL;
    HF_TRY(make_kinetic(input, &fock, error));
    HF_TRY(make_span(input, &span, &inside, error));
    if (span != NULL) HF_TRY(put_span(span, inside, fock, error));
    HF_TRY(hf_guess_from_matrix(input, fock, density, error));
cleanup:
    HF_DESTROY_MATRICES(&fock, &inside, &span);
    return status;
}

const struct hf_guess_ops hf_guess_huckel = {
    .name = "huckel",
    .about = "extended Hueckel method in the orbitals of free atoms",
    .cite = "Hoffmann, J. Chem. Phys. 39, 1397 (1963)",
    .from_orbitals = true,
    .densities = huckel_densities,
};
