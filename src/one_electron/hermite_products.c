/* Densities of two shells in Hermite Gaussians, and their moments. */
#include "one_electron/hermite.h"

#include "base/arena.h"
#include "base/arithmetic.h"
#include "primitive_pair.h"

#include <math.h>
#include <string.h>

struct hf_hermite_products {
    struct hf_arena arena;
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    size_t n_coefficient; /**< of a pair of primitives at most */
    struct hf_hermite_gaussian *gaussian;
    double *coefficient;
    struct hf_primitive_pair pair;
    double block[HF_MAX_CARTESIAN_BLOCK], scratch[HF_MAX_CARTESIAN_BLOCK];
};

hf_status hf_hermite_products_create(const struct hf_basis *basis,
                                     struct hf_hermite_products **products, struct hf_error *error)
{
    struct hf_hermite_products *self = HF_NEW(*products, NULL, "products of shells");
    const size_t n_pair = (size_t)basis->max_primitive * (size_t)basis->max_primitive;
    if (self == NULL) return hf_arena_check_new(self, error);
    hf_cartesian_table_init(&self->cartesian);
    for (int l = 0; l <= basis->max_l; l++) hf_solid_harmonics_init(l, &self->harmonics[l]);
    self->n_coefficient = (size_t)hf_hermite_index(0, 0, 2 * basis->max_l) + 1;
    HF_TAKE(&self->arena, self->gaussian, n_pair);
    HF_TAKE(&self->arena, self->coefficient, n_pair * self->n_coefficient);
    const hf_status status = hf_arena_check(&self->arena, error);
    if (status != HF_OK) hf_hermite_products_destroy(products);
    return status;
}

void hf_hermite_products_destroy(struct hf_hermite_products **products)
{
    hf_arena_free(products);
}

/** to[hf_hermite_index(t,u,v)] += factor sum_ab D_ab E_t E_u E_v. */
static void add_products(const struct hf_hermite_products *self, int l_a, int l_b, double factor,
                         double to[])
{
    const double *element = self->block;
    for (int a = 0; a < hf_n_cartesian(l_a); a++) {
        const signed char *i = self->cartesian.component[l_a][a].power;
        for (int b = 0; b < hf_n_cartesian(l_b); b++) {
            const signed char *j = self->cartesian.component[l_b][b].power;
            const double *x = self->pair.expansion[0].e[i[0]][j[0]];
            const double *y = self->pair.expansion[1].e[i[1]][j[1]];
            const double *z = self->pair.expansion[2].e[i[2]][j[2]];
            const double weight = factor * *element++;
            hf_add_hermite_product(weight, i[0] + j[0], x, i[1] + j[1], y, i[2] + j[2], z, to);
        }
    }
}

int hf_hermite_expand(struct hf_hermite_products *products, const struct hf_shell *a,
                      const struct hf_shell *b, double factor, const double density[],
                      size_t stride, double smallest, const struct hf_hermite_gaussian *list[])
{
    struct hf_hermite_products *self = products;
    struct hf_primitive_pair *pair = &self->pair;
    const double largest = hf_density_to_cartesian(self->harmonics, a, b, factor, density, stride,
                                                   self->scratch, self->block);
    const int order = a->l + b->l;
    int n = 0;
    *list = self->gaussian;
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            hf_primitive_pair_place(a, b, i, j, pair);
            if (fabs(pair->factor) * largest < smallest) continue;
            struct hf_hermite_gaussian *to = &self->gaussian[n];
            double *h = self->coefficient + (size_t)n++ * self->n_coefficient;
            *to =
                (struct hf_hermite_gaussian){.exponent = pair->p, .order = order, .coefficient = h};
            memcpy(to->centre, pair->centre, sizeof to->centre);
            memset(h, 0, ((size_t)hf_hermite_index(0, 0, order) + 1) * sizeof *h);
            hf_primitive_pair_expand(a, b, 0, pair);
            add_products(self, a->l, b->l, pair->factor, h);
        }
    }
    return n;
}

/** A derivative with respect to P of the moments of a Gaussian: only those up to second order
 *  remain. */
void hf_hermite_add_moments(int n, const struct hf_hermite_gaussian gaussian[],
                            const double origin[3], double moment[])
{
    static const int axis[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (int k = 0; k < n; k++) {
        const struct hf_hermite_gaussian *g = &gaussian[k];
        const double *h = g->coefficient, volume = pow(HF_PI / g->exponent, 1.5);
        double r[3], first[3];
        moment[0] += volume * h[0];
        for (int d = 0; d < 3; d++) {
            r[d] = g->centre[d] - origin[d];
            first[d] = g->order > 0 ? h[hf_hermite_index(d == 0, d == 1, d == 2)] : 0.0;
            moment[1 + d] += volume * (h[0] * r[d] + first[d]);
        }
        for (int m = 0; m < 6; m++) {
            const int x = axis[m][0], y = axis[m][1];
            int power[3] = {0};
            power[x]++;
            power[y]++;
            const double second =
                g->order > 1 ? h[hf_hermite_index(power[0], power[1], power[2])] : 0.0;
            const double width = x == y ? 0.5 / g->exponent : 0.0;
            moment[4 + m] += volume * (h[0] * (r[x] * r[y] + width) + first[x] * r[y] +
                                       first[y] * r[x] + (x == y ? 2.0 : 1.0) * second);
        }
    }
}
