/* Formats that are known by sight but not read. */
#ifndef HF_FOREIGN_H
#define HF_FOREIGN_H

#include "hf/status.h"
#include "hf/text.h"

struct foreign;

/** The format that a text is probably in, or NULL. Look before native reading, which cuts comments. */
const struct foreign *hf_recognise_foreign(const struct hf_text *text);

/** HF_BAD_INPUT: what the format is, and what makes a file that is read. */
hf_status hf_refuse_foreign(const struct hf_text *text, const struct foreign *foreign,
                            struct hf_error *error);

#endif
