/* What the QCSchema writers share. */
#ifndef HF_JSON_SCHEMA_H
#define HF_JSON_SCHEMA_H

#include "hf/json.h"
#include "hf/molecule.h"

/** schema_name, schema_version and provenance of a calculation's input or of its results. */
bool hf_json_add_identity(cJSON *object, const char *schema_name);
/** "success" and {"error_type": ..., "error_message": ...} under "error", of a FailedOperation. */
bool hf_json_add_error(cJSON *root, const char *error_type, const char *message);
/** "molecule": coordinates in bohr, ghosts, and the masses where one is not the one that readers assume. */
bool hf_json_add_molecule(cJSON *root, const struct hf_molecule *molecule);

#endif
