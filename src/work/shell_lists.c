/* The shell pairs of each shell; see shell_lists.h. */
#include "shell_lists.h"

void hf_shell_lists_init(struct hf_shell_lists *lists, struct hf_arena *arena,
                         const struct hf_shell_pairs *pairs)
{
    const size_t n_shell = (size_t)pairs->basis->n_shell;
    lists->first = hf_arena_take(arena, n_shell + 2, sizeof(int64_t));
    lists->pair = hf_arena_take(arena, 2 * (size_t)pairs->n_pair, sizeof(int64_t));
    if (arena->failed) return;
    /* first[s + 2] counts the pairs of s, then first[s + 1] is where the next one of s goes */
    for (int64_t k = 0; k < pairs->n_pair; k++) {
        lists->first[pairs->pair[k].a + 2]++;
        if (pairs->pair[k].a != pairs->pair[k].b) lists->first[pairs->pair[k].b + 2]++;
    }
    for (size_t s = 2; s < n_shell + 2; s++) lists->first[s] += lists->first[s - 1];
    for (int64_t k = 0; k < pairs->n_pair; k++) {
        lists->pair[lists->first[pairs->pair[k].a + 1]++] = k;
        if (pairs->pair[k].a != pairs->pair[k].b)
            lists->pair[lists->first[pairs->pair[k].b + 1]++] = k;
    }
}

int hf_atom_pair_of(const struct hf_shell_pairs *pairs, int64_t shell_pair)
{
    int low = 0, high = pairs->n_atom_pair - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (pairs->atom_pair[middle].first_pair <= shell_pair)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
