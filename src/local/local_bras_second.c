/* The last two quarters of the transformation (local_bras.h), an orbital i at a time, for all its pairs ij that
 * this rank finishes:
 *
 *     T_ij [a][s] = sum_r L_rj (ia|rs)     for all j at a time, atom by atom of a and shell by shell of s
 *     K_ij [a][b] = sum_s T_ij [a][s] P_sb
 *
 * Blocks of (ia|rs) are used twice, as (ia|rs) and as (ia|sr), unless R is S. A use has one R and one S. Uses with the same
 * atom A and shell S are a group, which is one product:
 *
 *                               a s of A and S
 *                             +----------------+
 *          r of the uses    r | (ia|rs) use 0  |  right: a use has as many rows as its R has functions
 *         +-------------+   r | (ia|rs) use 1  |
 *       j | L_rj        |     +----------------+
 *       j |             |   j | T_ij of A, S   |  -> own->third, where T_ij [a][s] of each j lies
 *         +-------------+     +----------------+
 *       left, of j whose [ij]+ has A
 */
#include "local_bras.h"

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
    const struct second_half *all;
    struct hf_local_blocks *blocks;
    int n_s;   /**< functions s of T: those of all shells in blocks of the orbital */
    int *s_of; /**< [n_shell] place of a shell's first function among them; -1: none */
    int n_sum;
    struct sum *sum; /**< [n_sum], j rising */
    int *sum_of;     /**< [n_orbital] place in `sum`; -1: none */
    int *place; /**< [n_sum][n_atom] first PAO of an atom in a domain; -1: it has not the atom */
    int *row;   /**< [n_sum] of the product of a group; -1: none */
    const double **right;               /**< [n_function] */
    const struct hf_local_block *block; /**< (ia|rs) of orbital i */
    int64_t use_room[2];
    /** [2 n_block] uses of blocks: twice the block, and 1 if S is the first shell of the pair. The second is scratch. */
    int *use[2];
    int *count;          /**< [n_shell + n_atom + 1] */
    struct hf_scratch l; /**< L [n_sum][n_s] */
    struct hf_scratch third, p, packed, k, panel;
};

/* ---- An orbital ------------------------------------------------------------------------------ */

/** own->s_of and own->n_s: the shells of n blocks. */
static void number_shells(struct finisher *own, size_t n)
{
    const struct hf_basis *basis = own->integrals->merged;
    for (int s = 0; s < basis->n_shell; s++) own->s_of[s] = -1;
    for (size_t b = 0; b < n; b++) {
        const struct hf_shell_pair *rs = &own->integrals->pairs->pair[own->block[b].row];
        own->s_of[rs->a] = own->s_of[rs->b] = 0;
    }
    own->n_s = 0;
    for (int s = 0; s < basis->n_shell; s++) {
        if (own->s_of[s] < 0) continue;
        own->s_of[s] = own->n_s;
        own->n_s += basis->shell[s].n_function;
    }
}

/** Places of the PAOs of a sum's domain, and its row of own->l. */
static void begin_sum(struct finisher *own, int number)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const struct hf_sparse_matrix *orbitals = integrals->orbitals;
    const struct sum *sum = &own->sum[number];
    const struct hf_local_domain *domain =
        hf_local_outer_domain(integrals->local, &integrals->local->pair[sum->pair]);
    const int *first = integrals->paos->column_first;
    const size_t n_atom = (size_t)integrals->paos->n_column_part;
    int *place = own->place + (size_t)number * n_atom, next = 0;
    double *l = own->l.value + (size_t)number * (size_t)own->n_s;
    for (size_t a = 0; a < n_atom; a++) place[a] = -1;
    for (int a = 0; a < domain->atoms.n; a++) {
        const int atom = domain->atoms.part[a];
        place[atom] = next;
        next += first[atom + 1] - first[atom];
    }
    memset(l, 0, (size_t)own->n_s * sizeof *l);
    for (int r = 0; r < integrals->merged->n_shell; r++) {
        const struct hf_shell *shell = &integrals->merged->shell[r];
        const double *block =
            own->s_of[r] < 0 ? NULL : hf_sparse_find(orbitals, shell->atom, sum->j);
        if (block != NULL)
            memcpy(l + own->s_of[r],
                   block + (shell->first_function - orbitals->row_first[shell->atom]),
                   (size_t)shell->n_function * sizeof *l);
    }
}

/** The pairs of orbital i that this rank finishes, and T of zeros. */
static bool begin_orbital(struct finisher *own, int i)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const struct hf_local *local = integrals->local;
    size_t n = 0;
    own->n_sum = 0;
    for (int k = local->first_partner[i]; k < local->first_partner[i + 1]; k++) {
        const int j = local->partner[k].orbital, pair = local->partner[k].pair;
        if (!hf_local_in_order(integrals, i, j) ||
            own->all->finishing->of_pair[pair] != local->context->rank)
            continue;
        own->sum_of[j] = own->n_sum;
        own->sum[own->n_sum++] = (struct sum){j, pair, n};
        n += (size_t)hf_local_outer_domain(local, &local->pair[pair])->n_function *
             hf_padded(own->n_s);
    }
    double *third = hf_scratch_reserve(&own->third, n);
    if (third == NULL || hf_scratch_reserve(&own->l, (size_t)own->n_sum * (size_t)own->n_s) == NULL)
        return false;
    memset(third, 0, n * sizeof *third);
    for (int k = 0; k < own->n_sum; k++) begin_sum(own, k);
    return true;
}

/* ---- Uses of blocks -------------------------------------------------------------------------- */

/** A block, its shells R and S, and how far numbers of adjacent r and s are apart. */
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

/* ---- Third quarter --------------------------------------------------------------------------- */

/** Uses with the same A and S. */
struct group {
    int n;
    const int *use;       /**< [n] */
    int atom, n_a;        /**< A and its PAOs */
    int s, n_s;           /**< S and its functions */
    int n_row, n_inner;   /**< j, and r of all uses */
    size_t n_column;      /**< a s, padded */
    double *left, *right; /**< as in the picture; left is packed */
};

/** Blocks of an orbital lie far from each other in memory: without this, half of the time is waiting for them. */
static void prefetch(const struct hf_local_block *block)
{
    for (int k = 0; k < block->n; k += HF_PRODUCT_STEP) __builtin_prefetch(block->value + k);
}

/** A use's rows of the right matrix, which begin at `to`. */
static void copy_block(const struct group *group, const struct use *use, double *to)
{
    const size_t n_rs = (size_t)(use->n_r * use->n_s), step_s = (size_t)use->step_s;
    const size_t end_s = (size_t)use->n_s * step_s, n_column = group->n_column;
    const size_t end_a = (size_t)group->n_a * n_rs;
    const double *value = use->block->value;
    const float *narrow = (const float *)value;
    const bool single = hf_local_is_single(use->block, (int)end_a);
    for (int r = 0; r < use->n_r; r++, to += n_column) {
        const size_t first = (size_t)(r * use->step_r);
        size_t n = 0;
        if (single)
            for (size_t a = first; a < first + end_a; a += n_rs)
                for (size_t s = 0; s < end_s; s += step_s) to[n++] = narrow[a + s];
        else
            for (size_t a = first; a < first + end_a; a += n_rs)
                for (size_t s = 0; s < end_s; s += step_s) to[n++] = value[a + s];
        while (n < n_column) to[n++] = 0.0;
    }
}

/** L of a use's R for the orbitals j that matter: columns of the left matrix from number `first` on. */
static void pack_coefficients(const struct finisher *own, const struct group *group,
                              const struct use *use, int first)
{
    const struct hf_local_weights *of_pair = &own->integrals->of_pair;
    const int rs = use->block->row;
    for (int64_t k = of_pair->first[rs]; k < of_pair->first[rs + 1]; k++) {
        const int sum = own->sum_of[of_pair->orbital[k]];
        const int row = sum >= 0 ? own->row[sum] : -1;
        if (row < 0) continue;
        const double *l = own->l.value + (size_t)sum * (size_t)own->n_s + own->s_of[use->r];
        double *to = group->left +
                     ((size_t)(row / HF_PRODUCT_GROUP) * (size_t)group->n_inner + (size_t)first) *
                         HF_PRODUCT_GROUP +
                     row % HF_PRODUCT_GROUP;
        for (int r = 0; r < use->n_r; r++) to[(size_t)r * HF_PRODUCT_GROUP] = l[r];
    }
}

/** to [n_row][n_column] of rows = left right, right [n_inner][n_column]. */
static void multiply(struct finisher *own, int n_row, int n_inner, size_t n_column,
                     const double *right, double *to)
{
    for (int r = 0; r < n_inner; r++) own->right[r] = right + (size_t)r * n_column;
    own->integrals->multiply(&(struct hf_product){.n_row = n_row,
                                                  .n_inner = n_inner,
                                                  .n_column = n_column,
                                                  .left = own->packed.value,
                                                  .right = own->right,
                                                  .to = to,
                                                  .to_step = n_column});
}

/** Uses [n] with the same A and S; own->row. Its matrices are not made. */
static struct group begin_group(struct finisher *own, int n, const int number[])
{
    const struct use first = find_use(own, number[0]);
    const int *first_pao = own->integrals->paos->column_first, atom = first.block->column;
    struct group group = {.n = n,
                          .use = number,
                          .atom = atom,
                          .n_a = first_pao[atom + 1] - first_pao[atom],
                          .s = first.s,
                          .n_s = first.n_s};
    const size_t n_atom = (size_t)own->integrals->paos->n_column_part;
    for (int k = 0; k < own->n_sum; k++)
        own->row[k] = own->place[(size_t)k * n_atom + (size_t)group.atom] >= 0 ? group.n_row++ : -1;
    for (int k = 0; k < n; k++) group.n_inner += find_use(own, number[k]).n_r;
    group.n_column = hf_padded(group.n_a * group.n_s);
    return group;
}

/** Rows of a product to T. */
static void store_rows(struct finisher *own, const struct group *group, const double *product)
{
    const size_t n_atom = (size_t)own->integrals->paos->n_column_part, step = hf_padded(own->n_s);
    for (int k = 0; k < own->n_sum; k++) {
        if (own->row[k] < 0) continue;
        const int place = own->place[(size_t)k * n_atom + (size_t)group->atom];
        const double *from = product + (size_t)own->row[k] * group->n_column;
        double *to =
            own->third.value + own->sum[k].offset + (size_t)place * step + own->s_of[group->s];
        for (int a = 0; a < group->n_a; a++, to += step, from += group->n_s)
            memcpy(to, from, (size_t)group->n_s * sizeof *to);
    }
}

static bool transform_group(struct finisher *own, struct group group)
{
    const size_t n_left = hf_packed_size(group.n_row, group.n_inner);
    if (group.n_row == 0) return true;
    group.left = hf_scratch_reserve(&own->packed, n_left);
    group.right = hf_scratch_reserve(&own->panel, (size_t)group.n_inner * group.n_column);
    double *product = hf_scratch_reserve(&own->k, (size_t)group.n_row * group.n_column);
    if (group.left == NULL || group.right == NULL || product == NULL) return false;
    memset(group.left, 0, n_left * sizeof *group.left);
    for (int k = 0, at = 0; k < group.n; k++) {
        const struct use use = find_use(own, group.use[k]);
        if (k + 2 < group.n) prefetch(&own->block[group.use[k + 2] / 2]);
        copy_block(&group, &use, group.right + (size_t)at * group.n_column);
        pack_coefficients(own, &group, &use, at);
        at += use.n_r;
    }
    multiply(own, group.n_row, group.n_inner, group.n_column, group.right, product);
    store_rows(own, &group, product);
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
        ok = transform_group(own, begin_group(own, end - k, &own->use[0][k]));
    }
    return ok;
}

/* ---- Fourth quarter -------------------------------------------------------------------------- */

/** P [n_s][PAOs of a domain], rows `length` long, zeros at their ends. NULL: no memory. */
static double *gather_paos(struct finisher *own, const struct hf_local_domain *domain,
                           size_t length)
{
    const struct hf_sparse_matrix *paos = own->integrals->paos;
    const struct hf_basis *basis = own->integrals->merged;
    double *value = hf_scratch_reserve(&own->p, (size_t)own->n_s * length);
    if (value == NULL) return NULL;
    memset(value, 0, (size_t)own->n_s * length * sizeof *value);
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        if (own->s_of[s] < 0) continue;
        double *column = value + (size_t)own->s_of[s] * length;
        for (int a = 0; a < domain->atoms.n; a++) {
            const int part = domain->atoms.part[a];
            const size_t n = (size_t)(paos->column_first[part + 1] - paos->column_first[part]);
            const double *from = hf_sparse_find(paos, shell->atom, part);
            if (from != NULL)
                from += (size_t)(shell->first_function - paos->row_first[shell->atom]) * n;
            for (int f = 0; f < shell->n_function && from != NULL; f++, from += n)
                memcpy(column + (size_t)f * length, from, n * sizeof *from);
            column += n;
        }
    }
    return value;
}

/** T of a pair to K, which becomes a block. */
static bool finish_pair(struct finisher *own, const struct sum *sum, int i)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const struct hf_local_pair *pair = &integrals->local->pair[sum->pair];
    const struct hf_local_domain *domain = hf_local_outer_domain(integrals->local, pair);
    const int n = domain->n_function;
    const size_t length = hf_padded(n);
    const double *p = gather_paos(own, domain, length);
    double *packed = hf_scratch_reserve(&own->packed, hf_packed_size(n, own->n_s));
    double *k = hf_scratch_reserve(&own->k, (size_t)n * length);
    double *to = hf_local_blocks_add(own->blocks, sum->pair, 0, 0, n * n);
    if (p == NULL || packed == NULL || k == NULL || to == NULL) return false;
    hf_pack(n, own->n_s, own->third.value + sum->offset, hf_padded(own->n_s), 1, packed);
    multiply(own, n, own->n_s, length, p, k);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            to[pair->i == i ? a * n + b : b * n + a] = k[(size_t)a * length + (size_t)b];
    return true;
}

/* ---- All ------------------------------------------------------------------------------------- */

/** All pairs of an orbital i. */
static bool finish_orbital(struct finisher *own, int i)
{
    size_t begin, end;
    hf_local_blocks_of_pair(own->all->from, i, &begin, &end);
    if (begin == end) return true;
    own->block = &own->all->from->block[begin];
    number_shells(own, end - begin);
    bool ok = begin_orbital(own, i);
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
    const struct hf_local *local = own->integrals->local;
    const struct hf_trace_span span = hf_trace_begin_span(local->context->trace);
    if (!finish_orbital(own, (int)i))
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the last quarters");
    hf_local_trace_unit(local, thread->number, (int)i, own->all->from, span);
    return HF_OK;
}

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
                             .all = all,
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
    HF_TAKE(arena, own->s_of, n_shell);
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
