"""What the linear algebra of an SCF takes on many ranks: LAPACK's sub-steps measured on one core (lapack.py), divided
over the process grid that hf makes (src/linalg/grid.c), and the messages of ScaLAPACK around them.

Operations: reduction to tridiagonal form 4/3 n^3, half of it products of the matrix with a vector; divide and conquer
4/3 n^3 without deflation; transformation of m vectors back 2 n^2 m; a product of matrices 2 m n k. (L. S. Blackford et
al., ScaLAPACK Users' Guide (1997), chapter 5; F. Tisseur, J. Dongarra, SIAM J. Sci. Comput. 20, 2223 (1999).)

Messages are counted here from the algorithms: a broadcast or a sum over q ranks is ceil(log2 q) of them, one after the
other; blocks of a product go from rank to rank along a ring, each of which gets and sends them once (as counted in pdgemm).
A column of the reduction is a broadcast, a sum, and a sum that all have along the sides of a square grid (as counted in
pdsyntrd on 2 x 2 and 4 x 4 ranks), each of them a latency that nothing hides: that is what limits it, and why a part of the
ranks does it. Eigenvectors and products go by blocks of 64."""

import json
import math
from typing import NamedTuple

BLOCK, MOST_ASPECT = 64, 3  # of src/linalg/grid.c
LARGEST_ON_SQUARE = 1000  # of src/linalg/grid_model.c
WORD = 8
STEPS = ("reduce", "divide", "back", "multiply")


class Measured(NamedTuple):
    """Seconds on one core of the steps for a matrix of some order, with all its eigenvectors."""
    order: int
    reduce: float    # dsytrd
    divide: float    # dstedc
    back: float      # dormtr
    multiply: float  # dgemm, three matrices of this order


# OpenBLAS 0.3.21 on one core of an AMD EPYC (Zen 5) virtual machine; `tools/replay --algebra` measures another machine.
MEASURED = (Measured(125, 0.24e-3, 0.68e-3, 0.20e-3, 0.09e-3), Measured(250, 1.17e-3, 2.93e-3, 1.06e-3, 0.77e-3),
            Measured(500, 6.41e-3, 11.3e-3, 7.47e-3, 5.20e-3), Measured(1000, 46.4e-3, 54.6e-3, 51.5e-3, 41.2e-3),
            Measured(1500, 203e-3, 179e-3, 235e-3, 148e-3))
OPERATIONS = {"reduce": 4.0 / 3.0, "divide": 4.0 / 3.0, "back": 2.0, "multiply": 2.0}  # times the cube of the order


def read(path):
    """Measured of a file that write() made; ValueError."""
    try:
        with open(path, encoding="utf-8") as file:
            found = [Measured(**row) for row in json.load(file)["linear_algebra"]]
    except (OSError, TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{path}: no measurements of linear algebra: {error}") from error
    if not found or any(not (0 < value < math.inf) for row in found for value in row):
        raise ValueError(f"{path}: measurements of linear algebra are to be numbers above 0")
    return sorted(found)


def write(path, measured):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"linear_algebra": [row._asdict() for row in measured]}, file, indent=1)


class Rates:
    """Operations per second of one core, by step and order, with straight lines in log(order) between the orders that
    were measured and their ends kept outside."""

    def __init__(self, measured=MEASURED):
        self.orders = [row.order for row in measured]
        self.rates = {step: [OPERATIONS[step] * row.order**3 / getattr(row, step) for row in measured]
                      for step in STEPS}

    def rate(self, step, order):
        rates = self.rates[step]
        if order <= self.orders[0]:
            return rates[0]
        for i, upper in enumerate(self.orders[1:], 1):
            if order <= upper:
                part = math.log(order / self.orders[i - 1]) / math.log(upper / self.orders[i - 1])
                return rates[i - 1] + part * (rates[i] - rates[i - 1])
        return rates[-1]


class Grid(NamedTuple):
    """Ranks stand in it row by row."""
    rows: int
    columns: int

    @property
    def size(self):
        return self.rows * self.columns


def smallest_parallel_order(n_rank):
    """Of src/linalg/grid.c: below it rank 0 does all."""
    return 500 if n_rank < 9 else 150


def steps_of(n_rank):
    return math.ceil(math.log2(n_rank)) if n_rank > 1 else 0


def share(order, n_process):
    """Part of the rows or columns that the process with most of them has."""
    blocks = -(-order // BLOCK)
    return min(1.0, -(-blocks // n_process) * BLOCK / order)


def product_messages(order, rows, columns):
    """Of src/linalg/grid_model.c, as what follows."""
    seconds = 0.0
    for n_along, n_across in ((columns, rows), (rows, columns)):
        piece = 1.5e-6 + 1e-10 * WORD * BLOCK * order * share(order, n_across)
        seconds += (2 * -(-order // BLOCK) + n_along - 2) * piece if n_along > 1 else 0.0
    return seconds


def product_seconds(order, rows, columns):
    """hf_product_seconds: the model by which hf chooses the grid."""
    return (2.0 * order**3 * share(order, rows) * share(order, columns) / 4e10 + product_messages(order, rows, columns))


def reduction_ranks(order, grid):
    """Of the reduction to tridiagonal form (hf_reduces_on_square): ranks that compute, along how many a message goes, and how
    many messages a column takes one after the other."""
    if order < LARGEST_ON_SQUARE or grid.rows == grid.columns:
        return math.isqrt(grid.size)**2, math.isqrt(grid.size), 4.0
    return grid.size, grid.columns, 8.0


def reduction_seconds(order, grid):
    """hf_reduction_seconds: the model by which hf chooses who reduces a matrix to tridiagonal form."""
    n_rank, side, n_message = reduction_ranks(order, grid)
    return 4.0 / 3.0 * order**3 / (2e10 * n_rank) + n_message * order * steps_of(side) * 1.5e-6


def choose_grid(n_rank, order):
    """choose_grid of src/linalg/grid.c: the grid that multiplies matrices in the least time, the squarer one of equals."""
    if n_rank == 1 or order < smallest_parallel_order(n_rank):
        return Grid(1, 1)
    n_block = -(-order // BLOCK)
    grids = [Grid(rows, columns) for rows in range(1, min(n_block, math.isqrt(n_rank)) + 1)
             for columns in range(rows, min(n_rank // rows, MOST_ASPECT * rows, n_block) + 1)]
    return min(grids, key=lambda grid: (product_seconds(order, grid.rows, grid.columns), -grid.rows, grid.columns))


def choose_reducing(order, grid):
    """hf_eigen_fewer of src/linalg/grid_model.c: the grid that reduces matrices of `grid` to tridiagonal form."""
    sides = [side for side in range(2, grid.rows + 1) if side**2 < grid.size]
    return min([grid, *(Grid(side, side) for side in sides)],
               key=lambda found: reduction_seconds(order, found))


class Cost(NamedTuple):
    """Seconds of one rank: on its cores, and in messages."""
    compute: float
    messages: float

    def plus(self, other):
        return Cost(self.compute + other.compute, self.messages + other.messages)

    def times(self, factor):
        return Cost(factor * self.compute, factor * self.messages)


NOTHING = Cost(0.0, 0.0)


class Search(NamedTuple):
    """How occupied orbitals were found: sets of orbitals, how many times a set was rotated, sweeps of it in all."""
    n_set: int = 1
    n_rotation: int = 0
    n_sweep: int = 0


DIAGONALISED = Search()


class LinearAlgebra:
    """On `n_rank` ranks of a Network for matrices of one order. Threads of BLAS divide what is computed from caches;
    of the reduction, half is reading the matrix again and again, which they do not speed up."""

    def __init__(self, network, n_rank, order, rates=None, n_thread=1, grid=None):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        self.network, self.order, self.n_rank, self.n_thread = network, order, n_rank, n_thread
        self.rates = rates or Rates()
        self.grid = grid or choose_grid(n_rank, order)
        in_node = min(network.ranks_per_node, n_rank)
        self.near_row, self.near_column = self.grid.columns <= in_node, self.grid.size <= in_node

    # ---- Parts ----

    def along_row(self, n_words):
        """To, or from, all ranks of a row of the grid, so many words of each."""
        return steps_of(self.grid.columns) * self.network.message_seconds(WORD * n_words, self.near_row)

    def along_column(self, n_words):
        return steps_of(self.grid.rows) * self.network.message_seconds(WORD * n_words, self.near_column)

    def computed(self, step, operations):
        """Seconds of the rank that has most to do, at the rate of its own part of the matrix."""
        part = share(self.order, self.grid.rows) * share(self.order, self.grid.columns)
        seconds = operations * part / self.rates.rate(step, self.order * math.sqrt(part))
        return seconds / self.n_thread

    def along_ring(self, n_piece, n_rank, n_words, near):
        """Pieces one after the other to all ranks of a ring: each gets and sends them, the last one waits for the first."""
        n_message = 2 * n_piece + n_rank - 2 if n_rank > 1 else 0
        return n_message * self.network.message_seconds(WORD * n_words, near)

    def product_messages(self, m, n, k):
        """By the way of pdgemm that sends least: the result stays where it is and blocks of columns of the left matrix go
        along rows, of rows of the right one along columns; or one of these stays, and the result is summed up."""
        if self.grid.size == 1:
            return 0.0
        rows, columns = self.grid
        result, left, right = (math.ceil(size / BLOCK) for size in (k, n, m))
        width = [min(BLOCK, size) for size in (k, n, m)]
        return min(
            self.along_ring(result, columns, m / rows * width[0], self.near_row)
            + self.along_ring(result, rows, n / columns * width[0], self.near_column),
            self.along_ring(left, rows, k / columns * width[1], self.near_column) + left * self.along_row(m / rows * width[1]),
            self.along_ring(right, columns, k / rows * width[2], self.near_row)
            + right * self.along_column(n / columns * width[2]))

    # ---- Operations ----

    def product(self, m, n, k):
        """A product of an m x k with a k x n matrix."""
        return Cost(self.computed("multiply", 2.0 * m * n * k), self.product_messages(m, n, k))

    def reduce(self):
        """To tridiagonal form, on as many ranks as are a square if those are all or the matrix is small; else on all,
        with twice as many messages for a column. On the mean half of the rows are left."""
        n, (n_rank, side, n_message) = self.order, reduction_ranks(self.order, self.grid)
        computed = 4.0 / 3.0 * n**3 / n_rank / self.rates.rate("reduce", n / math.sqrt(n_rank))
        each = n_message * steps_of(side) * self.network.message_seconds(WORD * 0.5 * n / side, self.near_row)
        return Cost(0.5 * computed * (1.0 + 1.0 / self.n_thread), n * each)

    def divide(self):
        """Divide and conquer; its messages as counted, with the numbers of the secular equation and their places."""
        n = self.order
        return Cost(self.computed("divide", 4.0 / 3.0 * n**3), 3.0 * self.product_messages(n, n, n))

    def back(self, n_vector):
        """Eigenvectors of the matrix from those of the tridiagonal one: a product with the reflectors and one with its
        result, block by block."""
        n = self.order
        return Cost(self.computed("back", 2.0 * n * n * n_vector), 2.0 * self.product_messages(n, n_vector, n))

    def eigen(self, n_vector):
        """Eigenvalues and the lowest vectors: the reduction by the ranks that take least, to which the matrix goes and comes
        back, with its tridiagonal form and factors; the vectors by all. Sums over all ranks: of the matrix, the eigenvalues with the
        outcome, the check; if several diagonalise also of the room there is, and over the grid two for the signs."""
        sums = self.sums(3).messages
        if self.grid.size > 1:
            sums += self.sums(1).messages + 2.0 * self.network.all_reduce_seconds(self.grid.size)
        grid = choose_reducing(self.order, self.grid)
        there = LinearAlgebra(self.network, self.n_rank, self.order, self.rates, self.n_thread, grid)
        found = there.reduce().plus(self.divide() if n_vector > 0 else NOTHING).plus(self.back(n_vector))
        return found.plus(Cost(0.0, sums + (self.moved(grid, n_vector) if grid != self.grid else 0.0)))

    def moved(self, grid, n_vector):
        """Seconds from all ranks to those of the grid, each of which hears of all, and back if there are to be vectors; then
        three arrays and the outcome to all."""
        n_way = 2 if n_vector > 0 else 1
        one_way = (self.grid.size * self.network.message_seconds(0, self.near_row)
                   + WORD * self.order**2 / grid.size * self.network.beta_seconds_per_byte)
        arrays = 4.0 * steps_of(self.grid.size) * self.network.message_seconds(WORD * self.order, self.near_column)
        return n_way * one_way + (arrays if n_vector > 0 else 0.0)

    def sums(self, n_sum):
        """So many sums of a few numbers over all ranks, or broadcasts of them."""
        return Cost(0.0, n_sum * self.network.all_reduce_seconds(self.n_rank) if self.n_rank > 1 else 0.0)

    def sweep(self, n_occupied):
        """Of a rotation of orbitals (src/orbitals/rotate.c): G = F Y - Y Z, without products with the unit matrix in Y, whose
        whole blocks count; the largest element with the products of DIIS, and their coefficients."""
        n, o = self.order, n_occupied
        unit = o if self.grid.size == 1 else o // BLOCK * BLOCK
        return self.product(n, o, n - unit).plus(self.product(n, o, o)).plus(self.sums(2))

    def rotation(self, n_occupied, n_sweep):
        """Sweeps, and beside them: from orbitals to Y and back with products of the occupied ones and divisions by
        two Cholesky factors, three of them; sums for the diagonal, the largest elements of F and Y^T Y, the factors."""
        n, o = self.order, n_occupied
        ends = self.product(n, o, o).times(2.5).plus(self.product(o, o, n).times(1.0)).plus(self.sums(5))
        return ends.plus(self.sweep(n_occupied).times(n_sweep))

    # ---- The SCF ----

    def diagonalisation(self, n_occupied, n_iteration, search=DIAGONALISED):
        """Of the overlap, all vectors; the Fock matrices between two builds, those that are not rotated: of the first,
        whose orbitals become the basis then, all vectors, else the occupied ones; and at the end the energies of all."""
        found = max(0, n_iteration - 1) * search.n_set - search.n_rotation
        n_basis = min(found, search.n_set) if search.n_rotation > 0 else 0
        cost = self.eigen(self.order).times(1 + n_basis).plus(self.eigen(0).times(search.n_set))
        cost = cost.plus(self.eigen(n_occupied).times(found - n_basis))
        if search.n_rotation > 0:
            each = self.rotation(n_occupied, search.n_sweep / search.n_rotation)
            cost = cost.plus(each.times(search.n_rotation))
        return cost

    def others(self, n_occupied, n_iteration, search=DIAGONALISED):
        """Of an iteration: X^T F X (half of the second product by symmetry), the commutator F C_occ C_occ^T, the density
        X C_occ and C_occ C_occ^T (half), and sums over all ranks: energies, the size of the commutator, products
        and coefficients of DIIS. With rotations, once: the
        orbitals as the new basis."""
        n, o = self.order, n_occupied
        each = (self.product(n, n, n).times(1.5).plus(self.product(n, o, n).times(2.0)).plus(self.product(n, n, o).times(1.5)))
        basis = self.product(n, n, n).times(search.n_set if search.n_rotation > 0 else 0)
        return each.plus(self.sums(4)).times(n_iteration * search.n_set).plus(basis)
