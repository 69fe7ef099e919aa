/* Matrices in blocks, of which only those that matter are kept. Every rank has the whole matrix: its size grows
 * with the molecule, not with the square of it.
 *
 *                 column part 0     1     2
 *     row part 0  [  block  ]           [   ]         a part is the functions of an atom, or one orbital
 *     row part 1  [  block  ] [   ]                   blocks: [functions of the row part][of the column part]
 *     row part 2              [   ]     [   ]         row part rising within a column part
 *
 * Localised orbitals are [atoms][orbitals], projected atomic orbitals and their overlap [atoms][atoms]. */
#ifndef HF_SPARSE_MATRIX_H
#define HF_SPARSE_MATRIX_H

#include "base/arena.h"
#include "hf/basis.h"
#include "hf/context.h"
#include "hf/linalg.h"
#include "hf/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_sparse_matrix {
    struct hf_arena arena; /**< has the arrays and this struct */
    int n_row_part, n_column_part;
    int *row_first;    /**< [n_row_part + 1] first row of each part, and the number of rows */
    int *column_first; /**< [n_column_part + 1] */
    int *begin;        /**< [n_column_part + 1] first block of each column part */
    int n_block;
    int64_t n_block_room, n_offset_room, n_value_room;
    int *row, *column; /**< [n_block] row and column part of each block */
    size_t *offset;    /**< [n_block + 1] first number of each block in `value` */
    double *value;
};

/** Some parts, rising: the atoms of a domain. */
struct hf_parts {
    int n;
    const int *part;
};

/** Rows or columns of some parts of `first` (row_first or column_first). Not collective. */
int hf_parts_size(const int first[], struct hf_parts parts);

/** A block; NULL: it is zero. Not collective. */
const double *hf_sparse_find(const struct hf_sparse_matrix *matrix, int row_part, int column_part);

/** The dense block of some parts by others, to[rows][columns], with zeros for what is not kept. Not collective. */
void hf_sparse_get(const struct hf_sparse_matrix *matrix, struct hf_parts rows,
                   struct hf_parts columns, double to[]);

/** Which blocks of a matrix are kept. */
struct hf_sparse_choice {
    const char *label; /**< for the memory account, a string constant */
    double
        threshold; /**< blocks of elements that are not larger are zero; 0 or below: all are kept */
    /** [n rows], [n columns] factors of rows and columns; NULL: 1 */
    const double *row_factor, *column_factor;
};

/** The blocks of a dense matrix whose rows are functions of the basis, in parts of atoms, and whose columns are too,
 *  or (`orbitals`) are orbitals, one a part. Bits do not depend on the number of ranks.
 *  Call     collective. Rank 0 gathers some rows at a time and sends them to all.
 *  Errors   HF_NO_RESOURCE, on every rank. */
hf_status hf_sparse_from_matrix(struct hf_context *context, const struct hf_basis *basis,
                                const struct hf_matrix *matrix, bool orbitals,
                                const struct hf_sparse_choice *choice,
                                struct hf_sparse_matrix **sparse,
                                struct hf_error *error) HF_MUST_CHECK;

/** A matrix without blocks, to be filled. row_first and column_first are copied; NULL: each part is one row or column.
 *  `label` is a string constant. Local. NULL: no memory. */
struct hf_sparse_matrix *hf_sparse_create(struct hf_memory *memory, const char *label,
                                          int n_row_part, const int row_first[], int n_column_part,
                                          const int column_first[]);

/** Adds a block, in any order, if it has an element larger than the threshold (0 or below: in any case): element (r, c)
 *  is from[r * step + c]. Does nothing if memory is missing, or `matrix` is NULL. Local. */
void hf_sparse_add(struct hf_sparse_matrix *matrix, int row_part, int column_part, double threshold,
                   const double *from, size_t step);

/** Sorts the blocks; before, only hf_sparse_add and hf_sparse_destroy take the matrix. Local. HF_NO_RESOURCE, also if
 *  `matrix` is NULL or a block could not be added. */
hf_status hf_sparse_finish(struct hf_sparse_matrix *matrix, struct hf_error *error) HF_MUST_CHECK;

/** Coefficients (rows) of published functions become those of merged ones: U^T C, see hf_mix_orbitals. The parts stay
 *  those of atoms. Local. HF_NO_RESOURCE. */
hf_status hf_sparse_mix(const struct hf_basis *merged, const struct hf_sparse_matrix *from,
                        struct hf_sparse_matrix **to, struct hf_error *error) HF_MUST_CHECK;

/** Not collective; accepts a pointer to NULL; leaves NULL. */
void hf_sparse_destroy(struct hf_sparse_matrix **matrix);

#endif
