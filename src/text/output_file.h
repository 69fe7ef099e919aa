/* Files that appear whole: looked at before the run, written beside their name, renamed at the end.
 */
#ifndef HF_OUTPUT_FILE_H
#define HF_OUTPUT_FILE_H

#include "hf/context.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** A file being written. */
struct hf_output_file {
    FILE *stream;            /**< NULL: this rank does not write it */
    const char *path, *what; /**< for messages of hf_output_file_close; borrowed */
    char *target;            /**< name it will have, symbolic links followed; owned */
    char *temporary; /**< name it has until then; NULL: a device or a pipe, which stays; owned */
    int why;         /**< errno of the first write that failed, or 0 */
};

/** Opens `path` for writing. False with errno set; then there is nothing to end. Local. */
bool hf_output_file_begin(const char *path, struct hf_output_file *file);

/** Writes bytes. False when they, or some before them, cannot be written: file->why. Local. */
bool hf_output_file_write(struct hf_output_file *file, size_t n_byte, const void *bytes);

/** Writes a line or two, at most 511 bytes, as printf does. A failure is kept in file->why. Without a stream nothing is
 *  written. Local. */
void hf_output_file_print(struct hf_output_file *file, const char *format, ...) HF_PRINTF(2, 3);

/** Brings what was written to the disk, closes, and gives the file its name when `good` and nothing
 *  fails; else it goes, and what had the name stays. A file that was there keeps its mode. False
 *  when it is not there whole; then errno is the first reason of all, 0 when `good` was false and
 *  nothing else failed. Local. */
bool hf_output_file_end(struct hf_output_file *file, bool good);

/** Opens a file that rank 0 writes; `what` is e.g. "the Molden file". Collective. HF_NO_RESOURCE: "PATH: WHAT cannot be
 *  written: ...". */
hf_status hf_output_file_open(struct hf_context *context, const char *path, const char *what,
                              struct hf_output_file *file, struct hf_error *error) HF_MUST_CHECK;

/** Ends it: the file appears if `status`, that of this rank so far, is good on rank 0. Accepts a cleared file. Returns
 *  the status of all ranks. Collective. HF_NO_RESOURCE as above. */
hf_status hf_output_file_close(struct hf_context *context, struct hf_output_file *file,
                               hf_status status, struct hf_error *error) HF_MUST_CHECK;

/** HF_BAD_INPUT when `path` cannot be written; `what` is e.g. "the JSON file", `option` "--json".
 *  Rank 0 looks, all agree. Leaves no file behind that was not there. A FIFO must have a reader, and is
 *  kept open until hf_output_files_let_go, or the reader would take its end for that of the file.
 *  Collective. */
hf_status hf_output_file_check(struct hf_context *context, const char *path, const char *what,
                               const char *option, struct hf_error *error) HF_MUST_CHECK;

/** Closes the FIFOs that were kept open: all files are written, or none will be. Accepts NULL. Local. */
void hf_output_files_let_go(struct hf_context *context);

/** A file that a run reads or writes. */
struct hf_run_file {
    const char *where; /**< who named it: "--json", or "water.mol, line 4" */
    const char *what;  /**< "the JSON file" */
    const char *path;
    bool is_input; /**< not written by its name: read, or written through a descriptor */
};

/** Whether a path is a device or a pipe, which is written to directly: /dev/null must not be replaced by a file. Local. */
bool hf_is_special_file(const char *path);

/** Name a file really has: a symbolic link stays one, its target is replaced. To be freed; NULL: no
 *  memory. Local. */
char *hf_final_path(const char *path);

/** Whether two names are of one regular file: of one inode, or, of files that do not exist yet, in
 *  one folder. What devices and pipes are given is not lost. Local. */
bool hf_same_file(const char *path, const char *other);

/** Whether no file to write is another one of the list, or a file to read. Local, for one rank.
 *  HF_BAD_INPUT: two are one, with `where` of the one to write. */
hf_status hf_output_files_check_apart(int n, const struct hf_run_file file[],
                                      struct hf_error *error) HF_MUST_CHECK;

#endif
