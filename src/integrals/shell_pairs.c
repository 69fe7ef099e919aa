/* Lists of shell pairs: primitives, pruning, classes, order, Schwarz bounds. */
#include "hf/shell_pair.h"

#include "hf/engine.h"
#include "hf/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Growing lists while the number of surviving pairs is not known yet. */
struct pair_builder {
    struct hf_shell_pairs *pairs;
    int64_t n_pair_allocated;
    int n_atom_pair_allocated, n_class_allocated;
    double *free_numbers; /**< [n_left] of the newest chunk */
    size_t n_left;
    struct hf_primitive *scratch;
};

/** Rows of many pairs. Chunks are aligned to cache lines, and so are their numbers. */
struct hf_primitive_chunk {
    struct hf_primitive_chunk *next;
    _Alignas(64) double value[];
};

/** One primitive pair before it is sorted and laid out in rows, those of the parts last. */
struct hf_primitive {
    double value[HF_N_PRIMITIVE_ROW + HF_MAX_PAIR_PART];
};

/** A longer copy of a list of `n` elements, which is released; NULL: no memory, nothing changed. */
static void *lengthen(struct hf_memory *memory, const char *label, void *list, size_t n,
                      size_t n_longer, size_t element_bytes)
{
    void *longer = hf_memory_allocate(memory, label, n_longer, element_bytes);
    if (longer == NULL) return NULL;
    if (n > 0) memcpy(longer, list, n * element_bytes);
    hf_memory_release(memory, list);
    return longer;
}

static double distance_squared(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/** Estimate of (ab|ab)^(1/2) of a primitive pair: the self-repulsion of an s distribution, times
 * the monomials at the distance where a Gaussian of this width and power has its weight. */
static double primitive_bound(double zeta, double prefactor, const double pa[3], const double pb[3],
                              int l_a, int l_b)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    const double width = sqrt((l_a + l_b + 1) / (2.0 * zeta));
    const double to_a = sqrt(distance_squared(pa, zero)) + width;
    const double to_b = sqrt(distance_squared(pb, zero)) + width;
    return fabs(prefactor) * pow(2.0 * zeta, -0.25) * pow(to_a, l_a) * pow(to_b, l_b);
}

static int by_falling_bound(const void *left, const void *right)
{
    const struct hf_primitive *x = left, *y = right;
    const double a = x->value[HF_ROW_BOUND], b = y->value[HF_ROW_BOUND];
    if (a != b) return a > b ? -1 : 1;
    return memcmp(x->value, y->value, sizeof x->value);
}

/** c_a c_b of every part, and the largest bound of them; the coefficient of a single part goes into
 *  the prefactor. */
static void add_coefficients(const struct hf_shell *a, const struct hf_shell *b, int i, int j,
                             const double pa[3], const double pb[3], struct hf_primitive *made)
{
    const int n_a = hf_shell_n_part(a), n_b = hf_shell_n_part(b);
    const double zeta = made->value[HF_ROW_ZETA], prefactor = made->value[HF_ROW_PREFACTOR];
    made->value[HF_ROW_BOUND] = 0.0;
    for (int k = 0; k < n_a * n_b; k++) {
        const struct hf_shell_part part_a = hf_shell_get_part(a, k / n_b);
        const struct hf_shell_part part_b = hf_shell_get_part(b, k % n_b);
        const double coefficient = part_a.coefficient[i] * part_b.coefficient[j];
        const double bound =
            primitive_bound(zeta, coefficient * prefactor, pa, pb, part_a.l, part_b.l);
        made->value[HF_ROW_BOUND] = fmax(made->value[HF_ROW_BOUND], bound);
        if (n_a * n_b > 1)
            made->value[HF_N_PRIMITIVE_ROW + k] = coefficient;
        else
            made->value[HF_ROW_PREFACTOR] *= coefficient;
    }
}

static struct hf_primitive make_primitive(const struct hf_shell *a, const struct hf_shell *b, int i,
                                          int j, double ab_squared)
{
    const double alpha = a->exponent[i], beta = b->exponent[j], zeta = alpha + beta;
    const double pi_5_4 = pow(acos(-1.0), 1.25);
    struct hf_primitive made = {{0.0}};
    double pa[3], pb[3];
    for (int k = 0; k < 3; k++) {
        const double p = (alpha * a->centre_bohr[k] + beta * b->centre_bohr[k]) / zeta;
        /* Differences of the centres themselves: exactly zero when the centres coincide. */
        pa[k] = beta / zeta * (b->centre_bohr[k] - a->centre_bohr[k]);
        pb[k] = alpha / zeta * (a->centre_bohr[k] - b->centre_bohr[k]);
        made.value[HF_ROW_P_X + k] = p;
        made.value[HF_ROW_PA_X + k] = pa[k];
    }
    made.value[HF_ROW_ZETA] = zeta;
    made.value[HF_ROW_ONE_OVER_TWO_ZETA] = 0.5 / zeta;
    made.value[HF_ROW_PREFACTOR] =
        exp(-alpha * beta / zeta * ab_squared) * sqrt(2.0) * pi_5_4 / zeta;
    add_coefficients(a, b, i, j, pa, pb, &made);
    return made;
}

/** Exponents of exp(-alpha beta/(alpha + beta) |A-B|^2) from which on a primitive pair is
 * negligible whatever its other factors: those stay below e^60 for any sensible basis and molecule.
 */
static double farthest_exponent(double smallest)
{
    return 60.0 - log(smallest);
}

/** Primitives of a pair that are not negligible, sorted; their number. */
static int collect_primitives(const struct hf_shell *a, const struct hf_shell *b, double smallest,
                              struct hf_primitive *out)
{
    const double ab_squared = distance_squared(a->centre_bohr, b->centre_bohr);
    const double farthest = farthest_exponent(smallest);
    int n = 0;
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j];
            if (alpha * beta * ab_squared > farthest * (alpha + beta)) continue;
            out[n] = make_primitive(a, b, i, j, ab_squared);
            if (out[n].value[HF_ROW_BOUND] >= smallest) n++;
        }
    }
    qsort(out, (size_t)n, sizeof *out, by_falling_bound);
    return n;
}

static struct hf_pair_class make_class(const struct hf_shell *a, const struct hf_shell *b)
{
    struct hf_pair_class made;
    memset(&made, 0, sizeof made); /* classes are compared as bytes */
    made.n_a = a->n_function;
    made.n_b = b->n_function;
    made.n_function = a->n_function * b->n_function;
    made.l_low = HF_MAX_L;
    for (int i = 0; i < hf_shell_n_part(a); i++) {
        for (int j = 0; j < hf_shell_n_part(b); j++) {
            const struct hf_shell_part p = hf_shell_get_part(a, i), q = hf_shell_get_part(b, j);
            struct hf_pair_part *part = &made.part[made.n_part++];
            part->l_a = p.l;
            part->l_b = q.l;
            part->spherical_a = p.spherical;
            part->spherical_b = q.spherical;
            part->first_a = p.first;
            part->first_b = q.first;
            part->n_a = p.n_function;
            part->n_b = q.n_function;
            made.n_cartesian += (p.l + 1) * (p.l + 2) / 2 * ((q.l + 1) * (q.l + 2) / 2);
            if (p.l < made.l_low) made.l_low = p.l;
            if (p.l + q.l > made.l_high) made.l_high = p.l + q.l;
        }
    }
    return made;
}

/** Class of a pair, added to the list when it is new; -1: no memory. */
static int find_class(struct pair_builder *builder, const struct hf_shell *a,
                      const struct hf_shell *b)
{
    struct hf_shell_pairs *pairs = builder->pairs;
    const struct hf_pair_class made = make_class(a, b);
    for (int i = 0; i < pairs->n_class; i++)
        if (memcmp(&pairs->class_of[i], &made, sizeof made) == 0) return i;
    if (pairs->n_class == builder->n_class_allocated) {
        const int n = 2 * builder->n_class_allocated + 16;
        struct hf_pair_class *longer =
            lengthen(pairs->context->memory, "pair classes", pairs->class_of,
                     (size_t)pairs->n_class, (size_t)n, sizeof *pairs->class_of);
        if (longer == NULL) return -1;
        pairs->class_of = longer;
        builder->n_class_allocated = n;
    }
    pairs->class_of[pairs->n_class] = made;
    return pairs->n_class++;
}

/** Room for one more shell pair. */
static bool reserve_pair(struct pair_builder *builder)
{
    struct hf_shell_pairs *pairs = builder->pairs;
    if (pairs->n_pair < builder->n_pair_allocated) return true;
    const int64_t n = builder->n_pair_allocated + builder->n_pair_allocated / 2 + 64;
    struct hf_shell_pair *longer = lengthen(pairs->context->memory, "shell pairs", pairs->pair,
                                            (size_t)pairs->n_pair, (size_t)n, sizeof *pairs->pair);
    if (longer == NULL) return false;
    pairs->pair = longer;
    builder->n_pair_allocated = n;
    return true;
}

/** Room for one more pair of atoms. */
static bool reserve_atom_pair(struct pair_builder *builder)
{
    struct hf_shell_pairs *pairs = builder->pairs;
    if (pairs->n_atom_pair < builder->n_atom_pair_allocated) return true;
    const int n = builder->n_atom_pair_allocated + builder->n_atom_pair_allocated / 2 + 64;
    struct hf_atom_pair *longer =
        lengthen(pairs->context->memory, "atom pairs", pairs->atom_pair, (size_t)pairs->n_atom_pair,
                 (size_t)n, sizeof *pairs->atom_pair);
    if (longer == NULL) return false;
    pairs->atom_pair = longer;
    builder->n_atom_pair_allocated = n;
    return true;
}

/** `n` numbers that stay where they are; NULL: no memory. Taken from chunks of moderate size: one
 *  array of all primitives would outgrow a matrix. */
static double *new_numbers(struct pair_builder *builder, size_t n)
{
    enum { CHUNK = 1 << 15 };
    struct hf_shell_pairs *pairs = builder->pairs;
    if (builder->n_left < n) {
        const size_t size = n > CHUNK ? n : CHUNK;
        struct hf_primitive_chunk *chunk = hf_memory_allocate(
            pairs->context->memory, "primitive pairs", 1, sizeof *chunk + size * sizeof(double));
        if (chunk == NULL) return NULL;
        chunk->next = pairs->primitives;
        pairs->primitives = chunk;
        builder->free_numbers = chunk->value;
        builder->n_left = size;
    }
    double *numbers = builder->free_numbers;
    builder->free_numbers += n;
    builder->n_left -= n;
    return numbers;
}

/** Lays the sorted primitives out in rows; the padding keeps every formula finite and adds nothing.
 */
static void store_rows(double *rows, int n_row, const struct hf_primitive *primitive, int n,
                       int n_padded)
{
    for (int row = 0; row < n_row; row++)
        for (int i = 0; i < n_padded; i++)
            rows[(size_t)row * n_padded + i] = primitive[i < n ? i : n - 1].value[row];
    for (int i = n; i < n_padded; i++) {
        rows[(size_t)HF_ROW_PREFACTOR * n_padded + i] = 0.0;
        rows[(size_t)HF_ROW_BOUND * n_padded + i] = 0.0;
    }
}

/** Whether shell m >= n is the first of their pair: the higher l, then the more parts, so that
 * there are few classes. */
static bool comes_first(const struct hf_shell *m, const struct hf_shell *n)
{
    if (m->l != n->l) return m->l > n->l;
    return m->n_part >= n->n_part;
}

/** Appends the pair of shells m >= n unless it is negligible; false when there is no memory. */
static bool add_pair(struct pair_builder *builder, int m, int n, double smallest)
{
    struct hf_shell_pairs *pairs = builder->pairs;
    const struct hf_shell *shell = pairs->basis->shell;
    const int a = comes_first(&shell[m], &shell[n]) ? m : n, b = a == m ? n : m;
    const int n_primitive = collect_primitives(&shell[a], &shell[b], smallest, builder->scratch);
    if (n_primitive == 0) return true;
    const int n_padded = (n_primitive + HF_LANES - 1) / HF_LANES * HF_LANES;
    const int pair_class = find_class(builder, &shell[a], &shell[b]);
    if (pair_class < 0) return false;
    const int n_part = pairs->class_of[pair_class].n_part;
    const int n_row = HF_N_PRIMITIVE_ROW + (n_part > 1 ? n_part : 0);
    double *rows = new_numbers(builder, (size_t)n_padded * (size_t)n_row);
    if (rows == NULL || !reserve_pair(builder)) return false;

    store_rows(rows, n_row, builder->scratch, n_primitive, n_padded);
    struct hf_shell_pair *pair = &pairs->pair[pairs->n_pair++];
    *pair = (struct hf_shell_pair){
        .a = a,
        .b = b,
        .pair_class = pair_class,
        .n_primitive = n_primitive,
        .n_padded = n_padded,
        .primitive = rows,
    };
    for (int k = 0; k < 3; k++) pair->ab[k] = shell[a].centre_bohr[k] - shell[b].centre_bohr[k];
    if (n_padded > pairs->max_primitive) pairs->max_primitive = n_padded;
    return true;
}

static int by_class_and_bound(const void *left, const void *right)
{
    const struct hf_shell_pair *x = left, *y = right;
    if (x->pair_class != y->pair_class) return x->pair_class < y->pair_class ? -1 : 1;
    if (x->bound != y->bound) return x->bound > y->bound ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

double hf_shell_pair_cost(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair)
{
    const struct hf_pair_class *kind = &pairs->class_of[pair->pair_class];
    return kind->n_cartesian * (2.0 + pair->n_primitive);
}

static double smallest_exponent(const struct hf_basis *basis, int atom)
{
    double smallest = DBL_MAX;
    for (int m = basis->first_shell_of_atom[atom]; m < basis->first_shell_of_atom[atom + 1]; m++)
        for (int i = 0; i < basis->shell[m].n_primitive; i++)
            smallest = fmin(smallest, basis->shell[m].exponent[i]);
    return smallest;
}

/** Whether two atoms are so far apart that no pair of their shells can matter. */
static bool is_far(const struct hf_basis *basis, int atom_a, int atom_b, const double diffuse[],
                   double farthest)
{
    const int a = basis->first_shell_of_atom[atom_a], b = basis->first_shell_of_atom[atom_b];
    if (a == basis->first_shell_of_atom[atom_a + 1] || b == basis->first_shell_of_atom[atom_b + 1])
        return true; /* no shells */
    const double ab_squared =
        distance_squared(basis->shell[a].centre_bohr, basis->shell[b].centre_bohr);
    const double alpha = diffuse[atom_a], beta = diffuse[atom_b];
    return alpha * beta * ab_squared > farthest * (alpha + beta);
}

/** All pairs of all atom pairs, not sorted yet. `diffuse`: smallest exponent of each atom. */
static bool add_all_pairs(struct pair_builder *builder, double smallest, const double diffuse[])
{
    struct hf_shell_pairs *pairs = builder->pairs;
    const int *first = pairs->basis->first_shell_of_atom;
    const double farthest = farthest_exponent(smallest);
    for (int atom_a = 0; atom_a < pairs->basis->n_atom; atom_a++) {
        for (int atom_b = 0; atom_b <= atom_a; atom_b++) {
            if (is_far(pairs->basis, atom_a, atom_b, diffuse, farthest)) continue;
            const int64_t first_pair = pairs->n_pair;
            for (int m = first[atom_a]; m < first[atom_a + 1]; m++)
                for (int n = first[atom_b]; n < first[atom_b + 1] && n <= m; n++)
                    if (!add_pair(builder, m, n, smallest)) return false;
            if (pairs->n_pair == first_pair) continue;
            if (!reserve_atom_pair(builder)) return false;
            pairs->atom_pair[pairs->n_atom_pair++] = (struct hf_atom_pair){
                .atom_a = atom_a,
                .atom_b = atom_b,
                .first_pair = (int)first_pair,
                .n_pair = (int)(pairs->n_pair - first_pair),
            };
        }
    }
    return true;
}

/** (mn|mn)^(1/2) of this rank's share of the pairs, then of all. Collective. */
static hf_status compute_bounds(struct hf_shell_pairs *pairs, struct hf_error *error)
{
    struct hf_context *context = pairs->context;
    struct hf_engine *engine = NULL;
    double *bound =
        hf_memory_allocate(context->memory, "Schwarz bounds", (size_t)pairs->n_pair, sizeof *bound);
    hf_status status = bound != NULL
                           ? hf_engine_create(pairs, &engine, error)
                           : hf_fail(error, HF_NO_RESOURCE, "out of memory for the Schwarz bounds");
    HF_TRY(hf_agree(context->comm, status, error));

    hf_engine_set_threshold(engine, 0.0);
    for (int64_t i = context->rank; i < pairs->n_pair; i += context->n_rank) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const int n = pairs->class_of[pair->pair_class].n_function;
        const struct hf_integral_batch batch = hf_engine_two_electron(engine, pair, 1, &pair);
        double largest = 0.0;
        for (int k = 0; k < n; k++) largest = fmax(largest, fabs(batch.value[(size_t)k * n + k]));
        bound[i] = sqrt(largest);
    }
    hf_sum_over_ranks(context->comm, (size_t)pairs->n_pair, bound);
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        struct hf_shell_pair *pair = &pairs->pair[i];
        pair->cost_per_number =
            hf_shell_pair_cost(pairs, pair) / pairs->class_of[pair->pair_class].n_function;
        pair->bound = bound[i];
        pairs->bound = fmax(pairs->bound, bound[i]);
    }
cleanup:
    hf_engine_destroy(&engine);
    hf_memory_release(context->memory, bound);
    return status;
}

/** Sorts the pairs of each atom pair and drops those that stay below `accuracy` with any partner.
 */
static void order_pairs(struct hf_shell_pairs *pairs)
{
    int64_t n_kept = 0;
    int n_atom_pair = 0;
    for (int i = 0; i < pairs->n_atom_pair; i++) {
        struct hf_atom_pair group = pairs->atom_pair[i];
        struct hf_shell_pair *pair = pairs->pair + group.first_pair;
        qsort(pair, (size_t)group.n_pair, sizeof *pair, by_class_and_bound);
        const int64_t first = n_kept;
        for (int k = 0; k < group.n_pair; k++) {
            if (!(pair[k].bound * pairs->bound >= pairs->accuracy)) continue;
            group.bound = fmax(group.bound, pair[k].bound);
            group.cost += hf_shell_pair_cost(pairs, &pair[k]);
            pairs->pair[n_kept++] = pair[k];
        }
        group.first_pair = (int)first;
        group.n_pair = (int)(n_kept - first);
        if (group.n_pair > 0) pairs->atom_pair[n_atom_pair++] = group;
    }
    pairs->n_pair = n_kept;
    pairs->n_atom_pair = n_atom_pair;
}

/** Allocates the fixed lists and fills in the pairs; local. */
static hf_status build_pairs(struct hf_shell_pairs *pairs, struct hf_error *error)
{
    const struct hf_basis *basis = pairs->basis;
    struct pair_builder builder = {.pairs = pairs};
    const size_t most = (size_t)basis->max_primitive * (size_t)basis->max_primitive;
    builder.scratch = malloc(most * sizeof *builder.scratch);
    double *diffuse = malloc((size_t)basis->n_atom * sizeof *diffuse);
    /* The partner of a primitive pair is at most a strong pair of the molecule, about 1
     * hartree^(1/2), and all dropped ones of a pair together stay below the accuracy. */
    const double smallest = pairs->accuracy / (double)most;
    bool done = builder.scratch != NULL && diffuse != NULL;
    for (int a = 0; done && a < basis->n_atom; a++) diffuse[a] = smallest_exponent(basis, a);
    done = done && add_all_pairs(&builder, smallest, diffuse);
    free(diffuse);
    free(builder.scratch);
    if (!done) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
    return HF_OK;
}

hf_status hf_shell_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                double accuracy, struct hf_shell_pairs **pairs,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_shell_pairs *made = calloc(1, sizeof *made);
    if (made == NULL) {
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
    } else {
        *made = (struct hf_shell_pairs){.context = context, .basis = basis, .accuracy = accuracy};
        status = build_pairs(made, error);
    }
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(compute_bounds(made, error));
    order_pairs(made);
    *pairs = made;
    return HF_OK;
cleanup:
    hf_shell_pairs_destroy(&made);
    return status;
}

void hf_shell_pairs_destroy(struct hf_shell_pairs **pairs)
{
    struct hf_shell_pairs *old = *pairs;
    if (old != NULL) {
        struct hf_memory *memory = old->context->memory;
        hf_memory_release(memory, old->class_of);
        hf_memory_release(memory, old->atom_pair);
        hf_memory_release(memory, old->pair);
        while (old->primitives != NULL) {
            struct hf_primitive_chunk *chunk = old->primitives;
            old->primitives = chunk->next;
            hf_memory_release(memory, chunk);
        }
        free(old);
    }
    *pairs = NULL;
}
