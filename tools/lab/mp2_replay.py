"""MP2 on any number of ranks: the first half of the transformation from the measured times of its tasks, through the
simulated schedulers (simulation.py); the second half from those of its units, dealt as hf deals them; and the messages
between, counted. Each algorithm of src/correlation is a function of ALGORITHMS.

Simpler than in hf: each rank has the same part of the half-transformed integrals; messages of P2 are as long as the time of
a task's second quarter says; the sums of P1 wait for the rank that has most of the kets, the same one for all bras."""

from typing import NamedTuple

from . import constants, models
from .simulation import simulate

BYTES = models.BYTES_PER_WORD


class Phases(NamedTuple):
    """Seconds of the average thread: computing integrals and the first half, computing the second half, messages
    that nothing hides, waiting for tasks and for the last rank."""
    first: float = 0.0
    second: float = 0.0
    moving: float = 0.0
    waiting: float = 0.0

    def plus(self, other):
        return Phases(*(one + more for one, more in zip(self, other)))

    @property
    def total(self):
        return sum(self)


class Mp2Prediction(NamedTuple):
    """MP2 on `n_rank` ranks, without its set-up."""
    scheduler: str
    n_rank: int
    tasks_for: int
    phases: Phases
    speedup: float
    efficiency: float

    @property
    def seconds(self):
        return self.phases.total


class Machine(NamedTuple):
    """What a batch runs on."""
    network: object  # network.Network
    model: models.Machine
    scheduler: str
    n_rank: int
    n_thread: int

    @property
    def n_worker(self):
        return self.n_rank * self.n_thread

    def message_seconds(self, n_byte):
        """From one rank to another one that is, among many nodes, most probably on another node."""
        return self.network.message_seconds(n_byte, self.n_rank <= self.network.ranks_per_node)

    def exchange(self, n_byte):
        """Every rank sends each other one a message of so many bytes, which it copies together, one after the other."""
        copying = n_byte * self.network.node_beta_seconds_per_byte
        return Phases(moving=(self.n_rank - 1) * (copying + self.message_seconds(n_byte)))

    def finish(self, busy):
        """The ranks are `busy`, then they agree to go on."""
        busy = [seconds / self.n_thread for seconds in busy]
        mean = sum(busy) / self.n_rank
        return Phases(second=mean, waiting=max(busy) - mean + self.network.all_reduce_seconds(self.n_rank))


def first_half(batch, machine, costs=None):
    """Tasks through the scheduler; with `costs` they take longer than they compute, by messages."""
    costs = costs or batch.first
    outcome = simulate(machine.scheduler, costs, machine.n_rank, machine.network, n_thread=machine.n_thread)
    compute = sum(map(sum, batch[:3])) / machine.n_worker
    busy = sum(costs) / machine.n_worker
    return Phases(first=compute, moving=busy - compute, waiting=max(0.0, outcome.seconds - busy))


# ---- P1 and P2 ----

P1_SMALL_PRODUCTS = 5.0  # then it takes so many times as long in all (measured there)


def share_of_most(costs, n_rank):
    """Of tasks that are dealt in turns the part that the busiest rank has."""
    return max(sum(costs[rank::n_rank]) for rank in range(min(n_rank, len(costs)))) / sum(costs)


def finish_ordered(batch, machine):
    """Pairs number i o + j, of which j >= i are computed, are dealt in turns."""
    return machine.finish([sum(batch.pairs[rank::machine.n_rank]) for rank in range(machine.n_rank)])


def p1(batch, sizes, machine):
    """Each bra by all ranks. A rank has its kets' integrals and the second quarter of its pairs. The first quarter is one
    product over all functions on few ranks; on more ranks each multiplies its own kets, with smaller products. A quartet
    costs as much as its bra and its ket have in all quartets."""
    n_rank, model = machine.n_rank, sizes.model
    n_pair = sizes.n_orbital * model.n_occupied
    integrals, first_quarter, second_quarter = map(sum, batch[:3])
    first_quarter *= 1.0 if n_rank < constants.of("mp2").few_kets else P1_SMALL_PRODUCTS / n_rank
    first = integrals / n_rank + first_quarter + second_quarter / n_rank
    waiting = integrals * (share_of_most(batch.first, n_rank) - 1.0 / n_rank)
    waiting += second_quarter * (-(-n_pair // n_rank) / n_pair - 1.0 / n_rank)
    n_sum = len(batch.first)
    words = models.transformation_words("p1", model)[1] / model.n_batch * sizes.share_of_pairs(batch)
    sums = n_sum * models.all_reduce_seconds(machine.model, words / n_sum, n_rank)
    return Phases(first=first, moving=sums, waiting=waiting).plus(finish_ordered(batch, machine))


def p2(batch, sizes, machine):
    """Bras through the scheduler. In its second quarter a task sends what it adds to pairs of other ranks, and is not over
    before its last messages are on their way; sender and owner copy what is sent."""
    model, network = sizes.model, machine.network
    others = (machine.n_rank - 1) / machine.n_rank
    words = others * models.transformation_words("p2", model)[1] / model.n_batch * sizes.share_of_pairs(batch)
    n_message = others * 2 * sizes.n_orbital * model.n_occupied * len(batch.first)
    whole = sum(batch.second_quarter)
    alone = machine.message_seconds(0)
    each = max(machine.message_seconds(BYTES * words / n_message) - alone, 2.0 * alone / constants.of("mp2").most_sends) if n_message else 0.0
    sending = n_message * each / whole
    copying = 2.0 * BYTES * words * network.node_beta_seconds_per_byte / whole
    costs = [integrals + first + second * max(1.0 + copying, sending)
             for integrals, first, second in zip(batch.first, batch.first_quarter, batch.second_quarter)]
    return first_half(batch, machine, costs).plus(finish_ordered(batch, machine))


# ---- kets ----

def kets(batch, sizes, machine):
    """Rounds of units, the longest first: the rows of a unit's orbital go to its rank (src/correlation/exchange.c), which
    finishes them; then all agree to go on."""
    found = first_half(batch, machine)
    n_rank = machine.n_rank
    row_bytes = sizes.kept_bytes / sizes.n_orbital / n_rank
    for first in range(0, len(batch.pairs), n_rank):
        found = found.plus(machine.exchange(row_bytes)).plus(machine.finish(batch.pairs[first:first + n_rank]))
    return found


# ---- pairs ----

def pairs_at_a_time(n_function, n_thread):
    """Pairs that a rank finishes between two exchanges."""
    mp2 = constants.of("mp2")
    padded = -(-n_function // mp2.padded_to) * mp2.padded_to
    return max(n_thread, min(mp2.most_pairs, int(mp2.matrix_numbers / (n_function * padded))))


def pairs(batch, sizes, machine):
    """Rounds in which each rank gets some of its pairs ij, which are dealt in turns, and finishes them."""
    found = first_half(batch, machine)
    n_rank, n_pair = machine.n_rank, len(batch.pairs)
    at_a_time = pairs_at_a_time(sizes.model.n_function, machine.n_thread)
    bytes_of_pair = sizes.kept_bytes / n_pair / n_rank  # that a rank has
    for first in range(0, n_pair, at_a_time * n_rank):
        own = [batch.pairs[rank:first + at_a_time * n_rank:n_rank] for rank in range(first, min(first + n_rank, n_pair))]
        found = found.plus(machine.exchange(len(own[0]) * bytes_of_pair))
        found = found.plus(machine.finish([sum(seconds) for seconds in own]))
    return found.plus(Phases(moving=batch.copying / machine.n_worker))


ALGORITHMS = {"p1": p1, "p2": p2, "kets": kets, "pairs": pairs}


# ---- All ----

class Sizes(NamedTuple):
    """Of a transformation: the models' sizes; orbitals of the largest batch, and the bytes that are kept of them on all
    ranks together."""
    model: models.Transformation
    n_orbital: int
    kept_bytes: float

    def share_of_pairs(self, batch):
        """Pairs of shells that are bras, of all there are."""
        return 2.0 * len(batch.first) / (self.model.n_shell * (self.model.n_shell + 1.0))


def sizes_of(recording):
    header, mp2 = recording.header, recording.mp2
    model = models.Transformation(header["n_function"], mp2["shells"], mp2["correlated_orbitals"],
                                  mp2["virtual_orbitals"], mp2["batches"])
    return Sizes(model, -(-model.n_occupied // model.n_batch), mp2["stored_bytes"])


class SimulatedMp2:
    """`seconds_of_one` is what one rank takes, unless another time is to compare with (that of a faster algorithm)."""

    def __init__(self, recording, network, gamma_seconds, n_thread=1, seconds_of_one=None):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        if recording.header["n_rank"] > 1:
            raise ValueError(f"MP2 is replayed from traces of 1 process, not of {recording.header['n_rank']}")
        self.recording, self.network, self.n_thread = recording, network, n_thread
        self.algorithm = recording.mp2["algorithm"]
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"the algorithm {self.algorithm} of MP2 is not known here, expected one of "
                             f"{', '.join(ALGORITHMS)}")
        self.sizes = sizes_of(recording)
        self.machine = models.Machine(network.alpha_seconds, BYTES * network.beta_seconds_per_byte, gamma_seconds)
        self.own_seconds = sum(batch.seconds for batch in recording.sizes[0].batches)
        self.seconds_of_one = seconds_of_one or self.own_seconds
        self._known = {}

    def predict(self, scheduler, n_rank):
        key = scheduler, n_rank
        if key not in self._known:
            self._known[key] = self._replay(scheduler, n_rank)
        return self._known[key]

    def _replay(self, scheduler, n_rank):
        size = self.recording.nearest(n_rank * self.n_thread)
        machine = Machine(self.network, self.machine, scheduler, n_rank, self.n_thread)
        phases = Phases()
        for batch in size.batches:
            phases = phases.plus(ALGORITHMS[self.algorithm](batch, self.sizes, machine))
        o = self.sizes.model.n_occupied
        if n_rank > 1:
            phases = phases.plus(Phases(moving=models.all_reduce_seconds(self.machine, o * (o + 1), n_rank)))
        crowding = self.network.crowding(n_rank, self.n_thread)
        phases = Phases(*(crowding * seconds for seconds in phases[:2]), *phases[2:])
        return Mp2Prediction(scheduler, n_rank, size.tasks_for, phases, self.seconds_of_one / phases.total,
                             self.efficiency(phases.total, n_rank))

    def efficiency(self, seconds, n_rank):
        return self.seconds_of_one / (n_rank * self.n_thread * seconds)

    def model_seconds(self, n_rank):
        """Eq. 9.10 or 9.13, or the same sum of hf's algorithms."""
        return models.transformation_seconds(self.algorithm, self.machine, self.sizes.model,
                                             self.own_seconds / self.n_thread, n_rank)
