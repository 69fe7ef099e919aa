"""Analytic gradients on many processes, from their traces: a round of tasks, replayed, between densities that go to all ranks
and the sum of what the ranks have. One-electron integrals are divided over all.

With distributed matrices each rank fetches the blocks that its tasks need and sends none back.

Forces of MP2 are both passes, which hf-simulate runs, the relaxation and the gradient of its densities. Fock builds of the
relaxation are replayed as those of the SCF are, products of matrices beside them are modelled."""

from . import models, phases, prediction, whole
from .method_replay import Mp2
from .simulation import Round, Rounds, Step
from .trace import BLOCK_K, TASK

ONE_ELECTRON = "Gradient: one electron"
N_AGREEMENT = 42  # reductions over all ranks beside the two sums and what the round has: counted with water on 4 ranks of a node each


class Gradient:
    """See method_replay.Simulated."""
    TITLE, NAME, WHOLE = "Gradient", "gradient", "gradient"

    def __init__(self, recording, network, n_thread=1):
        self.recording, self.network, self.n_thread = recording, network, n_thread
        self.header = recording.header
        self.batch = recording.n_mp2_batch + 1 if recording.has_forces else 0
        self.n_density = 1 if self.header.get("method") == "rhf" and not recording.has_forces else 2
        self.one_electron = recording.other_seconds.get(ONE_ELECTRON, 0.0)
        self.copying = recording.other_seconds.get(phases.GRADIENT_MATRICES, 0.0)
        self.seconds_of_one = self.one_electron + self.copying + sum(recording.sizes[0].batches[self.batch].first)

    def moving(self, n_rank):
        """Beside densities to nodes or owners, which the round has: the sum of the gradient over the ranks."""
        if n_rank == 1:
            return self.copying
        return (self.copying / n_rank + (N_AGREEMENT + 2) * self.network.all_reduce_seconds(n_rank)
                + 2.0 * 3 * self.header["n_atom"] * models.BYTES_PER_WORD * self.network.beta_seconds_per_byte)

    def steps(self, scheduler, n_rank):
        """The round of quartets needs blocks of distributed densities."""
        batch, n_worker = self.recording.nearest(n_rank * self.n_thread).batches[self.batch], n_rank * self.n_thread
        blocks = {task: [(number, BLOCK_K, n_bytes) for number, n_bytes in needs.items()] for task, needs in batch.needs.items()}
        rounds = Rounds([Round(batch.first, {}, blocks, batch.levels.get(TASK, b""))], self.header, reads_only=True, n_density=self.n_density)
        outcome = rounds.run(scheduler, n_rank, self.network, self.n_thread)[0]
        one_electron = self.network.crowding(n_rank, self.n_thread) * self.one_electron / n_worker
        quartets, moving = sum(batch.first) / n_worker, outcome.seconds - outcome.tasks_over + self.moving(n_rank)
        return {self.WHOLE: Step(one_electron + outcome.tasks_over + moving, {
            ONE_ELECTRON: one_electron, phases.GRADIENT: quartets, phases.GRADIENT_LAST: outcome.tasks_over - quartets,
            phases.GRADIENT_MATRICES: moving})}

    def efficiency(self, _step, seconds, n_rank):
        return self.seconds_of_one / (n_rank * self.n_thread * seconds)

    def heading(self):
        yield (f"Gradient: {self.header['n_function']} functions, {len(self.recording.sizes[0].batches[self.batch].first)} tasks, "
               f"{self.seconds_of_one:.3f} s on one process")

    @staticmethod
    def seconds_in(_trace):
        return {}


MP2, SET_UP, RELAXATION, AFTER, WITH = "MP2, both passes", "set-up", "relaxation", "after the SCF", "with the SCF"
ALGEBRA = "Relaxation: linear algebra"
# Products of matrices n x n in hf_relax_density, and about so many n x n x o for a product of the Hessian (hf_hessian_multiply); two
# builds are of densities, the others of such products. Sums over all ranks beside the builds, of k products 50 + 12 k + 1.5 k^2:
# counted with ethane, water and methanol on 4 ranks.
N_SQUARE_PRODUCT, N_NARROW_PRODUCT, N_OTHER_BUILD = 19, 13, 2
N_SUM, N_SUM_OF_PRODUCT, N_SUM_OF_TWO = 50, 12, 1.5


class Mp2Forces:
    """See method_replay.Simulated. Of closed shells. `after the SCF` is all that follows it, `with the SCF` the whole run."""
    TITLE, NAME, WHOLE = "MP2 forces", "mp2-forces", AFTER

    def __init__(self, recording, network, n_thread=1):
        machine = recording, network, n_thread
        if recording.header["method"] != "rhf":
            raise ValueError(f"forces of MP2 are replayed for closed shells, not from a trace of {recording.header['method']}")
        self.recording, self.network, self.n_thread = recording, network, n_thread
        self.mp2, self.gradient = Mp2(*machine), Gradient(*machine)
        self.builds = prediction.Simulated(recording.of_relaxation(), *machine[1:])
        self.scf = whole.WholeRuns(prediction.Simulated(*machine))
        self.seconds_of_one = {name: step.seconds for name, step in self.one().steps("static", 1).items()}

    def one(self):
        """On one thread."""
        return self if self.n_thread == 1 else Mp2Forces(self.recording, self.network)

    def algebra(self, n_rank):
        """Seconds of the relaxation beside its builds: on one rank as recorded."""
        n, o = self.scf.order, self.scf.n_occupied
        n_product = len(self.recording.sizes[0].relaxation) - N_OTHER_BUILD

        def cost(algebra):
            return algebra.product(n, n, n).times(N_SQUARE_PRODUCT).plus(
                algebra.product(n, o, n).times(N_NARROW_PRODUCT * n_product),
                algebra.sums(N_SUM + (N_SUM_OF_PRODUCT + N_SUM_OF_TWO * n_product) * n_product))

        many, alone = (cost(self.scf.algebra(*shape)) for shape in ((n_rank, self.n_thread), (1, 1)))
        recorded = self.recording.sizes[0].batches[self.recording.n_mp2_batch].step - self.builds.recording.seconds_of_one
        return max(0.0, recorded) * many.compute / alone.compute + many.messages

    def relaxation(self, scheduler, n_rank):
        (builds,), algebra = self.builds.steps(scheduler, n_rank).values(), self.algebra(n_rank)
        return builds.plus(Step(algebra, {ALGEBRA: algebra}))

    def set_up(self, n_rank):
        in_node = min(self.network.ranks_per_node, n_rank)
        return self.recording.mp2_set_up * whole.set_up_share(n_rank, in_node, self.n_thread, self.scf.n_row)

    def steps(self, scheduler, n_rank):
        seconds = self.set_up(n_rank)
        found = {SET_UP: Step(seconds, {whole.SET_UP: seconds}), MP2: self.mp2.predict(scheduler, n_rank)[Mp2.WHOLE],
                 RELAXATION: self.relaxation(scheduler, n_rank),
                 Gradient.WHOLE: self.gradient.steps(scheduler, n_rank)[Gradient.WHOLE]}
        after = Step(0.0, {})
        for step in found.values():
            after = after.plus(step)
        scf = self.scf.predict(scheduler, n_rank)  # with the set-up of MP2
        before = scf.total - seconds
        return {**found, AFTER: after, WITH: after.plus(Step(before, {"SCF": before}))}

    def efficiency(self, step, seconds, n_rank):
        return self.seconds_of_one[step] / (n_rank * self.n_thread * seconds)

    def heading(self):
        yield from self.mp2.heading()
        yield (f"MP2 forces: {len(self.recording.sizes[0].relaxation)} Fock builds of the relaxation; seconds of one process: "
               + ", ".join(f"{step} {seconds:.3f}" for step, seconds in self.seconds_of_one.items()))

    def seconds_in(self, trace):
        """By the clock, without the set-up; of both passes, and of all that follows the SCF."""
        def span(some):
            return max(batch.end for batch in some) - min(batch.begin for batch in some)

        return {MP2: span(trace.batches[:self.recording.n_mp2_batch]), AFTER: span(trace.batches)}
