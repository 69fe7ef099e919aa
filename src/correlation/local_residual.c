/* The residual of a pair, the amplitudes of other pairs that it needs, and its own ones between PAOs. Rows of the
 * matrices in a room have hf_padded(columns) numbers. */
#include "local_iterate.h"

#include <math.h>
#include <stdlib.h>

/* ---- Terms of G ------------------------------------------------------------------------------ */

static int by_domain(const void *left, const void *right)
{
    const struct hf_local_term *x = left, *y = right;
    if (x->domain != y->domain) return x->domain < y->domain ? -1 : 1;
    if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
    return (int)x->transposed - (int)y->transposed;
}

/** Adds to term [*n] what F_ik T_kj gives for all k but i; T_jk if `from_right`. */
static void add_terms(const struct hf_local *local, int i, int j, bool from_right,
                      const double norm[], double least, struct hf_local_term term[], size_t *n)
{
    for (int p = local->first_partner[j]; p < local->first_partner[j + 1]; p++) {
        const int k = local->partner[p].orbital, pair = local->partner[p].pair;
        if (k == i) continue;
        const double factor = hf_local_fock_occupied(local, i, k);
        if (fabs(factor) * norm[pair] <= least) continue;
        term[(*n)++] = (struct hf_local_term){.domain = local->pair[pair].domain,
                                              .pair = pair,
                                              .transposed = from_right ? k > j : k < j,
                                              .factor = factor};
    }
}

static size_t n_partner(const struct hf_local *local, int orbital)
{
    return (size_t)(local->first_partner[orbital + 1] - local->first_partner[orbital]);
}

/** Room for `n` terms; those that are there stay. */
static bool make_room(struct hf_local_terms *terms, size_t n)
{
    if (n <= terms->n_room) return true;
    const size_t n_room = n + n / 2;
    struct hf_local_term *larger =
        hf_memory_allocate(terms->memory, "terms of residuals", n_room, sizeof *larger);
    if (larger == NULL) return false;
    if (terms->n_room > 0) memcpy(larger, terms->term, terms->n_room * sizeof *larger);
    hf_memory_release(terms->memory, terms->term);
    terms->term = larger;
    terms->n_room = n_room;
    return true;
}

hf_status hf_local_terms_make(const struct hf_local *local, const double norm[], double least,
                              struct hf_local_terms *terms, struct hf_error *error)
{
    size_t n = 0;
    terms->memory = local->context->memory;
    if (terms->begin == NULL)
        terms->begin = hf_memory_allocate(terms->memory, "terms of residuals",
                                          (size_t)local->n_own + 1, sizeof *terms->begin);
    for (int q = 0; q < local->n_own && terms->begin != NULL; q++) {
        const int i = local->pair[local->own[q]].i, j = local->pair[local->own[q]].j;
        if (!make_room(terms, n + n_partner(local, i) + n_partner(local, j)))
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for terms of residuals");
        terms->begin[q] = n;
        add_terms(local, i, j, false, norm, least, terms->term, &n);
        /* for i = j they are the transposed ones of the first sum */
        if (i != j) add_terms(local, j, i, true, norm, least, terms->term, &n);
        qsort(terms->term + terms->begin[q], n - terms->begin[q], sizeof *terms->term, by_domain);
    }
    if (terms->begin == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for terms of residuals");
    terms->begin[local->n_own] = n;
    return HF_OK;
}

void hf_local_terms_done(struct hf_local_terms *terms)
{
    if (terms->memory == NULL) return;
    hf_memory_release(terms->memory, terms->begin);
    hf_memory_release(terms->memory, terms->term);
    *terms = (struct hf_local_terms){.memory = NULL};
}

/* ---- One pair -------------------------------------------------------------------------------- */

bool hf_local_room_init(struct hf_local_room *room, const struct hf_local *local)
{
    const char *label = "residual of a pair";
    int n = 0;
    *room =
        (struct hf_local_room){.memory = local->context->memory, .multiply = hf_product_kernel()};
    for (int d = 0; d < local->n_domain; d++)
        if (local->domain[d].n_function > n) n = local->domain[d].n_function;
    const size_t size = (size_t)n * hf_padded(n) + 1;
    bool ok = true;
    for (int s = 0; s < 5; s++) {
        room->square[s] = hf_memory_allocate(room->memory, label, size, sizeof(double));
        ok = ok && room->square[s] != NULL;
    }
    room->packed =
        hf_memory_allocate(room->memory, label, hf_packed_size(n, n) + 1, sizeof(double));
    room->row = hf_memory_allocate(room->memory, label, (size_t)n + 1, sizeof *room->row);
    return ok && room->packed != NULL && room->row != NULL;
}

void hf_local_room_done(struct hf_local_room *room)
{
    if (room->memory == NULL) return;
    for (int s = 0; s < 5; s++) hf_memory_release(room->memory, room->square[s]);
    hf_memory_release(room->memory, room->packed);
    hf_memory_release(room->memory, (void *)room->row);
}

/** A left matrix: element (i, k) is from[i * row_step + k * inner_step]. */
struct left {
    int n_row, n_inner;
    const double *from;
    size_t row_step, inner_step;
};

/** to [n_row][length] = left right, right [n_inner][length]. */
static void multiply(struct hf_local_room *room, struct left left, const double *right,
                     size_t length, double *to)
{
    hf_pack(left.n_row, left.n_inner, left.from, left.row_step, left.inner_step, room->packed);
    for (int k = 0; k < left.n_inner; k++) room->row[k] = right + (size_t)k * length;
    room->multiply(&(struct hf_product){.n_row = left.n_row,
                                        .n_inner = left.n_inner,
                                        .n_column = length,
                                        .left = room->packed,
                                        .right = room->row,
                                        .to = to,
                                        .to_step = length});
}

/** The rows of from [n_row][n_column] become longer. */
static void pad(int n_row, int n_column, const double *from, double *to)
{
    const size_t n = (size_t)n_column, length = hf_padded(n_column);
    for (int i = 0; i < n_row; i++)
        memcpy(to + (size_t)i * length, from + (size_t)i * n, n * sizeof *to);
}

/** to [n_column][length] = the transposed of from [n_row][n_column]. */
static void turn(int n_row, int n_column, const double *from, double *to)
{
    const size_t length = hf_padded(n_row);
    for (int i = 0; i < n_row; i++)
        for (int k = 0; k < n_column; k++)
            to[(size_t)k * length + (size_t)i] = from[(size_t)i * (size_t)n_column + (size_t)k];
}

/** sum [n][length] += factor T, or its transposed. */
static void add_block(int n, double factor, bool transposed, const double *block, double *sum)
{
    const size_t length = hf_padded(n), row = transposed ? 1 : (size_t)n,
                 column = transposed ? (size_t)n : 1;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            sum[(size_t)a * length + (size_t)b] +=
                factor * block[(size_t)a * row + (size_t)b * column];
}

/** G [n][length] += S (sum of factor T) S of terms begin .. end-1, all of one other domain. Uses squares 1 to 4. */
static void couple(const struct hf_local *local, const struct hf_local_domain *domain,
                   const struct hf_local_terms *terms, size_t begin, size_t end,
                   const double *const where[], double *g, struct hf_local_room *room)
{
    const struct hf_local_domain *other = &local->domain[terms->term[begin].domain];
    const int n = domain->n_function, m = other->n_function;
    const size_t length = hf_padded(n), inner = hf_padded(m);
    double *sum = room->square[1], *overlap = room->square[2], *half = room->square[3],
           *product = room->square[4];
    memset(sum, 0, (size_t)m * inner * sizeof *sum);
    for (size_t p = begin; p < end; p++) {
        const struct hf_local_term *term = &terms->term[p];
        add_block(m, term->factor, term->transposed, where[term->pair], sum);
    }
    hf_local_between(local->overlap, other, domain, product);
    pad(m, n, product, overlap);
    multiply(room, (struct left){n, m, overlap, 1, length}, sum, inner, half);
    multiply(room, (struct left){n, m, half, inner, 1}, overlap, length, product);
    for (size_t p = 0; p < (size_t)n * length; p++) g[p] += product[p];
}

/** G of pair q. */
static void add_couplings(const struct hf_local *local, int q, const struct hf_local_terms *terms,
                          const double *const where[], double *g, struct hf_local_room *room)
{
    const struct hf_local_pair *pair = &local->pair[local->own[q]];
    const struct hf_local_domain *domain = hf_local_pair_domain(local, pair);
    const size_t length = hf_padded(domain->n_function), stop = terms->begin[q + 1];
    for (size_t begin = terms->begin[q], end; begin < stop; begin = end) {
        for (end = begin + 1; end < stop; end++)
            if (terms->term[end].domain != terms->term[begin].domain) break;
        couple(local, domain, terms, begin, end, where, g, room);
    }
    if (pair->i != pair->j) return;
    for (int a = 0; a < domain->n_function; a++)
        for (int b = 0; b <= a; b++) {
            double *lower = &g[(size_t)a * length + (size_t)b],
                   *upper = &g[(size_t)b * length + (size_t)a];
            *lower = *upper = *lower + *upper;
        }
}

/** Of X = K + R: K between PAOs with T, and r with t. */
static struct hf_local_sums sums_of(const struct hf_local_domain *domain, const double *k,
                                    const double *block, const double *t, const double *r)
{
    const size_t n = (size_t)domain->n_function, m = (size_t)domain->n_kept;
    struct hf_local_sums sums = {0.0, 0.0};
    for (size_t a = 0; a < n && block != NULL; a++)
        for (size_t b = 0; b < n; b++) {
            sums.direct += block[a * n + b] * k[a * n + b];
            sums.exchange += block[b * n + a] * k[a * n + b];
        }
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            sums.direct += t[a * m + b] * r[a * m + b];
            sums.exchange += t[b * m + a] * r[a * m + b];
        }
    return sums;
}

struct hf_local_sums hf_local_residual(const struct hf_local *local, int q,
                                       const struct hf_local_terms *terms,
                                       const double *const where[], const double k[],
                                       const double t[], double r[], struct hf_local_room *room)
{
    const struct hf_local_pair *pair = &local->pair[local->own[q]];
    const struct hf_local_domain *domain = hf_local_pair_domain(local, pair);
    const int n = domain->n_function, m = domain->n_kept;
    const size_t length = hf_padded(n), kept = hf_padded(m);
    const double occupied = hf_local_occupied_energy(local, pair);
    double *g = room->square[0], *half = room->square[1], *vector = room->square[2],
           *product = room->square[3];
    memset(g, 0, (size_t)n * length * sizeof *g);
    if (where != NULL) add_couplings(local, q, terms, where, g, room);
    for (size_t a = 0; a < (size_t)n; a++)
        for (size_t b = 0; b < (size_t)n; b++)
            g[a * length + b] = k[a * (size_t)n + b] - g[a * length + b];
    multiply(room, (struct left){m, n, domain->vector, 1, (size_t)m}, g, length, half);
    pad(n, m, domain->vector, vector);
    multiply(room, (struct left){m, n, half, length, 1}, vector, kept, product);
    for (size_t a = 0; a < (size_t)m; a++)
        for (size_t b = 0; b < (size_t)m; b++)
            r[a * (size_t)m + b] =
                product[a * kept + b] +
                (domain->energy[a] + domain->energy[b] - occupied) * t[a * (size_t)m + b];
    return sums_of(domain, k, where != NULL ? where[local->own[q]] : NULL, t, r);
}

void hf_local_back(const struct hf_local *local, int q, const double t[], double block[],
                   struct hf_local_room *room)
{
    const struct hf_local_domain *domain = hf_local_pair_domain(local, &local->pair[local->own[q]]);
    const int n = domain->n_function, m = domain->n_kept;
    const size_t length = hf_padded(n);
    double *half = room->square[1], *vector = room->square[2], *product = room->square[3];
    turn(n, m, domain->vector, vector);
    multiply(room, (struct left){m, m, t, (size_t)m, 1}, vector, length, half);
    multiply(room, (struct left){n, m, domain->vector, (size_t)m, 1}, half, length, product);
    for (size_t a = 0; a < (size_t)n; a++)
        memcpy(block + a * (size_t)n, product + a * length, (size_t)n * sizeof *block);
}
