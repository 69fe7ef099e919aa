/* JSON values: numbers that read back bit for bit; and their files. */
#include "text/json.h"

#include "text/output_file.h"
#include "text/text.h"

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
cJSON *hf_json_real(double value)
{
    if (!isfinite(value)) return cJSON_CreateNull();
    char text[40];
    hf_json_print_double(value, sizeof text, text);
    return cJSON_CreateRaw(text);
}

cJSON *hf_json_integer(int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return cJSON_CreateRaw(text);
}

/** Bytes of the UTF-8 character that begins here, 1 to 4; 0: it is none. Shortest forms only, no
 *  surrogates, nothing above U+10FFFF. Source: RFC 3629, section 4. */
static int character_length(const unsigned char *c)
{
    const unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    int n = 0;
    if (c[0] < 0x80) return 1;
    if (c[0] >= 0xc2 && c[0] <= 0xdf) n = 2;
    if (c[0] >= 0xe0 && c[0] <= 0xef) n = 3;
    if (c[0] >= 0xf0 && c[0] <= 0xf4) n = 4;
    if (n == 0 || c[1] < least || c[1] > most) return 0;
    for (int i = 2; i < n; i++) /* a NUL also ends this */
        if (c[i] < 0x80 || c[i] > 0xbf) return 0;
    return n;
}

char *hf_utf8_from_text(const char *text)
{
    const size_t size = 2 * strlen(text) + 1;
    char *utf8 = malloc(size), *at = utf8;
    if (utf8 == NULL) return NULL;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const int n = character_length(c);
        if (n == 0) { /* ISO 8859-1 has the numbers of Unicode */
            *at++ = (char)(0xc0 | *c >> 6);
            *at++ = (char)(0x80 | (*c++ & 0x3f));
        }
        for (int i = 0; i < n; i++) *at++ = (char)*c++;
    }
    *at = '\0';
    return utf8;
}

cJSON *hf_json_text(const char *text)
{
    if (text == NULL) return cJSON_CreateNull();
    char *utf8 = hf_utf8_from_text(text);
    cJSON *made = utf8 != NULL ? cJSON_CreateString(utf8) : NULL;
    free(utf8);
    return made;
}

struct hf_json hf_json_begin(struct hf_json_document *document)
{
    const struct hf_json root = {.of = document, .at = cJSON_CreateObject()};
    if (root.at == NULL) document->failed = true;
    return root;
}

struct hf_json hf_json_add(struct hf_json in, const char *key, cJSON *item)
{
    if (key != NULL ? cJSON_AddItemToObject(in.at, key, item) : cJSON_AddItemToArray(in.at, item))
        return (struct hf_json){.of = in.of, .at = item};
    cJSON_Delete(item);
    in.of->failed = true;
    return (struct hf_json){.of = in.of};
}

bool hf_json_wants(const struct hf_json *in, const char *key, const char *unit, const char *about)
{
    if (in->of->page == NULL) return true;
    fprintf(in->of->page, "| `%s%s` | %s | %s |\n", in->path, key, unit != NULL ? unit : "", about);
    return false;
}

/** An object, or an array if `end` is "[].". */
static struct hf_json add_inner(struct hf_json in, const char *key, const char *unit,
                                const char *about, const char *end)
{
    struct hf_json made = {.of = in.of};
    if (hf_json_wants(&in, key, unit, about))
        return hf_json_add(in, key, *end == '[' ? cJSON_CreateArray() : cJSON_CreateObject());
    snprintf(made.path, sizeof made.path, "%s%s%s", in.path, key, end);
    return made;
}

struct hf_json hf_json_object(struct hf_json in, const char *key, const char *about)
{
    return add_inner(in, key, NULL, about, ".");
}

struct hf_json hf_json_array(struct hf_json in, const char *key, const char *unit,
                             const char *about)
{
    return add_inner(in, key, unit, about, "[].");
}

struct hf_json hf_json_row(struct hf_json array)
{
    return array.of->page != NULL ? array : hf_json_add(array, NULL, cJSON_CreateObject());
}

void hf_json_put_reals(struct hf_json in, const char *key, int n, const double values[])
{
    const struct hf_json array = hf_json_add(in, key, cJSON_CreateArray());
    for (int i = 0; i < n; i++) HF_APPEND(array, values[i]);
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

hf_status hf_json_parse(const struct hf_text *text, cJSON **root, struct hf_error *error)
{
    size_t size = 1, n = 0;
    const char *end = NULL;
    *root = NULL;
    for (int i = 0; i < text->n_line; i++) size += strlen(text->line[i]) + 1;
    char *all = calloc(size, 1);
    if (all == NULL) return hf_fail(error, HF_NO_RESOURCE, "%s: out of memory", text->path);
    for (int i = 0; i < text->n_line; i++)
        n += (size_t)snprintf(all + n, size - n, "%s\n", text->line[i]);
    *root = cJSON_ParseWithOpts(all, &end, true);
    int line = 1;
    for (const char *c = all; end != NULL && c < end; c++) line += *c == '\n';
    free(all);
    if (*root != NULL) return HF_OK;
    return hf_text_fail(error, text, line <= text->n_line ? line : text->n_line,
                        "this looks like a JSON file, and is none from here on");
}

/** Replaces numbers by their text, since cJSON drops the last bits of some. False: no memory. */
static bool print_numbers(cJSON *value)
{
    for (cJSON *child = value->child; child != NULL; child = child->next)
        if (!print_numbers(child)) return false;
    if (!cJSON_IsNumber(value)) return true;
    cJSON *text = hf_json_real(value->valuedouble);
    if (text == NULL) return false;
    value->type = text->type;
    value->valuestring = text->valuestring;
    text->valuestring = NULL;
    cJSON_Delete(text);
    return true;
}

cJSON *hf_json_copy_exactly(const cJSON *value)
{
    cJSON *copy = cJSON_Duplicate(value, true);
    if (copy != NULL && print_numbers(copy)) return copy;
    cJSON_Delete(copy);
    return NULL;
}

hf_status hf_json_save(const char *path, struct hf_json root, struct hf_error *error)
{
    hf_status status = HF_OK;
    char *text = root.of->failed ? NULL : cJSON_Print(root.at);
    if (text == NULL)
        status =
            hf_fail(error, HF_NO_RESOURCE, "%s: out of memory while writing the JSON file", path);
    else if (!write_text(path, text))
        status = hf_fail(error, HF_NO_RESOURCE, "%s: the JSON file cannot be written: %s", path,
                         strerror(errno));
    cJSON_free(text);
    return status;
}
