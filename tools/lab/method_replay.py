"""MP2 and local MP2 on any number of ranks: hf-simulate runs what src/correlation/ and src/local/ do on them, with the recorded
times of tasks."""

import math
from types import SimpleNamespace

from . import constants, models
from .linear_algebra import LinearAlgebra
from .phases import MP2_EXCHANGE
from .simulation import Rounds, Step

BYTES = models.BYTES_PER_WORD
TRANSFORMATION, FETCHED, REPLICATED, WHOLE = "transformation", "iterations, T fetched", "iterations, T on every rank", "whole"
SET_UP = "localisation and domains"
LOCALISATION, DOMAINS, HALVES, AMPLITUDES, ITERATIONS = range(5)  # numbers of batches of local MP2; iterations go on


class Simulated:
    """A method of a Recording; `one` is a rank of one thread. `transport`: of blocks; None: that of the run, or hf's default."""

    def __init__(self, recording, network, n_thread=1, transport=None):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        if recording.header["n_rank"] > 1:
            raise ValueError(f"{self.TITLE} is replayed from traces of 1 process, not of {recording.header['n_rank']}")
        self.recording, self.network, self.n_thread = recording, network, n_thread
        self.machine = network.machine
        self.transport = transport or recording.header.get("onesided")
        self._rounds, self._known = {}, {}

    def predict(self, scheduler, n_rank, n_thread=None):
        """{step: Step}"""
        key = scheduler, n_rank, n_thread or self.n_thread
        if key not in self._known:
            size = self.recording.nearest(key[1] * key[2])
            header = self.recording.header
            if size.tasks_for not in self._rounds:
                self._rounds[size.tasks_for] = Rounds([], {**header, "onesided": self.transport}, size.batches, tasks_for=size.tasks_for)
            found = self._rounds[size.tasks_for].steps(scheduler, n_rank, self.network, key[2])
            self._known[key] = self.complete(key[1], {step: Step(phases.pop("seconds"), phases) for step, phases in found.items()})
        return self._known[key]

    def steps(self, scheduler, n_rank):
        return self.predict(scheduler, n_rank)

    def complete(self, _n_rank, steps):
        """With what is not simulated."""
        return steps

    def one(self):
        return self.predict("static", 1, 1)

    def efficiency(self, step, seconds, n_rank):
        return self.one()[step].seconds / (n_rank * self.n_thread * seconds)


class Mp2(Simulated):
    """`seconds_of_one` is what one rank takes, unless another time is to compare with (that of a faster algorithm)."""
    TITLE, NAME, WHOLE = "MP2", "mp2", "mp2"

    def __init__(self, recording, network, n_thread=1, seconds_of_one=None):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        super().__init__(recording, network, n_thread)
        mp2, self.algorithm = recording.mp2, recording.mp2["algorithm"]
        self.model = models.Transformation(recording.header["n_function"], mp2["shells"], mp2["correlated_orbitals"],
                                           mp2["virtual_orbitals"], mp2["batches"])
        self.own_seconds = sum(batch.seconds for batch in recording.sizes[0].batches[:recording.n_mp2_batch])
        self.seconds_of_one = seconds_of_one or self.own_seconds

    def efficiency(self, step, seconds, n_rank):
        return self.seconds_of_one / (n_rank * self.n_thread * seconds)

    def model_seconds(self, n_rank):
        """Eq. 9.10 or 9.13, or the same sum of hf's algorithms."""
        algorithm = "forces" if self.recording.has_forces else self.algorithm
        return models.transformation_seconds(algorithm, self.machine, self.model, self.own_seconds / self.n_thread, n_rank)

    def whole(self, scheduler, n_rank):
        """A number of processes, for figures."""
        step = self.predict(scheduler, n_rank)["mp2"]
        efficiency = self.efficiency(None, step.seconds, n_rank)
        return SimpleNamespace(seconds=step.seconds, moving=step.phases[MP2_EXCHANGE], efficiency=efficiency,
                               speedup=efficiency * n_rank * self.n_thread)

    def heading(self):
        model = self.model
        yield (f"MP2, algorithm {self.algorithm}: {model.n_function} functions, {model.n_occupied} occupied and {model.n_virtual} "
               f"virtual orbitals; {self.own_seconds:.3f} s on one process, beside a set-up of {self.recording.mp2_set_up:.3f} s that "
               "is not in the table")
        if self.seconds_of_one != self.own_seconds:
            yield f"Efficiencies are relative to {self.seconds_of_one:.3f} s on one process"

    @staticmethod
    def seconds_in(trace):
        return {"mp2": sum(batch.seconds for batch in trace.batches)}


class LocalMp2(Simulated):
    """Localisation, domains and their pairs are not simulated but modelled: each rank has its share of what hf divides; what
    was not measured apart in these steps is done by every rank."""
    TITLE, NAME, WHOLE = "Local MP2", "local-mp2", WHOLE

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        recording = self.recording
        self.batches = recording.sizes[0].batches
        if len(self.batches) <= ITERATIONS or len(self.batches[HALVES].first) == 0:
            raise ValueError("the traces do not have all steps of local MP2; expected those of a run from its SCF on")
        self.local = recording.local_mp2

    def complete(self, n_rank, steps):
        set_up = self.network.crowding(n_rank, self.n_thread) * (self.localisation(n_rank) + self.domains(n_rank))
        return {**steps, WHOLE: Step(set_up, {SET_UP: set_up}).plus(steps[TRANSFORMATION]).plus(steps[FETCHED])}

    def algebra(self, n_rank, *products):
        """Seconds of products of matrices [m, n, k], computing and messages."""
        algebra = LinearAlgebra(self.network, n_rank, self.recording.header["n_function"], None, self.n_thread)
        found = [algebra.product(*sizes).times(float(times)) for times, *sizes in products]
        return sum(cost.compute for cost in found), sum(cost.messages for cost in found)

    def localisation(self, n_rank):
        """Sweeps by seats of blocks of orbitals; operators and products with second derivatives by all, dense products by the
        grid; the rest by every rank. Each product with second derivatives sends a vector to all and adds up theirs."""
        batch, o, n = self.batches[LOCALISATION], len(self.local["orbitals"]), self.recording.header["n_function"]
        products = (2, n, o, o), (6, n, o, n), (4, o, o, n)
        (one, _), (many, messages) = self.algebra(1, *products), self.algebra(n_rank, *products)
        n_block = max(2, min(o + o % 2, constants.of("local_mp2").sweep_blocks))
        sweeps, n_seat = sum(batch.first), n_block // 2
        found = batch.copying / n_rank + max(0.0, batch.step - sweeps - batch.copying - one) + many + messages
        if n_rank > 1:
            block = BYTES * o / n_block * (2 * n + o)
            found += self.local["sweeps"] * (n_block - 1) * 2.0 * self.network.message_seconds(block)
            found += 2.0 * self.local["rotation_products"] * models.all_reduce_seconds(
                self.machine, self.local["rotated_pairs"], n_rank)
        return found + sweeps * math.ceil(n_seat / n_rank) / n_seat

    def domains(self, n_rank):
        """W of domains and excitations of distant pairs by all, the rank with the largest last; products of dense matrices."""
        batch, header, o = self.batches[DOMAINS], self.recording.header, len(self.local["orbitals"])
        n, v = header["n_function"], header["n_function"] - header.get("n_occupied", header["n_function"])
        products = (1, n, v, n), (2, n, n, v), (3, n, o, n), (1, n, o, o)
        (one, _), (many, messages) = self.algebra(1, *products), self.algebra(n_rank, *products)
        shared = [sum(seconds) / n_rank + (1.0 - 1.0 / n_rank) * max(seconds, default=0.0) for seconds in (batch.first, batch.pairs)]
        rest = batch.step - sum(batch.first) - sum(batch.pairs) - batch.copying - one
        if n_rank > 1:
            messages += models.all_reduce_seconds(self.machine, 4 * n, n_rank)
        return sum(shared) + batch.copying / n_rank + max(0.0, rest) + many + messages

    def heading(self):
        one = self.one()
        yield (f"Local MP2: {self.recording.header['n_function']} functions, {len(self.local['orbitals'])} orbitals, "
               f"{len(self.local['pairs'])} pairs, {self.local['iterations']} iterations; {one[WHOLE].seconds:.3f} s on one process")

    @staticmethod
    def seconds_in(trace):
        batches = trace.batches

        def span(some):
            return max(batch.end for batch in some) - min(batch.begin for batch in some)

        if len(batches) <= AMPLITUDES:
            return {}
        return {TRANSFORMATION: span([batches[HALVES]]), FETCHED: span(batches[AMPLITUDES:]), WHOLE: span(batches)}
