"""Vibrations by groups of ranks, of one rank each, from the file of hf --json of a run on one rank: its displacements are dealt
to N groups as src/vibrations/differences.c deals them.

Left out: set-up of groups, requests for the next task, the sum of all points and the modes, and that ranks of a node share
caches and memory."""

import json
from typing import NamedTuple

from . import cells, qcschema
from .failure import Failure


class Row(NamedTuple):
    """With `groups` ranks: seconds of the displacements; their efficiency, also with seconds on the line through Fock builds and
    seconds, since other programs on the machine make seconds scatter; and that of the whole run, if what is before them takes as
    long as on one rank."""
    groups: int
    seconds: float
    efficiency: float
    smooth: float
    serial_start: float


class Run:
    """Processor seconds of a run on one rank: before its displacements, and of each."""

    def __init__(self, name, before, seconds, builds):
        self.name, self.before, self.seconds, self.builds = name, before, seconds, builds

    def on_line(self):
        """Seconds of the displacements on the line of least squares through Fock builds and seconds."""
        builds, seconds = (sum(values) / len(values) for values in (self.builds, self.seconds))
        square = sum((x - builds) ** 2 for x in self.builds)
        slope = sum((x - builds) * y for x, y in zip(self.builds, self.seconds, strict=True)) / square if square > 0 else 0.0
        return [seconds + slope * (x - builds) for x in self.builds]


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


def predict(run, n_group):
    together, smooth = (deal(tasks(seconds, n_group), n_group) for seconds in (run.seconds, run.on_line()))
    alone = sum(run.seconds)
    return Row(n_group, together, alone / (n_group * together), alone / (n_group * smooth),
               (run.before + alone) / (n_group * (run.before + together)))


def rows(run, groups):
    return [predict(run, n_group) for n_group in groups if n_group <= len(run.seconds)]


def lines(run, found):
    """For people."""
    yield (f"{run.name}: {len(run.seconds)} displacements, {sum(run.seconds):.1f} s on one rank, after {run.before:.1f} s "
           "of set-up and SCF")
    yield f"{'groups':>6} {'seconds':>9} {'effic.':>6} {'smooth':>9} {'whole run, SCF on one':>22}"
    for row in found:
        yield f"{row.groups:6d} {row.seconds:9.4g} {row.efficiency:6.3f} {row.smooth:9.3f} {row.serial_start:22.3f}"


def csv_text(found):
    return cells.csv_text([list(row) for row in found], Row._fields)
