/* The panel of a bra RS: integrals (mn|rs) with all kets MN. Strips are collected until all are there. Then they are
 * copied to a plane for the first quarter of the transformation, for one rs at a time, because a plane fits in a
 * second-level cache and the whole panel does not.
 *
 *     plane of one rs     columns n in blocks of 48; each block has only the rows m with integrals
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
    int n_row, width; /**< width: number of columns, padded */
    size_t place;     /**< position in a plane */
    const int *row;   /**< [n_row] functions m, ascending */
    /** orbitals of the batch at these m, packed as left matrix */
    const double *packed[HF_MAX_SPIN];
    bool repeats; /**< rows and orbitals are those of the block before */
};

/** Shape of a panel; the same for all threads. */
struct hf_mp2_panel {
    const struct hf_mp2 *mp2; /**< borrowed */
    int n, n_block, n_i[HF_MAX_SPIN];
    struct hf_mp2_panel_block *block; /**< [n_block] */
    size_t plane;                     /**< size of a plane */
    int *rows;                        /**< rows of all blocks */
    int *index;       /**< [n_block][n] place of function m among the rows of a block; -1: none */
    int *shell_of;    /**< [n] shell of each function */
    double *packed;   /**< packed orbitals of all blocks */
    double n_element; /**< numbers of a plane without padding */
};

/** Initialises for the orbitals of the batch, with arrays of the arena, which may fail. Not collective. */
void hf_mp2_panel_init(struct hf_mp2_panel *panel, const struct hf_mp2 *mp2,
                       struct hf_arena *arena);

/** Largest number of doubles: shared by all threads, plus strips and plane of each thread. */
double hf_mp2_panel_words(const struct hf_mp2_size *size, double n_i);

/** A stored strip, [rs][c][d]. */
struct hf_mp2_kept {
    int first_c, n_c, first_d, n_d; /**< functions */
    bool same;                      /**< atoms C and D are the same */
    size_t place;
};

/** The strips of one bra. */
struct hf_mp2_strips {
    struct hf_arena *arena; /**< borrowed */
    double *value;
    size_t n; /**< number of doubles */
    struct hf_mp2_kept *kept;
    int n_kept;
    int64_t room, kept_room;
    bool failed; /**< there was no memory for some strips */
};

/** Makes room for n_bra function pairs of a bra in the arena, which may fail. */
void hf_mp2_strips_init(struct hf_mp2_strips *strips, const struct hf_mp2 *mp2, size_t n_bra,
                        struct hf_arena *arena);

/** Removes all strips, for the next bra. */
void hf_mp2_strips_begin(struct hf_mp2_strips *strips);

/** Stores a strip whose kets are shells of two atoms. */
void hf_mp2_strips_keep(struct hf_mp2_strips *strips, const struct hf_basis *basis,
                        const struct hf_strip *strip, int atom_c, int atom_d);

/** Replaces the integrals of function pair rs with kets of functions before `end` by elements of a symmetric matrix
 *  [end][length]. Of functions of two sites, it needs the row of the later one only. */
void hf_mp2_strips_replace(struct hf_mp2_strips *strips, size_t rs, int end, const double *matrix,
                           size_t length);

/** Fills the plane of function pair rs of the bra: both triangles, and zeros after n. */
void hf_mp2_panel_fill(const struct hf_mp2_panel *panel, const struct hf_mp2_strips *strips,
                       size_t rs, double *plane);

/** First quarter for the plane of one rs: (in|rs) [i][length], zeros after n. `row` must have room for n. */
void hf_mp2_panel_quarter(const struct hf_mp2_panel *panel, int spin, const double *plane,
                          size_t length, const double *row[], double *half);

#endif
