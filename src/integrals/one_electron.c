/* One-electron integrals by Hermite expansion (McMurchie and Davidson). Plain code: they take a
 * vanishing share of a calculation. */
#include "cartesian.h"
#include "hf/boys.h"
#include "hf/integrals.h"
#include "hf/layout.h"
#include "hf/solid_harmonics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_A = HF_MAX_L,
    MAX_B = HF_MAX_L + 2, /**< the kinetic energy raises the second function twice */
    MAX_T = MAX_A + MAX_B,
    MAX_HERMITE = HF_MAX_PAIR_L + 1,
    MAX_BLOCK = (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 * (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2
};

/** Expansion of x_A^i x_B^j times two Gaussians in Hermite Gaussians, one dimension. */
struct hermite_expansion {
    double e[MAX_A + 1][MAX_B + 1][MAX_T + 1];
};

/** Coulomb integrals R_tuv of Hermite Gaussians about one nucleus. */
struct hermite_coulomb {
    double r[MAX_HERMITE][MAX_HERMITE][MAX_HERMITE];
};

/** What every block of a run needs. */
struct one_electron {
    enum hf_operator which;
    const struct hf_molecule *molecule;
    struct hf_boys
        *boys; /**< nuclear attraction only: its tables cost more than an overlap matrix */
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    struct hermite_coulomb coulomb[2];
};

/** One primitive pair. */
struct primitive_pair {
    double alpha, beta, p, coefficient;
    double centre[3];
    struct hermite_expansion expansion[3]; /**< x, y, z; the Gaussian prefactor sits in x */
};

/** E_t^ij for i <= l_a, j <= l_b: Helgaker, Jorgensen, Olsen, Eqs. 9.5.6 and 9.5.7. */
static void expand(double p, double pa, double pb, double first, int l_a, int l_b,
                   struct hermite_expansion *out)
{
    const double half = 0.5 / p;
    memset(out, 0, sizeof *out);
    out->e[0][0][0] = first;
    for (int i = 0; i <= l_a; i++) {
        if (i > 0) {
            for (int t = 0; t <= i; t++) {
                const double *e = out->e[i - 1][0];
                out->e[i][0][t] = (t > 0 ? half * e[t - 1] : 0.0) + pa * e[t] + (t + 1) * e[t + 1];
            }
        }
        for (int j = 1; j <= l_b; j++) {
            for (int t = 0; t <= i + j; t++) {
                const double *e = out->e[i][j - 1];
                out->e[i][j][t] = (t > 0 ? half * e[t - 1] : 0.0) + pb * e[t] +
                                  (t < MAX_T ? (t + 1) * e[t + 1] : 0.0);
            }
        }
    }
}

/** R_tuv for t+u+v <= l, about distance c from the nucleus: Helgaker et al., Eqs. 9.9.18-9.9.20.
 *  The result is in the buffer returned. */
static const struct hermite_coulomb *hermite_coulomb(struct one_electron *self, double p,
                                                     const double c[3], int l)
{
    double boys[HF_BOYS_MAX_ORDER + 1];
    hf_boys_evaluate(self->boys, l, p * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), boys);
    struct hermite_coulomb *now = &self->coulomb[0], *next = &self->coulomb[1];
    for (int n = l; n >= 0; n--) {
        struct hermite_coulomb *swap = now;
        now = next;
        next = swap;
        now->r[0][0][0] = pow(-2.0 * p, n) * boys[n];
        for (int t = 0; t <= l - n; t++) {
            for (int u = 0; u <= l - n - t; u++) {
                for (int v = 0; v <= l - n - t - u; v++) {
                    double *r = &now->r[t][u][v];
                    if (t > 0)
                        *r = c[0] * next->r[t - 1][u][v] +
                             (t > 1 ? (t - 1) * next->r[t - 2][u][v] : 0.0);
                    else if (u > 0)
                        *r = c[1] * next->r[t][u - 1][v] +
                             (u > 1 ? (u - 1) * next->r[t][u - 2][v] : 0.0);
                    else if (v > 0)
                        *r = c[2] * next->r[t][u][v - 1] +
                             (v > 1 ? (v - 1) * next->r[t][u][v - 2] : 0.0);
                }
            }
        }
    }
    return now;
}

/** Kinetic energy in one dimension: -1/2 <i| d^2/dx^2 |j> in units of the overlap's sqrt(pi/p). */
static double kinetic(const struct hermite_expansion *e, double beta, int i, int j)
{
    double value = beta * (2 * j + 1) * e->e[i][j][0] - 2.0 * beta * beta * e->e[i][j + 2][0];
    if (j > 1) value -= 0.5 * j * (j - 1) * e->e[i][j - 2][0];
    return value;
}

/** Integral of one product of components, all operators but nuclear attraction. */
static double component_integral(enum hf_operator which, const struct primitive_pair *pair,
                                 const signed char i[3], const signed char j[3])
{
    double overlap[3];
    for (int d = 0; d < 3; d++) overlap[d] = pair->expansion[d].e[i[d]][j[d]][0];
    double value = 0.0;
    if (which == HF_OVERLAP) {
        value = overlap[0] * overlap[1] * overlap[2];
    } else if (which == HF_KINETIC) {
        for (int d = 0; d < 3; d++)
            value += kinetic(&pair->expansion[d], pair->beta, i[d], j[d]) * overlap[(d + 1) % 3] *
                     overlap[(d + 2) % 3];
    } else {
        const int d = (int)which - (int)HF_DIPOLE_X;
        value = (pair->expansion[d].e[i[d]][j[d]][1] + pair->centre[d] * overlap[d]) *
                overlap[(d + 1) % 3] * overlap[(d + 2) % 3];
    }
    return value * pow(acos(-1.0) / pair->p, 1.5);
}

/** Adds sum_tuv E_t E_u E_v R_tuv times `factor` for every product of components. */
static void add_nucleus(const struct one_electron *self, const struct primitive_pair *pair, int l_a,
                        int l_b, const struct hermite_coulomb *coulomb, double factor,
                        double *block)
{
    for (int a = 0; a < hf_n_cartesian(l_a); a++) {
        const signed char *i = self->cartesian.component[l_a][a].power;
        for (int b = 0; b < hf_n_cartesian(l_b); b++) {
            const signed char *j = self->cartesian.component[l_b][b].power;
            double sum = 0.0;
            for (int t = 0; t <= i[0] + j[0]; t++)
                for (int u = 0; u <= i[1] + j[1]; u++)
                    for (int v = 0; v <= i[2] + j[2]; v++)
                        sum += pair->expansion[0].e[i[0]][j[0]][t] *
                               pair->expansion[1].e[i[1]][j[1]][u] *
                               pair->expansion[2].e[i[2]][j[2]][v] * coulomb->r[t][u][v];
            *block++ += factor * sum;
        }
    }
}

/** Adds one primitive pair to the Cartesian block [a][b]. */
static void add_primitive(struct one_electron *self, const struct primitive_pair *pair, int l_a,
                          int l_b, double *block)
{
    if (self->which == HF_NUCLEAR) {
        for (int i = 0; i < self->molecule->n_atom; i++) {
            const double charge = hf_molecule_nuclear_charge(self->molecule, i);
            if (charge == 0.0) continue;
            double c[3];
            for (int d = 0; d < 3; d++)
                c[d] = pair->centre[d] - self->molecule->atom[i].position_bohr[d];
            const struct hermite_coulomb *r = hermite_coulomb(self, pair->p, c, l_a + l_b);
            const double factor = -charge * 2.0 * acos(-1.0) / pair->p;
            add_nucleus(self, pair, l_a, l_b, r, factor, block);
        }
        return;
    }
    for (int a = 0; a < hf_n_cartesian(l_a); a++)
        for (int b = 0; b < hf_n_cartesian(l_b); b++)
            *block++ +=
                component_integral(self->which, pair, self->cartesian.component[l_a][a].power,
                                   self->cartesian.component[l_b][b].power);
}

/** Makes a Cartesian block [a][b] spherical where the shells are; the result is in `block`. */
static void block_to_spherical(const struct one_electron *self, const struct hf_shell *a,
                               const struct hf_shell *b, double *block, double *scratch)
{
    int n_a = hf_n_cartesian(a->l);
    const int n_b = hf_n_cartesian(b->l);
    if (a->spherical) {
        hf_solid_harmonics_apply(&self->harmonics[a->l], a->l, n_b, block, scratch);
        n_a = a->n_function;
        memcpy(block, scratch, (size_t)n_a * n_b * sizeof *block);
    }
    if (b->spherical) {
        for (int i = 0; i < n_a; i++)
            hf_solid_harmonics_apply(&self->harmonics[b->l], b->l, 1, block + (size_t)i * n_b,
                                     scratch + (size_t)i * b->n_function);
        memcpy(block, scratch, (size_t)n_a * b->n_function * sizeof *block);
    }
}

/** Block [functions of a][functions of b]. */
static void compute_block(struct one_electron *self, const struct hf_shell *a,
                          const struct hf_shell *b, double *block, double *scratch)
{
    const int raise = self->which == HF_KINETIC ? 2 : 0;
    double ab_squared = 0.0;
    for (int d = 0; d < 3; d++) {
        const double x = a->centre_bohr[d] - b->centre_bohr[d];
        ab_squared += x * x;
    }
    memset(block, 0, (size_t)MAX_BLOCK * sizeof *block);
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j], p = alpha + beta;
            const double factor =
                a->coefficient[i] * b->coefficient[j] * exp(-alpha * beta / p * ab_squared);
            if (fabs(factor) < 1e-20) continue;
            struct primitive_pair pair = {.alpha = alpha, .beta = beta, .p = p};
            for (int d = 0; d < 3; d++) {
                const double ab = a->centre_bohr[d] - b->centre_bohr[d];
                pair.centre[d] = (alpha * a->centre_bohr[d] + beta * b->centre_bohr[d]) / p;
                expand(p, -beta / p * ab, alpha / p * ab, d == 0 ? factor : 1.0, a->l, b->l + raise,
                       &pair.expansion[d]);
            }
            add_primitive(self, &pair, a->l, b->l, block);
        }
    }
    block_to_spherical(self, a, b, block, scratch);
}

/** Puts the integrals of two shells into the block [n_row][n_column] of their atoms. */
static void place(const double *integral, const struct hf_shell *a, const struct hf_shell *b,
                  const int corner[2], size_t n_column, double *atom_block)
{
    for (int i = 0; i < a->n_function; i++)
        for (int j = 0; j < b->n_function; j++)
            atom_block[(size_t)(a->first_function - corner[0] + i) * n_column +
                       (size_t)(b->first_function - corner[1] + j)] = *integral++;
}

/** All shells of atom i with all of atom j. */
static void fill_atom_block(struct one_electron *self, const struct hf_basis *basis,
                            const int first[], int i, int j, double *atom_block)
{
    double block[MAX_BLOCK], scratch[MAX_BLOCK];
    const int corner[2] = {first[i], first[j]};
    const size_t n_column = (size_t)(first[j + 1] - first[j]);
    for (int m = basis->first_shell_of_atom[i]; m < basis->first_shell_of_atom[i + 1]; m++) {
        for (int l = basis->first_shell_of_atom[j]; l < basis->first_shell_of_atom[j + 1]; l++) {
            compute_block(self, &basis->shell[m], &basis->shell[l], block, scratch);
            place(block, &basis->shell[m], &basis->shell[l], corner, n_column, atom_block);
        }
    }
}

static void fill_share(struct one_electron *self, const struct hf_basis *basis,
                       const struct hf_block_layout *layout, double *blocks)
{
    const int *first = hf_block_layout_first(layout);
    struct hf_own_blocks own = hf_own_blocks_begin(layout);
    struct hf_own_block block;
    while (hf_own_blocks_next(&own, &block))
        fill_atom_block(self, basis, first, block.i, block.j, blocks + block.offset);
}

hf_status hf_one_electron(struct hf_context *context, const struct hf_basis *basis,
                          const struct hf_molecule *molecule, enum hf_operator which,
                          struct hf_matrix *matrix, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_block_layout *layout = NULL;
    double *blocks = NULL;
    struct one_electron *self = NULL;
    HF_TRY(hf_atom_layout_create(context, basis, &layout, error));
    self = calloc(1, sizeof *self);
    blocks = hf_memory_allocate_matrix(context->memory, "one-electron integrals",
                                       hf_block_layout_local_size(layout), sizeof *blocks);
    if (self != NULL && which == HF_NUCLEAR) self->boys = hf_boys_create(2 * basis->max_l);
    if (self == NULL || blocks == NULL || (which == HF_NUCLEAR && self->boys == NULL))
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the one-electron integrals");
    HF_TRY(hf_agree(context->comm, status, error));

    self->which = which;
    self->molecule = molecule;
    hf_cartesian_table_init(&self->cartesian);
    for (int l = 0; l <= HF_MAX_L; l++) hf_solid_harmonics_init(l, &self->harmonics[l]);
    fill_share(self, basis, layout, blocks);
    HF_TRY(hf_matrix_set_blocks(matrix, layout, blocks, error));
cleanup:
    hf_memory_release(context->memory, blocks);
    hf_block_layout_destroy(&layout);
    if (self != NULL) hf_boys_destroy(&self->boys);
    free(self);
    return status;
}
