/* Gaussians on a grid: their factors in x, y and z are tabulated, and points cost a few multiplications. */
#include "separable.h"

#include "one_electron/hermite.h"

#include <math.h>
#include <string.h>

bool hf_separable_init(const struct hf_grid *grid, struct hf_separable *separable)
{
    *separable = (struct hf_separable){.arena = {.label = "tables of a grid"}};
    for (int d = 0; d < 3; d++)
        if (grid->n[d] > separable->room) separable->room = grid->n[d];
    for (int d = 0; d < 3; d++)
        HF_TAKE(&separable->arena, separable->factor[d],
                (HF_MAX_POWER + 1) * (size_t)separable->room);
    return !separable->arena.failed;
}

bool hf_separable_box(const struct hf_planes *planes, const double place[3], double radius,
                      struct hf_separable *separable)
{
    const struct hf_grid *grid = planes->grid;
    bool some = true;
    for (int d = 0; d < 3; d++) {
        const double least = d == 0 ? planes->first : 0;
        const double most = d == 0 ? planes->first + planes->n : grid->n[d];
        const double at = (place[d] - grid->origin[d]) / grid->spacing;
        const double reach = radius / grid->spacing + 0.5; /* cells reach half a spacing further */
        separable->begin[d] = (int)fmax(least, fmin(most, ceil(at - reach)));
        separable->end[d] = (int)fmax(least, fmin(most, floor(at + reach) + 1.0));
        some = some && separable->begin[d] < separable->end[d];
    }
    return some;
}

/** Row t of direction d. */
static double *row_of(const struct hf_separable *separable, int d, int t)
{
    return separable->factor[d] + (size_t)t * (size_t)separable->room;
}

/** (d/dP)^t exp(-p x^2) for t <= order at x = place - P: Hermite's polynomials by their recurrence. */
static void hermite_functions(double p, double x, int order, double value[])
{
    value[0] = exp(-p * x * x);
    if (order > 0) value[1] = 2.0 * p * x * value[0];
    for (int t = 1; t < order; t++) value[t + 1] = 2.0 * p * (x * value[t] - t * value[t - 1]);
}

void hf_separable_hermite_means(const struct hf_grid *grid, const double centre[3], double exponent,
                                int order, struct hf_separable *separable)
{
    const double h = grid->spacing, root = sqrt(exponent),
                 half_width = 0.5 * sqrt(acos(-1.0)) / root;
    for (int d = 0; d < 3; d++) {
        double below[HF_MAX_POWER + 1], above[HF_MAX_POWER + 1];
        double x = grid->origin[d] + (separable->begin[d] - 0.5) * h - centre[d];
        hermite_functions(exponent, x, order, below);
        for (int i = 0; i < separable->end[d] - separable->begin[d]; i++) {
            const double next = x + h;
            hermite_functions(exponent, next, order, above);
            /* of erf the complement where both ends are on one side: no digits are lost */
            const double part = x > 0.0      ? erfc(root * x) - erfc(root * next)
                                : next < 0.0 ? erfc(-root * next) - erfc(-root * x)
                                             : erf(root * next) - erf(root * x);
            row_of(separable, d, 0)[i] = half_width * part / h;
            for (int t = 1; t <= order; t++) /* d/dP is -d/dx */
                row_of(separable, d, t)[i] = (below[t - 1] - above[t - 1]) / h;
            memcpy(below, above, sizeof below);
            x = next;
        }
    }
}

void hf_separable_powers(const struct hf_grid *grid, const double centre[3], double exponent,
                         int order, struct hf_separable *separable)
{
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < separable->end[d] - separable->begin[d]; i++) {
            const double x =
                grid->origin[d] + (separable->begin[d] + i) * grid->spacing - centre[d];
            double value = exp(-exponent * x * x);
            for (int t = 0; t <= order; t++) {
                row_of(separable, d, t)[i] = value;
                value *= x;
            }
        }
    }
}

/** Adds sum_uv b_uv Y_u Z_v to the lines of a plane. */
static void add_plane(const struct hf_separable *separable, int order,
                      double b[HF_MAX_POWER + 1][HF_MAX_POWER + 1], double *plane, int n_z)
{
    const int length = separable->end[2] - separable->begin[2];
    for (int j = 0; j < separable->end[1] - separable->begin[1]; j++) {
        double *line =
            plane + (size_t)(separable->begin[1] + j) * (size_t)n_z + separable->begin[2];
        for (int v = 0; v <= order; v++) {
            const double *z = row_of(separable, 2, v);
            double c = 0.0;
            for (int u = 0; u + v <= order; u++) c += b[u][v] * row_of(separable, 1, u)[j];
            for (int k = 0; k < length; k++) line[k] += c * z[k];
        }
    }
}

void hf_separable_add(const struct hf_separable *separable, int order, const double coefficient[],
                      const struct hf_planes *planes)
{
    const struct hf_grid *grid = planes->grid;
    const size_t area = (size_t)grid->n[1] * (size_t)grid->n[2];
    for (int i = 0; i < separable->end[0] - separable->begin[0]; i++) {
        double b[HF_MAX_POWER + 1][HF_MAX_POWER + 1];
        for (int u = 0; u <= order; u++) {
            for (int v = 0; u + v <= order; v++) {
                b[u][v] = 0.0;
                for (int t = 0; t + u + v <= order; t++)
                    b[u][v] += coefficient[hf_hermite_index(t, u, v)] * row_of(separable, 0, t)[i];
            }
        }
        add_plane(separable, order, b,
                  planes->value + (size_t)(separable->begin[0] - planes->first + i) * area,
                  grid->n[2]);
    }
}
