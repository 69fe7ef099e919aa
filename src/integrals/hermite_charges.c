/* Sums of R_tuv over charges, eight charges at a time. */
#include "hermite_charges.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = HF_CHARGE_LANES };

/** How each (t,u,v) follows from lower ones: along the first direction that it has. */
static void fill_steps(struct hf_hermite_step step[])
{
    for (int t = 0; t <= HF_MAX_PAIR_L; t++) {
        for (int u = 0; t + u <= HF_MAX_PAIR_L; u++) {
            for (int v = 0; t + u + v <= HF_MAX_PAIR_L; v++) {
                int power[3] = {t, u, v};
                const int axis = t > 0 ? 0 : u > 0 ? 1 : 2;
                struct hf_hermite_step *here = &step[hf_hermite_index(t, u, v)];
                if (t + u + v == 0) continue;
                here->axis = axis;
                power[axis]--;
                here->parent = hf_hermite_index(power[0], power[1], power[2]);
                here->factor = power[axis];
                if (power[axis] > 0) power[axis]--;
                here->grandparent = hf_hermite_index(power[0], power[1], power[2]);
            }
        }
    }
}

bool hf_hermite_charges_init(struct hf_hermite_charges *charges, int max_total, int n_charge,
                             const struct hf_point_charge charge[])
{
    int n = 0;
    for (int i = 0; i < n_charge; i++) n += charge[i].charge != 0.0;
    const int n_row = (n + LANES - 1) / LANES;
    const size_t n_lane = (size_t)n_row * LANES;
    *charges = (struct hf_hermite_charges){.n_row = n_row};
    if (n == 0) return true;
    charges->boys = hf_boys_create(max_total);
    double *next = charges->storage = aligned_alloc(64, 4 * n_lane * sizeof(double));
    if (charges->boys == NULL || next == NULL) return false;
    memset(next, 0, 4 * n_lane * sizeof(double));
    charges->charge = next;
    for (int d = 0; d < 3; d++) charges->position[d] = next += n_lane;
    n = 0;
    for (int i = 0; i < n_charge; i++) {
        if (charge[i].charge == 0.0) continue;
        charges->charge[n] = charge[i].charge;
        for (int d = 0; d < 3; d++) charges->position[d][n] = charge[i].position_bohr[d];
        n++;
    }
    fill_steps(charges->step);
    return true;
}

void hf_hermite_charges_done(struct hf_hermite_charges *charges)
{
    hf_boys_destroy(&charges->boys);
    free(charges->storage);
    charges->storage = NULL;
}

/** start[n][lane] = q (-2p)^n F_n(p c^2), the integrals of t = u = v = 0. */
static void start_recursion(const struct hf_hermite_charges *charges, int row, double p,
                            double c[3][LANES], int total,
                            double start[HF_BOYS_MAX_ORDER + 1][LANES])
{
    const double *charge = charges->charge + (size_t)row * LANES;
    for (int k = 0; k < LANES; k++) {
        double boys[HF_BOYS_MAX_ORDER + 1], factor = charge[k];
        const double square = c[0][k] * c[0][k] + c[1][k] * c[1][k] + c[2][k] * c[2][k];
        hf_boys_evaluate(charges->boys, total, p * square, boys);
        for (int n = 0; n <= total; n++) {
            start[n][k] = factor * boys[n];
            factor *= -2.0 * p;
        }
    }
}

/** Adds q R_tuv of the charges of a row to the sums of their lanes. From order n+1 to n in place:
 *  what is needed of lower totals is overwritten last. */
static void add_row(struct hf_hermite_charges *charges, int row, double p, const double centre[3],
                    int total)
{
    double c[3][LANES], start[HF_BOYS_MAX_ORDER + 1][LANES];
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < LANES; k++)
            c[d][k] = centre[d] - charges->position[d][(size_t)row * LANES + (size_t)k];
    start_recursion(charges, row, p, c, total, start);
    for (int n = total; n >= 0; n--) {
        for (int i = hf_hermite_index(0, 0, total - n); i > 0; i--) {
            const struct hf_hermite_step *step = &charges->step[i];
            const double *along = c[step->axis], *parent = charges->r[step->parent];
            const double *grandparent = charges->r[step->grandparent];
            for (int k = 0; k < LANES; k++)
                charges->r[i][k] = along[k] * parent[k] + step->factor * grandparent[k];
        }
        memcpy(charges->r[0], start[n], sizeof charges->r[0]);
    }
    for (int i = 0; i <= hf_hermite_index(0, 0, total); i++)
        for (int k = 0; k < LANES; k++) charges->lane_sum[i][k] += charges->r[i][k];
}

void hf_hermite_charges_sum(struct hf_hermite_charges *charges, double p, const double centre[3],
                            int total, double sum[])
{
    const int n = hf_hermite_index(0, 0, total) + 1;
    memset(charges->lane_sum, 0, (size_t)n * sizeof charges->lane_sum[0]);
    for (int row = 0; row < charges->n_row; row++) add_row(charges, row, p, centre, total);
    for (int i = 0; i < n; i++) {
        sum[i] = 0.0;
        for (int k = 0; k < LANES; k++) sum[i] += charges->lane_sum[i][k];
    }
}
