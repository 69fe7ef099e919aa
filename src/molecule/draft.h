/* The draft of a molecule: every reader fills it, and it becomes the molecule of an input. */
#ifndef HF_DRAFT_H
#define HF_DRAFT_H

#include "molecule/input.h"
#include "text/text.h"

#include <stdbool.h>
#include <stdint.h>

/** More atoms, and more point charges, than any Hartree-Fock calculation has. */
enum { HF_MAX_ATOM = 50000, HF_MAX_POINT_CHARGE = 10000000 };

/** One of the files. A plain struct, to be sent as bytes. */
struct hf_companion {
    bool there;
    bool understood; /**< it holds one whole number */
    int value;
    char path[512];
};

struct hf_companions {
    struct hf_companion charge;   /**< .CHRG */
    struct hf_companion unpaired; /**< .UHF: unpaired electrons */
};

/** Looks for them beside the input `path`: STEM.CHRG before .CHRG. Local. */
void hf_companions_find(const char *path, struct hf_companions *companions);

/** An atom as it stands in the file. */
struct draft_atom {
    int atomic_number;
    bool ghost;
    double position[3];  /**< in the file's unit */
    int line;            /**< for messages */
    int label;           /**< number the file gives it; MDL only */
    int charge;          /**< MDL only */
    int unpaired;        /**< unpaired electrons; MDL only */
    int unbonded;        /**< electrons that make no bonds: those, and 2 of a singlet; MDL only */
    int valence;         /**< bonds that the atom makes, if the file says so; MDL only */
    int mass_number;     /**< of its isotope; 0: the commonest */
    int mass_difference; /**< nucleons more than hf_weight_number; MDL only */
    double mass;         /**< unified atomic mass units, where a file has masses; 0: it has not */
    bool valence_said, charge_said, radical_said,
        isotope_said; /**< on the atom's own lines; MDL only */
};

/** A bond of an MDL file between atoms a and b (from 0). */
struct draft_bond {
    int a, b, type;
};

/** A point charge as it stands in a file. */
struct draft_charge {
    double charge;
    double position[3]; /**< in the unit of the list */
    int line;           /**< for messages */
};

/** Point charges of one text. Initialise with = {.text = ...}, free `charge`. */
struct draft_charges {
    const struct hf_text *text; /**< borrowed */
    bool bohr;                  /**< the unit is bohr, not angstrom */
    bool unit_said;             /**< the file names its unit */
    int n;
    int64_t n_room;
    struct draft_charge *charge; /**< [n] */
};

/** What a reader has found so far. */
struct draft {
    struct hf_text *text;       /**< borrowed; readers may cut its lines */
    struct hf_options *options; /**< borrowed */
    struct hf_input *input;     /**< borrowed */
    int n_atom;
    int64_t n_atom_room, n_bond_room;
    struct draft_atom *atom;
    int n_bond;
    struct draft_bond *bond;
    bool always_angstrom; /**< the format has no other unit */
    bool has_radical;     /**< the file speaks of unpaired electrons */
    bool own_format;      /**< native, where the command line is meant to override keys */
    bool state_is_beside; /**< the format has no place for charge and multiplicity */
    const struct hf_companions *companions; /**< files beside the input, borrowed; may be NULL */
    int charges_line;             /**< where a block of point charges begins; 0: there is none */
    struct draft_charges charges; /**< of that block */
};

/** Readers: line i of the text is where the format starts (from 0). */
hf_status hf_read_native(struct draft *draft, struct hf_error *error);
hf_status hf_read_xyz(struct draft *draft, int first_line, struct hf_error *error);
hf_status hf_read_mdl(struct draft *draft, struct hf_error *error);
hf_status hf_read_mdl_v2000(struct draft *draft, struct hf_error *error);
hf_status hf_read_mdl_v3000(struct draft *draft, struct hf_error *error);
/** Whether a molfile ends before this line although 'M  END' is missing: data or the end of an SD record. */
bool hf_mdl_ends(const char *line);
hf_status hf_mdl_warn_of_end(struct draft *draft, struct hf_error *error);

enum { HF_MAX_XYZ_COLUMN = 200 };

/** Where in a line the element and the coordinates stand, counted in words from 0. */
struct xyz_columns {
    int element, position;
    bool given; /**< the comment says so (Properties) */
};

/** The comment line: charge, multiplicity, units, columns, title. `unit` is what stood behind the
 *  count: 1 for bohr, 0 for angstrom, -1 for nothing. */
hf_status hf_xyz_read_comment(struct draft *draft, int line, int unit, struct xyz_columns *columns,
                              struct hf_error *error);

/** A format that is known by sight but not read. */
struct foreign;

/** The format that a text is probably in, or NULL. Look before native reading, which cuts comments. */
const struct foreign *hf_recognise_foreign(const struct hf_text *text);

/** HF_BAD_INPUT: what the format is, and what makes a file that is read. */
hf_status hf_refuse_foreign(const struct hf_text *text, const struct foreign *foreign,
                            struct hf_error *error);

/** The lines of one molecule, borrowed from those of the file. */
struct hf_chosen_record {
    struct hf_text
        text;   /**< of the first record: lines are numbered as in the file; of a later one,
                              which its path names, from its beginning */
    char *path; /**< owned; NULL when text.path is that of the file */
};

/** Chooses the molecule of the option "record". Without the option it is the first, with a warning if there
 *  are several. A file of another format is one record as a whole. Not collective.
 *  HF_BAD_INPUT: there are fewer; HF_NO_RESOURCE: memory. free(chosen->path) in any case. */
hf_status hf_choose_record(const struct hf_text *text, const struct hf_options *options,
                           struct hf_input *input, struct hf_chosen_record *chosen,
                           struct hf_error *error) HF_MUST_CHECK;

/** Whether a text may be a JSON object. */
bool hf_looks_like_json(const struct hf_text *text);

/** QCSchema AtomicInput. *is_one false, and nothing read: it is JSON, but none. */
hf_status hf_read_qcschema(struct draft *draft, bool *is_one, struct hf_error *error);

/** Adds the line "charge x y z" to the list. */
hf_status hf_read_point_charge(struct draft_charges *charges, int line, struct hf_error *error);

/** A file of point charges: count, comment, lines "charge x y z" in angstrom or in the unit that the
 *  comment names. `input` gets the warnings. */
hf_status hf_read_point_charge_file(struct draft_charges *charges, struct hf_input *input,
                                    struct hf_error *error);

/** The list becomes that of the molecule, in bohr; no charge may sit on a nucleus. */
hf_status hf_point_charges_finish(const struct draft_charges *charges, struct hf_molecule *molecule,
                                  struct hf_error *error);

/** Field and point charges of the input itself. */
hf_status hf_environment_finish(struct draft *draft, struct hf_error *error);

/** Finds charge and multiplicity and checks them against the electrons. */
hf_status hf_draft_finish_state(struct draft *draft, struct hf_error *error);

/** Whether a line is the count of an XYZ file, alone or with a unit behind it. */
bool hf_looks_like_xyz(const char *line);

/** What a radical code of MDL files, 0 to 3, says of an atom. */
void hf_set_radical(struct draft_atom *atom, int code);

/** Turns a complete draft into the molecule of its input, checking everything. */
hf_status hf_draft_finish(struct draft *draft, struct hf_error *error);

/** Adds an atom, a bond. */
hf_status hf_draft_add_atom(struct draft *draft, const struct draft_atom *atom,
                            struct hf_error *error);
hf_status hf_draft_add_bond(struct draft *draft, const struct draft_bond *bond,
                            struct hf_error *error);

/** Stores what the file says about a key; line 0 when several lines say it together. */
hf_status hf_draft_option(struct draft *draft, const char *key, struct hf_word value, int line,
                          struct hf_error *error);
hf_status hf_draft_option_integer(struct draft *draft, const char *key, int value, int line,
                                  struct hf_error *error);

/** Element and ghost mark of an atom's name: a symbol or an atomic number, digits or an underscore
 *  and what follows it behind the symbol ignored (H1, O_w); ghosts as @H, Gh(H), BqH, H-Bq. */
hf_status hf_read_atom_name(const struct hf_text *text, int line, struct hf_word name,
                            struct draft_atom *atom, struct hf_error *error);

/** A number of the file; what it is ("x", "charge") is for the message. */
hf_status hf_read_real(const struct hf_text *text, int line, struct hf_word word, const char *what,
                       double *value, struct hf_error *error);
hf_status hf_read_integer(const struct hf_text *text, int line, struct hf_word word,
                          const char *what, int *value, struct hf_error *error);

#endif
