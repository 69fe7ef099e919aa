/* Inside the reader of Gaussian-94 files: where it is. */
#ifndef HF_GAUSSIAN94_READER_H
#define HF_GAUSSIAN94_READER_H

#include "basis_private.h"

enum { HF_MAX_GAUSSIAN94_WORD = 64 };

struct hf_gaussian94 {
    const struct hf_text *text;
    struct hf_basis_set *set;
    struct hf_error *error;
    int line; /**< being read, from 1; 0 before the first */
    int n_word;
    struct hf_word word[HF_MAX_GAUSSIAN94_WORD];
    int n_open; /**< elements of the open block */
    int open[HF_MAX_GAUSSIAN94_WORD];
    int block_line, block_first_shell;
    bool block_has_potential;
};

/** HF_BAD_INPUT with the file and the current line. */
hf_status hf_gaussian94_fail(struct hf_gaussian94 *reader, const char *format, ...)
    HF_PRINTF(2, 3) HF_MUST_CHECK;

hf_status hf_gaussian94_fail_memory(struct hf_gaussian94 *reader);

/** Goes to the next line that has words and cuts it into them; *found is false at the end. */
hf_status hf_gaussian94_next_line(struct hf_gaussian94 *reader, bool *found) HF_MUST_CHECK;

/** Whether the line is one of "****". */
bool hf_gaussian94_is_separator(const struct hf_gaussian94 *reader);

/** Reads (gaussian94_core.c) the core potential whose first line, "RB-ECP 3 28", is being read, for the open elements. */
hf_status hf_gaussian94_read_core_potential(struct hf_gaussian94 *reader) HF_MUST_CHECK;

#endif
