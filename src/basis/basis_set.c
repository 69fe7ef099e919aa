/* A parsed basis-set file: storage and comment lines. */
#include "basis_private.h"

#include <string.h>

char hf_angular_letter(int l)
{
    static const char letters[] = "spdfghiklmnoqrtu";
    return l >= 0 && l < (int)sizeof letters - 1 ? letters[l] : '?';
}

void hf_basis_set_done(struct hf_basis_set *set)
{
    hf_arena_done(&set->arena);
    *set = (struct hf_basis_set){0};
}

/** Atomic number of a word that is the symbol of an element, otherwise 0. */
static int element_of(struct hf_word word)
{
    char symbol[4];
    if (word.length < 1 || word.length >= (int)sizeof symbol) return 0;
    memcpy(symbol, word.begin, (size_t)word.length);
    symbol[word.length] = '\0';
    return hf_element_number(symbol);
}

/** Marks the elements of a list such as "H Li-Ne"; ignores other words. */
static void mark_elements(struct hf_word list, bool element[HF_N_ELEMENT + 1])
{
    const char *position = list.begin, *const end = list.begin + list.length;
    struct hf_word word;
    while (position < end && hf_next_word(&position, &word) && word.begin < end) {
        if (word.begin + word.length > end) word.length = (int)(end - word.begin);
        const char *dash = memchr(word.begin, '-', (size_t)word.length);
        const struct hf_word head = {word.begin,
                                     dash != NULL ? (int)(dash - word.begin) : word.length};
        const struct hf_word tail =
            dash != NULL ? (struct hf_word){dash + 1, word.length - head.length - 1} : head;
        const int first = element_of(head), last = element_of(tail);
        for (int z = first; first > 0 && z <= last; z++) element[z] = true;
    }
}

/** "needs-ecp: 28 core electrons | Rb-Xe" */
static void parse_core_potential(struct hf_basis_set *set, struct hf_word count,
                                 struct hf_word elements)
{
    bool marked[HF_N_ELEMENT + 1] = {false};
    struct hf_word number;
    const char *position = count.begin;
    int n_core = 0;
    if (!hf_next_word(&position, &number) || hf_word_integer(number, &n_core) != HF_NUMBER_OK ||
        n_core < 0)
        return;
    mark_elements(elements, marked);
    for (int z = 1; z <= HF_N_ELEMENT; z++) {
        if (!marked[z] || set->element[z].core_line != 0) continue;
        set->element[z].needs_core_potential = true;
        set->element[z].n_core_electron = n_core;
    }
}

/** "cite: H Li-Ne | text" */
static hf_status parse_citation(struct hf_basis_set *set, struct hf_word elements,
                                struct hf_word text, struct hf_error *error)
{
    struct hf_set_citation citation = {.text = hf_word_copy(&set->arena, text)};
    if (!hf_arena_grow(&set->arena, &set->citation, set->n_citation + 1, &set->citation_capacity,
                       sizeof citation) ||
        citation.text == NULL)
        return hf_arena_check(&set->arena, error);
    mark_elements(elements, citation.element);
    set->citation[set->n_citation++] = citation;
    return HF_OK;
}

hf_status hf_basis_set_parse_comment(struct hf_basis_set *set, const char *line,
                                     struct hf_error *error)
{
    const char *position = strchr(line, '!') + 1;
    struct hf_word key;
    if (!hf_next_word(&position, &key)) return HF_OK;
    const struct hf_word rest = hf_rest_of_line(position);
    char **kept = hf_word_is(key, "name:")    ? &set->name
                  : hf_word_is(key, "about:") ? &set->about
                                              : NULL;
    if (kept != NULL && rest.length > 0) {
        *kept = hf_word_copy(&set->arena, rest);
        return hf_arena_check(&set->arena, error);
    }
    const char *bar = rest.length > 0 ? memchr(rest.begin, '|', (size_t)rest.length) : NULL;
    if (bar == NULL) return HF_OK;
    const struct hf_word left = {rest.begin, (int)(bar - rest.begin)};
    const struct hf_word right = hf_rest_of_line(bar + 1);
    if (hf_word_is(key, "cite:")) return parse_citation(set, left, right, error);
    if (hf_word_is(key, "needs-ecp:")) parse_core_potential(set, left, right);
    return HF_OK;
}
