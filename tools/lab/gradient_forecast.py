"""Analytic gradients on many processes, from their traces: a round of tasks, replayed, between densities that go to all ranks
and the sum of what the ranks have. One-electron integrals are divided over all.

With distributed matrices each rank fetches the blocks that its tasks need and sends none back."""

from typing import NamedTuple

from . import cells, phases, reductions
from .simulation import Round, Rounds
from .trace import BLOCK_K

ONE_ELECTRON = "Gradient: one electron"
N_AGREEMENT = 43  # reductions over all ranks beside the two sums: counted with water on 4 ranks of a node each
COLUMNS = ("scheduler", "processes", "tasks_for", "seconds", "speedup", "efficiency", "one_electron_seconds",
           "quartets_seconds", "waiting_seconds", "moving_seconds")


class GradientPrediction(NamedTuple):
    """On `n_rank` ranks; quartets and waiting are means over their threads."""
    scheduler: str
    n_rank: int
    tasks_for: int
    seconds: float
    speedup: float
    efficiency: float
    one_electron: float
    quartets: float
    waiting: float
    moving: float


class Forecast:
    """What tools/replay prints and writes of a Recording with a gradient."""

    def __init__(self, recording, network, gamma_seconds, n_thread=1):
        self.recording, self.network, self.gamma, self.n_thread = recording, network, gamma_seconds, n_thread
        self.header = recording.header
        self.one_electron = recording.other_seconds.get(ONE_ELECTRON, 0.0)
        self.copying = recording.other_seconds.get(phases.GRADIENT_MATRICES, 0.0)
        self.seconds_of_one = self.one_electron + self.copying + sum(recording.sizes[0].batches[0].first)
        self.rows = []

    def simulate(self, scheduler, batch, n_rank):
        """The round of quartets, which needs blocks of distributed densities."""
        blocks = {task: [(number, BLOCK_K, n_bytes) for number, n_bytes in needs.items()]
                  for task, needs in batch.needs.items()}
        rounds = Rounds([Round(batch.first, {}, blocks)], self.header["n_function"], reads_only=True,
                        transport=self.header.get("onesided"))
        return rounds.run(scheduler, n_rank, self.network, self.n_thread)[0]

    def moving(self, n_rank):
        """Densities to nodes or owners, and the sum of the gradient over the ranks."""
        if n_rank == 1:
            return self.copying
        order, n_atom = self.header["n_function"], self.header["n_atom"]
        n_density = 1 if self.header.get("method") == "rhf" else 2
        seconds = self.copying / n_rank + N_AGREEMENT * self.network.all_reduce_seconds(n_rank)
        seconds += 2.0 * self.network.all_reduce_seconds(n_rank)
        seconds += 2.0 * 3 * n_atom * reductions.WORD * self.network.beta_seconds_per_byte
        if self.header["fock"] == "replicated":
            return seconds + reductions.build_seconds(self.network, self.gamma, order, n_atom, n_rank, n_sum=0,
                                                      n_density=n_density)
        return seconds + reductions.to_grid(self.network, order, n_atom * (n_atom + 1) // 2, n_rank, n_density)

    def predict(self, scheduler, n_rank):
        size = self.recording.nearest(n_rank * self.n_thread)
        batch, n_worker = size.batches[0], n_rank * self.n_thread
        outcome = self.simulate(scheduler, batch, n_rank)
        one_electron = self.network.crowding(n_rank, self.n_thread) * self.one_electron / n_worker
        quartets, moving = sum(batch.first) / n_worker, self.moving(n_rank)
        seconds = one_electron + outcome.seconds + moving
        return GradientPrediction(scheduler, n_rank, size.tasks_for, seconds, self.seconds_of_one / seconds,
                                  self.seconds_of_one / (n_worker * seconds), one_electron, quartets,
                                  outcome.seconds - quartets, moving)

    def lines(self, schedulers, processes, _measured=()):
        """For people."""
        self.rows = [self.predict(scheduler, n_rank) for scheduler in schedulers for n_rank in processes]
        found = [f"Gradient: {self.header['n_function']} functions, {len(self.recording.sizes[0].batches[0].first)} tasks, "
                 f"{self.seconds_of_one:.3f} s on one process"]
        for scheduler in schedulers:
            found += ["", scheduler, (f"{'processes':>9} {'tasks for':>9} | {'seconds':>9} {'speedup':>9} {'effic.':>6} | "
                                      f"{'one-el.':>8} {'quartets':>8} {'waiting':>8} {'moving':>8}")]
            found += [line(row) for row in self.rows if row.scheduler == scheduler]
        return found

    def write(self, folder, _title):
        (folder / "gradient.csv").write_text(cells.csv_text([list(row) for row in self.rows], COLUMNS), encoding="utf-8")


def line(row):
    shares = " ".join(f"{100.0 * seconds / row.seconds:7.1f}%" for seconds in row[6:])
    return f"{row.n_rank:9d} {row.tasks_for:9d} | {row.seconds:9.4g} {row.speedup:9.2f} {row.efficiency:6.3f} | {shares}"
