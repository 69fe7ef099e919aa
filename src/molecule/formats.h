/* What finds out in which format, and where in a file, a molecule stands. */
#ifndef HF_FORMATS_H
#define HF_FORMATS_H

#include "hf/input.h"
#include "hf/text.h"

/** A format that is known by sight but not read. */
struct foreign;

/** The format that a text is probably in, or NULL. Look before native reading, which cuts comments. */
const struct foreign *hf_recognise_foreign(const struct hf_text *text);

/** HF_BAD_INPUT: what the format is, and what makes a file that is read. */
hf_status hf_refuse_foreign(const struct hf_text *text, const struct foreign *foreign,
                            struct hf_error *error);

/** The lines of one molecule, as a text of its own that borrows those of the file. */
struct hf_chosen_record {
    struct hf_text
        text;   /**< of the first record: lines are numbered as in the file; of a later one,
                              which its path names, from its beginning */
    char *path; /**< owned; NULL when text.path is that of the file */
};

/** Chooses the molecule that the option "record" asks for, the first when nobody does; then a file of
 *  several gives a warning. A file of another format is one record as a whole. Not collective.
 *  HF_BAD_INPUT: there are fewer; HF_NO_RESOURCE: memory. free(chosen->path) in any case. */
hf_status hf_choose_record(const struct hf_text *text, const struct hf_options *options,
                           struct hf_input *input, struct hf_chosen_record *chosen,
                           struct hf_error *error) HF_MUST_CHECK;

#endif
