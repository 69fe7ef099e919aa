/* The residual of a pair, the amplitudes of other pairs that it needs, and its own ones between PAOs. Rows of the
 * matrices in a room have hf_padded(columns) numbers. */
#include "local_iterate.h"

#include <math.h>

/* ---- Terms of G ------------------------------------------------------------------------------ */

/** Terms F_ik T_kj of all k but i; T_jk in the second sum. Their number. */
static size_t add_terms(const struct hf_local *local, int i, int j, bool second,
                        const double norm[], double least, struct hf_local_term term[])
{
    size_t n = 0;
    for (int p = local->first_partner[j]; p < local->first_partner[j + 1]; p++) {
        const int k = local->partner[p].orbital, pair = local->partner[p].pair;
        if (k == i) continue;
        const double factor = hf_local_fock_occupied(local, i, k);
        if (fabs(factor) * norm[pair] <= least) continue;
        term[n++] = (struct hf_local_term){
            .pair = pair, .second = second, .transposed = second ? k > j : k < j, .factor = factor};
    }
    return n;
}

static size_t n_partner(const struct hf_local *local, int orbital)
{
    return (size_t)(local->first_partner[orbital + 1] - local->first_partner[orbital]);
}

hf_status hf_local_terms_make(const struct hf_local *local, const double norm[], double least,
                              struct hf_local_terms *terms, struct hf_error *error)
{
    size_t n = 0;
    if (terms->begin == NULL) HF_TAKE(terms->arena, terms->begin, (size_t)local->n_own + 1);
    for (int q = 0; q < local->n_own && terms->begin != NULL; q++) {
        const int i = local->pair[local->own[q]].i, j = local->pair[local->own[q]].j;
        const size_t most = n + n_partner(local, i) + n_partner(local, j);
        if (!hf_arena_grow(terms->arena, &terms->term, (int64_t)most, &terms->n_room,
                           sizeof *terms->term))
            break;
        terms->begin[q] = n;
        n += add_terms(local, i, j, false, norm, least, terms->term + n);
        /* for i = j they are the transposed ones of the first sum */
        if (i != j) n += add_terms(local, j, i, true, norm, least, terms->term + n);
    }
    if (terms->begin != NULL) terms->begin[local->n_own] = n;
    return hf_arena_check(terms->arena, error);
}

/* ---- One pair -------------------------------------------------------------------------------- */

/** Room for a left matrix. */
static bool reserve_left(struct hf_local_room *room, int n_row, int n_inner)
{
    return hf_arena_grow(&room->arena, &room->row, n_inner + 1, &room->n_row, sizeof *room->row) &&
           hf_scratch_reserve(&room->packed, hf_packed_size(n_row, n_inner) + 1) != NULL;
}

bool hf_local_room_init(struct hf_local_room *room, const struct hf_local *local, int n)
{
    struct hf_arena *arena = &room->arena;
    const size_t n_atom = (size_t)local->overlap->n_column_part;
    *room = (struct hf_local_room){.arena = {.memory = local->context->memory,
                                             .kind = HF_MEMORY_MATRIX,
                                             .label = "residual of a pair"},
                                   .packed = {arena},
                                   .sum = {arena},
                                   .overlap = {arena},
                                   .half = {arena},
                                   .k = {arena},
                                   .outer = {arena},
                                   .multiply = hf_product_kernel()};
    for (int s = 0; s < 4; s++)
        room->square[s] = hf_arena_take(arena, (size_t)n * hf_padded(n), sizeof(double));
    HF_TAKE(arena, room->place, n_atom);
    HF_TAKE(arena, room->atom, n_atom);
    return reserve_left(room, n, n) && !arena->failed;
}

void hf_local_multiply(struct hf_local_room *room, struct hf_local_left left, const double *right,
                       size_t length, double *to)
{
    hf_pack(left.n_row, left.n_inner, left.from, left.row_step, left.inner_step,
            room->packed.value);
    for (int k = 0; k < left.n_inner; k++) room->row[k] = right + (size_t)k * length;
    room->multiply(&(struct hf_product){.n_row = left.n_row,
                                        .n_inner = left.n_inner,
                                        .n_column = length,
                                        .left = room->packed.value,
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
    hf_transpose((size_t)n_row, (size_t)n_column, from, (size_t)n_column, to, hf_padded(n_row));
}

/** Terms that are added up before S is applied. */
struct terms_of_sum {
    const struct hf_local_term *term;
    size_t n;
};

/** room->place and room->atom: atoms of the domains of all terms, and the first PAO of each among them. The number of
 *  their PAOs. */
static int unite(const struct hf_local *local, struct terms_of_sum terms,
                 struct hf_local_room *room)
{
    const int *first = local->overlap->column_first;
    const int n_atom = local->overlap->n_column_part;
    int n = 0;
    for (int a = 0; a < n_atom; a++) room->place[a] = -1;
    for (size_t p = 0; p < terms.n; p++) {
        const struct hf_parts atoms =
            hf_local_pair_domain(local, &local->pair[terms.term[p].pair])->atoms;
        for (int a = 0; a < atoms.n; a++) room->place[atoms.part[a]] = 0;
    }
    room->n_atom = 0;
    for (int a = 0; a < n_atom; a++) {
        if (room->place[a] < 0) continue;
        room->atom[room->n_atom++] = a;
        room->place[a] = n;
        n += first[a + 1] - first[a];
    }
    return n;
}

/** sum [..][length] += factor T at the places of the atoms of its domain; neighbours are one run. */
static void add_block(const struct hf_local *local, const struct hf_local_term *term,
                      const double *restrict block, const int place[], size_t length,
                      double *restrict sum)
{
    const int *first = local->overlap->column_first;
    const struct hf_parts atoms = hf_local_pair_domain(local, &local->pair[term->pair])->atoms;
    const double factor = term->factor;
    for (int a = 0; a < atoms.n; a++) {
        const int row = atoms.part[a], n_row = first[row + 1] - first[row];
        for (int r = 0; r < n_row; r++) {
            double *to = sum + (size_t)(place[row] + r) * length;
            for (int b = 0; b < atoms.n;) {
                const int begin = place[atoms.part[b]];
                int end = begin;
                for (; b < atoms.n && place[atoms.part[b]] == end; b++)
                    end += first[atoms.part[b] + 1] - first[atoms.part[b]];
                for (int c = begin; c < end; c++) to[c] += factor * block[c - begin];
                block += end - begin;
            }
        }
    }
}

/** sum [m][length] of the terms: those that are transposed are added up apart, in turned [m][length]. */
static void add_terms_up(const struct hf_local *local, struct terms_of_sum terms,
                         const double *const where[], const int place[], int m, size_t length,
                         double *restrict sum, double *restrict turned)
{
    const size_t size = (size_t)m * length;
    bool any = false;
    memset(sum, 0, size * sizeof *sum);
    memset(turned, 0, size * sizeof *turned);
    for (size_t p = 0; p < terms.n; p++) {
        const struct hf_local_term *term = &terms.term[p];
        any = any || term->transposed;
        add_block(local, term, where[term->pair], place, length, term->transposed ? turned : sum);
    }
    for (size_t a = 0; any && a < (size_t)m; a++)
        for (size_t b = 0; b < (size_t)m; b++) sum[a * length + b] += turned[b * length + a];
}

/** G [n][length] += S (sum of factor T) S of the terms of one sum. Their T are added up over the atoms of all their
 *  domains first. False: no memory. */
static bool couple(const struct hf_local *local, const struct hf_local_domain *domain,
                   struct terms_of_sum terms, const double *const where[], double *g,
                   struct hf_local_room *room)
{
    if (terms.n == 0) return true;
    const int n = domain->n_function, m = unite(local, terms, room);
    const size_t length = hf_padded(n), inner = hf_padded(m);
    double *sum = hf_scratch_reserve(&room->sum, 2 * (size_t)m * inner);
    double *overlap = hf_scratch_reserve(&room->overlap, (size_t)m * (length + (size_t)n));
    double *half = hf_scratch_reserve(&room->half, (size_t)n * (inner + length));
    if (sum == NULL || overlap == NULL || half == NULL || !reserve_left(room, n, m)) return false;
    double *product = half + (size_t)n * inner, *tight = overlap + (size_t)m * length;
    add_terms_up(local, terms, where, room->place, m, inner, sum, sum + (size_t)m * inner);
    hf_sparse_get(local->overlap, (struct hf_parts){room->n_atom, room->atom}, domain->atoms,
                  tight);
    pad(m, n, tight, overlap);
    hf_local_multiply(room, (struct hf_local_left){n, m, overlap, 1, length}, sum, inner, half);
    hf_local_multiply(room, (struct hf_local_left){n, m, half, inner, 1}, overlap, length, product);
    for (size_t p = 0; p < (size_t)n * length; p++) g[p] += product[p];
    return true;
}

/** Multiplications of a sum of terms over m PAOs for a domain of n. */
static double work_of_sum(const struct hf_local *local, struct terms_of_sum terms, double n,
                          struct hf_local_room *room)
{
    const double m = unite(local, terms, room);
    return n * m * (n + m);
}

/** G of pair q. Both sums are one if that takes less: their orbitals are near each other. */
static bool add_couplings(const struct hf_local *local, int q, const struct hf_local_state *state,
                          double *g, struct hf_local_room *room)
{
    const struct hf_local_pair *pair = &local->pair[local->own[q]];
    const struct hf_local_domain *domain = state->domain;
    const struct hf_local_term *term = state->terms->term + state->terms->begin[q];
    const struct terms_of_sum all = {term, state->terms->begin[q + 1] - state->terms->begin[q]};
    struct terms_of_sum first = {term, 0};
    const size_t length = hf_padded(domain->n_function);
    const double n = domain->n_function;
    while (first.n < all.n && !term[first.n].second) first.n++;
    const struct terms_of_sum second = {term + first.n, all.n - first.n};
    bool ok;
    if (work_of_sum(local, all, n, room) <
        work_of_sum(local, first, n, room) + work_of_sum(local, second, n, room))
        ok = couple(local, domain, all, state->where, g, room);
    else
        ok = couple(local, domain, first, state->where, g, room) &&
             couple(local, domain, second, state->where, g, room);
    if (pair->i != pair->j) return ok;
    for (int a = 0; a < domain->n_function; a++)
        for (int b = 0; b <= a; b++) {
            double *lower = &g[(size_t)a * length + (size_t)b],
                   *upper = &g[(size_t)b * length + (size_t)a];
            *lower = *upper = *lower + *upper;
        }
    return ok;
}

const double *hf_local_own_integrals(const struct hf_local *local, const struct hf_local_pair *pair,
                                     const double *k, struct hf_local_room *room)
{
    const struct hf_local_domain *domain = hf_local_pair_domain(local, pair),
                                 *outer = hf_local_outer_domain(local, pair);
    const int *first = local->overlap->column_first;
    const size_t n_outer = (size_t)outer->n_function, n = (size_t)domain->n_function;
    if (pair->outer == pair->domain) return k;
    double *made = hf_scratch_reserve(&room->k, n * n), *to = made;
    for (int a = 0, next = 0; a < outer->atoms.n; a++) {
        const int atom = outer->atoms.part[a];
        room->place[atom] = next;
        next += first[atom + 1] - first[atom];
    }
    for (int a = 0; a < domain->atoms.n && made != NULL; a++) {
        const int row = domain->atoms.part[a], n_row = first[row + 1] - first[row];
        for (int r = 0; r < n_row; r++) {
            const double *from = k + (size_t)(room->place[row] + r) * n_outer;
            for (int b = 0; b < domain->atoms.n; b++) {
                const int column = domain->atoms.part[b];
                const size_t n_column = (size_t)(first[column + 1] - first[column]);
                memcpy(to, from + room->place[column], n_column * sizeof *to);
                to += n_column;
            }
        }
    }
    return made;
}

struct hf_local_sums hf_local_sums_of(size_t n, const double *t, const double *x)
{
    struct hf_local_sums sums = {0.0, 0.0};
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            sums.direct += t[a * n + b] * x[a * n + b];
            sums.exchange += t[b * n + a] * x[a * n + b];
        }
    return sums;
}

void hf_local_divide(const struct hf_local *local, const struct hf_local_pair *pair,
                     const struct hf_local_domain *domain, double r[])
{
    const double occupied = hf_local_occupied_energy(local, pair);
    for (int a = 0; a < domain->n_kept; a++)
        for (int b = 0; b < domain->n_kept; b++)
            *r++ /= occupied - domain->energy[a] - domain->energy[b];
}

/** W^T G W [m][padded] of g [n][padded], to room->square[3]. */
static const double *to_kept(const struct hf_local_domain *domain, const double *g,
                             struct hf_local_room *room)
{
    const int n = domain->n_function, m = domain->n_kept;
    const size_t length = hf_padded(n), kept = hf_padded(m);
    double *half = room->square[1], *vector = room->square[2], *product = room->square[3];
    hf_local_multiply(room, (struct hf_local_left){m, n, domain->vector, 1, (size_t)m}, g, length,
                      half);
    pad(n, m, domain->vector, vector);
    hf_local_multiply(room, (struct hf_local_left){m, n, half, length, 1}, vector, kept, product);
    return product;
}

void hf_local_residual(const struct hf_local *local, int q, const struct hf_local_state *state,
                       double r[], struct hf_local_room *room)
{
    const struct hf_local_domain *domain = state->domain;
    const size_t n = (size_t)domain->n_function, m = (size_t)domain->n_kept;
    const size_t length = hf_padded(domain->n_function), kept = hf_padded(domain->n_kept);
    const double occupied = hf_local_occupied_energy(local, &local->pair[local->own[q]]);
    double *g = room->square[0];
    memset(g, 0, n * length * sizeof *g);
    if (state->where != NULL && !add_couplings(local, q, state, g, room)) {
        room->failed = true;
        memset(r, 0, m * m * sizeof *r);
        return;
    }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) g[a * length + b] = state->k[a * n + b] - g[a * length + b];
    const double *product = to_kept(domain, g, room);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            r[a * m + b] = product[a * kept + b] +
                           (domain->energy[a] + domain->energy[b] - occupied) * state->t[a * m + b];
}

void hf_local_project(const struct hf_local *local, int q, const struct hf_local_domain *domain,
                      const double *const where[], double t[], struct hf_local_room *room)
{
    const struct hf_local_domain *own = hf_local_pair_domain(local, &local->pair[local->own[q]]);
    const int n = own->n_function, n_outer = domain->n_function, m = domain->n_kept;
    const size_t kept = hf_padded(m);
    double *overlap = room->square[0], *vector = room->square[2], *half = room->square[1],
           *product = room->square[3];
    hf_local_between(local->overlap, own, domain, overlap);
    pad(n_outer, m, domain->vector, vector);
    hf_local_multiply(room, (struct hf_local_left){n, n_outer, overlap, (size_t)n_outer, 1}, vector,
                      kept, half); /* S W */
    hf_local_multiply(room, (struct hf_local_left){n, n, where[local->own[q]], (size_t)n, 1}, half,
                      kept, product);
    hf_local_multiply(room, (struct hf_local_left){m, n, half, 1, kept}, product, kept, vector);
    for (size_t a = 0; a < (size_t)m; a++)
        memcpy(t + a * (size_t)m, vector + a * kept, (size_t)m * sizeof *t);
}

void hf_local_back(const struct hf_local *local, int q, const double t[], double block[],
                   struct hf_local_room *room)
{
    const struct hf_local_domain *domain = hf_local_pair_domain(local, &local->pair[local->own[q]]);
    const int n = domain->n_function, m = domain->n_kept;
    const size_t length = hf_padded(n);
    double *half = room->square[1], *vector = room->square[2], *product = room->square[3];
    turn(n, m, domain->vector, vector);
    hf_local_multiply(room, (struct hf_local_left){m, m, t, (size_t)m, 1}, vector, length, half);
    hf_local_multiply(room, (struct hf_local_left){n, m, domain->vector, (size_t)m, 1}, half,
                      length, product);
    for (size_t a = 0; a < (size_t)n; a++)
        memcpy(block + a * (size_t)n, product + a * length, (size_t)n * sizeof *block);
}
