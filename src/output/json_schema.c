/* What every QCSchema file of ours begins with, and the file of a calculation that failed. */
#include "json_schema.h"

#include "hf/output.h"

bool hf_json_add_identity(cJSON *root)
{
    bool ok = hf_json_add_text(root, "schema_name", "qcschema_output") &&
              hf_json_add_integer(root, "schema_version", 1);
    cJSON *provenance = cJSON_AddObjectToObject(root, "provenance");
    return ok && provenance != NULL && hf_json_add_text(provenance, "creator", "hf") &&
           hf_json_add_text(provenance, "version", hf_version()) &&
           hf_json_add_text(provenance, "routine", "hf_scf_run");
}

bool hf_json_add_error(cJSON *root, const char *error_type, const char *message)
{
    cJSON *error = cJSON_AddObjectToObject(root, "error");
    return error != NULL && hf_json_add_text(error, "error_type", error_type) &&
           hf_json_add_text(error, "error_message", message);
}

hf_status hf_json_write_failure(const char *path, const char *error_type, const char *message,
                                struct hf_error *error)
{
    cJSON *root = cJSON_CreateObject();
    const bool built = root != NULL && hf_json_add_identity(root) &&
                       cJSON_AddFalseToObject(root, "success") != NULL &&
                       hf_json_add_error(root, error_type, message);
    const hf_status status = built ? hf_json_save(path, root, error)
                                   : hf_fail(error, HF_NO_RESOURCE,
                                             "%s: out of memory while writing the JSON file", path);
    cJSON_Delete(root);
    return status;
}
