/* Leaves of products: halves of halves along the longest side, until they are small. */
#include "leaves.h"

#include <math.h>
#include <stdlib.h>

int64_t hf_most_leaves(int64_t n)
{
    return n / (HF_LEAF_MOST / 2) + 1;
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

/** The box around n points. */
static void find_box(int64_t n, const struct hf_product_point point[], struct hf_product_leaf *box)
{
    for (int d = 0; d < 3; d++) {
        box->low[d] = INFINITY;
        box->high[d] = -INFINITY;
    }
    box->smallest_exponent = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        box->smallest_exponent = fmin(box->smallest_exponent, point[i].exponent);
        for (int d = 0; d < 3; d++) {
            box->low[d] = fmin(box->low[d], point[i].centre[d]);
            box->high[d] = fmax(box->high[d], point[i].centre[d]);
        }
    }
}

/** Where orders begin among sorted products, of which the first is number `first` of all. */
static void find_orders(int64_t first, int64_t n, const struct hf_product_point point[],
                        struct hf_product_leaf *leaf)
{
    int64_t i = 0;
    for (int order = 0; order <= HF_MAX_PAIR_L + 1; order++) {
        while (i < n && point[i].order < order) i++;
        leaf->first_of_order[order] = first + i;
    }
}

int hf_make_leaves(int64_t n, struct hf_product_point point[], struct hf_product_leaf leaf[])
{
    static int (*const along[3])(const void *, const void *) = {by_x, by_y, by_z};
    enum { DEEPEST = 64 };
    int64_t end[DEEPEST], begin = 0; /* ends of the ranges that wait, the nearest on top */
    int n_waiting = 0, n_leaf = 0;
    if (n > 0) end[n_waiting++] = n;
    while (n_waiting > 0) {
        const int64_t here = end[n_waiting - 1] - begin;
        struct hf_product_leaf box;
        find_box(here, point + begin, &box);
        if (here > HF_LEAF_MOST) {
            int longest = 0;
            for (int d = 1; d < 3; d++)
                if (box.high[d] - box.low[d] > box.high[longest] - box.low[longest]) longest = d;
            qsort(point + begin, (size_t)here, sizeof *point, along[longest]);
            end[n_waiting++] = begin + here / 2;
            continue;
        }
        qsort(point + begin, (size_t)here, sizeof *point, by_order_and_bound);
        find_orders(begin, here, point + begin, &box);
        leaf[n_leaf++] = box;
        begin = end[--n_waiting];
    }
    return n_leaf;
}
