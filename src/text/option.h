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
#include "text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hf_option_type {
    HF_OPTION_TEXT, /**< where no type is given */
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
    int value; /**< of the enumeration of the program; 0 where the program uses the name */
};

/** Another word for a choice. */
struct hf_option_synonym {
    const char *word, *choice;
};

/** A value of another option, as a condition. */
struct hf_option_setting {
    const char *key;
    const char *value; /**< of a choice; "FILE": any path; NULL: any was given (a flag: yes) */
};

enum { HF_OPTION_MOST_SETTINGS = 5 };

/** Where the value goes: a member of the struct that hf_options_fill gets. */
struct hf_option_member {
    enum { HF_NO_MEMBER, HF_MEMBER_INTEGER, HF_MEMBER_REAL, HF_MEMBER_FLAG, HF_MEMBER_TEXT } type;
    size_t offset;
};
/** HF_MEMBER(struct hf_gas, kelvin); enumerations count as integers. */
#define HF_MEMBER(STRUCT, NAME)                                                                      \
    {                                                                                                \
        _Generic(((STRUCT *)0)->NAME,                                                              \
            double: HF_MEMBER_REAL,                                                                \
            bool: HF_MEMBER_FLAG,                                                                  \
            char *: HF_MEMBER_TEXT,                                                                \
            const char *: HF_MEMBER_TEXT,                                                          \
            default: HF_MEMBER_INTEGER),                                                           \
            offsetof(STRUCT, NAME) \
    }

/** One line of the table. A row without a key ends an array of rows. */
struct hf_option {
    const char *key;
    enum hf_option_type type;
    bool repeatable; /**< several values stand beside each other */
    bool
        several; /**< of a choice: a list, commas or blanks between its words; stored as the table has them, with commas */
    bool not_kept; /**< by checkpoints: it is of the molecule, or of a single run and its files */
    bool everyday; /**< on the first page of help */
    const char
        *group; /**< heading of the group that begins here; NULL: it is in the group before */
    const char *argument;      /**< what help calls the value, e.g. "NAME" */
    const char *default_value; /**< NULL when there is none */
    const char *unit;          /**< NULL when there is none */
    const char *help;          /**< what it is, in a few words */
    const char *more;          /**< all else there is to say, in sentences; NULL: nothing */
    double range[2];           /**< of numbers, ends included; not looked at when both are 0 */
    const struct hf_option_choice *choice; /**< ended by a NULL name */
    /** The same from a list of the library: fills *choice with entry i; false behind the last. */
    bool (*list)(int i, struct hf_option_choice *choice);
    const struct hf_option_synonym *synonym; /**< ended by a NULL word; NULL: none */
    /** Why a choice that people expect is not there, for messages; NULL: nothing is known of the word. */
    const char *(*missing)(struct hf_word word);
    const char *alias[2]; /**< key and value that an alias stands for */
    bool or_path;         /**< of a choice: also a path, which has a dot or a slash in it */
    struct hf_option_member member; /**< that hf_options_fill sets */
    /** Tasks, methods and other options that it belongs to: without all of them it has no effect. Ended by a NULL
     *  key, unless there are so many; none: it always has. */
    struct hf_option_setting only_with[HF_OPTION_MOST_SETTINGS];
    struct hf_option_setting
        not_with[HF_OPTION_MOST_SETTINGS]; /**< with one of these it has none */
};

/** A function LIST_choice for hf_option.list, with the entries of a list of the library, which ends with NULL. */
#define HF_OPTION_CHOICES(LIST, NAME, ABOUT)                                                       \
    static bool LIST##_choice(int i, struct hf_option_choice *choice)                              \
    {                                                                                              \
        if (LIST[i] != NULL)                                                                       \
            *choice = (struct hf_option_choice){NAME(LIST[i]), ABOUT(LIST[i]), 0};                 \
        return LIST[i] != NULL;                                                                    \
    }

/** Of an option that has no effect while a driver is served. */
#define HF_NOT_SERVED .not_with = {{"serve", NULL}}
/** Of an option for a single molecule: also not if many are computed. */
#define HF_ALONE .not_with = {{"serve", NULL}, {"each", NULL}}

/* Rows: key, argument, default, unit, least and most value, help; then other members, .more = "..." */
#define HF_ROW_TEXT(KEY, ARGUMENT, HELP, ...)                                                      \
    {                                                                                              \
        .key = KEY, .argument = ARGUMENT, .help = HELP, __VA_ARGS__                                \
    }
#define HF_ROW_FLAG(KEY, HELP, ...)                                                                \
    {                                                                                              \
        .key = KEY, .type = HF_OPTION_FLAG, .help = HELP, __VA_ARGS__                              \
    }
#define HF_ROW_CHOICE(KEY, ARGUMENT, DEFAULT, HELP, ...)                                           \
    {                                                                                              \
        .key = KEY, .type = HF_OPTION_CHOICE, .argument = ARGUMENT, .default_value = DEFAULT,      \
        .help = HELP, __VA_ARGS__                                                                  \
    }
#define HF_ROW_INTEGER(KEY, DEFAULT, LEAST, MOST, HELP, ...)                                       \
    {                                                                                              \
        .key = KEY, .type = HF_OPTION_INTEGER, .argument = "N", .default_value = DEFAULT,          \
        .range = {LEAST, MOST}, .help = HELP, __VA_ARGS__                                          \
    }
#define HF_ROW_REAL(KEY, DEFAULT, UNIT, LEAST, MOST, HELP, ...)                                    \
    {                                                                                              \
        .key = KEY, .type = HF_OPTION_REAL, .argument = "X", .default_value = DEFAULT,             \
        .unit = UNIT, .range = {LEAST, MOST}, .help = HELP, __VA_ARGS__                            \
    }

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
    char *text;
    char *where; /**< "water.mol, line 4" or "--basis" */
};

/** What was given, in the order it was given. */
struct hf_options {
    const struct hf_option *const *table; /**< borrowed */
    int n_value;
    int64_t n_room;
    struct hf_option_value *value; /**< [n_value], owned; room for n_room */
    struct hf_arena arena;         /**< has their strings */
};

/** Empty store over a table, which must outlive it. A table is a list of arrays of rows, ended by NULL. */
void hf_options_init(struct hf_options *options, const struct hf_option *const table[]);
void hf_options_done(struct hf_options *options);

/** Row i of a table; NULL behind the last. */
const struct hf_option *hf_option_row(const struct hf_option *const table[], int i);

/** Row of the table for `key`, in any case and with - for _; NULL when there is none. */
const struct hf_option *hf_option_find(const struct hf_option *const table[], struct hf_word key);

/** The key that an unknown one was probably meant to be, or NULL. */
const char *hf_option_nearest(const struct hf_option *const table[], struct hf_word key);

/** Entry i of the words a choice may be; false behind the last, and of other options. */
bool hf_option_choice_get(const struct hf_option *option, int i, struct hf_option_choice *choice);

/** Their names, "cat, dog", cut to `size` bytes; returns how many there are. */
int hf_option_choice_names(const struct hf_option *option, size_t size, char text[]);

/** Whether a value that may be a path is one: it has a dot or a slash in it. */
bool hf_option_is_path(struct hf_word text);

/** Whether checkpoints keep the value of an option, and JSON files show it: it says how something is
 *  computed. The molecule and the basis set are stored as such, files belong to one run. */
bool hf_option_is_kept(const struct hf_option *option);

/** Stores a value after checking it against its option: type, range, choices. `text` is empty for a
 *  flag that stands alone. A key that is not repeatable may be given once in a file; on the command
 *  line the last one counts. Not collective.
 *  Errors   HF_BAD_INPUT, the message beginning with `where`; HF_NO_RESOURCE: memory. */
hf_status hf_options_add(struct hf_options *options, const struct hf_option *option,
                         struct hf_word text, enum hf_option_level level, const char *where,
                         struct hf_error *error) HF_MUST_CHECK;

/** What an option has an effect with, in sentences, "Only with task vibrations or saddle.", cut to `size` bytes; "" if it
 *  always has. */
void hf_option_effect_text(const struct hf_option *option, size_t size, char text[]);

/** Checks that every option that the file or the command line gives has an effect: only_with and not_with of its
 *  line of the table. A flag that is given as "no" is not looked at. Not collective.
 *  Errors   HF_BAD_INPUT: one has none; the message says what it belongs to. */
hf_status hf_options_check_effect(const struct hf_options *options,
                                  struct hf_error *error) HF_MUST_CHECK;

/** The value that counts, or NULL when only the default does. `key` must be in the table. */
const struct hf_option_value *hf_options_given(const struct hf_options *options, const char *key);

/** What counts, default included. Text is NULL when there is neither value nor default; a choice is
 *  spelt as in the table. Keys must be in the table and of the type asked for. */
const char *hf_options_text(const struct hf_options *options, const char *key);
const char *hf_options_choice(const struct hf_options *options, const char *key);
/** Whether `name` is that choice, or among several with commas between them. */
bool hf_options_include(const struct hf_options *options, const char *key, const char *name);
/** The choice as a value of its enumeration. */
int hf_options_value(const struct hf_options *options, const char *key);
int hf_options_integer(const struct hf_options *options, const char *key);
double hf_options_real(const struct hf_options *options, const char *key);
bool hf_options_flag(const struct hf_options *options, const char *key);
/** Sets the members of *target that the rows of an array name, default included; without either they stay. A choice is
 *  its name, or the value of its enumeration; not 0 is true. `rows` is of the table, or NULL. */
void hf_options_fill(const struct hf_options *options, const struct hf_option rows[], void *target);
/** Leaves `vector` as it is when there is neither value nor default. */
void hf_options_vector(const struct hf_options *options, const char *key, double vector[3]);

#endif
