/* Properties of a wave function as JSON. */
#ifndef HF_JSON_PROPERTIES_H
#define HF_JSON_PROPERTIES_H

#include "hf/json.h"
#include "hf/output.h"

/** `name`: everything, or the number of electrons where nothing else was computed. False: no
 *  memory. */
bool hf_json_add_all_properties(cJSON *parent, const char *name, const struct hf_molecule *molecule,
                                const struct hf_properties *properties);

/** The schema's "scf_quadrupole_moment" [3][3], the second moments of the charges, where they were
 *  computed. */
bool hf_json_add_second_moments(cJSON *object, const struct hf_properties *properties);

/** The gradient as the schema has it, [3 n_atom]. False: out of memory. */
bool hf_json_add_gradient(cJSON *object, const char *name, const struct hf_gradient *gradient);

/** How it was made, for which the schema has no key. */
bool hf_json_add_gradient_remark(cJSON *extras, const struct hf_gradient *gradient);

#endif
