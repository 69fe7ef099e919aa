/* Lists of shell pairs: collected, put into flat arrays, bounded by Schwarz, sorted. */
#include "hf/shell_pair.h"

#include "hf/engine.h"
#include "pair_classes.h"
#include "pair_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double hf_shell_pair_cost(const struct hf_shell_pairs *pairs, const struct hf_shell_pair *pair)
{
    const struct hf_pair_class *kind = &pairs->class_of[pair->pair_class];
    return kind->n_cartesian * (2.0 + pair->n_primitive);
}

/** Collects all pairs; the list takes over the share's arrays. Local. */
static hf_status collect_pairs(struct hf_shell_pairs *pairs, struct hf_error *error)
{
    struct hf_class_table classes;
    struct hf_pair_share share = {.memory = pairs->context->memory};
    bool done = hf_class_table_init(&classes, pairs) && hf_pair_share_init(&share, pairs, &classes);
    for (int a = 0; done && a < pairs->basis->n_atom; a++)
        for (int b = 0; done && b <= a; b++) done = hf_pair_share_add(&share, a, b);
    if (done) {
        pairs->n_pair = share.n_pair;
        pairs->pair = share.pair;
        pairs->n_atom_pair = share.n_atom_pair;
        pairs->atom_pair = share.atom_pair;
        pairs->n_primitive = share.n_primitive;
        pairs->primitive = share.primitive;
        share.pair = NULL;
        share.atom_pair = NULL;
        share.primitive = NULL;
    }
    hf_pair_share_done(&share);
    hf_class_table_done(&classes);
    if (!done) return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
    return HF_OK;
}

/** (mn|mn)^(1/2) of this rank's share of the pairs, then of all. Collective. */
static hf_status compute_bounds(struct hf_shell_pairs *pairs, struct hf_error *error)
{
    struct hf_context *context = pairs->context;
    struct hf_engine *engine = NULL;
    double *bound =
        hf_memory_allocate(context->memory, "Schwarz bounds", (size_t)pairs->n_pair, sizeof *bound);
    hf_status status = bound != NULL
                           ? hf_engine_create(pairs, &engine, error)
                           : hf_fail(error, HF_NO_RESOURCE, "out of memory for the Schwarz bounds");
    HF_TRY(hf_agree(context->comm, status, error));

    hf_engine_set_threshold(engine, 0.0);
    for (int64_t i = context->rank; i < pairs->n_pair; i += context->n_rank) {
        const struct hf_shell_pair *pair = &pairs->pair[i];
        const int n = pairs->class_of[pair->pair_class].n_function;
        const struct hf_integral_batch batch = hf_engine_two_electron(engine, pair, 1, &pair);
        double largest = 0.0;
        for (int k = 0; k < n; k++) largest = fmax(largest, fabs(batch.value[(size_t)k * n + k]));
        bound[i] = sqrt(largest);
    }
    hf_sum_over_ranks(context->comm, (size_t)pairs->n_pair, bound);
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        struct hf_shell_pair *pair = &pairs->pair[i];
        pair->cost_per_number =
            hf_shell_pair_cost(pairs, pair) / pairs->class_of[pair->pair_class].n_function;
        pair->bound = bound[i];
        pairs->bound = fmax(pairs->bound, bound[i]);
    }
cleanup:
    hf_engine_destroy(&engine);
    hf_memory_release(context->memory, bound);
    return status;
}

static int by_class_and_bound(const void *left, const void *right)
{
    const struct hf_shell_pair *x = left, *y = right;
    if (x->pair_class != y->pair_class) return x->pair_class < y->pair_class ? -1 : 1;
    if (x->bound != y->bound) return x->bound > y->bound ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/** Sorts the pairs of each atom pair and drops those that stay below `accuracy` with any partner.
 */
static void order_pairs(struct hf_shell_pairs *pairs)
{
    int64_t n_kept = 0, n_primitive = 0;
    int n_atom_pair = 0;
    for (int i = 0; i < pairs->n_atom_pair; i++) {
        struct hf_atom_pair group = pairs->atom_pair[i];
        struct hf_shell_pair *pair = pairs->pair + group.first_pair;
        qsort(pair, (size_t)group.n_pair, sizeof *pair, by_class_and_bound);
        const int64_t first = n_kept;
        for (int k = 0; k < group.n_pair; k++) {
            if (!(pair[k].bound * pairs->bound >= pairs->accuracy)) continue;
            group.bound = fmax(group.bound, pair[k].bound);
            group.cost += hf_shell_pair_cost(pairs, &pair[k]);
            n_primitive += pair[k].n_primitive;
            pairs->pair[n_kept++] = pair[k];
        }
        group.first_pair = (int)first;
        group.n_pair = (int)(n_kept - first);
        if (group.n_pair > 0) pairs->atom_pair[n_atom_pair++] = group;
    }
    pairs->n_pair = n_kept;
    pairs->n_atom_pair = n_atom_pair;
    pairs->n_primitive = n_primitive;
}

/** A copy of a list that has no more room than it needs; the old one is released. NULL: no memory;
 *  the old one stays. */
static void *shorten(struct hf_memory *memory, const char *label, void *list, size_t n,
                     size_t element_bytes)
{
    char *shorter = hf_memory_allocate(memory, label, n, element_bytes);
    if (shorter == NULL) return NULL;
    if (n > 0) memcpy(shorter, list, n * element_bytes);
    hf_memory_release(memory, list);
    return shorter;
}

/** Lays the primitives of the pairs that are left one after the other in the order of the pairs,
 *  and gives back the room that nothing is in. Local. */
static hf_status compact(struct hf_shell_pairs *pairs, struct hf_error *error)
{
    struct hf_memory *memory = pairs->context->memory;
    struct hf_primitive_pair *primitive = hf_memory_allocate(
        memory, "primitive pairs", (size_t)pairs->n_primitive, sizeof *primitive);
    if (primitive == NULL) goto no_memory;
    int64_t n = 0;
    for (int64_t i = 0; i < pairs->n_pair; i++) {
        struct hf_shell_pair *pair = &pairs->pair[i];
        memcpy(primitive + n, hf_pair_primitives(pairs, pair),
               (size_t)pair->n_primitive * sizeof *primitive);
        pair->first_primitive = n;
        n += pair->n_primitive;
    }
    hf_memory_release(memory, pairs->primitive);
    pairs->primitive = primitive;
    void *pair =
        shorten(memory, "shell pairs", pairs->pair, (size_t)pairs->n_pair, sizeof *pairs->pair);
    if (pair == NULL) goto no_memory;
    pairs->pair = pair;
    void *atom_pair = shorten(memory, "atom pairs", pairs->atom_pair, (size_t)pairs->n_atom_pair,
                              sizeof *pairs->atom_pair);
    if (atom_pair == NULL) goto no_memory;
    pairs->atom_pair = atom_pair;
    return HF_OK;
no_memory:
    return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
}

hf_status hf_shell_pairs_create(struct hf_context *context, const struct hf_basis *basis,
                                double accuracy, struct hf_shell_pairs **pairs,
                                struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_shell_pairs *made = calloc(1, sizeof *made);
    if (made != NULL)
        *made = (struct hf_shell_pairs){.context = context, .basis = basis, .accuracy = accuracy};
    if (made == NULL)
        status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
    else if (basis->max_primitive > UINT16_MAX)
        status = hf_fail(error, HF_NO_RESOURCE,
                         "the basis has a shell of %d primitives, %d are the most",
                         basis->max_primitive, UINT16_MAX);
    else
        status = collect_pairs(made, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(compute_bounds(made, error));
    order_pairs(made);
    status = compact(made, error);
    HF_TRY(hf_agree(context->comm, status, error));
    *pairs = made;
    return HF_OK;
cleanup:
    hf_shell_pairs_destroy(&made);
    return status;
}

void hf_shell_pairs_destroy(struct hf_shell_pairs **pairs)
{
    struct hf_shell_pairs *old = *pairs;
    if (old != NULL) {
        struct hf_memory *memory = old->context->memory;
        hf_memory_release(memory, old->class_of);
        hf_memory_release(memory, old->atom_pair);
        hf_memory_release(memory, old->pair);
        hf_memory_release(memory, old->primitive);
        free(old);
    }
    *pairs = NULL;
}
