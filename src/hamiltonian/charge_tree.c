/* A tree of cells over rows of charge, and the moments of those of many charges. */
#include "far_charges.h"

#include "hf/translation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Rows from which on a conversion of moments takes less time than those of the charges one by one. */
static const int LEAST_ROWS = 64;

static int end_of(const struct hf_charge_places *places, int row)
{
    const int end = row * HF_CHARGE_LANES;
    return end < places->n_place ? end : places->n_place;
}

/** Sphere and strength of a cell whose rows are known. */
static void surround(const struct hf_charge_places *places, struct hf_charge_cell *cell)
{
    const int begin = cell->begin * HF_CHARGE_LANES, end = end_of(places, cell->end);
    double square = 0.0;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = begin; i < end; i++) {
            low = fmin(low, places->position[d][i]);
            high = fmax(high, places->position[d][i]);
        }
        cell->centre[d] = 0.5 * (low + high);
    }
    for (int i = begin; i < end; i++) {
        double here = 0.0;
        for (int d = 0; d < 3; d++) here += pow(places->position[d][i] - cell->centre[d], 2);
        square = fmax(square, here);
    }
    cell->radius = sqrt(square);
    for (int i = places->first[begin]; i < places->first[end]; i++)
        cell->strength += fabs(places->charge[i]);
}

/** Makes the cell of some rows and all within it. */
static void divide(struct hf_charge_tree *tree, int begin, int end)
{
    struct hf_charge_cell *cell = &tree->cell[tree->n_cell++];
    *cell = (struct hf_charge_cell){.begin = begin, .end = end, .moments = -1};
    surround(&tree->places, cell);
    if (end - begin >= LEAST_ROWS) cell->moments = tree->n_moments++;
    if (end - begin > 1) {
        const int middle = begin + (end - begin) / 2;
        divide(tree, begin, middle);
        divide(tree, middle, end);
    }
    cell->next = tree->n_cell;
}

/** Moments of the charges of a cell about its centre. */
static void add_up(const struct hf_translation_kernels *kernels,
                   const struct hf_charge_places *places, const struct hf_charge_cell *cell,
                   double *room, double moments[])
{
    const int width = kernels->width, size = hf_multipole_size(HF_CHARGE_ORDER);
    const int end = end_of(places, cell->end);
    double *to = room, *shift = to + size * width, *charge = shift + 3 * width;
    double *scratch = charge + width;
    memset(to, 0, (size_t)(size * width) * sizeof *to);
    for (int i = cell->begin * HF_CHARGE_LANES; i < end; i += width) {
        for (int lane = 0; lane < width; lane++) {
            const int from = i + lane < end ? i + lane : i;
            charge[lane] = i + lane < end ? places->whole[from] : 0.0;
            for (int d = 0; d < 3; d++)
                shift[d * width + lane] = places->position[d][from] - cell->centre[d];
        }
        kernels->moments(0, HF_CHARGE_ORDER, shift, charge, to, scratch);
    }
    for (int k = 0; k < size; k++) {
        moments[k] = 0.0;
        for (int lane = 0; lane < width; lane++) moments[k] += to[k * width + lane];
    }
}

hf_status hf_charge_tree_init(struct hf_charge_tree *tree, struct hf_charge_places places,
                              struct hf_error *error)
{
    const struct hf_translation_kernels *kernels = hf_translation_choose();
    const int n_row = (places.n_place + HF_CHARGE_LANES - 1) / HF_CHARGE_LANES;
    const size_t size = (size_t)hf_multipole_size(HF_CHARGE_ORDER);
    *tree = (struct hf_charge_tree){.places = places, .exponent = INFINITY};
    tree->cell = calloc(2 * (size_t)n_row, sizeof *tree->cell);
    if (tree->cell == NULL) goto no_memory;
    divide(tree, 0, n_row);
    for (int i = 0; i < places.first[places.n_place]; i++)
        tree->exponent = fmin(tree->exponent, places.exponent[i]);
    if (tree->n_moments > 0) {
        double *room = aligned_alloc(64, (size + 5 + HF_TRANSLATION_SCRATCH) *
                                             (size_t)kernels->width * sizeof *room);
        tree->moments = calloc((size_t)tree->n_moments * size, sizeof *tree->moments);
        const bool made = room != NULL && tree->moments != NULL;
        for (int i = 0; i < tree->n_cell && made; i++)
            if (tree->cell[i].moments >= 0)
                add_up(kernels, &tree->places, &tree->cell[i], room,
                       tree->moments + (size_t)tree->cell[i].moments * size);
        free(room);
        if (!made) goto no_memory;
    }
    return HF_OK;
no_memory:
    hf_charge_tree_done(tree);
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for a tree of %d charges", places.n_place);
}

void hf_charge_tree_done(struct hf_charge_tree *tree)
{
    free(tree->cell);
    free(tree->moments);
    *tree = (struct hf_charge_tree){.n_cell = 0};
}
