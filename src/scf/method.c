/* The list of methods. */
#include "steps.h"

#include <stdio.h>
#include <string.h>

const struct hf_method_ops *const hf_method_list[] = {&hf_method_rhf, NULL};

const char *hf_method_name(const struct hf_method_ops *method)
{
    return method->name;
}

const char *hf_method_about(const struct hf_method_ops *method)
{
    return method->about;
}

hf_status hf_method_find(const char *name, const struct hf_method_ops **method,
                         struct hf_error *error)
{
    char names[256] = "";
    for (int i = 0; hf_method_list[i] != NULL; i++) {
        if (name != NULL && strcmp(hf_method_list[i]->name, name) == 0) {
            *method = hf_method_list[i];
            return HF_OK;
        }
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                 hf_method_list[i]->name);
    }
    return hf_fail(error, HF_BAD_INPUT, "there is no method \"%s\"; there are: %s",
                   name != NULL ? name : "", names);
}

hf_status hf_method_check(const char *name, const struct hf_molecule *molecule,
                          struct hf_error *error)
{
    const struct hf_method_ops *method = NULL;
    int n_occupied[2];
    const hf_status status = hf_method_find(name, &method, error);
    return status == HF_OK ? method->occupy(molecule, n_occupied, error) : status;
}
