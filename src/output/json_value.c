/* JSON values: numbers that read back bit for bit, and the pieces every file of ours has. */
#include "json_private.h"

#include "hf/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** cJSON prints 15 digits when they are within one unit in the last place, which is not the same
 *  number; so numbers are handed to it as text. */
static cJSON *new_double(double value)
{
    if (!isfinite(value)) return cJSON_CreateNull();
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    char *comma = strchr(text, ','); /* a locale's decimal sign */
    if (comma != NULL) *comma = '.';
    return cJSON_CreateRaw(text);
}

bool hf_json_add_double(cJSON *object, const char *name, double value)
{
    return cJSON_AddItemToObject(object, name, new_double(value)) != 0;
}

bool hf_json_add_integer(cJSON *object, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return cJSON_AddRawToObject(object, name, text) != NULL;
}

bool hf_json_add_text(cJSON *object, const char *name, const char *text)
{
    if (text == NULL) return cJSON_AddNullToObject(object, name) != NULL;
    return cJSON_AddStringToObject(object, name, text) != NULL;
}

bool hf_json_append_double(cJSON *array, double value)
{
    return cJSON_AddItemToArray(array, new_double(value)) != 0;
}

bool hf_json_add_doubles(cJSON *object, const char *name, int n, const double values[])
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    bool ok = array != NULL;
    for (int i = 0; ok && i < n; i++) ok = hf_json_append_double(array, values[i]);
    return ok;
}

cJSON *hf_json_append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    if (object != NULL && cJSON_AddItemToArray(array, object)) return object;
    cJSON_Delete(object);
    return NULL;
}

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
