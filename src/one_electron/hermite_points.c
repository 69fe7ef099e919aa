/* The potential that Hermite Gaussians make at points: the recursion of charges at these points. */
#include "one_electron/hermite.h"

#include "base/arithmetic.h"
#include "hermite_charges.h"

#include <math.h>
#include <string.h>

enum { LANES = HF_CHARGE_LANES };

struct hf_hermite_points {
    struct hf_arena arena; /**< has the arrays and this struct */
    int n;
    int *lane; /**< [n] where a point is among the charges: neighbours at one place share theirs */
    double *value;             /**< [lanes of all rows] */
    double *weight, *slope[3]; /**< [lanes of all rows] charges, and what Gaussians make there */
    struct hf_hermite_charges charges; /**< unit charges at the points */
};

/** Unit charges; none where the point before is at the same place. */
static void fill(struct hf_hermite_points *self, const double *const place[3],
                 struct hf_spread_charge charge[])
{
    for (int i = 0; i < self->n; i++) {
        const double at[3] = {place[0][i], place[1][i], place[2][i]};
        const bool same = i > 0 && at[0] == place[0][i - 1] && at[1] == place[1][i - 1] &&
                          at[2] == place[2][i - 1];
        charge[i] = hf_charge_at(same ? 0.0 : 1.0, at);
        self->lane[i] = i == 0 ? 0 : self->lane[i - 1] + (same ? 0 : 1);
    }
}

hf_status hf_hermite_points_create(const struct hf_basis *basis, int n, const double x[],
                                   const double y[], const double z[],
                                   struct hf_hermite_points **points, struct hf_error *error)
{
    const size_t n_lane = (size_t)n + LANES;
    struct hf_hermite_points *self = HF_NEW(*points, NULL, "potentials at points");
    if (self == NULL) return hf_arena_check_new(self, error);
    struct hf_spread_charge *charge = HF_TAKE_UNSET(&self->arena, charge, (size_t)n);
    self->n = n;
    HF_TAKE(&self->arena, self->lane, (size_t)n);
    HF_TAKE(&self->arena, self->value, 5 * n_lane);
    hf_status status = hf_arena_check(&self->arena, error);
    if (status == HF_OK) {
        self->weight = self->value + n_lane;
        for (size_t d = 0; d < 3; d++) self->slope[d] = self->value + (d + 2) * n_lane;
        fill(self, (const double *const[]){x, y, z}, charge);
        status = hf_hermite_charges_init(&self->charges, 2 * basis->max_l + 1, n, charge, error);
        hf_arena_release(&self->arena, charge);
    }
    if (status != HF_OK) hf_hermite_points_destroy(points);
    return status;
}

void hf_hermite_points_destroy(struct hf_hermite_points **points)
{
    if (*points != NULL) hf_hermite_charges_done(&(*points)->charges);
    hf_arena_free(points);
}

void hf_hermite_add_potential(struct hf_hermite_points *points, int n,
                              const struct hf_hermite_gaussian gaussian[], double potential[])
{
    struct hf_hermite_points *self = points;
    struct hf_hermite_charges *charges = &self->charges;
    if (n == 0) return;
    /* Not used here, but add_row adds to it: without this it would grow for ever. */
    memset(charges->lane_sum, 0,
           (size_t)(hf_hermite_index(0, 0, gaussian[0].order) + 1) * sizeof charges->lane_sum[0]);
    for (int row = 0; row < charges->n_row; row++) {
        double sum[LANES] = {0.0};
        for (int k = 0; k < n; k++) {
            const struct hf_hermite_gaussian *g = &gaussian[k];
            const int n_term = hf_hermite_index(0, 0, g->order) + 1;
            const double factor = 2.0 * HF_PI / g->exponent;
            charges->add_row(charges, row, g->exponent, g->centre, g->order);
            for (int i = 0; i < n_term; i++) /* r is that of this row alone */
                for (int l = 0; l < LANES; l++)
                    sum[l] += factor * g->coefficient[i] * charges->r[i][l];
        }
        memcpy(self->value + (size_t)row * LANES, sum, sizeof sum);
    }
    for (int i = 0; i < self->n; i++) potential[i] += self->value[self->lane[i]];
}

void hf_hermite_points_set_charges(struct hf_hermite_points *points, const double charge[])
{
    memset(points->weight, 0, 4 * ((size_t)points->n + LANES) * sizeof *points->weight);
    for (int i = 0; i < points->n; i++) points->weight[points->lane[i]] += charge[i];
}

/** Where (t,u,v) raised along x, y and z stands. */
static void find_raised(int order, int raised[3][HF_N_HERMITE])
{
    for (int t = 0; t <= order; t++)
        for (int u = 0; t + u <= order; u++)
            for (int v = 0; t + u + v <= order; v++) {
                const int k = hf_hermite_index(t, u, v);
                raised[0][k] = hf_hermite_index(t + 1, u, v);
                raised[1][k] = hf_hermite_index(t, u + 1, v);
                raised[2][k] = hf_hermite_index(t, u, v + 1);
            }
}

void hf_hermite_add_charges(struct hf_hermite_points *points,
                            const struct hf_hermite_gaussian *gaussian, double potential[],
                            double together[3])
{
    struct hf_hermite_points *self = points;
    struct hf_hermite_charges *charges = &self->charges;
    const int order = gaussian->order, n_term = hf_n_hermite(order), n = hf_n_hermite(order + 1);
    const double factor = 2.0 * HF_PI / gaussian->exponent;
    int raised[3][HF_N_HERMITE];
    find_raised(order, raised);
    memset(potential, 0, (size_t)n * sizeof *potential);
    memset(together, 0, 3 * sizeof *together);
    memset(charges->lane_sum, 0, (size_t)n * sizeof charges->lane_sum[0]); /* not used here */
    for (int row = 0; row < charges->n_row; row++) {
        const double *weight = self->weight + (size_t)row * LANES;
        charges->add_row(charges, row, gaussian->exponent, gaussian->centre, order + 1);
        for (int i = 0; i < n; i++)
            for (int l = 0; l < LANES; l++) potential[i] += weight[l] * charges->r[i][l];
        for (int d = 0; d < 3; d++) {
            double *slope = self->slope[d] + (size_t)row * LANES, sum[LANES] = {0.0};
            for (int i = 0; i < n_term; i++)
                for (int l = 0; l < LANES; l++)
                    sum[l] += gaussian->coefficient[i] * charges->r[raised[d][i]][l];
            for (int l = 0; l < LANES; l++) {
                slope[l] += factor * sum[l];
                together[d] += factor * weight[l] * sum[l];
            }
        }
    }
    for (int i = 0; i < n; i++) potential[i] *= factor;
}

void hf_hermite_add_slopes(const struct hf_hermite_points *points, const double charge[],
                           double (*slope)[3])
{
    for (int i = 0; i < points->n; i++)
        for (int d = 0; d < 3; d++) slope[i][d] += charge[i] * points->slope[d][points->lane[i]];
}
