/* A model of the times of linear algebra on grids of ranks, by which hf chooses a grid. Rates of one core, latency
 * and bandwidth are those of the clusters simulated in docs/measurements/scaling.md. */
#include "linalg_private.h"

#include <math.h>

static const double PRODUCT_RATE = 4e10, VECTOR_RATE = 3e10,
                    REDUCTION_RATE = 2e10; /* operations per second */
static const double LATENCY = 1.5e-6, BYTE_SECONDS = 1e-10;

enum { LARGEST_ON_SQUARE = 1000 };

/** Number of messages in sequence when one rank of n sends to all, or all send to one. */
static double steps(int n)
{
    return ceil(log2(n));
}

/** Rows or columns on the rank with most of them; n rows or columns in blocks are divided over n_rank ranks. */
static double share(double n, int block, int n_rank)
{
    return fmin(n, ceil(ceil(n / block) / n_rank) * block);
}

/** Time in which n_piece pieces (each `block` rows or columns of length long_side) pass along a ring of ranks. Each
 *  rank receives and sends every piece (counted in pdgemm); the last rank waits for the first piece. */
static double ring(double n_piece, int block, double long_side, int n_rank)
{
    const double piece = LATENCY + BYTE_SECONDS * sizeof(double) * block * long_side;
    return n_rank > 1 ? (2.0 * n_piece + n_rank - 2.0) * piece : 0.0;
}

/** Columns of the left matrix pass along rows of the grid, rows of the right matrix along its columns. */
static double product_messages(double n, int n_row, int n_col, int block)
{
    return ring(ceil(n / block), block, share(n, block, n_row), n_col) +
           ring(ceil(n / block), block, share(n, block, n_col), n_row);
}

double hf_product_seconds(int n, int n_row, int n_col, int block)
{
    return 2.0 * n * share(n, block, n_row) * share(n, block, n_col) / PRODUCT_RATE +
           product_messages(n, n_row, n_col, block);
}

bool hf_reduces_on_square(int n, int n_row, int n_col)
{
    return n < LARGEST_ON_SQUARE || n_row == n_col;
}

double hf_reduction_seconds(int n, int n_row, int n_col)
{
    const double all = (double)n_row * n_col, side = floor(sqrt(all));
    /* messages per column: a broadcast, a sum and a sum for all ranks, each along a side of the square; on all ranks
     * twice as many */
    const bool on_square = hf_reduces_on_square(n, n_row, n_col);
    return 4.0 / 3.0 * n * n * n / (REDUCTION_RATE * (on_square ? side * side : all)) +
           (on_square ? 4.0 : 8.0) * n * steps(on_square ? (int)side : n_col) * LATENCY;
}

double hf_vector_seconds(int n, int n_row, int n_col, int block)
{
    /* divide and conquer and the back transformation: at most 4/3 and 2 n^3 operations, and the messages of five
     * products (counted) */
    return 10.0 / 3.0 * n * share(n, block, n_row) * share(n, block, n_col) / VECTOR_RATE +
           5.0 * product_messages(n, n_row, n_col, block);
}

int hf_eigen_fewer(int n, int n_row, int n_col)
{
    int best = 0;
    double least = hf_reduction_seconds(n, n_row, n_col);
    for (int side = 2; side * side < n_row * n_col && side <= n_row; side++) {
        const double found = hf_reduction_seconds(n, side, side);
        if (found >= least) continue;
        least = found;
        best = side;
    }
    return best;
}
