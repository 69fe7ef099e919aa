"""What the linear algebra of an SCF takes on many ranks: LAPACK's sub-steps measured on one core, divided over the process
grid that hf makes (src/linalg/grid.c), and the messages of ScaLAPACK around them.

Operations: reduction to tridiagonal form 4/3 n^3, half of it products of the matrix with a vector; divide and conquer
4/3 n^3 without deflation; transformation of m vectors back 2 n^2 m; a product of matrices 2 m n k. (L. S. Blackford et
al., ScaLAPACK Users' Guide (1997), chapter 5; F. Tisseur, J. Dongarra, SIAM J. Sci. Comput. 20, 2223 (1999).)

Messages are counted here from the algorithms: a broadcast or a sum over q ranks is ceil(log2 q) of them, one after the
other; blocks of a product go from rank to rank along a ring, each of which gets and sends them once (as counted in pdgemm).
A column of the reduction is a broadcast, a sum, and a sum that all have along the sides of a square grid (as counted in
pdsyntrd on 2 x 2 and 4 x 4 ranks), each of them a latency that nothing hides: that is what limits it, and why a part of the
ranks does it. Eigenvectors and products go by blocks of 64."""

import functools
import json
import math
from typing import NamedTuple

from . import simulator

WORD = 8
# Seconds of the steps for all eigenvectors of a matrix: dsytrd, dstedc, dormtr, and dgemm of three matrices of this order.
# OpenBLAS 0.3.21 on one core of an AMD EPYC (Zen 5) virtual machine.
MEASURED = {125: (0.24e-3, 0.68e-3, 0.20e-3, 0.09e-3), 250: (1.17e-3, 2.93e-3, 1.06e-3, 0.77e-3),
            500: (6.41e-3, 11.3e-3, 7.47e-3, 5.20e-3), 1000: (46.4e-3, 54.6e-3, 51.5e-3, 41.2e-3),
            1500: (203e-3, 179e-3, 235e-3, 148e-3)}
OPERATIONS = {"reduce": 4.0 / 3.0, "divide": 4.0 / 3.0, "back": 2.0, "multiply": 2.0}  # times the cube of the order


def rate(step, order, measured):
    """Operations per second of one core, with straight lines in log(order) between those measured; their ends outside."""
    place, orders = list(OPERATIONS).index(step), sorted(measured)
    rates = [OPERATIONS[step] * n**3 / measured[n][place] for n in orders]
    for i in range(1, len(orders)):
        if order <= orders[i]:
            part = math.log(max(1.0, order / orders[i - 1])) / math.log(orders[i] / orders[i - 1])
            return rates[i - 1] + part * (rates[i] - rates[i - 1])
    return rates[-1]


class Grid(NamedTuple):
    """Ranks stand in it row by row."""
    rows: int
    columns: int

    @property
    def size(self):
        return self.rows * self.columns


def steps_of(n_rank):
    return math.ceil(math.log2(n_rank)) if n_rank > 1 else 0


def share(order, n_process, block):
    """Part of the rows or columns that the process with most of them has."""
    blocks = -(-order // block)
    return min(1.0, -(-blocks // n_process) * block / order)


class Grids(NamedTuple):
    """hf_linalg_grids: of products, of reductions to tridiagonal form, whether these are on a square number of ranks; blocks."""
    all: Grid
    reducing: Grid
    on_square: bool
    block: int


@functools.cache
def grids(n_rank, order):
    """As hf chooses them."""
    found = json.loads(simulator.call("--grid", order, "--ranks", n_rank))
    return Grids(Grid(*found["grid"]), Grid(*found["reducing"]), found["on_square"], found["block"])


class Cost(NamedTuple):
    """Seconds of one rank: on its cores, and in messages."""
    compute: float
    messages: float

    def plus(self, *others):
        return Cost(*map(sum, zip(self, *others)))

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

    def __init__(self, network, n_rank, order, measured=None, n_thread=1):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        self.network, self.order, self.n_rank, self.n_thread = network, order, n_rank, n_thread
        self.measured = measured or MEASURED
        self.grid, self.reducing, self.on_square, self.block = grids(n_rank, order)
        in_node = min(network.ranks_per_node, n_rank)
        self.near_row, self.near_column = self.grid.columns <= in_node, self.grid.size <= in_node

    # ---- Parts ----

    def along(self, n_rank, n_words, near):
        """To, or from, all ranks of a row or column of the grid, so many words of each."""
        return steps_of(n_rank) * self.network.message_seconds(WORD * n_words, near)

    def computed(self, step, operations):
        """Seconds of the rank that has most to do, at the rate of its own part of the matrix."""
        part = share(self.order, self.grid.rows, self.block) * share(self.order, self.grid.columns, self.block)
        return operations * part / rate(step, self.order * math.sqrt(part), self.measured) / self.n_thread

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
        result, left, right = (math.ceil(size / self.block) for size in (k, n, m))
        width = [min(self.block, size) for size in (k, n, m)]
        return min(
            self.along_ring(result, columns, m / rows * width[0], self.near_row)
            + self.along_ring(result, rows, n / columns * width[0], self.near_column),
            self.along_ring(left, rows, k / columns * width[1], self.near_column)
            + left * self.along(columns, m / rows * width[1], self.near_row),
            self.along_ring(right, columns, k / rows * width[2], self.near_row)
            + right * self.along(rows, n / columns * width[2], self.near_column))

    # ---- Operations ----

    def product(self, m, n, k):
        """A product of an m x k with a k x n matrix."""
        return Cost(self.computed("multiply", 2.0 * m * n * k), self.product_messages(m, n, k))

    def reduce(self):
        """To tridiagonal form, on as many ranks of a grid as are a square if those are all or the matrix is small; else on
        all, with twice as many messages for a column. On the mean half of the rows are left."""
        n, grid = self.order, self.reducing
        side = math.isqrt(grid.size) if self.on_square else grid.columns
        n_rank, n_message = (side**2, 4.0) if self.on_square else (grid.size, 8.0)
        near = grid.columns <= min(self.network.ranks_per_node, self.n_rank)
        computed = 4.0 / 3.0 * n**3 / n_rank / rate("reduce", n / math.sqrt(n_rank), self.measured)
        each = n_message * self.along(side, 0.5 * n / side, near)
        return Cost(0.5 * computed * (1.0 + 1.0 / self.n_thread), n * each)

    def eigen(self, n_vector):
        """Eigenvalues and the lowest vectors: the reduction by the ranks that take least, to which the matrix goes and comes
        back, with its tridiagonal form and factors; divide and conquer, whose messages are as counted, with the numbers of
        the secular equation and their places; the vectors, a product with the reflectors and one with its result, block by
        block. Sums over all ranks: of the matrix, the eigenvalues with the outcome, the check; if several diagonalise also
        of the room there is, and over the grid two for the signs."""
        n, grid = self.order, self.reducing
        parts = [self.reduce(), self.sums(3)]
        if n_vector > 0:
            parts.append(Cost(self.computed("divide", 4.0 / 3.0 * n**3), 3.0 * self.product_messages(n, n, n)))
        parts.append(Cost(self.computed("back", 2.0 * n * n * n_vector), 2.0 * self.product_messages(n, n_vector, n)))
        if self.grid.size > 1:
            parts += [self.sums(1), Cost(0.0, 2.0 * self.network.all_reduce_seconds(self.grid.size))]
        if grid != self.grid:
            parts.append(Cost(0.0, self.moved(grid, n_vector)))
        return NOTHING.plus(*parts)

    def moved(self, grid, n_vector):
        """Seconds from all ranks to those of the grid, each of which hears of all, and back if there are to be vectors; then
        three arrays and the outcome to all."""
        n_way = 2 if n_vector > 0 else 1
        one_way = (self.grid.size * self.network.message_seconds(0, self.near_row)
                   + WORD * self.order**2 / grid.size * self.network.beta_seconds_per_byte)
        return n_way * one_way + (4.0 * self.along(self.grid.size, self.order, self.near_column) if n_vector > 0 else 0.0)

    def sums(self, n_sum):
        """So many sums of a few numbers over all ranks, or broadcasts of them."""
        return Cost(0.0, n_sum * self.network.all_reduce_seconds(self.n_rank) if self.n_rank > 1 else 0.0)

    def sweep(self, n_occupied):
        """Of a rotation of orbitals (src/orbitals/rotate.c): G = F Y - Y Z, without products with the unit matrix in Y, whose
        whole blocks count; the largest element with the products of DIIS, and their coefficients."""
        n, o = self.order, n_occupied
        unit = o if self.grid.size == 1 else o // self.block * self.block
        return self.product(n, o, n - unit).plus(self.product(n, o, o), self.sums(2))

    def rotation(self, n_occupied, n_sweep):
        """Sweeps, and beside them: from orbitals to Y and back with products of the occupied ones and divisions by
        two Cholesky factors, three of them; sums for the diagonal, the largest elements of F and Y^T Y, the factors."""
        n, o = self.order, n_occupied
        return self.product(n, o, o).times(2.5).plus(self.product(o, o, n), self.sums(5), self.sweep(o).times(n_sweep))

    # ---- The SCF ----

    def diagonalisation(self, n_occupied, n_iteration, search=DIAGONALISED):
        """Of the overlap, all vectors; the Fock matrices between two builds, those that are not rotated: of the first,
        whose orbitals become the basis then, all vectors, else the occupied ones; and at the end the energies of all."""
        found = max(0, n_iteration - 1) * search.n_set - search.n_rotation
        n_basis = min(found, search.n_set) if search.n_rotation > 0 else 0
        cost = self.eigen(self.order).times(1 + n_basis).plus(self.eigen(0).times(search.n_set),
                                                              self.eigen(n_occupied).times(found - n_basis))
        if search.n_rotation > 0:
            cost = cost.plus(self.rotation(n_occupied, search.n_sweep / search.n_rotation).times(search.n_rotation))
        return cost

    def others(self, n_occupied, n_iteration, search=DIAGONALISED):
        """Of an iteration: X^T F X (half of the second product by symmetry), the commutator F C_occ C_occ^T, the density
        X C_occ and C_occ C_occ^T (half), and sums over all ranks: energies, the size of the commutator, products
        and coefficients of DIIS. With rotations, once: the orbitals as the new basis."""
        n, o = self.order, n_occupied
        each = self.product(n, n, n).times(1.5).plus(self.product(n, o, n).times(2.0), self.product(n, n, o).times(1.5),
                                                     self.sums(4))
        basis = self.product(n, n, n).times(search.n_set if search.n_rotation > 0 else 0)
        return each.times(n_iteration * search.n_set).plus(basis)
