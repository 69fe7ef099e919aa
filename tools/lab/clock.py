"""The replay against the clock: hf on some numbers of ranks and threads of this machine, and what replays of runs on one
thread say of them.

Runs of all shapes take turns, and each shape has a run of one thread with tasks of the same size beside it. So many of
these run at once as the shape has threads, since cores share caches, memory and their clock rate. What is compared are
the least times of several runs, which others on the machine disturbed least. On a machine that others use,
too, that says how many they are. Each run is therefore also replayed from the times that its own tasks took, whatever
made them long: that says whether schedulers, threads and waiting are simulated as they are, and nothing of the rest."""

import dataclasses
import os
import statistics
import sys
import time
from typing import NamedTuple

from . import launch, runner
from .failure import Failure
from .prediction import Simulated
from .recording import Recording, slowed
from .simulation import Round, Rounds
from .trace import COULOMB_TASK, TASK, Trace
from .whole import WholeRuns


class Shape(NamedTuple):
    n_rank: int
    n_thread: int

    @property
    def name(self):
        return f"{self.n_rank}x{self.n_thread}"


class Checked(NamedTuple):
    """Seconds of all Fock builds and of the whole calculation: of each run, and as predicted; `own` are the Fock builds
    replayed from the times of each run's own tasks; `clock`: seconds by the clock in which these had one of the processor."""
    scheduler: str
    shape: Shape
    crowded: bool
    fock: list
    whole: list
    replayed: float
    predicted: float
    own: list
    clock: list


def replay_of_own(trace, network):
    """All Fock builds of a run, replayed on as many ranks and threads from its own tasks, which were timed in seconds of the
    processor: threads without a core of their own take longer here, too."""
    header = trace.header
    rounds = [Round(build.computed, build.stored, build.blocks, build.levels.get(TASK, b"")) for build in trace.builds]
    rounds += [Round([build.coulomb.get(task, 0.0) for task in range(max(build.coulomb) + 1)], levels=build.levels.get(COULOMB_TASK, b""))
               for build in trace.builds if build.coulomb]
    simulated = Rounds(rounds, {key: header.get(key) for key in ("n_function", "onesided")})  # its moving of matrices was measured
    outcomes = simulated.run(header["schedule"], trace.n_rank, network, header["n_thread"])
    moving = max(totals["Fock: moving matrices"] for totals in trace.totals)
    if any(build.blocks for build in trace.builds):  # the last sums of a round are in it
        moving = max(0.0, moving - sum(outcome.seconds - outcome.tasks_over for outcome in outcomes))
    return sum(outcome.seconds for outcome in outcomes) + trace.coulomb_step_seconds + moving


def nap_seconds(n=2000, nap=160e-6):
    """Of the processor, for each nap of a thread on this machine."""
    start = time.thread_time()
    for _ in range(n):
        time.sleep(nap)
    return (time.thread_time() - start) / n


def shapes(option, text):
    """"2x1,1x2": 2 ranks of one thread, and one of two."""
    found = []
    for word in text.split(","):
        parts = word.lower().split("x")
        if len(parts) != 2 or not all(part.isdigit() and int(part) > 0 for part in parts):
            raise Failure(f"{option}: '{word}' is not such as 2x1, processes and threads of each")
        found.append(Shape(*map(int, parts)))
    return found


class Check:
    """`mpiexec` and `hf` with `arguments` (an input and options); traces stay in `folder`."""

    def __init__(self, hf, mpiexec, arguments, folder, network):
        self.hf, self.mpiexec, self.arguments, self.folder = hf, mpiexec, arguments, folder
        self.n_core = len(os.sched_getaffinity(0))
        self.network = dataclasses.replace(network, ranks_per_node=1 << 30,
                                           cores_per_node=network.cores_per_node or self.n_core, nap_seconds=nap_seconds())

    def run(self, shape, options, path, n_copy=1):
        """A trace of a run of this shape, made if it is not there. Copies of it run at the same time."""
        if path.exists():
            return path
        print(f"replay: {path.stem}", file=sys.stderr, flush=True)
        unfinished = path.with_suffix(".part")
        command = [self.mpiexec, "-n", str(shape.n_rank), self.hf, *self.arguments, "--threads", str(shape.n_thread),
                   *options, "--trace", str(unfinished)]
        copy = [*command[:-2], *([] if "--checkpoint" in command else ["--checkpoint", "none"])]
        launch.timed(command, path.with_suffix(".out"), shape.n_rank * shape.n_thread > self.n_core, path.stem, (n_copy - 1) * [copy])
        unfinished.rename(path)
        return path

    def check(self, schedulers, chosen, n_run):
        """[Checked] by scheduler, then shape."""
        self.folder.mkdir(parents=True, exist_ok=True)
        runner.check_settings(self.folder / "settings.json", {"arguments": self.arguments})
        launch.check_input(self.hf, self.arguments)
        alone, references, measured = Shape(1, 1), {}, {}
        for k in range(1, n_run + 1):
            for shape in chosen:
                n = shape.n_rank * shape.n_thread
                path = self.folder / f"one-for-{n}-run-{k}.trace"
                references.setdefault(n, set()).add(self.run(
                    alone, ["--schedule", "static", "--tasks-for", str(n)], path, min(n, self.n_core)))
                for scheduler in schedulers:
                    path = self.folder / f"{scheduler}-{shape.name}-run-{k}.trace"
                    measured.setdefault((scheduler, shape), []).append(self.run(shape, ["--schedule", scheduler], path))
        return [self.compare(scheduler, shape, paths, sorted(references[shape.n_rank * shape.n_thread]))
                for (scheduler, shape), paths in sorted(measured.items())]

    def compare(self, scheduler, shape, paths, references):
        simulated = Simulated(Recording(references), self.network, shape.n_thread)
        runs = [Trace(path) for path in paths]
        return Checked(scheduler, shape, shape.n_rank * shape.n_thread > self.network.cores_per_node,
                       [sum(build.seconds for build in run.builds) for run in runs],
                       [max(totals["Total"] for totals in run.totals) for run in runs],
                       simulated.predict(scheduler, shape.n_rank).seconds,
                       WholeRuns(simulated).predict(scheduler, shape.n_rank).total,
                       [replay_of_own(run, self.network) for run in runs], [slowed(run, 1.0) for run in runs])


def lines(rows, n_core):
    """For people."""
    yield (f"{len(rows[0].fock)} runs of each on {n_core} cores; seconds, the least of them; median: over the least; replay and "
           "pred.: from runs on one thread;")
    yield "own: each run replayed from the times of its own tasks, over what it took, the median; clock: seconds by the clock in which"
    yield "its tasks had one second of the processor, the median: what is above 1 other threads and programs had, or waits of the machine"
    yield (f"{'':9} {'processes':>9} {'threads':>7} | {'Fock':>8} {'median':>6} {'replay':>8} {'over m.':>7} {'own':>6} {'clock':>6} | "
           f"{'whole':>8} {'median':>6} {'pred.':>8} {'over m.':>7}")
    for row in rows:
        fock, whole = min(row.fock), min(row.whole)
        own = statistics.median(said / took for said, took in zip(row.own, row.fock))
        yield (f"{row.scheduler:9} {row.shape.n_rank:8d}{'*' if row.crowded else ' '} {row.shape.n_thread:7d} | "
               f"{fock:8.4g} {statistics.median(row.fock) / fock:6.3f} {row.replayed:8.4g} {row.replayed / fock:7.3f} "
               f"{own:6.3f} {statistics.median(row.clock):6.3f} | {whole:8.4g} {statistics.median(row.whole) / whole:6.3f} {row.predicted:8.4g} "
               f"{row.predicted / whole:7.3f}")
    if any(row.crowded for row in rows):
        yield "* more threads than cores"
