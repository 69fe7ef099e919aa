/* Options: one table says what there is, one store says what was given, by whom, and where.
 *
 * The table feeds the command line, the reader of the native input, the help text, the man page and
 * the "did you mean" of messages. Values come from four levels; the higher one wins:
 *
 *     command line   >   input file   >   checkpoint of a restart   >   default of the table
 */
#ifndef HF_OPTION_H
#define HF_OPTION_H

#include "hf/status.h"
#include "hf/text.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hf_option_type {
    HF_OPTION_TEXT,
    HF_OPTION_INTEGER,
    HF_OPTION_REAL,
    HF_OPTION_VECTOR, /**< three numbers, blanks or commas between them */
    HF_OPTION_CHOICE,
    HF_OPTION_FLAG,  /**< stands alone, or with yes/no */
    HF_OPTION_ALIAS, /**< a flag that gives another key a value */
};

/** One word that a choice may be. */
struct hf_option_choice {
    const char *name, *about;
    const char *refused; /**< why a word that people expect is refused; NULL when it is not */
};

/** Another word for a choice. */
struct hf_option_synonym {
    const char *word, *choice;
};

/** One line of the table. */
struct hf_option {
    const char *key;
    enum hf_option_type type;
    bool repeatable; /**< several values stand beside each other */
    bool not_kept;   /**< by checkpoints: it is of the molecule, or of a single run and its files */
    const char *argument;      /**< what help calls the value, e.g. "NAME" */
    const char *default_value; /**< NULL when there is none */
    const char *unit;          /**< NULL when there is none */
    const char *help;
    double least, most; /**< range of numbers, ends included; not looked at when both are 0 */
    const struct hf_option_choice *choice; /**< ended by a NULL name */
    /** The same from a list of the library: fills *choice with entry i; false behind the last. */
    bool (*list)(int i, struct hf_option_choice *choice);
    const struct hf_option_synonym *synonym; /**< ended by a NULL word; NULL: none */
    const char *alias_key, *alias_value;
    bool or_path; /**< of a choice: also a path, which has a dot or a slash in it */
};

enum hf_option_level {
    HF_OPTION_DEFAULT,
    HF_OPTION_RESTART,
    HF_OPTION_FILE,
    HF_OPTION_COMMAND_LINE
};

/** A value as it was written; already known to fit its option. */
struct hf_option_value {
    const struct hf_option *option;
    enum hf_option_level level;
    char *text;  /**< owned */
    char *where; /**< "water.mol, line 4" or "--basis"; owned */
};

/** What was given, in the order it was given. */
struct hf_options {
    int n_option;
    const struct hf_option *table; /**< [n_option], borrowed */
    int n_value, n_room;
    struct hf_option_value *value; /**< [n_value], owned; room for n_room */
};

/** Empty store over a table, which must outlive it. */
void hf_options_init(struct hf_options *options, int n_option, const struct hf_option table[]);
void hf_options_done(struct hf_options *options);

/** Line of the table for `key`, in any case and with - for _; NULL when there is none. */
const struct hf_option *hf_option_find(int n_option, const struct hf_option table[],
                                       struct hf_word key);

/** The key that an unknown one was probably meant to be, or NULL. */
const char *hf_option_nearest(int n_option, const struct hf_option table[], struct hf_word key);

/** Entry i of the words a choice may be; false behind the last. */
bool hf_option_choice_get(const struct hf_option *option, int i, struct hf_option_choice *choice);

/** Stores a value after checking it against its option: type, range, choices. `text` is empty for a
 *  flag that stands alone. A key that is not repeatable may be given once in a file; on the command
 *  line the last one counts. Not collective.
 *  Errors   HF_BAD_INPUT, the message beginning with `where`; HF_NO_RESOURCE: memory. */
hf_status hf_options_add(struct hf_options *options, const struct hf_option *option,
                         struct hf_word text, enum hf_option_level level, const char *where,
                         struct hf_error *error) HF_MUST_CHECK;

/** The value that counts, or NULL when only the default does. `key` must be in the table. */
const struct hf_option_value *hf_options_given(const struct hf_options *options, const char *key);

/** What counts, default included. Text is NULL when there is neither value nor default; a choice is
 *  spelt as in the table. Keys must be in the table and of the type asked for. */
const char *hf_options_text(const struct hf_options *options, const char *key);
const char *hf_options_choice(const struct hf_options *options, const char *key);
int hf_options_integer(const struct hf_options *options, const char *key);
double hf_options_real(const struct hf_options *options, const char *key);
bool hf_options_flag(const struct hf_options *options, const char *key);
/** Leaves `vector` as it is when there is neither value nor default. */
void hf_options_vector(const struct hf_options *options, const char *key, double vector[3]);

#ifdef __cplusplus
}
#endif
#endif
