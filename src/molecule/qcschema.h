/* Inside the readers of QCSchema. */
#ifndef HF_QCSCHEMA_H
#define HF_QCSCHEMA_H

#include "draft.h"
#include "text/json.h"

/** Keys of an AtomicSpecification; NULL at the end. */
extern const char *const hf_qcschema_specification_keys[];

/** Whether a key is in a list that ends with NULL. */
bool hf_qcschema_is_listed(const char *key, const char *const list[]);

/** Gets a member that must be a string of one line; NULL if it is missing or null. HF_BAD_INPUT. */
hf_status hf_qcschema_get_string(const struct draft *draft, const cJSON *object, const char *key,
                                 const char **value) HF_MUST_CHECK;

/** Fails if the object `name` has a key twice (JSON does not define which one counts), or if null is given for a key
 *  that needs a value. Compares with the members before, which are known keys and therefore few. */
hf_status hf_qcschema_check_member(const struct draft *draft, const cJSON *object,
                                   const cJSON *member, const char *name) HF_MUST_CHECK;

/** Checks that every member of the object `name` is a known key (`known`, NULL at the end) and given once. */
hf_status hf_qcschema_check_keys(const struct draft *draft, const cJSON *object, const char *name,
                                 const char *const known[]) HF_MUST_CHECK;

/** Whether a string has no control characters and fits in a line. */
bool hf_qcschema_is_one_line(const char *text);

/** Stores text as the option `key`. */
hf_status hf_qcschema_add_option(struct draft *draft, const char *key,
                                 const char *text) HF_MUST_CHECK;

/** First line that contains the name `quoted`, for messages; 0: none. */
int hf_qcschema_find_line(const struct hf_text *text, const char *quoted);

/** Reads the molecule: atoms, charge, multiplicity, title, masses, fragments. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_qcschema_read_molecule(struct draft *draft, const cJSON *molecule) HF_MUST_CHECK;

/** Reads a BasisSet of the model, for atoms that were read before: each centre becomes a basis text of the input, and
 *  each atom gets that of its centre. HF_BAD_INPUT, HF_NO_RESOURCE. */
hf_status hf_read_basis_set(struct draft *draft, const cJSON *basis) HF_MUST_CHECK;

#endif
