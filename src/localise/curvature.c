/* First and second derivatives of what is maximised, by rotations x_ij of pairs of orbitals:
 *
 *     g_ij   = 4 sum_A Q_ij (Q_ii - Q_jj)
 *     (Hx)_ij = 4 sum_A { dQ_ij (Q_ii - Q_jj) + Q_ij (dQ_ii - dQ_jj) },   dQ_ij = sum_k (x_ik Q_kj + x_jk Q_ik)
 *
 * This H is the change of g. It is symmetric where g is zero. Every rank has all pairs that share centres. Ranks and
 * threads share the terms with other orbitals k, which take a time that grows as the molecule. */
#include "localise_private.h"

#include "base/threads.h"
#include "text/trace.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const struct hf_pair_element *a = left, *b = right;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    if (a->j != b->j) return a->j < b->j ? -1 : 1;
    return a->centre < b->centre ? -1 : a->centre > b->centre;
}

static void make_room(struct hf_curvature *self)
{
    const size_t o = (size_t)self->n_orbital, n = (size_t)self->n_pair + 1;
    const size_t n_diagonal = o * (size_t)self->n_centre;
    struct hf_arena *arena = &self->arena;
    HF_TAKE(arena, self->first, n);
    HF_TAKE(arena, self->first_partner, o + 2);
    HF_TAKE(arena, self->partner, 2 * n);
    HF_TAKE(arena, self->pair_of, (size_t)self->n_thread * o);
    HF_TAKE(arena, self->x, n);
    HF_TAKE(arena, self->part, 2 * n);
    HF_TAKE(arena, self->diagonal, n_diagonal);
    HF_TAKE(arena, self->change, n_diagonal);
    HF_TAKE(arena, self->gradient, n);
    HF_TAKE(arena, self->own, n);
}

static double difference(const struct hf_curvature *self, int i, int j, int centre)
{
    const size_t n = (size_t)self->n_centre, c = (size_t)centre;
    return self->diagonal[(size_t)i * n + c] - self->diagonal[(size_t)j * n + c];
}

/** Partners of each orbital, rising. */
static void list_partners(struct hf_curvature *self)
{
    int *begin = self->first_partner + 1; /* begin[i] ends as the first of orbital i + 1 */
    for (int p = 0; p < self->n_pair; p++) {
        const struct hf_pair_element *element = &self->element[self->first[p]];
        begin[element->i + 1]++;
        begin[element->j + 1]++;
    }
    for (int i = 0; i < self->n_orbital; i++) begin[i + 1] += begin[i];
    for (int p = 0; p < self->n_pair; p++) {
        const struct hf_pair_element *element = &self->element[self->first[p]];
        self->partner[begin[element->i]++] = (struct hf_pair_partner){element->j, p};
        self->partner[begin[element->j]++] = (struct hf_pair_partner){element->i, p};
    }
}

hf_status hf_curvature_init(struct hf_curvature *self, struct hf_memory *memory,
                            struct hf_error *error)
{
    const size_t n_centre = (size_t)self->n_centre;
    qsort(self->element, (size_t)self->n_element, sizeof *self->element, compare);
    for (int e = 0; e < self->n_element; e++)
        self->n_pair += self->element[e].centre < 0 && self->element[e].i != self->element[e].j;
    self->arena = (struct hf_arena){.memory = memory, .label = "derivatives of localisation"};
    make_room(self);
    if (self->arena.failed) return hf_arena_check(&self->arena, error);
    int n_pair = 0;
    for (int e = 0; e < self->n_element; e++) {
        const struct hf_pair_element *element = &self->element[e];
        if (element->i == element->j && element->centre >= 0)
            self->diagonal[(size_t)element->i * n_centre + (size_t)element->centre] =
                element->value;
        if (element->i == element->j || element->centre >= 0) continue;
        self->gradient[n_pair] = element->value;
        self->first[n_pair++] = e;
    }
    self->first[n_pair] = self->n_element;
    list_partners(self);
    for (int p = 0; p < n_pair; p++) {
        const struct hf_pair_element *pair = &self->element[self->first[p]];
        for (int c = 0; c < self->n_centre; c++) {
            const double d = difference(self, pair->i, pair->j, c);
            self->own[p] -= 4.0 * d * d;
        }
        for (const struct hf_pair_element *e = pair + 1; hf_same_pair(self, e, pair); e++)
            self->own[p] += 16.0 * e->value * e->value;
    }
    return HF_OK;
}

void hf_curvature_done(struct hf_curvature *self)
{
    free(self->element);
    hf_arena_done(&self->arena);
    *self = (struct hf_curvature){0};
}

/** The terms of dQ_ij with other orbitals k, for one i and all j: 4 sum_k x_ik sum_A Q_kj (Q_ii - Q_jj). */
static void add_terms_of(const struct hf_curvature *self, int i, int pair_of[])
{
    const int begin = self->first_partner[i], end = self->first_partner[i + 1];
    const double *x = self->x;
    for (int l = begin; l < end; l++) pair_of[self->partner[l].orbital] = self->partner[l].pair + 1;
    for (int l = begin; l < end; l++) {
        const int k = self->partner[l].orbital;
        const double x_ik = i < k ? x[self->partner[l].pair] : -x[self->partner[l].pair];
        for (int m = self->first_partner[k]; m < self->first_partner[k + 1]; m++) {
            const int j = self->partner[m].orbital, to = pair_of[j] - 1;
            const struct hf_pair_element *pair = &self->element[self->first[self->partner[m].pair]];
            double sum = 0.0;
            if (j == i || to < 0) continue;
            for (const struct hf_pair_element *e = pair + 1; hf_same_pair(self, e, pair); e++)
                sum += e->value * difference(self, i, j, e->centre);
            self->part[i < j ? to : self->n_pair + to] += (i < j ? 4.0 : -4.0) * x_ik * sum;
        }
    }
    for (int l = begin; l < end; l++) pair_of[self->partner[l].orbital] = 0;
}

/** hf_thread_work: of every so many orbitals. */
static hf_status share_terms(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct hf_curvature *self = data;
    const int step = n_thread * self->context->n_rank;
    int *pair_of = self->pair_of + (size_t)thread * (size_t)self->n_orbital;
    for (int i = self->context->rank * n_thread + thread; i < self->n_orbital; i += step)
        add_terms_of(self, i, pair_of);
    (void)error;
    return HF_OK;
}

/** part [n_pair] = the terms of all orbitals with x of rank 0. False: it has none. Collective. */
static bool add_terms(struct hf_curvature *self)
{
    const size_t n = (size_t)self->n_pair;
    hf_broadcast_bytes(self->context->comm, 0, (n + 1) * sizeof *self->x, self->x);
    if (self->x[n] == 0.0) return false;
    const struct hf_trace_span span = hf_trace_begin_span(self->context->trace);
    memset(self->part, 0, 2 * n * sizeof *self->part);
    (void)!hf_threads_run(self->n_thread, share_terms, self, NULL); /* never fails */
    for (size_t p = 0; p < n; p++) self->part[p] += self->part[n + p];
    hf_trace_end_span(self->context->trace, 0, HF_TRACE_COPYING, 0, span);
    hf_sum_over_ranks(self->context->comm, n, self->part);
    return true;
}

void hf_curvature_serve(struct hf_curvature *self)
{
    while (add_terms(self)) continue;
}

void hf_curvature_end(struct hf_curvature *self)
{
    self->x[self->n_pair] = 0.0;
    (void)!add_terms(self);
}

void hf_curvature_multiply(struct hf_curvature *self, const double x[], double product[])
{
    const size_t n = (size_t)self->n_centre;
    memcpy(self->x, x, (size_t)self->n_pair * sizeof *x);
    self->x[self->n_pair] = 1.0;
    (void)!add_terms(self);
    memset(self->change, 0, (size_t)self->n_orbital * n * sizeof *self->change);
    for (int p = 0; p < self->n_pair; p++) {
        const struct hf_pair_element *pair = &self->element[self->first[p]];
        for (const struct hf_pair_element *e = pair + 1; hf_same_pair(self, e, pair); e++) {
            self->change[(size_t)e->i * n + (size_t)e->centre] += 2.0 * x[p] * e->value;
            self->change[(size_t)e->j * n + (size_t)e->centre] -= 2.0 * x[p] * e->value;
        }
    }
    for (int p = 0; p < self->n_pair; p++) {
        const struct hf_pair_element *pair = &self->element[self->first[p]];
        product[p] = self->own[p] * x[p] + self->part[p];
        for (const struct hf_pair_element *e = pair + 1; hf_same_pair(self, e, pair); e++) {
            const double d = self->change[(size_t)e->i * n + (size_t)e->centre] -
                             self->change[(size_t)e->j * n + (size_t)e->centre];
            product[p] += 4.0 * e->value * (d - 4.0 * x[p] * e->value); /* x_ij is in `own` */
        }
    }
    self->n_product++;
}
