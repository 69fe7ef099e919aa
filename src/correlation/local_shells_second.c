/* The last two quarters of the transformation "shells", on the owners of the pairs (local_shells.h):
 *
 *     X [m][n] = (im|jn)     K = P^T X P          m, n: functions of the shells that a pair has blocks of
 */
#include "local_scratch.h"
#include "local_shells.h"

#include "hf/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/** Functions of some shells. */
struct functions {
    int n;
    int *function; /**< [n] rising, shell by shell */
    int *number;   /**< [n_shell] place of a shell's first function; -1: not among them */
};

/** Of a thread. */
struct finisher {
    const struct hf_local_integrals *integrals;
    struct functions m, n;
    const double **right; /**< [functions] */
    struct hf_local_scratch x, p, packed, half, k;
};

struct second_half {
    const struct hf_local_integrals *integrals;
    const struct hf_local_blocks *blocks;
    double *k;
    atomic_int next;           /**< own pair to be finished */
    struct finisher *finisher; /**< [n_thread] */
};

/** Numbers the functions of the rows, or columns, of blocks begin .. end-1. */
static void number_functions(const struct hf_basis *basis, const struct hf_local_blocks *blocks,
                             size_t begin, size_t end, bool columns, struct functions *functions)
{
    for (int s = 0; s < basis->n_shell; s++) functions->number[s] = -1;
    for (size_t k = begin; k < end; k++)
        functions->number[columns ? blocks->block[k].column : blocks->block[k].row] = 0;
    functions->n = 0;
    for (int s = 0; s < basis->n_shell; s++) {
        if (functions->number[s] < 0) continue;
        functions->number[s] = functions->n;
        for (int f = 0; f < basis->shell[s].n_function; f++)
            functions->function[functions->n++] = basis->shell[s].first_function + f;
    }
}

/** P [functions][PAOs of a domain], rows as long as `step`, zeros at their ends. */
static double *gather_paos(const struct hf_local_integrals *integrals,
                           const struct functions *functions, const struct hf_local_domain *domain,
                           size_t step, struct hf_local_scratch *to)
{
    const struct hf_sparse_matrix *paos = integrals->paos;
    const struct hf_basis *basis = integrals->merged;
    double *value = hf_local_reserve(to, (size_t)functions->n * step);
    if (value == NULL) return NULL;
    memset(value, 0, (size_t)functions->n * step * sizeof *value);
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        if (functions->number[s] < 0) continue;
        double *column = value + (size_t)functions->number[s] * step;
        for (int a = 0; a < domain->atoms.n; a++) {
            const int part = domain->atoms.part[a];
            const size_t n = (size_t)(paos->column_first[part + 1] - paos->column_first[part]);
            const double *from = hf_sparse_find(paos, shell->atom, part);
            if (from != NULL)
                from += (size_t)(shell->first_function - paos->row_first[shell->atom]) * n;
            for (int f = 0; f < shell->n_function && from != NULL; f++, from += n)
                memcpy(column + (size_t)f * step, from, n * sizeof *from);
            column += n;
        }
    }
    return value;
}

/** X of a pair [m][n], rows as long as n padded. */
static double *gather_blocks(struct finisher *own, const struct hf_local_blocks *blocks,
                             size_t begin, size_t end)
{
    const struct hf_basis *basis = own->integrals->merged;
    const size_t step = hf_padded(own->n.n);
    double *value = hf_local_reserve(&own->x, (size_t)own->m.n * step);
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

/** Rows begin at `first` and are `step` long. */
static void set_rows(struct finisher *own, int n, const double *first, size_t step)
{
    for (int r = 0; r < n; r++) own->right[r] = first + (size_t)r * step;
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
    const double *p = gather_paos(integrals, &own->m, domain, length, &own->p);
    double *packed = hf_local_reserve(&own->packed, hf_packed_size(n, most));
    double *half = hf_local_reserve(&own->half, (size_t)n * step);
    double *result = hf_local_reserve(&own->k, (size_t)n * length);
    if (x == NULL || p == NULL || packed == NULL || half == NULL || result == NULL) return false;
    hf_pack(n, own->m.n, p, 1, length, packed);
    set_rows(own, own->m.n, x, step);
    integrals->multiply(&(struct hf_product){.n_row = n,
                                             .n_inner = own->m.n,
                                             .n_column = step,
                                             .left = packed,
                                             .right = own->right,
                                             .to = half,
                                             .to_step = step});
    p = gather_paos(integrals, &own->n, domain, length, &own->p);
    if (p == NULL) return false;
    hf_pack(n, own->n.n, half, step, 1, packed);
    set_rows(own, own->n.n, p, length);
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

/** hf_thread_work */
static hf_status finish_pairs(void *data, int thread, int n_thread, struct hf_error *error)
{
    struct second_half *self = data;
    const struct hf_local *local = self->integrals->local;
    (void)n_thread;
    for (int q; (q = atomic_fetch_add(&self->next, 1)) < local->n_own;) {
        const struct hf_local_pair *pair = &local->pair[local->own[q]];
        const struct hf_local_domain *domain = hf_local_pair_domain(local, pair);
        double *k = self->k + pair->offset;
        size_t begin, end;
        hf_local_blocks_of_pair(self->blocks, local->own[q], &begin, &end);
        memset(k, 0, (size_t)domain->n_function * (size_t)domain->n_function * sizeof *k);
        if (begin < end &&
            !finish_pair(&self->finisher[thread], self->blocks, begin, end, domain, k))
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for the last quarters");
    }
    return HF_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool functions_init(const struct hf_basis *basis, struct functions *functions)
{
    functions->function = calloc((size_t)basis->n_function, sizeof *functions->function);
    functions->number = calloc((size_t)basis->n_shell, sizeof *functions->number);
    return functions->function != NULL && functions->number != NULL;
}

static bool finisher_init(const struct hf_local_integrals *integrals, struct finisher *own)
{
    const struct hf_local_scratch none = {.memory = integrals->local->context->memory,
                                          .label = "last quarters"};
    *own = (struct finisher){
        .integrals = integrals, .x = none, .p = none, .packed = none, .half = none, .k = none};
    own->right = calloc((size_t)integrals->merged->n_function, sizeof *own->right);
    return own->right != NULL && functions_init(integrals->merged, &own->m) &&
           functions_init(integrals->merged, &own->n);
}

static void finisher_done(struct finisher *own)
{
    struct hf_local_scratch *scratch[] = {&own->x, &own->p, &own->packed, &own->half, &own->k};
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++)
        hf_local_scratch_done(scratch[k]);
    free(own->right);
    free(own->m.function);
    free(own->m.number);
    free(own->n.function);
    free(own->n.number);
}

hf_status hf_local_shells_second(const struct hf_local_integrals *integrals,
                                 const struct hf_local_blocks *blocks, double k[],
                                 struct hf_error *error)
{
    hf_status status = HF_OK;
    const int n_thread = integrals->local->n_thread;
    struct second_half self = {.integrals = integrals, .blocks = blocks, .k = k};
    self.finisher = calloc((size_t)n_thread, sizeof *self.finisher);
    bool ok = self.finisher != NULL;
    for (int t = 0; t < n_thread && ok; t++) ok = finisher_init(integrals, &self.finisher[t]);
    if (!ok) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the last quarters");
    if (status == HF_OK) status = hf_threads_run(n_thread, finish_pairs, &self, error);
    for (int t = 0; t < n_thread && self.finisher != NULL; t++) finisher_done(&self.finisher[t]);
    free(self.finisher);
    return status;
}
