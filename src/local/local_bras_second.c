/* The last two quarters of the transformation "bras" (local_bras.h), an orbital i at a time, for all its pairs ij that
 * this rank finishes:
 *
 *     T_ij [a][s] = sum_r L_rj (ia|rs)     from one block of (ia|rs) after another, as (ia|rs) and as (ia|sr)
 *     K_ij [a][b] = sum_s T_ij [a][s] P_sb
 */
#include "hf/threads.h"
#include "hf/trace.h"
#include "local_bras.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/** A pair ij whose T is being added up. */
struct sum {
    int j, pair;
    size_t offset; /**< of T in own->third */
};

/** Of a thread. */
struct finisher {
    const struct hf_local_integrals *integrals;
    const struct hf_local_finishing *finishing;
    struct hf_local_blocks *blocks;
    struct hf_local_functions s; /**< of T */
    int n_sum;
    struct sum *sum;      /**< [n_sum], j rising */
    int *sum_of;          /**< [n_orbital] place in `sum`; -1: none */
    const double **right; /**< [n_function] */
    struct hf_scratch third, p, packed, k;
};

struct second_half {
    const struct hf_local_integrals *integrals;
    const struct hf_local_blocks *from;
    atomic_int next; /**< orbital i */
    struct finisher *finisher;
};

/* ---- Third quarter --------------------------------------------------------------------------- */

/** First PAO of an atom in a domain; -1: it has not the atom. */
static int place_of_atom(const struct hf_local_integrals *integrals,
                         const struct hf_local_domain *domain, int atom)
{
    const int *first = integrals->paos->column_first;
    int place = 0;
    for (int a = 0; a < domain->atoms.n; a++) {
        const int part = domain->atoms.part[a];
        if (part == atom) return place;
        place += first[part + 1] - first[part];
    }
    return -1;
}

/** T [a][s] += sum_r L_rj (ia|rs) of a block [a][..], r and s so many numbers apart in it. */
static void add_quarter(int n_a, int n_r, int n_s, size_t step_a, int step_r, int step_s,
                        const double *l, const double *from, double *to, size_t to_step)
{
    for (int a = 0; a < n_a; a++)
        for (int r = 0; r < n_r; r++) {
            const double *row = from + (size_t)a * step_a + (size_t)(r * step_r);
            double *sum = to + (size_t)a * to_step;
            for (int s = 0; s < n_s; s++) sum[s] += l[r] * row[(size_t)(s * step_s)];
        }
}

/** Adds blocks of one RS to T of one pair. */
static void add_blocks(struct finisher *own, size_t n, const struct hf_local_block block[],
                       const struct sum *sum)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const struct hf_local_domain *domain =
        hf_local_pair_domain(integrals->local, &integrals->local->pair[sum->pair]);
    const struct hf_shell_pair *rs = &integrals->pairs->pair[block->row];
    const int n_r = integrals->merged->shell[rs->a].n_function;
    const int n_s = integrals->merged->shell[rs->b].n_function, n_rs = n_r * n_s;
    const size_t step = hf_padded(own->s.n);
    const double *l_r = hf_local_coefficients(integrals, rs->a, sum->j);
    const double *l_s = rs->a != rs->b ? hf_local_coefficients(integrals, rs->b, sum->j) : NULL;
    for (size_t b = 0; b < n; b++) {
        const int place = place_of_atom(integrals, domain, block[b].column);
        const int n_a = block[b].n / n_rs;
        if (place < 0) continue;
        double *to = own->third.value + sum->offset + (size_t)place * step;
        if (l_r != NULL)
            add_quarter(n_a, n_r, n_s, (size_t)n_rs, n_s, 1, l_r, block[b].value,
                        to + own->s.number[rs->b], step);
        if (l_s != NULL)
            add_quarter(n_a, n_s, n_r, (size_t)n_rs, 1, n_s, l_s, block[b].value,
                        to + own->s.number[rs->a], step);
    }
}

/** The pairs of orbital i that this rank finishes, functions of the blocks begin .. end-1, and T of zeros. */
static bool begin_orbital(struct finisher *own, int i, const struct hf_local_blocks *from,
                          size_t begin, size_t end)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const struct hf_local *local = integrals->local;
    size_t n = 0;
    hf_local_functions_clear(integrals->merged, &own->s);
    for (size_t b = begin; b < end; b++) {
        const struct hf_shell_pair *rs = &integrals->pairs->pair[from->block[b].row];
        own->s.number[rs->a] = own->s.number[rs->b] = 0;
    }
    hf_local_functions_count(integrals->merged, &own->s);
    own->n_sum = 0;
    for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++) {
        const int j = local->partner[k].orbital, pair = local->partner[k].pair;
        if (!hf_local_in_order(integrals, i, j) ||
            own->finishing->of_pair[pair] != local->context->rank)
            continue;
        own->sum_of[j] = own->n_sum;
        own->sum[own->n_sum++] = (struct sum){j, pair, n};
        n += (size_t)hf_local_pair_domain(local, &local->pair[pair])->n_function *
             hf_padded(own->s.n);
    }
    double *third = hf_scratch_reserve(&own->third, n);
    if (third != NULL) memset(third, 0, n * sizeof *third);
    return third != NULL;
}

/* ---- Fourth quarter -------------------------------------------------------------------------- */

/** T of a pair to K, which becomes a block. */
static bool finish_pair(struct finisher *own, const struct sum *sum, int i)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const struct hf_local_pair *pair = &integrals->local->pair[sum->pair];
    const struct hf_local_domain *domain = hf_local_pair_domain(integrals->local, pair);
    const int n = domain->n_function;
    const size_t length = hf_padded(n), step = hf_padded(own->s.n);
    const double *p = hf_local_gather_paos(integrals, &own->s, domain, length, &own->p);
    double *packed = hf_scratch_reserve(&own->packed, hf_packed_size(n, own->s.n));
    double *k = hf_scratch_reserve(&own->k, (size_t)n * length);
    double *to = hf_local_blocks_add(own->blocks, sum->pair, 0, 0, n * n);
    if (p == NULL || packed == NULL || k == NULL || to == NULL) return false;
    hf_pack(n, own->s.n, own->third.value + sum->offset, step, 1, packed);
    hf_local_set_rows(own->s.n, p, length, own->right);
    integrals->multiply(&(struct hf_product){.n_row = n,
                                             .n_inner = own->s.n,
                                             .n_column = length,
                                             .left = packed,
                                             .right = own->right,
                                             .to = k,
                                             .to_step = length});
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            to[pair->i == i ? a * n + b : b * n + a] = k[(size_t)a * length + (size_t)b];
    return true;
}

/** All pairs of an orbital i. */
static bool finish_orbital(struct finisher *own, const struct hf_local_blocks *from, int i)
{
    const struct hf_local_weights *of_pair = &own->integrals->of_pair;
    size_t begin, end;
    hf_local_blocks_of_pair(from, i, &begin, &end);
    if (begin == end) return true;
    bool ok = begin_orbital(own, i, from, begin, end);
    for (size_t b = begin, next; b < end && ok; b = next) {
        const int rs = from->block[b].row;
        for (next = b; next < end && from->block[next].row == rs;) next++;
        for (int64_t k = of_pair->first[rs]; k < of_pair->first[rs + 1]; k++) {
            const int sum = own->sum_of[of_pair->orbital[k]];
            if (sum >= 0) add_blocks(own, next - b, &from->block[b], &own->sum[sum]);
        }
    }
    for (int k = 0; k < own->n_sum && ok; k++) ok = finish_pair(own, &own->sum[k], i);
    for (int k = 0; k < own->n_sum; k++) own->sum_of[own->sum[k].j] = -1;
    return ok;
}

/** hf_thread_work */
static hf_status finish_orbitals(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct second_half *self = data;
    (void)n_thread;
    for (int i; (i = atomic_fetch_add(&self->next, 1)) < self->integrals->local->n_orbital;) {
        const double start = hf_wall_seconds(), begun = hf_thread_seconds();
        if (!finish_orbital(&self->finisher[thread], self->from, i))
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for the last quarters");
        hf_local_trace_unit(self->integrals->local, thread, i, self->from, start, begun);
    }
    return HF_OK;
}

/* ---- Which rank finishes which pair ---------------------------------------------------------- */

/** Numbers of all T and K of a pair, about. */
static double cost_of(const struct hf_local *local, int pair)
{
    return hf_local_pair_domain(local, &local->pair[pair])->n_function;
}

bool hf_local_finishing_init(const struct hf_local_integrals *integrals,
                             struct hf_local_finishing *finishing)
{
    const struct hf_local *local = integrals->local;
    const int n = local->n_orbital, n_rank = local->context->n_rank;
    double total = 0.0, sum = 0.0;
    int *orbital_at = calloc((size_t)n + 1, sizeof *orbital_at);
    finishing->of_pair = calloc((size_t)local->n_pair + 1, sizeof *finishing->of_pair);
    finishing->ranks = calloc((size_t)n + 1, sizeof *finishing->ranks);
    const bool ok = orbital_at != NULL && finishing->of_pair != NULL && finishing->ranks != NULL;
    for (int p = 0; p < local->n_pair; p++) total += cost_of(local, p);
    for (int i = 0; i < n && ok; i++) orbital_at[integrals->place[i]] = i;
    for (int place = 0; place < n && ok; place++) {
        const int i = orbital_at[place];
        int last = -1;
        for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++) {
            const int pair = local->partner[k].pair;
            if (!hf_local_in_order(integrals, i, local->partner[k].orbital)) continue;
            const double share = (sum + 0.5 * cost_of(local, pair)) / total * n_rank;
            const int rank = share < n_rank ? (int)share : n_rank - 1;
            sum += cost_of(local, pair);
            finishing->of_pair[pair] = rank;
            if (last < 0) finishing->ranks[i].first = rank;
            last = rank;
        }
        finishing->ranks[i].last = last;
    }
    free(orbital_at);
    return ok;
}

void hf_local_finishing_done(struct hf_local_finishing *finishing)
{
    free(finishing->of_pair);
    free(finishing->ranks);
    *finishing = (struct hf_local_finishing){0};
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool finisher_init(const struct hf_local_integrals *integrals,
                          const struct hf_local_finishing *finishing,
                          struct hf_local_blocks *blocks, struct finisher *own)
{
    const struct hf_scratch none = {.memory = integrals->local->context->memory,
                                    .label = "last quarters"};
    const size_t n_orbital = (size_t)integrals->local->n_orbital;
    *own = (struct finisher){.integrals = integrals,
                             .finishing = finishing,
                             .blocks = blocks,
                             .third = none,
                             .p = none,
                             .packed = none,
                             .k = none};
    own->sum = calloc(n_orbital, sizeof *own->sum);
    own->sum_of = malloc(n_orbital * sizeof *own->sum_of);
    own->right = calloc((size_t)integrals->merged->n_function, sizeof *own->right);
    for (size_t j = 0; j < n_orbital && own->sum_of != NULL; j++) own->sum_of[j] = -1;
    return own->sum != NULL && own->sum_of != NULL && own->right != NULL &&
           hf_local_functions_init(integrals->merged, &own->s);
}

static void finisher_done(struct finisher *own)
{
    hf_scratch_done(&own->third);
    hf_scratch_done(&own->p);
    hf_scratch_done(&own->packed);
    hf_scratch_done(&own->k);
    hf_local_functions_done(&own->s);
    free(own->sum);
    free(own->sum_of);
    free(own->right);
}

hf_status hf_local_bras_second(const struct hf_local_integrals *integrals,
                               const struct hf_local_finishing *finishing,
                               const struct hf_local_blocks *from, struct hf_local_blocks blocks[],
                               struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n_thread = integrals->local->n_thread;
    struct second_half self = {.integrals = integrals, .from = from};
    self.finisher = calloc((size_t)n_thread, sizeof *self.finisher);
    bool ok = self.finisher != NULL;
    for (int t = 0; t < n_thread && ok; t++)
        ok = finisher_init(integrals, finishing, &blocks[t], &self.finisher[t]);
    if (!ok) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the last quarters");
    if (status == HF_OK) status = hf_threads_run(n_thread, finish_orbitals, &self, error);
    for (int t = 0; t < n_thread && self.finisher != NULL; t++) finisher_done(&self.finisher[t]);
    free(self.finisher);
    return status;
}
