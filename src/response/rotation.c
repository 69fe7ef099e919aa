/* Vectors of orbital rotations, and their effect on orbitals. */
#include "response/rotation.h"

#include <math.h>
#include <stdint.h>

double hf_rotation_count(const struct hf_rotation_space *space)
{
    double n = 0.0;
    for (int k = 0; k < space->n_set; k++) {
        const struct hf_rotation_set *set = &space->set[k];
        const double n_open = set->n_left - set->n_closed;
        if (set->left != NULL) n += (double)set->n_left * set->n_right - n_open * n_open;
    }
    return n;
}

hf_status hf_rotation_create(const struct hf_rotation_space *space, struct hf_rotation *rotation,
                             struct hf_error *error)
{
    hf_status status = HF_OK;
    *rotation = (struct hf_rotation){{NULL}};
    for (int k = 0; k < space->n_set; k++)
        if (space->set[k].left != NULL)
            HF_TRY(hf_matrix_create(space->linalg, "orbital rotation", space->set[k].n_right,
                                    space->set[k].n_left, &rotation->block[k], error));
cleanup:
    if (status != HF_OK) hf_rotation_destroy(rotation);
    return status;
}

void hf_rotation_destroy(struct hf_rotation *rotation)
{
    for (int k = 0; k < HF_MAX_SPIN; k++) hf_matrix_destroy(&rotation->block[k]);
}

void hf_rotation_add(double alpha, const struct hf_rotation *from, double beta,
                     struct hf_rotation *to)
{
    for (int k = 0; k < HF_MAX_SPIN; k++)
        if (to->block[k] != NULL) hf_matrix_add(alpha, from->block[k], beta, to->block[k]);
}

double hf_rotation_dot(const struct hf_rotation *a, const struct hf_rotation *b)
{
    double sum = 0.0;
    for (int k = 0; k < HF_MAX_SPIN; k++) {
        double value;
        if (a->block[k] == NULL) continue;
        hf_matrix_dot(a->block[k], b->block[k], &value);
        sum += value;
    }
    return sum;
}

/** Properties of the element in a row and a column. */
struct element {
    int n_spin;  /**< number of spins that it rotates; 0: none, the element is not used */
    double rise; /**< mean difference of their orbital energies, hartree */
};

static struct element element_of(const struct hf_rotation_space *space,
                                 const struct hf_rotation_set *set, int row, int column)
{
    const int upper = set->n_closed + row;
    struct element element = {0, 0.0};
    for (int s = 0; s < set->n_spin; s++) {
        const double *energy = set->energy + (size_t)s * (size_t)space->m;
        if (column >= set->n_occupied[s] || upper < set->n_occupied[s]) continue;
        element.n_spin++;
        element.rise += energy[upper] - energy[column];
    }
    if (element.n_spin > 0) element.rise /= element.n_spin;
    return element;
}

/** Data for the element functions below. */
struct map {
    const struct hf_rotation_space *space;
    const struct hf_rotation_set *set;
    double shift;
    uint64_t seed;
    int row, column;
};

static void map_all(const struct hf_rotation_space *space, struct map map,
                    double (*new_value)(void *, int, int, double), struct hf_rotation *rotation)
{
    map.space = space;
    for (int k = 0; k < space->n_set; k++) {
        map.set = &space->set[k];
        map.seed += 1;
        if (rotation->block[k] != NULL) hf_matrix_map(rotation->block[k], new_value, &map);
    }
}

static double weighed(void *data, int row, int column, double value)
{
    const struct map *map = data;
    const struct element element = element_of(map->space, map->set, row, column);
    return element.n_spin > 0 ? value / sqrt(element.n_spin) : 0.0;
}

void hf_rotation_weigh(const struct hf_rotation_space *space, struct hf_rotation *rotation)
{
    map_all(space, (struct map){0}, weighed, rotation);
}

/** Smallest divisor: for smaller differences the two-electron part dominates. */
static const double SMALLEST_DIVISOR = 0.1;

static double preconditioned(void *data, int row, int column, double value)
{
    const struct map *map = data;
    const struct element element = element_of(map->space, map->set, row, column);
    if (element.n_spin == 0) return 0.0;
    return value / fmax(element.rise - map->shift, SMALLEST_DIVISOR);
}

void hf_rotation_precondition(const struct hf_rotation_space *space, double shift,
                              struct hf_rotation *rotation)
{
    map_all(space, (struct map){.shift = shift}, preconditioned, rotation);
}

/** Mixes the bits of a number (splitmix64). */
static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double scattered(void *data, int row, int column, double value)
{
    const struct map *map = data;
    const struct element element = element_of(map->space, map->set, row, column);
    const uint64_t bits =
        mixed(map->seed + mixed(((uint64_t)(uint32_t)row << 32) + (uint32_t)column));
    const double uniform = (double)(bits >> 11) / (double)(UINT64_C(1) << 53) - 0.5;
    const double rise = fmax(element.rise, SMALLEST_DIVISOR);
    (void)value;
    return element.n_spin > 0 ? uniform / (rise * rise) : 0.0;
}

void hf_rotation_scatter(const struct hf_rotation_space *space, unsigned seed,
                         struct hf_rotation *rotation)
{
    map_all(space, (struct map){.seed = (uint64_t)seed << 8}, scattered, rotation);
}

static double unit(void *data, int row, int column, double value)
{
    const struct map *map = data;
    (void)value;
    return row == map->row && column == map->column ? 1.0 : 0.0;
}

/** An element and its position. */
struct place {
    double rise;
    int set, row, column;
};

/** Inserts a place into the n sorted places of smallest rise. */
static void insert(struct place place, int n, struct place best[])
{
    if (n == 0 || place.rise >= best[n - 1].rise) return;
    int i = n - 1;
    for (; i > 0 && best[i - 1].rise > place.rise; i--) best[i] = best[i - 1];
    best[i] = place;
}

void hf_rotation_smallest(const struct hf_rotation_space *space, int *n,
                          const struct hf_rotation vector[])
{
    enum { MOST = 256 };
    struct place best[MOST];
    const int wanted = *n < MOST ? *n : MOST;
    for (int i = 0; i < wanted; i++) best[i] = (struct place){.rise = INFINITY};
    for (int k = 0; k < space->n_set; k++) {
        const struct hf_rotation_set *set = &space->set[k];
        for (int row = 0; set->left != NULL && row < set->n_right; row++)
            for (int column = 0; column < set->n_left; column++) {
                const struct element element = element_of(space, set, row, column);
                if (element.n_spin > 0)
                    insert((struct place){element.rise, k, row, column}, wanted, best);
            }
    }
    for (*n = 0; *n < wanted && isfinite(best[*n].rise); (*n)++) {
        struct map map = {.row = best[*n].row, .column = best[*n].column};
        for (int k = 0; k < space->n_set; k++)
            if (vector[*n].block[k] != NULL) {
                if (k == best[*n].set)
                    hf_matrix_map(vector[*n].block[k], unit, &map);
                else
                    hf_matrix_add(0.0, vector[*n].block[k], 0.0, vector[*n].block[k]);
            }
    }
}
hf_status hf_rotation_expand(const struct hf_rotation_space *space,
                             const struct hf_rotation *rotation, struct hf_matrix *matrix[],
                             struct hf_error *error)
{
    struct hf_matrix *half = NULL;
    for (int k = 0; k < space->n_set; k++) {
        const struct hf_rotation_set *set = &space->set[k];
        if (set->left == NULL) continue;
        HF_CHECK(HF_CREATE_MATRICES(space->linalg, "direction", error,
                                    {&matrix[k], space->m, space->m},
                                    {&half, space->m, set->n_left}));
        hf_matrix_multiply(1.0, false, set->right, false, rotation->block[k], 0.0, half);
        hf_matrix_multiply(1.0, false, half, true, set->left, 0.0, matrix[k]);
        hf_matrix_destroy(&half);
    }
    return HF_OK;
}
hf_status hf_rotation_project(const struct hf_rotation_space *space,
                              struct hf_matrix *const matrix[], struct hf_rotation *rotation,
                              struct hf_error *error)
{
    struct hf_matrix *half = NULL;
    HF_CHECK(hf_rotation_create(space, rotation, error));
    for (int k = 0; k < space->n_set; k++) {
        const struct hf_rotation_set *set = &space->set[k];
        if (set->left == NULL) continue;
        HF_CHECK(hf_matrix_create_product("half a direction", false, matrix[k], false, set->left,
                                          &half, error));
        hf_matrix_multiply(1.0, true, set->right, false, half, 0.0, rotation->block[k]);
        hf_matrix_destroy(&half);
    }
    hf_rotation_weigh(space, rotation);
    return HF_OK;
}
hf_status hf_rotation_apply(const struct hf_rotation_space *space, int set,
                            const struct hf_matrix *block, const struct hf_matrix *orbitals,
                            struct hf_matrix *product, struct hf_error *error)
{
    const struct hf_rotation_set *s = &space->set[set];
    const int k = hf_matrix_n_col(orbitals);
    struct hf_matrix *on_left = NULL, *on_right = NULL, *to_left = NULL, *to_right = NULL;
    HF_CHECK(HF_CREATE_MATRICES(space->linalg, "products of orbitals", error,
                                {&on_left, s->n_left, k}, {&on_right, s->n_right, k},
                                {&to_left, s->n_left, k}, {&to_right, s->n_right, k}));
    hf_matrix_multiply(1.0, true, s->left, false, orbitals, 0.0, on_left);
    hf_matrix_multiply(1.0, true, s->right, false, orbitals, 0.0, on_right);
    hf_matrix_multiply(1.0, false, block, false, on_left, 0.0, to_right);
    hf_matrix_multiply(-1.0, true, block, false, on_right, 0.0, to_left);
    hf_matrix_multiply(1.0, false, s->right, false, to_right, 0.0, product);
    hf_matrix_multiply(1.0, false, s->left, false, to_left, 1.0, product);
    HF_DESTROY_MATRICES(&to_right, &to_left, &on_right, &on_left);
    return HF_OK;
}

/** W = W (3 - W^T W) / 2, for columns that are orthonormal except for rounding. */
static hf_status orthonormalise(struct hf_matrix *orbitals, struct hf_error *error)
{
    const int m = hf_matrix_n_row(orbitals), o = hf_matrix_n_col(orbitals);
    struct hf_matrix *overlap = NULL, *copy = NULL;
    HF_CHECK(HF_CREATE_MATRICES(hf_matrix_grid(orbitals), "products of orbitals", error,
                                {&overlap, o, o}, {&copy, m, o}));
    hf_matrix_multiply_to_symmetric(1.0, true, orbitals, false, orbitals, overlap);
    hf_matrix_copy(orbitals, copy);
    hf_matrix_multiply(-0.5, false, copy, false, overlap, 1.5, orbitals);
    HF_DESTROY_MATRICES(&copy, &overlap);
    return HF_OK;
}

/** exp(kappa) L = L + kappa L + kappa^2 L / 2 + ... The series converges for any kappa, and fast for the angles of a
 *  step. */
static hf_status turn_set(const struct hf_rotation_space *space, int k,
                          const struct hf_matrix *block, struct hf_matrix *occupied,
                          struct hf_error *error)
{
    enum { MAX_TERM = 200 };
    static const double NEGLIGIBLE = 1e-17;
    hf_status status;
    const struct hf_rotation_set *set = &space->set[k];
    struct hf_matrix *term = NULL, *next = NULL;
    HF_TRY(hf_matrix_create_copy("rotated orbitals", set->left, &term, error));
    HF_TRY(hf_matrix_create_like("rotated orbitals", set->left, &next, error));
    hf_matrix_copy(set->left, occupied);
    for (int i = 1; i <= MAX_TERM; i++) {
        double largest;
        HF_TRY(hf_rotation_apply(space, k, block, term, next, error));
        hf_matrix_add(1.0 / i, next, 0.0, term);
        hf_matrix_add(1.0, term, 1.0, occupied);
        hf_matrix_max_abs(term, &largest);
        if (largest < NEGLIGIBLE) break;
    }
    HF_TRY(orthonormalise(occupied, error));
cleanup:
    HF_DESTROY_MATRICES(&next, &term);
    return status;
}

hf_status hf_rotation_turn(const struct hf_rotation_space *space,
                           const struct hf_rotation *rotation, struct hf_matrix *const occupied[],
                           struct hf_error *error)
{
    hf_status status;
    struct hf_rotation kappa;
    HF_TRY(hf_rotation_create(space, &kappa, error));
    hf_rotation_add(1.0, rotation, 0.0, &kappa);
    hf_rotation_weigh(space, &kappa);
    for (int k = 0; k < space->n_set; k++)
        if (kappa.block[k] != NULL) HF_TRY(turn_set(space, k, kappa.block[k], occupied[k], error));
cleanup:
    hf_rotation_destroy(&kappa);
    return status;
}
