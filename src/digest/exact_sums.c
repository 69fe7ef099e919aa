/* The unit of exact sums, and the preparation of densities; see digest/exact_sums.h. */
#include "digest/exact_sums.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

/** Bounds are added as whole multiples of 2^-COUNT_BITS, rounded up, so that the order of the blocks does not
 *  matter. LARGEST stands for a bound that is too large to be counted. */
enum { COUNT_BITS = 24, RANGE_BITS = 51 };
static const double LARGEST = 0x1p20;

/** Sums over the elements of one density, as in digest/exact_sums.h. */
struct bound_counts {
    int64_t coulomb, exchange;
    int64_t n_beyond; /**< blocks that are too large */
};

struct hf_exact_sums {
    struct hf_arena arena;
    const struct hf_shell_pairs *pairs;
    double *largest_of_shell; /**< [n_shell] Schwarz bounds */
    int n_density;
    int64_t n_room;
    struct bound_counts *count; /**< [n_density] of the blocks prepared on this rank */
    double unit;
};

hf_status hf_exact_sums_create(const struct hf_shell_pairs *pairs, struct hf_exact_sums **sums,
                               struct hf_error *error)
{
    struct hf_exact_sums *made;
    if (HF_NEW(made, NULL, "exact sums") != NULL)
        HF_TAKE(&made->arena, made->largest_of_shell, (size_t)pairs->basis->n_shell);
    const hf_status status = hf_arena_check_new(made, error);
    if (status != HF_OK) {
        hf_arena_free(&made);
        return status;
    }
    made->pairs = pairs;
    for (int64_t k = 0; k < pairs->n_pair; k++) {
        const struct hf_shell_pair *pair = &pairs->pair[k];
        double *a = &made->largest_of_shell[pair->a], *b = &made->largest_of_shell[pair->b];
        *a = fmax(*a, pair->bound);
        *b = fmax(*b, pair->bound);
    }
    *sums = made;
    return HF_OK;
}

void hf_exact_sums_destroy(struct hf_exact_sums **sums)
{
    hf_arena_free(sums);
}

hf_status hf_exact_sums_begin(struct hf_exact_sums *sums, int n_density, struct hf_error *error)
{
    if (!hf_arena_grow(&sums->arena, &sums->count, n_density, &sums->n_room, sizeof *sums->count))
        return hf_arena_check(&sums->arena, error);
    sums->n_density = n_density;
    for (int k = 0; k < n_density; k++) sums->count[k] = (struct bound_counts){0};
    return HF_OK;
}

/** The number with the last bit set; 0 stays 0. */
static double make_odd(double x)
{
    uint64_t bits;
    if (x == 0.0) return x;
    memcpy(&bits, &x, sizeof bits);
    bits |= 1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/** A bound in counts, rounded up. */
static int64_t whole_counts(double bound)
{
    return (int64_t)ceil(ldexp(fmin(bound, LARGEST), COUNT_BITS));
}

void hf_exact_sums_meet(struct hf_exact_sums *sums, int density, int i, int j, double mirror,
                        double block[])
{
    const struct hf_basis *basis = sums->pairs->basis;
    const int *first = basis->first_shell_of_atom;
    const int n_row = hf_atom_n_function(basis, i), n_column = hf_atom_n_function(basis, j);
    const int row_0 = hf_atom_first_function(basis, i), column_0 = hf_atom_first_function(basis, j);
    double coulomb = 0.0, exchange = 0.0;
    for (int r = 0; r < n_row; r++)
        for (int c = 0; c < n_column; c++) {
            double *element = &block[r * n_column + c];
            *element = i == j && c > r ? 0.0 : make_odd(*element);
        }
    for (int r = 0; i == j && r < n_row; r++)
        for (int c = r + 1; c < n_column; c++)
            block[r * n_column + c] = mirror * block[c * n_column + r];
    for (int a = first[i]; a < first[i + 1]; a++) {
        for (int b = first[j]; b < first[j + 1]; b++) {
            const struct hf_shell *row = &basis->shell[a], *column = &basis->shell[b];
            double total = 0.0;
            for (int r = 0; r < row->n_function; r++)
                for (int c = 0; c < column->n_function; c++)
                    total += fabs(block[(row->first_function - row_0 + r) * n_column +
                                        column->first_function - column_0 + c]);
            const double q_a = sums->largest_of_shell[a], q_b = sums->largest_of_shell[b];
            coulomb += total * fmin(q_a, q_b);
            exchange += (i == j ? 1.0 : 2.0) * total * q_a * q_b; /* with its mirror image */
        }
    }
    struct bound_counts *count = &sums->count[density];
    count->coulomb += whole_counts(coulomb);
    count->exchange += whole_counts(exchange);
    count->n_beyond += !(coulomb < LARGEST && exchange < LARGEST); /* also when they are NaN */
}

hf_status hf_exact_sums_find_unit(struct hf_exact_sums *sums, struct hf_error *error)
{
    const double most_repeated = 8.0, room = 2.0;
    double bound = 0.0;
    int64_t n_beyond = 0;
    MPI_Allreduce(MPI_IN_PLACE, sums->count, 3 * sums->n_density, MPI_INT64_T, MPI_SUM,
                  sums->pairs->context->comm);
    for (int k = 0; k < sums->n_density; k++) {
        const struct bound_counts *count = &sums->count[k];
        bound = fmax(bound, sums->pairs->bound * (double)count->coulomb);
        bound = fmax(bound, (double)count->exchange);
        n_beyond += count->n_beyond;
    }
    bound = room * most_repeated * ldexp(bound, -COUNT_BITS);
    if (n_beyond > 0)
        return hf_fail(error, HF_NO_RESOURCE,
                       "the elements of a density are too large for reproducible sums");
    int exponent;
    frexp(fmax(bound, ldexp(1.0, -COUNT_BITS)), &exponent); /* bound <= 2^exponent */
    sums->unit = ldexp(1.0, exponent - RANGE_BITS);
    return HF_OK;
}

double hf_exact_sums_origin(const struct hf_exact_sums *sums)
{
    return ldexp(1.5 * sums->unit, RANGE_BITS + 1);
}

double hf_exact_sums_range(const struct hf_exact_sums *sums)
{
    return ldexp(sums->unit, RANGE_BITS);
}
