/* Classes of shell pairs; see pair_classes.h. */
#include "pair_classes.h"

#include <limits.h>
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
static void find_kinds(struct hf_class_table *table, const struct hf_basis *basis, int first[])
{
    struct hf_pair_class *kind = HF_TAKE(&table->arena, kind, (size_t)basis->n_shell);
    for (int s = 0; kind != NULL && s < basis->n_shell; s++) {
        const struct hf_pair_class own = make_class(&basis->shell[s], &basis->shell[s]);
        const int k = find(table->n_kind, kind, &own);
        table->kind_of_shell[s] = k;
        if (k < table->n_kind) continue;
        kind[k] = own;
        first[table->n_kind++] = s;
    }
    hf_arena_release(&table->arena, kind);
}

/** Classes of all kinds with each other. */
static void find_classes(struct hf_class_table *table, struct hf_shell_pairs *pairs,
                         const int first[])
{
    const struct hf_shell *shell = pairs->basis->shell;
    const int n = table->n_kind;
    for (int k = 0; k < n * n; k++) {
        const struct hf_shell *a = &shell[first[k / n]], *b = &shell[first[k % n]];
        const struct hf_pair_class made = make_class(a, b);
        table->class_of_kind[k] = -1;
        if (!hf_comes_first(a, b)) continue;
        const int index = find(pairs->n_class, pairs->class_of, &made);
        if (index == pairs->n_class) pairs->class_of[pairs->n_class++] = made;
        table->class_of_kind[k] = index;
    }
}

/** table->largest. `most` [n_kind] is zero: primitives of the shells of a kind. */
static void find_largest(struct hf_class_table *table, const struct hf_shell_pairs *pairs,
                         int most[])
{
    const struct hf_basis *basis = pairs->basis;
    const int n_kind = table->n_kind;
    struct hf_shell_pair *pair = HF_TAKE(&table->arena, table->largest, (size_t)pairs->n_class);
    if (pair == NULL) return;
    for (int s = 0; s < basis->n_shell; s++) {
        int *of_kind = &most[table->kind_of_shell[s]];
        if (basis->shell[s].n_primitive > *of_kind) *of_kind = basis->shell[s].n_primitive;
    }
    for (int c = 0; c < pairs->n_class; c++) pair[c].pair_class = c;
    for (int k = 0; k < n_kind * n_kind; k++) {
        const int c = table->class_of_kind[k];
        const int64_t n = (int64_t)most[k / n_kind] * most[k % n_kind];
        if (c >= 0 && n > pair[c].n_primitive) pair[c].n_primitive = n < INT_MAX ? (int)n : INT_MAX;
    }
}

hf_status hf_class_table_init(struct hf_class_table *table, struct hf_shell_pairs *pairs,
                              struct hf_error *error)
{
    struct hf_memory *memory = pairs->context->memory;
    *table = (struct hf_class_table){.arena = {.memory = memory, .label = "the shell pairs"}};
    struct hf_arena *arena = &table->arena;
    const size_t n_shell = (size_t)pairs->basis->n_shell;
    HF_TAKE(arena, table->kind_of_shell, n_shell);
    int *first = HF_TAKE(arena, first, n_shell);
    if (!arena->failed) find_kinds(table, pairs->basis, first);
    const size_t n = (size_t)table->n_kind;
    int *most = HF_TAKE(arena, most, n);
    HF_TAKE(arena, table->class_of_kind, n * n);
    pairs->class_of = hf_memory_allocate(memory, "pair classes", n * n, sizeof *pairs->class_of);
    if (pairs->class_of == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the shell pairs");
    if (!arena->failed) find_classes(table, pairs, first);
    if (!arena->failed) find_largest(table, pairs, most);
    return hf_arena_check(arena, error);
}
