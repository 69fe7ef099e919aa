/* How much products of functions of two atoms may contribute to integrals, for the error bounds of expansions. */
#include "far_charges.h"

#include "base/arithmetic.h"

#include <math.h>

/** Raises the strengths of `to` to those of two shells `distance` apart. */
static void weigh_shells(const struct hf_shell *a, const struct hf_shell *b, double distance,
                         double widest, struct hf_expanded *to)
{
    double strength[HF_MAX_PAIR_L + 1] = {0.0}, e[HF_MAX_PAIR_L + 2];
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j], p = alpha + beta;
            const double factor = fabs(a->coefficient[i] * b->coefficient[j]) *
                                  exp(-alpha * beta / p * distance * distance);
            if (factor < HF_NO_OVERLAP) continue;
            to->exponent = fmin(to->exponent, p);
            hf_bound_expansion(0.5 / p, beta / p * distance, alpha / p * distance, a->l, b->l, e);
            const double charge = widest * factor * (HF_PI / p) * sqrt(HF_PI / p);
            for (int k = 0; k <= a->l + b->l; k++) strength[k] += charge * e[k];
        }
    }
    for (int k = 0; k <= a->l + b->l; k++) to->strength[k] = fmax(to->strength[k], strength[k]);
    if (a->l + b->l > to->order) to->order = a->l + b->l;
}

/** Square of the distance of two atoms that have shells. */
static double square_of(const struct hf_basis *basis, int i, int j)
{
    const int *first = basis->first_shell_of_atom;
    return hf_distance_squared(basis->shell[first[i]].centre_bohr,
                               basis->shell[first[j]].centre_bohr);
}

int hf_count_products(const struct hf_basis *basis, int i, int j)
{
    const int *first = basis->first_shell_of_atom;
    const double most = -log(HF_NO_OVERLAP), square = square_of(basis, i, j);
    int n = 0;
    for (int m = first[i]; m < first[i + 1]; m++) {
        const struct hf_shell *a = &basis->shell[m];
        for (int l = first[j]; l < first[j + 1]; l++) {
            const struct hf_shell *b = &basis->shell[l];
            for (int k = 0; k < a->n_primitive; k++)
                for (int q = 0; q < b->n_primitive; q++)
                    n += a->exponent[k] * b->exponent[q] * square <
                         most * (a->exponent[k] + b->exponent[q]);
        }
    }
    return n;
}

struct hf_expanded hf_weigh_atoms(const struct hf_basis *basis, const double widest[], int i, int j)
{
    const int *first = basis->first_shell_of_atom;
    struct hf_expanded atoms = {.exponent = INFINITY};
    atoms.radius = 0.5 * sqrt(square_of(basis, i, j));
    for (int m = first[i]; m < first[i + 1]; m++) {
        for (int l = first[j]; l < first[j + 1]; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            weigh_shells(a, b, 2.0 * atoms.radius,
                         (a->spherical ? widest[a->l] : 1.0) * (b->spherical ? widest[b->l] : 1.0),
                         &atoms);
        }
    }
    return atoms;
}
