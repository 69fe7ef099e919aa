/* Inside the checkpoint: the file on disk while it is written. */
#ifndef HF_CHECKPOINT_FILE_H
#define HF_CHECKPOINT_FILE_H

#include "hf/status.h"

#include <stdbool.h>

/** A file that will replace another one in one step. */
struct hf_part_file {
    char *target;   /**< name it will have, symbolic links followed; owned */
    char *part;     /**< name it has until then, target with ".part" behind it; owned */
    int descriptor; /**< holds the lock */
};

/** HF_NO_RESOURCE: the checkpoint cannot be written for the reason `why`, an errno; 0: HDF5 has none. */
hf_status hf_part_file_fail(const char *path, int why, struct hf_error *error);

/** Takes the name of the part file, empties it, and makes sure that `bytes` fit on the disk. What a
 *  run that is dead left there is taken over. HF_NO_RESOURCE with the reason; then there is nothing to
 *  end. Local. */
hf_status hf_part_file_begin(const char *path, double bytes, struct hf_part_file *file,
                             struct hf_error *error) HF_MUST_CHECK;

/** Reserves the room again after the writer has emptied the file, if possible. */
void hf_part_file_reserve(const struct hf_part_file *file, double bytes);

/** Flushes it to the disk and gives it its name; removes it when it is not `good`. HF_NO_RESOURCE with
 *  the reason: what had the name stays. Local. */
hf_status hf_part_file_end(struct hf_part_file *file, bool good,
                           struct hf_error *error) HF_MUST_CHECK;

#endif
