/* From levels of one pair to its functions: horizontal recurrence and solid harmonics, for columns of
 * vectors. Part of kernels.c.
 *
 *     (a b+1| = (a+1 b| + (A - B) (ab|
 *
 * M. Head-Gordon and J. A. Pople, J. Chem. Phys. 89, 5777 (1988), Eq. 18. */
#ifndef HF_HORIZONTAL_H
#define HF_HORIZONTAL_H

#include "hf/lanes.h"
#include "hf/solid_harmonics.h"
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

#include "horizontal_functions.h"

/* ---- Loops for every part ------------------------------------------------------------------- */

/** The loops do some columns at a time: indices are looked up once for them. */
enum {
    HF_LOOP_COLUMNS = 4,
    /** Most rows of a step, all a at one b: s with l_b = HF_MAX_RECURRENCE_L, half-way. */
    HF_LOOP_ROWS = 216
};

/** (a b| of all components of b and of levels low..high of a from those of b - 1 and levels
 *  low..high+1, in place of vectors HF_LOOP_COLUMNS of them: [a][b]. */
static inline void plain_step(const struct hf_cartesian_table *table, int low, int high, int l_b,
                              const lanes shift[3], const lanes *in, lanes *out)
{
    const int n_b = hf_n_cartesian(l_b), n_b_1 = hf_n_cartesian(l_b - 1);
    for (int l_a = low; l_a <= high; l_a++) {
        const lanes *upper = in + (size_t)(hf_n_cartesian(l_a) * n_b_1) * HF_LOOP_COLUMNS;
        for (int a = 0; a < hf_n_cartesian(l_a); a++) {
            for (int b = 0; b < n_b; b++, out += HF_LOOP_COLUMNS) {
                const struct hf_cartesian *component = &table->component[l_b][b];
                const int d = component->direction, b_1 = component->lower[d];
                const int a_1 = table->component[l_a][a].upper[d];
                const lanes *up = upper + (size_t)(a_1 * n_b_1 + b_1) * HF_LOOP_COLUMNS;
                const lanes *at = in + (size_t)(a * n_b_1 + b_1) * HF_LOOP_COLUMNS;
                for (int k = 0; k < HF_LOOP_COLUMNS; k++) out[k] = up[k] + shift[d] * at[k];
            }
        }
        in = upper;
    }
}

/** The slowest index of a block [components of l][right] becomes spherical. */
static inline void plain_harmonics(const struct hf_solid_harmonics *harmonics, int l, int right,
                                   const lanes *in, lanes *out)
{
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

/** HF_LOOP_COLUMNS columns from [level][column] to [a][b][column]; which of the two blocks has
 *  them then. */
static inline int plain_columns(const struct hf_quartet *quartet, const struct hf_pair_part *part,
                                const lanes shift[3],
                                lanes block[2][HF_LOOP_ROWS * HF_LOOP_COLUMNS])
{
    const int l_a = part->l_a, l_b = part->l_b, n_b = hf_n_cartesian(l_b) * HF_LOOP_COLUMNS;
    int now = 0;
    for (int l = 1; l <= l_b; l++, now = !now)
        plain_step(quartet->cartesian, l_a, l_a + l_b - l, l, shift, block[now], block[!now]);
    if (part->spherical_a) {
        plain_harmonics(&quartet->harmonics[l_a], l_a, n_b, block[now], block[!now]);
        now = !now;
    }
    if (part->spherical_b) {
        for (int a = 0; a < part->n_a; a++)
            plain_harmonics(&quartet->harmonics[l_b], l_b, HF_LOOP_COLUMNS, block[now] + a * n_b,
                            block[!now] + a * part->n_b * HF_LOOP_COLUMNS);
        now = !now;
    }
    return now;
}

/** What has no straight-line code. */
static void horizontal_loops(const struct horizontal_columns *columns, const lanes shift[3])
{
    const struct hf_pair_part *part = columns->part;
    const int n_level = hf_part_n_level(part);
    lanes block[2][HF_LOOP_ROWS * HF_LOOP_COLUMNS];
    for (int first = 0; first < columns->n; first += HF_LOOP_COLUMNS) {
        const int n = columns->n - first < HF_LOOP_COLUMNS ? columns->n - first : HF_LOOP_COLUMNS;
        const lanes *in = columns->in + (size_t)first * columns->in_column;
        lanes *out = columns->out + (size_t)first * columns->out_column;
        for (int level = 0; level < n_level; level++) /* the last stands for those that are not */
            for (int k = 0; k < HF_LOOP_COLUMNS; k++)
                block[0][level * HF_LOOP_COLUMNS + k] =
                    in[(size_t)level * columns->in_row +
                       (size_t)(k < n ? k : n - 1) * columns->in_column];
        const lanes *from = block[plain_columns(columns->quartet, part, shift, block)];
        for (int a = 0; a < part->n_a; a++)
            for (int b = 0; b < part->n_b; b++, from += HF_LOOP_COLUMNS)
                for (int k = 0; k < n; k++)
                    out[(size_t)a * columns->out_a + (size_t)b * columns->out_b +
                        (size_t)k * columns->out_column] = from[k];
    }
}

/** What makes the functions of a part. */
static inline horizontal_function *find_horizontal(const struct hf_pair_part *part)
{
    const bool spherical = part->spherical_a || part->spherical_b;
    const bool as_in_table = part->spherical_a == (spherical && part->l_a >= 2) &&
                             part->spherical_b == (spherical && part->l_b >= 2);
    horizontal_function *found = horizontal_table[part->l_a][part->l_b][spherical];
    return as_in_table && found != NULL ? found : horizontal_loops;
}

#endif
