/* Keys and words of objects of QCSchema, for their readers. */
#include "qcschema.h"

#include <string.h>

const char *const hf_qcschema_specification_keys[] = {"schema_name", "schema_version", "program",
                                                      "driver",      "model",          "keywords",
                                                      "protocols",   "extras",         NULL};

/** Keys used here whose value must not be null. */
static const char *const valued_keys[] = {
    "molecular_charge", "molecular_multiplicity", "method", "keywords",
    "protocols",        "wavefunction",           "stdout", "native_files",
    "trajectory",       "trajectory_results",     NULL};

bool hf_qcschema_is_listed(const char *key, const char *const list[])
{
    for (int i = 0; list[i] != NULL; i++)
        if (strcmp(key, list[i]) == 0) return true;
    return false;
}

bool hf_qcschema_is_one_line(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != '\177') text++;
    return *text == '\0';
}

hf_status hf_qcschema_check_member(const struct draft *draft, const cJSON *object,
                                   const cJSON *member, const char *name)
{
    for (const cJSON *other = object->child; other != member; other = other->next)
        if (strcmp(other->string, member->string) == 0)
            return hf_draft_fail(draft, 0, "key '%s' in %s was given before", member->string, name);
    if (cJSON_IsNull(member) && hf_qcschema_is_listed(member->string, valued_keys))
        return hf_draft_fail(draft, 0, "'%s' is null; expected a value, or no such key",
                             member->string);
    return HF_OK;
}

hf_status hf_qcschema_check_keys(const struct draft *draft, const cJSON *object, const char *name,
                                 const char *const known[])
{
    int n = 0;
    while (known[n] != NULL) n++;
    if (!cJSON_IsObject(object)) /* entries of a list have no keys */
        return hf_draft_fail(draft, 0, "%s is no object", name);
    for (const cJSON *member = object->child; member != NULL; member = member->next) {
        const struct hf_word key = hf_word_of(member->string);
        if (hf_qcschema_is_listed(member->string, known)) {
            HF_CHECK(hf_qcschema_check_member(draft, object, member, name));
            continue;
        }
        if (!hf_qcschema_is_one_line(member->string))
            return hf_draft_fail(draft, 0, "unknown key in %s", name);
        if (hf_qcschema_is_listed("specification", known) &&
            hf_qcschema_is_listed(member->string, hf_qcschema_specification_keys))
            return hf_draft_fail(draft, 0, "key '%.*s' in %s; expected it in the specification",
                                 HF_WORD(key), name);
        const char *nearest = hf_nearest_word(key, n, known);
        return hf_draft_fail(draft, 0, "unknown key '%.*s' in %s%s%s", HF_WORD(key), name,
                             HF_DID_YOU_MEAN(nearest, ""));
    }
    return HF_OK;
}

hf_status hf_qcschema_get_string(const struct draft *draft, const cJSON *object, const char *key,
                                 const char **value)
{
    const cJSON *member = hf_json_find(object, key);
    *value = NULL;
    if (member == NULL || cJSON_IsNull(member)) return HF_OK;
    if (!cJSON_IsString(member) || !hf_qcschema_is_one_line(member->valuestring))
        return hf_draft_fail(draft, 0, "'%s' is not a string of one line", key);
    *value = member->valuestring;
    return HF_OK;
}

hf_status hf_qcschema_add_option(struct draft *draft, const char *key, const char *text)
{
    return hf_draft_option(draft, key, hf_word_of(text), 0);
}

int hf_qcschema_find_line(const struct hf_text *text, const char *quoted)
{
    for (int i = 0; i < text->n_line; i++)
        if (strstr(text->line[i], quoted) != NULL) return i + 1;
    return 0;
}
