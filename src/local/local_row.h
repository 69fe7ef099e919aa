/* Parts of the row of local MP2 in the list of quantities. */
#ifndef HF_LOCAL_ROW_H
#define HF_LOCAL_ROW_H

#include "local/local_mp2.h"
#include "scf/quantity.h"

/** What the row holds. */
struct hf_local_row {
    struct hf_local_settings settings;
    struct hf_local_given given;
    struct hf_local_result result;
    int n_electron_pair; /**< occupied orbitals */
    const char *domains; /**< as given: a kind or a path */
};

/** Domains from a file that hf wrote, JSON or checkpoint; their number of atoms must be n_atom. Local. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_local_given_read(const char *path, int n_atom, struct hf_local_given *given,
                              struct hf_error *error) HF_MUST_CHECK;

/** Those of a checkpoint, if it has any; else given->n_orbital is 0. Local, on rank 0. Errors as above. */
hf_status hf_local_given_restart(const struct hf_checkpoint *checkpoint, int n_atom,
                                 struct hf_local_given *given,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Those of rank 0 to all ranks. Collective. HF_NO_RESOURCE. */
hf_status hf_local_given_share(struct hf_context *context, struct hf_local_given *given,
                               struct hf_error *error) HF_MUST_CHECK;

/** Frees and clears; accepts a cleared one. */
void hf_local_given_done(struct hf_local_given *given);

/** Options of local MP2, with members of struct hf_local_row. */
extern const struct hf_option hf_options_local_mp2[];

/** Bytes that a rank is expected to take, at most, for n_orbital correlated orbitals. Local. HF_NO_RESOURCE. */
hf_status hf_local_expected_bytes(const struct hf_molecule *molecule, const struct hf_basis *basis,
                                  const struct hf_local_settings *settings, int n_orbital,
                                  const struct hf_context *context, double *bytes,
                                  struct hf_error *error) HF_MUST_CHECK;

/** The section of the report. */
void hf_local_report(const struct hf_quantity *quantity, FILE *out);

/** The part of the JSON file. */
void hf_local_put_json(const struct hf_quantity *quantity, const struct hf_json_places *to);

#endif
