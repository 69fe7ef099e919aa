"""The runs of a sweep, one after the other on this machine."""

import os
import statistics
import sys
from typing import NamedTuple

from . import launch, machine
from .failure import NO_RESOURCE, Failure
from .lists import duration
from .results import read_result


class Problem(NamedTuple):
    """What all runs have in common."""
    hf: str
    input: str
    options: list


def hf_command(problem, folder, run):
    """hf with everything but what starts its ranks; the report of the run appears under a name for unfinished ones."""
    trace = folder.trace(run)
    return [problem.hf, problem.input, *problem.options, *run.case.options(), "--json", str(folder.part(run)),
            *(["--trace", str(trace)] if trace else [])]


def seconds_left(waiting, took):
    """Of runs, from {processes: [seconds]} of those that are done; the nearest number of processes counts."""
    return sum(statistics.mean(took[min(took, key=lambda n, run=run: abs(n - run.processes))]) for run in waiting)


def told(run, titles):
    plural = "es" if run.processes > 1 else ""
    return f"{titles[run.case]}, {run.processes} process{plural}, run {run.repetition}"


def do_run(problem, folder, run, mpiexec, crowded, what):
    """Wall seconds; the result is kept only when all went well."""
    command = [mpiexec, "-n", str(run.processes), *hf_command(problem, folder, run)]
    folder.part(run).unlink(missing_ok=True)
    before = machine.snapshot()
    seconds = launch.timed(command, folder.output(run), crowded, what)
    others = machine.others_cores(before, machine.snapshot())
    if not folder.part(run).exists():  # mpiexec itself may end as hf does that has not converged
        raise Failure(f"{what}: left no results; what it said is in {folder.output(run)}", NO_RESOURCE)
    read_result(folder.part(run), run)
    machine.keep(folder.machine(run), others)
    os.replace(folder.part(run), folder.result(run))
    return seconds


def do_runs(problem, folder, runs, titles, mpiexec, cores, threads):
    """All runs that are not done yet; a line about each on stderr."""
    took, waiting = {}, []
    for run in runs:
        if folder.result(run).exists():
            took.setdefault(run.processes, []).append(read_result(folder.result(run), run).scf_seconds)
        else:
            waiting.append(run)
    width = len(str(len(runs)))
    n_done = len(runs) - len(waiting)
    if n_done > 0 and waiting:
        print(f"{n_done} of {len(runs)} runs are in {folder.path} already", file=sys.stderr)
    for i, run in enumerate(waiting):
        what = told(run, titles)
        seconds = do_run(problem, folder, run, mpiexec, run.processes * threads > cores, what)
        took.setdefault(run.processes, []).append(seconds)
        left = f"; about {duration(seconds_left(waiting[i + 1:], took))} left" if i + 1 < len(waiting) else ""
        print(f"[{n_done + i + 1:{width}d}/{len(runs)}] {what}: {seconds:.2f} s{left}", file=sys.stderr, flush=True)


def collect(folder, runs):
    """({(case, processes): results in the order of the repetitions}, runs that are not done)."""
    measured, missing = {}, []
    for run in sorted(runs, key=lambda run: run.repetition):
        if folder.result(run).exists():
            result = read_result(folder.result(run), run)
            result.others_cores = machine.kept(folder.machine(run))
            measured.setdefault((run.case, run.processes), []).append(result)
        else:
            missing.append(run)
    order = {(run.case, run.processes): i for i, run in enumerate(runs)}
    return dict(sorted(measured.items(), key=lambda item: order[item[0]])), missing
