/* From the density of functions of a pair to that of its levels: the transpose of horizontal.h, for columns of
 * vectors. Part of kernels.c.
 *
 * The integrals of functions follow from levels by (a b+1| = (a+1 b| + AB (a b|, AB = A - B. So a density G of
 * functions becomes a density of levels with the same sum G (ab|. The coefficients depend on AB, too:
 *
 *     d/dAB_x sum G_ab (ab| = sum G_ab b_x (a b-1x|       at fixed levels
 *
 * which is a sum over levels l_a .. l_a+l_b-1 with the density of `moved`. */
#ifndef HF_TO_LEVELS_H
#define HF_TO_LEVELS_H

#include "horizontal.h"

#include <string.h>

/** `n` columns, each the functions of a part of a pair. All strides in vectors. */
struct level_columns {
    const struct hf_quartet *quartet; /**< its tables */
    const struct hf_pair_part *part;
    int n;
    const lanes *in; /**< function (a, b) at in[a in_a + b in_b + column in_column] */
    size_t in_a, in_b, in_column;
    lanes *out; /**< component k of levels l_a..l_a+l_b at out[k out_row + column out_column] */
    size_t out_row, out_column;
    lanes *moved[3]; /**< the same for levels l_a..l_a+l_b-1 and each direction; NULL: not wanted */
    size_t moved_row, moved_column;
};

/** Makes the levels of all columns; shift is A - B. `in` and `out` must not overlap. */
typedef void level_function(const struct level_columns *columns, const lanes shift[3]);

#include "level_functions.h"

/* ---- Loops for every part ------------------------------------------------------------------- */

/** Most rows of a step of two shells up to HF_MAX_L. */
enum { HF_LEVEL_ROWS = 850 };

/** Transforms harmonics to components, the slower index in each of `left` blocks [..][right]: the transpose of
 *  harmonics_in_loops. */
static inline void from_harmonics(const struct hf_solid_harmonics *harmonics, int l, int left,
                                  int right, const lanes *in, lanes *out)
{
    memset(out, 0, (size_t)(left * hf_n_cartesian(l) * right) * sizeof *out);
    for (int block = 0; block < left; block++, out += hf_n_cartesian(l) * right)
        for (int row = 0; row < 2 * l + 1; row++, in += right)
            for (int k = 0; k < harmonics->n_term[row]; k++)
                for (int i = 0; i < right; i++)
                    out[harmonics->column[row][k] * right + i] +=
                        harmonics->coefficient[row][k] * in[i];
}

/** Makes the density of components [a][b] of a column, in one of the two blocks. */
static inline lanes *to_components(const struct level_columns *columns, int column,
                                   lanes block[2][HF_LEVEL_ROWS])
{
    const struct hf_pair_part *part = columns->part;
    const struct hf_solid_harmonics *harmonics = columns->quartet->harmonics;
    const lanes *in = columns->in + (size_t)column * columns->in_column;
    int now = 0;
    for (int a = 0; a < part->n_a; a++)
        for (int b = 0; b < part->n_b; b++)
            block[0][a * part->n_b + b] = in[(size_t)a * columns->in_a + (size_t)b * columns->in_b];
    if (part->spherical_b) {
        from_harmonics(&harmonics[part->l_b], part->l_b, part->n_a, 1, block[0], block[1]);
        now = 1;
    }
    if (part->spherical_a) {
        from_harmonics(&harmonics[part->l_a], part->l_a, 1, hf_n_cartesian(part->l_b), block[now],
                       block[!now]);
        now = !now;
    }
    return block[now];
}

/** One step: the density of (a b| with levels low..high of a and components of l_b becomes that of levels
 *  low..high+1 and l_b - 1. */
static inline void raise_in_loops(const struct hf_cartesian_table *table, int low, int high,
                                  int l_b, const lanes shift[3], const lanes *in, lanes *out)
{
    const int n_b = hf_n_cartesian(l_b), n_b_1 = hf_n_cartesian(l_b - 1);
    memset(out, 0, (size_t)(hf_n_levels(low, high + 1) * n_b_1) * sizeof *out);
    for (int l_a = low; l_a <= high; l_a++) {
        lanes *upper = out + hf_n_cartesian(l_a) * n_b_1;
        for (int a = 0; a < hf_n_cartesian(l_a); a++)
            for (int b = 0; b < n_b; b++, in++) {
                const struct hf_cartesian *component = &table->component[l_b][b];
                const int d = component->direction, b_1 = component->lower[d];
                upper[table->component[l_a][a].upper[d] * n_b_1 + b_1] += *in;
                out[a * n_b_1 + b_1] += shift[d] * *in;
            }
        out = upper;
    }
}

/** Transforms the density [a][b] of components of l_a and l_b to levels; returns their place, `from` or
 *  `other`. */
static inline lanes *raise_all(const struct level_columns *columns, int l_b, const lanes shift[3],
                               lanes *from, lanes *other)
{
    const int l_a = columns->part->l_a;
    for (int l = l_b, high = l_a; l > 0; l--, high++) {
        lanes *done = from;
        raise_in_loops(columns->quartet->cartesian, l_a, high, l, shift, from, other);
        from = other;
        other = done;
    }
    return from;
}

/** The density of (a b-1x| for direction x, from that of components [a][b]. */
static inline void lower_b(const struct level_columns *columns, int x, const lanes *in, lanes *out)
{
    const struct hf_pair_part *part = columns->part;
    const struct hf_cartesian *component = columns->quartet->cartesian->component[part->l_b - 1];
    const int n_b = hf_n_cartesian(part->l_b), n_b_1 = hf_n_cartesian(part->l_b - 1);
    for (int a = 0; a < hf_n_cartesian(part->l_a); a++, in += n_b)
        for (int b = 0; b < n_b_1; b++)
            *out++ = in[component[b].upper[x]] * (real)(component[b].power[x] + 1);
}

static inline void put_rows(int n, const lanes *from, lanes *to, size_t row)
{
    for (int k = 0; k < n; k++) to[(size_t)k * row] = from[k];
}

/** For parts without straight-line code. */
static void levels_in_loops(const struct level_columns *columns, const lanes shift[3])
{
    const struct hf_pair_part *part = columns->part;
    lanes block[2][HF_LEVEL_ROWS], moved[2][HF_LEVEL_ROWS];
    const int n_moved = hf_n_levels(part->l_a, part->l_a + part->l_b - 1);
    for (int k = 0; k < columns->n; k++) {
        lanes *components = to_components(columns, k, block);
        for (int x = 0; x < 3 && part->l_b > 0 && columns->moved[0] != NULL; x++) {
            lower_b(columns, x, components, moved[0]);
            put_rows(n_moved, raise_all(columns, part->l_b - 1, shift, moved[0], moved[1]),
                     columns->moved[x] + (size_t)k * columns->moved_column, columns->moved_row);
        }
        const lanes *levels = raise_all(columns, part->l_b, shift, components,
                                        components == block[0] ? block[1] : block[0]);
        put_rows(hf_part_n_level(part), levels, columns->out + (size_t)k * columns->out_column,
                 columns->out_row);
    }
}

/** Returns the function that makes the levels of a part. */
static inline level_function *find_levels(const struct hf_pair_part *part)
{
    const bool spherical = part->spherical_a || part->spherical_b;
    const bool as_in_table = part->spherical_a == (spherical && part->l_a >= 2) &&
                             part->spherical_b == (spherical && part->l_b >= 2);
    const bool low = part->l_a <= HF_MAX_RECURRENCE_L && part->l_b <= HF_MAX_RECURRENCE_L;
    level_function *found =
        low && as_in_table ? level_table[part->l_a][part->l_b][spherical] : NULL;
    return found != NULL ? found : levels_in_loops;
}

#endif
