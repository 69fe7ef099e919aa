/* The panel of a bra RS: integrals (mn|rs) with all kets MN. Strips are kept as they come, until there are all of
 * them. Then they are laid out for the first quarter of the transformation, for one rs at a time: a plane stays in
 * a second-level cache where the whole panel would not.
 *
 *     plane of one rs     columns n in blocks of 48; of each block only the rows m that have an integral
 *
 *         n: 0    48    96          block: rows m, each with its 48 columns, one after the other
 *          +-----+-----+---
 *          |#####|###  |           In a long molecule products of distant functions vanish, and each block
 *          |#####|#####|##         has the rows around its columns only. Which ones is a matter of the
 *          |  ###|#####|###        shell pairs alone, not of RS.
 *          +-----+-----+--- */
#ifndef HF_MP2_PANEL_H
#define HF_MP2_PANEL_H

#include "base/arena.h"
#include "mp2_private.h"

#include <stdint.h>

/** Columns of a block: a multiple of the columns of a kernel's tile. */
enum { HF_MP2_PANEL_COLUMNS = 48 };

struct hf_mp2_panel_block {
    int n_row, width;                  /**< width: columns, padded */
    size_t place;                      /**< in a plane */
    const int *row;                    /**< [n_row] functions m, rising */
    const double *packed[HF_MAX_SPIN]; /**< orbitals of the batch at those m, as left matrix */
    bool repeats;                      /**< rows and orbitals are those of the block before */
};

/** Which numbers a panel has; the same for all threads. */
struct hf_mp2_panel {
    const struct hf_mp2 *mp2; /**< borrowed */
    int n, n_block, n_i[HF_MAX_SPIN];
    struct hf_mp2_panel_block *block; /**< [n_block] */
    size_t plane;                     /**< numbers of a plane */
    int *rows;                        /**< of all blocks */
    int *index;       /**< [n_block][n] where a function is in the rows of a block; -1: not */
    int *shell_of;    /**< [n] shell of a function */
    double *packed;   /**< of all blocks */
    double n_element; /**< of a plane without padding */
};

/** For the orbitals of the batch, with arrays of the arena, which may fail. Not collective. */
void hf_mp2_panel_init(struct hf_mp2_panel *panel, const struct hf_mp2 *mp2,
                       struct hf_arena *arena);

/** Numbers at most: what is the same for all threads, and strips and plane of each. */
double hf_mp2_panel_words(const struct hf_mp2_size *size, double n_i);

/** A strip that is kept, as [rs][c][d]. */
struct hf_mp2_kept {
    int first_c, n_c, first_d, n_d; /**< functions */
    bool same;                      /**< atoms C and D are the same */
    size_t place;
};

/** Strips of one bra. */
struct hf_mp2_strips {
    struct hf_arena *arena; /**< borrowed */
    double *value;
    size_t n; /**< numbers */
    struct hf_mp2_kept *kept;
    int n_kept;
    int64_t room, kept_room;
    bool failed; /**< there was no memory for some */
};

/** With room for so many function pairs of a bra, of the arena, which may fail. */
void hf_mp2_strips_init(struct hf_mp2_strips *strips, const struct hf_mp2 *mp2, size_t n_bra,
                        struct hf_arena *arena);

/** Empties them for the next bra. */
void hf_mp2_strips_begin(struct hf_mp2_strips *strips);

/** Keeps a strip whose kets are shells of two atoms. */
void hf_mp2_strips_keep(struct hf_mp2_strips *strips, const struct hf_basis *basis,
                        const struct hf_strip *strip, int atom_c, int atom_d);

/** The plane of number rs of the bra's function pairs: both triangles, and zeros behind n. */
void hf_mp2_panel_fill(const struct hf_mp2_panel *panel, const struct hf_mp2_strips *strips,
                       size_t rs, double *plane);

/** First quarter: (in|rs) [i][length], zeros behind n, of the plane of one rs. `row` has room for n. */
void hf_mp2_panel_quarter(const struct hf_mp2_panel *panel, int spin, const double *plane,
                          size_t length, const double *row[], double *half);

#endif
