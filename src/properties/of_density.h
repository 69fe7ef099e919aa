/* Properties of a density other than that of the SCF, for the report and the JSON file. */
#ifndef HF_PROPERTIES_OF_DENSITY_H
#define HF_PROPERTIES_OF_DENSITY_H

#include "hf/properties.h"
#include "text/json.h"

#include <stdio.h>

/** Prints charges and spins of atoms; with `all` also moments, potentials and bond orders. Not collective. */
void hf_print_properties(FILE *out, const struct hf_molecule *molecule,
                         const struct hf_properties *properties, bool all);

/** Puts all members into an object. Not collective. */
void hf_put_properties(struct hf_json to, const struct hf_molecule *molecule,
                       const struct hf_properties *properties);

#endif
