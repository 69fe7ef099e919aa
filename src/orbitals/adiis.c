/* Interpolation of Fock matrices: finds the combination of earlier densities with the lowest energy. Its
 * coefficients are not negative and add up to 1. With the newest density D_n
 *
 *     E(c) = E_n + sum_i c_i tr (D_i - D_n) F_n + sum_ij c_i c_j tr (D_i - D_n) (F_j - F_n) / 2
 *
 * This is the exact Hartree-Fock energy of sum_i c_i D_i, because the energy is quadratic in the density. So the
 * method is the same as EDIIS, but without differences of large energies.
 *
 * Source   Hu, Yang, J. Chem. Phys. 132, 054109 (2010); Kudin, Scuseria, Cances, J. Chem. Phys.
 *          116, 8255 (2002); Garza, Scuseria, J. Chem. Phys. 137, 054110 (2012). */
#include "diis_private.h"

#include <math.h>
#include <string.h>

/** Minimises from one starting point. Each step moves weight between two coefficients, from the one with the largest
 *  slope to the one with the smallest, to the minimum along this line. If no pair lowers the energy, no allowed
 *  direction does to first order, because each is a sum of such moves. */
static void descend(int n, const double gradient[], const double hessian[], double c[])
{
    const int most_steps = 50 * n * n;
    const double small = 1e-13;
    for (int step = 0; step < most_steps; step++) {
        int to = 0, from = -1;
        double lowest = INFINITY, highest = -INFINITY;
        for (int i = 0; i < n; i++) {
            double slope = gradient[i];
            for (int j = 0; j < n; j++) slope += hessian[i * n + j] * c[j];
            if (slope < lowest) {
                lowest = slope;
                to = i;
            }
            if (c[i] > 0.0 && slope > highest) {
                highest = slope;
                from = i;
            }
        }
        if (from < 0 || from == to || highest - lowest <= small * (1.0 + fabs(lowest))) return;
        const double curvature = hessian[to * n + to] + hessian[from * n + from] -
                                 hessian[to * n + from] - hessian[from * n + to];
        double move = c[from];
        if (curvature * move > highest - lowest) move = (highest - lowest) / curvature;
        c[to] += move;
        c[from] = move == c[from] ? 0.0 : c[from] - move;
    }
}

static double value(int n, const double gradient[], const double hessian[], const double c[])
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += c[i] * gradient[i];
        for (int j = 0; j < n; j++) sum += 0.5 * c[i] * hessian[i * n + j] * c[j];
    }
    return sum;
}

void hf_simplex_minimum(int n, const double gradient[], const double hessian[],
                        double coefficient[])
{
    double c[HF_MAX_DIIS], best = INFINITY;
    /* the function may not be convex: start at every corner */
    for (int start = 0; start < n; start++) {
        memset(c, 0, sizeof c);
        c[start] = 1.0;
        descend(n, gradient, hessian, c);
        const double found = value(n, gradient, hessian, c);
        if (found < best) {
            best = found;
            memcpy(coefficient, c, (size_t)n * sizeof *c);
        }
    }
}

/** Whether the orbitals of the density in slot `slot` are known. */
static bool has_orbitals(const struct hf_diis *self, int slot)
{
    const struct hf_matrix *const *orbitals =
        (const struct hf_matrix *const *)&self->orbitals[(size_t)slot * HF_MAX_SPIN];
    return orbitals[0] != NULL || orbitals[1] != NULL;
}

/** Completes the traces tr D_i F_j of density `first` and later ones. */
static hf_status complete_traces(struct hf_diis *self, const struct hf_determinant *of, int first,
                                 struct hf_error *error)
{
    struct hf_determinant earlier = *of;
    for (int i = first; i < self->n_stored; i++) {
        const int slot = hf_diis_slot(self, i);
        memcpy(earlier.occupied, &self->orbitals[(size_t)slot * HF_MAX_SPIN],
               sizeof earlier.occupied);
        for (int j = first; j < self->n_stored; j++) {
            double *trace = &self->trace[slot * self->size + hf_diis_slot(self, j)];
            if (isnan(*trace))
                HF_CHECK(hf_trace_of_orbitals(&earlier, hf_diis_stored(self, j), trace, error));
        }
    }
    return HF_OK;
}

/** Computes the coefficients [n_stored] from the traces; those before `first` are zero. */
static void find_coefficients(struct hf_diis *self, int first)
{
    double gradient[HF_MAX_DIIS], hessian[HF_MAX_DIIS * HF_MAX_DIIS], t[HF_MAX_DIIS][HF_MAX_DIIS];
    const int n = self->n_stored - first, newest = n - 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            t[i][j] = self->trace[hf_diis_slot(self, first + i) * self->size +
                                  hf_diis_slot(self, first + j)];
    for (int i = 0; i < n; i++) {
        gradient[i] = t[i][newest] - t[newest][newest];
        for (int j = 0; j < n; j++)
            hessian[i * n + j] = 0.5 * (t[i][j] + t[j][i] - t[i][newest] - t[newest][i] -
                                        t[newest][j] - t[j][newest]) +
                                 t[newest][newest];
    }
    for (int i = 0; i < first; i++) self->coefficient[i] = 0.0;
    hf_simplex_minimum(n, gradient, hessian, self->coefficient + first);
}

hf_status hf_diis_interpolate(struct hf_diis *self, const struct hf_determinant *of,
                              const double **coefficient, struct hf_error *error)
{
    struct hf_context *context = self->context;
    int first = self->n_stored;
    *coefficient = NULL;
    while (first > 0 && has_orbitals(self, hf_diis_slot(self, first - 1))) first--;
    if (self->n_stored - first < 2) return HF_OK;
    HF_CHECK(complete_traces(self, of, first, error));
    if (context->rank == 0) find_coefficients(self, first);
    hf_broadcast_bytes(context->comm, 0, (size_t)self->n_stored * sizeof *self->coefficient,
                       self->coefficient);
    *coefficient = self->coefficient;
    return HF_OK;
}
