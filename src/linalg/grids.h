/* The grids of ranks that linear algebra chooses, for simulations. */
#ifndef HF_LINALG_GRIDS_H
#define HF_LINALG_GRIDS_H

#include <stdbool.h>

/** The grids that hf_linalg_create makes of n_rank ranks for matrices of order n, and blocks: of products, and of the ranks
 *  that reduce matrices to tridiagonal form, which are a square number of them if `on_square`. Not collective. */
struct hf_linalg_grids {
    int n_row, n_col, n_reducing_row, n_reducing_col, block;
    bool on_square;
};
struct hf_linalg_grids hf_linalg_grids(int n, int n_rank);

#endif
