/* Building JSON values that come back bit for bit, and files of them that appear whole.
 *
 * A key is written with its unit and its meaning. If there is a page instead of a document, the same calls write a table of
 * keys, units and meanings (docs/json.md), and do not evaluate the values. */
#ifndef HF_JSON_H
#define HF_JSON_H

#include "hf/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hf_text;

/** A copy in UTF-8, which the caller frees: bytes that are no UTF-8 are taken for ISO 8859-1
 *  (Latin-1), in which old files have their titles. NULL: no memory. */
char *hf_utf8_from_text(const char *text);

/** Writes a finite number that reads back as the same double; returns its length, below 25.
 *  The decimal sign is a point in every locale. */
int hf_json_print_double(double value, size_t size, char text[]);

/** A document that is built. What there was no memory for is missing. */
struct hf_json_document {
    bool failed;
    FILE *page; /**< gets a table of all keys; NULL: values are written */
};

/** An object or an array of a document. */
struct hf_json {
    struct hf_json_document *of;
    cJSON *at;     /**< NULL after a failure, or with a page */
    char path[64]; /**< for the page, "scf." */
};

/** The root of a new document; root.at is to be deleted. */
struct hf_json hf_json_begin(struct hf_json_document *document);
/** Adds an object or an array to an object; an object to an array. */
struct hf_json hf_json_object(struct hf_json in, const char *key, const char *about);
struct hf_json hf_json_array(struct hf_json in, const char *key, const char *unit,
                             const char *about);
struct hf_json hf_json_row(struct hf_json array);

/** A value for a key of an object: int, int64_t, double, bool or text, of which NULL becomes null. */
#define HF_PUT(in, key, value, unit, about)                                                        \
    (hf_json_wants(&(in), key, unit, about) ? (void)hf_json_add(in, key, HF_JSON(value)) : (void)0)
/** The same of a document that never is a page; at the end of an array. */
#define HF_ADD(in, key, value)  ((void)hf_json_add(in, key, HF_JSON(value)))
#define HF_APPEND(array, value) HF_ADD(array, NULL, value)
/** An array of n doubles. */
#define HF_PUT_ALL(in, key, n, values, unit, about)                                                \
    (hf_json_wants(&(in), key, unit, about) ? hf_json_put_reals(in, key, n, values) : (void)0)
/** Rows of an array, and whether there is a part: a page has one of each. */
#define HF_COUNT(array, n)    ((array).of->page != NULL ? 1 : (n))
#define HF_ANY(in, condition) ((in).of->page != NULL || (condition))

/* For the macros. */
#define HF_JSON(value)                                                                             \
    _Generic((value), double                                                                       \
             : hf_json_real, bool                                                                  \
             : cJSON_CreateBool, int                                                               \
             : hf_json_integer, int64_t                                                            \
             : hf_json_integer, default                                                            \
             : hf_json_text)(value)
/** False: the page has got the key. */
bool hf_json_wants(const struct hf_json *in, const char *key, const char *unit, const char *about);
/** Adds to an object, or with `key` NULL to an array; takes the item over. NULL: no memory. */
struct hf_json hf_json_add(struct hf_json in, const char *key, cJSON *item);
/** New numbers that read back as the same double, or null if they are not finite. */
cJSON *hf_json_real(double value);
cJSON *hf_json_integer(int64_t value);
/** Text of any encoding, as hf_utf8_from_text makes UTF-8 of it; null for NULL. */
cJSON *hf_json_text(const char *text);
void hf_json_put_reals(struct hf_json in, const char *key, int n, const double values[]);

/** The value of a whole text; the caller deletes it. Not collective. HF_BAD_INPUT, HF_NO_RESOURCE: *root = NULL. */
hf_status hf_json_parse(const struct hf_text *text, cJSON **root,
                        struct hf_error *error) HF_MUST_CHECK;

/** A copy of a parsed value whose numbers are printed with all bits; the caller deletes it. NULL: no memory. */
cJSON *hf_json_copy_exactly(const cJSON *value);

/** A member of a parsed object; NULL: there is none, or `object` is none. */
static inline const cJSON *hf_json_find(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/** A member that is text; "": there is none. */
static inline const char *hf_json_find_text(const cJSON *object, const char *key)
{
    const cJSON *item = hf_json_find(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/** Writes a document that is complete; an existing regular file is replaced in one step, never seen half-written.
 *  Local. HF_NO_RESOURCE. */
hf_status hf_json_save(const char *path, struct hf_json root, struct hf_error *error) HF_MUST_CHECK;

#endif
