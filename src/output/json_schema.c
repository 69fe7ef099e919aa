/* What the QCSchema objects of ours begin with, and how a failure is told. */
#include "json_schema.h"

#include "hf/version.h"

bool hf_json_add_identity(cJSON *object, const char *schema_name)
{
    bool ok = hf_json_add_text(object, "schema_name", schema_name) &&
              hf_json_add_integer(object, "schema_version", 1);
    cJSON *provenance = cJSON_AddObjectToObject(object, "provenance");
    return ok && provenance != NULL && hf_json_add_text(provenance, "creator", "hf") &&
           hf_json_add_text(provenance, "version", hf_version()) &&
           hf_json_add_text(provenance, "routine", "hf_scf_run");
}

bool hf_json_add_error(cJSON *root, const char *error_type, const char *message)
{
    const bool ok = cJSON_AddFalseToObject(root, "success") != NULL;
    cJSON *error = cJSON_AddObjectToObject(root, "error");
    return ok && error != NULL && hf_json_add_text(error, "error_type", error_type) &&
           hf_json_add_text(error, "error_message", message);
}
