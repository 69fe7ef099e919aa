/* Amplitudes of local MP2, of made-up molecules: against a dense solution of the same linear equations, and what must
 * hold exactly. */
#include "../mpi_test.h"

#include "../../../src/local/local_mp2_private.h"
#include "hf/interruption.h"

#include <float.h>
#include <math.h>

/* Fortran */
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *n_work, int *info);
void dgesv_(const int *n, const int *n_right, double *a, const int *lda, int *pivot, double *b,
            const int *ldb, int *info);

enum { MOST_ATOM = 8, MOST_ORBITAL = 12, MOST_PAO = 80 };

/** A made-up molecule. */
struct shape {
    int n_orbital, n_atom, n_virtual;
    int n_function[MOST_ATOM];
    bool full;      /**< domains */
    bool outer;     /**< pairs have larger domains of the correction */
    bool canonical; /**< occupied orbitals */
    bool distant;   /**< the pair of the first and the last orbital is left out */
};

struct problem {
    const struct shape *shape;
    struct hf_context *context;
    struct hf_local_settings settings;
    struct hf_local local;
    int n;                          /**< PAOs */
    int first[MOST_ATOM + 1];       /**< PAO of each atom */
    double energy[MOST_PAO];        /**< of orthonormal virtual orbitals */
    double pao[MOST_PAO][MOST_PAO]; /**< [virtual][PAO] */
    double overlap[MOST_PAO * MOST_PAO], fock[MOST_PAO * MOST_PAO]; /**< [n][n] */
    double occupied_energy[MOST_ORBITAL];
    double mixing[MOST_ORBITAL][MOST_ORBITAL]; /**< [canonical][local] */
    double occupied[MOST_ORBITAL * MOST_ORBITAL];
    double *integral; /**< [canonical i][j][virtual a][b] */
    double *k;        /**< of this rank's pairs */
    struct hf_local_result result;
};

static void *room(size_t n, size_t size)
{
    void *made = calloc(n + 1, size);
    assert_non_null(made);
    return made;
}

/* ---- A molecule ------------------------------------------------------------------------------ */

static void make_virtual(struct problem *p, uint32_t *seed)
{
    const int v = p->shape->n_virtual;
    for (int a = 0; a < p->shape->n_atom; a++)
        p->first[a + 1] = p->first[a] + p->shape->n_function[a];
    p->n = p->first[p->shape->n_atom];
    for (int x = 0; x < v; x++) p->energy[x] = 0.3 + 2.0 * x / v;
    for (int m = 0; m < p->n; m++) {
        double square = 0.0;
        for (int x = 0; x < v; x++) {
            p->pao[x][m] = test_random(seed);
            square += p->pao[x][m] * p->pao[x][m];
        }
        for (int x = 0; x < v; x++) p->pao[x][m] /= sqrt(square);
    }
    for (int m = 0; m < p->n; m++)
        for (int n = 0; n < p->n; n++)
            for (int x = 0; x < v; x++) {
                const double product = p->pao[x][m] * p->pao[x][n];
                p->overlap[m * p->n + n] += product;
                p->fock[m * p->n + n] += product * p->energy[x];
            }
}

/** Occupied orbitals: rotations of each pair of canonical ones. */
static void make_occupied(struct problem *p, uint32_t *seed)
{
    const int o = p->shape->n_orbital;
    for (int i = 0; i < o; i++) {
        p->occupied_energy[i] = -1.2 + 0.8 * i / o;
        p->mixing[i][i] = 1.0;
    }
    for (int i = 0; i < o && !p->shape->canonical; i++)
        for (int j = 0; j < i; j++) {
            const double angle = test_random(seed), c = cos(angle), s = sin(angle);
            for (int x = 0; x < o; x++) {
                const double old = p->mixing[x][i];
                p->mixing[x][i] = c * old + s * p->mixing[x][j];
                p->mixing[x][j] = c * p->mixing[x][j] - s * old;
            }
        }
    for (int i = 0; i < o; i++)
        for (int j = 0; j < o; j++)
            for (int x = 0; x < o; x++)
                p->occupied[i * o + j] += p->mixing[x][i] * p->occupied_energy[x] * p->mixing[x][j];
}

/** Of a few charge distributions. */
static void make_integrals(struct problem *p, uint32_t *seed)
{
    enum { N_DISTRIBUTION = 4 };
    const size_t o = (size_t)p->shape->n_orbital, v = (size_t)p->shape->n_virtual;
    double *factor = room(N_DISTRIBUTION * o * v, sizeof *factor);
    for (size_t x = 0; x < N_DISTRIBUTION * o * v; x++) factor[x] = 0.2 * test_random(seed);
    p->integral = room(o * o * v * v, sizeof *p->integral);
    for (size_t q = 0; q < N_DISTRIBUTION; q++)
        for (size_t ia = 0; ia < o * v; ia++)
            for (size_t jb = 0; jb < o * v; jb++)
                p->integral[((ia / v * o + jb / v) * v + ia % v) * v + jb % v] +=
                    factor[q * o * v + ia] * factor[q * o * v + jb];
    free(factor);
}

/** K_ij between all PAOs [n][n]. */
static void find_integrals(const struct problem *p, int i, int j, double k[])
{
    const int o = p->shape->n_orbital, v = p->shape->n_virtual, n = p->n;
    double *virtuals = room((size_t)(v * v), sizeof *virtuals),
           *half = room((size_t)(v * n), sizeof *half);
    for (int x = 0; x < o; x++)
        for (int y = 0; y < o; y++)
            for (int ab = 0; ab < v * v; ab++)
                virtuals[ab] +=
                    p->mixing[x][i] * p->mixing[y][j] * p->integral[(x * o + y) * v * v + ab];
    for (int a = 0; a < v; a++)
        for (int b = 0; b < v; b++)
            for (int m = 0; m < n; m++) half[a * n + m] += virtuals[a * v + b] * p->pao[b][m];
    memset(k, 0, (size_t)(n * n) * sizeof *k);
    for (int a = 0; a < v; a++)
        for (int m = 0; m < n; m++)
            for (int l = 0; l < n; l++) k[m * n + l] += p->pao[a][m] * half[a * n + l];
    free(virtuals);
    free(half);
}

/* ---- struct hf_local ------------------------------------------------------------------------- */

/** PAOs of a domain. */
static int list(const struct problem *p, const struct hf_local_domain *domain, int pao[])
{
    int n = 0;
    for (int a = 0; a < domain->atoms.n; a++)
        for (int m = p->first[domain->atoms.part[a]]; m < p->first[domain->atoms.part[a] + 1]; m++)
            pao[n++] = m;
    return n;
}

/** W by eigenvectors of S and of F. */
static void find_vectors(const struct problem *p, struct hf_local_domain *domain)
{
    enum { N_WORK = 40 * MOST_PAO };
    int pao[MOST_PAO], info, kept = 0;
    const int n = list(p, domain, pao), n_work = N_WORK;
    double *s = room((size_t)(n * n), sizeof *s), *f = room((size_t)(n * n), sizeof *f),
           *value = room((size_t)n, sizeof *value), *work = room(N_WORK, sizeof *work);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) s[a * n + b] = p->overlap[pao[a] * p->n + pao[b]];
    dsyev_("V", "U", &n, s, &n, value, work, &n_work, &info);
    assert_int_equal(info, 0);
    for (int c = 0; c < n; c++) {
        if (value[c] < 1e-6) continue;
        for (int a = 0; a < n; a++) s[kept * n + a] = s[c * n + a] / sqrt(value[c]);
        kept++;
    }
    for (int c = 0; c < kept; c++)
        for (int d = 0; d < kept; d++)
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++)
                    f[c * kept + d] +=
                        s[c * n + a] * p->fock[pao[a] * p->n + pao[b]] * s[d * n + b];
    domain->n_kept = kept;
    domain->energy = room((size_t)kept, sizeof(double));
    domain->vector = room((size_t)(n * kept), sizeof(double));
    dsyev_("V", "U", &kept, f, &kept, domain->energy, work, &n_work, &info);
    assert_int_equal(info, 0);
    for (int a = 0; a < n; a++)
        for (int c = 0; c < kept; c++)
            for (int d = 0; d < kept; d++)
                domain->vector[a * kept + c] += s[d * n + a] * f[c * kept + d];
    free(s);
    free(f);
    free(value);
    free(work);
}

/** The domain of a set of atoms, one bit for each. */
static int find_domain(struct problem *p, unsigned set)
{
    struct hf_local *local = &p->local;
    int *atom = room(MOST_ATOM, sizeof *atom), n = 0, d = 0;
    for (int a = 0; a < p->shape->n_atom; a++)
        if (set >> a & 1u) atom[n++] = a;
    for (; d < local->n_domain; d++)
        if (local->domain[d].atoms.n == n &&
            memcmp(local->domain[d].atoms.part, atom, (size_t)n * sizeof *atom) == 0)
            break;
    if (d < local->n_domain) {
        free(atom);
        return d;
    }
    struct hf_local_domain *domain = &local->domain[local->n_domain++];
    int pao[MOST_PAO];
    domain->atoms = (struct hf_parts){n, atom};
    domain->n_function = list(p, domain, pao);
    find_vectors(p, domain);
    return d;
}

/** Three neighbours of five or so. */
static unsigned atoms_of(const struct problem *p, int i)
{
    const int n = p->shape->n_atom;
    if (p->shape->full) return (1u << n) - 1u;
    return 1u << i % n | 1u << (i + 1) % n | (i % 2 == 0 ? 1u << (i + 2) % n : 0u);
}

static void make_pairs(struct problem *p)
{
    struct hf_local *local = &p->local;
    const int o = p->shape->n_orbital, n_rank = p->context->n_rank;
    local->domain = room(MOST_ORBITAL * MOST_ORBITAL, sizeof *local->domain);
    local->pair = room(MOST_ORBITAL * MOST_ORBITAL, sizeof *local->pair);
    local->partner = room(2 * MOST_ORBITAL * MOST_ORBITAL, sizeof *local->partner);
    local->first_partner = room(MOST_ORBITAL, sizeof *local->first_partner);
    local->own = room(MOST_ORBITAL * MOST_ORBITAL, sizeof *local->own);
    local->first_of_rank = room((size_t)n_rank + 1, sizeof *local->first_of_rank);
    local->scratch = room(2 * (size_t)n_rank, sizeof *local->scratch);
    int64_t *n_of_rank = local->first_of_rank + 1;
    int where[MOST_ORBITAL][MOST_ORBITAL];
    for (int i = 0; i < o; i++)
        for (int j = 0; j <= i; j++) {
            where[i][j] = where[j][i] = -1;
            if (p->shape->distant && i == o - 1 && j == 0) continue;
            const int place = local->n_pair++, owner = (7 * place + 3) % n_rank;
            struct hf_local_pair *pair = &local->pair[place];
            where[i][j] = where[j][i] = place;
            *pair = (struct hf_local_pair){
                .i = i, .j = j, .owner = owner, .offset = (size_t)n_of_rank[owner]};
            const unsigned atoms = atoms_of(p, i) | atoms_of(p, j);
            pair->domain = find_domain(p, atoms);
            pair->outer = find_domain(p, p->shape->outer ? atoms | 1u << (i + j) % 5 : atoms);
            const size_t n = (size_t)local->domain[pair->domain].n_function;
            const size_t n_outer = (size_t)local->domain[pair->outer].n_function;
            n_of_rank[owner] += (int64_t)(n * n);
            if (owner != p->context->rank) continue;
            local->own[local->n_own++] = place;
            pair->outer_offset = local->n_integral;
            local->n_integral += n_outer * n_outer;
        }
    local->n_number = (size_t)n_of_rank[p->context->rank];
    for (int r = 0; r < n_rank; r++) n_of_rank[r] += local->first_of_rank[r];
    for (int k = 0, n = 0; k < o; k++) {
        for (int j = 0; j < o; j++)
            if (where[k][j] >= 0) local->partner[n++] = (struct hf_local_partner){j, where[k][j]};
        local->first_partner[k + 1] = n;
    }
}

/** A matrix in blocks of parts. */
static struct hf_sparse_matrix *blocks_of(struct hf_context *context, int n_part, const int first[],
                                          const double *matrix)
{
    const int n = first[n_part];
    struct hf_sparse_matrix *sparse =
        hf_sparse_create(context->memory, "test", n_part, first, n_part, first);
    assert_non_null(sparse);
    for (int a = 0; a < n_part; a++)
        for (int b = 0; b < n_part; b++)
            hf_sparse_add(sparse, a, b, 0.0, matrix + first[a] * n + first[b], (size_t)n);
    assert_ok(hf_sparse_finish(sparse, NULL));
    return sparse;
}

static struct problem *begin(const struct shape *shape, MPI_Comm comm)
{
    uint32_t seed = 17;
    struct problem *p = room(1, sizeof *p);
    p->shape = shape;
    assert_ok(hf_context_create(comm, &p->context, &error));
    make_virtual(p, &seed);
    make_integrals(p, &seed);
    make_occupied(p, &seed);
    p->settings = (struct hf_local_settings){.redundant = 1e-6,
                                             .energy_tolerance = 1e-12,
                                             .amplitude_tolerance = 1e-9,
                                             .max_iterations = 60,
                                             .replicated = true,
                                             .onesided = {.transport = "rma"}};
    p->local = (struct hf_local){.context = p->context,
                                 .settings = &p->settings,
                                 .n_thread = 1,
                                 .n_orbital = shape->n_orbital};
    make_pairs(p);
    p->local.overlap = blocks_of(p->context, shape->n_atom, p->first, p->overlap);
    p->local.fock = blocks_of(p->context, shape->n_atom, p->first, p->fock);
    int single[MOST_ORBITAL + 1];
    for (int i = 0; i <= shape->n_orbital; i++) single[i] = i;
    p->local.fock_occupied = blocks_of(p->context, shape->n_orbital, single, p->occupied);
    p->k = room(p->local.n_integral, sizeof *p->k);
    double *all = room((size_t)(p->n * p->n), sizeof *all);
    for (int q = 0; q < p->local.n_own; q++) {
        const struct hf_local_pair *pair = &p->local.pair[p->local.own[q]];
        int pao[MOST_PAO];
        const int n = list(p, &p->local.domain[pair->outer], pao);
        find_integrals(p, pair->i, pair->j, all);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                p->k[pair->outer_offset + (size_t)(a * n + b)] = all[pao[a] * p->n + pao[b]];
    }
    free(all);
    p->result.pair = room((size_t)p->local.n_pair, sizeof *p->result.pair);
    return p;
}

static void end(struct problem *p)
{
    struct hf_local *local = &p->local;
    for (int d = 0; d < local->n_domain; d++) {
        free((void *)(uintptr_t)local->domain[d].atoms.part);
        free(local->domain[d].vector);
        free(local->domain[d].energy);
    }
    hf_sparse_destroy(&local->overlap);
    hf_sparse_destroy(&local->fock);
    hf_sparse_destroy(&local->fock_occupied);
    free(local->domain);
    free(local->pair);
    free(local->partner);
    free(local->first_partner);
    free(local->own);
    free(local->first_of_rank);
    free(local->scratch);
    free(p->integral);
    free(p->k);
    free(p->result.pair);
    test_context_done(&p->context);
    free(p);
}

/** The energy; all pairs add up to it. */
static double energy_of(struct problem *p)
{
    double energy = 0.0;
    const size_t before = hf_memory_current_bytes(p->context->memory);
    assert_ok(hf_local_iterate(&p->local, p->k, &p->result, &error));
    assert_int_equal(hf_memory_current_bytes(p->context->memory), before);
    for (int x = 0; x < p->local.n_pair; x++)
        energy += p->result.pair[x].same_spin + p->result.pair[x].opposite_spin;
    return energy;
}

/* ---- The dense solution ---------------------------------------------------------------------- */

/** to [n][n] += factor left right, of square matrices. */
static void add_product(int n, double factor, const double *left, const double *right, double *to)
{
    for (int a = 0; a < n; a++)
        for (int c = 0; c < n; c++)
            for (int b = 0; b < n && left[a * n + c] != 0.0; b++)
                to[a * n + b] += factor * left[a * n + c] * right[c * n + b];
}

/** T of a pair in any order, [n][n]. */
static void get_pair(const struct problem *p, const double *t, int i, int j, double to[])
{
    const int o = p->shape->n_orbital, n = p->n;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            to[a * n + b] =
                i >= j ? t[((i * o + j) * n + a) * n + b] : t[((j * o + i) * n + b) * n + a];
}

/** What T [i][j][n][n], i >= j, adds to R_ij [n][n], as Eq. 10.6 has it. */
static void find_residual(const struct problem *p, const double *t, int i, int j, double r[])
{
    const int o = p->shape->n_orbital, n = p->n;
    const size_t size = (size_t)(n * n);
    double *block = room(size, sizeof *block), *sum = room(size, sizeof *sum),
           *half = room(size, sizeof *half);
    memset(r, 0, size * sizeof *r);
    get_pair(p, t, i, j, block);
    add_product(n, 1.0, p->fock, block, half);
    add_product(n, 1.0, half, p->overlap, r);
    memset(half, 0, size * sizeof *half);
    add_product(n, 1.0, p->overlap, block, half);
    add_product(n, 1.0, half, p->fock, r);
    for (int k = 0; k < o; k++) {
        get_pair(p, t, k, j, block);
        for (size_t x = 0; x < size; x++) sum[x] += p->occupied[i * o + k] * block[x];
        get_pair(p, t, i, k, block);
        for (size_t x = 0; x < size; x++) sum[x] += p->occupied[k * o + j] * block[x];
    }
    memset(half, 0, size * sizeof *half);
    add_product(n, 1.0, p->overlap, sum, half);
    add_product(n, -1.0, half, p->overlap, r);
    free(block);
    free(sum);
    free(half);
}

/** W^T (matrix between the PAOs of the domain) W. */
static void project(const struct problem *p, const struct hf_local_domain *domain,
                    const double *matrix, double to[])
{
    int pao[MOST_PAO];
    const int n = list(p, domain, pao), m = domain->n_kept;
    for (int c = 0; c < m; c++)
        for (int d = 0; d < m; d++) {
            to[c * m + d] = 0.0;
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++)
                    to[c * m + d] += domain->vector[a * m + c] * matrix[pao[a] * p->n + pao[b]] *
                                     domain->vector[b * m + d];
        }
}

/** T of unknown x of a pair in a domain, added to all of T. */
static void expand(const struct problem *p, const struct hf_local_pair *pair, int number,
                   const double x[], double t[])
{
    const struct hf_local_domain *domain = &p->local.domain[number];
    int pao[MOST_PAO];
    const int n = list(p, domain, pao), m = domain->n_kept, o = p->shape->n_orbital;
    double *block = t + (pair->i * o + pair->j) * p->n * p->n;
    for (int c = 0; c < m; c++)
        for (int d = 0; d < m; d++)
            for (int a = 0; a < n && x[c * m + d] != 0.0; a++)
                for (int b = 0; b < n; b++)
                    block[pao[a] * p->n + pao[b]] +=
                        domain->vector[a * m + c] * x[c * m + d] * domain->vector[b * m + d];
}

static int first_unknown(const struct problem *p, int pair)
{
    int n = 0;
    for (int q = 0; q < pair; q++) {
        const int m = p->local.domain[p->local.pair[q].domain].n_kept;
        n += m * m;
    }
    return n;
}

/** Energies of opposite and same spin of a pair: sums of x and b [m][m]. */
struct spins {
    double opposite, same;
};

static struct spins spins_of(const struct hf_local_pair *pair, int m, const double x[],
                             const double b[])
{
    const double factor = pair->i == pair->j ? 1.0 : 2.0;
    struct spins sum = {0.0, 0.0};
    for (int c = 0; c < m; c++)
        for (int d = 0; d < m; d++) {
            sum.opposite += factor * x[c * m + d] * b[c * m + d];
            sum.same += factor * x[c * m + d] * (b[c * m + d] - b[d * m + c]);
        }
    return sum;
}

/** What the energy of a pair gains if its amplitudes alone may change, in its larger domain, from T on: all unknowns at
 *  once. */
static struct spins correct_dense(const struct problem *p, const struct hf_local_pair *pair,
                                  const double *t)
{
    const int m = p->local.domain[pair->outer].n_kept, n = m * m, one = 1;
    const size_t o = (size_t)p->shape->n_orbital, size = (size_t)(p->n * p->n);
    const struct hf_local_domain *outer = &p->local.domain[pair->outer];
    double *matrix = room((size_t)n * (size_t)n, sizeof *matrix), *r = room((size_t)n, sizeof *r),
           *x = room((size_t)n, sizeof *x), *single = room(o * o * size, sizeof *single),
           *square = room(size, sizeof *square), *k = room(size, sizeof *k);
    int *pivot = room((size_t)n, sizeof *pivot), info;
    for (int c = 0; c < n; c++) {
        memset(single, 0, o * o * size * sizeof *single);
        x[c] = 1.0;
        expand(p, pair, pair->outer, x, single);
        x[c] = 0.0;
        find_residual(p, single, pair->i, pair->j, square);
        project(p, outer, square, matrix + (size_t)c * (size_t)n);
    }
    find_residual(p, t, pair->i, pair->j, square);
    find_integrals(p, pair->i, pair->j, k);
    for (size_t a = 0; a < size; a++) square[a] += k[a];
    project(p, outer, square, r);
    for (int c = 0; c < n; c++) x[c] = -r[c];
    dgesv_(&n, &one, matrix, &n, pivot, x, &n, &info);
    assert_int_equal(info, 0);
    const struct spins gained = spins_of(pair, m, x, r);
    free(matrix);
    free(r);
    free(x);
    free(single);
    free(square);
    free(k);
    free(pivot);
    return gained;
}

/** Solves for all pairs at once: energies of each pair, and its correction. */
static void solve_dense(const struct problem *p, struct spins of_pair[], struct spins missing[])
{
    const struct hf_local *local = &p->local;
    const int n = first_unknown(p, local->n_pair), o = p->shape->n_orbital, one = 1;
    const size_t size = (size_t)(o * o * p->n * p->n);
    double *matrix = room((size_t)n * (size_t)n, sizeof *matrix), *b = room((size_t)n, sizeof *b),
           *x = room((size_t)n, sizeof *x), *t = room(size, sizeof *t),
           *square = room((size_t)(p->n * p->n), sizeof *square);
    int *pivot = room((size_t)n, sizeof *pivot), info;
    for (int c = 0; c < n; c++) {
        memset(t, 0, size * sizeof *t);
        x[c] = 1.0;
        for (int q = 0; q < local->n_pair; q++)
            expand(p, &local->pair[q], local->pair[q].domain, x + first_unknown(p, q), t);
        x[c] = 0.0;
        for (int q = 0; q < local->n_pair; q++) {
            find_residual(p, t, local->pair[q].i, local->pair[q].j, square);
            project(p, &local->domain[local->pair[q].domain], square,
                    matrix + (size_t)c * (size_t)n + first_unknown(p, q));
        }
    }
    for (int q = 0; q < local->n_pair; q++) {
        find_integrals(p, local->pair[q].i, local->pair[q].j, square);
        project(p, &local->domain[local->pair[q].domain], square, b + first_unknown(p, q));
    }
    for (int c = 0; c < n; c++) b[c] = -(x[c] = b[c]);
    dgesv_(&n, &one, matrix, &n, pivot, b, &n, &info);
    assert_int_equal(info, 0);
    for (int q = 0; q < local->n_pair; q++) {
        const int m = local->domain[local->pair[q].domain].n_kept, f = first_unknown(p, q);
        of_pair[q] = spins_of(&local->pair[q], m, b + f, x + f);
    }
    memset(t, 0, size * sizeof *t);
    for (int q = 0; q < local->n_pair; q++)
        expand(p, &local->pair[q], local->pair[q].domain, b + first_unknown(p, q), t);
    for (int q = 0; q < local->n_pair; q++) missing[q] = correct_dense(p, &local->pair[q], t);
    free(matrix);
    free(b);
    free(x);
    free(t);
    free(square);
    free(pivot);
}

/** MP2 in canonical orbitals. */
static double canonical_energy(const struct problem *p)
{
    const int o = p->shape->n_orbital, v = p->shape->n_virtual;
    double energy = 0.0;
    for (int i = 0; i < o; i++)
        for (int j = 0; j < o; j++) {
            const double *k = p->integral + (size_t)((i * o + j) * v * v);
            for (int a = 0; a < v; a++)
                for (int b = 0; b < v; b++)
                    energy -= k[a * v + b] * (2.0 * k[a * v + b] - k[b * v + a]) /
                              (p->energy[a] + p->energy[b] - p->occupied_energy[i] -
                               p->occupied_energy[j]);
        }
    return energy;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static const struct shape some_domains = {
    .n_orbital = 4, .n_atom = 5, .n_virtual = 9, .n_function = {2, 1, 3, 2, 2}, .distant = true};
static const struct shape large = {.n_orbital = 12,
                                   .n_atom = 6,
                                   .n_virtual = 20,
                                   .n_function = {12, 12, 12, 12, 12, 12},
                                   .full = true};

TEST(energies_are_those_of_a_dense_solution)
{
    struct shape shape = some_domains;
    shape.outer = true;
    struct problem *p = begin(&shape, MPI_COMM_WORLD);
    struct spins of_pair[16], missing[16];
    double sum = 0.0;
    solve_dense(p, of_pair, missing);
    for (int way = 0; way < 4; way++) {
        p->settings.replicated = way % 2 == 0;
        p->settings.onesided.transport = way == 3 ? "thread" : "rma";
        p->local.n_thread = way / 2 + 1;
        energy_of(p);
        assert_true(p->result.converged);
        assert_true(p->result.n_iteration > 3 && p->result.n_iteration < 30);
        for (int q = 0; q < p->local.n_pair; q++) {
            const struct hf_local_pair_result *one = &p->result.pair[q];
            assert_true(fabs(one->opposite_spin - of_pair[q].opposite) < 1e-10);
            assert_true(fabs(one->same_spin - of_pair[q].same) < 1e-10);
            assert_true(fabs(one->opposite_correction - missing[q].opposite) < 1e-10);
            assert_true(fabs(one->same_correction - missing[q].same) < 1e-10);
            sum += missing[q].opposite + missing[q].same;
        }
        assert_true(sum < -1e-4);
    }
    end(p);
}

TEST(canonical_orbitals_need_one_iteration)
{
    struct shape shape = some_domains;
    shape.full = shape.canonical = true;
    shape.distant = false;
    struct problem *p = begin(&shape, MPI_COMM_WORLD);
    assert_true(fabs(energy_of(p) - canonical_energy(p)) < 1e-12);
    assert_true(p->result.converged);
    assert_int_equal(p->result.n_iteration, 1);
    end(p);
}

TEST(mixed_orbitals_give_the_canonical_energy)
{
    struct shape shape = some_domains;
    shape.full = true;
    shape.distant = false;
    struct problem *p = begin(&shape, MPI_COMM_WORLD);
    assert_true(fabs(energy_of(p) - canonical_energy(p)) < 1e-11);
    assert_true(p->result.converged);
    end(p);
}

/** Large enough for several batches of amplitudes. */
TEST(bits_do_not_depend_on_ranks_and_threads)
{
    struct problem *alone = begin(&large, MPI_COMM_SELF), *p = begin(&large, MPI_COMM_WORLD);
    const double expected = energy_of(alone);
    assert_true(fabs(expected - canonical_energy(alone)) < 1e-9);
    for (int way = 0; way < 4; way++) {
        p->settings.replicated = way % 2 == 0;
        p->settings.onesided.transport = way == 3 ? "thread" : "rma";
        p->local.n_thread = way / 2 + 1;
        const double energy = energy_of(p);
        assert_memory_equal(&energy, &expected, sizeof energy);
        assert_int_equal(p->result.n_iteration, alone->result.n_iteration);
        assert_memory_equal(p->result.pair, alone->result.pair,
                            (size_t)p->local.n_pair * sizeof *p->result.pair);
    }
    end(alone);
    end(p);
}

TEST(nested_domains_lower_the_energy)
{
    struct problem *small = begin(&some_domains, MPI_COMM_WORLD);
    struct shape shape = some_domains;
    shape.distant = false;
    struct problem *all_pairs = begin(&shape, MPI_COMM_WORLD);
    const double first = energy_of(small), second = energy_of(all_pairs);
    assert_true(first > second);
    assert_true(second > canonical_energy(all_pairs));
    end(small);
    end(all_pairs);
}

TEST(small_terms_do_not_matter)
{
    struct problem *p = begin(&some_domains, MPI_COMM_WORLD);
    const double expected = energy_of(p);
    p->settings.amplitude_tolerance = p->settings.energy_tolerance = 1e-5;
    assert_true(fabs(energy_of(p) - expected) < 1e-7);
    assert_true(p->result.converged);
    end(p);
}

TEST(too_few_iterations_are_reported)
{
    struct problem *p = begin(&some_domains, MPI_COMM_WORLD);
    p->settings.max_iterations = 3;
    energy_of(p);
    assert_false(p->result.converged);
    assert_int_equal(p->result.n_iteration, 3);
    assert_true(p->result.amplitude_change > 1e-9);
    end(p);
}

static int always(void *data, double fraction)
{
    return 15;
}

TEST(a_request_ends_it_on_all_ranks)
{
    struct problem *p = begin(&some_domains, MPI_COMM_WORLD);
    if (p->context->rank == p->context->n_rank - 1)
        hf_interruption_watch(p->context->interruption, always, NULL);
    hf_interruption_begin(p->context->interruption);
    assert_int_equal(hf_local_iterate(&p->local, p->k, &p->result, &error), HF_INTERRUPTED);
    hf_interruption_watch(p->context->interruption, NULL, NULL);
    energy_of(p);
    assert_true(p->result.converged);
    end(p);
}

MPI_TEST_MAIN
