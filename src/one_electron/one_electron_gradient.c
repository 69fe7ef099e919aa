/* Derivatives of one-electron energies, a block of a density at a time. */
#include "one_electron/one_electron_gradient.h"

#include "base/arena.h"
#include "one_electron/hermite.h"
#include "primitive_pair.h"

#include <math.h>
#include <string.h>

/** Primitive pairs that add less are left out: some 1e5 of them stay below 1e-9 hartree/bohr. */
static const double SMALLEST = 1e-15;

/** Hermite coefficients up to one order more than a pair of shells has. */
enum { N_RAISED = HF_N_RAISED_HERMITE };

struct hf_one_electron_gradient {
    struct hf_arena arena;
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    struct hf_hermite_points *points; /**< the places of the charges */
    int n_charge;
    double *charge; /**< [n_charge] */
    struct hf_primitive_pair pair;
    double block[HF_MAX_CARTESIAN_BLOCK], scratch[HF_MAX_CARTESIAN_BLOCK];
    double whole[N_RAISED];    /**< Hermite density of the pair of primitives */
    double slope[3][N_RAISED]; /**< its derivative by B */
    double potential[N_RAISED];
};

/** Local: x, y, z of the charges, and their values. */
static hf_status take_charges(struct hf_one_electron_gradient *self, const struct hf_basis *basis,
                              const struct hf_spread_charge charge[], struct hf_error *error)
{
    const size_t n = (size_t)self->n_charge;
    double *place = HF_TAKE_UNSET(&self->arena, place, 3 * n);
    HF_TAKE_UNSET(&self->arena, self->charge, n);
    if (self->arena.failed) return hf_arena_check(&self->arena, error);
    for (size_t c = 0; c < n; c++) {
        self->charge[c] = charge[c].charge;
        for (size_t d = 0; d < 3; d++) place[d * n + c] = charge[c].position_bohr[d];
    }
    const hf_status status = hf_hermite_points_create(basis, self->n_charge, place, place + n,
                                                      place + 2 * n, &self->points, error);
    if (status == HF_OK) hf_hermite_points_set_charges(self->points, self->charge);
    hf_arena_release(&self->arena, place);
    return status;
}

hf_status hf_one_electron_gradient_create(const struct hf_basis *basis, int n_charge,
                                          const struct hf_spread_charge charge[],
                                          struct hf_one_electron_gradient **gradient,
                                          struct hf_error *error)
{
    struct hf_one_electron_gradient *self = HF_NEW(*gradient, NULL, "one-electron derivatives");
    if (self == NULL) return hf_arena_check_new(self, error);
    hf_cartesian_table_init(&self->cartesian);
    for (int l = 0; l <= basis->max_l; l++) hf_solid_harmonics_init(l, &self->harmonics[l]);
    self->n_charge = n_charge;
    if (n_charge == 0) return HF_OK;
    const hf_status status = take_charges(self, basis, charge, error);
    if (status != HF_OK) hf_one_electron_gradient_destroy(gradient);
    return status;
}

void hf_one_electron_gradient_destroy(struct hf_one_electron_gradient **gradient)
{
    if (*gradient != NULL) hf_hermite_points_destroy(&(*gradient)->points);
    hf_arena_free(gradient);
}

/** The next pair of primitives of the block that adds anything, expanded with b raised. */
struct walk {
    double largest; /**< |D| over Cartesian functions */
    int i, j;       /**< the next pair */
};

static struct walk begin(struct hf_one_electron_gradient *self,
                         const struct hf_density_block *density)
{
    return (struct walk){.largest = hf_density_to_cartesian(
                             self->harmonics, density->a, density->b, density->factor,
                             density->element, density->stride, self->scratch, self->block)};
}

static bool next(struct hf_one_electron_gradient *self, const struct hf_density_block *density,
                 int raise, struct walk *walk)
{
    const struct hf_shell *a = density->a, *b = density->b;
    struct hf_primitive_pair *pair = &self->pair;
    while (walk->i < a->n_primitive) {
        hf_primitive_pair_place(a, b, walk->i, walk->j, pair);
        if (++walk->j == b->n_primitive) {
            walk->j = 0;
            walk->i++;
        }
        if (fabs(pair->factor) * walk->largest * (1.0 + pair->p) < SMALLEST) continue;
        hf_primitive_pair_expand(a, b, raise, pair);
        return true;
    }
    return false;
}

/** Integrals of a product in one dimension, and their derivatives by B, in units of sqrt(pi/p). */
struct line {
    double overlap, weighted; /**< `weighted`: of the operator in this dimension */
    double d_overlap, d_weighted;
};

static double weighted(const struct hf_primitive_pair *pair, enum hf_operator which, int d, int i,
                       int j)
{
    if (which == HF_OVERLAP) return 0.0;
    return which == HF_KINETIC ? hf_kinetic_line(pair, d, i, j) : hf_dipole_line(pair, d, i, j);
}

static struct line make_line(const struct hf_primitive_pair *pair, enum hf_operator which, int d,
                             int i, int j)
{
    const struct hf_hermite_expansion *e = &pair->expansion[d];
    const double two_beta = 2.0 * pair->beta;
    struct line line = {
        .overlap = e->e[i][j][0],
        .weighted = weighted(pair, which, d, i, j),
        .d_overlap = two_beta * e->e[i][j + 1][0],
        .d_weighted = two_beta * weighted(pair, which, d, i, j + 1),
    };
    if (j > 0) {
        line.d_overlap -= j * e->e[i][j - 1][0];
        line.d_weighted -= j * weighted(pair, which, d, i, j - 1);
    }
    return line;
}

/** The derivative along x of the sum of the operator's terms: each has its operator in one dimension `in`,
 *  of first .. last - 1; without any there is one term, the overlap. */
static double slope_of(const struct line line[3], int x, int first, int last)
{
    double sum = 0.0;
    for (int in = first; in < last; in++) {
        double term = 1.0;
        for (int d = 0; d < 3; d++) {
            if (d == x)
                term *= d == in ? line[d].d_weighted : line[d].d_overlap;
            else
                term *= d == in ? line[d].weighted : line[d].overlap;
        }
        sum += term;
    }
    return sum;
}

void hf_add_operator_gradient(struct hf_one_electron_gradient *gradient, enum hf_operator which,
                              const struct hf_density_block *density, double of_a[3],
                              double of_b[3])
{
    struct hf_one_electron_gradient *self = gradient;
    const bool dipole = which >= HF_DIPOLE_X && which <= HF_DIPOLE_Z;
    const int axis = (int)which - (int)HF_DIPOLE_X;
    const int first = dipole ? axis : which == HF_KINETIC ? 0 : 3;
    const int last = dipole ? axis + 1 : which == HF_KINETIC ? 3 : 4;
    const int l_a = density->a->l, l_b = density->b->l;
    struct walk walk = begin(self, density);
    while (next(self, density, which == HF_KINETIC ? 3 : 1, &walk)) {
        const double scale = self->pair.factor * self->pair.volume;
        const double *element = self->block;
        for (int a = 0; a < hf_n_cartesian(l_a); a++) {
            const signed char *i = self->cartesian.component[l_a][a].power;
            for (int b = 0; b < hf_n_cartesian(l_b); b++) {
                const signed char *j = self->cartesian.component[l_b][b].power;
                const double weight = scale * *element++;
                struct line line[3];
                for (int d = 0; d < 3; d++) line[d] = make_line(&self->pair, which, d, i[d], j[d]);
                for (int x = 0; x < 3; x++) {
                    const double slope = weight * slope_of(line, x, first, last);
                    of_b[x] += slope;
                    of_a[x] -= slope;
                }
                if (dipole) /* moving both moves the charge */
                    of_a[axis] += weight * line[0].overlap * line[1].overlap * line[2].overlap;
            }
        }
    }
}

/** E_t of a component, and its derivative by B. */
struct axis_terms {
    int last; /**< highest t; the derivative has one more */
    const double *e;
    double slope[HF_MOST_EXPANSION_T + 2];
};

static void find_terms(const struct hf_primitive_pair *pair, int d, int i, int j,
                       struct axis_terms *terms)
{
    const double(*e)[HF_MOST_EXPANSION_T + 2] = pair->expansion[d].e[i];
    terms->last = i + j;
    terms->e = e[j];
    for (int t = 0; t <= i + j + 1; t++) terms->slope[t] = 2.0 * pair->beta * e[j + 1][t];
    for (int t = 0; j > 0 && t < i + j; t++) terms->slope[t] -= j * e[j - 1][t];
}

/** Hermite density of the pair of primitives, and its derivative by B. */
static void make_hermite(struct hf_one_electron_gradient *self, int l_a, int l_b)
{
    const double *element = self->block;
    const size_t n = (size_t)hf_n_hermite(l_a + l_b + 1);
    struct axis_terms terms[3];
    memset(self->whole, 0, n * sizeof *self->whole);
    for (int x = 0; x < 3; x++) memset(self->slope[x], 0, n * sizeof *self->slope[x]);
    for (int a = 0; a < hf_n_cartesian(l_a); a++) {
        const signed char *i = self->cartesian.component[l_a][a].power;
        for (int b = 0; b < hf_n_cartesian(l_b); b++) {
            const signed char *j = self->cartesian.component[l_b][b].power;
            const double weight = self->pair.factor * *element++;
            for (int d = 0; d < 3; d++) find_terms(&self->pair, d, i[d], j[d], &terms[d]);
            const int m[3] = {terms[0].last, terms[1].last, terms[2].last};
            const double *e[3] = {terms[0].e, terms[1].e, terms[2].e};
            hf_add_hermite_product(weight, m[0], e[0], m[1], e[1], m[2], e[2], self->whole);
            hf_add_hermite_product(weight, m[0] + 1, terms[0].slope, m[1], e[1], m[2], e[2],
                                   self->slope[0]);
            hf_add_hermite_product(weight, m[0], e[0], m[1] + 1, terms[1].slope, m[2], e[2],
                                   self->slope[1]);
            hf_add_hermite_product(weight, m[0], e[0], m[1], e[1], m[2] + 1, terms[2].slope,
                                   self->slope[2]);
        }
    }
}

void hf_add_charges_gradient(struct hf_one_electron_gradient *gradient,
                             const struct hf_density_block *density, double of_a[3], double of_b[3])
{
    struct hf_one_electron_gradient *self = gradient;
    const int l_a = density->a->l, l_b = density->b->l, order = l_a + l_b;
    struct walk walk = begin(self, density);
    if (self->n_charge == 0) return;
    while (next(self, density, 1, &walk)) {
        double together[3];
        make_hermite(self, l_a, l_b);
        const struct hf_hermite_gaussian gaussian = {
            .exponent = self->pair.p,
            .centre = {self->pair.centre[0], self->pair.centre[1], self->pair.centre[2]},
            .order = order,
            .coefficient = self->whole,
        };
        hf_hermite_add_charges(self->points, &gaussian, self->potential, together);
        for (int x = 0; x < 3; x++) {
            double slope = 0.0;
            for (int k = 0; k < hf_n_hermite(order + 1); k++)
                slope += self->slope[x][k] * self->potential[k];
            of_b[x] -= slope; /* electrons are attracted */
            of_a[x] -= together[x] - slope;
        }
    }
}

void hf_add_gradient_of_charges(struct hf_one_electron_gradient *gradient, double (*of_charge)[3])
{
    if (gradient->n_charge == 0) return;
    hf_hermite_add_slopes(gradient->points, gradient->charge, of_charge);
    hf_hermite_points_set_charges(gradient->points, gradient->charge); /* forgets the slopes */
}
