/* First quarter of a bra from a share of its kets (book Fig. 9.2), strip by strip, so that operations are divided
 * over the ranks like the kets. */
#ifndef HF_MP2_P1_SHARE_H
#define HF_MP2_P1_SHARE_H

#include "book.h"

struct hf_mp2_share {
    struct hf_mp2 *mp2; /**< borrowed */
    int n_i, n_orbital;
    size_t most;        /**< largest number of functions of an atom, padded */
    double *left[2];    /**< orbitals of the batch at functions c and d of a strip, packed */
    double *turned;     /**< [d][most] a strip with c as columns */
    double *product;    /**< [i][most] */
    const double **row; /**< [most] */
};

/** Initialises with arrays of the arena, which may fail. Local. */
void hf_mp2_share_init(struct hf_mp2_share *share, struct hf_mp2 *mp2, struct hf_arena *arena);

/** Transforms the strips of the book's bra to its `quarter`. */
void hf_mp2_share_quarter(struct hf_mp2_share *share, struct hf_mp2_book *book);

#endif
