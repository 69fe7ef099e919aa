/* The stability analysis in the JSON file. */
#include "hf/json.h"

#include "output_private.h"

/** Eigenvalues of one kind of rotation. */
static bool add_roots(cJSON *parent, const char *name, const struct hf_stability_roots *roots)
{
    if (!roots->analysed) return true;
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    return object != NULL && cJSON_AddBoolToObject(object, "stable", roots->stable) != NULL &&
           cJSON_AddBoolToObject(object, "converged", roots->converged) != NULL &&
           hf_json_add_integer(object, "zero_eigenvalues", roots->n_zero) &&
           hf_json_add_doubles(object, "eigenvalues", roots->n, roots->eigenvalue);
}

bool hf_json_add_stability(cJSON *extras, const struct hf_stability_result *stability)
{
    const int n_analysed = stability->n_follow + (stability->internal.analysed ? 1 : 0);
    if (n_analysed == 0) return true;
    cJSON *object = cJSON_AddObjectToObject(extras, "stability");
    return object != NULL && add_roots(object, "internal", &stability->internal) &&
           add_roots(object, "external", &stability->external) &&
           hf_json_add_double(object, "zero_below", stability->zero) &&
           hf_json_add_integer(object, "followed", stability->n_follow) &&
           hf_json_add_doubles(object, "energies", n_analysed, stability->energy);
}
