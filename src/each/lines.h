/* The result of a molecule as lines of three files. All are written from the JSON document, so that a restart writes the
 * same lines from the JSON file. */
#ifndef HF_EACH_LINES_H
#define HF_EACH_LINES_H

#include "text/json.h"

#include <stdbool.h>
#include <stdio.h>

/** Columns of the table, a line. */
extern const char hf_csv_head[];

/** Adds name and hash of a record, and the ranks and seconds that it took, to its document. Local. */
void hf_lines_identify(struct hf_json root, const char *name, uint64_t hash, int n_rank,
                       double seconds);

/** The row of the table. Local. */
void hf_csv_print(FILE *csv, const cJSON *root);

/** A frame of extended XYZ with energy and, if they are the result, forces; in eV and angstrom, or in hartree and
 *  hartree/bohr. Positions are in angstrom. Nothing for a failure. Local. */
void hf_xyz_print(FILE *xyz, const cJSON *root, bool hartree);

#endif
