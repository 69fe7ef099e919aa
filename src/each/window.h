/* A window of records, the same on all ranks.
 *
 *     rank 0: reader -> records that are not finished -> bytes      MPI_Bcast      all ranks: bytes, items
 */
#ifndef HF_EACH_WINDOW_H
#define HF_EACH_WINDOW_H

#include "finished.h"
#include "hf/context.h"
#include "reader.h"

#include <stdint.h>

/** Bytes of a window, at most; one record may have more. */
enum { HF_WINDOW_BYTES = 16 << 20 };

/** Initialise with = {0}. */
struct hf_window {
    int n;                             /**< records */
    struct hf_molecule_record *record; /**< [n] pointing into `bytes` */
    uint64_t *hash;                    /**< [n] of text and settings */
    bool ended;                        /**< there are no more records */
    int64_t n_skipped;                 /**< records that were finished already */
    char *bytes;
    size_t n_byte;
    int64_t room, record_room, hash_room; /**< private */
};

/** Reads up to `most` records, less if they have many bytes or the next ones would have to wait for standard input.
 *  `settings` is the hash of the settings that results depend on; reader and finished are those of rank 0.
 *  Collective. Errors as of the reader. */
hf_status hf_window_fill(struct hf_window *window, struct hf_context *context, int64_t most,
                         uint64_t settings, struct hf_record_reader *reader,
                         struct hf_finished *finished, struct hf_error *error) HF_MUST_CHECK;

/** Accepts a cleared one. Local. */
void hf_window_done(struct hf_window *window);

#endif
