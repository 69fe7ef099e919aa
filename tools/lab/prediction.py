"""Fock builds on any number of ranks, replayed from the costs of their tasks.

A build is a round of tasks and the communication around it (simulation.py). With replicated matrices that is the density
to all ranks and the sums of J and K to their owners. With distributed matrices every rank fetches the
density blocks that its tasks need, and sends the blocks of J and K that they add to: block by block, in the round. If J is
made by the Coulomb pass, that comes before the round (coulomb_pass.py)."""

from typing import NamedTuple

from . import coulomb_pass, phases
from .simulation import Round, Rounds, Step, simulate
from .trace import COULOMB_TASK, TASK

# Small reductions over all ranks in a build, beside those of the Coulomb pass: counted with water, 4 ranks. What is simulated is
# not among them: the barrier of a round, agreements on each matrix and on the largest density, with distributed ones also the sum of
# the counts of blocks.
N_AGREEMENT = 4


class Prediction(NamedTuple):
    """All Fock builds of a calculation on `n_rank` ranks; means over their threads. Computing and idling are those of the
    rounds; what there is of both and of messages in the Coulomb pass is the pass's."""
    scheduler: str
    n_rank: int
    tasks_for: int   # of the traces that were replayed
    seconds: float
    compute_seconds: float
    idle_seconds: float
    communication_seconds: float
    efficiency: float
    coulomb_seconds: float


class Simulated:
    """`network` (network.Network) is the machine that is simulated; `n_thread` those of each rank."""
    TITLE, NAME, WHOLE = "Fock builds", "fock", "Fock builds"

    def __init__(self, recording, network, n_thread=1):
        if n_thread < 1:
            raise ValueError(f"{n_thread} threads, expected at least 1")
        self.recording = recording
        self.network = network
        self.n_thread = n_thread
        self.machine = network.machine
        self._known, self._rounds = {}, {}

    def rounds(self, size):
        """(rounds of all builds of a size, those of their Coulomb passes or None)"""
        if size.tasks_for not in self._rounds:
            passes = [Round(build.coulomb, levels=build.levels.get(COULOMB_TASK, b"")) for build in size.builds if build.coulomb]
            builds = [Round(build.computed, build.stored, build.blocks, build.levels.get(TASK, b""), build.adds) for build in size.builds]
            self._rounds[size.tasks_for] = Rounds(builds, self.recording.header), Rounds(passes) if passes else None
        return self._rounds[size.tasks_for]

    def predict(self, scheduler, n_rank):
        """The replay of all builds; asked again, the same answer at once."""
        key = scheduler, n_rank
        if key not in self._known:
            self._known[key] = self._replay(scheduler, n_rank)
        return self._known[key]

    def heading(self):
        header = self.recording.header
        yield (f"{header['input_path']}, {header['basis']}: {header['n_function']} functions, matrices {header['fock']}, "
               f"tasks {header['grain']}; all Fock builds take {self.recording.seconds_of_one:.3f} s on one process")

    def steps(self, scheduler, n_rank):
        """Of forecast.py; see Prediction."""
        found = self.predict(scheduler, n_rank)
        return {self.WHOLE: Step(found.seconds, dict(zip(phases.BUILD, (
            found.coulomb_seconds, found.compute_seconds, found.idle_seconds, found.communication_seconds))))}

    @staticmethod
    def seconds_in(trace):
        return {Simulated.WHOLE: sum(build.seconds for build in trace.builds)}

    def _replay(self, scheduler, n_rank):
        size = self.recording.nearest(n_rank * self.n_thread)
        rounds, passes = self.rounds(size)
        machine = scheduler, n_rank, self.network, self.n_thread
        seconds = communication = 0.0
        coulomb = sum(outcome.seconds for outcome in passes.run(*machine)) if passes else 0.0
        for build, outcome in zip(size.builds, rounds.run(*machine)):
            coulomb += self.beside_coulomb_tasks(build, n_rank)
            moved = self.moving_seconds(outcome, n_rank) if n_rank > 1 else 0.0
            seconds += outcome.seconds - moved
            communication += moved
        communication += size.local_seconds / n_rank + len(size.builds) * N_AGREEMENT * self.network.all_reduce_seconds(n_rank)
        compute = size.work_seconds / (n_rank * self.n_thread)
        total = seconds + communication + coulomb
        return Prediction(scheduler, n_rank, size.tasks_for, total, compute, seconds - compute, communication,
                          self.efficiency(None, total, n_rank), coulomb)

    def beside_coulomb_tasks(self, build, n_rank):
        """Steps and messages of the Coulomb pass of a build."""
        return (coulomb_pass.rest_seconds(build, n_rank, self.network, self.n_thread)
                + coulomb_pass.messages_seconds(build, n_rank, self.network, self.machine, self.n_thread))

    def moving_seconds(self, outcome, n_rank):
        """Of the average thread of a round: for blocks, and for the matrices before and after its tasks."""
        return outcome.blocked / (n_rank * self.n_thread) + outcome.seconds - outcome.tasks_over

    def round_efficiency(self, scheduler, build, n_rank):
        """Of the round of tasks of one build alone."""
        if n_rank == 1:
            return 1.0
        return sum(build.computed) / (n_rank * simulate(scheduler, build.computed, n_rank, self.network).seconds)

    def efficiency(self, _step, seconds, n_rank):
        """Over all threads."""
        return self.recording.seconds_of_one / (n_rank * self.n_thread * seconds)

    def falls_below(self, scheduler, level, most):
        """The number of ranks, to about one in twenty, above which the efficiency is less than `level`; None: up to
        `most` there is none. Few ranks under a manager do not count."""
        above = 4
        while self.predict(scheduler, min(2 * above, most)).efficiency >= level:
            above *= 2
            if above >= most:
                return None
        below = min(2 * above, most)
        while below - above > max(1, above // 20):
            middle = (above + below) // 2
            if self.predict(scheduler, middle).efficiency < level:
                below = middle
            else:
                above = middle
        return below
