/* Charges in an order in which neighbours in the list are neighbours in space. */
#include "far_charges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Charges at one place that follow each other. */
struct place {
    double key; /**< what places are sorted by at the time */
    double position[3];
    int first, n; /**< charges in the list as it was */
};

static int compare(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static int longest_side(int n, const struct place place[])
{
    int longest = 0;
    double most = -1.0;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < n; i++) {
            low = fmin(low, place[i].position[d]);
            high = fmax(high, place[i].position[d]);
        }
        if (high - low > most) {
            most = high - low;
            longest = d;
        }
    }
    return longest;
}

/** Halves lie on either side of a plane, and so on down to rows. */
static void halve(int n, struct place place[])
{
    const int n_row = (n + HF_CHARGE_LANES - 1) / HF_CHARGE_LANES;
    if (n_row < 2) return;
    const int side = longest_side(n, place), half = n_row / 2 * HF_CHARGE_LANES;
    for (int i = 0; i < n; i++) place[i].key = place[i].position[side];
    qsort(place, (size_t)n, sizeof *place, compare);
    halve(half, place);
    halve(n - half, place + half);
}

static int find_places(int n_charge, const struct hf_spread_charge charge[], struct place place[])
{
    int n = 0;
    for (int c = 0; c < n_charge; c++) {
        const double *at = charge[c].position_bohr;
        struct place *last = n > 0 ? &place[n - 1] : NULL;
        if (charge[c].charge == 0.0) continue;
        if (last != NULL && last->first + last->n == c && last->position[0] == at[0] &&
            last->position[1] == at[1] && last->position[2] == at[2]) {
            last->n++;
        } else {
            place[n] = (struct place){.first = c, .n = 1};
            memcpy(place[n++].position, at, sizeof place[0].position);
        }
    }
    return n;
}

hf_status hf_sort_charges(int n_charge, struct hf_spread_charge charge[], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct place *place = calloc((size_t)n_charge + 1, sizeof *place);
    struct hf_spread_charge *old = calloc((size_t)n_charge + 1, sizeof *old);
    if (place == NULL || old == NULL) {
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for %d charges", n_charge);
    } else {
        const int n = find_places(n_charge, charge, place);
        int to = 0;
        memcpy(old, charge, (size_t)n_charge * sizeof *old);
        halve(n, place);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < place[i].n; k++) charge[to++] = old[place[i].first + k];
        while (to < n_charge) charge[to++] = (struct hf_spread_charge){.exponent = INFINITY};
    }
    free(old);
    free(place);
    return status;
}
