"""MP2 on any number of ranks: the first half of the transformation from the measured times of its tasks, through the
simulated schedulers (replay.py); the second half from those of its units, dealt as hf deals them; and the messages
between, counted. Each algorithm of src/correlation is a function of ALGORITHMS.

Of the second half's sums and messages the ranks wait for each other only where hf makes them wait. Rows of a rank are
counted as the mean of all ranks."""

from typing import NamedTuple

from . import models
from .replay import simulate

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
    """MP2 on `n_rank` ranks without its set-up, which is `set_up`: seconds of one rank, of which a node's ranks share
    the list of shell pairs."""
    scheduler: str
    n_rank: int
    tasks_for: int
    phases: Phases
    set_up: float
    efficiency: float

    @property
    def seconds(self):
        return self.phases.total


class Machine(NamedTuple):
    """What a batch runs on."""
    network: object  # replay.Network
    scheduler: str
    n_rank: int
    n_thread: int

    @property
    def n_worker(self):
        return self.n_rank * self.n_thread

    def message_seconds(self, n_byte):
        """From one rank to another one that is, among many nodes, most probably on another node."""
        return self.network.message_seconds(n_byte, self.n_rank <= self.network.ranks_per_node)

    def exchange_seconds(self, n_byte):
        """Every rank sends each other one a message of so many bytes, which it copies together, one after the other."""
        copying = n_byte * self.network.node_beta_seconds_per_byte
        return (self.n_rank - 1) * (copying + self.message_seconds(n_byte))

    def round(self, busy, n_byte):
        """All send each other messages, then the ranks are `busy`, then they agree to go on."""
        busy = [seconds / self.n_thread for seconds in busy]
        mean = sum(busy) / self.n_rank
        return Phases(second=mean, moving=self.exchange_seconds(n_byte),
                      waiting=max(busy) - mean + self.network.all_reduce_seconds(self.n_rank))


def first_half(batch, machine):
    """Tasks through the scheduler."""
    outcome = simulate(machine.scheduler, batch.first, machine.n_rank, machine.network, n_thread=machine.n_thread)
    compute = sum(batch.first) / machine.n_worker
    return Phases(first=compute, waiting=max(0.0, outcome.seconds - compute))


# ---- kets ----

def kets(batch, sizes, machine):
    """Rounds of units, the longest first: the rows of a unit's orbital go to its rank (src/correlation/exchange.c), which
    finishes them; then all agree to go on."""
    found = first_half(batch, machine)
    n_rank = machine.n_rank
    row_bytes = sizes.kept_bytes / sizes.n_orbital / n_rank
    for first in range(0, len(batch.pairs), n_rank):
        found = found.plus(machine.round(batch.pairs[first:first + n_rank], row_bytes))
    return found


# ---- pairs ----

MATRIX_NUMBERS, MOST_PAIRS = 8e6, 64  # of the matrices of pairs at a time (src/correlation/shells_second.c)
PADDED_TO = 8


def pairs_at_a_time(n_function, n_thread):
    """Pairs that a rank finishes between two exchanges."""
    padded = -(-n_function // PADDED_TO) * PADDED_TO
    return max(n_thread, min(MOST_PAIRS, int(MATRIX_NUMBERS / (n_function * padded))))


def pairs(batch, sizes, machine):
    """Rounds in which each rank gets some of its pairs ij, which are dealt in turns, and finishes them."""
    found = first_half(batch, machine)
    n_rank, n_pair = machine.n_rank, len(batch.pairs)
    at_a_time = pairs_at_a_time(sizes.model.n_function, machine.n_thread)
    bytes_of_pair = sizes.kept_bytes / n_pair / n_rank  # that a rank has
    for first in range(0, n_pair, at_a_time * n_rank):
        own = [batch.pairs[rank:first + at_a_time * n_rank:n_rank] for rank in range(first, min(first + n_rank, n_pair))]
        found = found.plus(machine.round([sum(seconds) for seconds in own], len(own[0]) * bytes_of_pair))
    return found.plus(Phases(moving=batch.copying / machine.n_worker))


ALGORITHMS = {"kets": kets, "pairs": pairs}


# ---- All ----

class Sizes(NamedTuple):
    """Of a transformation: the models' sizes; orbitals of the largest batch, and the bytes that are kept of them on all
    ranks together."""
    model: models.Transformation
    n_orbital: int
    kept_bytes: float


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
        self.own_seconds = sum(sum(batch.first) + sum(batch.pairs) + batch.copying for batch in recording.sizes[0].batches)
        self.seconds_of_one = seconds_of_one or self.own_seconds
        self._known = {}

    def predict(self, scheduler, n_rank):
        key = scheduler, n_rank
        if key not in self._known:
            self._known[key] = self._replay(scheduler, n_rank)
        return self._known[key]

    def _replay(self, scheduler, n_rank):
        size = self.recording.nearest(n_rank * self.n_thread)
        machine = Machine(self.network, scheduler, n_rank, self.n_thread)
        phases = Phases()
        for batch in size.batches:
            phases = phases.plus(ALGORITHMS[self.algorithm](batch, self.sizes, machine))
        o = self.sizes.model.n_occupied
        if n_rank > 1:
            phases = phases.plus(Phases(moving=models.all_reduce_seconds(self.machine, o * (o + 1), n_rank)))
        crowding = self.network.crowding(n_rank, self.n_thread)
        phases = Phases(*(crowding * seconds for seconds in phases[:2]), *phases[2:])
        return Mp2Prediction(scheduler, n_rank, size.tasks_for, phases, self.recording.mp2_set_up,
                             self.efficiency(phases.total, n_rank))

    def efficiency(self, seconds, n_rank):
        return self.seconds_of_one / (n_rank * self.n_thread * seconds)

    def model_seconds(self, n_rank):
        """Eq. 9.10 or 9.13, or the same sum of hf's algorithms."""
        return models.transformation_seconds(self.algorithm, self.machine, self.sizes.model,
                                             self.own_seconds / self.n_thread, n_rank)


def lines(simulated, schedulers, processes):
    """For people."""
    sizes = simulated.sizes.model
    yield (f"MP2, {simulated.algorithm}: {sizes.n_occupied} occupied and {sizes.n_virtual} virtual orbitals, batches: "
           f"{sizes.n_batch}; {simulated.own_seconds:.3f} s on one process, and a set-up of "
           f"{simulated.recording.mp2_set_up:.3f} s that is left out")
    if simulated.seconds_of_one != simulated.own_seconds:
        yield f"speedups are relative to {simulated.seconds_of_one:.3f} s"
    for scheduler in schedulers:
        yield ""
        yield (f"{scheduler:>9} {'tasks for':>9} | {'seconds':>9} {'speedup':>9} {'effic.':>6} | {'1st half':>8} "
               f"{'2nd half':>8} {'moving':>8} {'waiting':>8} | {'model s':>9} {'effic.':>6}")
        for n_rank in processes:
            found = simulated.predict(scheduler, n_rank)
            model = simulated.model_seconds(n_rank)
            shares = " ".join(f"{100.0 * seconds / found.seconds:7.1f}%" for seconds in found.phases)
            yield (f"{n_rank:9d} {found.tasks_for:9d} | {found.seconds:9.4g} {n_rank * simulated.n_thread * found.efficiency:9.2f} "
                   f"{found.efficiency:6.3f} | {shares} | {model:9.4g} {simulated.efficiency(model, n_rank):6.3f}")
