/* Sums of R_tuv over charges, eight places at a time. */
#include "hermite_charges.h"

#include <math.h>
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

static bool same_place(const struct hf_spread_charge *a, const struct hf_spread_charge *b)
{
    return a->position_bohr[0] == b->position_bohr[0] &&
           a->position_bohr[1] == b->position_bohr[1] && a->position_bohr[2] == b->position_bohr[2];
}

/** Room for n_lane centres and n charges. */
static bool make_room(struct hf_hermite_charges *charges, size_t n_lane, size_t n)
{
    charges->first = calloc(n_lane + 1, sizeof *charges->first);
    charges->charge = calloc(n, sizeof *charges->charge);
    charges->exponent = calloc(n, sizeof *charges->exponent);
    bool made = charges->first != NULL && charges->charge != NULL && charges->exponent != NULL;
    for (int d = 0; d < 3; d++) {
        charges->position[d] = calloc(n_lane, sizeof *charges->position[d]);
        made = made && charges->position[d] != NULL;
    }
    return made;
}

bool hf_hermite_charges_init(struct hf_hermite_charges *charges, int max_total, int n_charge,
                             const struct hf_spread_charge charge[])
{
    size_t n_centre = 0, n = 0, lane = 0, i = 0;
    *charges = (struct hf_hermite_charges){0};
    for (int c = 0, last = -1; c < n_charge; c++) {
        if (charge[c].charge == 0.0) continue;
        n_centre += last < 0 || !same_place(&charge[c], &charge[last]);
        last = c;
        n++;
    }
    if (n == 0) return true;
    charges->n_row = (int)((n_centre + LANES - 1) / LANES);
    const size_t n_lane = (size_t)charges->n_row * LANES;
    charges->boys = hf_boys_create(max_total);
    if (!make_room(charges, n_lane, n) || charges->boys == NULL) return false;
    for (int c = 0, last = -1; c < n_charge; c++) {
        if (charge[c].charge == 0.0) continue;
        if (last >= 0 && !same_place(&charge[c], &charge[last])) charges->first[++lane] = (int)i;
        for (int d = 0; d < 3; d++) charges->position[d][lane] = charge[c].position_bohr[d];
        charges->charge[i] = charge[c].charge;
        charges->exponent[i++] = charge[c].exponent;
        last = c;
    }
    while (lane < n_lane) charges->first[++lane] = (int)i;
    fill_steps(charges->step);
    return true;
}

void hf_hermite_charges_done(struct hf_hermite_charges *charges)
{
    hf_boys_destroy(&charges->boys);
    free(charges->first);
    free(charges->charge);
    free(charges->exponent);
    for (int d = 0; d < 3; d++) free(charges->position[d]);
    *charges = (struct hf_hermite_charges){0};
}

/** start[n][lane] += factor (-2p)^n F_n(p square). */
static void add_start(const struct hf_boys *boys, double factor, double p, double square, int total,
                      int lane, double start[HF_BOYS_MAX_ORDER + 1][LANES])
{
    double value[HF_BOYS_MAX_ORDER + 1];
    hf_boys_evaluate(boys, total, p * square, value);
    for (int n = 0; n <= total; n++) {
        start[n][lane] += factor * value[n];
        factor *= -2.0 * p;
    }
}

/** start[n][lane], the integrals of t = u = v = 0, of the charges of one centre. From some distance
 *  on a charge with a width is as good as a point: where F_n equals its asymptote to the last bit,
 *  w drops out. All such charges are one. */
static void start_lane(const struct hf_hermite_charges *charges, size_t centre, double p,
                       double square, int total, int lane,
                       double start[HF_BOYS_MAX_ORDER + 1][LANES])
{
    const double limit = charges->boys->limit[total], excess = p * square - limit;
    const double sharp = excess > 0.0 ? p * limit / excess : INFINITY; /* from this exponent on */
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

static void start_recursion(const struct hf_hermite_charges *charges, int row, double p,
                            double c[3][LANES], int total,
                            double start[HF_BOYS_MAX_ORDER + 1][LANES])
{
    memset(start, 0, ((size_t)total + 1) * sizeof start[0]);
    for (int k = 0; k < LANES; k++) {
        const double square = c[0][k] * c[0][k] + c[1][k] * c[1][k] + c[2][k] * c[2][k];
        start_lane(charges, (size_t)row * LANES + (size_t)k, p, square, total, k, start);
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
