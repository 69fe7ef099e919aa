"""The Coulomb pass of Fock builds on many ranks (src/coulomb/coulomb.c), before the round of tasks for K, from which barriers
part it: the round of its own tasks, replayed with the scheduler of the others; the steps around it, divided over ranks
and threads; sums over the nodes.

hf deals and orders tasks of the pass by estimates of their cost, in every build anew. Traces do not have these: the replay
goes by the time that the tasks took, so that shares dealt beforehand (static) are more even here than in hf."""

from . import models
from .replay import simulate

N_SUM, N_AGREEMENT = 5, 4  # over the nodes: H, moments, strengths, local expansions, V; over all ranks
NODE_SHARE = 0.11  # of what is beside the tasks (kets, translations up and down the trees): C12H26 0.116, 10 water 0.108, 6-31G


def tasks_seconds(scheduler, build, n_rank, network, n_thread=1):
    """Of the round of tasks of a build's pass."""
    if not build.coulomb:
        return 0.0
    return simulate(scheduler, build.coulomb, n_rank, network, n_thread=n_thread).seconds


def rest_seconds(seconds_of_one, n_rank, network, n_thread=1):
    """Of what a rank alone does beside the tasks; some of it is done once on each node."""
    n_node_rank = min(network.ranks_per_node, n_rank)
    shared = NODE_SHARE / n_node_rank + (1.0 - NODE_SHARE) / n_rank
    return network.crowding(n_rank, n_thread) * seconds_of_one * shared / n_thread


def messages_seconds(build, n_rank, network, machine):
    """Sums of numbers that one rank of each node takes part in, and agreements of all ranks."""
    if not build.coulomb or n_rank == 1:
        return 0.0
    seconds = N_AGREEMENT * network.all_reduce_seconds(n_rank)
    if network.n_node(n_rank) > 1:
        n_number = build.info.get("coulomb_numbers_summed", 0) / N_SUM
        seconds += N_SUM * models.all_reduce_seconds(machine, n_number, network.n_node(n_rank))
    return seconds
