/* What the QCSchema writers share. */
#ifndef HF_JSON_SCHEMA_H
#define HF_JSON_SCHEMA_H

#include "hf/json.h"

/** schema_name, schema_version and provenance, which every file of ours has. */
bool hf_json_add_identity(cJSON *root);
/** {"error_type": ..., "error_message": ...} under "error". */
bool hf_json_add_error(cJSON *root, const char *error_type, const char *message);

#endif
