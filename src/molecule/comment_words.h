/* Words of a comment line: names with values, units and numbers in their usual spellings. */
#ifndef HF_COMMENT_WORDS_H
#define HF_COMMENT_WORDS_H

#include "text/text.h"

/** Largest charge (absolute value) and multiplicity that are accepted. */
enum { HF_LARGEST_STATE = 1000 };

/** A word of the comment with the value after it. */
struct comment_item {
    struct hf_word key, value;
    char assigned;    /**< '=' or ':' between key and value; 0: the value is just the next word */
    const char *next; /**< beginning of the next item */
};

/** Reads the next word from `c` on, with its value; false at the end. The next item begins after an assigned value,
 *  otherwise after the key. */
bool hf_comment_next(const char *c, struct comment_item *item);

/** Whether a word is in a list that ends with NULL; upper and lower case are the same. */
bool hf_word_is_listed(struct hf_word word, const char *const list[]);

/** Whether a word is a name, given in lower case. The word may have - and _ anywhere, and upper case. */
bool hf_comment_is_name(struct hf_word word, const char *name);

/** Whether a word contains `part`; upper and lower case are the same. */
bool hf_comment_contains(struct hf_word word, const char *part);

/** 1: bohr, 0: angstrom, -1: another word. */
int hf_comment_unit(struct hf_word word);

/** Whether a word is the symbol of gold, not atomic units. */
bool hf_comment_is_gold(struct hf_word word);

/** The unit of a text that contains nothing else: "bohr", "(au)", "coordinates in atomic units"; otherwise -1. */
int hf_comment_sole_unit(const char *text);

/** Reads a whole number in any usual spelling of charges: -1, +2, 2+, 1-, -1.0, also with a typographic minus. */
bool hf_comment_whole_number(struct hf_word word, int *value);

#endif
