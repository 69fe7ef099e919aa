/* The file side of the JSON writer. */
#include "hf/output.h"

#include "json_private.h"
#include "output_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/** False with errno set. */
static bool write_text(const char *path, const char *text)
{
    struct hf_output_file file;
    if (!hf_output_file_begin(path, &file)) return false;
    const bool written = fputs(text, file.stream) >= 0 && fputc('\n', file.stream) != EOF;
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

hf_status hf_json_check_path(struct hf_context *context, const char *path, struct hf_error *error)
{
    return hf_output_file_check(context, path, "the JSON file", "--json", error);
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
