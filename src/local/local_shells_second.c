/* The last two quarters of the transformation "shells", on the owners of the pairs (local_shells.h):
 *
 *     X [m][n] = (im|jn)     K = P^T X P          m, n: functions of the shells that a pair has blocks of
 */
#include "local_shells.h"

#include <string.h>

struct second_half {
    const struct hf_local_integrals *integrals;
    const struct hf_local_blocks *blocks;
    double *k;
};

/** Of a thread. */
struct finisher {
    const struct second_half *all;
    const struct hf_local_integrals *integrals;
    struct hf_local_functions m, n;
    const double **right; /**< [functions] */
    struct hf_scratch x, p, packed, half, k;
};

/** Numbers the functions of the rows, or columns, of blocks begin .. end-1. */
static void number_functions(const struct hf_basis *basis, const struct hf_local_blocks *blocks,
                             size_t begin, size_t end, bool columns,
                             struct hf_local_functions *functions)
{
    hf_local_functions_clear(basis, functions);
    for (size_t k = begin; k < end; k++)
        functions->number[columns ? blocks->block[k].column : blocks->block[k].row] = 0;
    hf_local_functions_count(basis, functions);
}

/** X of a pair [m][n], rows as long as n padded. */
static double *gather_blocks(struct finisher *own, const struct hf_local_blocks *blocks,
                             size_t begin, size_t end)
{
    const struct hf_basis *basis = own->integrals->merged;
    const size_t step = hf_padded(own->n.n);
    double *value = hf_scratch_reserve(&own->x, (size_t)own->m.n * step);
    if (value == NULL) return NULL;
    memset(value, 0, (size_t)own->m.n * step * sizeof *value);
    for (size_t k = begin; k < end; k++) {
        const struct hf_local_block *block = &blocks->block[k];
        const int n_m = basis->shell[block->row].n_function;
        const int n_n = basis->shell[block->column].n_function;
        for (int m = 0; m < n_m; m++)
            memcpy(value + (size_t)(own->m.number[block->row] + m) * step +
                       own->n.number[block->column],
                   block->value + (size_t)m * (size_t)n_n, (size_t)n_n * sizeof *value);
    }
    return value;
}

/** K of a pair that has blocks begin .. end-1. False: no memory. */
static bool finish_pair(struct finisher *own, const struct hf_local_blocks *blocks, size_t begin,
                        size_t end, const struct hf_local_domain *domain, double *k)
{
    const struct hf_local_integrals *integrals = own->integrals;
    const int n = domain->n_function;
    const size_t length = hf_padded(n);
    number_functions(integrals->merged, blocks, begin, end, false, &own->m);
    number_functions(integrals->merged, blocks, begin, end, true, &own->n);
    const size_t step = hf_padded(own->n.n);
    const int most = own->m.n > own->n.n ? own->m.n : own->n.n;
    const double *x = gather_blocks(own, blocks, begin, end);
    const double *p = hf_local_gather_paos(integrals, &own->m, domain, length, &own->p);
    double *packed = hf_scratch_reserve(&own->packed, hf_packed_size(n, most));
    double *half = hf_scratch_reserve(&own->half, (size_t)n * step);
    double *result = hf_scratch_reserve(&own->k, (size_t)n * length);
    if (x == NULL || p == NULL || packed == NULL || half == NULL || result == NULL) return false;
    hf_pack(n, own->m.n, p, 1, length, packed);
    hf_local_set_rows(own->m.n, x, step, own->right);
    integrals->multiply(&(struct hf_product){.n_row = n,
                                             .n_inner = own->m.n,
                                             .n_column = step,
                                             .left = packed,
                                             .right = own->right,
                                             .to = half,
                                             .to_step = step});
    p = hf_local_gather_paos(integrals, &own->n, domain, length, &own->p);
    if (p == NULL) return false;
    hf_pack(n, own->n.n, half, step, 1, packed);
    hf_local_set_rows(own->n.n, p, length, own->right);
    integrals->multiply(&(struct hf_product){.n_row = n,
                                             .n_inner = own->n.n,
                                             .n_column = length,
                                             .left = packed,
                                             .right = own->right,
                                             .to = result,
                                             .to_step = length});
    for (int a = 0; a < n; a++)
        memcpy(k + (size_t)a * (size_t)n, result + (size_t)a * length, (size_t)n * sizeof *k);
    return true;
}

/** hf_pass.item: own pair number q. */
static hf_status do_pair(void *self, struct hf_pass_thread *thread, int64_t q,
                         struct hf_error *error)
{
    struct finisher *own = self;
    const struct second_half *all = own->all;
    const struct hf_local *local = all->integrals->local;
    const struct hf_local_pair *pair = &local->pair[local->own[q]];
    const struct hf_local_domain *domain = hf_local_pair_domain(local, pair);
    double *k = all->k + pair->offset;
    size_t begin, end;
    hf_local_blocks_of_pair(all->blocks, local->own[q], &begin, &end);
    memset(k, 0, (size_t)domain->n_function * (size_t)domain->n_function * sizeof *k);
    const double start = hf_wall_seconds(), begun = hf_thread_seconds();
    if (begin < end && !finish_pair(own, all->blocks, begin, end, domain, k))
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the last quarters");
    hf_local_trace_unit(local, thread->number, local->own[q], all->blocks, start, begun);
    return HF_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/** hf_pass.begin */
static hf_status begin_thread(void *self, struct hf_pass_thread *thread, void *data,
                              struct hf_error *error)
{
    struct finisher *own = self;
    struct hf_arena *arena = &thread->arena;
    const struct second_half *all = data;
    const struct hf_basis *basis = all->integrals->merged;
    (void)error;
    *own = (struct finisher){.all = all,
                             .integrals = all->integrals,
                             .x = {arena},
                             .p = {arena},
                             .packed = {arena},
                             .half = {arena},
                             .k = {arena}};
    own->right = hf_arena_take(arena, (size_t)basis->n_function, sizeof *own->right);
    own->m.number = hf_arena_take(arena, (size_t)basis->n_shell, sizeof *own->m.number);
    own->n.number = hf_arena_take(arena, (size_t)basis->n_shell, sizeof *own->n.number);
    return HF_OK;
}

hf_status hf_local_shells_second(const struct hf_local_integrals *integrals,
                                 const struct hf_local_blocks *blocks, double k[],
                                 struct hf_error *error)
{
    static const struct hf_pass pass = {.label = "the last quarters",
                                        .own_bytes = sizeof(struct finisher),
                                        .begin = begin_thread,
                                        .item = do_pair};
    const struct hf_local *local = integrals->local;
    struct second_half self = {integrals, blocks, k};
    return hf_pass_items(local->context, local->n_thread, local->n_own, &pass, &self, error);
}
