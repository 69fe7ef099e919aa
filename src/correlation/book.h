/* Common parts of the algorithms P1 and P2 (book Figs. 9.2 and 9.3): integrals (MN|RS) of one bra RS with its kets
 * MN, their first two quarters, and pairs ij of the orbitals i of a batch with all j. Each pair is kept on one rank:
 *
 *     plane      (mn|rs) of one rs    (panel.h)
 *     quarter    [rs][i][length]      (in|rs)
 *     update     [j][s][length]       contribution of the bra to (in|js), or with r and s exchanged
 *     matrix     [s][length]          (in|js) of one pair ij
 *
 * Orbitals are numbered through both spins (hf_mp2_orbital). length: number of functions, padded. */
#ifndef HF_MP2_BOOK_H
#define HF_MP2_BOOK_H

#include "bra.h"

/** A thread's bra and its quarters. */
struct hf_mp2_book {
    struct hf_mp2 *mp2;               /**< borrowed */
    const struct hf_mp2_panel *panel; /**< borrowed, the same for all threads */
    struct hf_mp2_bra bra;
    int n_rs;
    size_t length;
    const double **row; /**< [n] rows of right matrices */
    double *plane;      /**< of one rs */
    double *joined;     /**< [n][n_orbital] all occupied orbitals */
    double *quarter;    /**< [most_pair][n_i][length], and one more number */
    double *packed, *update;
    double n_flop, seconds; /**< for both first quarters */
};

/** Allocates the data of one thread in the arena, which may fail. Local. */
void hf_mp2_book_init(struct hf_mp2_book *book, struct hf_mp2 *mp2,
                      const struct hf_mp2_panel *panel, struct hf_arena *arena);

/** Adds its operations and seconds to the result. */
void hf_mp2_book_add_up(const struct hf_mp2_book *book, struct hf_mp2_result *result);

/** Computes the integrals of a task: a bra with all its kets, or its share of them. bra.pair is NULL if there are
 *  none. Not collective. HF_NO_RESOURCE, HF_INTERRUPTED. */
hf_status hf_mp2_book_compute(struct hf_mp2_book *book, struct hf_worker *worker, int64_t task,
                              struct hf_error *error) HF_MUST_CHECK;

/** First quarter: transforms the integrals to `quarter`. */
void hf_mp2_book_first_quarter(struct hf_mp2_book *book);

/** The orbitals j = first + k step, k = 0 .. n-1. */
struct hf_mp2_some_j {
    int first, step, n;
};

/** Computes the contribution of the bra to (in|js) of orbital number i of the batch: sum_r C_rj (in|rs). With
 *  `turned` its contribution to (in|jr): sum_s C_sj (in|rs). Result in `update`, [j][functions of the other
 *  shell][length]. */
void hf_mp2_book_second_quarter(struct hf_mp2_book *book, int i, struct hf_mp2_some_j j,
                                bool turned);

/** The shell of the functions of `update`: S, or R if `turned`. */
const struct hf_shell *hf_mp2_book_updated(const struct hf_mp2_book *book, bool turned);

/** Ordered pairs. Pair number i n_orbital + j (i counted from the first of the batch) belongs to rank number %
 *  n_rank, at place number / n_rank. */
int64_t hf_mp2_n_ordered(const struct hf_mp2 *mp2);
int64_t hf_mp2_n_ordered_of_rank(const struct hf_mp2 *mp2);

/** Third and fourth quarter and energies of this rank's pairs i <= j, from their matrices one after another. A pair i
 *  > j has the same integrals as ji and is skipped. Collective. */
hf_status hf_mp2_finish_ordered(struct hf_mp2 *mp2, const double *matrix,
                                struct hf_error *error) HF_MUST_CHECK;

/** hf_mp2_algorithm.words of P1 and P2. */
struct hf_mp2_words hf_mp2_book_words(const struct hf_mp2_size *size, double n_i);

#endif
