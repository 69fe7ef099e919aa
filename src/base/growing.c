/* Arrays that grow while they are filled, and sorting; see growing.h. */
#include "base/growing.h"

#include <stdlib.h>
#include <string.h>

bool hf_grow(void *list, int64_t n, int64_t *room, size_t element_bytes)
{
    void *old;
    if (n <= *room) return true;
    memcpy(&old, list, sizeof old);
    void *longer = realloc(old, (size_t)hf_room_for(n) * element_bytes);
    if (longer == NULL) return false;
    memcpy(list, &longer, sizeof longer);
    *room = hf_room_for(n);
    return true;
}

static int by_falling_value(const void *left, const void *right)
{
    const struct hf_ranked *x = left, *y = right;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void hf_sort_falling(int64_t n, struct hf_ranked list[])
{
    if (n > 0) qsort(list, (size_t)n, sizeof *list, by_falling_value);
}
