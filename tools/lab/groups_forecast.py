"""Vibrations by groups of ranks, of one rank each, from the file of hf --json of a run on one rank: its displacements are dealt
to N groups as src/vibrations/differences.c deals them.

Left out: set-up of groups, requests for the next task, the sum of all points and the modes, and that ranks of a node share
caches and memory."""

import json
from typing import NamedTuple

from . import cells, qcschema
from .failure import Failure

COLUMNS = ("groups", "displacements_seconds", "displacements_efficiency", "efficiency_by_line", "seconds", "efficiency",
           "efficiency_serial_start")


class Row(NamedTuple):
    """With `groups` ranks. `efficiency_by_line` is that of the displacements with seconds on the line through Fock builds and
    seconds, since other programs on the machine make seconds scatter. `seconds` and `efficiency` are of the whole run if all ranks share what is before the displacements
    equally, `efficiency_serial_start` if it takes as long as on one."""
    groups: int
    displacements_seconds: float
    displacements_efficiency: float
    efficiency_by_line: float
    seconds: float
    efficiency: float
    efficiency_serial_start: float


class Run:
    """Processor seconds of a run on one rank: before its displacements, and of each."""

    def __init__(self, name, before, seconds, builds):
        self.name, self.before, self.seconds, self.builds = name, before, seconds, builds


def read(path):
    """The Run of a file; None: it is no result of vibrations."""
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        hf = result["extras"]["hf"]
        found, n_rank = hf["vibrations"], hf["launch"]["ranks"]
        run = Run(qcschema.name_of(result["molecule"]), found["seconds_before"], found["displacement_seconds"],
                  found["displacement_fock_builds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if n_rank != 1:
        raise Failure(f"{path}: the run had {n_rank} ranks; expected one")
    return run


def tasks(seconds, n_group):
    """Seconds of the tasks in the order they are taken. Both points of a coordinate are a task; the last coordinates, which do not
    divide among the groups, are two tasks. Their second point has no near one to start from, and takes as long as the first."""
    pairs = [seconds[i:i + 2] for i in range(0, len(seconds), 2)]
    n_pair = len(pairs) // n_group * n_group
    return [sum(pair) for pair in pairs[:n_pair]] + [time for up, down in pairs[n_pair:] for time in (up, max(up, down))]


def deal(times, n_group):
    """Seconds until the last group ends: whoever is free takes the next task."""
    end = [0.0] * n_group
    for time in times:
        end[end.index(min(end))] += time
    return max(end)


def on_line(run):
    """Seconds of the displacements on the line of least squares through Fock builds and seconds."""
    builds, seconds = (sum(values) / len(values) for values in (run.builds, run.seconds))
    square = sum((x - builds) ** 2 for x in run.builds)
    slope = sum((x - builds) * (y - seconds) for x, y in zip(run.builds, run.seconds, strict=True)) / square if square > 0 else 0.0
    return [seconds + slope * (x - builds) for x in run.builds]


def efficiency(times, n_group):
    return sum(times) / (n_group * deal(tasks(times, n_group), n_group))


def predict(run, n_group):
    alone, together = sum(run.seconds), deal(tasks(run.seconds, n_group), n_group)
    whole = run.before + alone
    seconds = run.before / n_group + together
    return Row(n_group, together, efficiency(run.seconds, n_group), efficiency(on_line(run), n_group), seconds, whole / (n_group * seconds),
               whole / (n_group * (run.before + together)))


def rows(run, groups):
    return [predict(run, n_group) for n_group in groups if n_group <= len(run.seconds)]


def lines(run, found):
    """For people."""
    yield (f"{run.name}: {len(run.seconds)} displacements, {sum(run.seconds):.1f} s on one rank, after {run.before:.1f} s "
           "of set-up and SCF")
    yield f"{'':>6} | {'displacements':>26} | {'whole run, SCF on':>27}"
    yield f"{'groups':>6} | {'seconds':>9} {'effic.':>6} {'smooth':>9} | {'all ranks':>9} {'effic.':>6} {'one: eff.':>10}"
    for row in found:
        yield (f"{row.groups:6d} | {row.displacements_seconds:9.4g} {row.displacements_efficiency:6.3f} {row.efficiency_by_line:9.3f} | "
               f"{row.seconds:9.4g} {row.efficiency:6.3f} {row.efficiency_serial_start:10.3f}")


def csv_text(found):
    return cells.csv_text([list(row) for row in found], COLUMNS)
