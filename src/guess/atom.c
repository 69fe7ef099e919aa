/* The equations of the spherically averaged atom and their solution. */
#include "atom_private.h"

#include "hamiltonian/hamiltonian.h"
#include "orbitals/diis.h"
#include "orbitals/orbitals.h"

#include <string.h>

enum { MAX_ITERATION = 100, HISTORY = 8 };

/** Accurate enough for a starting density. */
static const double COMMUTATOR_TOLERANCE = 1e-5;

struct atom {
    struct hf_context *context; /* contains only this rank */
    struct hf_linalg *linalg;
    struct hf_molecule molecule;
    struct hf_atom nucleus;
    struct hf_radial_basis radial;
    struct hf_atom_field field;
    int n_orbital;
    struct hf_diis *diis;
    struct hf_matrix *x;       /* [n_radial][n_orbital] */
    struct hf_matrix *density; /* [n_orbital][n_orbital] D' */
    double *core;              /* [n_radial][n_radial] */
    double *matrix, *scratch;  /* [n_radial][n_radial] */
    double *full;              /* [n][n] */
    /* for one l: [n_radial], [n_radial][n_radial], [n_radial] */
    double *eigenvalue, *orbital, *function;
    struct hf_arena arena; /* owns the arrays */
};

/** Destination of the orbitals of an atom. */
struct orbital_place {
    const struct hf_basis *basis;
    int atom;
    size_t n_function;
    double *energy;      /* [orbitals] */
    double *coefficient; /* [orbitals][n_function] */
};

/** Number of subshells of one l that are occupied, at most n_shell. */
static int n_subshell(int l, int n_electron, int n_shell)
{
    const int room = 2 * (2 * l + 1), n = (n_electron + room - 1) / room;
    return n < n_shell ? n : n_shell;
}

/** Averages the overlap or the core Hamiltonian: [n_radial][n_radial]. */
static hf_status average_operator(struct atom *self, struct hf_hamiltonian *hamiltonian,
                                  bool overlap, double *average, struct hf_error *error)
{
    hf_status status;
    const int n = self->radial.basis.n_function;
    struct hf_matrix *matrix = NULL;
    HF_TRY(hf_matrix_create(self->linalg, "atom", n, n, &matrix, error));
    if (overlap)
        HF_TRY(hf_operator_matrix(hamiltonian, HF_OVERLAP, matrix, error));
    else
        HF_TRY(hf_hamiltonian_core(hamiltonian, matrix, error));
    hf_matrix_gather_full(matrix, self->full);
    hf_radial_average(&self->radial, self->full, average);
cleanup:
    hf_matrix_destroy(&matrix);
    return status;
}

/** Computes the orthogonaliser of one l and stores it at its place in x [n_radial][n_radial]; `overlap` has the same
 *  shape. */
static hf_status orthogonalise_block(struct atom *self, struct hf_radial_block *block,
                                     const double *overlap, double threshold, double *x,
                                     struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *small = NULL, *small_x = NULL;
    struct hf_overlap_spectrum spectrum;
    const size_t n = (size_t)block->n, stride = (size_t)self->radial.n_radial;
    const size_t first = (size_t)block->first;
    HF_TRY(hf_matrix_create(self->linalg, "atom", block->n, block->n, &small, error));
    for (size_t j = 0; j < n; j++)
        memcpy(self->scratch + n * j, overlap + first + stride * (first + j), n * sizeof *overlap);
    hf_matrix_set_full(small, self->scratch);
    HF_TRY(hf_orthogonaliser_create(self->context, small, threshold, &small_x, &spectrum, NULL,
                                    error));
    hf_matrix_gather_full(small_x, self->scratch);
    block->first_orbital = self->n_orbital;
    block->kept = hf_matrix_n_col(small_x);
    self->n_orbital += block->kept;
    for (size_t k = 0; k < (size_t)block->kept; k++)
        memcpy(x + first + stride * ((size_t)block->first_orbital + k), self->scratch + n * k,
               n * sizeof *x);
cleanup:
    HF_DESTROY_MATRICES(&small_x, &small);
    return status;
}

/** Makes the core Hamiltonian and the orthogonaliser. */
static hf_status make_matrices(struct atom *self, double threshold, struct hf_error *error)
{
    hf_status status;
    const int n_radial = self->radial.n_radial;
    const size_t n_element = (size_t)n_radial * (size_t)n_radial;
    struct hf_hamiltonian *hamiltonian = NULL;
    double *x = HF_TAKE(&self->arena, x, n_element);
    HF_TRY(hf_arena_check(&self->arena, error));
    HF_TRY(hf_hamiltonian_create(self->context, self->linalg, &self->radial.basis, &self->molecule,
                                 &hamiltonian, error));
    HF_TRY(average_operator(self, hamiltonian, false, self->core, error));
    HF_TRY(average_operator(self, hamiltonian, true, self->matrix, error));
    for (int l = 0; l < HF_ATOM_N_L; l++)
        if (self->radial.block[l].n > 0)
            HF_TRY(orthogonalise_block(self, &self->radial.block[l], self->matrix, threshold, x,
                                       error));
    HF_TRY(HF_CREATE_MATRICES(self->linalg, "atom", error, {&self->x, n_radial, self->n_orbital},
                              {&self->density, self->n_orbital, self->n_orbital}));
    hf_matrix_set_full(self->x, x);
cleanup:
    hf_hamiltonian_destroy(&hamiltonian);
    return status;
}

static hf_status set_up(struct atom *self, double linear_dependence_threshold,
                        struct hf_error *error)
{
    const int n = self->radial.basis.n_function;
    const size_t n_element = (size_t)self->radial.n_radial * (size_t)self->radial.n_radial;
    HF_TAKE(&self->arena, self->full, (size_t)n * (size_t)n);
    HF_TAKE(&self->arena, self->core, n_element);
    HF_TAKE(&self->arena, self->matrix, n_element);
    HF_TAKE(&self->arena, self->scratch, n_element);
    HF_TAKE(&self->arena, self->eigenvalue, (size_t)self->radial.n_radial);
    HF_TAKE(&self->arena, self->orbital, n_element);
    HF_TAKE(&self->arena, self->function, (size_t)self->radial.n_radial);
    HF_CHECK(hf_arena_check(&self->arena, error));
    HF_CHECK(hf_linalg_create(self->context, n, &self->linalg, error));
    HF_CHECK(make_matrices(self, linear_dependence_threshold, error));
    HF_CHECK(hf_atom_field_init(&self->field, self->context, self->linalg, &self->radial, error));
    return hf_diis_create(self->context, 1, HISTORY, &self->diis, error);
}

static void tear_down(struct atom *self)
{
    hf_diis_destroy(&self->diis);
    hf_arena_done(&self->field.arena);
    HF_DESTROY_MATRICES(&self->density, &self->x);
    hf_linalg_destroy(&self->linalg);
    hf_context_destroy(&self->context);
    hf_arena_done(&self->radial.arena);
    hf_arena_done(&self->arena);
}

/** Computes self->eigenvalue [kept] and self->orbital [kept][kept] of one l from `fock` [n_orbital][n_orbital]. */
static hf_status solve_block(const struct atom *self, const struct hf_radial_block *block,
                             const double *fock, struct hf_error *error)
{
    hf_status status;
    double *orbital = self->orbital;
    const size_t k = (size_t)block->kept, stride = (size_t)self->n_orbital;
    const size_t first = (size_t)block->first_orbital;
    struct hf_matrix *small = NULL, *vector = NULL;
    for (size_t j = 0; j < k; j++)
        memcpy(orbital + k * j, fock + first + stride * (first + j), k * sizeof *orbital);
    HF_TRY(HF_CREATE_MATRICES(self->linalg, "atom", error, {&small, block->kept, block->kept},
                              {&vector, block->kept, block->kept}));
    hf_matrix_set_full(small, orbital);
    HF_TRY(hf_matrix_eigen(small, self->eigenvalue, vector, error));
    hf_matrix_gather_full(vector, orbital);
cleanup:
    HF_DESTROY_MATRICES(&vector, &small);
    return status;
}

/** Fills orbitals of one l, the lowest first, and adds them to density [n_orbital][n_orbital]; `fock` has the same
 *  shape. Electrons without room in the basis are left out. */
static hf_status fill_block(struct atom *self, int l, const double *fock, double *density,
                            struct hf_error *error)
{
    const struct hf_radial_block *block = &self->radial.block[l];
    const size_t k = (size_t)block->kept, stride = (size_t)self->n_orbital;
    const size_t first = (size_t)block->first_orbital;
    const double *orbital = self->orbital;
    HF_CHECK(solve_block(self, block, fock, error));
    double left = block->n_electron / (2.0 * l + 1.0); /* per component */
    for (size_t o = 0; o < k && left > 0.0; o++, left -= 2.0) {
        const double occupation = left < 2.0 ? left : 2.0;
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < k; i++)
                density[first + i + stride * (first + j)] +=
                    occupation * orbital[i + k * o] * orbital[j + k * o];
    }
    return HF_OK;
}

/** Computes D' from F' [n_orbital][n_orbital]. */
static hf_status fill_orbitals(struct atom *self, const struct hf_matrix *fock,
                               struct hf_error *error)
{
    const size_t m = (size_t)self->n_orbital;
    hf_matrix_gather_full(fock, self->matrix);
    memset(self->scratch, 0, m * m * sizeof *self->scratch);
    for (int l = 0; l < HF_ATOM_N_L; l++)
        if (self->radial.block[l].kept > 0)
            HF_CHECK(fill_block(self, l, self->matrix, self->scratch, error));
    hf_matrix_set_full(self->density, self->scratch);
    return HF_OK;
}

/** Computes self->matrix = X D' X^T. */
static hf_status radial_density(struct atom *self, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *half = NULL, *density = NULL;
    HF_TRY(hf_matrix_create_product("atom", false, self->x, false, self->density, &half, error));
    HF_TRY(hf_matrix_create_product("atom", false, half, true, self->x, &density, error));
    hf_matrix_gather_full(density, self->matrix);
cleanup:
    HF_DESTROY_MATRICES(&density, &half);
    return status;
}

/** Computes F' [n_orbital][n_orbital] of the density D'. D' = 0 gives F' of electrons that do not interact. */
static hf_status radial_fock(struct atom *self, struct hf_matrix *orthonormal,
                             struct hf_error *error)
{
    hf_status status;
    const int n = self->radial.n_radial;
    const size_t n_element = (size_t)n * (size_t)n;
    struct hf_matrix *fock = NULL;
    HF_TRY(radial_density(self, error));
    memcpy(self->scratch, self->core, n_element * sizeof *self->scratch);
    hf_atom_field_add(&self->field, self->matrix, self->scratch);
    HF_TRY(hf_matrix_create(self->linalg, "atom", n, n, &fock, error));
    hf_matrix_set_full(fock, self->scratch);
    HF_TRY(hf_to_orthonormal(self->x, fock, orthonormal, error));
cleanup:
    hf_matrix_destroy(&fock);
    return status;
}

/** One iteration: Fock matrix of D', its commutator, the next D'. The first D' is zero and is not used in DIIS. */
static hf_status iterate(struct atom *self, bool first, double *error_norm, struct hf_error *error)
{
    hf_status status;
    const int m = self->n_orbital;
    struct hf_matrix *fock = NULL, *commutator = NULL;
    HF_TRY(HF_CREATE_MATRICES(self->linalg, "atom", error, {&fock, m, m}, {&commutator, m, m}));
    HF_TRY(radial_fock(self, fock, error));
    if (!first) {
        HF_TRY(hf_commutator(fock, self->density, commutator, error));
        hf_matrix_max_abs(commutator, error_norm);
        HF_TRY(hf_diis_extrapolate(self->diis, &fock, &commutator, error));
    }
    HF_TRY(fill_orbitals(self, fock, error));
cleanup:
    HF_DESTROY_MATRICES(&commutator, &fock);
    return status;
}

/** Solves the equations of `atom`. radial.n_radial is 0 if it has no electrons or no shells. Call tear_down even
 *  after a failure. */
static hf_status solve(struct atom *self, const struct hf_basis *basis, int atom, int atomic_number,
                       double linear_dependence_threshold, struct hf_error *error)
{
    hf_status status;
    double error_norm = 2.0 * COMMUTATOR_TOLERANCE;
    *self = (struct atom){.nucleus = {.atomic_number = atomic_number},
                          .arena = {.label = "matrices of an atom"}};
    if (hf_atom_n_function(basis, atom) == 0) return HF_OK;
    memcpy(self->nucleus.position_bohr, basis->shell[basis->first_shell_of_atom[atom]].centre_bohr,
           sizeof self->nucleus.position_bohr);
    self->molecule = (struct hf_molecule){.n_atom = 1, .atom = &self->nucleus, .multiplicity = 1};
    HF_TRY(hf_radial_basis_init(&self->radial, basis, atom, atomic_number, error));
    hf_basis_set_cores(&self->radial.basis, &self->molecule);
    if (self->radial.n_radial == 0) goto cleanup;
    HF_TRY(hf_context_create(MPI_COMM_SELF, &self->context, error));
    HF_TRY(set_up(self, linear_dependence_threshold, error));
    for (int i = 0; i < MAX_ITERATION && error_norm > COMMUTATOR_TOLERANCE; i++)
        HF_TRY(iterate(self, i == 0, &error_norm, error));
cleanup:
    return status;
}

hf_status hf_atom_density(const struct hf_basis *basis, int atom, int atomic_number,
                          double linear_dependence_threshold, double density[],
                          struct hf_error *error)
{
    hf_status status;
    struct atom self;
    const size_t k = (size_t)hf_atom_n_function(basis, atom);
    memset(density, 0, k * k * sizeof *density);
    HF_TRY(solve(&self, basis, atom, atomic_number, linear_dependence_threshold, error));
    if (self.radial.n_radial == 0) goto cleanup;
    HF_TRY(radial_density(&self, error));
    hf_radial_to_basis(&self.radial, basis, atom, self.matrix, density);
cleanup:
    tear_down(&self);
    return status;
}

int hf_atom_n_orbital(const struct hf_basis *basis, int atom, int atomic_number)
{
    int n_electron[HF_ATOM_N_L], n_orbital = 0;
    const struct hf_core_potential *core = hf_atom_core_potential(basis, atom);
    hf_atom_valence_configuration(atomic_number, core != NULL ? core->n_core : 0, n_electron);
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        int n_shell = 0;
        for (int s = basis->first_shell_of_atom[atom]; s < basis->first_shell_of_atom[atom + 1];
             s++)
            n_shell += basis->shell[s].l == l;
        n_orbital += (2 * l + 1) * n_subshell(l, n_electron[l], n_shell);
    }
    return n_orbital;
}

/** Stores the occupied orbitals of one l at places *next and above, and advances *next. x and fock are gathered
 *  matrices. */
static hf_status give_block(const struct atom *self, int l, const double *x, const double *fock,
                            const struct orbital_place *place, int *next, struct hf_error *error)
{
    const struct hf_radial_block *block = &self->radial.block[l];
    const size_t kept = (size_t)block->kept, n_radial = (size_t)self->radial.n_radial;
    const int n = n_subshell(l, block->n_electron, block->n);
    double *radial = self->function;
    HF_CHECK(solve_block(self, block, fock, error));
    for (int o = 0; o < n; o++, *next += 2 * l + 1) {
        if (o >= block->kept) continue; /* removed as linearly dependent; stays zero */
        for (size_t i = 0; i < n_radial; i++) {
            radial[i] = 0.0;
            for (size_t j = 0; j < kept; j++)
                radial[i] += x[i + n_radial * ((size_t)block->first_orbital + j)] *
                             self->orbital[j + kept * (size_t)o];
        }
        for (int m = 0; m < 2 * l + 1; m++) {
            place->energy[*next + m] = self->eigenvalue[o];
            hf_radial_orbital_to_basis(&self->radial, place->basis, place->atom, l, m, radial,
                                       place->coefficient +
                                           place->n_function * (size_t)(*next + m));
        }
    }
    return HF_OK;
}

hf_status hf_atom_orbitals(const struct hf_basis *basis, int atom, int atomic_number,
                           double linear_dependence_threshold, double energy[],
                           double coefficient[], struct hf_error *error)
{
    hf_status status;
    struct atom self;
    struct hf_matrix *fock = NULL;
    int next = 0;
    const struct orbital_place place = {.basis = basis,
                                        .atom = atom,
                                        .n_function = (size_t)hf_atom_n_function(basis, atom),
                                        .energy = energy,
                                        .coefficient = coefficient};
    const size_t n_orbital = (size_t)hf_atom_n_orbital(basis, atom, atomic_number);
    memset(energy, 0, n_orbital * sizeof *energy);
    memset(coefficient, 0, place.n_function * n_orbital * sizeof *coefficient);
    HF_TRY(solve(&self, basis, atom, atomic_number, linear_dependence_threshold, error));
    if (self.radial.n_radial == 0) goto cleanup;
    HF_TRY(hf_matrix_create(self.linalg, "atom", self.n_orbital, self.n_orbital, &fock, error));
    HF_TRY(radial_fock(&self, fock, error));
    hf_matrix_gather_full(fock, self.scratch);
    hf_matrix_gather_full(self.x, self.matrix);
    for (int l = 0; l < HF_ATOM_N_L; l++)
        if (self.radial.block[l].n > 0)
            HF_TRY(give_block(&self, l, self.matrix, self.scratch, &place, &next, error));
cleanup:
    hf_matrix_destroy(&fock);
    tear_down(&self);
    return status;
}
