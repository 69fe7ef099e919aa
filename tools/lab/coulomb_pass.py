"""The Coulomb pass of Fock builds on many ranks (src/coulomb), before the round of tasks for K, from which barriers part it:
the round of its own tasks, replayed with the scheduler of the others; the steps beside it, each as hf divides it; what
nodes send each other.

Traces record each step with the number of its units, which are taken to be alike: a rank has whole units. Steps of levels
work on as many cells at a time as there are lanes. hf deals and orders tasks of the pass by estimates of their cost, in
every build anew. Traces do not have these: the replay goes by the time that the tasks took, so that shares dealt beforehand
(static) are more even here than in hf."""

from typing import NamedTuple

from . import models
from .replay import simulate
from .reductions import messages_seconds as latencies

N_AGREEMENT = 4  # of all ranks: start and end of the tasks, the barrier behind them, outcome of the steps before
LANES = 8        # expansions at a time (HF_TRANSLATION_MOST_LANES); on the way up each cell has two
DENSITIES, KETS, LEAVES, UP, BOUNDS, ACROSS, DOWN, MATRICES = range(8)  # enum hf_coulomb_step
UNIT = 256       # HF_COULOMB_UNIT
NUMBERS, MOMENTS, LEAF = 441, 452, 505  # HF_FAR_SIZE, HF_FAR_MOMENTS, HF_FAR_LEAF


class Step(NamedTuple):
    """A step of one build as one rank does it alone."""
    kind: int
    n_unit: int
    seconds: float


def ceil_of(n, parts):
    return -(-n // parts)


def tasks_seconds(scheduler, build, n_rank, network, n_thread=1):
    """Of the round of tasks of a build's pass."""
    if not build.coulomb:
        return 0.0
    return simulate(scheduler, build.coulomb, n_rank, network, n_thread=n_thread).seconds


class Division:
    """How the steps of a build are divided over so many ranks and threads."""

    def __init__(self, steps, n_rank, network, n_thread):
        self.steps, self.n_rank, self.n_thread = steps, n_rank, n_thread
        self.in_node, self.n_node = min(network.ranks_per_node, n_rank), network.n_node(n_rank)
        self.n_leaf = next((step.n_unit for step in steps if step.kind == LEAVES), 0)
        self.n_cell = next((step.n_unit for step in steps if step.kind == ACROSS), 0)

    def is_divided(self, n_unit):
        """Whether all nodes have their share of a level's moments (is_divided of far_translate.c)."""
        return self.n_node > 1 and n_unit * self.n_node > LANES // 2 * self.n_thread * self.n_rank

    def share(self, step):
        """Of the seconds of a step, those of the rank that has most."""
        if step.n_unit == 0 or step.kind == BOUNDS:
            return 1.0
        if step.kind in (UP, DOWN):
            n_unit, n_worker = step.n_unit, self.in_node * self.n_thread
            if step.kind == UP and self.is_divided(n_unit):
                n_worker = self.n_rank * self.n_thread
            elif step.kind == DOWN:
                n_unit = min(n_unit, ceil_of(self.n_leaf, self.n_node))
            n_lane = LANES // 2 if step.kind == UP else LANES
            return ceil_of(ceil_of(n_unit, n_worker), n_lane) / ceil_of(step.n_unit, n_lane)
        return ceil_of(step.n_unit, self.n_rank * self.n_thread) / step.n_unit

    def gathered(self):
        """Numbers of each gather that all nodes get, but for those of kets."""
        if self.n_leaf == 0:
            return []
        levels = [MOMENTS * step.n_unit for step in self.steps if step.kind == UP and self.is_divided(step.n_unit)]
        return [MOMENTS * self.n_leaf, *levels, NUMBERS * (self.n_cell - self.n_leaf), LEAF * self.n_leaf]


def rest_seconds(build, n_rank, network, n_thread=1):
    """Of the steps beside the tasks."""
    division = Division(build.coulomb_steps, n_rank, network, n_thread)
    return network.crowding(n_rank, n_thread) * sum(step.seconds * division.share(step) for step in build.coulomb_steps)


def exchange_seconds(build, n_node, network):
    """H to those that have the leaves, and V back to those that have the blocks: a node has its share of the numbers, for as
    many nodes as it has products at most."""
    n_product = build.info.get("coulomb_products", 0)
    numbers = build.info.get("coulomb_numbers_sent", 0) / n_node
    n_peer = min(n_node - 1, ceil_of(n_product, n_node))
    return 2.0 * latencies(network, n_peer, 0) + numbers * network.beta_seconds_per_byte * models.BYTES_PER_WORD


def messages_seconds(build, n_rank, network, machine, n_thread=1):
    """Of what the nodes send, one rank of each, and agreements of all ranks."""
    if not build.coulomb or n_rank == 1:
        return 0.0
    seconds, n_node = N_AGREEMENT * network.all_reduce_seconds(n_rank), network.n_node(n_rank)
    if n_node > 1:
        division = Division(build.coulomb_steps, n_rank, network, n_thread)
        gathered = [build.info.get("coulomb_numbers_of_kets", 0), *division.gathered()]
        seconds += sum(models.replication_seconds(machine, n_number, n_node) for n_number in gathered)
        seconds += exchange_seconds(build, n_node, network)
    return seconds
