/* The shells of an atom by angular momentum, and averages over their components. */
#include "atom_private.h"

#include "integrals/solid_harmonics.h"

#include <string.h>

/** Copies the shells of one l. */
static void take_shells(struct hf_radial_basis *radial, const struct hf_shell *shells, int n_shell,
                        int l)
{
    struct hf_basis *basis = &radial->basis;
    for (int s = 0; s < n_shell; s++) {
        if (shells[s].l != l) continue;
        struct hf_shell shell = shells[s];
        shell.atom = 0;
        shell.spherical = l > 1;
        shell.n_function = 2 * l + 1;
        shell.first_function = basis->n_function;
        basis->n_function += shell.n_function;
        basis->n_primitive += shell.n_primitive;
        basis->max_l = l;
        if (shell.n_primitive > basis->max_primitive) basis->max_primitive = shell.n_primitive;
        radial->radial_of_shell[s] = radial->n_radial;
        basis->shell[radial->n_radial++] = shell;
    }
}

hf_status hf_radial_basis_init(struct hf_radial_basis *radial, const struct hf_basis *basis,
                               int atom, int atomic_number, struct hf_error *error)
{
    int n_electron[HF_ATOM_N_L];
    const int first = basis->first_shell_of_atom[atom];
    const int n_shell = basis->first_shell_of_atom[atom + 1] - first;
    *radial = (struct hf_radial_basis){.basis = {.n_atom = 1},
                                       .arena = {.label = "the shells of an atom"}};
    HF_TAKE(&radial->arena, radial->basis.shell, (size_t)n_shell);
    HF_TAKE(&radial->arena, radial->basis.first_shell_of_atom, 2);
    HF_TAKE(&radial->arena, radial->radial_of_shell, (size_t)n_shell);
    HF_CHECK(hf_arena_check(&radial->arena, error));
    const struct hf_core_potential *core = hf_atom_core_potential(basis, atom);
    if (core != NULL) {
        radial->core_potential = *core;
        radial->core_potential.atom = 0;
        radial->basis.n_core_potential = 1;
        radial->basis.core_potential = &radial->core_potential;
    }
    hf_atom_valence_configuration(atomic_number, core != NULL ? core->n_core : 0, n_electron);
    for (int s = 0; s < n_shell; s++) radial->radial_of_shell[s] = -1;
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        struct hf_radial_block *block = &radial->block[l];
        block->n_electron = n_electron[l];
        block->first = radial->n_radial;
        if (n_electron[l] > 0) take_shells(radial, basis->shell + first, n_shell, l);
        block->n = radial->n_radial - block->first;
    }
    radial->basis.n_shell = radial->basis.first_shell_of_atom[1] = radial->n_radial;
    return HF_OK;
}

/** Position in full [n][n] of the first component of radial element (i, j). */
static size_t corner_of(const struct hf_radial_basis *radial, int i, int j)
{
    const struct hf_shell *shell = radial->basis.shell;
    return (size_t)shell[i].first_function +
           (size_t)radial->basis.n_function * (size_t)shell[j].first_function;
}

void hf_radial_average(const struct hf_radial_basis *radial, const double *full, double *matrix)
{
    const size_t next = (size_t)radial->basis.n_function + 1, n_radial = (size_t)radial->n_radial;
    memset(matrix, 0, n_radial * n_radial * sizeof *matrix);
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        const struct hf_radial_block *block = &radial->block[l];
        for (int j = block->first; j < block->first + block->n; j++)
            for (int i = block->first; i < block->first + block->n; i++) {
                const double *corner = full + corner_of(radial, i, j);
                double sum = 0.0;
                for (int m = 0; m <= 2 * l; m++) sum += corner[(size_t)m * next];
                matrix[(size_t)i + n_radial * (size_t)j] = sum / (2 * l + 1);
            }
    }
}

void hf_radial_expand(const struct hf_radial_basis *radial, const double *matrix, double *full)
{
    const size_t n = (size_t)radial->basis.n_function, n_radial = (size_t)radial->n_radial;
    memset(full, 0, n * n * sizeof *full);
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        const struct hf_radial_block *block = &radial->block[l];
        for (int j = block->first; j < block->first + block->n; j++)
            for (int i = block->first; i < block->first + block->n; i++) {
                double *corner = full + corner_of(radial, i, j);
                for (int m = 0; m <= 2 * l; m++)
                    corner[(size_t)m * (n + 1)] = matrix[(size_t)i + n_radial * (size_t)j];
            }
    }
}

/** Writes component `m` of a shell as a sum over its functions; returns the number of terms. */
static int component_terms(const struct hf_shell *shell, const struct hf_solid_harmonics *harmonics,
                           int m, int function[], double coefficient[])
{
    if (shell->n_function == 2 * shell->l + 1) {
        function[0] = m;
        coefficient[0] = 1.0;
        return 1;
    }
    for (int k = 0; k < harmonics->n_term[m]; k++) {
        function[k] = harmonics->column[m][k];
        coefficient[k] = harmonics->coefficient[m][k];
    }
    return harmonics->n_term[m];
}

/** corner += value * sum_m |row m><column m| of two shells of one l; `corner` in density [k][k]. */
static void add_block(const struct hf_shell *row_shell, const struct hf_shell *column_shell,
                      double value, size_t k, double *corner)
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
                corner[(size_t)row[i] + k * (size_t)column[j]] += value * left[i] * right[j];
    }
}

void hf_radial_to_basis(const struct hf_radial_basis *radial, const struct hf_basis *basis,
                        int atom, const double *matrix, double *density)
{
    const int first = basis->first_shell_of_atom[atom];
    const int last = basis->first_shell_of_atom[atom + 1];
    const size_t k = (size_t)hf_atom_n_function(basis, atom);
    const int origin = basis->shell[first].first_function;
    for (int s = first; s < last; s++)
        for (int r = first; r < last; r++) {
            const struct hf_shell *column = &basis->shell[s], *row = &basis->shell[r];
            const int i = radial->radial_of_shell[r - first];
            const int j = radial->radial_of_shell[s - first];
            if (i < 0 || j < 0 || row->l != column->l) continue;
            add_block(row, column, matrix[(size_t)i + (size_t)radial->n_radial * (size_t)j], k,
                      density + (size_t)(row->first_function - origin) +
                          k * (size_t)(column->first_function - origin));
        }
}

void hf_radial_orbital_to_basis(const struct hf_radial_basis *radial, const struct hf_basis *basis,
                                int atom, int l, int m, const double *function, double *orbital)
{
    struct hf_solid_harmonics harmonics;
    const int first = basis->first_shell_of_atom[atom];
    hf_solid_harmonics_init(l, &harmonics);
    for (int s = first; s < basis->first_shell_of_atom[atom + 1]; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        const int i = radial->radial_of_shell[s - first];
        int term[HF_MAX_TERMS];
        double coefficient[HF_MAX_TERMS];
        if (i < 0 || shell->l != l) continue;
        const int n_term = component_terms(shell, &harmonics, m, term, coefficient);
        double *to = orbital + (shell->first_function - basis->shell[first].first_function);
        for (int k = 0; k < n_term; k++) to[term[k]] += function[i] * coefficient[k];
    }
}
