/* Products of two primitives, and densities over Cartesian functions. */
#include "primitive_pair.h"

#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

/* E_t^ij by its recurrence. */
void hf_expand_in_hermite(double half, double pa, double pb, double first, int l_a, int l_b,
                          struct hf_hermite_expansion *out)
{
    out->e[0][0][0] = first;
    out->e[0][0][1] = 0.0;
    for (int i = 0; i <= l_a; i++) {
        for (int j = i == 0; j <= l_b; j++) {
            const double *from = j > 0 ? out->e[i][j - 1] : out->e[i - 1][0];
            const double shift = j > 0 ? pb : pa;
            double *to = out->e[i][j];
            to[0] = shift * from[0] + from[1];
            for (int t = 1; t < i + j; t++)
                to[t] = half * from[t - 1] + shift * from[t] + (t + 1) * from[t + 1];
            to[i + j] = half * from[i + j - 1];
            to[i + j + 1] = 0.0; /* read by the next ones */
        }
    }
}

void hf_primitive_pair_place(const struct hf_shell *a, const struct hf_shell *b, int i, int j,
                             struct hf_primitive_pair *pair)
{
    const double alpha = a->exponent[i], beta = b->exponent[j], p = alpha + beta;
    pair->alpha = alpha;
    pair->beta = beta;
    pair->p = p;
    pair->factor = a->coefficient[i] * b->coefficient[j] *
                   exp(-alpha * beta / p * hf_distance_squared(a->centre_bohr, b->centre_bohr));
    pair->volume = HF_PI / p * sqrt(HF_PI / p);
    for (int d = 0; d < 3; d++)
        pair->centre[d] = (alpha * a->centre_bohr[d] + beta * b->centre_bohr[d]) / p;
}

void hf_primitive_pair_expand(const struct hf_shell *a, const struct hf_shell *b, int raise,
                              struct hf_primitive_pair *pair)
{
    for (int d = 0; d < 3; d++) {
        const double ab = a->centre_bohr[d] - b->centre_bohr[d];
        hf_expand_in_hermite(0.5 / pair->p, -pair->beta / pair->p * ab, pair->alpha / pair->p * ab,
                             1.0, a->l, b->l + raise, &pair->expansion[d]);
    }
}

double hf_kinetic_line(const struct hf_primitive_pair *pair, int d, int i, int j)
{
    const double(*e)[HF_MOST_EXPANSION_T + 2] = pair->expansion[d].e[i], beta = pair->beta;
    double value = beta * (2 * j + 1) * e[j][0] - 2.0 * beta * beta * e[j + 2][0];
    if (j > 1) value -= 0.5 * j * (j - 1) * e[j - 2][0];
    return value;
}

double hf_dipole_line(const struct hf_primitive_pair *pair, int d, int i, int j)
{
    const double *e = pair->expansion[d].e[i][j];
    return e[1] + pair->centre[d] * e[0];
}

double hf_density_to_cartesian(const struct hf_solid_harmonics harmonics[],
                               const struct hf_shell *a, const struct hf_shell *b, double factor,
                               const double *density, size_t stride, double scratch[],
                               double block[])
{
    const int n_a = hf_n_cartesian(a->l), n_b = hf_n_cartesian(b->l);
    double *half = scratch, largest = 0.0;
    memset(half, 0, (size_t)a->n_function * (size_t)n_b * sizeof *half);
    memset(block, 0, (size_t)n_a * (size_t)n_b * sizeof *block);
    for (int i = 0; i < a->n_function; i++) {
        for (int j = 0; j < b->n_function; j++) {
            const double value = factor * density[(size_t)i * stride + (size_t)j];
            const struct hf_solid_harmonics *h = &harmonics[b->l];
            if (!b->spherical) half[i * n_b + j] = value;
            for (int k = 0; b->spherical && k < h->n_term[j]; k++)
                half[i * n_b + h->column[j][k]] += h->coefficient[j][k] * value;
        }
    }
    for (int i = 0; i < a->n_function; i++) {
        const struct hf_solid_harmonics *h = &harmonics[a->l];
        const int n_term = a->spherical ? h->n_term[i] : 1;
        for (int k = 0; k < n_term; k++) {
            const int row = a->spherical ? h->column[i][k] : i;
            const double scale = a->spherical ? h->coefficient[i][k] : 1.0;
            for (int j = 0; j < n_b; j++) block[row * n_b + j] += scale * half[i * n_b + j];
        }
    }
    for (int i = 0; i < n_a * n_b; i++) largest = fmax(largest, fabs(block[i]));
    return largest;
}

void hf_block_to_spherical(const struct hf_solid_harmonics harmonics[], const struct hf_shell *a,
                           const struct hf_shell *b, double block[], double scratch[])
{
    int n_a = hf_n_cartesian(a->l);
    const int n_b = hf_n_cartesian(b->l);
    if (a->spherical) {
        hf_solid_harmonics_apply(&harmonics[a->l], a->l, n_b, block, scratch);
        n_a = a->n_function;
        memcpy(block, scratch, (size_t)n_a * n_b * sizeof *block);
    }
    if (b->spherical) {
        for (int i = 0; i < n_a; i++)
            hf_solid_harmonics_apply(&harmonics[b->l], b->l, 1, block + (size_t)i * n_b,
                                     scratch + (size_t)i * b->n_function);
        memcpy(block, scratch, (size_t)n_a * b->n_function * sizeof *block);
    }
}
