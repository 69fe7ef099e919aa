/* Which amplitudes of other pairs a residual needs. */
#include "local_iterate.h"

#include <math.h>
#include <stdlib.h>

static int by_domain(const void *left, const void *right)
{
    const struct hf_local_term *x = left, *y = right;
    if (x->domain != y->domain) return x->domain < y->domain ? -1 : 1;
    if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
    return (int)x->transposed - (int)y->transposed;
}

/** Adds to term [*n] what F_ik T_kj gives for all k but i; T_jk if `from_right`. */
static void add_terms(const struct hf_local *local, int i, int j, bool from_right,
                      const double norm[], double least, struct hf_local_term term[], size_t *n)
{
    for (int p = local->first_partner[j]; p < local->first_partner[j + 1]; p++) {
        const int k = local->partner[p].orbital, pair = local->partner[p].pair;
        if (k == i) continue;
        const double factor = hf_local_fock_occupied(local, i, k);
        if (fabs(factor) * norm[pair] <= least) continue;
        term[(*n)++] = (struct hf_local_term){.domain = local->pair[pair].domain,
                                              .pair = pair,
                                              .transposed = from_right ? k > j : k < j,
                                              .factor = factor};
    }
}

static size_t n_partner(const struct hf_local *local, int orbital)
{
    return (size_t)(local->first_partner[orbital + 1] - local->first_partner[orbital]);
}

/** Room for `n` terms; those that are there stay. */
static bool make_room(struct hf_local_terms *terms, size_t n)
{
    if (n <= terms->n_room) return true;
    const size_t n_room = n + n / 2;
    struct hf_local_term *larger =
        hf_memory_allocate(terms->memory, "terms of residuals", n_room, sizeof *larger);
    if (larger == NULL) return false;
    if (terms->n_room > 0) memcpy(larger, terms->term, terms->n_room * sizeof *larger);
    hf_memory_release(terms->memory, terms->term);
    terms->term = larger;
    terms->n_room = n_room;
    return true;
}

hf_status hf_local_terms_make(const struct hf_local *local, const double norm[], double least,
                              struct hf_local_terms *terms, struct hf_error *error)
{
    size_t n = 0;
    terms->memory = local->context->memory;
    if (terms->begin == NULL)
        terms->begin = hf_memory_allocate(terms->memory, "terms of residuals",
                                          (size_t)local->n_own + 1, sizeof *terms->begin);
    for (int q = 0; q < local->n_own && terms->begin != NULL; q++) {
        const int i = local->pair[local->own[q]].i, j = local->pair[local->own[q]].j;
        if (!make_room(terms, n + n_partner(local, i) + n_partner(local, j)))
            return hf_fail(error, HF_NO_RESOURCE, "out of memory for terms of residuals");
        terms->begin[q] = n;
        add_terms(local, i, j, false, norm, least, terms->term, &n);
        /* for i = j they are the transposed ones of the first sum */
        if (i != j) add_terms(local, j, i, true, norm, least, terms->term, &n);
        qsort(terms->term + terms->begin[q], n - terms->begin[q], sizeof *terms->term, by_domain);
    }
    if (terms->begin == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for terms of residuals");
    terms->begin[local->n_own] = n;
    return HF_OK;
}

void hf_local_terms_done(struct hf_local_terms *terms)
{
    if (terms->memory == NULL) return;
    hf_memory_release(terms->memory, terms->begin);
    hf_memory_release(terms->memory, terms->term);
    *terms = (struct hf_local_terms){.memory = NULL};
}
