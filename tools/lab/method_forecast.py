"""What follows the SCF (MP2, local MP2, gradients) on many processes: replay and measurement side by side, as tables,
CSV and curves."""

from typing import NamedTuple

from . import cells
from .phases import colour
from .plots import Curve, Layer, Panel, draw_panels, stacked_bars
from .trace import Trace

COLUMNS = ("step", "scheduler", "processes", "seconds", "efficiency", "measured_seconds", "phases")


class Row(NamedTuple):
    """A step on one number of processes under one scheduler; what there is not is None."""
    step: str
    scheduler: str
    n_rank: int
    seconds: float
    efficiency: float
    measured_seconds: float | None
    phases: dict

    def line(self):
        shares = ", ".join(f"{name.split(': ')[-1]} {100.0 * seconds / self.seconds:.1f}" for name, seconds in self.phases.items()
                           if seconds > 0.0005 * self.seconds)
        return (f"{self.n_rank:9d} | {self.seconds:9.4g} {self.efficiency:6.3f} | "
                f"{cells.cell(self.measured_seconds, '.4g', 9)} | {shares}")


class Forecast:
    """What tools/replay prints and writes of a simulated method (method_replay.Simulated)."""

    def __init__(self, simulated):
        self.simulated, self.rows = simulated, []

    def measured_in(self, paths):
        """{(scheduler, processes): {step: least seconds}} of traced runs."""
        found = {}
        for path in paths:
            trace = Trace(path)
            known = found.setdefault((trace.header["schedule"], trace.n_rank), {})
            for step, seconds in self.simulated.measured(trace.batches).items():
                known[step] = min(seconds, known.get(step, seconds))
        return found

    def make_rows(self, schedulers, processes, measured=()):
        run, known = self.simulated, self.measured_in(measured)
        self.rows = []
        for scheduler in schedulers:
            for n_rank in sorted({*processes, *(n for name, n in known if name == scheduler)}):
                for name, step in run.predict(scheduler, n_rank).items():
                    self.rows.append(Row(name, scheduler, n_rank, step.seconds, run.efficiency(name, step.seconds, n_rank),
                                         known.get((scheduler, n_rank), {}).get(name), step.phases))

    def lines(self, schedulers, processes, measured=()):
        """For people."""
        self.make_rows(schedulers, processes, measured)
        found = list(self.simulated.heading())
        for step, scheduler in dict.fromkeys(row[:2] for row in self.rows):
            found += ["", f"{step}, {scheduler}", f"{'processes':>9} | {'seconds':>9} {'effic.':>6} | {'measured':>9} | "
                      "percent of the mean rank; the rest is waiting"]
            found += [row.line() for row in self.rows if row[:2] == (step, scheduler)]
        return found

    def write(self, folder, title):
        """NAME.csv, NAME-speedup and, with the best scheduler, NAME-phases."""
        name, whole = self.simulated.NAME, self.simulated.WHOLE
        (folder / f"{name}.csv").write_text(cells.csv_text([list(row) for row in self.rows], COLUMNS), encoding="utf-8")
        title = f"{title}, {self.simulated.TITLE}"
        draw_panels(str(folder / f"{name}-speedup"), title, [Panel("", "Processes", f"Speedup of {self.simulated.TITLE}",
                                                                   speedup_curves(self.rows, self.simulated.n_thread), True)])
        of_whole = [row for row in self.rows if row.step == whole]
        best = [min((row for row in of_whole if row.n_rank == n), key=lambda row: row.seconds)
                for n in sorted({row.n_rank for row in of_whole})]
        layers = [Layer(phase, [100.0 * row.phases.get(phase, 0.0) / row.seconds for row in best], colour(phase))
                  for phase in best[0].phases]
        stacked_bars(str(folder / f"{name}-phases"), title, "Processes", f"Share of {self.simulated.TITLE} / %",
                     [str(row.n_rank) for row in best], layers)


def speedup_curves(rows, n_thread=1):
    """Of each step under each scheduler."""
    counts = sorted({row.n_rank for row in rows})
    curves = [Curve("ideal", [(n, n * n_thread) for n in counts], "ideal")]
    for number, (step, scheduler) in enumerate(dict.fromkeys(row[:2] for row in rows)):
        curves.append(Curve(f"{step}, {scheduler}", [(row.n_rank, row.n_rank * n_thread * row.efficiency) for row in rows
                                                     if row[:2] == (step, scheduler)], "replay", number))
    return curves
