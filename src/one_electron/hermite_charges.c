/* Sums of R_tuv over charges, eight places at a time. */
#include "hermite_charges.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

enum { LANES = HF_CHARGE_LANES };

/** How each (t,u,v) follows from lower ones: along the first direction that it has. */
static void fill_steps(struct hf_hermite_step step[])
{
    const int most = HF_MAX_PAIR_L + 1; /* of derivatives */
    for (int t = 0; t <= most; t++) {
        for (int u = 0; t + u <= most; u++) {
            for (int v = 0; t + u + v <= most; v++) {
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

hf_status hf_hermite_charges_init(struct hf_hermite_charges *charges, int max_total, int n_charge,
                                  const struct hf_spread_charge charge[], struct hf_error *error)
{
    static hf_charge_row_function *const kernels[] = {
        HF_KERNELS_BUILT(hf_charge_row_portable, hf_charge_row_avx2, hf_charge_row_avx512)};
    size_t n_centre = 0, n = 0, lane = 0, i = 0;
    *charges = (struct hf_hermite_charges){.arena = {.label = "charges"}};
    for (int c = 0, last = -1; c < n_charge; c++) {
        if (charge[c].charge == 0.0) continue;
        n_centre += last < 0 || !same_place(&charge[c], &charge[last]);
        last = c;
        n++;
    }
    if (n == 0) return HF_OK;
    charges->n_place = (int)n_centre;
    charges->n_row = (int)((n_centre + LANES - 1) / LANES);
    const size_t n_lane = (size_t)charges->n_row * LANES;
    HF_TAKE(&charges->arena, charges->first, n_lane + 1);
    HF_TAKE(&charges->arena, charges->charge, n);
    HF_TAKE(&charges->arena, charges->exponent, n);
    for (int d = 0; d < 3; d++) HF_TAKE(&charges->arena, charges->position[d], n_lane);
    HF_TAKE(&charges->arena, charges->whole, n_lane);
    charges->boys = hf_boys_create(max_total);
    HF_CHECK(hf_arena_check(&charges->arena, error));
    if (charges->boys == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for charges");
    for (int c = 0, last = -1; c < n_charge; c++) {
        if (charge[c].charge == 0.0) continue;
        if (last >= 0 && !same_place(&charge[c], &charge[last])) charges->first[++lane] = (int)i;
        for (int d = 0; d < 3; d++) charges->position[d][lane] = charge[c].position_bohr[d];
        if (isfinite(charge[c].exponent)) charges->has_width = true;
        charges->whole[lane] += charge[c].charge;
        charges->charge[i] = charge[c].charge;
        charges->exponent[i++] = charge[c].exponent;
        last = c;
    }
    while (lane < n_lane) charges->first[++lane] = (int)i;
    charges->add_row = HF_BEST_KERNELS(kernels);
    fill_steps(charges->step);
    return HF_OK;
}

void hf_hermite_charges_done(struct hf_hermite_charges *charges)
{
    hf_boys_destroy(&charges->boys);
    hf_arena_done(&charges->arena);
    *charges = (struct hf_hermite_charges){0};
}

void hf_hermite_charges_sum(struct hf_hermite_charges *charges, double p, const double centre[3],
                            int total, int n_row, const int row[], double sum[])
{
    const int n = hf_hermite_index(0, 0, total) + 1;
    memset(charges->lane_sum, 0, (size_t)n * sizeof charges->lane_sum[0]);
    if (row == NULL) n_row = charges->n_row;
    for (int i = 0; i < n_row; i++)
        charges->add_row(charges, row == NULL ? i : row[i], p, centre, total);
    for (int i = 0; i < n; i++) {
        sum[i] = 0.0;
        for (int k = 0; k < LANES; k++) sum[i] += charges->lane_sum[i][k];
    }
}
