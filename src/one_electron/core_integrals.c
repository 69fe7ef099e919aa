/* Integrals of an effective core potential: its local part in closed form, the rest from projections
 * that are made once per shell. */
#include "one_electron/core_integrals.h"

#include "base/arithmetic.h"
#include "core_projection.h"
#include "primitive_pair.h"

#include <math.h>
#include <string.h>

/* ---- The local part -------------------------------------------------------------------------- */

/* The local part of an effective core potential between two shells. A term r^0 exp(-g r^2) makes
 * overlaps of three Gaussians, products of one integral per dimension. Other powers follow from it:
 *
 *     r^2                multiplies the integral of each dimension in turn by its coordinate squared
 *     1/r                2/sqrt(pi) times the integral over t, 0 to infinity, of exp(-t^2 r^2)
 *     1/r^2              the integral over t of 2 t exp(-t^2 r^2);        r = r^2 (1/r)
 *
 * With t = sqrt(p + g) tan(theta), p the sum of the exponents of the two functions, the integrand
 * is smooth over theta, 0 to pi/2: Gauss-Legendre. */

/** Points for the powers of r that are no polynomial. */
enum { N_LOCAL_POINT = 64 };

/** One potential's local part. */
struct core_local {
    const struct hf_core_potential *potential; /**< borrowed */
    double centre[3];
    const struct hf_cartesian_table *cartesian;         /**< borrowed */
    double point[N_LOCAL_POINT], weight[N_LOCAL_POINT]; /**< 0 to pi/2 */
};

enum { MAX_A = HF_MAX_L + 1, MAX_B = HF_MAX_L + 3 }; /* one more for derivatives */

static const double LEAST = 1e-20; /* a product of Gaussians that matters */

/** Overlaps of x_A^i x_B^j with one Gaussian, one dimension. */
struct overlaps {
    double s[MAX_A + 1][MAX_B + 1];
};

/** A pair of primitives and where it is. */
struct primitive_pair {
    double exponent;    /**< sum of the two */
    double coefficient; /**< product of the two times the Gaussian of their distance */
    double centre[3];
};

static void init_local(const struct hf_core_potential *potential, const double centre[3],
                       const struct hf_cartesian_table *cartesian, struct core_local *local)
{
    const double quarter_pi = 0.25 * HF_PI;
    local->potential = potential;
    local->cartesian = cartesian;
    memcpy(local->centre, centre, sizeof local->centre);
    hf_gauss_legendre(N_LOCAL_POINT, local->point, local->weight);
    for (int i = 0; i < N_LOCAL_POINT; i++) {
        local->point[i] = quarter_pi * (1.0 + local->point[i]);
        local->weight[i] *= quarter_pi;
    }
}

/** Obara and Saika's recursion for a Gaussian of exponent q whose centre lies qa and qb from A and B;
 *  in units of sqrt(pi/q). */
static void find_overlaps(double q, double qa, double qb, int l_a, int l_b, struct overlaps *to)
{
    const double half = 0.5 / q;
    to->s[0][0] = 1.0;
    for (int i = 1; i <= l_a; i++)
        to->s[i][0] = qa * to->s[i - 1][0] + (i > 1 ? (i - 1) * half * to->s[i - 2][0] : 0.0);
    for (int j = 1; j <= l_b; j++)
        for (int i = 0; i <= l_a; i++)
            to->s[i][j] = qb * to->s[i][j - 1] + (i > 0 ? i * half * to->s[i - 1][j - 1] : 0.0) +
                          (j > 1 ? (j - 1) * half * to->s[i][j - 2] : 0.0);
}

/** The product of a shell's Cartesian component pair, with r^2 of the potential or without. */
static double component_integral(const struct overlaps overlap[3], const double bc[3], bool square,
                                 const signed char i[3], const signed char j[3])
{
    double value[3], sum = 0.0;
    for (int d = 0; d < 3; d++) value[d] = overlap[d].s[i[d]][j[d]];
    if (!square) return value[0] * value[1] * value[2];
    for (int d = 0; d < 3; d++) {
        const double *s = overlap[d].s[i[d]];
        const double raised = s[j[d] + 2] + 2.0 * bc[d] * s[j[d] + 1] + bc[d] * bc[d] * value[d];
        sum += raised * value[(d + 1) % 3] * value[(d + 2) % 3];
    }
    return sum;
}

/** Adds factor times the overlaps of a pair of primitives with exp(-g r^2), times r^2 if asked. */
static bool add_gaussian(const struct core_local *local, const struct primitive_pair *pair,
                         const struct hf_shell *a, const struct hf_shell *b, double g,
                         double factor, bool square, double block[])
{
    const double p = pair->exponent, q = p + g;
    struct overlaps overlap[3];
    double bc[3];
    factor *=
        pair->coefficient * exp(-p * g / q * hf_distance_squared(pair->centre, local->centre));
    if (fabs(factor) < LEAST) return false;
    factor *= pow(HF_PI / q, 1.5);
    for (int d = 0; d < 3; d++) {
        const double from_pair = g / q * (local->centre[d] - pair->centre[d]);
        bc[d] = b->centre_bohr[d] - local->centre[d];
        find_overlaps(q, pair->centre[d] - a->centre_bohr[d] + from_pair,
                      pair->centre[d] - b->centre_bohr[d] + from_pair, a->l,
                      b->l + (square ? 2 : 0), &overlap[d]);
    }
    for (int m = 0; m < hf_n_cartesian(a->l); m++)
        for (int n = 0; n < hf_n_cartesian(b->l); n++)
            *block++ += factor * component_integral(overlap, bc, square,
                                                    local->cartesian->component[a->l][m].power,
                                                    local->cartesian->component[b->l][n].power);
    return true;
}

/** Adds one term of the potential. */
static bool add_term(const struct core_local *local, const struct primitive_pair *pair,
                     const struct hf_shell *a, const struct hf_shell *b,
                     const struct hf_core_term *term, double block[])
{
    const bool square = term->power > 0;
    if (term->power == 0 || term->power == 2)
        return add_gaussian(local, pair, a, b, term->exponent, term->coefficient, square, block);
    bool any = false;
    const double c = pair->exponent + term->exponent, root_pi = sqrt(HF_PI);
    for (int i = 0; i < N_LOCAL_POINT; i++) {
        const double tangent = tan(local->point[i]), t = sqrt(c) * tangent;
        const double dt = sqrt(c) * (1.0 + tangent * tangent) * local->weight[i];
        const double factor = term->power == -2 ? 2.0 * t : 2.0 / root_pi;
        any = add_gaussian(local, pair, a, b, term->exponent + t * t,
                           term->coefficient * factor * dt, square, block) ||
              any;
    }
    return any;
}

/** The integrals of shells a and b into block [Cartesian functions of a][of b]; false: all are below
 *  1e-18, and the block is left alone. */
static bool find_local_block(const struct core_local *local, const struct hf_shell *a,
                             const struct hf_shell *b, double block[])
{
    const struct hf_core_potential *potential = local->potential;
    bool any = false;
    const double ab_squared = hf_distance_squared(a->centre_bohr, b->centre_bohr);
    memset(block, 0, (size_t)(hf_n_cartesian(a->l) * hf_n_cartesian(b->l)) * sizeof *block);
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j], p = alpha + beta;
            struct primitive_pair pair = {.exponent = p,
                                          .coefficient = a->coefficient[i] * b->coefficient[j] *
                                                         exp(-alpha * beta / p * ab_squared)};
            if (fabs(pair.coefficient) < LEAST) continue;
            for (int d = 0; d < 3; d++)
                pair.centre[d] = (alpha * a->centre_bohr[d] + beta * b->centre_bohr[d]) / p;
            for (int k = 0; k < potential->n_term; k++)
                if (potential->term[k].l == potential->max_l)
                    any = add_term(local, &pair, a, b, &potential->term[k], block) || any;
        }
    }
    return any;
}

/* ---- All of a potential ---------------------------------------------------------------------- */

static const double NO_REACH = 1e-18;
static const double LEAST_STEP = 1e-4; /* some 200,000 points */

struct hf_core_integrals {
    struct hf_arena arena; /**< has the arrays of points and shells, and this struct */
    const struct hf_basis *basis;
    const struct hf_core_potential *potential;
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    struct core_local local;
    struct hf_core_points points;
    bool *reach;                           /**< [n_shell] */
    struct hf_core_projection *projection; /**< [n_shell]; value NULL: not yet made */
    double *weighted;                      /**< of one function, all points and projectors */
    double block[HF_MAX_RAISED_CARTESIAN_BLOCK], scratch[HF_MAX_RAISED_CARTESIAN_BLOCK];
};

static bool reaches(const struct hf_core_integrals *self, const struct hf_shell *shell)
{
    const double distance = hf_core_distance(shell, self->points.centre);
    for (int i = 0; i < shell->n_primitive; i++)
        if (hf_core_reach(self->potential, shell, i, distance) > NO_REACH) return true;
    return false;
}

hf_status hf_core_integrals_create(const struct hf_basis *basis, int which, const double centre[3],
                                   struct hf_core_integrals **integrals, struct hf_error *error)
{
    const struct hf_core_potential *potential = &basis->core_potential[which];
    const double step = hf_core_step(basis, potential, centre);
    *integrals = NULL;
    if (!(step > LEAST_STEP))
        return hf_fail(
            error, HF_NO_RESOURCE,
            "the functions about atom %d are too sharp for the integrals of its effective "
            "core potential: steps of %.1e would be needed",
            potential->atom + 1, step);
    struct hf_core_integrals *self = HF_NEW(*integrals, NULL, "a core potential");
    if (self == NULL) return hf_arena_check_new(self, error);
    self->basis = basis;
    self->potential = potential;
    hf_cartesian_table_init(&self->cartesian);
    for (int l = 0; l <= HF_MAX_L; l++) hf_solid_harmonics_init(l, &self->harmonics[l]);
    init_local(potential, centre, &self->cartesian, &self->local);
    self->points.cartesian = &self->cartesian;
    self->points.harmonics = self->harmonics;
    memcpy(self->points.centre, centre, sizeof self->points.centre);
    hf_core_points_init(&self->arena, basis, potential, step, &self->points);
    HF_TAKE(&self->arena, self->reach, (size_t)basis->n_shell);
    HF_TAKE(&self->arena, self->projection, (size_t)basis->n_shell);
    HF_TAKE(&self->arena, self->weighted,
            (size_t)self->points.n_radius * (size_t)self->points.n_projector);
    const hf_status status = hf_arena_check(&self->arena, error);
    for (int s = 0; status == HF_OK && s < basis->n_shell; s++)
        self->reach[s] = reaches(self, &basis->shell[s]);
    if (status != HF_OK) hf_core_integrals_destroy(integrals);
    return status;
}

void hf_core_integrals_destroy(struct hf_core_integrals **integrals)
{
    hf_arena_free(integrals);
}

bool hf_core_integrals_reach(const struct hf_core_integrals *self, int atom)
{
    const int *first = self->basis->first_shell_of_atom;
    for (int s = first[atom]; s < first[atom + 1]; s++)
        if (self->reach[s]) return true;
    return false;
}

/** Makes the projections of the atom's shells that reach the potential, unless they are there. */
static bool project_atom(struct hf_core_integrals *self, int atom)
{
    const int *first = self->basis->first_shell_of_atom;
    for (int s = first[atom]; s < first[atom + 1]; s++)
        if (self->reach[s] && self->projection[s].value == NULL &&
            !hf_core_project(&self->points, &self->basis->shell[s], &self->arena,
                             &self->projection[s]))
            return false;
    return true;
}

/** Adds the local part to to[functions of a][n_column]. */
static void add_local(struct hf_core_integrals *self, const struct hf_shell *a,
                      const struct hf_shell *b, size_t n_column, double *to)
{
    const double *integral = self->block;
    if (!find_local_block(&self->local, a, b, self->block)) return;
    hf_block_to_spherical(self->harmonics, a, b, self->block, self->scratch);
    for (int m = 0; m < a->n_function; m++)
        for (int n = 0; n < b->n_function; n++) to[(size_t)m * n_column + (size_t)n] += *integral++;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum[4] = {0.0};
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (size_t lane = 0; lane < 4; lane++) sum[lane] += a[k + lane] * b[k + lane];
    for (; k < n; k++) sum[0] += a[k] * b[k];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/** Adds the projected part. */
static void add_projected(struct hf_core_integrals *self, int s, int t, size_t n_column, double *to)
{
    const struct hf_core_projection *a = &self->projection[s], *b = &self->projection[t];
    const size_t row = (size_t)self->points.n_projector;
    const int first = a->first > b->first ? a->first : b->first;
    const int end = a->end < b->end ? a->end : b->end;
    if (first >= end) return;
    const size_t n = (size_t)(end - first) * row;
    const size_t n_a = (size_t)(a->end - a->first) * row, n_b = (size_t)(b->end - b->first) * row;
    const double *weight = self->points.weight + (size_t)first * row;
    for (int i = 0; i < self->basis->shell[s].n_function; i++) {
        const double *of_a = a->value + (size_t)i * n_a + (size_t)(first - a->first) * row;
        for (size_t k = 0; k < n; k++) self->weighted[k] = weight[k] * of_a[k];
        for (int j = 0; j < self->basis->shell[t].n_function; j++)
            to[(size_t)i * n_column + (size_t)j] += dot(
                n, self->weighted, b->value + (size_t)j * n_b + (size_t)(first - b->first) * row);
    }
}

hf_status hf_core_integrals_add(struct hf_core_integrals *self, int i, int j, double block[],
                                struct hf_error *error)
{
    const struct hf_basis *basis = self->basis;
    const int *first = basis->first_shell_of_atom;
    if (!hf_core_integrals_reach(self, i) || !hf_core_integrals_reach(self, j)) return HF_OK;
    if (!project_atom(self, i) || !project_atom(self, j))
        return hf_arena_check(&self->arena, error);
    const size_t n_column = (size_t)hf_atom_n_function(basis, j);
    for (int s = first[i]; s < first[i + 1]; s++) {
        for (int t = first[j]; t < first[j + 1]; t++) {
            const struct hf_shell *a = &basis->shell[s], *b = &basis->shell[t];
            if (!self->reach[s] || !self->reach[t]) continue;
            double *to = block + hf_place_in_atom_block(basis, a, b);
            add_local(self, a, b, n_column, to);
            add_projected(self, s, t, n_column, to);
        }
    }
    return HF_OK;
}
