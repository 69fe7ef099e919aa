/* Points at displaced geometries, each of an SCF from the last orbitals, by groups of ranks. */
#include "vibrations/differences.h"

#include "hf/interruption.h"
#include "hf/timer.h"
#include "schedule/rank_groups.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/** Second derivatives of one solution are at most a few hartree/bohr^2. Where differences of energies say more, one
 *  of them is of another solution. */
static const double MOST_CURVATURE = 20.0;

/** What a group works with. */
struct worker {
    struct hf_differences *points;
    struct hf_rank_groups groups;
    struct hf_surface *surface;
    double (*position)[3]; /**< [n_atom] */
    FILE *file;            /**< of its first rank; NULL: none */
    int *missing;          /**< [n_missing] points; both of a coordinate stand together, first */
    int n_missing, n_pair; /**< tasks of two points, before those of one */
};

hf_status hf_differences_create(const struct hf_quantity_source *of,
                                struct hf_differences *differences, struct hf_error *error)
{
    const int n = 3 * of->molecule->n_atom;
    *differences = (struct hf_differences){.of = of,
                                           .n = 2 * n,
                                           .width = HF_POINT_GRADIENT + n,
                                           .arena = {.label = "gradients at displacements"}};
    const size_t n_point = (size_t)differences->n;
    HF_TAKE(&differences->arena, differences->point, n_point * (size_t)differences->width);
    HF_TAKE(&differences->arena, differences->known, n_point);
    return hf_arena_check(&differences->arena, error);
}

static void describe(int i, size_t size, char text[])
{
    snprintf(text, size, "with atom %d moved by %g bohr along %c", i / 6 + 1,
             i % 2 == 0 ? HF_VIBRATIONS_STEP : -HF_VIBRATIONS_STEP, "xyz"[i / 2 % 3]);
}

/** Point i. Collective over the group. */
static hf_status compute_point(struct worker *self, int i, struct hf_error *error)
{
    const struct hf_differences *points = self->points;
    const int n_removed = points->of->result->n_removed;
    double *point = points->point + (size_t)i * (size_t)points->width;
    double *coordinate = &self->position[i / 6][i / 2 % 3];
    const double where = *coordinate;
    struct hf_surface_point found = {.gradient = (double(*)[3])(void *)(point + HF_POINT_GRADIENT)};
    char text[80];
    const double start = hf_process_seconds();
    *coordinate = where + (i % 2 == 0 ? HF_VIBRATIONS_STEP : -HF_VIBRATIONS_STEP);
    hf_status status =
        hf_surface_compute(self->surface, (const double(*)[3])self->position, &found, error);
    *coordinate = where;
    if (status != HF_OK) return status;
    describe(i, sizeof text, text);
    if (!found.converged)
        return hf_fail(error, HF_NOT_CONVERGED, "second derivatives: %s %s did not converge", text,
                       found.unconverged);
    if (found.n_removed != n_removed)
        return hf_fail(error, HF_BAD_INPUT,
                       "second derivatives: %s %d functions are linearly dependent and removed, %d "
                       "where the atoms are: their energies are not comparable; choose another "
                       "--linear-dependence",
                       text, found.n_removed, n_removed);
    point[HF_POINT_ENERGY] = found.energy;
    point[HF_POINT_BUILDS] = found.n_build;
    point[HF_POINT_SECONDS] = hf_process_seconds() - start;
    memcpy(point + HF_POINT_DIPOLE, found.dipole, sizeof found.dipole);
    if (self->file != NULL && !hf_points_append(points, i, self->file))
        status = hf_fail(error, HF_NO_RESOURCE, "gradients of displacements cannot be written: %s",
                         strerror(errno));
    return hf_agree(self->groups.own->comm, status, error);
}

/** Lists what is missing. A group takes both points of a coordinate one after the other, as the second SCF then starts
 *  from orbitals that are extrapolated from the first; those that do not divide among the groups go one by one. */
static void make_tasks(struct worker *self, int n_group)
{
    const bool *known = self->points->known;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < self->points->n; i++) {
            const bool both = !known[i] && !known[i ^ 1];
            if (!known[i] && both == (pass == 0)) self->missing[self->n_missing++] = i;
        }
    self->n_pair = self->n_missing / 2 / n_group * n_group;
}

/** First point of task k in the list of those that are missing. */
static int first_of(const struct worker *self, int64_t k)
{
    return (int)k + (k < self->n_pair ? (int)k : self->n_pair);
}

/** Whatever is missing and no other group takes. */
static hf_status work(struct worker *self, struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n_task = self->n_missing - self->n_pair;
    int64_t k;
    struct hf_interruption *interruption = self->points->of->context->interruption;
    const int n = self->points->n, n_known = n - self->n_missing;
    while (status == HF_OK && (k = hf_rank_groups_take(&self->groups)) < n_task)
        for (int i = first_of(self, k); i < first_of(self, k + 1) && status == HF_OK; i++) {
            hf_interruption_count(interruption, "displacement", n_known + i + 1, n);
            status = compute_point(self, self->missing[i], error);
        }
    hf_interruption_count(interruption, NULL, 0, 0);
    if (status != HF_OK && self->groups.own->rank == 0) hf_rank_groups_stop(&self->groups);
    return status;
}

/** Everything that a group needs. Collective over the whole. */
static hf_status prepare(struct worker *self, const struct hf_surface *middle, int n_group,
                         const char *stem, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_differences *points = self->points;
    const struct hf_quantity_source *of = points->of;
    const struct hf_scf_result none = {.converged = false};
    struct hf_quantity_source source = *of;
    HF_CHECK(hf_rank_groups_create(of->context, n_group, &self->groups, error));
    source.context = self->groups.own;
    source.result = &none; /* its orbitals are spread over all ranks */
    HF_CHECK(hf_agree(of->context->comm, hf_surface_create(&source, &self->surface, error), error));
    HF_CHECK(hf_surface_start_from(self->surface, middle, error));
    HF_TAKE(&points->arena, self->position, (size_t)of->molecule->n_atom);
    HF_TAKE(&points->arena, self->missing, (size_t)points->n);
    HF_CHECK(hf_agree(of->context->comm, hf_arena_check(&points->arena, error), error));
    for (int i = 0; i < of->molecule->n_atom; i++)
        memcpy(self->position[i], of->molecule->atom[i].position_bohr, sizeof *self->position);
    make_tasks(self, n_group);
    if (stem != NULL && self->groups.own->rank == 0) {
        self->file = hf_points_open(points, stem, self->groups.group);
        if (self->file == NULL)
            status = hf_fail(error, HF_NO_RESOURCE, "%s-%d cannot be written: %s", stem,
                             self->groups.group + 1, strerror(errno));
    }
    return hf_agree(of->context->comm, status, error);
}

/** What groups have computed, to all ranks; a file is known to rank 0 alone, and so to all. Collective. */
static void share(const struct worker *self)
{
    const struct hf_differences *points = self->points;
    const size_t width = (size_t)points->width;
    for (int i = 0; i < points->n; i++) /* of points that others have: zeros */
        if (self->groups.own->rank != 0 || (points->known[i] && points->of->context->rank != 0))
            memset(points->point + (size_t)i * width, 0, width * sizeof *points->point);
    hf_sum_over_ranks(points->of->context->comm, (size_t)points->n * width, points->point);
}

/** All energies have to be of one solution. The same on every rank. */
static hf_status check(const struct hf_differences *points, struct hf_error *error)
{
    const struct hf_scf_result *result = points->of->result;
    const double middle = result->energy + result->smearing_entropy_term;
    char text[80];
    for (int i = 0; i < points->n; i += 2) {
        const double *up = points->point + (size_t)i * (size_t)points->width;
        const double curvature =
            (up[HF_POINT_ENERGY] - 2.0 * middle + up[points->width + HF_POINT_ENERGY]) /
            (HF_VIBRATIONS_STEP * HF_VIBRATIONS_STEP);
        if (fabs(curvature) < MOST_CURVATURE) continue;
        describe(i, sizeof text, text);
        return hf_fail(
            error, HF_NOT_CONVERGED,
            "second derivatives: %s the SCF finds another solution (%.8f and %.8f, %.8f between "
            "them)",
            text, up[HF_POINT_ENERGY], up[points->width + HF_POINT_ENERGY], middle);
    }
    return HF_OK;
}

hf_status hf_differences_compute(struct hf_differences *points, const struct hf_surface *middle,
                                 int n_group, const char *stem, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct worker self = {.points = points};
    struct hf_context *context = points->of->context;
    if (context->rank == 0 && stem != NULL) status = hf_points_collect(points, stem, error);
    HF_TRY(hf_agree(context->comm, status, error));
    hf_broadcast_bytes(context->comm, 0, (size_t)points->n * sizeof *points->known, points->known);
    MPI_Bcast(&points->n_found, 1, MPI_INT, 0, context->comm);
    HF_TRY(prepare(&self, middle, n_group, stem, error));
    points->seconds_before = hf_process_seconds();
    HF_TRY(hf_agree_to_go_on(context, work(&self, error), error));
    share(&self);
    status = check(points, error);
cleanup:
    if (self.file != NULL) fclose(self.file);
    hf_surface_destroy(&self.surface);
    hf_rank_groups_done(&self.groups);
    return status;
}

void hf_differences_hessian(const struct hf_differences *points, double *hessian)
{
    const size_t n = (size_t)points->n / 2, width = (size_t)points->width;
    for (size_t i = 0; i < n; i++) {
        const double *up = points->point + 2 * i * width + HF_POINT_GRADIENT, *down = up + width;
        for (size_t j = 0; j < n; j++) { /* half of it to either triangle */
            const double second = (up[j] - down[j]) / (4.0 * HF_VIBRATIONS_STEP);
            hessian[i * n + j] += second;
            hessian[j * n + i] += second;
        }
    }
}
