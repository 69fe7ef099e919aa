/* Words of a comment line: names with values, units and numbers as people write them. */
#ifndef HF_COMMENT_WORDS_H
#define HF_COMMENT_WORDS_H

#include "text/text.h"

/** Larger charges and multiplicities there are not. */
enum { HF_LARGEST_STATE = 1000 };

/** A word of the comment with the value that stands behind it. */
struct comment_item {
    struct hf_word key, value;
    char assigned;    /**< '=' or ':' between the two; 0: the value is just the next word */
    const char *next; /**< where the next item begins */
};

/** Next word from `c` on with its value; false at the end. Only an assigned value is passed over. */
bool hf_comment_next(const char *c, struct comment_item *item);

/** Whether a word is in a list that ends with NULL, in any case. */
bool hf_word_is_listed(struct hf_word word, const char *const list[]);

/** Whether a word is a name in small letters, with - and _ in the word anywhere. */
bool hf_comment_is_name(struct hf_word word, const char *name);

/** Whether `part` stands anywhere in a word, in any case. */
bool hf_comment_contains(struct hf_word word, const char *part);

/** 1 for bohr, 0 for angstrom, -1 for any other word. */
int hf_comment_unit(struct hf_word word);

/** Whether a word is the symbol of gold, not atomic units. */
bool hf_comment_is_gold(struct hf_word word);

/** "bohr", "(au)", "coordinates in atomic units": the unit of a text about nothing else; else -1. */
int hf_comment_sole_unit(const char *text);

/** A whole number as people write charges: -1, +2, 2+, 1-, -1.0, and with the minus of typesetters. */
bool hf_comment_whole_number(struct hf_word word, int *value);

#endif
