/* Integrals of a task of two shells in a panel; see shell_panel.h. */
#include "work/shell_panel.h"

#include "hf/basis.h"
#include "linalg/matrix_product.h"

#include <string.h>

void hf_shell_panel_init(struct hf_arena *arena, const struct hf_shell_pairs *pairs,
                         struct hf_shell_panel *panel)
{
    const size_t n = (size_t)pairs->basis->n_function;
    const size_t most_bra = (size_t)hf_most_pair_functions(pairs->n_class, pairs->class_of);
    const size_t most = (size_t)hf_most_functions_of_shell(pairs->basis);
    *panel = (struct hf_shell_panel){.pairs = pairs};
    HF_TAKE(arena, panel->panel, hf_packed_size((int)(most_bra * most), (int)n));
    HF_TAKE(arena, panel->row, n);
    HF_TAKE(arena, panel->column, n);
    HF_TAKE(arena, panel->of_bra, most_bra);
    HF_TAKE(arena, panel->place, most * most * most);
}

/* ---- A task ---------------------------------------------------------------------------------- */

/** Numbers the functions of shells that have a pair with `shell`, in their order; the others are -1. Returns
 *  how many have a number. */
static int number_partners(const struct hf_shell_panel *own, const struct hf_worker *worker,
                           int shell, bool (*matters)(const void *data, int64_t pair),
                           const void *data, int number[])
{
    const struct hf_basis *basis = own->pairs->basis;
    int64_t n_pair;
    const int64_t *list = hf_work_pairs_of_shell(worker, shell, &n_pair);
    int n = 0;
    for (int f = 0; f < basis->n_function; f++) number[f] = -1;
    for (int64_t k = 0; k < n_pair; k++) {
        const struct hf_shell_pair *pair = &own->pairs->pair[list[k]];
        const struct hf_shell *other = &basis->shell[pair->a == shell ? pair->b : pair->a];
        if (matters != NULL && !matters(data, list[k])) continue;
        for (int i = 0; i < other->n_function; i++) number[other->first_function + i] = 0;
    }
    for (int f = 0; f < basis->n_function; f++)
        if (number[f] >= 0) number[f] = n++;
    return n;
}

void hf_shell_panel_begin_task(struct hf_shell_panel *own, const struct hf_worker *worker,
                               int64_t task, bool (*matters)(const void *data, int64_t pair),
                               const void *data)
{
    const struct hf_basis *basis = own->pairs->basis;
    hf_work_shells_of_task(worker, task, &own->m, &own->n);
    own->n_m = basis->shell[own->m].n_function;
    own->n_n = basis->shell[own->n].n_function;
    own->n_row = number_partners(own, worker, own->m, matters, data, own->row);
    own->n_column = number_partners(own, worker, own->n, matters, data, own->column);
    own->bra = -1;
    const int n_place = hf_most_functions_of_shell(basis) * own->n_m * own->n_n;
    for (int row = 0; row < n_place; row++)
        own->place[row] =
            (size_t)(row / HF_PRODUCT_GROUP) * HF_PRODUCT_GROUP * (size_t)own->n_column +
            (size_t)(row % HF_PRODUCT_GROUP);
}

/* ---- A bra ----------------------------------------------------------------------------------- */

const struct hf_shell *hf_shell_panel_other(const struct hf_shell_panel *own)
{
    const struct hf_shell_pair *pair = &own->pairs->pair[own->bra];
    return &own->pairs->basis->shell[pair->a == own->m ? pair->b : pair->a];
}

void hf_shell_panel_begin_bra(struct hf_shell_panel *own, int64_t bra)
{
    const struct hf_shell_pairs *pairs = own->pairs;
    const struct hf_shell_pair *pair = &pairs->pair[bra];
    const int n_b = pairs->basis->shell[pair->b].n_function;
    const int n_bra = pairs->class_of[pair->pair_class].n_function;
    const bool first = pair->a == own->m;
    own->bra = bra;
    for (int ab = 0; ab < n_bra; ab++) {
        const int m = first ? ab / n_b : ab % n_b, r = first ? ab % n_b : ab / n_b;
        own->of_bra[ab] = (size_t)(r * own->n_m + m) * (size_t)own->n_n;
    }
    memset(own->panel, 0, hf_packed_size(n_bra * own->n_n, own->n_column) * sizeof *own->panel);
}

/** Adds integrals value[n_d] of a function c and functions d from `first_d` on: either c or some of d belong to
 *  N. If both are of one site, the strip has them in one order, and zeros in the reverse order. */
static void take_row(const struct hf_shell_panel *own, int c, int first_d, int n_d, size_t row,
                     const double value[])
{
    const int first_n = own->pairs->basis->shell[own->n].first_function;
    if (c >= first_n && c < first_n + own->n_n) {
        double *to = own->panel + own->place[row + (size_t)(c - first_n)];
        for (int k = 0; k < n_d; k++) {
            const int column = own->column[first_d + k];
            if (column >= 0) to[(size_t)column * HF_PRODUCT_GROUP] += value[k];
        }
        return;
    }
    const int column = own->column[c], low = first_n > first_d ? first_n : first_d;
    const int high = first_n + own->n_n < first_d + n_d ? first_n + own->n_n : first_d + n_d;
    for (int d = low; d < high && column >= 0; d++)
        own->panel[own->place[row + (size_t)(d - first_n)] + (size_t)column * HF_PRODUCT_GROUP] +=
            value[d - first_d];
}

void hf_shell_panel_take(struct hf_shell_panel *own, const struct hf_strip *strip)
{
    const struct hf_basis *basis = own->pairs->basis;
    const struct hf_part_ket *kets = &own->part->ket[strip->place];
    const int n_bra = own->pairs->class_of[strip->bra->pair_class].n_function;
    const int first_c = hf_atom_first_function(basis, kets->atom_c) + strip->first_c;
    const int first_d = hf_atom_first_function(basis, kets->atom_d) + strip->first_d;
    const double *value = strip->value;
    for (int c = first_c; c < first_c + strip->n_c; c++)
        for (int ab = 0; ab < n_bra; ab++, value += strip->n_d)
            take_row(own, c, first_d, strip->n_d, own->of_bra[ab], value);
}
