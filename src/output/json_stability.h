/* The stability analysis in the JSON file. */
#ifndef HF_JSON_STABILITY_H
#define HF_JSON_STABILITY_H

#include "hf/scf.h"

#include "json_schema.h"

/** "stability" of the extras, where there was an analysis. Local; false: no memory. */
bool hf_json_add_stability(cJSON *extras, const struct hf_stability_result *stability);

#endif
