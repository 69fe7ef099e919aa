/* The wave function in the JSON file: the matrices as text, on all ranks, then the document. */
#ifndef HF_JSON_WAVEFUNCTION_H
#define HF_JSON_WAVEFUNCTION_H

#include "hf/wavefunction.h"

#include "json_schema.h"

/** Matrices as JSON arrays, by spin; on rank 0, NULL elsewhere. Initialise with = {0}. */
struct hf_json_matrices {
    struct hf_memory *memory;
    char *orbitals[HF_MAX_SPIN], *density[HF_MAX_SPIN]; /**< owned */
};

/** Gathers orbitals and densities to rank 0, strip by strip, as text of about 25 bytes per number.
 *  Collective. HF_NO_RESOURCE: memory; what there is must be freed then too. */
hf_status hf_json_matrices_collect(struct hf_context *context,
                                   const struct hf_wavefunction *wavefunction,
                                   struct hf_json_matrices *matrices,
                                   struct hf_error *error) HF_MUST_CHECK;
/** Accepts a cleared one. Local. */
void hf_json_matrices_done(struct hf_json_matrices *matrices);

/** "wavefunction" of the document. Local; false: no memory. */
bool hf_json_add_wavefunction(cJSON *root, const struct hf_wavefunction *wavefunction,
                              const struct hf_json_matrices *matrices);

#endif
