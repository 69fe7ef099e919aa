/* Entries of a list by their names. */
#include "hf/orbitals.h"

#include <stdio.h>
#include <string.h>

hf_status hf_find_named(const char *kind, const char *name, const char *(*name_of)(int i),
                        int *place, struct hf_error *error)
{
    char names[256] = "";
    for (int i = 0; name_of(i) != NULL; i++) {
        if (name != NULL && strcmp(name_of(i), name) == 0) {
            *place = i;
            return HF_OK;
        }
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", name_of(i));
    }
    return hf_fail(error, HF_BAD_INPUT, "there is no %s \"%s\"; there are: %s", kind,
                   name != NULL ? name : "", names);
}
