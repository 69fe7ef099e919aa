/* The draft of a molecule. Every reader fills it; then it is converted to the molecule of an input. */
#ifndef HF_DRAFT_H
#define HF_DRAFT_H

#include "molecule/input.h"
#include "text/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Limits far above the numbers of atoms and point charges of any Hartree-Fock calculation. */
enum { HF_MAX_ATOM = 50000, HF_MAX_POINT_CHARGE = 10000000 };

/** A file beside the input. A plain struct, to be sent as bytes. */
struct hf_companion {
    bool there;
    bool understood; /**< it contains one whole number */
    int value;
    char path[512];
};

struct hf_companions {
    struct hf_companion charge;   /**< .CHRG */
    struct hf_companion unpaired; /**< .UHF: number of unpaired electrons */
};

/** Looks for these files beside the input `path`: STEM.CHRG before .CHRG. Local. */
void hf_companions_find(const char *path, struct hf_companions *companions);

/** An atom as written in the file. */
struct draft_atom {
    int atomic_number;
    bool ghost;
    double position[3]; /**< in the file's unit */
    int line;           /**< for messages */
    int label;          /**< number of the atom in the file; MDL only */
    int charge;         /**< MDL only */
    int unpaired;       /**< number of unpaired electrons; MDL only */
    int unbonded; /**< electrons that make no bonds: unpaired ones, and 2 in a singlet; MDL only */
    int valence;  /**< number of bonds, if the file gives it; MDL only */
    int mass_number;     /**< mass number of its isotope; 0: the commonest */
    int mass_difference; /**< mass number minus hf_weight_number; MDL only */
    double mass;         /**< unified atomic mass units; 0: not in the file */
    /** given on the atom's own lines; MDL only */
    bool valence_said, charge_said, radical_said, isotope_said;
};

/** A bond of an MDL file between atoms a and b (from 0). */
struct draft_bond {
    int a, b, type;
};

/** A point charge as written in a file. */
struct draft_charge {
    double charge;
    double position[3]; /**< in the unit of the list */
    int line;           /**< for messages */
};

/** Point charges of one text. */
struct draft_charges {
    bool bohr;      /**< the unit is bohr, not angstrom */
    bool unit_said; /**< the file gives its unit */
    int n;
    int64_t n_room;
    struct draft_charge *charge; /**< [n] */
};

/** Results of a reader so far. Initialise with error, arena, text, options and input; end with hf_arena_done. */
struct draft {
    struct hf_error *error;     /**< borrowed; gets the message of a failure */
    struct hf_arena arena;      /**< owns the lists */
    struct hf_text *text;       /**< borrowed; readers may shorten its lines */
    struct hf_options *options; /**< borrowed */
    struct hf_input *input;     /**< borrowed */
    int n_atom;
    int64_t n_atom_room, n_bond_room;
    struct draft_atom *atom;
    int n_bond;
    struct draft_bond *bond;
    bool always_angstrom; /**< the format allows no other unit */
    bool has_radical;     /**< the file gives unpaired electrons */
    bool own_format;      /**< native format: the command line overrides keys without a warning */
    bool state_is_beside; /**< the format has no place for charge and multiplicity */
    const struct hf_companions *companions; /**< files beside the input, borrowed; may be NULL */
    int charges_line;             /**< first line of a block of point charges; 0: there is none */
    struct draft_charges charges; /**< charges of this block */
};

/** Readers. `first_line` is the line (from 0) where the format begins. */
hf_status hf_read_native(struct draft *draft);
hf_status hf_read_xyz(struct draft *draft, int first_line);
hf_status hf_read_mdl(struct draft *draft);
hf_status hf_read_mdl_v2000(struct draft *draft);
hf_status hf_read_mdl_v3000(struct draft *draft);
/** Whether a molfile ends before this line although 'M  END' is missing: data or the end of an SD record. */
bool hf_mdl_ends(const char *line);
hf_status hf_mdl_warn_of_end(struct draft *draft);

enum { HF_MAX_XYZ_COLUMN = 200 };

/** Position of the element and the coordinates in a line, counted in words from 0. */
struct xyz_columns {
    int element, position;
    bool given; /**< the comment gives them (Properties) */
};

/** Reads the comment line: charge, multiplicity, units, columns, title. `unit` is the unit after the count: 1: bohr,
 *  0: angstrom, -1: none. */
hf_status hf_xyz_read_comment(struct draft *draft, int line, int unit, struct xyz_columns *columns);

/** A format that hf recognises but does not read. */
struct foreign;

/** The probable format of a text, or NULL. Call before reading native input, which removes comments. */
const struct foreign *hf_recognise_foreign(const struct hf_text *text);

/** HF_BAD_INPUT: the message has the format, and how to convert the file. */
hf_status hf_refuse_foreign(const struct draft *draft, const struct foreign *foreign);

/** Chooses the molecule of the option "record". Without the option the first one is chosen, with a warning if there
 *  are several. A file of another format is one record. `chosen` borrows the lines of `text`. The first record has the
 *  path and the line numbers of the file; others are named "path, record N" and counted from their beginning. Not
 *  collective. HF_BAD_INPUT: there are fewer records; HF_NO_RESOURCE: memory. */
hf_status hf_choose_record(struct draft *draft, const struct hf_text *text,
                           struct hf_text *chosen) HF_MUST_CHECK;

/** Whether a text may be a JSON object. */
bool hf_looks_like_json(const struct hf_text *text);

/** Reads a QCSchema input, or the molecule of a result. *is_one false: the text is JSON but neither; nothing was read. */
hf_status hf_read_qcschema(struct draft *draft, bool *is_one);

/** Adds a point charge to the draft. */
hf_status hf_draft_add_charge(struct draft *draft, const struct draft_charge *charge);

/** Adds a line "charge x y z" to the point charges of the draft. */
hf_status hf_read_point_charge(struct draft *draft, int line);

/** Reads a file of point charges: count, comment, lines "charge x y z" in angstrom or in the unit that the comment
 *  gives. */
hf_status hf_read_point_charge_file(struct draft *draft);

/** Copies the point charges to the molecule, in bohr. No charge may coincide with a nucleus. */
hf_status hf_point_charges_finish(const struct draft *draft);

/** Stores the field and the point charges of the input itself. */
hf_status hf_environment_finish(struct draft *draft);

/** Finds charge and multiplicity and checks them against the electrons. */
hf_status hf_draft_finish_state(struct draft *draft);

/** Whether a line is the count of an XYZ file, alone or with a unit. */
bool hf_looks_like_xyz(const char *line);

/** Sets the electrons of an atom from a radical code of MDL files, 0 to 3. */
void hf_set_radical(struct draft_atom *atom, int code);

/** Checks a complete draft and converts it to the molecule of its input. */
hf_status hf_draft_finish(struct draft *draft);

/** HF_BAD_INPUT with the message "path, line 4: ..."; line 0 leaves the line out. */
hf_status hf_draft_fail(const struct draft *draft, int line, const char *format, ...)
    HF_PRINTF(3, 4);

/** Adds a warning that begins in the same way. HF_NO_RESOURCE: memory. */
hf_status hf_draft_warn(const struct draft *draft, int line, const char *format, ...)
    HF_PRINTF(3, 4) HF_MUST_CHECK;

/** Add an atom, or a bond. */
hf_status hf_draft_add_atom(struct draft *draft, const struct draft_atom *atom);
hf_status hf_draft_add_bond(struct draft *draft, const struct draft_bond *bond);

/** Stores the value of a key given in the file; line 0: given by several lines together. */
hf_status hf_draft_option(struct draft *draft, const char *key, struct hf_word value, int line);
hf_status hf_draft_option_integer(struct draft *draft, const char *key, int value, int line);

/** Reads element and ghost mark of an atom's name: a symbol or an atomic number. Digits or an underscore after the
 *  symbol, and everything after them, are ignored (H1, O_w). Ghosts are written as @H, Gh(H), BqH, H-Bq. */
hf_status hf_read_atom_name(const struct draft *draft, int line, struct hf_word name,
                            struct draft_atom *atom);

/** Whether a word is the name of an atom. */
bool hf_is_atom_name(struct hf_word name);

/** Read a number of the file; `what` ("x", "charge") is for the message. */
hf_status hf_read_real(const struct draft *draft, int line, struct hf_word word, const char *what,
                       double *value);
/** Reads the next n numbers of a line from *position on. */
hf_status hf_read_reals(const struct draft *draft, int line, const char **position, int n,
                        const char *const what[], double value[]);
hf_status hf_read_integer(const struct draft *draft, int line, struct hf_word word,
                          const char *what, int *value);

#endif
