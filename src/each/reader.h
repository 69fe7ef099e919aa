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
#include "hf/run_json.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct hf_record_reader;

/** A record; valid until the next one is read. */
struct hf_molecule_record {
    const char *name; /**< "set.xyz, record 5" */
    const char *text; /**< ended by a NUL */
    size_t n_byte;
    const char *problem; /**< why it cannot be read; NULL: it may be good */
};

/** Paths as of struct hf_each_settings, borrowed. Checks that files that are named can be read. Local, for one rank.
 *  HF_BAD_INPUT: one cannot; HF_NO_RESOURCE. */
hf_status hf_record_reader_create(struct hf_interruption *interruption, int n_path,
                                  const char *const path[], struct hf_record_reader **reader,
                                  struct hf_error *error) HF_MUST_CHECK;

/** Takes records from the memory of a caller (borrowed) instead of files. Local. */
void hf_record_reader_set_source(struct hf_record_reader *reader,
                                 const struct hf_run_each_settings *source);

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
