/* From levels of one pair to its functions: horizontal recurrence and solid harmonics, for columns of
 * vectors. Part of kernels.c.
 *
 *     (a b+1| = (a+1 b| + (A - B) (ab|
 *
 * M. Head-Gordon and J. A. Pople, J. Chem. Phys. 89, 5777 (1988), Eq. 18. */
#ifndef HF_HORIZONTAL_H
#define HF_HORIZONTAL_H

#include "base/lanes.h"
#include "integrals/solid_harmonics.h"
#include "quartet.h"

#include <string.h>

/** `n` columns of a block, each the levels of a pair. All strides in vectors. */
struct horizontal_columns {
    const struct hf_quartet *quartet; /**< its tables, for the loops */
    const struct hf_pair_part *part;
    int n;
    const lanes *in; /**< component k of levels l_a..l_a+l_b at in[k in_row + column in_column] */
    size_t in_row, in_column;
    lanes *out; /**< function (a, b) at out[a out_a + b out_b + column out_column] */
    size_t out_a, out_b, out_column;
};

/** Makes the functions of all columns; shift is A - B. `in` and `out` must not overlap. */
typedef void horizontal_function(const struct horizontal_columns *columns, const lanes shift[3]);

/** Straight-line code has only sums of products at constant places: sanitizers would find nothing, and
 *  compiling would take half as long again. */
#define HF_STRAIGHT_LINE __attribute__((no_sanitize("address", "undefined")))

#include "horizontal_functions.h"

/* ---- Loops for every part ------------------------------------------------------------------- */

enum {
    /** Number of columns for which indices are looked up once. */
    HF_LOOP_COLUMNS = 4,
    /** Most rows of a step: s with l_b = HF_MAX_RECURRENCE_L, after half of the steps. */
    HF_LOOP_ROWS = 210
};

/** Two blocks for `n` columns, [row][n]: a step reads one of them and writes the other. */
struct loop_blocks {
    lanes block[2][HF_LOOP_ROWS * HF_LOOP_COLUMNS];
    int now; /**< number of the block with the result */
};

/** Computes (a b| for levels low..high of a and all components of b, rows [a][b], from those of b - 1 and
 *  levels low..high+1. */
static inline __attribute__((always_inline)) void
lower_in_loops(const struct hf_cartesian_table *table, int low, int high, int l_b,
               const lanes shift[3], int n, struct loop_blocks *blocks)
{
    const int n_b = hf_n_cartesian(l_b), n_b_1 = hf_n_cartesian(l_b - 1);
    const lanes *in = blocks->block[blocks->now];
    lanes *out = blocks->block[!blocks->now];
    for (int l_a = low; l_a <= high; l_a++) {
        const lanes *upper = in + hf_n_cartesian(l_a) * n_b_1 * n;
        for (int a = 0; a < hf_n_cartesian(l_a); a++) {
            for (int b = 0; b < n_b; b++, out += n) {
                const struct hf_cartesian *component = &table->component[l_b][b];
                const int d = component->direction, b_1 = component->lower[d];
                const int a_1 = table->component[l_a][a].upper[d];
                const lanes *up = upper + (a_1 * n_b_1 + b_1) * n;
                const lanes *at = in + (a * n_b_1 + b_1) * n;
                for (int k = 0; k < n; k++) out[k] = up[k] + shift[d] * at[k];
            }
        }
        in = upper;
    }
    blocks->now = !blocks->now;
}

/** Transforms components to harmonics in each of `left` blocks [components of l][right]. */
static inline void harmonics_in_loops(const struct hf_solid_harmonics *harmonics, int l, int left,
                                      int right, struct loop_blocks *blocks)
{
    const lanes *in = blocks->block[blocks->now];
    lanes *out = blocks->block[!blocks->now];
    for (int block = 0; block < left; block++, in += hf_n_cartesian(l) * right) {
        for (int row = 0; row < 2 * l + 1; row++, out += right) {
            const double *c = harmonics->coefficient[row];
            const int *column = harmonics->column[row];
            for (int i = 0; i < right; i++) {
                lanes sum = (real)c[0] * in[column[0] * right + i];
                for (int k = 1; k < harmonics->n_term[row]; k++)
                    sum += (real)c[k] * in[column[k] * right + i];
                out[i] = sum;
            }
        }
    }
    blocks->now = !blocks->now;
}

/** Makes the functions of columns first .. first+n-1. */
static inline __attribute__((always_inline)) void
make_in_loops(const struct horizontal_columns *columns, const lanes shift[3], int first, int n,
              struct loop_blocks *blocks)
{
    const struct hf_pair_part *part = columns->part;
    const struct hf_solid_harmonics *harmonics = columns->quartet->harmonics;
    const int l_a = part->l_a, l_b = part->l_b, n_level = hf_part_n_level(part);
    const lanes *in = columns->in + (size_t)first * columns->in_column;
    lanes *out = columns->out + (size_t)first * columns->out_column;
    blocks->now = 0;
    for (int row = 0; row < n_level; row++)
        for (int k = 0; k < n; k++)
            blocks->block[0][row * n + k] =
                in[(size_t)row * columns->in_row + (size_t)k * columns->in_column];
    for (int l = 1; l <= l_b; l++)
        lower_in_loops(columns->quartet->cartesian, l_a, l_a + l_b - l, l, shift, n, blocks);
    if (part->spherical_a)
        harmonics_in_loops(&harmonics[l_a], l_a, 1, hf_n_cartesian(l_b) * n, blocks);
    if (part->spherical_b) harmonics_in_loops(&harmonics[l_b], l_b, part->n_a, n, blocks);
    const lanes *from = blocks->block[blocks->now];
    for (int a = 0; a < part->n_a; a++)
        for (int b = 0; b < part->n_b; b++, from += n)
            for (int k = 0; k < n; k++)
                out[(size_t)a * columns->out_a + (size_t)b * columns->out_b +
                    (size_t)k * columns->out_column] = from[k];
}

/** For parts without straight-line code. */
static void horizontal_loops(const struct horizontal_columns *columns, const lanes shift[3])
{
    struct loop_blocks blocks;
    int first = 0;
    for (; first + HF_LOOP_COLUMNS <= columns->n; first += HF_LOOP_COLUMNS)
        make_in_loops(columns, shift, first, HF_LOOP_COLUMNS, &blocks);
    for (; first < columns->n; first++) make_in_loops(columns, shift, first, 1, &blocks);
}

/** Returns the function that makes a part. */
static inline horizontal_function *find_horizontal(const struct hf_pair_part *part)
{
    const bool spherical = part->spherical_a || part->spherical_b;
    const bool as_in_table = part->spherical_a == (spherical && part->l_a >= 2) &&
                             part->spherical_b == (spherical && part->l_b >= 2);
    horizontal_function *found = horizontal_table[part->l_a][part->l_b][spherical];
    return as_in_table && found != NULL ? found : horizontal_loops;
}

#endif
