/* Parsed basis sets that are kept; see basis_sets.h. */
#include "basis/basis_sets.h"

#include "basis_private.h"

#include <stdlib.h>
#include <string.h>

/** Sets that are kept at most. Sets beyond it are read again for each calculation. */
enum { MOST = 32 };

struct hf_basis_sets {
    int n;
    char *name[MOST]; /**< as they were asked for */
    struct hf_basis_set set[MOST];
    struct hf_arena arena; /**< has the names */
};

hf_status hf_basis_sets_create(struct hf_basis_sets **sets, struct hf_error *error)
{
    *sets = calloc(1, sizeof **sets);
    if (*sets == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for basis sets");
    (*sets)->arena.label = "names of basis sets";
    return HF_OK;
}

void hf_basis_sets_destroy(struct hf_basis_sets **sets)
{
    struct hf_basis_sets *old = *sets;
    if (old == NULL) return;
    for (int i = 0; i < old->n; i++) hf_basis_set_done(&old->set[i]);
    hf_arena_done(&old->arena);
    free(old);
    *sets = NULL;
}

const struct hf_basis_set *hf_basis_sets_find(const struct hf_basis_sets *sets, const char *name)
{
    for (int i = 0; sets != NULL && name != NULL && i < sets->n; i++)
        if (strcmp(sets->name[i], name) == 0) return &sets->set[i];
    return NULL;
}

bool hf_basis_sets_keep(struct hf_basis_sets *sets, const char *name,
                        const struct hf_basis_set *set)
{
    if (sets == NULL || sets->n == MOST || hf_basis_sets_find(sets, name) != NULL) return false;
    char *copy = hf_copy_string(&sets->arena, name);
    if (copy == NULL) return false;
    sets->name[sets->n] = copy;
    sets->set[sets->n++] = *set;
    return true;
}
