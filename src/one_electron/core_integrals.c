/* Integrals of an effective core potential: its local part in closed form, the rest from projections
 * that are made once per shell. */
#include "one_electron/core_integrals.h"

#include "core_local.h"
#include "core_projection.h"
#include "primitive_pair.h"

#include <math.h>
#include <string.h>

static const double NO_REACH = 1e-18;
static const double LEAST_STEP = 1e-4; /* some 200,000 points */

struct hf_core_integrals {
    struct hf_arena arena; /**< has the arrays of points and shells, and this struct */
    const struct hf_basis *basis;
    const struct hf_core_potential *potential;
    struct hf_cartesian_table cartesian;
    struct hf_solid_harmonics harmonics[HF_MAX_L + 1];
    struct hf_core_local local;
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
    hf_core_local_init(potential, centre, &self->cartesian, &self->local);
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
    if (!hf_core_local_block(&self->local, a, b, self->block)) return;
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
