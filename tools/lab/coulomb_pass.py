"""The Coulomb pass of Fock builds on many ranks (src/coulomb), before the round of tasks for K, from which barriers part it:
the round of its own tasks, replayed with the scheduler of the others; the steps beside it, each as hf divides it; what
nodes send each other.

Traces record each step with the number of its units, which are taken to be alike: a rank has whole units. Steps of levels
work on as many cells at a time as there are lanes; levels that many ranks do at once, up and down, take as many turns of
the lanes as there."""

from typing import NamedTuple

from . import constants, models

N_AGREEMENT = 2  # of all ranks: start and end of the tasks
# Steps, as hf names them
KETS, LEAVES, UP, BOUNDS, ACROSS, DOWN, TO_LEAVES = "kets", "leaves", "up", "bounds", "across", "down", "to leaves"


class Step(NamedTuple):
    """A step of one build as one rank does it alone."""
    kind: str
    n_unit: int
    seconds: float


def ceil_of(n, parts):
    return -(-n // parts)


class Division:
    """How the steps of a build are divided over so many ranks and threads."""

    def __init__(self, steps, n_rank, network, n_thread):
        self.steps, self.n_rank, self.n_thread = steps, n_rank, n_thread
        self.in_node, self.n_node = min(network.ranks_per_node, n_rank), network.n_node(n_rank)
        self.n_leaf = next((step.n_unit for step in steps if step.kind == LEAVES), 0)
        self.n_ket_leaf = next((step.n_unit for step in steps if step.kind == KETS), 0)
        self.n_cell = next((step.n_unit for step in steps if step.kind == ACROSS), 0)
        self.sizes = constants.of("coulomb")
        self.lanes = self.sizes.lanes

    def is_divided(self, n_unit, n_source):
        """Whether all nodes have their share of a round of the way up (is_divided of far_translate.c)."""
        return self.n_node > 1 and n_unit * self.n_node > self.lanes // n_source * self.n_thread * self.n_rank

    def rounds(self):
        """(cells, sources of each) of the rounds of the way up: levels are joined as make_rounds of far_plan.c does it."""
        found = []
        n_lane = self.lanes * self.n_thread * self.n_rank
        for step in self.steps:
            if step.kind != UP:
                continue
            n_unit, n_source = found[-1] if found else (0, self.lanes)
            if 2 * n_source <= self.lanes and 2 * n_source * (n_unit + step.n_unit) <= n_lane:
                found[-1] = n_unit + step.n_unit, 2 * n_source
            else:
                found.append((step.n_unit, 2))
        return found

    def up_seconds(self):
        seconds = sum(step.seconds for step in self.steps if step.kind == UP)
        if seconds == 0.0:
            return 0.0
        n_turn = sum(ceil_of(step.n_unit, self.lanes // 2) for step in self.steps if step.kind == UP)
        return seconds / n_turn * sum(
            ceil_of(ceil_of(n_unit, self.n_thread * (self.n_rank if self.is_divided(n_unit, n_source) else self.in_node)),
                    self.lanes // n_source) for n_unit, n_source in self.rounds())

    def down_seconds(self):
        """Level by level, or all cells above a leaf at once (find_own_leaves of far_plan.c)."""
        levels = [step.n_unit for step in self.steps if step.kind == DOWN]
        seconds = sum(step.seconds for step in self.steps if step.kind == DOWN)
        if seconds == 0.0:
            return 0.0
        n_worker, n_leaf = self.in_node * self.n_thread, ceil_of(self.n_leaf, self.n_node)
        by_levels = sum(ceil_of(ceil_of(min(n_unit, n_leaf), n_worker), self.lanes) for n_unit in levels)
        at_once = ceil_of(n_leaf, n_worker) * ceil_of(len(levels), self.lanes)
        return seconds / sum(ceil_of(n_unit, self.lanes) for n_unit in levels) * min(by_levels, at_once)

    def share(self, step):
        """Of the seconds of a step, those of the rank that has most."""
        if step.n_unit == 0 or step.kind == BOUNDS:
            return 1.0
        if step.kind in (UP, DOWN):
            return 0.0
        if step.kind == TO_LEAVES:
            return ceil_of(ceil_of(step.n_unit, self.n_node), self.in_node * self.n_thread) / step.n_unit
        return ceil_of(step.n_unit, self.n_rank * self.n_thread) / step.n_unit

    def gathered(self):
        """Numbers of each gather that all nodes get, but for those of kets."""
        if self.n_leaf == 0:
            return []
        sizes = self.sizes
        levels = [sizes.numbers_of_moments * n_unit for n_unit, n_source in self.rounds() if self.is_divided(n_unit, n_source)]
        return [sizes.numbers_of_moments * self.n_leaf, *levels, sizes.numbers_of_expansion * (self.n_cell - self.n_leaf),
                sizes.numbers_of_leaf * self.n_leaf]

    def seconds(self):
        """Of all steps of the rank that has most."""
        return self.up_seconds() + self.down_seconds() + sum(step.seconds * self.share(step) for step in self.steps)


def rest_seconds(build, n_rank, network, n_thread=1):
    """Of the steps beside the tasks."""
    return network.crowding(n_rank, n_thread) * Division(build.coulomb_steps, n_rank, network, n_thread).seconds()


def exchange_seconds(build, n_node, network):
    """H to those that have the leaves, and V back to those that have the blocks: a node has its share of the numbers, for as
    many nodes as it has products at most."""
    n_product = build.info.get("coulomb_products", 0)
    numbers = build.info.get("coulomb_numbers_sent", 0) / n_node
    n_peer = min(n_node - 1, ceil_of(n_product, n_node))
    n_turn = ceil_of(n_peer, constants.of("fock").messages_under_way)
    return 2.0 * n_turn * network.alpha_seconds + numbers * network.beta_seconds_per_byte * models.BYTES_PER_WORD


def messages_seconds(build, n_rank, network, machine, n_thread=1):
    """Of what the nodes send, one rank of each, and agreements of all ranks."""
    if not build.coulomb or n_rank == 1:
        return 0.0
    seconds, n_node = N_AGREEMENT * network.all_reduce_seconds(n_rank), network.n_node(n_rank)
    if n_node > 1:
        division = Division(build.coulomb_steps, n_rank, network, n_thread)
        gathered = [division.sizes.numbers_of_kets * division.n_ket_leaf, build.info.get("coulomb_numbers_of_kets", 0), *division.gathered()]
        seconds += sum(models.replication_seconds(machine, n_number, n_node) for n_number in gathered)
        seconds += exchange_seconds(build, n_node, network)
    return seconds
