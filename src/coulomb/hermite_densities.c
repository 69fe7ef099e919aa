/* Between functions and Hermite Gaussians, product by product. */
#include "hermite_densities.h"

#include <math.h>
#include <string.h>

void hf_hermite_init(struct hf_hermite *self, const struct hf_products *products)
{
    memset(self, 0, sizeof *self);
    self->products = products;
    hf_cartesian_table_init(&self->cartesian);
    for (int l = 0; l <= HF_MAX_L; l++) hf_solid_harmonics_init(l, &self->harmonics[l]);
    for (int t = 0; t <= HF_MAX_PAIR_L; t++)
        for (int u = 0; t + u <= HF_MAX_PAIR_L; u++)
            for (int v = 0; t + u + v <= HF_MAX_PAIR_L; v++)
                self->place[t][u][v] = (short)hf_hermite_index(t, u, v);
}

/** The expansion of primitive k of a pair. */
static void expand_primitive(struct hf_hermite *self, const struct hf_shell_pair *pair, int k)
{
    const struct hf_basis *basis = self->products->pairs->basis;
    const struct hf_primitive_pair *primitive = &hf_pair_primitives(self->products->pairs, pair)[k];
    const struct hf_shell *a = &basis->shell[pair->a], *b = &basis->shell[pair->b];
    for (int d = 0; d < 3; d++)
        hf_expand_in_hermite(primitive->one_over_two_zeta, primitive->pa[d],
                             primitive->pa[d] + (a->centre_bohr[d] - b->centre_bohr[d]),
                             d == 0 ? primitive->prefactor : 1.0, a->l, b->l, &self->expansion[d]);
}

/** Powers of two components, and their expansions. */
struct expanded {
    const double *x, *y, *z;
    int t, u, v; /**< highest */
};

static struct expanded expanded_of(const struct hf_hermite *self, int l_a, int a, int l_b, int b)
{
    const signed char *i = self->cartesian.component[l_a][a].power;
    const signed char *j = self->cartesian.component[l_b][b].power;
    return (struct expanded){.x = self->expansion[0].e[i[0]][j[0]],
                             .y = self->expansion[1].e[i[1]][j[1]],
                             .z = self->expansion[2].e[i[2]][j[2]],
                             .t = i[0] + j[0],
                             .u = i[1] + j[1],
                             .v = i[2] + j[2]};
}

/** Adds the contribution of a Cartesian block of a part to H of the current primitive. */
static void add_part(const struct hf_hermite *self, const struct hf_pair_part *part,
                     double coefficient, const double *block, double h[])
{
    const int n_b = hf_n_cartesian(part->l_b);
    for (int a = 0; a < hf_n_cartesian(part->l_a); a++) {
        for (int b = 0; b < n_b; b++) {
            const struct expanded e = expanded_of(self, part->l_a, a, part->l_b, b);
            const double value = coefficient * block[a * n_b + b];
            for (int t = 0; t <= e.t; t++) {
                for (int u = 0; u <= e.u; u++) {
                    const double factor = value * e.x[t] * e.y[u];
                    for (int v = 0; v <= e.v; v++) h[self->place[t][u][v]] += factor * e.z[v];
                }
            }
        }
    }
}

/** Adds the contribution of V of the current primitive to a Cartesian block of a part. */
static void add_potential(const struct hf_hermite *self, const struct hf_pair_part *part,
                          double coefficient, const double v_of[], double *block)
{
    const int n_b = hf_n_cartesian(part->l_b);
    for (int a = 0; a < hf_n_cartesian(part->l_a); a++) {
        for (int b = 0; b < n_b; b++) {
            const struct expanded e = expanded_of(self, part->l_a, a, part->l_b, b);
            double sum = 0.0;
            for (int t = 0; t <= e.t; t++) {
                for (int u = 0; u <= e.u; u++) {
                    double of_z = 0.0;
                    for (int v = 0; v <= e.v; v++) of_z += e.z[v] * v_of[self->place[t][u][v]];
                    sum += e.x[t] * e.y[u] * of_z;
                }
            }
            block[a * n_b + b] += coefficient * sum;
        }
    }
}

/** One monomial of a function. */
struct term {
    int component;
    double coefficient;
};

static int n_term(const struct hf_hermite *self, int l, bool spherical, int function)
{
    return spherical ? self->harmonics[l].n_term[function] : 1;
}

static struct term term_of(const struct hf_hermite *self, int l, bool spherical, int function,
                           int k)
{
    if (!spherical) return (struct term){.component = function, .coefficient = 1.0};
    return (struct term){.component = self->harmonics[l].column[function][k],
                         .coefficient = self->harmonics[l].coefficient[function][k]};
}

/** The Cartesian block of a part, whose functions have that block in a density, times `factor`. */
static void to_cartesian(const struct hf_hermite *self, const struct hf_pair_part *part,
                         const double *density, struct hf_block_place place, double factor,
                         double *block)
{
    const int n_b = hf_n_cartesian(part->l_b);
    for (int i = 0; i < part->n_a; i++) {
        for (int j = 0; j < part->n_b; j++) {
            const double number =
                factor * density[place.first + (size_t)(part->first_a + i) * place.row +
                                 (size_t)(part->first_b + j) * place.column];
            for (int k = 0; k < n_term(self, part->l_a, part->spherical_a, i); k++) {
                const struct term a = term_of(self, part->l_a, part->spherical_a, i, k);
                for (int m = 0; m < n_term(self, part->l_b, part->spherical_b, j); m++) {
                    const struct term b = term_of(self, part->l_b, part->spherical_b, j, m);
                    block[a.component * n_b + b.component] +=
                        number * a.coefficient * b.coefficient;
                }
            }
        }
    }
}

/** Adds `factor` times what functions have whose monomials have that block. */
static void to_functions(const struct hf_hermite *self, const struct hf_pair_part *part,
                         const double *block, double factor, struct hf_block_place place,
                         double *coulomb)
{
    const int n_b = hf_n_cartesian(part->l_b);
    for (int i = 0; i < part->n_a; i++) {
        for (int j = 0; j < part->n_b; j++) {
            double sum = 0.0;
            for (int k = 0; k < n_term(self, part->l_a, part->spherical_a, i); k++) {
                const struct term a = term_of(self, part->l_a, part->spherical_a, i, k);
                for (int m = 0; m < n_term(self, part->l_b, part->spherical_b, j); m++) {
                    const struct term b = term_of(self, part->l_b, part->spherical_b, j, m);
                    sum += a.coefficient * b.coefficient * block[a.component * n_b + b.component];
                }
            }
            coulomb[place.first + (size_t)(part->first_a + i) * place.row +
                    (size_t)(part->first_b + j) * place.column] += factor * sum;
        }
    }
}

/** The pair's blocks of all parts become zeros. */
static void clear_blocks(struct hf_hermite *self, const struct hf_pair_class *kind)
{
    for (int part = 0; part < kind->n_part; part++)
        memset(self->block[part], 0,
               (size_t)hf_n_cartesian(kind->part[part].l_a) *
                   (size_t)hf_n_cartesian(kind->part[part].l_b) * sizeof(double));
}

void hf_hermite_clear(const struct hf_hermite *self, const struct hf_shell_pair *pair, double h[])
{
    const struct hf_products *products = self->products;
    for (int k = 0; k < pair->n_primitive; k++) {
        const int64_t product = products->place[pair->first_primitive + k];
        const int64_t first = products->first[product];
        memset(h + first, 0, (size_t)(products->first[product + 1] - first) * sizeof *h);
    }
}

void hf_hermite_add_density(struct hf_hermite *self, const struct hf_shell_pair *pair,
                            const double *density, struct hf_block_place place, double h[])
{
    const struct hf_products *products = self->products;
    const struct hf_pair_class *kind = &products->pairs->class_of[pair->pair_class];
    const struct hf_primitive_pair *primitive = hf_pair_primitives(products->pairs, pair);
    clear_blocks(self, kind);
    for (int part = 0; part < kind->n_part; part++)
        to_cartesian(self, &kind->part[part], density, place, pair->a == pair->b ? 1.0 : 2.0,
                     self->block[part]);
    for (int k = 0; k < pair->n_primitive; k++) {
        const int64_t product = products->place[pair->first_primitive + k];
        expand_primitive(self, pair, k);
        for (int part = 0; part < kind->n_part; part++)
            add_part(self, &kind->part[part],
                     hf_product_coefficient(products->pairs, pair, part, &primitive[k]),
                     self->block[part], h + products->first[product]);
    }
}

void hf_hermite_add_coulomb(struct hf_hermite *self, const struct hf_shell_pair *pair,
                            const double v[], double factor, struct hf_block_place place,
                            double *coulomb)
{
    const struct hf_products *products = self->products;
    const struct hf_pair_class *kind = &products->pairs->class_of[pair->pair_class];
    const struct hf_primitive_pair *primitive = hf_pair_primitives(products->pairs, pair);
    clear_blocks(self, kind);
    for (int k = 0; k < pair->n_primitive; k++) {
        const int64_t product = products->place[pair->first_primitive + k];
        expand_primitive(self, pair, k);
        for (int part = 0; part < kind->n_part; part++)
            add_potential(self, &kind->part[part],
                          hf_product_coefficient(products->pairs, pair, part, &primitive[k]),
                          v + products->first[product], self->block[part]);
    }
    for (int part = 0; part < kind->n_part; part++)
        to_functions(self, &kind->part[part], self->block[part], factor, place, coulomb);
}
