/* Inside the JSON writer: building values that come back bit for bit, and files that appear whole.
 */
#ifndef HF_JSON_PRIVATE_H
#define HF_JSON_PRIVATE_H

#include "hf/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/** Adds a number that reads back as the same double; null when it is not finite. False: no memory.
 */
bool hf_json_add_double(cJSON *object, const char *name, double value);
bool hf_json_add_integer(cJSON *object, const char *name, int64_t value);
/** NULL text becomes null. */
bool hf_json_add_text(cJSON *object, const char *name, const char *text);
bool hf_json_add_doubles(cJSON *object, const char *name, int n, const double values[]);
bool hf_json_append_double(cJSON *array, double value);
/** New empty object at the end of an array; NULL: no memory. */
cJSON *hf_json_append_object(cJSON *array);
/** schema_name, schema_version and provenance, which every file of ours has. */
bool hf_json_add_identity(cJSON *root);
/** {"error_type": ..., "error_message": ...} under "error". */
bool hf_json_add_error(cJSON *root, const char *error_type, const char *message);

/** Writes the document; an existing regular file is replaced in one step, never seen half-written.
 *  Local. HF_NO_RESOURCE. */
hf_status hf_json_save(const char *path, const cJSON *root, struct hf_error *error) HF_MUST_CHECK;

#endif
