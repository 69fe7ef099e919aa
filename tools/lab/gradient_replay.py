"""Analytic gradients on many processes, from their traces: a round of tasks, replayed, between densities that go to all ranks
and the sum of what the ranks have. One-electron integrals are divided over all.

With distributed matrices each rank fetches the blocks that its tasks need and sends none back."""

from . import phases, reductions
from .simulation import Round, Rounds, Step
from .trace import BLOCK_K, TASK

ONE_ELECTRON = "Gradient: one electron"
N_AGREEMENT = 43  # reductions over all ranks beside the two sums: counted with water on 4 ranks of a node each


class Gradient:
    """See method_replay.Simulated."""
    TITLE, NAME, WHOLE = "Gradient", "gradient", "gradient"

    def __init__(self, recording, network, n_thread=1):
        self.recording, self.network, self.n_thread = recording, network, n_thread
        self.header = recording.header
        self.one_electron = recording.other_seconds.get(ONE_ELECTRON, 0.0)
        self.copying = recording.other_seconds.get(phases.GRADIENT_MATRICES, 0.0)
        self.seconds_of_one = self.one_electron + self.copying + sum(recording.sizes[0].batches[0].first)

    def moving(self, n_rank):
        """Densities to nodes or owners, and the sum of the gradient over the ranks."""
        if n_rank == 1:
            return self.copying
        order, n_atom = self.header["n_function"], self.header["n_atom"]
        n_density = 1 if self.header.get("method") == "rhf" else 2
        seconds = self.copying / n_rank + (N_AGREEMENT + 2) * self.network.all_reduce_seconds(n_rank)
        seconds += 2.0 * 3 * n_atom * reductions.WORD * self.network.beta_seconds_per_byte
        if self.header["fock"] == "replicated":
            return seconds + reductions.build_seconds(self.network, order, n_atom, n_rank, n_sum=0, n_density=n_density)
        return seconds + reductions.to_grid(self.network, order, n_atom * (n_atom + 1) // 2, n_rank, n_density)

    def steps(self, scheduler, n_rank):
        """The round of quartets needs blocks of distributed densities."""
        batch, n_worker = self.recording.nearest(n_rank * self.n_thread).batches[0], n_rank * self.n_thread
        blocks = {task: [(number, BLOCK_K, n_bytes) for number, n_bytes in needs.items()] for task, needs in batch.needs.items()}
        rounds = Rounds([Round(batch.first, {}, blocks, batch.levels.get(TASK, b""))], self.header["n_function"], reads_only=True, transport=self.header.get("onesided"))
        outcome = rounds.run(scheduler, n_rank, self.network, self.n_thread)[0]
        one_electron = self.network.crowding(n_rank, self.n_thread) * self.one_electron / n_worker
        quartets, moving = sum(batch.first) / n_worker, self.moving(n_rank)
        return {self.WHOLE: Step(one_electron + outcome.seconds + moving, {
            ONE_ELECTRON: one_electron, phases.GRADIENT: quartets, phases.GRADIENT_LAST: outcome.seconds - quartets,
            phases.GRADIENT_MATRICES: moving})}

    def efficiency(self, _step, seconds, n_rank):
        return self.seconds_of_one / (n_rank * self.n_thread * seconds)

    def heading(self):
        yield (f"Gradient: {self.header['n_function']} functions, {len(self.recording.sizes[0].batches[0].first)} tasks, "
               f"{self.seconds_of_one:.3f} s on one process")

    @staticmethod
    def seconds_in(_trace):
        return {}
