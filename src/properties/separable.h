/* Sums of products of functions of x, of y and of z over boxes of a grid. */
#ifndef HF_SEPARABLE_H
#define HF_SEPARABLE_H

#include "base/arena.h"
#include "hf/units.h"
#include "properties/spatial_grid.h"

#include <stdbool.h>

enum { HF_MAX_POWER = 2 * HF_MAX_L };

/** Planes of a grid that are being filled. */
struct hf_planes {
    const struct hf_grid *grid;
    int first, n;  /**< planes first .. first+n-1 */
    double *value; /**< [n][grid->n[1]][grid->n[2]] */
};

/** Tables of the factors of one term at the points of a box: factor[d][t][i] at point begin[d] + i. */
struct hf_separable {
    int begin[3], end[3];
    int room;              /**< points in a row of the tables */
    double *factor[3];     /**< [HF_MAX_POWER + 1][room] each */
    struct hf_arena arena; /**< has these; the caller releases it */
};

/** Room for every box of the grid. False: no memory. */
bool hf_separable_init(const struct hf_grid *grid, struct hf_separable *separable);

/** The box of points within `radius` of a place in each direction, cut to the planes. False: it has
 *  no points. */
bool hf_separable_box(const struct hf_planes *planes, const double place[3], double radius,
                      struct hf_separable *separable);

/** Means over the cells of the grid of (d/dP)^t exp(-exponent (x - P)^2), t <= order, in each
 *  direction of the box. */
void hf_separable_hermite_means(const struct hf_grid *grid, const double centre[3], double exponent,
                                int order, struct hf_separable *separable);

/** x^t exp(-exponent x^2) at the points, x from the centre. */
void hf_separable_powers(const struct hf_grid *grid, const double centre[3], double exponent,
                         int order, struct hf_separable *separable);

/** Adds sum_tuv coefficient[hf_hermite_index(t,u,v)] X_t Y_u Z_v, t + u + v <= order. */
void hf_separable_add(const struct hf_separable *separable, int order, const double coefficient[],
                      const struct hf_planes *planes);

#endif
