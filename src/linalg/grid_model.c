/* What the steps of linear algebra take on grids of ranks: by this hf chooses them. Rates of one core, latency and bandwidth
 * are those of the clusters that docs/measurements/scaling.md simulates; tools/lab/linear_algebra.py has the same model. */
#include "linalg_private.h"

#include <math.h>

static const double PRODUCT_RATE = 4e10, VECTOR_RATE = 3e10,
                    REDUCTION_RATE = 2e10; /* operations per second */
static const double LATENCY = 1.5e-6, BYTE_SECONDS = 1e-10;

/** Messages one after the other when one rank of n sends to all, or all to one. */
static double steps(int n)
{
    return ceil(log2(n));
}

/** Rows or columns of the rank with most of them, of n in blocks on so many ranks. */
static double share(double n, int block, int n_rank)
{
    return fmin(n, ceil(ceil(n / block) / n_rank) * block);
}

/** Pieces of a matrix, `long_side` rows or columns of a block each, one after the other along a ring of ranks, each of which
 *  gets and sends them (counted in pdgemm); the last one waits for the first. */
static double ring(double n_piece, int block, double long_side, int n_rank)
{
    const double piece = LATENCY + BYTE_SECONDS * sizeof(double) * block * long_side;
    return n_rank > 1 ? (2.0 * n_piece + n_rank - 2.0) * piece : 0.0;
}

/** Columns of the left matrix go along rows of the grid, and rows of the right one along its columns. */
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
    enum { LARGEST_ON_SQUARE = 1000 };
    return n < LARGEST_ON_SQUARE || n_row == n_col;
}

double hf_reduction_seconds(int n, int n_row, int n_col)
{
    const double all = (double)n_row * n_col, side = floor(sqrt(all));
    /* a column: a broadcast, a sum, and one that all have, each along a side of the square; or twice as many messages */
    const bool on_square = hf_reduces_on_square(n, n_row, n_col);
    return 4.0 / 3.0 * n * n * n / (REDUCTION_RATE * (on_square ? side * side : all)) +
           (on_square ? 4.0 : 8.0) * n * steps(on_square ? (int)side : n_col) * LATENCY;
}

double hf_vector_seconds(int n, int n_row, int n_col, int block)
{
    /* divide and conquer and the way back: 4/3 and 2 n^3 operations at most; the messages of five products were counted */
    return 10.0 / 3.0 * n * share(n, block, n_row) * share(n, block, n_col) / VECTOR_RATE +
           5.0 * product_messages(n, n_row, n_col, block);
}
