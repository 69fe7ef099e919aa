/* The list of guesses. */
#include "steps.h"

#include <stdio.h>
#include <string.h>

const struct hf_guess_ops *const hf_guess_list[] = {&hf_guess_sad, &hf_guess_core, NULL};

const char *hf_guess_name(const struct hf_guess_ops *guess)
{
    return guess->name;
}

const char *hf_guess_about(const struct hf_guess_ops *guess)
{
    return guess->about;
}

hf_status hf_guess_find(const char *name, const struct hf_guess_ops **guess, struct hf_error *error)
{
    char names[256] = "";
    for (int i = 0; hf_guess_list[i] != NULL; i++) {
        if (name != NULL && strcmp(hf_guess_list[i]->name, name) == 0) {
            *guess = hf_guess_list[i];
            return HF_OK;
        }
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                 hf_guess_list[i]->name);
    }
    return hf_fail(error, HF_BAD_INPUT, "there is no guess \"%s\"; there are: %s",
                   name != NULL ? name : "", names);
}
