/* The spherically averaged atom: its density in the basis of the molecule.
 *
 * The electrons of each angular momentum l stand as in the ground state and are spread evenly over
 * the 2l+1 components. Then all matrices of the atom are diagonal in l and m and do not depend on
 * m:
 *
 *     M(i l m, j l' m') = delta_ll' delta_mm' M_l(i, j)         i, j number the shells of l
 *
 * so that the equations are solved for the radial blocks M_l, which stand together on the diagonal
 * of one "radial" matrix. Shells of an l that is not occupied cannot mix in and are left out. */
#include "scf_private.h"

#include "hf/solid_harmonics.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATION = 50, HISTORY = 8 };

/** A starting density needs no more than this. */
static const double atom_commutator_tolerance = 1e-4;
static const double atom_screening_threshold = 1e-9;

/** The shells of one l among the radial functions, and its orbitals. */
struct radial_block {
    int first, n;            /**< radial functions */
    int first_orbital, kept; /**< orbitals after linear dependence was removed */
    int n_electron;
};

struct atom {
    struct hf_context *context; /* this rank alone */
    struct hf_linalg *linalg;
    struct hf_molecule molecule;
    struct hf_atom nucleus;
    struct hf_basis basis; /* occupied l only, by l, spherical; arrays borrowed but for `shell` */
    int *radial_of_shell;  /* [shells of the atom in the molecule's basis], -1: left out */
    struct radial_block block[HF_ATOM_N_L];
    int n_radial, n_orbital;
    struct hf_shell_pairs *pairs;
    struct hf_fock_builder *builder;
    struct hf_two_electron two_electron;
    struct hf_diis *diis;
    struct hf_matrix *core;       /* [n_radial][n_radial] */
    struct hf_matrix *x;          /* [n_radial][n_orbital] */
    struct hf_matrix *density;    /* [n_orbital][n_orbital] D' */
    double *full;                 /* [n][n] over the functions of `basis` */
    double *radial, *orthonormal; /* [n_radial][n_radial] scratch */
};

int hf_atom_n_function(const struct hf_basis *basis, int atom)
{
    int n = 0;
    for (int s = basis->first_shell_of_atom[atom]; s < basis->first_shell_of_atom[atom + 1]; s++)
        n += basis->shell[s].n_function;
    return n;
}

/** radial = average over the components of the blocks of full. */
static void average(const struct atom *self, const double *full, double *radial)
{
    const size_t n = (size_t)self->basis.n_function, n_radial = (size_t)self->n_radial;
    memset(radial, 0, n_radial * n_radial * sizeof *radial);
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        const struct radial_block *block = &self->block[l];
        for (int j = block->first; j < block->first + block->n; j++)
            for (int i = block->first; i < block->first + block->n; i++) {
                const size_t row = (size_t)self->basis.shell[i].first_function;
                const size_t column = (size_t)self->basis.shell[j].first_function;
                double sum = 0.0;
                for (size_t m = 0; m < (size_t)(2 * l + 1); m++)
                    sum += full[row + m + n * (column + m)];
                radial[(size_t)i + n_radial * (size_t)j] = sum / (2 * l + 1);
            }
    }
}

/** full = radial for every component. */
static void expand(const struct atom *self, const double *radial, double *full)
{
    const size_t n = (size_t)self->basis.n_function, n_radial = (size_t)self->n_radial;
    memset(full, 0, n * n * sizeof *full);
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        const struct radial_block *block = &self->block[l];
        for (int j = block->first; j < block->first + block->n; j++)
            for (int i = block->first; i < block->first + block->n; i++) {
                const size_t row = (size_t)self->basis.shell[i].first_function;
                const size_t column = (size_t)self->basis.shell[j].first_function;
                for (size_t m = 0; m < (size_t)(2 * l + 1); m++)
                    full[row + m + n * (column + m)] = radial[(size_t)i + n_radial * (size_t)j];
            }
    }
}

/** The shells that can hold electrons, by l. */
static hf_status choose_shells(struct atom *self, const struct hf_basis *basis, int atom,
                               struct hf_error *error)
{
    const int first = basis->first_shell_of_atom[atom];
    const int n_shell = basis->first_shell_of_atom[atom + 1] - first;
    self->basis.shell = calloc((size_t)n_shell + 1, sizeof *self->basis.shell);
    self->radial_of_shell = calloc((size_t)n_shell + 1, sizeof *self->radial_of_shell);
    self->basis.first_shell_of_atom = calloc(2, sizeof *self->basis.first_shell_of_atom);
    if (self->basis.shell == NULL || self->radial_of_shell == NULL ||
        self->basis.first_shell_of_atom == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shells of an atom");

    for (int s = 0; s < n_shell; s++) self->radial_of_shell[s] = -1;
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        struct radial_block *block = &self->block[l];
        block->first = self->n_radial;
        for (int s = 0; s < n_shell && block->n_electron > 0; s++) {
            struct hf_shell shell = basis->shell[first + s];
            if (shell.l != l) continue;
            shell.atom = 0;
            shell.spherical = l > 1;
            shell.n_function = 2 * l + 1;
            shell.first_function = self->basis.n_function;
            self->basis.n_function += shell.n_function;
            self->basis.n_primitive += shell.n_primitive;
            self->basis.max_l = l;
            if (shell.n_primitive > self->basis.max_primitive)
                self->basis.max_primitive = shell.n_primitive;
            self->radial_of_shell[s] = self->n_radial;
            self->basis.shell[self->n_radial++] = shell;
        }
        block->n = self->n_radial - block->first;
    }
    self->basis.n_atom = 1;
    self->basis.n_shell = self->basis.first_shell_of_atom[1] = self->n_radial;
    return HF_OK;
}

/** Averaged matrix of a one-electron operator, added to radial [n_radial][n_radial]. */
static hf_status add_operator(struct atom *self, enum hf_operator which, double *radial,
                              struct hf_error *error)
{
    hf_status status;
    const int n = self->basis.n_function;
    const size_t n_element = (size_t)self->n_radial * (size_t)self->n_radial;
    struct hf_matrix *matrix = NULL;
    HF_TRY(hf_matrix_create(self->linalg, "atom", n, n, &matrix, error));
    HF_TRY(hf_one_electron(self->context, &self->basis, &self->molecule, which, matrix, error));
    HF_TRY(hf_matrix_gather_full(matrix, self->full, error));
    average(self, self->full, self->orthonormal);
    for (size_t k = 0; k < n_element; k++) radial[k] += self->orthonormal[k];
cleanup:
    hf_matrix_destroy(&matrix);
    return status;
}

/** Orthogonaliser of one l into its place in x [n_radial][n_radial]; overlap as wide. */
static hf_status orthogonalise_block(struct atom *self, struct radial_block *block,
                                     const double *overlap, double threshold, double *x,
                                     struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *small = NULL, *small_x = NULL;
    struct hf_overlap_spectrum spectrum;
    const size_t n = (size_t)block->n, stride = (size_t)self->n_radial;
    const size_t first = (size_t)block->first;
    HF_TRY(hf_matrix_create(self->linalg, "atom", block->n, block->n, &small, error));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            self->full[i + n * j] = overlap[first + i + stride * (first + j)];
    HF_TRY(hf_matrix_set_full(small, self->full, error));
    HF_TRY(hf_orthogonaliser_create(self->context, self->linalg, small, threshold, &small_x,
                                    &spectrum, error));
    HF_TRY(hf_matrix_gather_full(small_x, self->full, error));
    block->first_orbital = self->n_orbital;
    block->kept = hf_matrix_n_col(small_x);
    self->n_orbital += block->kept;
    for (size_t k = 0; k < (size_t)block->kept; k++)
        memcpy(x + first + stride * ((size_t)block->first_orbital + k), self->full + n * k,
               n * sizeof *x);
cleanup:
    hf_matrix_destroy(&small_x);
    hf_matrix_destroy(&small);
    return status;
}

/** Core Hamiltonian and orthogonaliser. */
static hf_status set_up_matrices(struct atom *self, double threshold, struct hf_error *error)
{
    hf_status status;
    const size_t n_element = (size_t)self->n_radial * (size_t)self->n_radial;
    double *x = calloc(n_element, sizeof *x);
    if (x == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for an atom");

    HF_TRY(add_operator(self, HF_KINETIC, self->radial, error));
    HF_TRY(add_operator(self, HF_NUCLEAR, self->radial, error));
    HF_TRY(
        hf_matrix_create(self->linalg, "atom", self->n_radial, self->n_radial, &self->core, error));
    HF_TRY(hf_matrix_set_full(self->core, self->radial, error));

    memset(self->radial, 0, n_element * sizeof *self->radial);
    HF_TRY(add_operator(self, HF_OVERLAP, self->radial, error));
    for (int l = 0; l < HF_ATOM_N_L; l++)
        if (self->block[l].n > 0)
            HF_TRY(orthogonalise_block(self, &self->block[l], self->radial, threshold, x, error));
    HF_TRY(
        hf_matrix_create(self->linalg, "atom", self->n_radial, self->n_orbital, &self->x, error));
    HF_TRY(hf_matrix_set_full(self->x, x, error));
    HF_TRY(hf_matrix_create(self->linalg, "atom", self->n_orbital, self->n_orbital, &self->density,
                            error));
cleanup:
    free(x);
    return status;
}

static hf_status set_up(struct atom *self, const struct hf_basis *basis, int atom,
                        const struct hf_scf_settings *settings, struct hf_error *error)
{
    hf_status status;
    const struct hf_fock_settings fock = {
        .builder = settings->fock.builder, .scheduler = "static", .grain = HF_GRAIN_ATOM_QUARTET};
    HF_TRY(choose_shells(self, basis, atom, error));
    if (self->n_radial == 0) return HF_OK;

    const int n = self->basis.n_function;
    self->full = calloc((size_t)n * (size_t)n, sizeof *self->full);
    self->radial = calloc((size_t)self->n_radial * (size_t)self->n_radial, sizeof *self->radial);
    self->orthonormal =
        calloc((size_t)self->n_radial * (size_t)self->n_radial, sizeof *self->orthonormal);
    if (self->full == NULL || self->radial == NULL || self->orthonormal == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for an atom of %d functions", n);
    HF_TRY(hf_linalg_create(self->context, n, &self->linalg, error));
    HF_TRY(set_up_matrices(self, settings->linear_dependence_threshold, error));
    HF_TRY(hf_shell_pairs_create(self->context, &self->basis, atom_screening_threshold * 1e-2,
                                 &self->pairs, error));
    HF_TRY(hf_fock_create(self->context, self->pairs, &fock, &self->builder, error));
    HF_TRY(hf_two_electron_init(&self->two_electron, self->linalg, self->builder, n, error));
    HF_TRY(
        hf_diis_create(self->context, self->linalg, self->n_orbital, HISTORY, &self->diis, error));
cleanup:
    return status;
}

static void tear_down(struct atom *self)
{
    hf_diis_destroy(&self->diis);
    hf_two_electron_done(&self->two_electron);
    hf_fock_destroy(&self->builder);
    hf_shell_pairs_destroy(&self->pairs);
    hf_matrix_destroy(&self->density);
    hf_matrix_destroy(&self->x);
    hf_matrix_destroy(&self->core);
    hf_linalg_destroy(&self->linalg);
    hf_context_destroy(&self->context);
    free(self->orthonormal);
    free(self->radial);
    free(self->full);
    free(self->basis.first_shell_of_atom);
    free(self->basis.shell);
    free(self->radial_of_shell);
}

/** Adds the lowest orbitals of one l, filled from below, to D' in self->orthonormal. Electrons for
 *  which the basis has no room are left out. */
static hf_status fill_block(struct atom *self, int l, const double *fock, double *density,
                            struct hf_error *error)
{
    hf_status status;
    const struct radial_block *block = &self->block[l];
    const size_t k = (size_t)block->kept, stride = (size_t)self->n_orbital;
    const size_t first = (size_t)block->first_orbital;
    struct hf_matrix *small = NULL, *vector = NULL;
    double *eigenvalue = malloc(k * (k + 1) * sizeof *eigenvalue);
    if (eigenvalue == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for an atom");
    double *orbital = eigenvalue + k;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) orbital[i + k * j] = fock[first + i + stride * (first + j)];
    HF_TRY(hf_matrix_create(self->linalg, "atom", block->kept, block->kept, &small, error));
    HF_TRY(hf_matrix_create(self->linalg, "atom", block->kept, block->kept, &vector, error));
    HF_TRY(hf_matrix_set_full(small, orbital, error));
    HF_TRY(hf_matrix_eigen(small, eigenvalue, vector, error));
    HF_TRY(hf_matrix_gather_full(vector, orbital, error));

    double left = block->n_electron / (2.0 * l + 1.0); /* per component */
    for (size_t o = 0; o < k && left > 0.0; o++, left -= 2.0) {
        const double occupation = left < 2.0 ? left : 2.0;
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < k; i++)
                density[first + i + stride * (first + j)] +=
                    occupation * orbital[i + k * o] * orbital[j + k * o];
    }
cleanup:
    hf_matrix_destroy(&vector);
    hf_matrix_destroy(&small);
    free(eigenvalue);
    return status;
}

/** D' from F': self->density; fock is gathered into self->radial. */
static hf_status fill_orbitals(struct atom *self, const struct hf_matrix *fock,
                               struct hf_error *error)
{
    hf_status status;
    const size_t m = (size_t)self->n_orbital;
    HF_TRY(hf_matrix_gather_full(fock, self->radial, error));
    memset(self->orthonormal, 0, m * m * sizeof *self->orthonormal);
    for (int l = 0; l < HF_ATOM_N_L; l++)
        if (self->block[l].kept > 0)
            HF_TRY(fill_block(self, l, self->radial, self->orthonormal, error));
    HF_TRY(hf_matrix_set_full(self->density, self->orthonormal, error));
cleanup:
    return status;
}

/** The first D', of electrons that do not see each other. */
static hf_status fill_orbitals_of_core(struct atom *self, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *orthonormal = NULL;
    HF_TRY(hf_matrix_create(self->linalg, "atom", self->n_orbital, self->n_orbital, &orthonormal,
                            error));
    HF_TRY(hf_to_orthonormal(self->linalg, self->x, self->core, orthonormal, error));
    HF_TRY(fill_orbitals(self, orthonormal, error));
cleanup:
    hf_matrix_destroy(&orthonormal);
    return status;
}

/** self->radial = X D' X^T. */
static hf_status radial_density(struct atom *self, struct hf_error *error)
{
    hf_status status;
    struct hf_matrix *half = NULL, *density = NULL;
    const int n = self->n_radial, m = self->n_orbital;
    HF_TRY(hf_matrix_create(self->linalg, "atom", n, m, &half, error));
    HF_TRY(hf_matrix_create(self->linalg, "atom", n, n, &density, error));
    HF_TRY(hf_matrix_multiply(1.0, false, self->x, false, self->density, 0.0, half, error));
    HF_TRY(hf_matrix_multiply(1.0, false, half, true, self->x, 0.0, density, error));
    HF_TRY(hf_matrix_gather_full(density, self->radial, error));
cleanup:
    hf_matrix_destroy(&density);
    hf_matrix_destroy(&half);
    return status;
}

/** fock [n_radial][n_radial] = H + J - K/2 of the density D', averaged. */
static hf_status radial_fock(struct atom *self, struct hf_matrix *fock, struct hf_error *error)
{
    hf_status status;
    const int n = self->basis.n_function;
    struct hf_matrix *full = NULL;
    HF_TRY(radial_density(self, error));
    expand(self, self->radial, self->full);
    HF_TRY(hf_matrix_create(self->linalg, "atom", n, n, &full, error));
    HF_TRY(hf_matrix_set_full(full, self->full, error));
    HF_TRY(hf_two_electron_update(&self->two_electron, full, atom_screening_threshold, error));
    HF_TRY(hf_matrix_copy(self->two_electron.coulomb, full, error));
    HF_TRY(hf_matrix_add(-0.5, self->two_electron.exchange, 1.0, full, error));
    HF_TRY(hf_matrix_gather_full(full, self->full, error));
    average(self, self->full, self->radial);
    HF_TRY(hf_matrix_set_full(fock, self->radial, error));
    HF_TRY(hf_matrix_add(1.0, self->core, 1.0, fock, error));
cleanup:
    hf_matrix_destroy(&full);
    return status;
}

/** One turn: Fock matrix of D', its commutator, the next D'. */
static hf_status iterate(struct atom *self, double *error_norm, struct hf_error *error)
{
    hf_status status;
    const int n = self->n_radial, m = self->n_orbital;
    struct hf_matrix *fock = NULL, *orthonormal = NULL, *commutator = NULL;
    HF_TRY(hf_matrix_create(self->linalg, "atom", n, n, &fock, error));
    HF_TRY(hf_matrix_create(self->linalg, "atom", m, m, &orthonormal, error));
    HF_TRY(hf_matrix_create(self->linalg, "atom", m, m, &commutator, error));
    HF_TRY(radial_fock(self, fock, error));
    HF_TRY(hf_to_orthonormal(self->linalg, self->x, fock, orthonormal, error));
    HF_TRY(hf_commutator(self->linalg, orthonormal, self->density, commutator, error));
    HF_TRY(hf_matrix_max_abs(commutator, error_norm, error));
    HF_TRY(hf_diis_extrapolate(self->diis, orthonormal, commutator, error));
    HF_TRY(fill_orbitals(self, orthonormal, error));
cleanup:
    hf_matrix_destroy(&commutator);
    hf_matrix_destroy(&orthonormal);
    hf_matrix_destroy(&fock);
    return status;
}

/** Row `m` of the components of a shell over its functions; returns its terms. */
static int component_terms(const struct hf_shell *shell, const struct hf_solid_harmonics *harmonics,
                           int m, int column[], double coefficient[])
{
    if (shell->n_function == 2 * shell->l + 1) {
        column[0] = m;
        coefficient[0] = 1.0;
        return 1;
    }
    for (int k = 0; k < harmonics->n_term[m]; k++) {
        column[k] = harmonics->column[m][k];
        coefficient[k] = harmonics->coefficient[m][k];
    }
    return harmonics->n_term[m];
}

/** block += value * sum_m |row m> <row m| of two shells of one l, at (row, column) of density. */
static void add_block(const struct hf_shell *row_shell, const struct hf_shell *column_shell,
                      double value, size_t n, double *corner)
{
    struct hf_solid_harmonics harmonics;
    hf_solid_harmonics_init(row_shell->l, &harmonics);
    for (int m = 0; m < 2 * row_shell->l + 1; m++) {
        int row[HF_MAX_TERMS], column[HF_MAX_TERMS];
        double left[HF_MAX_TERMS], right[HF_MAX_TERMS];
        const int n_row = component_terms(row_shell, &harmonics, m, row, left);
        const int n_column = component_terms(column_shell, &harmonics, m, column, right);
        for (int j = 0; j < n_column; j++)
            for (int i = 0; i < n_row; i++)
                corner[(size_t)row[i] + n * (size_t)column[j]] += value * left[i] * right[j];
    }
}

/** From the radial density to the functions of the atom as the molecule's basis has them. */
static void to_basis(const struct atom *self, const struct hf_basis *basis, int atom,
                     double *density)
{
    const int first = basis->first_shell_of_atom[atom];
    const int last = basis->first_shell_of_atom[atom + 1];
    const size_t n = (size_t)hf_atom_n_function(basis, atom);
    const int origin = basis->shell[first].first_function;
    for (int s = first; s < last; s++)
        for (int r = first; r < last; r++) {
            const struct hf_shell *column_shell = &basis->shell[s], *row_shell = &basis->shell[r];
            const int i = self->radial_of_shell[r - first], j = self->radial_of_shell[s - first];
            if (i < 0 || j < 0 || row_shell->l != column_shell->l) continue;
            add_block(row_shell, column_shell,
                      self->radial[(size_t)i + (size_t)self->n_radial * (size_t)j], n,
                      density + (size_t)(row_shell->first_function - origin) +
                          n * (size_t)(column_shell->first_function - origin));
        }
}

hf_status hf_atom_density(const struct hf_basis *basis, int atom, int atomic_number,
                          const struct hf_scf_settings *settings, double density[],
                          struct hf_error *error)
{
    hf_status status;
    struct atom self = {.nucleus = {.atomic_number = atomic_number}};
    const size_t n = (size_t)hf_atom_n_function(basis, atom);
    int n_electron[HF_ATOM_N_L];
    double error_norm = 1.0;
    memset(density, 0, n * n * sizeof *density);
    if (n == 0) return HF_OK;
    hf_atom_configuration(atomic_number, n_electron);
    for (int l = 0; l < HF_ATOM_N_L; l++) self.block[l].n_electron = n_electron[l];
    for (int x = 0; x < 3; x++)
        self.nucleus.position_bohr[x] =
            basis->shell[basis->first_shell_of_atom[atom]].centre_bohr[x];
    self.molecule = (struct hf_molecule){.n_atom = 1, .atom = &self.nucleus, .multiplicity = 1};

    HF_TRY(hf_context_create(MPI_COMM_SELF, &self.context, error));
    HF_TRY(set_up(&self, basis, atom, settings, error));
    if (self.n_radial == 0) goto cleanup;
    HF_TRY(fill_orbitals_of_core(&self, error));
    for (int i = 0; i < MAX_ITERATION && error_norm > atom_commutator_tolerance; i++)
        HF_TRY(iterate(&self, &error_norm, error));
    HF_TRY(radial_density(&self, error));
    to_basis(&self, basis, atom, density);
cleanup:
    tear_down(&self);
    return status;
}
