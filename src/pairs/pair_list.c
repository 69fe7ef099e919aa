/* Laying out the list of shell pairs; see pair_list.h. */
#include "pair_list.h"

#include "base/arithmetic.h"
#include "base/shares.h"
#include "base/threads.h"
#include "hf/interruption.h"

#include "integrals/shell_pair.h"
#include "pair_share.h"
#include "primitive_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Elements of a row, and of all rows before one. */
struct place {
    int64_t pair, primitive, atom_pair;
};
enum { N_PLACE = sizeof(struct place) / sizeof(int64_t) };

/** What fills in the list. */
struct filler {
    struct hf_shell_pairs *pairs;
    const struct hf_pair_candidates *candidates;
    struct place *place;         /**< [n_atom + 1] where rows begin */
    struct hf_shares *shares;    /**< which ranks fill in which rows: they follow each other */
    struct hf_pair_share *share; /**< [n_thread] */
    struct hf_arena arena;       /**< of both arrays */
    int n_thread;
};

static int by_falling_bound(const void *left, const void *right)
{
    const struct hf_shell_pair *x = left, *y = right;
    if (x->bound != y->bound) return x->bound > y->bound ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/** What is kept of the row of an atom. */
static struct place count_row(const struct filler *self, int atom)
{
    const struct hf_pair_candidates *candidates = self->candidates;
    struct place n = {0, 0, 0};
    int last_atom = -1;
    for (int64_t i = candidates->row[atom]; i < candidates->row[atom + 1]; i++) {
        const struct hf_pair_candidate *one = &candidates->value[i];
        if (!hf_pair_is_kept(candidates, one, self->pairs->accuracy)) continue;
        n.pair++;
        n.primitive += one->n_primitive;
        n.atom_pair += one->atom_b != last_atom;
        last_atom = one->atom_b;
    }
    return n;
}

/** Where all rows begin; the ranks count in turns. Collective. */
static void find_places(struct filler *self)
{
    const struct hf_context *context = self->pairs->context;
    const int n_atom = self->pairs->basis->n_atom;
    struct place *place = self->place;
    for (int a = context->rank; a < n_atom; a += context->n_rank) place[a + 1] = count_row(self, a);
    MPI_Allreduce(MPI_IN_PLACE, place, N_PLACE * (n_atom + 1), MPI_INT64_T, MPI_SUM, context->comm);
    for (int a = 0; a < n_atom; a++) {
        place[a + 1].pair += place[a].pair;
        place[a + 1].primitive += place[a].primitive;
        place[a + 1].atom_pair += place[a].atom_pair;
    }
}

/** The first row of a rank, counted as in hf_shares: all have as many primitives, as far as rows are not divided. */
static int first_row(const struct filler *self, int share)
{
    const int n_atom = self->pairs->basis->n_atom;
    const double before = (double)self->place[n_atom].primitive / self->shares->n_share * share;
    const struct place *place = self->place;
    int64_t first; /* the first row whose middle is not before that of the share */
    if (share >= self->shares->n_share) return n_atom;
    HF_BISECT(first, 0, n_atom, row,
              0.5 * ((double)place[row].primitive + (double)place[row + 1].primitive) >= before);
    return (int)first;
}

/** Room for the arrays. Collective over the context. */
static hf_status make_room(struct filler *self, struct hf_error *error)
{
    struct hf_shell_pairs *pairs = self->pairs;
    const struct place end = self->place[pairs->basis->n_atom];
    const int n_coefficient = hf_most_coefficients(pairs->n_class, pairs->class_of);
    if (end.pair > INT32_MAX || end.atom_pair > INT32_MAX)
        return hf_fail(error, HF_NO_RESOURCE, "more than %d shell pairs; hf numbers no more",
                       INT32_MAX);
    const struct hf_node_array array[] = {
        HF_NODE_ARRAY(pairs->pair, end.pair), HF_NODE_ARRAY(pairs->primitive, end.primitive),
        HF_NODE_ARRAY(pairs->single, end.primitive),
        HF_NODE_ARRAY(pairs->single_coefficient, (size_t)end.primitive * (size_t)n_coefficient),
        HF_NODE_ARRAY(pairs->atom_pair, end.atom_pair)};
    const size_t n_array = sizeof array / sizeof *array;
    HF_CHECK(hf_node_memory_create_unset(pairs->context, HF_MEMORY_PAIRS, "shell pairs",
                                         hf_node_arrays_bytes(n_array, array), &pairs->shared,
                                         error));
    hf_node_arrays_place(pairs->shared, n_array, array);
    pairs->n_coefficient = n_coefficient;
    pairs->n_pair = end.pair;
    pairs->n_primitive = end.primitive;
    pairs->n_atom_pair = (int)end.atom_pair;
    pairs->bound = self->candidates->bound;
    return HF_OK;
}

/** The pairs of a row once more, with all their numbers; they must be those that were found. */
static hf_status find_row(const struct filler *self, struct hf_pair_share *share, int atom,
                          struct hf_error *error)
{
    const struct hf_pair_candidates *candidates = self->candidates;
    const struct hf_pair_candidate *row = candidates->value + candidates->row[atom];
    const int64_t n = candidates->row[atom + 1] - candidates->row[atom];
    int last_atom = -1;
    hf_pair_share_clear(share);
    for (int64_t i = 0; i < n; i++) {
        if (row[i].atom_b != last_atom && !hf_pair_share_add(share, atom, row[i].atom_b))
            return hf_arena_check(&share->arena, error);
        last_atom = row[i].atom_b;
    }
    bool same = share->n_pair == n;
    for (int64_t i = 0; same && i < n; i++) {
        same = share->pair[i].n_primitive == row[i].n_primitive;
        share->pair[i].bound = row[i].bound;
    }
    if (same) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE,
                   "ranks do not agree about the shell pairs of atom %d: their processors compute "
                   "differently; run on nodes of one kind",
                   share->basis->shell[share->basis->first_shell_of_atom[atom]].atom + 1);
}

/* ---- Properties of a pair -------------------------------------------------------------------- */

/** Charge of an s distribution with a self-repulsion of 1: (2 zeta / pi)^(1/2) q^2 = 1. */
static double charge_per_bound(double zeta)
{
    static const double half_pi = 1.5707963267948966192;
    return sqrt(sqrt(half_pi / zeta));
}

/** Sets centre, reach and charge of a pair whose bound and primitives are known, for bounds of far quartets
 *  (hf_far_factor). */
static void find_extent(const struct hf_shell_pairs *pairs, struct hf_shell_pair *pair)
{
    const struct hf_primitive_pair *primitive = hf_pair_primitives(pairs, pair);
    const double *a = pairs->basis->shell[pair->a].centre_bohr;
    double charge = 0.0, centre[3] = {0.0}, reach = 0.0;
    for (int k = 0; k < pair->n_primitive; k++) {
        const double own = primitive[k].bound * charge_per_bound(primitive[k].zeta);
        charge += own;
        for (int x = 0; x < 3; x++) centre[x] += own * primitive[k].pa[x];
    }
    for (int x = 0; x < 3 && charge > 0.0; x++) centre[x] /= charge;
    for (int k = 0; k < pair->n_primitive; k++) {
        const double own = primitive[k].bound * charge_per_bound(primitive[k].zeta);
        double squared = 0.0;
        for (int x = 0; x < 3; x++)
            squared += (primitive[k].pa[x] - centre[x]) * (primitive[k].pa[x] - centre[x]);
        reach += own * sqrt(squared);
    }
    pair->charge = (float)(charge > 0.0 ? charge / pair->bound : 0.0);
    pair->reach = (float)(charge > 0.0 ? reach / charge : 0.0);
    for (int x = 0; x < 3; x++) pair->centre[x] = (float)(a[x] + centre[x]);
}

static double power(double x, int n)
{
    double result = 1.0;
    for (int k = 0; k < n; k++) result *= x;
    return result;
}

/** Sums of up to so many primitives err no more than the recurrences do; longer ones as the square root
 *  of their number, a random walk. */
static const double LONG_SUM = 8.0;

/** No number of a pair's primitives may be larger: two such pairs, and what lies between, are within
 *  single precision, and what is too small for it stays too small to count with both pairs' factors. */
static const double LARGEST_NUMBER = 0x1p36;

/** A primitive pair of s functions, and where it is. */
struct distribution {
    double zeta, size; /**< size: (ss|ss)^(1/2) without coefficients */
    double to_a, ab;   /**< |P-A|, |A-B| */
};

/** What a primitive pair's monomials of two parts add up to at most, beside `size`. */
static double monomials(const struct distribution *p, int l_a, int l_b)
{
    const double width = sqrt((l_a + l_b + 2) / (6.0 * p->zeta));
    return power(p->to_a + width, l_a) * power(p->to_a + p->ab + width, l_b);
}

/** Of two parts: the sum over the primitives, and their number. */
struct part_sum {
    double value;
    int n;
};

/** What a primitive adds to the sum of two parts. */
static void add_primitive(const struct distribution *p, int l_a, int l_b, double coefficient,
                          struct part_sum *sum)
{
    const double factor = monomials(p, l_a, l_b);
    const double largest = coefficient * fmax(1.0, p->size) * fmax(1.0, factor);
    if (coefficient == 0.0) return;
    sum->value += largest < LARGEST_NUMBER ? coefficient * p->size * factor : INFINITY;
    sum->n++;
}

/** Scale of the rounding errors of a pair's recurrences, hartree^(1/2): the sum of the terms of
 *  (ab|ab)^(1/2), without the signs. Two shells whose product is small beside its
 *  terms (contracted with both signs, or a tight one far from the other, whose functions come from
 *  powers of the distance that cancel) have a much larger one than their Schwarz bound.
 *
 *  Of a primitive pair with monomials of l_a about A and l_b about B, computed from monomials about A:
 *     |c_a c_b| (ss|ss)^(1/2) (|P-A| + w)^l_a (|P-A| + |A-B| + w)^l_b,   w = ((l_a+l_b+2)/(6 zeta))^(1/2)
 *
 *  and of n primitives, where n is more than a few, (n/8)^(1/2) times that: every term rounds the sum so
 *  far. Infinite where numbers on the way could leave the range of single precision.
 *
 *  `a` is the shell that stands first in the pair, whose angular momentum the recurrence raises. */
static double find_rounding(const struct hf_shell *a, const struct hf_shell *b)
{
    static const double FARTHEST = 80.0; /* exp(-80) adds nothing to whatever stands beside it */
    const double ab_squared = hf_distance_squared(a->centre_bohr, b->centre_bohr);
    const double constant = sqrt(2.0) * pow(HF_PI, 1.25);
    const int n_a = hf_shell_n_part(a), n_b = hf_shell_n_part(b);
    struct part_sum sum[HF_MAX_PAIR_PART] = {{0.0, 0}};
    double largest = 0.0;
    struct distribution p = {.ab = sqrt(ab_squared)};
    for (int i = 0; i < a->n_primitive; i++) {
        for (int j = 0; j < b->n_primitive; j++) {
            const double alpha = a->exponent[i], beta = b->exponent[j];
            const double exponent = alpha * beta / (alpha + beta) * ab_squared;
            if (exponent > FARTHEST) continue;
            p.zeta = alpha + beta;
            p.size = exp(-exponent) * constant / (p.zeta * sqrt(sqrt(2.0 * p.zeta)));
            p.to_a = beta / p.zeta * p.ab;
            for (int k = 0; k < n_a * n_b; k++) {
                const struct hf_shell_part part_a = hf_shell_get_part(a, k / n_b);
                const struct hf_shell_part part_b = hf_shell_get_part(b, k % n_b);
                add_primitive(&p, part_a.l, part_b.l,
                              fabs(part_a.coefficient[i] * part_b.coefficient[j]), &sum[k]);
            }
        }
    }
    for (int k = 0; k < n_a * n_b; k++)
        largest = fmax(largest, sum[k].value * sqrt(fmax(1.0, sum[k].n / LONG_SUM)));
    return largest;
}

/* ---- The list -------------------------------------------------------------------------------- */

/** Appends the pairs of two atoms that are kept, sorted, at `next`. */
static void lay_out(struct hf_shell_pairs *pairs, const struct hf_pair_candidates *candidates,
                    const struct hf_pair_share *share, struct hf_atom_pair group,
                    struct place *next)
{
    struct hf_shell_pair *pair = share->pair + group.first_pair;
    const struct hf_shell *shell = pairs->basis->shell;
    const int64_t first = next->pair;
    qsort(pair, (size_t)group.n_pair, sizeof *pair, by_falling_bound);
    for (int k = 0; k < group.n_pair; k++) {
        const double cost = hf_shell_pair_cost(pairs, &pair[k]);
        if (!(pair[k].bound * candidates->bound >= pairs->accuracy)) continue;
        group.bound = fmax(group.bound, pair[k].bound);
        group.cost += cost;
        pair[k].rounding = find_rounding(&shell[pair[k].a], &shell[pair[k].b]);
        memcpy(pairs->primitive + next->primitive, share->primitive + pair[k].first_primitive,
               (size_t)pair[k].n_primitive * sizeof *pairs->primitive);
        pair[k].first_primitive = next->primitive;
        pair[k].cost_per_number = cost / pairs->class_of[pair[k].pair_class].n_function;
        hf_round_primitives(pairs, &pair[k]);
        find_extent(pairs, &pair[k]);
        next->primitive += pair[k].n_primitive;
        pairs->pair[next->pair++] = pair[k];
    }
    group.first_pair = (int)first;
    group.n_pair = (int)(next->pair - first);
    if (group.n_pair > 0) pairs->atom_pair[next->atom_pair++] = group;
}

static hf_status fill_row(const struct filler *self, struct hf_pair_share *share, int atom,
                          struct hf_error *error)
{
    struct place next = self->place[atom];
    HF_CHECK(find_row(self, share, atom, error));
    for (int k = 0; k < share->n_atom_pair; k++)
        lay_out(self->pairs, self->candidates, share, share->atom_pair[k], &next);
    return HF_OK;
}

/** The rows of a thread of this rank. */
static hf_status fill_rows(void *data, int thread, int n_thread, struct hf_error *error)
{
    const struct filler *self = data;
    struct hf_interruption *interruption = self->pairs->context->interruption;
    const int end = first_row(self, self->shares->share + 1);
    hf_status status = HF_OK;
    for (int a = first_row(self, self->shares->share) + thread; status == HF_OK && a < end;
         a += n_thread) {
        const int reason = hf_interruption_look(interruption, n_thread == 1);
        status = reason != 0 ? hf_interrupted(error, reason)
                             : fill_row(self, &self->share[thread], a, error);
    }
    return status;
}

/** Where the rows of a node begin. */
static const struct place *place_of_node(const struct filler *self, int node)
{
    return &self->place[first_row(self, self->shares->first[node])];
}

/** hf_part_begin */
static int64_t first_pair(const void *self, int node)
{
    return place_of_node(self, node)->pair;
}

/** hf_part_begin */
static int64_t first_primitive(const void *self, int node)
{
    return place_of_node(self, node)->primitive;
}

/** hf_part_begin */
static int64_t first_atom_pair(const void *self, int node)
{
    return place_of_node(self, node)->atom_pair;
}

/** Brings the rows of each node to all others. Collective. */
static void gather_rows(const struct filler *self)
{
    const struct hf_shell_pairs *pairs = self->pairs;
    const struct hf_shares *shares = self->shares;
    const size_t coefficient_bytes = (size_t)pairs->n_coefficient * sizeof(float);
    hf_shares_gather_parts(shares, pairs->shared, first_pair, self, sizeof *pairs->pair,
                           pairs->pair);
    hf_shares_gather_parts(shares, pairs->shared, first_primitive, self, sizeof *pairs->primitive,
                           pairs->primitive);
    hf_shares_gather_parts(shares, pairs->shared, first_primitive, self, sizeof *pairs->single,
                           pairs->single);
    if (coefficient_bytes > 0)
        hf_shares_gather_parts(shares, pairs->shared, first_primitive, self, coefficient_bytes,
                               pairs->single_coefficient);
    hf_shares_gather_parts(shares, pairs->shared, first_atom_pair, self, sizeof *pairs->atom_pair,
                           pairs->atom_pair);
}

/** Local. HF_NO_RESOURCE. */
static hf_status filler_init(struct filler *self, struct hf_shell_pairs *pairs,
                             const struct hf_class_table *classes, struct hf_error *error)
{
    hf_status status;
    self->arena = (struct hf_arena){.memory = pairs->context->memory, .label = "the shell pairs"};
    HF_TAKE(&self->arena, self->place, (size_t)pairs->basis->n_atom + 1);
    HF_TAKE(&self->arena, self->share, (size_t)self->n_thread);
    status = hf_arena_check(&self->arena, error);
    for (int t = 0; status == HF_OK && t < self->n_thread; t++) {
        hf_pair_share_init(&self->share[t], pairs, classes);
        status = hf_arena_check(&self->share[t].arena, error);
    }
    return status;
}

hf_status hf_pair_list_create(struct hf_shell_pairs *pairs, const struct hf_class_table *classes,
                              const struct hf_pair_candidates *candidates, int n_thread,
                              struct hf_error *error)
{
    hf_status status;
    struct hf_context *context = pairs->context;
    struct filler filler = {.pairs = pairs, .candidates = candidates, .n_thread = n_thread};
    HF_TRY(hf_agree(context->comm, filler_init(&filler, pairs, classes, error), error));
    find_places(&filler);
    HF_TRY(make_room(&filler, error));
    HF_TRY(hf_shares_create(context, pairs->shared, &filler.shares, error));
    HF_TRY(hf_agree(context->comm, hf_threads_run(n_thread, fill_rows, &filler, error), error));
    gather_rows(&filler);
cleanup:
    hf_arena_free(&filler.shares);
    for (int t = 0; filler.share != NULL && t < n_thread; t++)
        hf_arena_done(&filler.share[t].arena);
    hf_arena_done(&filler.arena);
    return status;
}
