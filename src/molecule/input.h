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

struct cJSON;

/** The QCSchema input that was read. Its answer has the same version and follows its protocols. */
struct hf_request {
    struct cJSON *
        all; /**< the whole object, whose numbers are text; owned; NULL: the input has another format */
    int version;       /**< of the schema, 1 or 2 */
    bool optimisation; /**< an OptimizationInput, not an AtomicInput */
};

/** A basis set that stands in the input. */
struct hf_basis_text {
    char *name; /**< what the option "basis" calls it */
    char *text; /**< as a file in the format of Gaussian-94 */
};

/** The contents of an input file. Free with hf_input_done. */
struct hf_input {
    struct hf_molecule molecule; /**< in bohr, checked */
    char *path;
    const char *format; /**< "native", "MDL V2000", "MDL V3000", "XYZ", "QCSchema" or "hf_run" */
    struct hf_request request;
    int n_basis_text;
    struct hf_basis_text *basis_text; /**< [n_basis_text] */
    int n_warning;
    int64_t warning_room, note_room;
    char **warning; /**< [n_warning], one line each */
    int n_note;
    char **note;           /**< [n_note] usual assumptions, one line each */
    struct hf_arena arena; /**< owns path, lines and texts */
};

/** Reads the file, or standard input for the path "-", and checks that it describes a molecule. The option "record",
 *  if the table has it, chooses a molecule of an SD file or a geometry of an XYZ file. Without it the first one is
 *  read, with a warning if there are several.
 *
 *  `options` contains the options of the command line; the file's keys are added one level below. Then the values of
 *  "title", "charge", "multiplicity", "units" (angstrom or bohr), "force", "field" and "point_charges_file" are used,
 *  so the table of `options` must have these keys.
 *
 *  Formats  native: keys and a geometry block. MDL: fixed columns; M  CHG and M  RAD give charge and multiplicity;
 *           without radicals the multiplicity is 1 or 2 by parity. XYZ: reads charge, multiplicity, units and
 *           Properties in the comment, and files .CHRG and .UHF beside it; missing values are assumed, with a note
 *           for closed shells, otherwise with a warning. QCSchema: an AtomicInput or OptimizationInput, version 1 or
 *           2, with keywords that are keys; lengths in bohr; unknown keys are refused. Of a result, only the molecule
 *           is read. Other formats
 *           are recognised and refused by name.
 *  Call     collective over context->comm; same path, options and outcome on every rank.
 *  Memory   *input is filled and owned by the caller. After a failure it contains no molecule, but the warnings given
 *           so far. In both cases hf_input_done frees it.
 *  Errors   HF_BAD_INPUT with file and line; HF_NO_RESOURCE: memory. */
hf_status hf_input_read(struct hf_context *context, const char *path, struct hf_options *options,
                        struct hf_input *input, struct hf_error *error) HF_MUST_CHECK;

/** The same from a string, for tests and for callers that have already read the file. Does not read
 *  point_charges_file: call hf_input_read_point_charges. Not collective. */
hf_status hf_input_from_string(const char *path, const char *string, struct hf_options *options,
                               struct hf_input *input, struct hf_error *error) HF_MUST_CHECK;

/** The same from atoms given by the caller: `atomic_number` [n_atom] 1 to 118, `position_bohr` [n_atom][3]. Messages
 *  call the atoms lines of the "list of atoms". Does not read point_charges_file: call hf_input_read_point_charges.
 *  Not collective. */
hf_status hf_input_from_atoms(int n_atom, const int atomic_number[],
                              const double position_bohr[][3], struct hf_options *options,
                              struct hf_input *input, struct hf_error *error) HF_MUST_CHECK;

/** Adds the charges of the file given by the option point_charges_file, if there is one. Only for inputs that were
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

/** Adds a note on an assumption that is usual and right in most cases. Otherwise like hf_input_warn. */
hf_status hf_input_note(struct hf_input *input, struct hf_error *error, const char *format, ...)
    HF_PRINTF(3, 4) HF_MUST_CHECK;

/** Frees and clears. Accepts a half-made input. */
void hf_input_done(struct hf_input *input);

#endif
