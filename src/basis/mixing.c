/* Transforms between published functions and those of a merged basis: densities in one direction, J and K in the
 * other.
 *
 * With published = U merged, the density of merged functions is U^T D U, and J and K of published functions are U J
 * U^T. U is 1 except for the mixings. Their `other` functions are never mixed themselves, so mixings can be applied
 * one after another. */
#include "hf/basis.h"

/** Adds factor times row `from` to row `to`. Numbers of a row are `step` apart, rows are `stride` apart. */
static void add_row(double *matrix, size_t n, size_t step, size_t stride, int from, int to,
                    double factor)
{
    const double *source = matrix + (size_t)from * stride;
    double *target = matrix + (size_t)to * stride;
    for (size_t i = 0; i < n; i++) target[i * step] += factor * source[i * step];
}

/** Applies the mixings of an atom to the rows (length `n`) of a matrix. For columns, exchange `step` and `stride`.
 *  Row 0 is the first function of the atom. */
static void mix(const struct hf_basis *merged, int atom, bool sums, size_t n, size_t step,
                size_t stride, double *matrix)
{
    const int first = hf_atom_first_function(merged, atom), *place = merged->first_mixing_of_atom;
    for (int k = place[atom]; k < place[atom + 1]; k++) {
        const struct hf_mixing *mixing = &merged->mixing[k];
        const int function = mixing->function - first, other = mixing->other - first;
        if (sums)
            add_row(matrix, n, step, stride, other, function, mixing->factor);
        else
            add_row(matrix, n, step, stride, function, other, mixing->factor);
    }
}

void hf_mix_block(const struct hf_basis *merged, bool sums, int row_atom, int column_atom,
                  double block[])
{
    if (merged->n_mixing == 0) return;
    const size_t n_row = (size_t)hf_atom_n_function(merged, row_atom);
    const size_t n_column = (size_t)hf_atom_n_function(merged, column_atom);
    mix(merged, row_atom, sums, n_column, 1, n_column, block);
    mix(merged, column_atom, sums, n_row, n_column, 1, block);
}

void hf_mix_orbitals(const struct hf_basis *merged, bool sums, int n_orbital, double coefficient[])
{
    const size_t n = (size_t)merged->n_function;
    if (merged->n_mixing == 0) return;
    for (int atom = 0; atom < merged->n_atom; atom++)
        mix(merged, atom, sums, (size_t)n_orbital, n, 1,
            coefficient + hf_atom_first_function(merged, atom));
}
