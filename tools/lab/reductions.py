"""Densities to all ranks and J and K to the owners of their blocks, as the replicated builder does it
(src/fock/node_blocks.h): seconds of one build, from the bytes and messages of the rank or the node that has most.

A node has one line, which its ranks share; P ranks on N nodes, R on each; a matrix in lower blocks is S = n^2/2 numbers.
Of the sums hf leaves out blocks that nobody has added to: where the trace says how often each was added to, `Share` has
what is left of them; else all are counted. Sums are added up once along the row of nodes and once along the column."""

import math

from . import constants
from .linear_algebra import grids

WORD = 8


def columns(n_node):
    """Nodes of a row; as many as there are: there is one row (hf_node_blocks_columns)."""
    return n_node if n_node < constants.of("fock").least_in_rows else math.isqrt(n_node - 1) + 1


class Share:
    """Numbers of J and K together that so many ranks of all have anything of, as parts of tasks added to the blocks and
    were dealt to the ranks at random; `adds` of BuildCosts, empty: everything."""

    def __init__(self, adds, n_part):
        self.blocks = [(min(1.0, times / n_part), n_bytes / WORD) for kind in adds.values()
                       for times, n_bytes in kind.values()] if n_part > 0 else []

    def numbers(self, n_part_of_some, everything):
        if not self.blocks:
            return everything
        return min(everything, sum(n * (1.0 - (1.0 - hit) ** n_part_of_some) for hit, n in self.blocks))


def in_node(network, numbers, n_in_node):
    """Every rank clears its own J and K and adds up its share of all ranks', out of their memory."""
    near = network.node_beta_seconds_per_byte
    cleared = WORD * numbers * near
    if n_in_node == 1:
        return cleared
    return (cleared + WORD * numbers * near + (n_in_node - 1) / n_in_node * numbers * network.addition_seconds +
            2.0 * network.node_alpha_seconds)


def messages_seconds(network, n_peer, numbers):
    """Latencies of messages to so many ranks, in pieces, so many under way."""
    fock = constants.of("fock")
    n_message = n_peer * max(1, -(-int(numbers) // fock.piece_numbers))
    return -(-n_message // fock.messages_under_way) * network.alpha_seconds


def between_nodes(network, n_rank, along_row, along_column, adds):
    """Every rank exchanges numbers of all matrices with ranks of the row, then with those of the column: along_row and
    along_column are what all ranks of a node would send to all nodes of the row, and to all of the column, themselves
    included. `adds`: what comes is added up."""
    n_node, in_one = network.n_node(n_rank), min(network.ranks_per_node, n_rank)
    n_column = columns(n_node)
    seconds = 0.0
    for n_peer, numbers in ((n_column - 1, along_row), (-(-n_node // n_column) - 1, along_column)):
        each = numbers / (n_peer + 1)
        seconds += messages_seconds(network, n_peer, each / in_one)
        seconds += n_peer * each * (WORD * network.beta_seconds_per_byte + (network.addition_seconds / in_one if adds else 0.0))
    return seconds


def to_grid(network, order, n_block, n_rank, n_matrix):
    """From owners to the ranks of the process grid, or back: those of the grid have more to take than owners to give."""
    size = order**2 / 2
    grid, in_one = grids(n_rank, order).all.size, min(network.ranks_per_node, n_rank)
    near = network.n_node(n_rank) == 1
    n_message = 0 if near else min(n_rank - 1, -(-n_block // grid))
    each = 2.0 * WORD * size / grid
    if near:
        return n_matrix * each * network.node_beta_seconds_per_byte
    return n_matrix * (n_message * network.alpha_seconds + each * min(in_one, grid) * network.beta_seconds_per_byte)


def build_seconds(network, order, n_atom, n_rank, n_sum=2, n_density=1, adds=None, n_part=0):
    """Of one build whose `n_part` parts added to blocks as `adds` says; 0 on one rank, whose copying is measured."""
    # pylint: disable=too-many-arguments,too-many-positional-arguments
    if n_rank == 1:
        return 0.0
    size, n_block = order**2 / 2, n_atom * (n_atom + 1) // 2
    share, everything = Share(adds or {}, n_part), n_sum * size
    in_one, n_node = min(network.ranks_per_node, n_rank), network.n_node(n_rank)
    seconds = in_node(network, share.numbers(n_part / n_rank, everything), in_one)
    seconds += to_grid(network, order, n_block, n_rank, n_sum + n_density)
    if n_node > 1:
        n_column = columns(n_node)
        of_node = share.numbers(n_part * in_one / n_rank, everything)
        of_row = share.numbers(n_part * in_one * n_column / n_rank, everything)
        seconds += between_nodes(network, n_rank, of_node, of_row / n_column, True)
        seconds += between_nodes(network, n_rank, n_density * size, n_density * size / n_column, False)
    return seconds
