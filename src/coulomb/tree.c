/* Trees of products; see tree.h. */
#include "tree.h"

#include <stdlib.h>

/** Lowest exponents of the classes: extents fall by a half from class to class. All sharper products are one
 *  class, since their distances are at least those of nuclei. */
static const double CLASS_FROM[] = {0.0, 1.0, 4.0};
enum { N_CLASS = sizeof CLASS_FROM / sizeof *CLASS_FROM };

int64_t hf_most_leaves(int64_t n)
{
    return n / (HF_LEAF_MOST / 2) + N_CLASS;
}

int64_t hf_most_cells(int64_t n)
{
    return 2 * hf_most_leaves(n);
}

static int class_of(double exponent)
{
    int class = 0;
    while (class + 1 < N_CLASS && exponent >= CLASS_FROM[class + 1]) class ++;
    return class;
}

/** Puts the points of a class, all from `begin` on being of this or later ones, before the others; where
 *  those begin. */
static int64_t take_class(struct hf_cell_point point[], int64_t begin, int64_t end, int class)
{
    int64_t next = begin;
    for (int64_t i = begin; i < end; i++) {
        if (class_of(point[i].exponent) != class) continue;
        const struct hf_cell_point other = point[next];
        point[next++] = point[i];
        point[i] = other;
    }
    return next;
}

static int by_order_and_bound(const void *left, const void *right)
{
    const struct hf_cell_point *x = left, *y = right;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    if (x->bound != y->bound) return x->bound > y->bound ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void hf_make_tree(int64_t n, struct hf_cell_point point[], struct hf_cell_tree *tree)
{
    tree->leaf_most = HF_LEAF_MOST;
    tree->row = 1;
    tree->n_leaf = tree->n_cell = 0;
    int64_t begin = 0;
    for (int class = 0; class < N_CLASS; class ++) {
        const int64_t end = take_class(point, begin, n, class);
        if (end > begin) hf_add_cells(point, begin, end, tree);
        begin = end;
    }
    for (int i = 0; i < tree->n_cell; i++) {
        const struct hf_cell *cell = &tree->cell[i];
        if (cell->leaf >= 0 && cell->begin < tree->to && cell->end > tree->from)
            qsort(point + cell->begin, (size_t)(cell->end - cell->begin), sizeof *point,
                  by_order_and_bound);
    }
}

void hf_make_leaves(const struct hf_cell_point point[], const struct hf_cell_tree *tree,
                    struct hf_product_leaf leaf[])
{
    for (int number = 0; number < tree->n_cell; number++) {
        const struct hf_cell *cell = &tree->cell[number];
        int64_t i = cell->begin;
        if (cell->leaf < 0) continue;
        struct hf_product_leaf *own = &leaf[cell->leaf];
        for (int order = 0; order <= HF_MAX_PAIR_L + 1; order++) {
            while (i < cell->end && point[i].order < order) i++;
            own->first_of_order[order] = i;
        }
        own->cell = number;
    }
}
