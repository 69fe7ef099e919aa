/* Classes of shell pairs; see pair_classes.h. */
#include "pair_classes.h"

#include <stdlib.h>
#include <string.h>

bool hf_comes_first(const struct hf_shell *m, const struct hf_shell *n)
{
    if (m->l != n->l) return m->l > n->l;
    return m->n_part >= n->n_part;
}

static struct hf_pair_class make_class(const struct hf_shell *a, const struct hf_shell *b)
{
    struct hf_pair_class made;
    memset(&made, 0, sizeof made); /* classes are compared as bytes */
    made.n_a = a->n_function;
    made.n_b = b->n_function;
    made.n_function = a->n_function * b->n_function;
    made.l_low = HF_MAX_L;
    for (int i = 0; i < hf_shell_n_part(a); i++) {
        for (int j = 0; j < hf_shell_n_part(b); j++) {
            const struct hf_shell_part p = hf_shell_get_part(a, i), q = hf_shell_get_part(b, j);
            struct hf_pair_part *part = &made.part[made.n_part++];
            part->l_a = p.l;
            part->l_b = q.l;
            part->spherical_a = p.spherical;
            part->spherical_b = q.spherical;
            part->first_a = p.first;
            part->first_b = q.first;
            part->n_a = p.n_function;
            part->n_b = q.n_function;
            made.n_cartesian += (p.l + 1) * (p.l + 2) / 2 * ((q.l + 1) * (q.l + 2) / 2);
            if (p.l < made.l_low) made.l_low = p.l;
            if (p.l + q.l > made.l_high) made.l_high = p.l + q.l;
        }
    }
    return made;
}

/** Index of a class in a list of `n`; n: it is new. */
static int find(int n, const struct hf_pair_class list[], const struct hf_pair_class *one)
{
    int i = 0;
    while (i < n && memcmp(&list[i], one, sizeof *one) != 0) i++;
    return i;
}

/** Kinds of shells: two are the same where their pairs with themselves are of one class. Fills
 *  `first` [n_shell] with a shell of each. */
static bool find_kinds(struct hf_class_table *table, const struct hf_basis *basis, int first[])
{
    struct hf_pair_class *kind = calloc((size_t)basis->n_shell + 1, sizeof *kind);
    if (kind == NULL) return false;
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_pair_class own = make_class(&basis->shell[s], &basis->shell[s]);
        const int k = find(table->n_kind, kind, &own);
        table->kind_of_shell[s] = k;
        if (k < table->n_kind) continue;
        kind[k] = own;
        first[table->n_kind++] = s;
    }
    free(kind);
    return true;
}

bool hf_class_table_init(struct hf_class_table *table, struct hf_shell_pairs *pairs)
{
    const struct hf_basis *basis = pairs->basis;
    bool done = false;
    *table = (struct hf_class_table){0};
    table->kind_of_shell = calloc((size_t)basis->n_shell + 1, sizeof *table->kind_of_shell);
    int *first = calloc((size_t)basis->n_shell + 1, sizeof *first);
    if (table->kind_of_shell == NULL || first == NULL || !find_kinds(table, basis, first))
        goto cleanup;
    const int n = table->n_kind;
    table->class_of_kind = calloc((size_t)n * n + 1, sizeof *table->class_of_kind);
    pairs->class_of = hf_memory_allocate(pairs->context->memory, "pair classes", (size_t)n * n,
                                         sizeof *pairs->class_of);
    if (table->class_of_kind == NULL || pairs->class_of == NULL) goto cleanup;
    for (int k = 0; k < n * n; k++) {
        const struct hf_shell *a = &basis->shell[first[k / n]], *b = &basis->shell[first[k % n]];
        const struct hf_pair_class made = make_class(a, b);
        table->class_of_kind[k] = -1;
        if (!hf_comes_first(a, b)) continue;
        const int index = find(pairs->n_class, pairs->class_of, &made);
        if (index == pairs->n_class) pairs->class_of[pairs->n_class++] = made;
        table->class_of_kind[k] = index;
    }
    done = true;
cleanup:
    free(first);
    return done;
}

void hf_class_table_done(struct hf_class_table *table)
{
    free(table->kind_of_shell);
    free(table->class_of_kind);
    *table = (struct hf_class_table){0};
}
