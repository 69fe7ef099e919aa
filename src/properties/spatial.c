/* Densities, potentials and orbitals on planes of a grid. Densities are spread: every rank adds what its
 * own blocks of two atoms give to all points of some planes, and the planes are summed. */
#include "properties/spatial.h"

#include "separable.h"

#include "base/arena.h"
#include "hf/interruption.h"
#include "integrals/solid_harmonics.h"
#include "layout/layout.h"
#include "linalg/matrix_blocks.h"
#include "linalg/new_matrix.h"
#include "one_electron/hermite.h"

#include <math.h>
#include <string.h>

/** What is left out of a value on the grid, at most some hundred times. */
static const double SMALLEST = 1e-9;

/** Mean of 1/r over a cube of edge 1 round the origin. */
static const double MEAN_OF_INVERSE = 2.3800773977;

enum { MAX_CARTESIAN = (HF_MAX_L + 1) * (HF_MAX_L + 2) / 2 };

struct hf_spatial {
    struct hf_context *context;
    const struct hf_wavefunction *wavefunction;
    struct hf_spatial_function function;
    struct hf_block_layout *layout;
    struct hf_hermite_products *products;
    double *block;     /**< this rank's part of the density */
    double *orbital;   /**< [n] coefficients */
    int n_own, n_done; /**< blocks, or atoms, of this rank; of the planes that are computed */
    struct hf_separable separable;
    struct hf_hermite_points *points; /**< of a plane */
    struct hf_arena arena;            /**< has block, orbital and this struct */
};

hf_status hf_grid_around(const struct hf_molecule *molecule, double spacing, double margin,
                         struct hf_grid *grid, struct hf_error *error)
{
    const double most = 1e9;
    double n_point = 1.0;
    grid->spacing = spacing;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int a = 0; a < molecule->n_atom; a++) {
            low = fmin(low, molecule->atom[a].position_bohr[d]);
            high = fmax(high, molecule->atom[a].position_bohr[d]);
        }
        const double n = ceil((high - low + 2.0 * margin) / spacing) + 1.0;
        n_point *= n;
        if (n_point > most)
            return hf_fail(error, HF_BAD_INPUT,
                           "a grid with points %g bohr apart and %g bohr round the atoms has more "
                           "than %.0e points",
                           spacing, margin, most);
        grid->n[d] = (int)n;
        grid->origin[d] = 0.5 * (low + high - (n - 1.0) * spacing);
    }
    return HF_OK;
}

static bool is_orbital(const struct hf_spatial *self)
{
    return self->function.kind == HF_SPATIAL_ORBITAL;
}

/** Ranks that share out the atoms of an orbital, the first ones: one where the order of sums is to stay. */
static int n_sharing(const struct hf_context *context)
{
    return context->reproducible ? 1 : context->n_rank;
}

/** The column of the coefficients on every rank. Collective. */
static hf_status take_orbital(struct hf_spatial *self, struct hf_error *error)
{
    const struct hf_wavefunction *wave = self->wavefunction;
    const struct hf_matrix *from = wave->spin[self->function.spin].coefficient;
    struct hf_matrix *column = NULL;
    HF_CHECK(
        hf_matrix_create_columns("orbital", from, self->function.orbital, 1, NULL, &column, error));
    hf_matrix_gather_full(column, self->orbital);
    self->n_own = wave->basis->n_atom / n_sharing(self->context) + 1;
    hf_matrix_destroy(&column);
    return HF_OK;
}

/** This rank's blocks of the density. Collective. */
static hf_status take_density(struct hf_spatial *self, struct hf_error *error)
{
    const struct hf_wavefunction *wave = self->wavefunction;
    const struct hf_matrix *density =
        self->function.kind == HF_SPATIAL_SPIN_DENSITY ? wave->spin_density : wave->density;
    struct hf_own_blocks own = hf_own_blocks_begin(self->layout);
    struct hf_own_block here;
    while (hf_own_blocks_next(&own, &here)) self->n_own++;
    if (density != NULL) return hf_matrix_get_blocks(density, self->layout, self->block, error);
    memset(self->block, 0, hf_block_layout_local_size(self->layout) * sizeof *self->block);
    return HF_OK;
}

static void release(struct hf_spatial *self)
{
    hf_arena_done(&self->separable.arena);
    hf_hermite_points_destroy(&self->points);
    hf_hermite_products_destroy(&self->products);
    hf_block_layout_destroy(&self->layout);
    hf_arena_done(&self->arena);
}

hf_status hf_spatial_create(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                            const struct hf_spatial_function *function, struct hf_spatial **spatial,
                            struct hf_error *error)
{
    hf_status status;
    const struct hf_basis *basis = wavefunction->basis;
    struct hf_spatial made = {.context = context,
                              .wavefunction = wavefunction,
                              .function = *function,
                              .arena = {.memory = context->memory, .label = "a function of space"}};
    struct hf_spatial *self = HF_TAKE(&made.arena, self, 1);
    HF_TRY(hf_atom_layout_create_for_sums(context, basis, &made.layout, error));
    if (is_orbital(&made))
        HF_TAKE(&made.arena, made.orbital, (size_t)basis->n_function);
    else
        made.block =
            hf_arena_take_class(&made.arena, HF_MEMORY_MATRIX, "the density in blocks",
                                hf_block_layout_local_size(made.layout), sizeof *made.block);
    status = hf_hermite_products_create(basis, &made.products, error);
    if (status == HF_OK) status = hf_arena_check(&made.arena, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(is_orbital(&made) ? take_orbital(&made, error) : take_density(&made, error));
cleanup:
    if (status != HF_OK) {
        release(&made);
        self = NULL;
    }
    if (self != NULL) *self = made;
    *spatial = self;
    return status;
}

void hf_spatial_destroy(struct hf_spatial **spatial)
{
    if (*spatial == NULL) return;
    struct hf_spatial self = **spatial; /* lies in its own arena */
    release(&self);
    *spatial = NULL;
}

/** Distance from which a Gaussian with such coefficients, up to x^order, is below what matters. */
static double reach_of(double exponent, int order, int n, const double coefficient[])
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(coefficient[i]));
    const double decay = log(largest / SMALLEST) + 3.0 * order;
    return decay > 0.0 ? sqrt(decay / exponent) : 0.0;
}

/** A density on the planes. */
static void add_gaussians(struct hf_spatial *self, int n, const struct hf_hermite_gaussian list[],
                          const struct hf_planes *planes)
{
    for (int k = 0; k < n; k++) {
        const struct hf_hermite_gaussian *g = &list[k];
        const double radius =
            reach_of(g->exponent, g->order, hf_hermite_index(0, 0, g->order) + 1, g->coefficient);
        if (!hf_separable_box(planes, g->centre, radius, &self->separable)) continue;
        hf_separable_hermite_means(planes->grid, g->centre, g->exponent, g->order,
                                   &self->separable);
        hf_separable_add(&self->separable, g->order, g->coefficient, planes);
    }
}

/** The points of a plane, for the potential there. Local. */
static hf_status make_points(struct hf_spatial *self, const struct hf_planes *plane,
                             struct hf_error *error)
{
    const struct hf_grid *grid = plane->grid;
    const size_t n = (size_t)grid->n[1] * (size_t)grid->n[2], n_z = (size_t)grid->n[2];
    struct hf_arena arena = {.label = "the points of a plane"};
    double *place = HF_TAKE_UNSET(&arena, place, 3 * n);
    hf_hermite_points_destroy(&self->points);
    HF_CHECK(hf_arena_check(&arena, error));
    for (size_t i = 0; i < n; i++) {
        const size_t line = i / n_z, at = i % n_z;
        place[i] = grid->origin[0] + plane->first * grid->spacing;
        place[n + i] = grid->origin[1] + (double)line * grid->spacing;
        place[2 * n + i] = grid->origin[2] + (double)at * grid->spacing;
    }
    const hf_status status = hf_hermite_points_create(
        self->wavefunction->basis, (int)n, place, place + n, place + 2 * n, &self->points, error);
    hf_arena_done(&arena);
    return status;
}

/** The block of two atoms. */
static void add_atoms(struct hf_spatial *self, int i, int j, const double *density,
                      const struct hf_planes *planes)
{
    const struct hf_basis *basis = self->wavefunction->basis;
    const int *first = basis->first_shell_of_atom;
    const size_t stride = (size_t)hf_atom_n_function(basis, j);
    const bool potential = self->function.kind == HF_SPATIAL_POTENTIAL;
    for (int m = first[i]; m < first[i + 1]; m++) {
        const int end = i == j ? m + 1 : first[j + 1];
        for (int l = first[j]; l < end; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const struct hf_hermite_gaussian *list;
            const double *block = density + hf_place_in_atom_block(basis, a, b);
            const double factor = (m == l ? 1.0 : 2.0) * (potential ? -1.0 : 1.0);
            const int n = hf_hermite_expand(self->products, a, b, factor, block, stride,
                                            0.1 * SMALLEST, &list);
            if (potential)
                hf_hermite_add_potential(self->points, n, list, planes->value);
            else
                add_gaussians(self, n, list, planes);
        }
    }
}

/** An orbital's part of one shell: its Cartesian components on the planes. */
static void add_shell(struct hf_spatial *self, const struct hf_shell *shell,
                      const struct hf_planes *planes)
{
    struct hf_solid_harmonics harmonics;
    double monomial[MAX_CARTESIAN], coefficient[MAX_CARTESIAN];
    const int l = shell->l, begin = hf_hermite_index(l, 0, 0), n = (l + 1) * (l + 2) / 2;
    const double *own = self->orbital + shell->first_function;
    if (shell->spherical) {
        hf_solid_harmonics_init(l, &harmonics);
        hf_solid_harmonics_to_monomials(&harmonics, l, own, monomial);
        own = monomial;
    }
    for (int p = 0; p < shell->n_primitive; p++) {
        double all[(HF_MAX_L + 1) * (HF_MAX_L + 2) * (HF_MAX_L + 3) / 6] = {0.0};
        for (int i = 0; i < n; i++) {
            coefficient[i] = shell->coefficient[p] * own[i];
            all[begin + i] = coefficient[i];
        }
        const double radius = reach_of(shell->exponent[p], l, n, coefficient);
        if (!hf_separable_box(planes, shell->centre_bohr, radius, &self->separable)) continue;
        hf_separable_powers(planes->grid, shell->centre_bohr, shell->exponent[p], l,
                            &self->separable);
        hf_separable_add(&self->separable, l, all, planes);
    }
}

/** The nuclei's part of the potential, on rank 0. */
static void add_nuclei(const struct hf_spatial *self, const struct hf_planes *planes)
{
    const struct hf_grid *grid = planes->grid;
    const struct hf_molecule *molecule = self->wavefunction->molecule;
    const double most = MEAN_OF_INVERSE / grid->spacing;
    for (int a = 0; a < molecule->n_atom; a++) {
        const double charge = hf_molecule_nuclear_charge(molecule, a);
        const double *at = molecule->atom[a].position_bohr;
        double *value = planes->value;
        for (int i = planes->first; charge != 0.0 && i < planes->first + planes->n; i++) {
            const double x = grid->origin[0] + i * grid->spacing - at[0];
            for (int j = 0; j < grid->n[1]; j++) {
                const double y = grid->origin[1] + j * grid->spacing - at[1];
                for (int k = 0; k < grid->n[2]; k++) {
                    const double z = grid->origin[2] + k * grid->spacing - at[2];
                    *value++ += charge * fmin(most, 1.0 / sqrt(x * x + y * y + z * z));
                }
            }
        }
    }
}

/** Reports the progress of this rank in all planes of the grid; returns 0, or why to end. */
static int look(struct hf_spatial *self, const struct hf_planes *planes)
{
    struct hf_interruption *interruption = self->context->interruption;
    const double here = fmin(1.0, (self->n_done++ + 1.0) / (self->n_own + 1.0));
    hf_interruption_set_fraction(interruption,
                                 (planes->first + here * planes->n) / planes->grid->n[0]);
    return hf_interruption_look(interruption, true);
}

/** Local: the orbital's shells of this rank's atoms. 0, or why it is to end. */
static int add_own_atoms(struct hf_spatial *self, const struct hf_planes *planes)
{
    int reason = 0;
    const struct hf_basis *basis = self->wavefunction->basis;
    const int n_rank = n_sharing(self->context);
    const int first = self->context->rank < n_rank ? self->context->rank : basis->n_atom;
    for (int a = first; a < basis->n_atom && reason == 0; a += n_rank) {
        for (int s = basis->first_shell_of_atom[a]; s < basis->first_shell_of_atom[a + 1]; s++)
            add_shell(self, &basis->shell[s], planes);
        reason = look(self, planes);
    }
    return reason;
}

/** Local: this rank's blocks of the density. 0, or why it is to end. */
static int add_own_blocks(struct hf_spatial *self, const struct hf_planes *planes)
{
    int reason = 0;
    struct hf_own_blocks own = hf_own_blocks_begin(self->layout);
    struct hf_own_block here;
    while (reason == 0 && hf_own_blocks_next(&own, &here)) {
        add_atoms(self, here.i, here.j, self->block + here.offset, planes);
        reason = look(self, planes);
    }
    return reason;
}

/** Local: what this rank has in the planes. Potentials plane by plane: all points of one are kept. */
static hf_status add_own(struct hf_spatial *self, const struct hf_planes *planes,
                         struct hf_error *error)
{
    int reason = 0;
    const size_t area = (size_t)planes->grid->n[1] * (size_t)planes->grid->n[2];
    self->n_done = 0;
    if (is_orbital(self))
        reason = add_own_atoms(self, planes);
    else if (self->function.kind != HF_SPATIAL_POTENTIAL)
        reason = add_own_blocks(self, planes);
    for (int i = 0; self->function.kind == HF_SPATIAL_POTENTIAL && i < planes->n; i++) {
        const struct hf_planes plane = {planes->grid, planes->first + i, 1,
                                        planes->value + (size_t)i * area};
        HF_CHECK(make_points(self, &plane, error));
        self->n_done = 0;
        reason = add_own_blocks(self, &plane);
        if (reason != 0) break;
        if (self->context->rank == 0) add_nuclei(self, &plane);
    }
    return reason != 0 ? hf_interrupted(error, reason) : HF_OK;
}

hf_status hf_spatial_planes(struct hf_spatial *spatial, const struct hf_grid *grid, int first,
                            int n, double value[], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_context *context = spatial->context;
    const struct hf_planes planes = {.grid = grid, .first = first, .n = n, .value = value};
    const size_t count = (size_t)n * (size_t)grid->n[1] * (size_t)grid->n[2];
    memset(value, 0, count * sizeof *value);
    if (spatial->separable.room == 0 && !hf_separable_init(grid, &spatial->separable))
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for tables of a grid");
    if (status == HF_OK) status = add_own(spatial, &planes, error);
    HF_TRY(hf_agree_to_go_on(context, status, error));
    MPI_Reduce(context->rank == 0 ? MPI_IN_PLACE : value, value, (int)count, MPI_DOUBLE, MPI_SUM, 0,
               context->comm);
cleanup:
    return status;
}
