/* See panel.h. */
#include "panel.h"

#include <string.h>

enum { WIDTH = HF_MP2_PANEL_COLUMNS };

static int least(int x, int y)
{
    return x < y ? x : y;
}

/* ---- Rows of blocks -------------------------------------------------------------------------- */

/** Marks in `index` the functions that have integrals with each block. */
static void mark(struct hf_mp2_panel *panel)
{
    const struct hf_shell_pairs *pairs = panel->mp2->pairs;
    const struct hf_shell *shell = panel->mp2->merged->shell;
    for (int64_t k = 0; k < pairs->n_pair; k++)
        for (int turned = 0; turned < 2; turned++) {
            const struct hf_shell *m = &shell[turned ? pairs->pair[k].b : pairs->pair[k].a];
            const struct hf_shell *n = &shell[turned ? pairs->pair[k].a : pairs->pair[k].b];
            const int last = n->first_function + n->n_function - 1;
            for (int block = n->first_function / WIDTH; block <= last / WIDTH; block++)
                for (int i = 0; i < m->n_function; i++)
                    panel->index[(size_t)block * (size_t)panel->n +
                                 (size_t)(m->first_function + i)] = 1;
        }
}

/** Numbers the marked rows of each block, and finds where its columns begin in a plane. */
static void number(struct hf_mp2_panel *panel)
{
    const int n = panel->n;
    int *row = panel->rows;
    for (int b = 0; b < panel->n_block; b++) {
        struct hf_mp2_panel_block *block = &panel->block[b];
        int *index = panel->index + (size_t)b * (size_t)n;
        const int n_column = least(WIDTH, n - b * WIDTH);
        *block = (struct hf_mp2_panel_block){
            .width = (int)hf_padded(n_column), .place = panel->plane, .row = row};
        for (int m = 0; m < n; m++) {
            if (index[m] != 0) row[block->n_row] = m;
            index[m] = index[m] != 0 ? block->n_row++ : -1;
        }
        const struct hf_mp2_panel_block *before = block - 1;
        block->repeats = b > 0 && before->n_row == block->n_row &&
                         memcmp(before->row, row, (size_t)block->n_row * sizeof *row) == 0;
        row += block->n_row;
        panel->plane += (size_t)block->n_row * (size_t)block->width;
        panel->n_element += (double)block->n_row * n_column;
    }
}

/** Packs the batch's orbitals at the rows of each block. */
static void pack_orbitals(struct hf_mp2_panel *panel, struct hf_arena *arena)
{
    const struct hf_mp2 *mp2 = panel->mp2;
    size_t sum = 0;
    for (int b = 0; b < panel->n_block; b++)
        for (int spin = 0; spin < mp2->n_spin && !panel->block[b].repeats; spin++)
            sum += hf_packed_size(panel->n_i[spin], panel->block[b].n_row);
    HF_TAKE(arena, panel->packed, sum);
    if (panel->packed == NULL) return;
    double *to = panel->packed;
    for (int b = 0; b < panel->n_block; b++)
        for (int spin = 0; spin < mp2->n_spin; spin++) {
            struct hf_mp2_panel_block *block = &panel->block[b];
            const struct hf_mp2_orbitals *orbitals = &mp2->orbitals[spin];
            block->packed[spin] = block->repeats ? block[-1].packed[spin] : to;
            if (block->repeats) continue;
            hf_pack_rows(panel->n_i[spin], block->n_row, block->row,
                         orbitals->occupied + mp2->batch.begin[spin], (size_t)orbitals->n_occupied,
                         to);
            to += hf_packed_size(panel->n_i[spin], block->n_row);
        }
}

void hf_mp2_panel_init(struct hf_mp2_panel *panel, const struct hf_mp2 *mp2, struct hf_arena *arena)
{
    const struct hf_basis *basis = mp2->merged;
    const int n = basis->n_function;
    *panel = (struct hf_mp2_panel){.mp2 = mp2, .n = n, .n_block = (n + WIDTH - 1) / WIDTH};
    const size_t n_block = (size_t)panel->n_block;
    for (int spin = 0; spin < mp2->n_spin; spin++)
        panel->n_i[spin] = mp2->batch.end[spin] - mp2->batch.begin[spin];
    HF_TAKE(arena, panel->block, n_block);
    HF_TAKE(arena, panel->rows, n_block * (size_t)n);
    HF_TAKE(arena, panel->index, n_block * (size_t)n);
    HF_TAKE(arena, panel->shell_of, (size_t)n);
    if (arena->failed) return;
    for (int s = 0; s < basis->n_shell; s++)
        for (int k = 0; k < basis->shell[s].n_function; k++)
            panel->shell_of[basis->shell[s].first_function + k] = s;
    mark(panel);
    number(panel);
    pack_orbitals(panel, arena);
}

double hf_mp2_panel_words(const struct hf_mp2_size *size, double n_i)
{
    const double n = size->n_function, n_block = n / WIDTH + 1.0;
    const double row = (double)hf_padded(size->n_function);
    const double of_thread = n * (0.75 * size->most_functions * row + row);
    return n_block * n * (1.0 + n_i) + (size->n_thread > 1 ? size->n_thread : 1) * of_thread;
}

/* ---- Strips ---------------------------------------------------------------------------------- */

/** A copy may overwrite fewer than STEP numbers after the last one. */
enum { STEP = 8 };

void hf_mp2_strips_init(struct hf_mp2_strips *strips, const struct hf_mp2 *mp2, size_t n_bra,
                        struct hf_arena *arena)
{
    const struct hf_basis *basis = mp2->merged;
    const size_t n = (size_t)basis->n_function;
    size_t n_ket = n * n; /* twice the kets of different atoms, and twice the squares of atoms */
    for (int atom = 0; atom < basis->n_atom; atom++) {
        const size_t first = (size_t)hf_atom_first_function(basis, atom);
        const size_t end =
            atom + 1 < basis->n_atom ? (size_t)hf_atom_first_function(basis, atom + 1) : n;
        n_ket += (end - first) * (end - first);
    }
    *strips = (struct hf_mp2_strips){.arena = arena, .room = (int64_t)(n_bra * (n_ket / 2) + STEP)};
    HF_TAKE_UNSET(arena, strips->value, (size_t)strips->room);
}

void hf_mp2_strips_begin(struct hf_mp2_strips *strips)
{
    strips->n = 0;
    strips->n_kept = 0;
}

/** Makes room for one more strip of n numbers. */
static bool grow(struct hf_mp2_strips *strips, size_t n)
{
    return hf_arena_grow(strips->arena, &strips->kept, strips->n_kept + 1, &strips->kept_room,
                         sizeof *strips->kept) &&
           hf_arena_grow(strips->arena, &strips->value, (int64_t)(strips->n + n + STEP),
                         &strips->room, sizeof *strips->value);
}

void hf_mp2_strips_keep(struct hf_mp2_strips *strips, const struct hf_basis *basis,
                        const struct hf_strip *strip, int atom_c, int atom_d)
{
    const size_t n_c = (size_t)strip->n_c, n_d = (size_t)strip->n_d;
    const size_t n_bra = (size_t)basis->shell[strip->bra->a].n_function *
                         (size_t)basis->shell[strip->bra->b].n_function;
    if (!grow(strips, n_bra * n_c * n_d)) {
        strips->failed = true;
        return;
    }
    strips->kept[strips->n_kept++] = (struct hf_mp2_kept){
        .first_c = hf_atom_first_function(basis, atom_c) + strip->first_c,
        .n_c = strip->n_c,
        .first_d = hf_atom_first_function(basis, atom_d) + strip->first_d,
        .n_d = strip->n_d,
        .same = atom_c == atom_d,
        .place = strips->n,
    };
    double *to = strips->value + strips->n;
    for (size_t rs = 0; rs < n_bra; rs++)
        for (size_t c = 0; c < n_c; c++, to += n_d) {
            const double *from = strip->value + (c * n_bra + rs) * n_d;
            /* more than n_d numbers are overwritten later, or lie after the end */
            for (size_t d = 0; d < n_d; d += STEP) memcpy(to + d, from + d, STEP * sizeof *to);
        }
    strips->n += n_bra * n_c * n_d;
}

void hf_mp2_strips_replace(struct hf_mp2_strips *strips, size_t rs, int end, const double *matrix,
                           size_t length)
{
    for (int i = 0; i < strips->n_kept; i++) {
        const struct hf_mp2_kept *kept = &strips->kept[i];
        const size_t n_c = (size_t)kept->n_c, n_d = (size_t)kept->n_d;
        const size_t c = (size_t)kept->first_c, d = (size_t)kept->first_d;
        double *to = strips->value + kept->place + rs * n_c * n_d;
        if (kept->first_c >= end || kept->first_d >= end) continue;
        const bool turned = c < d && !kept->same;
        const double *from = matrix + (turned ? d * length + c : c * length + d);
        const size_t step_c = turned ? 1 : length, step_d = turned ? length : 1;
        for (size_t k = 0; k < n_c; k++, from += step_c)
            for (size_t l = 0; l < n_d; l++) *to++ = from[l * step_d];
    }
}

/* ---- Planes ---------------------------------------------------------------------------------- */

/** Numbers [m][n] of a strip: value[m * step_m + n * step_n]. */
struct source {
    const double *value;
    size_t step_m, step_n;
    int first_m, n_m, first_n, n_n;
};

static inline void copy(double *to, const double *from, int n, size_t step)
{
    int i = 0;
    if (step == 1)
        for (; i + 2 <= n; i += 2) memcpy(to + i, from + i, 2 * sizeof *to);
    for (; i < n; i++) to[i] = from[(size_t)i * step];
}

/** Writes numbers to their places [m][n]. If C is D they are added; the second time without pairs of functions of one
 *  shell. */
static inline void write(const struct hf_mp2_panel *panel, const struct source *from, bool same,
                         bool second, double *plane)
{
    for (int begin = from->first_n, end; begin < from->first_n + from->n_n; begin = end) {
        const int b = begin / WIDTH;
        const struct hf_mp2_panel_block *block = &panel->block[b];
        const int *index = panel->index + (size_t)b * (size_t)panel->n + from->first_m;
        double *columns = plane + block->place + (size_t)(begin - b * WIDTH);
        end = least(from->first_n + from->n_n, (b + 1) * WIDTH);
        for (int m = 0; m < from->n_m; m++) {
            if (index[m] < 0) continue;
            double *to = columns + (size_t)index[m] * (size_t)block->width;
            const double *value = from->value + (size_t)m * from->step_m +
                                  (size_t)(begin - from->first_n) * from->step_n;
            if (!same)
                copy(to, value, end - begin, from->step_n);
            else
                for (int n = begin; n < end; n++)
                    if (!second || panel->shell_of[n] != panel->shell_of[from->first_m + m])
                        to[n - begin] += value[(size_t)(n - begin) * from->step_n];
        }
    }
}

/** Prefetches the numbers of a strip for one rs. */
static inline void prefetch(const struct hf_mp2_kept *kept, const struct hf_mp2_strips *strips,
                            size_t rs)
{
    const size_t n = (size_t)kept->n_c * (size_t)kept->n_d;
    const double *value = strips->value + kept->place + rs * n;
    for (size_t k = 0; k < n; k += STEP) __builtin_prefetch(value + k);
}

void hf_mp2_panel_fill(const struct hf_mp2_panel *panel, const struct hf_mp2_strips *strips,
                       size_t rs, double *plane)
{
    memset(plane, 0, panel->plane * sizeof *plane);
    for (int i = 0; i < strips->n_kept; i++) {
        const struct hf_mp2_kept *kept = &strips->kept[i];
        const size_t n_c = (size_t)kept->n_c, n_d = (size_t)kept->n_d;
        const double *value = strips->value + kept->place + rs * n_c * n_d;
        if (i + 1 < strips->n_kept) prefetch(kept + 1, strips, rs);
        const struct source row = {value,     n_d,           1,        kept->first_c,
                                   kept->n_c, kept->first_d, kept->n_d};
        const struct source column = {value,         1,        n_d, kept->first_d, kept->n_d,
                                      kept->first_c, kept->n_c};
        if (kept->same) {
            write(panel, &row, true, false, plane);
            write(panel, &column, true, true, plane);
        } else {
            write(panel, &row, false, false, plane);
            write(panel, &column, false, false, plane);
        }
    }
}

/* ---- First quarter --------------------------------------------------------------------------- */

void hf_mp2_panel_quarter(const struct hf_mp2_panel *panel, int spin, const double *plane,
                          size_t length, const double *row[], double *half)
{
    for (int b = 0; b < panel->n_block; b++) {
        const struct hf_mp2_panel_block *block = &panel->block[b];
        for (int k = 0; k < block->n_row; k++)
            row[k] = plane + block->place + (size_t)k * (size_t)block->width;
        panel->mp2->multiply(&(struct hf_product){.n_row = panel->n_i[spin],
                                                  .n_inner = block->n_row,
                                                  .n_column = (size_t)block->width,
                                                  .left = block->packed[spin],
                                                  .right = row,
                                                  .to = half + (size_t)(b * WIDTH),
                                                  .to_step = length});
    }
}
