/* Records of molecules in files, one after the other. Memory: the largest record.
 *
 *     format, recognised at the beginning of a file      end of a record
 *     XYZ: the first line is a count                     after so many atoms; broken ones before the next count
 *     JSON lines: the first line is a JSON object        at the end of the line
 *     all others (SD, native, one JSON object)           after a line $$$$, or at the end of the file
 */
#ifndef HF_EACH_READER_H
#define HF_EACH_READER_H

#include "hf/interruption.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hf_record_reader;

/** A record; valid until the next one is read. */
struct hf_molecule_record {
    const char *name; /**< "set.xyz, record 5" */
    const char *text; /**< ended by a NUL */
    size_t n_byte;
    const char *problem; /**< why it cannot be read; NULL: it may be good */
};

/** Where records come from: files, or a function that makes them. Everything is borrowed. */
struct hf_record_source {
    int n_path;
    const char *const
        *path;      /**< [n_path] files, "-" for standard input, "@FILE" for a list of files */
    int64_t n_made; /**< records that `make` makes at most, without files */
    /** Makes record i, which is valid until the next call; without a text: there are no more. HF_NO_RESOURCE. NULL: records come from files */
    hf_status (*make)(void *data, int64_t i, struct hf_molecule_record *record,
                      struct hf_error *error);
    void *data;
};

/** Checks that files that are named can be read. Local, for one rank. HF_BAD_INPUT: one cannot; HF_NO_RESOURCE. */
hf_status hf_record_reader_create(struct hf_interruption *interruption,
                                  const struct hf_record_source *source,
                                  struct hf_record_reader **reader,
                                  struct hf_error *error) HF_MUST_CHECK;

/** The next record. *there false: there are no more. A file of a list that cannot be read is a record with a
 *  problem. Local. HF_INTERRUPTED while waiting for standard input; HF_NO_RESOURCE. */
hf_status hf_record_reader_next(struct hf_record_reader *reader, struct hf_molecule_record *record,
                                bool *there, struct hf_error *error) HF_MUST_CHECK;

/** Whether the next record has not arrived whole at standard input, or may not have. The last record is no longer valid.
 *  Local. Errors as of the next one. */
hf_status hf_record_reader_waits(struct hf_record_reader *reader, bool *waits,
                                 struct hf_error *error) HF_MUST_CHECK;

/** Part of the bytes of all files that was read; negative: unknown, because of standard input or a list. Local. */
double hf_record_reader_fraction(const struct hf_record_reader *reader);

/** The next name in a list of files; `line` and `room` as of getline. *name NULL: the list has ended. Local.
 *  HF_BAD_INPUT: it cannot be read. */
hf_status hf_record_list_next(FILE *list, const char *list_name, char **line, size_t *room,
                              const char **name, struct hf_error *error) HF_MUST_CHECK;

/** Accepts a pointer to NULL; leaves NULL. Local. */
void hf_record_reader_destroy(struct hf_record_reader **reader);

#endif
