"""Isoefficiency, the work per process that keeps an efficiency (docs/measurements/scaling.md), of Fock builds and whole SCF
calculations: replayed from traces of alkanes and clusters of water on one process."""

import dataclasses
import math

from . import cells, molecules, phases, whole
from .plots import Curve, Panel
from .prediction import Simulated
from .reproduction import NETWORK

SIZES = (1, 64, 1024)    # of traces: processes that tasks are made for
SERIES = {"alkane": ((10, 20, 40, 80), "6-31G*"), "water": ((16, 32, 64), "6-31G")}  # doubles, for isoefficiency
ONE_WAY = ["--coulomb", "multipoles"]  # else hf has the Coulomb pass for larger molecules only, and work does not grow evenly
PARTS = {"Fock": "Fock builds", "whole": "Whole calculations"}
LEVELS = (0.8, 0.9)
ISO_SCHEDULER = "counter"  # 10,000 simulated ranks take a minute; shares dealt beforehand take ten
ISO_PROCESSES = {64: (10, 30, 100, 300, 1000, 3000, 10000), 1: (10, 100, 1000)}  # by ranks of a node
MOST_POWER = {phases.WAITING_FOR_LAST_RANK: 1.0, phases.MOVING_MATRICES: 2.0}  # of the number of atoms
LARGEST = 16             # times the largest molecule traced: beyond it a level is not looked for


def recording_of(shop, kind, size, basis):
    path = molecules.write(shop.folder, kind, size, basis)
    # a checkpoint, which runs of more than a minute write, is nothing that many processes have in so short a time
    options = ["--basis", basis, "--memory", "0", "--checkpoint", "none", *ONE_WAY]
    return shop.recording(f"iso-{path.stem}", [str(path), *options], SIZES if size < 80 else (SIZES[0], SIZES[-1]))


class LargerRuns(whole.WholeRuns):
    """A molecule `factor` times as large as the last of a series, which has twice the atoms of the one before: Fock builds grow on
    as between these two, phases by the clock as from the first one; linear algebra is modelled."""

    def __init__(self, runs, factor):  # pylint: disable=super-init-not-called
        *_, self.half, self.full = runs
        full, self.factor = self.full, factor
        self.simulated, self.lapack, self.n_iteration, self.search = full.simulated, full.lapack, full.n_iteration, full.search
        self.recording, self.n_thread = full.recording, full.n_thread
        self.order, self.n_occupied = round(factor * full.order), round(factor * full.n_occupied)
        self.n_row = whole.n_row(round(factor * full.recording.header["n_atom"]), self.order)
        self.measured = {phase: self.grown(runs[0].measured[phase], seconds, full.order / runs[0].order)
                         for phase, seconds in full.measured.items()} | {whole.OUTPUT: full.measured[whole.OUTPUT]}

    def grown(self, first, second, times=2.0, most=3.0):
        """As it did with `times` the atoms: as a power of their number up to `most`, or not at all."""
        power = math.log(second / first, times) if first > 0.0 and second > 0.0 else 1.0
        return second * self.factor**min(most, max(0.0, power))

    def fock_seconds(self, scheduler, n_rank):
        first, second = (runs.fock_seconds(scheduler, n_rank) for runs in (self.half, self.full))
        return {phase: self.grown(first[phase], seconds, most=MOST_POWER.get(phase, 3.0)) for phase, seconds in second.items()}

    def node_seconds(self, n_node):
        return self.grown(self.half.node_seconds(n_node), self.full.node_seconds(n_node))


class Point:
    """A molecule on some processes: work of one process and efficiency, of Fock builds and of the whole."""

    def __init__(self, runs, n_rank, traced):
        self.n_rank, self.traced = n_rank, traced
        self.one, self.many = runs.one, runs.predict(ISO_SCHEDULER, n_rank)
        self.work = {"Fock": self.one.fock, "whole": self.one.total}
        self.efficiency = {"Fock": self.one.fock / (n_rank * self.many.fock), "whole": self.one.total / (n_rank * self.many.total)}

    def losses(self):
        """[(share of the processes' time lost to a phase, its name)], the largest first."""
        lost = ((1.0 - self.one.seconds[phase] / (self.n_rank * seconds) if seconds else 0.0) * seconds / self.many.total
                for phase, seconds in self.many.seconds.items())
        return sorted(zip(lost, self.many.seconds), reverse=True)


def points_of(runs, n_rank):
    """By size: of the molecules traced the largest two and those below that still keep a level, then ever larger ones."""
    found = []
    for one in reversed(runs):
        found.insert(0, Point(one, n_rank, True))
        if len(found) > 1 and max(found[0].efficiency.values()) < LEVELS[0]:
            break
    yield from found
    factor = 2.0
    while factor <= LARGEST:
        yield Point(LargerRuns(runs, factor), n_rank, False)
        factor *= 2.0


def crossing(points, part, level):
    """(work per process from which on the efficiency is reached, the point above it); None: it is not."""
    found, before = (None, None), None
    for point in points:
        if before is None and point.efficiency[part] >= level:
            found = point.work[part] / point.n_rank, point
        elif point.efficiency[part] >= level > before.efficiency[part]:
            share = (level - before.efficiency[part]) / (point.efficiency[part] - before.efficiency[part])
            found = before.work[part]**(1.0 - share) * point.work[part]**share / point.n_rank, point
        before = point
    return found


def isoefficiency_of(recordings, name, n_node, found):
    """Lines on a series with so many ranks on a node; found[part, level] becomes [(processes, work per process, mark)]."""
    network = dataclasses.replace(NETWORK, ranks_per_node=n_node)
    runs = [whole.WholeRuns(Simulated(recording, network)) for recording in recordings]
    for n_rank in ISO_PROCESSES[n_node]:
        points, line, most = list(points_of(runs, n_rank)), f"{name:>15} {n_node:6d} {n_rank:9d}", None
        for part in PARTS:
            for level in LEVELS:
                work, point = crossing(points, part, level)
                mark = "*" if point and not point.traced else "<" if point is points[0] else ""
                best = max(one.efficiency[part] for one in points)
                line += f"{f'{work:.3g}{mark}' if work else f'({best:.2f})':>12}"
                found.setdefault((part, level), []).append((n_rank, work, mark))
                most = point if (part, level) == ("whole", LEVELS[0]) else most
        most = most or max(points, key=lambda point: point.efficiency["whole"])
        yield f"{line}  {most.efficiency['whole']:.2f}: " + ", ".join(f"{name} {share:.1%}" for share, name in most.losses()[:4])


def isoefficiency(shop):
    """Work per process that keeps LEVELS, of Fock builds and whole calculations; what bounds it; its growth."""
    rows, curves = [], {part: [] for part in PARTS}
    lines = [f"Isoefficiency: seconds of one process per process ({ISO_SCHEDULER}); *: beyond the largest molecule traced, extrapolated; "
             "<: of the smallest one; in brackets: the most that any reaches",
             f"{'':15} {'a node':>6} {'processes':>9}" + "".join(f"{part + f' {level:.2f}':>12}" for part in PARTS for level in LEVELS)
             + f"  lost by the whole next to {LEVELS[0]:.2f}"]
    for colour, (kind, (sizes, basis)) in enumerate(SERIES.items()):
        recordings, name = [recording_of(shop, kind, size, basis) for size in sizes], f"{kind}, {basis}"
        for n_node in ISO_PROCESSES:
            found = {}
            lines += isoefficiency_of(recordings, name, n_node, found)
            rows += [[name, n_node, *key, *row] for key, here in found.items() for row in here]
            if n_node == next(iter(ISO_PROCESSES)):
                for (part, level), here in found.items():
                    curves[part].append(Curve(f"{name}, {level:.2f}", [(n, work) for n, work, _ in here if work],
                                              "replay" if level == LEVELS[0] else "model", colour))
            known = [(n, work) for n, work, _ in found["whole", LEVELS[0]] if work and n >= 100]
            if len(known) > 1:
                growth = math.log(known[-1][1] / known[0][1]) / math.log(known[-1][0] / known[0][0])
                lines.append(f"{name}, {n_node} on a node: work per process for {LEVELS[0]:.2f} of the whole grows as the number of "
                             f"processes to the power of {growth:.2f}, from {known[0][0]} to {known[-1][0]}")
    (shop.folder / "isoefficiency.csv").write_text(cells.csv_text(
        rows, ["series", "ranks_of_a_node", "part", "efficiency", "processes", "seconds_per_process", "mark"]), encoding="utf-8")
    shop.draw("isoefficiency", f"Work per process that keeps an efficiency of .80 and .90, {next(iter(ISO_PROCESSES))} processes on a node", [
        Panel(title, "Processes", "Seconds of one process / processes", curves[part], True) for part, title in PARTS.items()])
    return shop.write("isoefficiency", lines)
