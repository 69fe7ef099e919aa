/* R_tuv of a row of charges; compiled once per instruction set (see meson.build), with HF_CHARGE_ROW
 * naming the function. */
#include "boys/boys_lanes.h"
#include "hermite_charges.h"

#include <string.h>

/** Vectors that a row takes. */
enum { N_VECTOR = HF_CHARGE_LANES / HF_WIDTH };

/** start[n][lane] += factor (-2p)^n F_n(p square). */
static void add_start(const struct hf_boys *boys, double factor, double p, double square, int total,
                      int lane, double start[HF_BOYS_MAX_ORDER + 1][HF_CHARGE_LANES])
{
    double value[HF_BOYS_MAX_ORDER + 1];
    hf_boys_evaluate(boys, total, p * square, value);
    for (int n = 0; n <= total; n++) {
        start[n][lane] += factor * value[n];
        factor *= -2.0 * p;
    }
}

/** From some distance on a charge with a width is as good as a point: where F_n equals its asymptote to
 *  the last bit, w drops out. The exponent from which on it does. */
static double sharp_exponent(const struct hf_boys *boys, double p, double square, int total)
{
    const double limit = boys->limit[total], excess = p * square - limit;
    return excess > 0.0 ? p * limit / excess : INFINITY;
}

/** start[n][lane], the integrals of t = u = v = 0, of the charges of one centre, one by one; those that
 *  are as good as points are one. */
static void start_lane(const struct hf_hermite_charges *charges, size_t centre, double p,
                       double square, int total, int lane,
                       double start[HF_BOYS_MAX_ORDER + 1][HF_CHARGE_LANES])
{
    const double sharp = sharp_exponent(charges->boys, p, square, total);
    double points = 0.0;
    for (int i = charges->first[centre]; i < charges->first[centre + 1]; i++) {
        const double w = charges->exponent[i];
        if (w >= sharp)
            points += charges->charge[i];
        else
            add_start(charges->boys, charges->charge[i] * sqrt(w / (p + w)), p * w / (p + w),
                      square, total, lane, start);
    }
    if (points != 0.0) add_start(charges->boys, points, p, square, total, lane, start);
}

/** The same for charges that are all as good as points, side by side. `total` is a constant where it is
 *  low. */
static inline __attribute__((always_inline)) void
start_points(const struct hf_hermite_charges *charges, size_t at, double p, lanes square, int total,
             double start[HF_BOYS_MAX_ORDER + 1][HF_CHARGE_LANES])
{
    lanes value[HF_BOYS_MAX_ORDER + 1];
    const struct boys_argument argument = {.T = p * square, .factor = load(charges->whole + at)};
    boys_lanes(charges->boys, total, argument, value);
    double factor = 1.0;
    for (int n = 0; n <= total; n++) {
        *(lanes *)(void *)&start[n][at % HF_CHARGE_LANES] = factor * value[n];
        factor *= -2.0 * p;
    }
}

/** Squared distances of the centre from the charges of a vector, c along each axis. */
static inline lanes row_square(const struct hf_hermite_charges *charges, size_t at,
                               const double centre[3], lanes c[3])
{
    for (int d = 0; d < 3; d++) c[d] = centre[d] - load(charges->position[d] + at);
    return c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
}

/** Whether all charges of a vector are as good as points. */
static bool all_are_points(const struct hf_hermite_charges *charges, size_t at, double p,
                           lanes square, int total)
{
    if (!charges->has_width) return true;
    for (size_t k = 0; k < HF_WIDTH; k++) {
        const double sharp = sharp_exponent(charges->boys, p, square[k], total);
        for (int i = charges->first[at + k]; i < charges->first[at + k + 1]; i++)
            if (charges->exponent[i] < sharp) return false;
    }
    return true;
}

/** Where the recursion starts, for the charges of one vector. */
static void start_recursion(const struct hf_hermite_charges *charges, size_t at, double p,
                            lanes square, int total,
                            double start[HF_BOYS_MAX_ORDER + 1][HF_CHARGE_LANES])
{
    if (!all_are_points(charges, at, p, square, total)) {
        for (int n = 0; n <= total; n++)
            memset(&start[n][at % HF_CHARGE_LANES], 0, HF_WIDTH * sizeof start[n][0]);
        for (int k = 0; k < HF_WIDTH; k++)
            start_lane(charges, at + (size_t)k, p, square[k], total,
                       (int)(at % HF_CHARGE_LANES) + k, start);
        return;
    }
    switch (total) {
    case 0: start_points(charges, at, p, square, 0, start); break;
    case 1: start_points(charges, at, p, square, 1, start); break;
    case 2: start_points(charges, at, p, square, 2, start); break;
    case 3: start_points(charges, at, p, square, 3, start); break;
    case 4: start_points(charges, at, p, square, 4, start); break;
    default: start_points(charges, at, p, square, total, start);
    }
}

/** From order n+1 to n in place: what is needed of lower totals is overwritten last. */
void HF_CHARGE_ROW(struct hf_hermite_charges *charges, int row, double p, const double centre[3],
                   int total)
{
    lanes c[3][N_VECTOR];
    _Alignas(64) double start[HF_BOYS_MAX_ORDER + 1][HF_CHARGE_LANES];
    lanes(*r)[N_VECTOR] = (void *)charges->r, (*sum)[N_VECTOR] = (void *)charges->lane_sum;
    for (int v = 0; v < N_VECTOR; v++) {
        lanes along[3];
        const size_t at = (size_t)row * HF_CHARGE_LANES + (size_t)v * HF_WIDTH;
        start_recursion(charges, at, p, row_square(charges, at, centre, along), total, start);
        for (int d = 0; d < 3; d++) c[d][v] = along[d];
    }
    for (int n = total; n >= 0; n--) {
        for (int i = hf_hermite_index(0, 0, total - n); i > 0; i--) {
            const struct hf_hermite_step *step = &charges->step[i];
            for (int v = 0; v < N_VECTOR; v++)
                r[i][v] =
                    c[step->axis][v] * r[step->parent][v] + step->factor * r[step->grandparent][v];
        }
        for (int v = 0; v < N_VECTOR; v++) r[0][v] = load(&start[n][v * HF_WIDTH]);
    }
    for (int i = 0; i <= hf_hermite_index(0, 0, total); i++)
        for (int v = 0; v < N_VECTOR; v++) sum[i][v] += r[i][v];
}
