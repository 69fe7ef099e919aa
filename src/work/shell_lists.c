/* The shell pairs of each shell; see shell_lists.h. */
#include "shell_lists.h"

bool hf_shell_lists_init(struct hf_shell_lists *lists, struct hf_memory *memory,
                         const struct hf_shell_pairs *pairs)
{
    const size_t n_shell = (size_t)pairs->basis->n_shell;
    lists->first = hf_memory_allocate(memory, "pairs of shells", n_shell + 2, sizeof(int64_t));
    lists->pair = hf_memory_allocate(memory, "pairs of shells", 2 * (size_t)pairs->n_pair + 1,
                                     sizeof(int64_t));
    if (lists->first == NULL || lists->pair == NULL) return false;
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
    return true;
}

void hf_shell_lists_done(struct hf_shell_lists *lists, struct hf_memory *memory)
{
    hf_memory_release(memory, lists->first);
    hf_memory_release(memory, lists->pair);
    *lists = (struct hf_shell_lists){0};
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
