/* JSON values: numbers that read back bit for bit; and their files. */
#include "text/json.h"

#include "text/output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hf_json_print_double(double value, size_t size, char text[])
{
    char local[48]; /* a locale's decimal sign may take several bytes */
    snprintf(local, sizeof local, "%.17g", value);
    const size_t n_before = strspn(local, "+-0123456789");
    const size_t n_sign = strcspn(local + n_before, "0123456789e");
    return snprintf(text, size, "%.*s%s%s", (int)n_before, local, n_sign > 0 ? "." : "",
                    local + n_before + n_sign);
}

/** cJSON prints 15 digits when they are within one unit in the last place, which is not the same
 *  number; so numbers are handed to it as text. */
static cJSON *new_double(double value)
{
    if (!isfinite(value)) return cJSON_CreateNull();
    char text[40];
    hf_json_print_double(value, sizeof text, text);
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
    char *utf8 = hf_utf8_from_text(text);
    const bool added = utf8 != NULL && cJSON_AddStringToObject(object, name, utf8) != NULL;
    free(utf8);
    return added;
}

bool hf_json_append_text(cJSON *array, const char *text)
{
    char *utf8 = hf_utf8_from_text(text);
    const bool added = utf8 != NULL && cJSON_AddItemToArray(array, cJSON_CreateString(utf8)) != 0;
    free(utf8);
    return added;
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

/** False with errno set. */
static bool write_text(const char *path, const char *text)
{
    struct hf_output_file file;
    if (!hf_output_file_begin(path, &file)) return false;
    const bool written =
        hf_output_file_write(&file, strlen(text), text) && hf_output_file_write(&file, 1, "\n");
    return hf_output_file_end(&file, written);
}

hf_status hf_json_save(const char *path, const cJSON *root, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *text = cJSON_Print(root);
    if (text == NULL)
        status =
            hf_fail(error, HF_NO_RESOURCE, "%s: out of memory while writing the JSON file", path);
    else if (!write_text(path, text))
        status = hf_fail(error, HF_NO_RESOURCE, "%s: the JSON file cannot be written: %s", path,
                         strerror(errno));
    cJSON_free(text);
    return status;
}
