/* Files that appear whole: looked at before the run, written beside their name, renamed at the end.
 */
#ifndef HF_OUTPUT_FILE_H
#define HF_OUTPUT_FILE_H

#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stdio.h>

/** A file being written. */
struct hf_output_file {
    FILE *stream;
    char *target;    /**< name it will have, symbolic links followed; owned */
    char *temporary; /**< name it has until then; NULL: a device or a pipe, which stays; owned */
};

/** Opens `path` for writing. False with errno set; then there is nothing to end. Local. */
bool hf_output_file_begin(const char *path, struct hf_output_file *file);

/** Closes, and gives the file its name when `good` and nothing fails; else it goes, and what had
 * the name stays. False with errno set when it is not there whole. Local. */
bool hf_output_file_end(struct hf_output_file *file, bool good);

/** HF_BAD_INPUT when `path` cannot be written; `what` is e.g. "the JSON file", `option` "--json".
 *  Rank 0 looks, all agree. Leaves no file behind that was not there. Collective. */
hf_status hf_output_file_check(struct hf_context *context, const char *path, const char *what,
                               const char *option, struct hf_error *error) HF_MUST_CHECK;

#endif
