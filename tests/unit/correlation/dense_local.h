/* Local MP2 by dense matrices over all PAOs on every rank: plain sums that the program is compared with. */
#ifndef HF_DENSE_LOCAL_H
#define HF_DENSE_LOCAL_H

#include "../all_integrals.h"
#include "../solved.h"

#include "../../../src/local/local_mp2_private.h"

/** Square matrices [n][n] over PAOs; those of pairs are zero outside of the pair's domain. */
struct dense_local {
    const struct hf_local *local;
    size_t n;
    double *overlap, *fock;
    double **k, **t; /**< [n_pair] */
};

/** to = a b, or a b^T. */
static inline void dense_multiply(size_t n, const double *a, const double *b, bool transposed,
                                  double *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * (transposed ? b[j * n + k] : b[k * n + j]);
            to[i * n + j] = sum;
        }
}

/** All atoms. */
static inline struct hf_parts dense_all(const struct hf_local *local, int atom[])
{
    for (int a = 0; a < local->basis->n_atom; a++) atom[a] = a;
    return (struct hf_parts){local->basis->n_atom, atom};
}

static inline double *dense_square(const struct hf_sparse_matrix *sparse,
                                   const struct hf_local *local)
{
    int atom[TEST_MOST_ATOM];
    const size_t n = (size_t)local->basis->n_function;
    double *to = calloc(n * n, sizeof *to);
    hf_sparse_get(sparse, dense_all(local, atom), dense_all(local, atom), to);
    return to;
}

/** Whether the PAO is in the domain of a pair. */
static inline bool dense_in_domain(const struct hf_local *local, const struct hf_local_pair *pair,
                                   size_t pao)
{
    const struct hf_parts *atoms = &hf_local_pair_domain(local, pair)->atoms;
    for (int k = 0; k < atoms->n; k++)
        if ((int)pao >= local->overlap->row_first[atoms->part[k]] &&
            (int)pao < local->overlap->row_first[atoms->part[k] + 1])
            return true;
    return false;
}

/** (ia|jb) of all PAOs. */
static inline double *dense_integrals(const struct hf_local *local, const double *integral, int i,
                                      int j)
{
    int atom[TEST_MOST_ATOM];
    const size_t n = (size_t)local->basis->n_function;
    double *l_i = calloc(n, 8), *l_j = calloc(n, 8), *half = calloc(n * n, 8);
    double *p = dense_square(local->paos, local), *to = calloc(n * n, 8);
    const struct hf_parts all = dense_all(local, atom);
    hf_sparse_get(local->orbitals, all, (struct hf_parts){1, &i}, l_i);
    hf_sparse_get(local->orbitals, all, (struct hf_parts){1, &j}, l_j);
    for (size_t m = 0; m < n; m++)
        for (size_t r = 0; r < n; r++)
            for (size_t x = 0; x < n; x++)
                for (size_t s = 0; s < n; s++)
                    half[r * n + s] += l_i[m] * l_j[x] * integral[((m * n + r) * n + x) * n + s];
    double *next = calloc(n * n, 8);
    for (size_t a = 0; a < n; a++)
        for (size_t s = 0; s < n; s++)
            for (size_t r = 0; r < n; r++) next[a * n + s] += p[r * n + a] * half[r * n + s];
    dense_multiply(n, next, p, false, to);
    free(l_i);
    free(l_j);
    free(half);
    free(p);
    free(next);
    return to;
}

static inline void dense_begin(struct dense_local *self, struct hf_local *local,
                               const double *integral)
{
    const size_t n = (size_t)local->basis->n_function;
    *self = (struct dense_local){.local = local, .n = n};
    self->overlap = dense_square(local->overlap, local);
    self->fock = dense_square(local->fock, local);
    self->k = calloc((size_t)local->n_pair, sizeof *self->k);
    self->t = calloc((size_t)local->n_pair, sizeof *self->t);
    for (int p = 0; p < local->n_pair; p++) {
        const struct hf_local_pair *pair = &local->pair[p];
        struct hf_local_domain *domain = &local->domain[pair->domain];
        if (domain->vector == NULL) assert_ok(hf_local_domain_vectors(local, domain, NULL));
        self->t[p] = calloc(n * n, sizeof(double));
        self->k[p] = dense_integrals(local, integral, pair->i, pair->j);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                if (!dense_in_domain(local, pair, a) || !dense_in_domain(local, pair, b))
                    self->k[p][a * n + b] = 0.0;
    }
}

static inline void dense_end(struct dense_local *self)
{
    for (int p = 0; p < self->local->n_pair; p++) {
        free(self->k[p]);
        free(self->t[p]);
    }
    free(self->k);
    free(self->t);
    free(self->overlap);
    free(self->fock);
}

/** to += factor T_ij, or its transpose; nothing if the pair is distant. */
static inline void dense_add_amplitudes(const struct dense_local *self, double factor, int i, int j,
                                        double *to)
{
    const int p = hf_local_find_pair(self->local, i, j);
    const size_t n = self->n;
    if (p < 0) return;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            to[a * n + b] += factor * (i >= j ? self->t[p][a * n + b] : self->t[p][b * n + a]);
}

/** R_ij, Eq. 10.6. */
static inline double *dense_residual(const struct dense_local *self, int p)
{
    const struct hf_local_pair *pair = &self->local->pair[p];
    const size_t n = self->n;
    double *sum = calloc(n * n, 8), *one = calloc(n * n, 8), *two = calloc(n * n, 8);
    double *r = calloc(n * n, 8);
    memcpy(r, self->k[p], n * n * sizeof *r);
    for (int k = 0; k < self->local->n_orbital; k++) {
        dense_add_amplitudes(self, hf_local_fock_occupied(self->local, pair->i, k), k, pair->j,
                             sum);
        dense_add_amplitudes(self, hf_local_fock_occupied(self->local, k, pair->j), pair->i, k,
                             sum);
    }
    dense_multiply(n, self->overlap, sum, false, one);
    dense_multiply(n, one, self->overlap, false, two);
    for (size_t x = 0; x < n * n; x++) r[x] -= two[x];
    dense_multiply(n, self->fock, self->t[p], false, one);
    dense_multiply(n, one, self->overlap, false, two);
    for (size_t x = 0; x < n * n; x++) r[x] += two[x];
    dense_multiply(n, self->overlap, self->t[p], false, one);
    dense_multiply(n, one, self->fock, false, two);
    for (size_t x = 0; x < n * n; x++) r[x] += two[x];
    free(sum);
    free(one);
    free(two);
    return r;
}

/** W of a pair's domain in rows of all PAOs [n][n], zeros elsewhere and behind n_kept. */
static inline double *dense_vectors(const struct dense_local *self,
                                    const struct hf_local_pair *pair)
{
    const struct hf_local_domain *domain = hf_local_pair_domain(self->local, pair);
    const size_t n = self->n, n_kept = (size_t)domain->n_kept;
    double *w = calloc(n * n, 8);
    size_t row = 0;
    for (size_t m = 0; m < n; m++) {
        if (!dense_in_domain(self->local, pair, m)) continue;
        for (size_t a = 0; a < n_kept; a++) w[m * n + a] = domain->vector[row * n_kept + a];
        row++;
    }
    assert_int_equal(row, domain->n_function);
    return w;
}

/** The change of T from R; the largest of it. */
static inline double dense_update(struct dense_local *self, int p, const double *r)
{
    const struct hf_local_pair *pair = &self->local->pair[p];
    const struct hf_local_domain *domain = hf_local_pair_domain(self->local, pair);
    const size_t n = self->n, n_kept = (size_t)domain->n_kept;
    double *w = dense_vectors(self, pair), *turned = calloc(n * n, 8), *one = calloc(n * n, 8),
           *two = calloc(n * n, 8);
    double largest = 0.0;
    const double f = hf_local_fock_occupied(self->local, pair->i, pair->i) +
                     hf_local_fock_occupied(self->local, pair->j, pair->j);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) turned[a * n + b] = w[b * n + a];
    dense_multiply(n, turned, r, false, one);
    dense_multiply(n, one, w, false, two);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            two[a * n + b] = a < n_kept && b < n_kept
                                 ? -two[a * n + b] / (domain->energy[a] + domain->energy[b] - f)
                                 : 0.0;
    for (size_t x = 0; x < n * n; x++) largest = fmax(largest, fabs(two[x]));
    dense_multiply(n, w, two, false, one);
    dense_multiply(n, one, w, true, two);
    for (size_t x = 0; x < n * n; x++) self->t[p][x] += two[x];
    free(w);
    free(turned);
    free(one);
    free(two);
    return largest;
}

/** Energy of a pair, i > j counted twice. */
static inline double dense_pair_energy(const struct dense_local *self, int p)
{
    const size_t n = self->n;
    double sum = 0.0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            sum += self->k[p][a * n + b] * (2.0 * self->t[p][a * n + b] - self->t[p][b * n + a]);
    return self->local->pair[p].i == self->local->pair[p].j ? sum : 2.0 * sum;
}

/** One iteration over all pairs; the largest change. */
static inline double dense_iterate(struct dense_local *self)
{
    double largest = 0.0;
    double **r = calloc((size_t)self->local->n_pair, sizeof *r);
    for (int p = 0; p < self->local->n_pair; p++) r[p] = dense_residual(self, p);
    for (int p = 0; p < self->local->n_pair; p++) {
        largest = fmax(largest, dense_update(self, p, r[p]));
        free(r[p]);
    }
    free(r);
    return largest;
}

static inline double dense_energy(const struct dense_local *self)
{
    double sum = 0.0;
    for (int p = 0; p < self->local->n_pair; p++) sum += dense_pair_energy(self, p);
    return sum;
}

/** All integrals of the functions as published; free with free. */
static inline double *dense_all_integrals(const struct test_solved *s)
{
    struct hf_shell_pairs *pairs = NULL;
    assert_ok(hf_shell_pairs_create(s->context, s->basis, 1e-16, &pairs, NULL));
    double *integral = test_all_integrals(pairs);
    hf_shell_pairs_destroy(&pairs);
    return integral;
}

#endif
