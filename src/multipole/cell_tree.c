/* Trees of cells over points; see multipole/cell_tree.h. */
#include "multipole/cell_tree.h"

#include "base/arithmetic.h"

#include <math.h>
#include <stdbool.h>

/** -1, 0 or 1 if x is before, at or behind y along a direction; the number decides between equal places. */
static int compare(const struct hf_cell_point *x, const struct hf_cell_point *y, int along)
{
    const double a = x->centre[along], b = y->centre[along];
    return a != b ? (a > b) - (a < b) : (x->number > y->number) - (x->number < y->number);
}

/** Puts the points that come first along a direction before `middle`, all others behind: Hoare's
 *  selection, Commun. ACM 4, 321 (1961). */
static void divide(struct hf_cell_point point[], int64_t begin, int64_t middle, int64_t end,
                   int along)
{
    while (end - begin > 1) {
        const struct hf_cell_point pivot = point[begin + (end - begin) / 2];
        int64_t i = begin, j = end - 1;
        while (i <= j) {
            while (compare(&point[i], &pivot, along) < 0) i++;
            while (compare(&point[j], &pivot, along) > 0) j--;
            if (i > j) break;
            const struct hf_cell_point other = point[i];
            point[i++] = point[j];
            point[j--] = other;
        }
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

/** Centre, radius, exponent and order of a cell; returns its longest direction. */
static int measure(const struct hf_cell_point point[], struct hf_cell *cell)
{
    double side[3], square = 0.0;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = cell->begin; i < cell->end; i++) {
        for (int d = 0; d < 3; d++) {
            low[d] = hf_smaller(low[d], point[i].centre[d]);
            high[d] = hf_larger(high[d], point[i].centre[d]);
        }
    }
    for (int d = 0; d < 3; d++) {
        cell->centre[d] = 0.5 * (low[d] + high[d]);
        side[d] = high[d] - low[d];
    }
    cell->exponent = INFINITY;
    cell->order = 0;
    for (int64_t i = cell->begin; i < cell->end; i++) {
        square = hf_larger(square, hf_distance_squared(point[i].centre, cell->centre));
        cell->exponent = hf_smaller(cell->exponent, point[i].exponent);
        if (point[i].order > cell->order) cell->order = point[i].order;
    }
    cell->radius = sqrt(square);
    const int longer = side[1] > side[0] ? 1 : 0;
    return side[2] > side[longer] ? 2 : longer;
}

/** A cell and all within it; no deeper than their number has digits in binary. */
static void add_cell(struct hf_cell_point point[], int64_t begin, int64_t end, int parent,
                     struct hf_cell_tree *tree)
{
    const int number = tree->n_cell++;
    struct hf_cell *cell = &tree->cell[number];
    *cell = (struct hf_cell){.begin = begin,
                             .end = end,
                             .parent = parent,
                             .level = parent < 0 ? 0 : tree->cell[parent].level + 1,
                             .leaf = -1};
    const bool wanted = begin < tree->to && end > tree->from;
    const int longest = wanted ? measure(point, cell) : 0;
    if (end - begin <= tree->leaf_most) {
        cell->leaf = tree->n_leaf++;
    } else {
        const int64_t n_row = (end - begin + tree->row - 1) / tree->row;
        const int64_t middle = begin + n_row / 2 * tree->row;
        if (wanted) divide(point, begin, middle, end, longest);
        add_cell(point, begin, middle, number, tree);
        add_cell(point, middle, end, number, tree);
    }
    cell->next = tree->n_cell;
}

void hf_add_cells(struct hf_cell_point point[], int64_t begin, int64_t end,
                  struct hf_cell_tree *tree)
{
    add_cell(point, begin, end, -1, tree);
}

double hf_cell_distance(const struct hf_cell *a, const struct hf_cell *b)
{
    return sqrt(hf_distance_squared(a->centre, b->centre));
}
