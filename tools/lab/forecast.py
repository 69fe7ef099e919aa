"""What tools/replay prints and writes of a part of a calculation (Fock builds, the whole SCF, what follows it) on many processes:
replay and measurement side by side, as a table, CSV and pictures.

A part has TITLE, NAME (of files), WHOLE (the step whose phases are drawn), `recording`, `n_thread`, and

    heading()                          lines
    steps(scheduler, n_rank)           {name: simulation.Step}
    efficiency(step, seconds, n_rank)  over all threads
    seconds_in(trace)                  {name: seconds} of a traced run"""

from typing import NamedTuple

from .cells import cell, csv_text
from .lists import duration
from .phases import colour
from .plots import Curve, Layer, Panel, draw_panels, stacked_bars

# Of a simulated build, whose matrices take messages of each rank to twice its root of others, and of the start of a simulation: CPU
# seconds of rounds of 10,000 tasks on 1,000 ranks of a node each
SECONDS_PER_TASK, SECONDS_PER_MESSAGE, SECONDS_PER_RANK = 1e-6, 3e-5, 1e-4
LEAST_TOLD_SECONDS = 5.0


class Row(NamedTuple):
    """A step on one number of processes under one scheduler; what was not measured is None."""
    step: str
    scheduler: str
    processes: int
    tasks_for: int  # of the traces that were replayed
    seconds: float
    speedup: float
    efficiency: float
    measured_seconds: float | None
    more_than_cores: bool
    phases: dict

    @property
    def ratio(self):
        return self.seconds / self.measured_seconds if self.measured_seconds else None

    def record(self, phases):
        """For CSV and JSON, with seconds of all these phases."""
        known = self._asdict()
        found = known.pop("phases")
        return {**known, "replay_over_measured": self.ratio, **{phase: found.get(phase, 0.0) for phase in phases}}

    def line(self):
        shares = ", ".join(f"{name.split(': ')[-1]} {100.0 * seconds / self.seconds:.1f}" for name, seconds in self.phases.items()
                           if seconds > 0.0005 * self.seconds)
        measured = self.efficiency * self.ratio if self.ratio else None
        return (f"{self.processes:9d}{'*' if self.more_than_cores else ' '} {self.tasks_for:9d} | {self.seconds:9.4g} {self.speedup:9.2f} "
                f"{self.efficiency:6.3f} | {cell(self.measured_seconds, '.4g', 9)} {cell(measured, '.3f', 6)} "
                f"{cell(self.ratio, '.3f', 9)} | {shares}")


class Measured(NamedTuple):
    """A run, and the seconds of steps."""
    scheduler: str
    processes: int
    more_than_cores: bool
    seconds: dict


def measured_in(part, trace):
    header = trace.header
    return Measured(header["schedule"], trace.n_rank, 0 < header["n_core_on_node"] < trace.n_rank, part.seconds_in(trace))


class Forecast:
    """A part with each scheduler on each number of processes, and on those that were Measured."""

    def __init__(self, part, schedulers, processes, measured=()):
        self.part, self.rows = part, []
        for scheduler in schedulers:
            known = [run for run in measured if run.scheduler == scheduler]
            for n_rank in sorted({*processes, *(run.processes for run in known)}):
                runs = [run for run in known if run.processes == n_rank]
                for name, step in part.steps(scheduler, n_rank).items():
                    efficiency = part.efficiency(name, step.seconds, n_rank)
                    self.rows.append(Row(name, scheduler, n_rank, part.recording.nearest(n_rank * part.n_thread).tasks_for, step.seconds,
                                         efficiency * n_rank * part.n_thread, efficiency,
                                         min((run.seconds[name] for run in runs if name in run.seconds), default=None),
                                         any(run.more_than_cores for run in runs), step.phases))

    def lines(self):
        """For people."""
        found = list(self.part.heading())
        for step, scheduler in dict.fromkeys(row[:2] for row in self.rows):
            found += ["", f"{step}, {scheduler}", f"{'processes':>9}  {'tasks for':>9} | {'seconds':>9} {'speedup':>9} {'effic.':>6} | "
                      f"{'measured':>9} {'effic.':>6} {'replay/m.':>9} | percent of the mean process; the rest is waiting"]
            found += [row.line() for row in self.rows if row[:2] == (step, scheduler)]
        if any(row.more_than_cores for row in self.rows):
            found.append("* more processes than cores: this says nothing about hf")
        return found

    def records(self):
        phases = dict.fromkeys(phase for row in self.rows for phase in row.phases)
        return [row.record(phases) for row in self.rows]

    def write(self, folder, title):
        """NAME.csv, NAME-speedup and, with the best scheduler, NAME-phases."""
        part, counts = self.part, sorted({row.processes for row in self.rows})
        title = f"{title}, {part.TITLE}"
        (folder / f"{part.NAME}.csv").write_text(csv_text(self.records()), encoding="utf-8")
        draw_panels(str(folder / f"{part.NAME}-speedup"), title, [
            Panel("", "Processes", "Speedup", self.curves(lambda n, efficiency: efficiency * n * part.n_thread), True),
            Panel("", "Processes", "Efficiency", self.curves(lambda n, efficiency: efficiency))])
        best = [min((row for row in self.rows if (row.step, row.processes) == (part.WHOLE, n)), key=lambda row: row.seconds)
                for n in counts]
        layers = [Layer(phase, [100.0 * row.phases[phase] / row.seconds for row in best], colour(phase)) for phase in best[0].phases]
        stacked_bars(str(folder / f"{part.NAME}-phases"), title, "Processes", "Share of the time / %", list(map(str, counts)), layers)

    def curves(self, value):
        """Of each step under each scheduler the replay and what was measured, in one colour; value(processes, efficiency)."""
        counts = sorted({row.processes for row in self.rows})
        found = [Curve("ideal", [(n, value(n, 1.0)) for n in counts], "ideal")]
        for number, key in enumerate(dict.fromkeys(row[:2] for row in self.rows)):
            own = [row for row in self.rows if row[:2] == key]
            points = [(row.processes, value(row.processes, row.efficiency * row.ratio), row.more_than_cores) for row in own if row.ratio]
            found.append(Curve(", ".join(key), [(row.processes, value(row.processes, row.efficiency)) for row in own], "replay", number))
            found += [Curve(f"{', '.join(key)}, measured", points, "measured", number)] if points else []
        return found


def told_before(simulated, schedulers, processes):
    """A line on simulations that take long; None: they do not."""
    seconds = 0.0
    for n_rank in processes:
        size = simulated.recording.nearest(n_rank * simulated.n_thread)
        build = SECONDS_PER_TASK * size.n_task + SECONDS_PER_MESSAGE * n_rank**1.5
        seconds += len(schedulers) * (len(size.builds) * build + SECONDS_PER_RANK * n_rank)
    if seconds < LEAST_TOLD_SECONDS:
        return None
    return (f"simulates {', '.join(schedulers)} on {len(processes)} numbers of processes up to {max(processes)}: about {duration(seconds)}; "
            "--processes and --schedule choose fewer")
