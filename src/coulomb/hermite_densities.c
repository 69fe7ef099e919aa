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
    for (int t = 0; t <= HF_MAX_RAISED_PAIR_L; t++)
        for (int u = 0; t + u <= HF_MAX_RAISED_PAIR_L; u++)
            for (int v = 0; t + u + v <= HF_MAX_RAISED_PAIR_L; v++)
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

/** The pair's blocks of all parts become those of a density, of ab and of ba where the shells are two. */
static void take_density(struct hf_hermite *self, const struct hf_shell_pair *pair,
                         const double *density, struct hf_block_place place)
{
    const struct hf_pair_class *kind = &self->products->pairs->class_of[pair->pair_class];
    clear_blocks(self, kind);
    for (int part = 0; part < kind->n_part; part++)
        to_cartesian(self, &kind->part[part], density, place, pair->a == pair->b ? 1.0 : 2.0,
                     self->block[part]);
}

void hf_hermite_add_density(struct hf_hermite *self, const struct hf_shell_pair *pair,
                            const double *density, struct hf_block_place place, double h[])
{
    const struct hf_products *products = self->products;
    const struct hf_pair_class *kind = &products->pairs->class_of[pair->pair_class];
    const struct hf_primitive_pair *primitive = hf_pair_primitives(products->pairs, pair);
    take_density(self, pair, density, place);
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

/* ---- Derivatives ------------------------------------------------------------------------------
 *
 * With the exponents a and b of a primitive, p = a + b, X = A - B and P at rest, the expansion changes by
 *
 *     dE_t^ij/dX = -b/p i E_t^(i-1)j + a/p j E_t^i(j-1) - 2 ab/p X E_t^ij
 *
 * in the direction of X, and V changes with P, so that the derivatives of the energy E = sum H V by A and B are
 *
 *     a/p dE/dP + dE/dX     b/p dE/dP - dE/dX     dE/dP_x = sum_tuv H_tuv V_(t+1)uv */

/** What a primitive has of a part: derivatives by X but for its exponential factor. */
static void add_changes(const struct hf_hermite *self, const struct hf_pair_part *part,
                        double coefficient, const double share[2], const double *block,
                        const double v_of[], double by_x[3])
{
    for (int a = 0; a < hf_n_cartesian(part->l_a); a++) {
        const signed char *i = self->cartesian.component[part->l_a][a].power;
        for (int b = 0; b < hf_n_cartesian(part->l_b); b++, block++) {
            const signed char *j = self->cartesian.component[part->l_b][b].power;
            for (int x = 0; x < 3; x++) {
                const int y = (x + 1) % 3, z = (x + 2) % 3, top = i[x] + j[x] - 1;
                const double(*e)[HF_MOST_RAISED_L + 1][HF_MOST_EXPANSION_T + 2] =
                    self->expansion[x].e;
                const double *of_y = self->expansion[y].e[i[y]][j[y]];
                const double *of_z = self->expansion[z].e[i[z]][j[z]];
                double sum = 0.0;
                for (int t = 0; t <= top; t++) {
                    const double slope = (j[x] > 0 ? share[0] * j[x] * e[i[x]][j[x] - 1][t] : 0.0) -
                                         (i[x] > 0 ? share[1] * i[x] * e[i[x] - 1][j[x]][t] : 0.0);
                    int power[3];
                    power[x] = t;
                    for (power[y] = 0; power[y] <= i[y] + j[y]; power[y]++)
                        for (power[z] = 0; power[z] <= i[z] + j[z]; power[z]++)
                            sum += slope * of_y[power[y]] * of_z[power[z]] *
                                   v_of[self->place[power[0]][power[1]][power[2]]];
                }
                by_x[x] += coefficient * *block * sum;
            }
        }
    }
}

/** Energy of H in V, and its derivatives by the centre. */
static double move_together(const struct hf_hermite *self, int order, const double h[],
                            const double v_of[], double by_p[3])
{
    double energy = 0.0;
    for (int t = 0; t <= order; t++) {
        for (int u = 0; t + u <= order; u++) {
            for (int v = 0; t + u + v <= order; v++) {
                const double of_h = h[self->place[t][u][v]];
                energy += of_h * v_of[self->place[t][u][v]];
                by_p[0] += of_h * v_of[self->place[t + 1][u][v]];
                by_p[1] += of_h * v_of[self->place[t][u + 1][v]];
                by_p[2] += of_h * v_of[self->place[t][u][v + 1]];
            }
        }
    }
    return energy;
}

void hf_hermite_add_derivatives(struct hf_hermite *self, const struct hf_shell_pair *pair,
                                const double *density, struct hf_block_place place,
                                const double v[], double slope[2][3])
{
    const struct hf_products *products = self->products;
    const struct hf_shell_pairs *pairs = products->pairs;
    const struct hf_pair_class *kind = &pairs->class_of[pair->pair_class];
    const struct hf_primitive_pair *primitive = hf_pair_primitives(pairs, pair);
    const struct hf_shell *a = &pairs->basis->shell[pair->a], *b = &pairs->basis->shell[pair->b];
    take_density(self, pair, density, place);
    for (int k = 0; k < pair->n_primitive; k++) {
        const double *v_of = v + products->first[products->place[pair->first_primitive + k]];
        const double share[2] = {a->exponent[primitive[k].i] / primitive[k].zeta,
                                 b->exponent[primitive[k].j] / primitive[k].zeta};
        double h[HF_N_HERMITE] = {0.0}, by_p[3] = {0.0}, by_x[3] = {0.0};
        expand_primitive(self, pair, k);
        for (int i = 0; i < kind->n_part; i++) {
            const struct hf_pair_part *part = &kind->part[i];
            const double coefficient = hf_product_coefficient(pairs, pair, i, &primitive[k]);
            add_part(self, part, coefficient, self->block[i], h);
            if (a->atom != b->atom)
                add_changes(self, part, coefficient, share, self->block[i], v_of, by_x);
        }
        const double energy = move_together(self, kind->l_high, h, v_of, by_p);
        const double steepness = -2.0 * share[0] * b->exponent[primitive[k].j] * energy;
        for (int x = 0; x < 3; x++) {
            by_x[x] += steepness * (a->centre_bohr[x] - b->centre_bohr[x]);
            slope[0][x] += share[0] * by_p[x] + by_x[x];
            slope[1][x] += share[1] * by_p[x] - by_x[x];
        }
    }
}
