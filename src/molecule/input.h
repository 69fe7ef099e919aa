/* Input files: native, MDL molfile (V2000, V3000), XYZ and QCSchema, recognised by content, read and checked.
 */
#ifndef HF_INPUT_H
#define HF_INPUT_H

#include "base/arena.h"
#include "hf/context.h"
#include "hf/molecule.h"
#include "hf/status.h"
#include "text/option.h"

/** Values of the option "units". */
enum hf_length_unit { HF_LENGTH_ANGSTROM, HF_LENGTH_BOHR };

/** What an input file describes. Free with hf_input_done. */
struct hf_input {
    struct hf_molecule molecule; /**< in bohr, checked */
    char *path;
    const char *format; /**< "native", "MDL V2000", "MDL V3000", "XYZ", "QCSchema" or "hf_run" */
    int n_warning;
    char **warning; /**< [n_warning], one line each */
    int n_note;
    char **note;           /**< [n_note] of usual assumptions, one line each */
    struct hf_arena arena; /**< has path and lines; the lists grow, each by itself */
};

/** Reads the file, or standard input for the path "-", and checks that it describes a molecule. The
 *  option "record", if the table has it, chooses a molecule of an SD file or a geometry of an XYZ file;
 *  without it the first is read, with a warning.
 *
 *  `options` holds what the command line gave; the file's keys are added one level below it, and
 *  then "title", "charge", "multiplicity", "units" (angstrom or bohr), "force", "field" and
 *  "point_charges_file" decide: the table behind `options` must have these keys.
 *
 *  Formats  native: keys and a geometry block. MDL: fixed columns; M  CHG and M  RAD make charge
 *           and multiplicity; a file without radicals has multiplicity 1 or 2 by parity. XYZ: charge,
 *           multiplicity, units and Properties in the comment are understood, files .CHRG and .UHF
 *           beside it are read; missing values are assumed, with a note for closed shells, else with a warning.
 *           QCSchema: an AtomicInput of version 1, whose keywords are keys; lengths in bohr; what it
 *           has of other keys is refused. Of a result the molecule alone is read.
 *           Others are recognised by sight, named and refused.
 *  Call     collective over context->comm; same path, options and outcome on every rank.
 *  Memory   *input is filled and owned by the caller; on failure it has no molecule, but the warnings
 *           that were given before. In both cases hf_input_done frees it.
 *  Errors   HF_BAD_INPUT with file and line; HF_NO_RESOURCE: memory. */
hf_status hf_input_read(struct hf_context *context, const char *path, struct hf_options *options,
                        struct hf_input *input, struct hf_error *error) HF_MUST_CHECK;

/** The same from a string, for tests and for callers that have the file already. point_charges_file
 *  is left to hf_input_read_point_charges. Not collective. */
hf_status hf_input_from_string(const char *path, const char *string, struct hf_options *options,
                               struct hf_input *input, struct hf_error *error) HF_MUST_CHECK;

/** The same of atoms that the caller has: `atomic_number` [n_atom] 1 to 118, `position_bohr`
 *  [n_atom][3]. Messages call the atoms lines of the "list of atoms". point_charges_file is left
 *  to hf_input_read_point_charges. Not collective. */
hf_status hf_input_from_atoms(int n_atom, const int atomic_number[],
                              const double position_bohr[][3], struct hf_options *options,
                              struct hf_input *input, struct hf_error *error) HF_MUST_CHECK;

/** Adds the charges of the file that the option point_charges_file names, if any, to an input that was
 *  not read by hf_input_read. Collective over context->comm; errors as there. */
hf_status hf_input_read_point_charges(struct hf_context *context, const struct hf_options *options,
                                      struct hf_input *input, struct hf_error *error) HF_MUST_CHECK;

/** Advice for a number of electrons that cannot be computed: "; no charge was given, ...", or "" if a charge
 *  was given or comes from a checkpoint. One line without a full stop, cut at `size`. */
void hf_input_advise_charge(const struct hf_options *options, const struct hf_molecule *molecule,
                            char *advice, size_t size);

/** Adds a warning. Not collective. HF_NO_RESOURCE: memory. */
hf_status hf_input_warn(struct hf_input *input, struct hf_error *error, const char *format, ...)
    HF_PRINTF(3, 4) HF_MUST_CHECK;

/** Adds a note: what was assumed is usual, and right in most cases. Otherwise as hf_input_warn. */
hf_status hf_input_note(struct hf_input *input, struct hf_error *error, const char *format, ...)
    HF_PRINTF(3, 4) HF_MUST_CHECK;

/** Frees and clears. Accepts a half-made input. */
void hf_input_done(struct hf_input *input);

#endif
