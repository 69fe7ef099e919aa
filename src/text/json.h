/* Building JSON values that come back bit for bit, and files of them that appear whole. */
#ifndef HF_JSON_H
#define HF_JSON_H

#include "hf/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A copy in UTF-8, which the caller frees: bytes that are no UTF-8 are taken for ISO 8859-1
 *  (Latin-1), in which old files have their titles. NULL: no memory. */
char *hf_utf8_from_text(const char *text);

/** Writes a finite number that reads back as the same double; returns its length, below 25.
 *  The decimal sign is a point in every locale. */
int hf_json_print_double(double value, size_t size, char text[]);

/** Adds a number that reads back as the same double; null when it is not finite. False: no memory.
 */
bool hf_json_add_double(cJSON *object, const char *name, double value);
bool hf_json_add_integer(cJSON *object, const char *name, int64_t value);
/** Text of any encoding, as hf_utf8_from_text makes UTF-8 of it; NULL becomes null. */
bool hf_json_add_text(cJSON *object, const char *name, const char *text);
bool hf_json_append_text(cJSON *array, const char *text);
bool hf_json_add_doubles(cJSON *object, const char *name, int n, const double values[]);
bool hf_json_append_double(cJSON *array, double value);
/** New empty object at the end of an array; NULL: no memory. */
cJSON *hf_json_append_object(cJSON *array);

/** Writes the document; an existing regular file is replaced in one step, never seen half-written.
 *  Local. HF_NO_RESOURCE. */
hf_status hf_json_save(const char *path, const cJSON *root, struct hf_error *error) HF_MUST_CHECK;

#endif
