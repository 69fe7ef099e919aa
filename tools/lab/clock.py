"""The replay against the clock: hf on some numbers of ranks and threads of this machine, and what replays of runs on one
thread say of them.

Runs of all shapes take turns, and each shape has a run of one thread with tasks of the same size beside it. What is
compared are the least times of several runs, which others on the machine disturbed least, and processor time: what a run
used of it, with its waiting in MPI, over the cores that it had. On a machine that others use, too, wall times say how
many they are, and only processor time says something of hf; what starting MPI takes of it counts, so runs must not be
short."""

import dataclasses
import json
import os
import resource
import statistics
import sys
from typing import NamedTuple

from . import launch, runner
from .failure import Failure
from .prediction import Simulated
from .recording import Recording
from .trace import Trace
from .whole import WholeRuns


class Shape(NamedTuple):
    n_rank: int
    n_thread: int

    @property
    def name(self):
        return f"{self.n_rank}x{self.n_thread}"


class Checked(NamedTuple):
    """Seconds of all Fock builds and of the whole calculation: of each run, and as predicted; `used` are processor
    seconds over the cores that the run can have had, and `to_use` their prediction."""
    scheduler: str
    shape: Shape
    crowded: bool
    fock: list
    whole: list
    replayed: float
    predicted: float
    used: list
    to_use: float


def processor_seconds():
    """Of all children of this process that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def used_by(path):
    """Processor seconds of the run that made a trace."""
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["processor_seconds"]


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

    def __init__(self, hf, mpiexec, arguments, folder, network, gamma_seconds):
        self.hf, self.mpiexec, self.arguments, self.folder = hf, mpiexec, arguments, folder
        self.n_core = len(os.sched_getaffinity(0))
        self.network = dataclasses.replace(network, ranks_per_node=1 << 30,
                                           cores_per_node=network.cores_per_node or self.n_core)
        self.gamma_seconds = gamma_seconds

    def run(self, shape, options, path):
        """A trace of a run of this shape, made if it is not there."""
        if path.exists():
            return path
        print(f"replay: {path.stem}", file=sys.stderr, flush=True)
        unfinished = path.with_suffix(".part")
        command = [self.mpiexec, "-n", str(shape.n_rank), self.hf, *self.arguments, "--threads", str(shape.n_thread),
                   *options, "--trace", str(unfinished)]
        before = processor_seconds()
        launch.timed(command, path.with_suffix(".out"), shape.n_rank * shape.n_thread > self.n_core, path.stem)
        path.with_suffix(".json").write_text(json.dumps({"processor_seconds": processor_seconds() - before}) + "\n",
                                             encoding="utf-8")
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
                references.setdefault(n, set()).add(self.run(alone, ["--schedule", "static", "--tasks-for", str(n)], path))
                for scheduler in schedulers:
                    path = self.folder / f"{scheduler}-{shape.name}-run-{k}.trace"
                    measured.setdefault((scheduler, shape), []).append(self.run(shape, ["--schedule", scheduler], path))
        return [self.compare(scheduler, shape, paths, sorted(references[shape.n_rank * shape.n_thread]))
                for (scheduler, shape), paths in sorted(measured.items())]

    def compare(self, scheduler, shape, paths, references):
        """Of the processor time of one thread as much is used in each run as it took less than the wall clock."""
        simulated = Simulated(Recording(references), self.network, self.gamma_seconds, shape.n_thread)
        runs = [Trace(path) for path in paths]
        predicted = WholeRuns(simulated).predict(scheduler, shape.n_rank).total
        n_used = min(shape.n_rank * shape.n_thread, self.network.cores_per_node)
        alone = min(Trace(path).totals[0]["Total"] for path in references)
        return Checked(scheduler, shape, shape.n_rank * shape.n_thread > self.network.cores_per_node,
                       [sum(build.seconds for build in run.builds) for run in runs],
                       [max(totals["Total"] for totals in run.totals) for run in runs],
                       simulated.predict(scheduler, shape.n_rank).seconds,
                       predicted, [used_by(path) / n_used for path in paths],
                       predicted * min(used_by(path) for path in references) / alone)


def lines(rows, n_core):
    """For people."""
    yield (f"Least of {len(rows[0].fock)} runs on {n_core} cores, and replays of runs on one thread; seconds; median: of the "
           "runs, over the least; used: processor seconds of a core")
    yield (f"{'':9} {'processes':>9} {'threads':>7} | {'Fock':>8} {'median':>6} {'replay':>8} {'over m.':>7} | "
           f"{'whole':>8} {'median':>6} {'pred.':>8} {'over m.':>7} | {'used':>8} {'median':>6} {'pred.':>8} {'over m.':>7}")
    for row in rows:
        parts = " | ".join(f"{min(found):8.4g} {statistics.median(found) / min(found):6.3f} {said:8.4g} {said / min(found):7.3f}"
                           for found, said in ((row.fock, row.replayed), (row.whole, row.predicted), (row.used, row.to_use)))
        yield f"{row.scheduler:9} {row.shape.n_rank:8d}{'*' if row.crowded else ' '} {row.shape.n_thread:7d} | {parts}"
    if any(row.crowded for row in rows):
        yield "* more threads than cores"
