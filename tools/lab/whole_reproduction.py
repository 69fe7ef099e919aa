"""Strong scaling of whole SCF calculations and isoefficiency, replayed (docs/measurements/scaling.md): traces of alkanes and
clusters of water on one process."""

import math

from . import cells, molecules, whole
from .models import GAMMA_SECONDS
from .plots import Curve, Panel
from .prediction import Simulated
from .reproduction import NETWORK

SCHEDULER = "steal"
STRONG = (("alkane", 40, "6-31G*"), ("water", 64, "6-31G"), ("alkane", 20, "6-31G*"), ("uracil-dimer", None, "cc-pVDZ"))
PROCESSES = (1, 2, 4, 10, 20, 40, 100, 200, 400, 1000, 2000, 4000, 10000)
SIZES = (1, 64, 1024)    # of traces: processes that tasks are made for
SERIES = {"alkane": ((10, 20, 40, 80, 160), "6-31G*"), "water": ((16, 32, 64, 128), "6-31G")}  # doubles, for isoefficiency
LEVELS = (0.8, 0.9)
ISO_SCHEDULER = "counter"
ISO_PROCESSES = (10, 30, 100, 300, 1000, 3000, 10000)
LARGEST = 2**14          # times the largest molecule traced: beyond it a level is not reached


def runs_of(shop, kind, size, basis, sizes=SIZES):
    """WholeRuns of a molecule of such a size, None: of hf's inputs."""
    path = shop.inputs / f"{kind}.mol" if size is None else molecules.write(shop.folder, kind, size, basis)
    # a checkpoint, which runs of more than a minute write, is nothing that many processes have in so short a time
    options = ["--basis", basis, "--memory", "0", "--checkpoint", "none"]
    recording = shop.recording(f"whole-{path.stem}", [str(path), *options], sizes)
    return whole.WholeRuns(Simulated(recording, NETWORK, GAMMA_SECONDS))


def strong(shop):
    """Seconds by phase, and plots of speedup and of the phases' shares."""
    for kind, size, basis in STRONG:
        runs = runs_of(shop, kind, size, basis)
        one = runs.predict("static", 1)
        rows = whole.make_rows(runs, (SCHEDULER,), PROCESSES)
        name = kind if size is None else f"{kind}-{size}"
        lines = shop.write(f"whole-{name}", whole.lines(rows, runs, one))
        folder = shop.folder / f"whole-{name}"
        folder.mkdir(exist_ok=True)
        (folder / "whole.csv").write_text(whole.csv_text(rows, one, 1), encoding="utf-8")
        whole.draw_all(folder, rows, f"{name}, {basis}, whole calculation", one, 1)
        yield f"{name}, {basis}"
        yield from lines
        yield ""


# ---- Isoefficiency: the work per process that keeps an efficiency ----

class LargerRuns(whole.WholeRuns):
    """A molecule `factor` times as large as the second of two, which has twice the atoms of the first: what was measured or
    replayed grows on as from one to the other, linear algebra is modelled."""

    def __init__(self, half, full, factor):  # pylint: disable=super-init-not-called
        self.half, self.full, self.factor = half, full, factor
        self.simulated, self.lapack, self.n_iteration, self.search = full.simulated, full.lapack, full.n_iteration, full.search
        self.order, self.n_occupied = round(factor * full.order), round(factor * full.n_occupied)
        self.n_row = whole.n_row(round(factor * full.simulated.recording.header["n_atom"]), self.order)
        self.measured = {phase: self.grown(half.measured[phase], seconds) for phase, seconds in full.measured.items()}

    def grown(self, first, second):
        """Between the first and the third power of the number of atoms, or not at all."""
        power = math.log2(second / first) if first > 0.0 and second > 0.0 else 1.0
        return second * self.factor**min(3.0, max(0.0, power))

    def fock_seconds(self, scheduler, n_rank):
        first, second = (runs.fock_seconds(scheduler, n_rank) for runs in (self.half, self.full))
        return {phase: self.grown(first[phase], seconds) for phase, seconds in second.items()}

    def node_seconds(self, n_node):
        return self.grown(self.half.node_seconds(n_node), self.full.node_seconds(n_node))


class Point:
    """A molecule on some processes: work of one process and efficiency, of Fock builds and of the whole."""

    def __init__(self, runs, n_rank, traced):
        self.n_rank, self.traced = n_rank, traced
        self.one, self.many = runs.predict("static", 1), runs.predict(ISO_SCHEDULER, n_rank)
        self.work = {"Fock": self.one.fock, "whole": self.one.total}
        self.efficiency = {"Fock": self.one.fock / (n_rank * self.many.fock), "whole": self.one.total / (n_rank * self.many.total)}

    def losses(self):
        """[(share of the processes' time lost to a phase, its name)], the largest first."""
        lost = ((1.0 - self.one.seconds[phase] / (self.n_rank * seconds) if seconds else 0.0) * seconds / self.many.total
                for phase, seconds in self.many.seconds.items())
        return sorted(zip(lost, self.many.seconds), reverse=True)


def points_of(runs, n_rank):
    """The molecules traced, then ever larger ones."""
    for one in runs:
        yield Point(one, n_rank, True)
    factor = 2.0
    while factor <= LARGEST:
        yield Point(LargerRuns(*runs[-2:], factor), n_rank, False)
        factor *= 2.0


def crossing(points, part, level):
    """(work per process that gives the efficiency, the point above it); None: none found does."""
    before = None
    for point in points:
        if point.efficiency[part] >= level:
            if before is None:
                return point.work[part] / point.n_rank, point
            share = (level - before.efficiency[part]) / (point.efficiency[part] - before.efficiency[part])
            return before.work[part]**(1.0 - share) * point.work[part]**share / point.n_rank, point
        before = point
    return None, None


def isoefficiency(shop):
    """Work per process that keeps LEVELS, of Fock builds and whole calculations; what bounds it; its growth."""
    rows, curves = [], {"Fock": [], "whole": []}
    lines = [f"Isoefficiency: seconds of one process per process ({ISO_SCHEDULER}); * extrapolated beyond the largest molecule traced",
             f"{'':>17} {'processes':>9}" + "".join(f"{part + f' {level:.2f}':>12}" for part in curves for level in LEVELS)
             + f"  at {LEVELS[0]:.2f} of the whole"]
    for colour, (kind, (sizes, basis)) in enumerate(SERIES.items()):
        runs = [runs_of(shop, kind, size, basis, SIZES if size < 100 else (SIZES[0], SIZES[-1])) for size in sizes]
        found = {}
        for n_rank in ISO_PROCESSES:
            points = list(points_of(runs, n_rank))
            line = f"{kind + ', ' + basis:>17} {n_rank:9d}"
            for part in curves:
                for level in LEVELS:
                    work, point = found[part, level, n_rank] = crossing(points, part, level)
                    mark = "" if point is None or point.traced else "*"
                    line += f"{cells.cell(work, '.3g', 0) + mark:>12}"
                    rows.append([kind, n_rank, part, level, work, int(bool(mark))])
            point = found["whole", LEVELS[0], n_rank][1]
            lost = point.losses()[:3] if point else []
            lines.append(line + "  lost to " + ", ".join(f"{name} {share:.1%}" for share, name in lost))
        for part, drawn in curves.items():
            for level, style in zip(LEVELS, ("replay", "model")):
                here = [(n, found[part, level, n][0]) for n in ISO_PROCESSES if found[part, level, n][0]]
                drawn.append(Curve(f"{kind}, {basis}, {level:.2f}", here, style, colour))
        first, last = (found["whole", LEVELS[0], n][0] for n in (100, ISO_PROCESSES[-1]))
        if first and last:
            lines.append(f"{kind}: from 100 processes on the work per process for {LEVELS[0]:.2f} of the whole grows as their number "
                         f"to the power of {math.log(last / first) / math.log(ISO_PROCESSES[-1] / 100):.2f}")
    (shop.folder / "isoefficiency.csv").write_text(
        cells.csv_text(rows, ["series", "processes", "part", "efficiency", "seconds_per_process", "extrapolated"]), encoding="utf-8")
    titles = {"Fock": "Fock builds", "whole": "Whole calculations"}
    shop.draw("isoefficiency", "Work per process that keeps an efficiency of .80 and .90", [
        Panel(titles[part], "Processes", "Seconds of one process / processes", drawn, True) for part, drawn in curves.items()])
    return shop.write("isoefficiency", lines)
