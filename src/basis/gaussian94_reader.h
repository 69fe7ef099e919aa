/* Inside the reader of Gaussian-94 files: its state. */
#ifndef HF_GAUSSIAN94_READER_H
#define HF_GAUSSIAN94_READER_H

#include "basis_private.h"

enum { HF_MAX_GAUSSIAN94_WORD = 64 };

struct hf_gaussian94 {
    const struct hf_text *text;
    struct hf_basis_set *set;
    struct hf_error *error;
    int line; /**< number of the current line, from 1; 0 before the first */
    int n_word;
    struct hf_word word[HF_MAX_GAUSSIAN94_WORD];
    int n_open; /**< number of elements of the open block */
    int open[HF_MAX_GAUSSIAN94_WORD];
    int block_line, block_first_shell;
    bool block_has_potential;
};

/** Returns HF_BAD_INPUT with the file and the current line. */
hf_status hf_gaussian94_fail(struct hf_gaussian94 *reader, const char *format, ...)
    HF_PRINTF(2, 3) HF_MUST_CHECK;

/** Reads word i of the current line, which must be a number. */
hf_status hf_gaussian94_real(struct hf_gaussian94 *reader, int i, double *value) HF_MUST_CHECK;

/** Goes to the next line that has words and splits it; *found is false at the end. */
hf_status hf_gaussian94_next_line(struct hf_gaussian94 *reader, bool *found) HF_MUST_CHECK;

/** Whether the line is a separator, "****". */
bool hf_gaussian94_is_separator(const struct hf_gaussian94 *reader);

/** Reads a core potential for the open elements (gaussian94_core.c). The current line is its first: "RB-ECP 3 28". */
hf_status hf_gaussian94_read_core_potential(struct hf_gaussian94 *reader) HF_MUST_CHECK;

#endif
