/* Projections f_q(r) = integral over directions of S_q times a function, about the centre of a core
 * potential. With the polar axis through the centre of the shell, the Gaussian
 *
 *     exp(-a |r - R|^2) = exp(-a (r - R)^2) exp(-x (1 - cos(theta))),  x = 2 a r R,
 *
 * depends on the polar angle alone, and all else is a polynomial: equidistant points are exact for
 * the azimuth, and Gauss-Legendre points converge quickly for the polar angle, over the part of it
 * where the second factor is above exp(-45). Nothing is expanded about the far centre, so that
 * nothing cancels. */
#include "core_projection.h"

#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

static const double MOST_EXPONENT = 55.0, MOST_POLAR_EXPONENT = 45.0;
static const double WANTED = 1e-14; /* of an integral, hartree */

/** Distances below are none. */
static const double TOUCHING = 1e-9;

/** P_n at x; *slope gets its derivative. */
static double legendre(int n, double x, double *slope)
{
    double before = 1.0, here = x;
    for (int k = 2; k <= n; k++) {
        const double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
        before = here;
        here = next;
    }
    *slope = n * (x * here - before) / (x * x - 1.0);
    return here;
}

void hf_gauss_legendre(int n, double point[], double weight[])
{
    for (int i = 0; i < n; i++) {
        double x = -cos(HF_PI * (i + 0.75) / (n + 0.5)), slope = 1.0;
        for (int step = 0; step < 100; step++) {
            const double change = legendre(n, x, &slope) / slope;
            x -= change;
            if (fabs(change) < 1e-15) break;
        }
        legendre(n, x, &slope);
        point[i] = x;
        weight[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
}

double hf_core_distance(const struct hf_shell *shell, const double centre[3])
{
    return sqrt(hf_distance_squared(shell->centre_bohr, centre));
}

double hf_core_reach(const struct hf_core_potential *potential, const struct hf_shell *shell,
                     int primitive, double distance)
{
    const double a = shell->exponent[primitive];
    double most = 0.0;
    for (int k = 0; k < potential->n_term; k++) {
        const struct hf_core_term *term = &potential->term[k];
        const double g = term->exponent;
        const double value = fabs(term->coefficient) * (1.0 + g / (1.0 + a)) *
                             exp(-a * g / (a + g) * distance * distance);
        most = fmax(most, value);
    }
    return most * fabs(shell->coefficient[primitive]) * pow(1.0 + distance, shell->l);
}

double hf_core_step(const struct hf_basis *basis, const struct hf_core_potential *potential,
                    const double centre[3])
{
    double step = 0.1; /* at the centre: exp(-pi^2 / (2 step)) of what there is */
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        const double distance = hf_core_distance(shell, centre);
        if (distance < TOUCHING) continue;
        for (int i = 0; i < shell->n_primitive; i++) {
            const double a = shell->exponent[i];
            const double volume = fmin(1.0, pow(3.0 / a, 1.5 + 0.5 * shell->l));
            const double digits =
                log(10.0 * hf_core_reach(potential, shell, i, distance) * volume / WANTED);
            if (!(digits > 0.0)) continue;
            for (int k = 0; k < potential->n_term; k++) {
                const double c = 2.0 * a + potential->term[k].exponent;
                const double peak = 2.0 * a * distance / c;
                step = fmin(step, HF_PI / (peak * sqrt(c * digits)));
            }
        }
    }
    return step;
}

/** Where the points end: from where r^2 dr times potential and functions is nothing to where the
 *  potential is. */
static void find_ends(const struct hf_basis *basis, const struct hf_core_potential *potential,
                      const double centre[3], double *first, double *last)
{
    double sharpest = 0.0, g_most = 0.0;
    int least_power = 0;
    *last = 0.0;
    for (int k = 0; k < potential->n_term; k++) {
        const struct hf_core_term *term = &potential->term[k];
        const double range = log(fmax(1.0, fabs(term->coefficient))) + 48.0;
        *last = fmax(*last, sqrt(range / term->exponent));
        g_most = fmax(g_most, term->exponent);
        if (term->power < least_power) least_power = term->power;
    }
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        if (hf_core_distance(shell, centre) > TOUCHING) continue;
        for (int i = 0; i < shell->n_primitive; i++)
            sharpest = fmax(sharpest, 2.0 * shell->exponent[i]);
    }
    *first = pow(1e-18, 1.0 / (3 + least_power)) / sqrt(g_most + sharpest);
}

/** Weights U_l(r) r^3 dx of one distance. */
static void find_weights(const struct hf_core_potential *potential, double r, double step,
                         double weight[])
{
    for (int l = 0, q = 0; l < potential->max_l; l++) {
        double value = 0.0;
        for (int k = 0; k < potential->n_term; k++) {
            const struct hf_core_term *term = &potential->term[k];
            if (term->l == l)
                value += term->coefficient * pow(r, term->power) * exp(-term->exponent * r * r);
        }
        for (int m = -l; m <= l; m++) weight[q++] = value * r * r * r * step;
    }
}

void hf_core_points_init(struct hf_arena *arena, const struct hf_basis *basis,
                         const struct hf_core_potential *potential, double step,
                         struct hf_core_points *points)
{
    double first, last;
    find_ends(basis, potential, points->centre, &first, &last);
    points->max_l = potential->max_l;
    points->n_projector = potential->max_l * potential->max_l;
    for (int l = 0; l < potential->max_l; l++)
        points->norm[l] = sqrt((2 * l + 1) / (4.0 * acos(-1.0)));
    points->n_radius = last > first ? 2 + (int)(log(last / first) / step) : 0;
    const size_t n = (size_t)points->n_radius;
    HF_TAKE(arena, points->radius, n);
    HF_TAKE(arena, points->weight, n * (size_t)points->n_projector);
    HF_TAKE(arena, points->polar_point, HF_MAX_POLAR_POINT + 1);
    HF_TAKE(arena, points->polar_weight, HF_MAX_POLAR_POINT + 1);
    if (arena->failed) return;
    for (int k = 0; k < points->n_radius; k++) {
        points->radius[k] = first * exp(step * k);
        find_weights(potential, points->radius[k], step,
                     points->weight + (size_t)k * (size_t)points->n_projector);
    }
    for (int i = 1; i <= HF_MAX_POLAR_POINT; i++)
        hf_gauss_legendre(i, points->polar_point[i], points->polar_weight[i]);
}

/** Axes with z through the centre of the shell. */
static void find_axes(const double to_shell[3], double distance, double axis[3][3])
{
    for (int d = 0; d < 3; d++)
        axis[2][d] = distance > TOUCHING ? to_shell[d] / distance : (d == 2 ? 1.0 : 0.0);
    int least = 0;
    for (int d = 1; d < 3; d++)
        if (fabs(axis[2][d]) < fabs(axis[2][least])) least = d;
    double norm = 0.0;
    for (int d = 0; d < 3; d++) {
        axis[0][d] = (d == least ? 1.0 : 0.0) - axis[2][least] * axis[2][d];
        norm += axis[0][d] * axis[0][d];
    }
    for (int d = 0; d < 3; d++) axis[0][d] /= sqrt(norm);
    hf_cross(axis[2], axis[0], axis[1]);
}

/** x^l y^m z^n for all components of an angular momentum. */
static void find_monomials(const struct hf_core_points *points, int l, const double at[3],
                           double value[])
{
    double power[3][HF_MAX_L + 2];
    for (int d = 0; d < 3; d++) {
        power[d][0] = 1.0;
        for (int k = 1; k <= l; k++) power[d][k] = power[d][k - 1] * at[d];
    }
    for (int m = 0; m < hf_n_cartesian(l); m++) {
        const signed char *k = points->cartesian->component[l][m].power;
        value[m] = power[0][k[0]] * power[1][k[1]] * power[2][k[2]];
    }
}

/** The harmonics, norm 1 on the sphere, in a direction. */
static void find_projectors(const struct hf_core_points *points, const double direction[3],
                            double value[])
{
    double monomial[HF_MAX_CARTESIAN];
    for (int l = 0, q = 0; l < points->max_l; l++) {
        const struct hf_solid_harmonics *harmonics = &points->harmonics[l];
        find_monomials(points, l, direction, monomial);
        for (int m = 0; m <= 2 * l; m++, q++) {
            value[q] = 0.0;
            for (int k = 0; k < harmonics->n_term[m]; k++)
                value[q] += harmonics->coefficient[m][k] * monomial[harmonics->column[m][k]];
            value[q] *= points->norm[l];
        }
    }
}

/** A shell seen from the centre of the potential. */
struct view {
    const struct hf_core_points *points;
    const struct hf_shell *shell;
    double to_shell[3], distance, axis[3][3];
    int n_azimuth;
    double cosine[2 * HF_MAX_L + 1], sine[2 * HF_MAX_L + 1], weight; /**< of the azimuths */
    size_t stride; /**< between the Cartesian components of the output */
};

/** Adds `factor` times the monomials of the shell times the projectors, summed over the azimuth. */
static void add_ring(const struct view *view, double r, double cosine, double factor, double out[])
{
    const struct hf_core_points *points = view->points;
    const double sine = sqrt(fmax(0.0, 1.0 - cosine * cosine));
    double monomial[HF_MAX_CARTESIAN], projector[HF_MAX_L * HF_MAX_L];
    for (int i = 0; i < view->n_azimuth; i++) {
        const double x = sine * view->cosine[i], y = sine * view->sine[i];
        double direction[3], at[3];
        for (int d = 0; d < 3; d++) {
            direction[d] = x * view->axis[0][d] + y * view->axis[1][d] + cosine * view->axis[2][d];
            at[d] = r * direction[d] - view->to_shell[d];
        }
        find_monomials(points, view->shell->l, at, monomial);
        find_projectors(points, direction, projector);
        for (int m = 0; m < hf_n_cartesian(view->shell->l); m++) {
            const double value = factor * view->weight * monomial[m];
            double *row = out + (size_t)m * view->stride;
            for (int q = 0; q < points->n_projector; q++) row[q] += value * projector[q];
        }
    }
}

/** Exponents at a distance r: of the distance, and of 1 - cos(theta). */
struct exponents {
    double radial, polar;
};

static struct exponents find_exponents(const struct view *view, int i, double r)
{
    const double a = view->shell->exponent[i], from = r - view->distance;
    return (struct exponents){.radial = a * from * from, .polar = 2.0 * a * r * view->distance};
}

/** Points of the rule for polynomials times exp(-x), 0 to `exponent`. */
static int n_polar(const struct view *view, double exponent)
{
    const int polynomial = (view->shell->l + view->points->max_l) / 2 + 1;
    const int n = polynomial + (exponent < 1e-12  ? 0
                                : exponent < 1e-3 ? 3
                                                  : (int)(6.0 + 0.6 * exponent));
    return n < HF_MAX_POLAR_POINT ? n : HF_MAX_POLAR_POINT;
}

/** Adds a primitive that is concentrated about the pole, where there is something of it. */
static void add_cap(const struct view *view, int i, double r, struct exponents exponents,
                    double out[])
{
    const struct hf_core_points *points = view->points;
    const double height = MOST_POLAR_EXPONENT / exponents.polar; /* of 1 - cos(theta) */
    const int n = n_polar(view, MOST_POLAR_EXPONENT);
    for (int k = 0; k < n; k++) {
        const double fall = 0.5 * height * (1.0 - points->polar_point[n][k]);
        add_ring(view, r, 1.0 - fall,
                 0.5 * height * points->polar_weight[n][k] * view->shell->coefficient[i] *
                     exp(-exponents.radial - exponents.polar * fall),
                 out);
    }
}

/** Adds all primitives at the distance r; those that are all over the sphere together. */
static void add_distance(const struct view *view, double r, double out[])
{
    const struct hf_core_points *points = view->points;
    const struct hf_shell *shell = view->shell;
    double most = -1.0;
    for (int i = 0; i < shell->n_primitive; i++) {
        const struct exponents exponents = find_exponents(view, i, r);
        if (exponents.radial > MOST_EXPONENT) continue;
        if (2.0 * exponents.polar > MOST_POLAR_EXPONENT)
            add_cap(view, i, r, exponents, out);
        else
            most = fmax(most, 2.0 * exponents.polar);
    }
    if (most < 0.0) return;
    const int n = n_polar(view, most);
    for (int k = 0; k < n; k++) {
        const double cosine = points->polar_point[n][k];
        double sum = 0.0;
        for (int i = 0; i < shell->n_primitive; i++) {
            const struct exponents exponents = find_exponents(view, i, r);
            if (exponents.radial <= MOST_EXPONENT && 2.0 * exponents.polar <= MOST_POLAR_EXPONENT)
                sum += shell->coefficient[i] *
                       exp(-exponents.radial - exponents.polar * (1.0 - cosine));
        }
        add_ring(view, r, cosine, sum * points->polar_weight[n][k], out);
    }
}

bool hf_core_project(const struct hf_core_points *points, const struct hf_shell *shell,
                     struct hf_arena *arena, struct hf_core_projection *projection)
{
    struct view view = {.points = points, .shell = shell, .n_azimuth = shell->l + points->max_l};
    double least = shell->exponent[0];
    for (int i = 1; i < shell->n_primitive; i++) least = fmin(least, shell->exponent[i]);
    for (int d = 0; d < 3; d++) view.to_shell[d] = shell->centre_bohr[d] - points->centre[d];
    view.distance = hf_core_distance(shell, points->centre);
    if (view.distance < TOUCHING) view.distance = 0.0;
    find_axes(view.to_shell, view.distance, view.axis);
    view.weight = 2.0 * acos(-1.0) / fmax(1.0, view.n_azimuth);
    for (int i = 0; i < view.n_azimuth; i++) {
        view.cosine[i] = cos(view.weight * i);
        view.sine[i] = sin(view.weight * i);
    }
    const double width = sqrt(MOST_EXPONENT / least);
    int first = 0, end = points->n_radius;
    while (first < end && points->radius[first] < view.distance - width) first++;
    while (end > first && points->radius[end - 1] > view.distance + width) end--;
    const size_t row = (size_t)points->n_projector;
    view.stride = (size_t)(end - first) * row;
    double *value = HF_TAKE(arena, value, (size_t)hf_n_cartesian(shell->l) * view.stride);
    if (value == NULL) return false;
    for (int k = first; k < end; k++)
        add_distance(&view, points->radius[k], value + (size_t)(k - first) * row);
    *projection = (struct hf_core_projection){.first = first, .end = end, .value = value};
    if (!shell->spherical) return true;
    HF_TAKE(arena, projection->value, (size_t)shell->n_function * view.stride);
    if (projection->value != NULL)
        hf_solid_harmonics_apply(&points->harmonics[shell->l], shell->l, (int)view.stride, value,
                                 projection->value);
    hf_arena_release(arena, value);
    return projection->value != NULL;
}
