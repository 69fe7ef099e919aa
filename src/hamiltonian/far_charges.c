/* Which charges are far from the functions of two atoms, and the expansion of their potential. */
#include "far_charges.h"

#include "base/arithmetic.h"
#include "multipole/translation.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum {
    N_RING = 6,
    FEW_PLACES = 3 * HF_CHARGE_LANES, /**< such cells are not divided for a better ring */
    SIZE = (HF_CHARGE_ORDER + 1) * (HF_CHARGE_ORDER + 1),
    HALF = (HF_CHARGE_ORDER + 1) * (HF_CHARGE_ORDER + 2) / 2,
};

/** How much farther from the centre a ring begins than the one within it. */
static const double WIDENING = 1.35;

struct hf_far_charges {
    struct hf_arena arena; /**< has the arrays and this struct */
    const struct hf_basis *basis;
    const struct hf_charge_tree *tree;
    const struct hf_translation_kernels *kernels;
    double tolerance;  /**< per charge */
    double least_work; /**< products of primitives times rows */
    double widest[HF_MAX_L + 1];
    struct hf_hermite_harmonics harmonics;

    /* Of the current atoms. */
    struct hf_expanded atoms;
    double centre[3];
    double nearest;                  /**< charges from there on may be taken by expansions */
    int ring_order[N_RING];          /**< orders of charges in each */
    struct hf_conversion conversion; /**< its highest order is that of all far charges; -1: none */
    struct hf_charge_field field;

    int *near;             /**< [n_row] */
    double *shift;         /**< [4][width] */
    double complex *local; /**< [HALF] (l,m) at l (l+1)/2 + m */
    double *coefficient;
};

static double distance_of(const struct hf_far_charges *far, const struct hf_cell *cell)
{
    return sqrt(hf_distance_squared(cell->centre, far->centre));
}

/** From where on charges are far; false where none can be. What is lost falls with the distance. */
static bool find_nearest(struct hf_far_charges *far)
{
    static const double CLOSE_ENOUGH = 1.03, LEAST = 1.0;
    const struct hf_expanded charge = {.exponent = far->tree->cells.cell->exponent,
                                       .strength = {1.0}};
    double low = fmax(far->atoms.radius, LEAST);
    double high = distance_of(far, far->tree->cells.cell) + far->tree->cells.cell->radius;
    int order[HF_MAX_EXPANSION + 1];
    if (high <= low ||
        !hf_well_separated(&far->atoms, &charge, high, HF_CHARGE_ORDER, far->tolerance))
        return false;
    while (high > CLOSE_ENOUGH * low) {
        const double middle = sqrt(low * high);
        if (hf_well_separated(&far->atoms, &charge, middle, HF_CHARGE_ORDER, far->tolerance))
            high = middle;
        else
            low = middle;
    }
    far->nearest = high;
    for (int i = 0; i < N_RING; i++, high *= WIDENING) {
        (void)hf_expansion_orders(&far->atoms, &charge, high, HF_CHARGE_ORDER, far->tolerance,
                                  order);
        far->ring_order[i] = order[0];
    }
    return true;
}

/** In which ring a charge is; -1: it is near. */
static int ring_of(const struct hf_far_charges *far, double distance)
{
    int ring = -1;
    for (double begin = far->nearest; ring + 1 < N_RING && distance >= begin; begin *= WIDENING)
        ring++;
    return ring;
}

/** Adds the charges of a cell, each about itself. */
static void add_charges(struct hf_far_charges *far, const struct hf_cell *cell, int order)
{
    const struct hf_charge_places *places = &far->tree->places;
    const int width = far->kernels->width, end = (int)cell->end;
    double *shift = far->shift, *charge = shift + 3 * width;
    if (order > far->conversion.highest) far->conversion.highest = order;
    for (int i = (int)cell->begin; i < end; i += width) {
        for (int lane = 0; lane < width; lane++) {
            const int at = i + lane < end ? i + lane : i;
            charge[lane] = i + lane < end ? places->whole[at] : 0.0;
            for (int d = 0; d < 3; d++)
                shift[d * width + lane] = far->centre[d] - places->position[d][at];
        }
        far->kernels->points(order, shift, charge, far->conversion.to);
    }
}

/** Adds a cell by its moments if it has any and they do. */
static bool add_moments(struct hf_far_charges *far, int number, double distance)
{
    const struct hf_charge_tree *tree = far->tree;
    const struct hf_expanded *source = &tree->source[number];
    const double tolerance = far->tolerance * source->strength[0];
    double shift[3];
    if (tree->moments_of[number] == NULL ||
        !hf_well_separated(&far->atoms, source, distance, HF_CHARGE_ORDER, tolerance))
        return false;
    for (int d = 0; d < 3; d++) shift[d] = far->centre[d] - tree->cells.cell[number].centre[d];
    hf_conversion_add(&far->conversion, &far->atoms, source, shift, HF_CHARGE_ORDER, tolerance,
                      tree->moments_of[number]);
    return true;
}

/** Goes through the tree: whole cells, charges one by one, or rows for the near part. */
static void walk(struct hf_far_charges *far)
{
    const struct hf_charge_tree *tree = far->tree;
    for (int i = 0; i < tree->cells.n_cell;) {
        const struct hf_cell *cell = &tree->cells.cell[i];
        const double distance = distance_of(far, cell);
        const int ring = ring_of(far, distance - cell->radius);
        const bool one_by_one = tree->moments_of[i] == NULL &&
                                (ring == N_RING - 1 || cell->end - cell->begin <= FEW_PLACES);
        if (ring >= 0 && one_by_one) {
            add_charges(far, cell, far->ring_order[ring]);
            i = cell->next;
        } else if (ring >= 0 && add_moments(far, i, distance)) {
            i = cell->next;
        } else {
            if (cell->leaf >= 0) far->near[far->field.n_near++] = cell->leaf;
            i++;
        }
    }
    hf_conversion_flush(&far->conversion);
}

/** The sum of the lanes, in complex numbers. */
static void collect(struct hf_far_charges *far)
{
    const int order = far->conversion.highest;
    double sum[SIZE];
    hf_sum_lanes(hf_multipole_size(order), far->kernels->width, far->conversion.to, sum);
    for (int l = 0; l <= order; l++)
        for (int m = 0; m <= l; m++)
            far->local[l * (l + 1) / 2 + m] =
                sum[l * l + m] + (m > 0 ? I * sum[l * l + l + m] : 0.0);
}

/** The local expansion of the derivative along d from that of the potential, up to `order`:
 *  d . nabla R_lm is a sum of R_(l-1)(m+-1) and R_(l-1)m. */
static void differentiate(const double d[3], int order, double scale, double complex local[])
{
    const double complex up = 0.5 * scale * (d[0] + I * d[1]), down = conj(up);
    for (int l = 0; l <= order; l++) {
        const double complex *above = &local[(l + 1) * (l + 2) / 2];
        for (int m = 0; m <= l; m++) {
            const double complex lower = m > 0 ? above[m - 1] : -conj(above[1]);
            local[l * (l + 1) / 2 + m] = up * lower - down * above[m + 1] + scale * d[2] * above[m];
        }
    }
}

/** Derivatives of the potential along the line of the atoms, as a Taylor series: it ends. */
static void expand_along(struct hf_far_charges *far, const double half[3])
{
    const int total = far->atoms.order, n = hf_n_hermite(total);
    const int highest = far->conversion.highest;
    const int order = half[0] == 0.0 && half[1] == 0.0 && half[2] == 0.0 ? 0 : highest;
    for (int k = 0; k <= order; k++) {
        double low[HF_MAX_POINT_SIZE] = {0.0};
        for (int l = 0; l <= total && l <= highest - k; l++) {
            for (int m = 0; m <= l; m++) {
                low[l * l + m] = creal(far->local[l * (l + 1) / 2 + m]);
                if (m > 0) low[l * l + l + m] = cimag(far->local[l * (l + 1) / 2 + m]);
            }
        }
        hf_local_to_hermite(&far->harmonics, total, low, 1, far->coefficient + k * n, 1);
        differentiate(half, highest - k - 1, 1.0 / (k + 1), far->local);
    }
    far->field.order = order;
    far->field.total = total;
}

const struct hf_charge_field *hf_far_charges_look(struct hf_far_charges *far, int i, int j)
{
    const struct hf_basis *basis = far->basis;
    const double *a = basis->shell[basis->first_shell_of_atom[i]].centre_bohr;
    const double *b = basis->shell[basis->first_shell_of_atom[j]].centre_bohr;
    double half[3];
    if (far->least_work > (double)far->tree->cells.n_leaf * hf_count_products(basis, i, j))
        return NULL;
    far->atoms = hf_weigh_atoms(basis, far->widest, i, j);
    for (int d = 0; d < 3; d++) {
        far->centre[d] = 0.5 * (a[d] + b[d]);
        half[d] = 0.5 * (b[d] - a[d]);
    }
    if (!find_nearest(far)) return NULL;
    far->field =
        (struct hf_charge_field){.near = far->near, .order = -1, .coefficient = far->coefficient};
    far->conversion.highest = -1;
    memset(far->conversion.to, 0, (size_t)(SIZE * far->kernels->width) * sizeof(double));
    walk(far);
    if (far->conversion.highest < 0) return NULL;
    collect(far);
    expand_along(far, half);
    return &far->field;
}

hf_status hf_far_charges_create(const struct hf_basis *basis, const struct hf_charge_tree *tree,
                                double tolerance, double least_work, struct hf_far_charges **far,
                                struct hf_error *error)
{
    struct hf_arena arena = {.label = "far charges"};
    struct hf_far_charges *self = *far = HF_TAKE(&arena, self, 1);
    if (self == NULL) return hf_arena_check(&arena, error);
    self->basis = basis;
    self->tree = tree;
    self->least_work = least_work;
    self->tolerance = tolerance / tree->source[0].strength[0];
    self->kernels = hf_translation_choose();
    const size_t width = (size_t)self->kernels->width;
    HF_TAKE(&arena, self->near, (size_t)tree->cells.n_leaf);
    HF_TAKE(&arena, self->shift, 4 * width);
    HF_TAKE(&arena, self->conversion.from, SIZE * width);
    HF_TAKE(&arena, self->conversion.to, SIZE * width);
    HF_TAKE(&arena, self->conversion.scratch, HF_TRANSLATION_SCRATCH * width);
    HF_TAKE(&arena, self->local, HALF);
    HF_TAKE(&arena, self->coefficient,
            (size_t)(HF_CHARGE_ORDER + 1) * (size_t)hf_n_hermite(2 * basis->max_l));
    self->arena = arena;
    self->conversion.kernels = self->kernels;
    hf_hermite_harmonics_init(&self->harmonics);
    for (int l = 0; l <= basis->max_l; l++) self->widest[l] = hf_widest_function(l, true);
    const hf_status status = hf_arena_check(&arena, error);
    if (status != HF_OK) hf_far_charges_destroy(far);
    return status;
}

void hf_far_charges_destroy(struct hf_far_charges **far)
{
    struct hf_far_charges *old = *far;
    if (old != NULL) hf_arena_done(&old->arena);
    *far = NULL;
}
