/* Trees of products: halves of halves along the longest side, until they are small. */
#include "tree.h"

#include <math.h>
#include <stdlib.h>

/** Exponents from which on a product is of the next class: extents fall by a half from one to the
 *  next. Nuclei are as far as products get near each other, so that what is still sharper is one class. */
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

/** -1, 0 or 1 as x is before, at or behind y. */
static int compare(double x, double y)
{
    return (x > y) - (x < y);
}

/** What is left to decide where two products are alike: primitives have numbers of their own. */
static int by_primitive(const struct hf_product_point *x, const struct hf_product_point *y)
{
    return (x->primitive > y->primitive) - (x->primitive < y->primitive);
}

static int by_class(const void *left, const void *right)
{
    const struct hf_product_point *x = left, *y = right;
    const int order = class_of(x->exponent) - class_of(y->exponent);
    return order != 0 ? order : by_primitive(x, y);
}

static int by_x(const void *left, const void *right)
{
    const struct hf_product_point *x = left, *y = right;
    const int order = compare(x->centre[0], y->centre[0]);
    return order != 0 ? order : by_primitive(x, y);
}

static int by_y(const void *left, const void *right)
{
    const struct hf_product_point *x = left, *y = right;
    const int order = compare(x->centre[1], y->centre[1]);
    return order != 0 ? order : by_primitive(x, y);
}

static int by_z(const void *left, const void *right)
{
    const struct hf_product_point *x = left, *y = right;
    const int order = compare(x->centre[2], y->centre[2]);
    return order != 0 ? order : by_primitive(x, y);
}

static int by_order_and_bound(const void *left, const void *right)
{
    const struct hf_product_point *x = left, *y = right;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    const int order = compare(y->bound, x->bound);
    return order != 0 ? order : by_primitive(x, y);
}

/** Puts the products that come first in that order before `middle`, all others behind: Hoare's
 *  selection, Commun. ACM 4, 321 (1961). */
static void divide(struct hf_product_point point[], int64_t begin, int64_t middle, int64_t end,
                   int (*order)(const void *, const void *))
{
    while (end - begin > 1) {
        const struct hf_product_point pivot = point[begin + (end - begin) / 2];
        int64_t i = begin, j = end - 1;
        while (i <= j) {
            while (order(&point[i], &pivot) < 0) i++;
            while (order(&point[j], &pivot) > 0) j--;
            if (i > j) break;
            const struct hf_product_point other = point[i];
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
static int measure(const struct hf_product_point point[], struct hf_product_cell *cell)
{
    double side[3], square = 0.0;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = cell->begin; i < cell->end; i++) {
            low = fmin(low, point[i].centre[d]);
            high = fmax(high, point[i].centre[d]);
        }
        cell->centre[d] = 0.5 * (low + high);
        side[d] = high - low;
    }
    cell->exponent = INFINITY;
    cell->order = 0;
    for (int64_t i = cell->begin; i < cell->end; i++) {
        double here = 0.0;
        for (int d = 0; d < 3; d++) {
            const double apart = point[i].centre[d] - cell->centre[d];
            here += apart * apart;
        }
        square = fmax(square, here);
        cell->exponent = fmin(cell->exponent, point[i].exponent);
        if (point[i].order > cell->order) cell->order = point[i].order;
    }
    cell->radius = sqrt(square);
    const int longer = side[1] > side[0] ? 1 : 0;
    return side[2] > side[longer] ? 2 : longer;
}

/** A cell that is small enough becomes the next leaf. */
static void make_leaf(struct hf_product_point point[], struct hf_product_cell *cell,
                      struct hf_product_tree *tree)
{
    struct hf_product_leaf *leaf = &tree->leaf[tree->n_leaf];
    int64_t i = cell->begin;
    qsort(point + cell->begin, (size_t)(cell->end - cell->begin), sizeof *point,
          by_order_and_bound);
    for (int order = 0; order <= HF_MAX_PAIR_L + 1; order++) {
        while (i < cell->end && point[i].order < order) i++;
        leaf->first_of_order[order] = i;
    }
    leaf->cell = (int)(cell - tree->cell);
    cell->leaf = tree->n_leaf++;
}

/** The tree of products begin to end; no deeper than their number has digits in binary. */
static void make_cells(struct hf_product_point point[], int64_t begin, int64_t end, int parent,
                       struct hf_product_tree *tree)
{
    static int (*const along[3])(const void *, const void *) = {by_x, by_y, by_z};
    const int number = tree->n_cell++;
    struct hf_product_cell *cell = &tree->cell[number];
    *cell = (struct hf_product_cell){.begin = begin,
                                     .end = end,
                                     .parent = parent,
                                     .level = parent < 0 ? 0 : tree->cell[parent].level + 1,
                                     .leaf = -1};
    const int longest = measure(point, cell);
    if (end - begin <= HF_LEAF_MOST) {
        make_leaf(point, cell, tree);
    } else {
        const int64_t middle = begin + (end - begin) / 2;
        divide(point, begin, middle, end, along[longest]);
        make_cells(point, begin, middle, number, tree);
        make_cells(point, middle, end, number, tree);
    }
    cell->next = tree->n_cell;
}

void hf_make_tree(int64_t n, struct hf_product_point point[], struct hf_product_tree *tree)
{
    tree->n_leaf = tree->n_cell = 0;
    qsort(point, (size_t)n, sizeof *point, by_class);
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin;
             end < n && class_of(point[end].exponent) == class_of(point[begin].exponent);)
            end++;
        make_cells(point, begin, end, -1, tree);
    }
}
