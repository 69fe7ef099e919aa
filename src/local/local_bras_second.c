/* The last two quarters of the transformation (local_bras.h), an orbital i at a time, for all its pairs ij that
 * this rank finishes:
 *
 *     T_ij [a][s] = sum_r L_rj (ia|rs)     for all j at a time, atom by atom of a and shell by shell of s
 *     K_ij [a][b] = sum_s T_ij [a][s] P_sb
 *
 * Blocks of (ia|rs) are used twice, as (ia|rs) and as (ia|sr), unless R is S. */
#include "local_bras.h"
#include "text/trace.h"

#include <stdlib.h>
#include <string.h>

/** A pair ij whose T is being added up. */
struct sum {
    int j, pair;
    size_t offset; /**< of T in own->third */
};

struct second_half {
    const struct hf_local_integrals *integrals;
    const struct hf_local_finishing *finishing;
    const struct hf_local_blocks *from;
    struct hf_local_blocks *blocks; /**< [n_thread] */
};

/** Of a thread. */
struct finisher {
    const struct hf_local_integrals *integrals;
    const struct hf_local_finishing *finishing;
    const struct hf_local_blocks *from;
    struct hf_local_blocks *blocks;
    struct hf_local_functions s; /**< of T */
    int n_sum;
    struct sum *sum; /**< [n_sum], j rising */
    int *sum_of;     /**< [n_orbital] place in `sum`; -1: none */
    int *place; /**< [n_sum][n_atom] first PAO of an atom in a domain; -1: it has not the atom */
    int *row;   /**< [n_sum] of the products for a shell and an atom; -1: none */
    const double **right;               /**< [n_function] */
    const struct hf_local_block *block; /**< (ia|rs) of orbital i */
    int64_t use_room[2];
    int *use
        [2]; /**< [2 n_block] uses of blocks: twice the block, and 1 if S is the first shell of the pair */
    int *count;          /**< [n_shell + n_atom + 1] */
    struct hf_scratch l; /**< L [n_sum][functions of T] */
    struct hf_scratch third, p, packed, k, panel;
};

/* ---- Third quarter --------------------------------------------------------------------------- */

/** Places of the PAOs of a sum's domain, and its row of own->l. */
static void begin_sum(struct finisher *own, int number)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const struct sum *sum = &own->sum[number];
    const struct hf_local_domain *domain =
        hf_local_pair_domain(integrals->local, &integrals->local->pair[sum->pair]);
    const int *first = integrals->paos->column_first;
    const size_t n_atom = (size_t)integrals->paos->n_column_part;
    int *place = own->place + (size_t)number * n_atom, next = 0;
    double *l = own->l.value + (size_t)number * (size_t)own->s.n;
    for (size_t a = 0; a < n_atom; a++) place[a] = -1;
    for (int a = 0; a < domain->atoms.n; a++) {
        const int atom = domain->atoms.part[a];
        place[atom] = next;
        next += first[atom + 1] - first[atom];
    }
    memset(l, 0, (size_t)own->s.n * sizeof *l);
    for (int r = 0; r < integrals->merged->n_shell; r++) {
        if (own->s.number[r] < 0) continue;
        const double *from = hf_local_coefficients(integrals, r, sum->j);
        if (from == NULL) continue;
        memcpy(l + own->s.number[r], from,
               (size_t)integrals->merged->shell[r].n_function * sizeof *l);
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
    own->block = &from->block[begin];
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
    if (third == NULL || hf_scratch_reserve(&own->l, (size_t)own->n_sum * (size_t)own->s.n) == NULL)
        return false;
    memset(third, 0, n * sizeof *third);
    for (int k = 0; k < own->n_sum; k++) begin_sum(own, k);
    return true;
}

/** What a use of a block has: shells R and S, and how far numbers of adjacent r and s are apart. */
struct use {
    const struct hf_local_block *block;
    int r, s, n_r, n_s, step_r, step_s;
};

static struct use find_use(const struct finisher *own, int number)
{
    const struct hf_local_block *block = &own->block[number / 2];
    const struct hf_shell_pair *rs = &own->integrals->pairs->pair[block->row];
    const struct hf_shell *shell = own->integrals->merged->shell;
    const int n_a = shell[rs->a].n_function, n_b = shell[rs->b].n_function;
    if (number % 2 == 0) return (struct use){block, rs->a, rs->b, n_a, n_b, n_b, 1};
    return (struct use){block, rs->b, rs->a, n_b, n_a, 1, n_b};
}

/** Sorts uses [n] by shell S or by atom; those of the same one keep their order. */
static void sort_uses(const struct finisher *own, bool by_shell, int n, const int from[], int to[])
{
    const struct hf_local_integrals *integrals = own->integrals;
    const int n_key = by_shell ? integrals->merged->n_shell : integrals->paos->n_column_part;
    memset(own->count, 0, ((size_t)n_key + 1) * sizeof *own->count);
    for (int k = 0; k < n; k++) {
        const struct use use = find_use(own, from[k]);
        own->count[(by_shell ? use.s : use.block->column) + 1]++;
    }
    for (int key = 0; key < n_key; key++) own->count[key + 1] += own->count[key];
    for (int k = 0; k < n; k++) {
        const struct use use = find_use(own, from[k]);
        to[own->count[by_shell ? use.s : use.block->column]++] = from[k];
    }
}

/** All uses of n blocks to own->use[0], by atom (so that both uses of a block are near each other), then by S, then in
 *  the order of R. Their number; -1: no memory. */
static int list_uses(struct finisher *own, int n_block)
{
    int n = 0;
    for (int k = 0; k < 2; k++)
        if (!hf_arena_grow(own->l.arena, &own->use[k], 2 * n_block, &own->use_room[k],
                           sizeof *own->use[k]))
            return -1;
    for (int b = 0; b < n_block; b++) {
        const struct hf_shell_pair *rs = &own->integrals->pairs->pair[own->block[b].row];
        own->use[0][n++] = 2 * b;
        if (rs->a != rs->b) own->use[0][n++] = 2 * b + 1;
    }
    sort_uses(own, true, n, own->use[0], own->use[1]);
    sort_uses(own, false, n, own->use[1], own->use[0]);
    return n;
}

/** Blocks of an orbital lie far from each other in memory: without this, half of the time is waiting for them. */
static void prefetch(const struct hf_local_block *block)
{
    for (int k = 0; k < block->n; k += HF_PRODUCT_STEP) __builtin_prefetch(block->value + k);
}

/** A block as rows of the right matrix [r][as], which begin at `to`. */
static void copy_block(const struct use *use, int n_a, size_t n_column, double *to)
{
    const size_t n_rs = (size_t)(use->n_r * use->n_s), step_s = (size_t)use->step_s;
    const size_t end_s = (size_t)use->n_s * step_s;
    for (int r = 0; r < use->n_r; r++, to += n_column) {
        const double *from = use->block->value + (size_t)(r * use->step_r);
        size_t n = 0;
        for (int a = 0; a < n_a; a++, from += n_rs)
            for (size_t s = 0; s < end_s; s += step_s) to[n++] = from[s];
        while (n < n_column) to[n++] = 0.0;
    }
}

/** L of a use's R for the orbitals j that matter, inner elements from `first` on of the packed left matrix. */
static void pack_coefficients(const struct finisher *own, const struct use *use, int first,
                              int n_inner, double *packed)
{
    const struct hf_local_weights *of_pair = &own->integrals->of_pair;
    const int rs = use->block->row;
    for (int64_t k = of_pair->first[rs]; k < of_pair->first[rs + 1]; k++) {
        const int sum = own->sum_of[of_pair->orbital[k]];
        const int row = sum >= 0 ? own->row[sum] : -1;
        if (row < 0) continue;
        const double *l = own->l.value + (size_t)sum * (size_t)own->s.n + own->s.number[use->r];
        double *to = packed +
                     ((size_t)(row / HF_PRODUCT_GROUP) * (size_t)n_inner + (size_t)first) *
                         HF_PRODUCT_GROUP +
                     row % HF_PRODUCT_GROUP;
        for (int r = 0; r < use->n_r; r++) to[(size_t)r * HF_PRODUCT_GROUP] = l[r];
    }
}

/** T of an atom and a shell S for all j from uses [n]. */
static bool transform_uses(struct finisher *own, int n, const int number[])
{
    const struct use first = find_use(own, number[0]);
    const int atom = first.block->column, n_a = first.block->n / (first.n_r * first.n_s);
    const size_t n_atom = (size_t)own->integrals->paos->n_column_part;
    const size_t n_column = hf_padded(n_a * first.n_s), step = hf_padded(own->s.n);
    int n_row = 0, n_inner = 0, at = 0;
    for (int k = 0; k < own->n_sum; k++)
        own->row[k] = own->place[(size_t)k * n_atom + (size_t)atom] >= 0 ? n_row++ : -1;
    if (n_row == 0) return true;
    for (int k = 0; k < n; k++) n_inner += find_use(own, number[k]).n_r;
    double *packed = hf_scratch_reserve(&own->packed, hf_packed_size(n_row, n_inner));
    double *panel = hf_scratch_reserve(&own->panel, (size_t)n_inner * n_column);
    double *product = hf_scratch_reserve(&own->k, (size_t)n_row * n_column);
    if (packed == NULL || panel == NULL || product == NULL) return false;
    memset(packed, 0, hf_packed_size(n_row, n_inner) * sizeof *packed);
    for (int k = 0; k < n; k++) {
        const struct use use = find_use(own, number[k]);
        if (k + 2 < n) prefetch(&own->block[number[k + 2] / 2]);
        copy_block(&use, n_a, n_column, panel + (size_t)at * n_column);
        pack_coefficients(own, &use, at, n_inner, packed);
        at += use.n_r;
    }
    hf_local_set_rows(n_inner, panel, n_column, own->right);
    own->integrals->multiply(&(struct hf_product){.n_row = n_row,
                                                  .n_inner = n_inner,
                                                  .n_column = n_column,
                                                  .left = packed,
                                                  .right = own->right,
                                                  .to = product,
                                                  .to_step = n_column});
    for (int k = 0; k < own->n_sum; k++) {
        if (own->row[k] < 0) continue;
        const int place = own->place[(size_t)k * n_atom + (size_t)atom];
        const double *from = product + (size_t)own->row[k] * n_column;
        double *to =
            own->third.value + own->sum[k].offset + (size_t)place * step + own->s.number[first.s];
        for (int a = 0; a < n_a; a++, to += step, from += first.n_s)
            memcpy(to, from, (size_t)first.n_s * sizeof *to);
    }
    return true;
}

/** T of all pairs of an orbital from its n blocks. */
static bool third_quarter(struct finisher *own, int n_block)
{
    const int n = list_uses(own, n_block);
    bool ok = n >= 0;
    for (int k = 0, end; k < n && ok; k = end) {
        const struct use first = find_use(own, own->use[0][k]);
        for (end = k + 1; end < n; end++) {
            const struct use use = find_use(own, own->use[0][end]);
            if (use.s != first.s || use.block->column != first.block->column) break;
        }
        ok = transform_uses(own, end - k, &own->use[0][k]);
    }
    return ok;
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
    size_t begin, end;
    hf_local_blocks_of_pair(from, i, &begin, &end);
    if (begin == end) return true;
    bool ok = begin_orbital(own, i, from, begin, end);
    ok = ok && (own->n_sum == 0 || third_quarter(own, (int)(end - begin)));
    for (int k = 0; k < own->n_sum && ok; k++) ok = finish_pair(own, &own->sum[k], i);
    for (int k = 0; k < own->n_sum; k++) own->sum_of[own->sum[k].j] = -1;
    return ok;
}

/** hf_pass.item */
static hf_status do_orbital(void *self, struct hf_pass_thread *thread, int64_t i,
                            struct hf_error *error)
{
    struct finisher *own = self;
    const double start = hf_wall_seconds(), begun = hf_thread_seconds();
    if (!finish_orbital(own, own->from, (int)i))
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the last quarters");
    hf_local_trace_unit(own->integrals->local, thread->number, (int)i, own->from, start, begun);
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

/** hf_pass.begin */
static hf_status begin_thread(void *self, struct hf_pass_thread *thread, void *data,
                              struct hf_error *error)
{
    struct finisher *own = self;
    struct hf_arena *arena = &thread->arena;
    const struct second_half *all = data;
    const struct hf_local_integrals *integrals = all->integrals;
    const size_t n_orbital = (size_t)integrals->local->n_orbital;
    const size_t n_atom = (size_t)integrals->paos->n_column_part;
    const size_t n_shell = (size_t)integrals->merged->n_shell;
    (void)error;
    *own = (struct finisher){.integrals = integrals,
                             .finishing = all->finishing,
                             .from = all->from,
                             .blocks = &all->blocks[thread->number],
                             .l = {arena},
                             .panel = {arena},
                             .third = {arena},
                             .p = {arena},
                             .packed = {arena},
                             .k = {arena}};
    HF_TAKE(arena, own->sum, n_orbital);
    HF_TAKE(arena, own->sum_of, n_orbital);
    HF_TAKE(arena, own->right, (size_t)integrals->merged->n_function);
    HF_TAKE(arena, own->place, n_orbital * n_atom);
    HF_TAKE(arena, own->row, n_orbital);
    HF_TAKE(arena, own->count, n_shell + n_atom + 1);
    HF_TAKE(arena, own->s.number, n_shell);
    for (size_t j = 0; j < n_orbital && own->sum_of != NULL; j++) own->sum_of[j] = -1;
    return HF_OK;
}

hf_status hf_local_bras_second(const struct hf_local_integrals *integrals,
                               const struct hf_local_finishing *finishing,
                               const struct hf_local_blocks *from, struct hf_local_blocks blocks[],
                               struct hf_error *error)
{
    static const struct hf_pass pass = {.label = "the last quarters",
                                        .own_bytes = sizeof(struct finisher),
                                        .begin = begin_thread,
                                        .item = do_orbital};
    const struct hf_local *local = integrals->local;
    struct second_half self = {integrals, finishing, from, blocks};
    return hf_pass_items(local->context, local->n_thread, local->n_orbital, &pass, &self, error);
}
