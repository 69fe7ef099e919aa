"""Densities to all ranks and J and K to the owners of their blocks, as the replicated builder does it (docs/architecture.md,
"Sums over the ranks"): seconds of one build, from the bytes and messages of the rank or the node that has most.

A node has one line, which its ranks share; P ranks on N nodes, R on each; a matrix in lower blocks is S = n^2/2 numbers.
Blocks without anything, which hf leaves out, are counted."""

from .linear_algebra import choose_grid

WORD = 8
PIECE, WINDOW = 65536, 4  # numbers of a matrix in a message, and messages under way (src/fock/block_traffic.h)


def in_node(network, gamma_seconds, size, n_in_node, n_matrix):
    """Every rank clears its own J and K and adds up its share of all ranks', out of their memory."""
    near = network.node_beta_seconds_per_byte
    cleared = n_matrix * WORD * size * near
    if n_in_node == 1:
        return cleared
    read = n_matrix * WORD * size * near
    added = (n_in_node - 1) / n_in_node * n_matrix * size * gamma_seconds
    return cleared + read + added + 2.0 * network.node_alpha_seconds


def between_nodes(network, size, n_rank, n_matrix):
    """Every rank exchanges its share with one rank on each other node."""
    n_node, in_one = network.n_node(n_rank), min(network.ranks_per_node, n_rank)
    n_message = (n_node - 1) * max(1, -(-int(size / n_rank) // PIECE))
    along = n_matrix * WORD * size * (n_node - 1) * in_one / n_rank * network.beta_seconds_per_byte
    return -(-n_message // WINDOW) * network.alpha_seconds + along


def to_grid(network, order, n_block, n_rank, n_matrix):
    """From owners to the ranks of the process grid, or back: those of the grid have more to take than owners to give."""
    size = order**2 / 2
    grid, in_one = choose_grid(n_rank, order).size, min(network.ranks_per_node, n_rank)
    near = network.n_node(n_rank) == 1
    n_message = 0 if near else min(n_rank - 1, -(-n_block // grid))
    each = 2.0 * WORD * size / grid
    if near:
        return n_matrix * each * network.node_beta_seconds_per_byte
    return n_matrix * (n_message * network.alpha_seconds + each * min(in_one, grid) * network.beta_seconds_per_byte)


def build_seconds(network, gamma_seconds, order, n_atom, n_rank, n_sum=2, n_density=1):
    """Of one build; 0 on one rank, whose copying is measured."""
    if n_rank == 1:
        return 0.0
    size, n_block = order**2 / 2, n_atom * (n_atom + 1) // 2
    seconds = in_node(network, gamma_seconds, size, min(network.ranks_per_node, n_rank), n_sum)
    seconds += to_grid(network, order, n_block, n_rank, n_sum + n_density)
    n_node = network.n_node(n_rank)
    if n_node > 1:
        seconds += between_nodes(network, size, n_rank, n_sum) + between_nodes(network, size, n_rank, n_density)
        seconds += (n_node - 1) / n_rank * n_sum * size * gamma_seconds
    return seconds
