"""Replay and measurement side by side: table, CSV and curves."""

from typing import NamedTuple

from .cells import cell
from .lists import duration
from .plots import Curve, Panel, draw_panels
from .trace import Trace

# Of a simulated build, and of the start of a simulation: CPU seconds of rounds of 20,000 tasks on 100 and 1,000 ranks
SECONDS_PER_TASK, SECONDS_PER_RANK_SQUARED, SECONDS_PER_RANK = 1e-6, 2e-7, 1e-4
LEAST_TOLD_SECONDS = 5.0
COLUMNS = ("scheduler", "processes", "tasks_for", "replay_seconds", "replay_speedup", "replay_efficiency",
           "replay_idle_share", "replay_communication_share", "replay_coulomb_share",
           "measured_seconds", "measured_efficiency", "replay_over_measured")


class Row(NamedTuple):
    """One number of processes under one scheduler; what was not measured is None."""
    replay: object  # prediction.Prediction
    measured_seconds: float
    measured_efficiency: float
    crowded: bool

    @property
    def ratio(self):
        return self.replay.seconds / self.measured_seconds if self.measured_seconds else None

    def values(self):
        replay = self.replay
        return dict(zip(COLUMNS, (
            replay.scheduler, replay.n_rank, replay.tasks_for, replay.seconds, replay.efficiency * replay.n_rank,
            replay.efficiency, replay.idle_seconds / replay.seconds, replay.communication_seconds / replay.seconds,
            replay.coulomb_seconds / replay.seconds,
            self.measured_seconds, self.measured_efficiency, self.ratio)))


class Measured(NamedTuple):
    """All Fock builds of a traced run."""
    scheduler: str
    n_rank: int
    seconds: float
    crowded: bool


def measured_in(path):
    trace = Trace(path)
    header = trace.header
    return Measured(header["schedule"], trace.n_rank, sum(build.seconds for build in trace.builds),
                    0 < header["n_core_on_node"] < trace.n_rank)


def told_before(simulated, schedulers, processes):
    """A line on simulations that take long; None: they do not."""
    seconds = 0.0
    for n_rank in processes:
        size = simulated.recording.nearest(n_rank * simulated.n_thread)
        build = SECONDS_PER_TASK * size.n_task + SECONDS_PER_RANK_SQUARED * n_rank**2
        seconds += len(schedulers) * (len(size.builds) * build + SECONDS_PER_RANK * n_rank)
    if seconds < LEAST_TOLD_SECONDS:
        return None
    return (f"simulates {', '.join(schedulers)} on {len(processes)} numbers of processes up to {max(processes)}: about {duration(seconds)}; "
            "--processes and --schedule choose fewer")


def make_rows(simulated, schedulers, processes, measured=()):
    """Rows by scheduler, then process count; every measured point gets one."""
    known = {}
    for point in measured:
        known.setdefault((point.scheduler, point.n_rank), []).append(point)
    rows = []
    for scheduler in schedulers:
        for n_rank in sorted({*processes, *(n for name, n in known if name == scheduler)}):
            points = known.get((scheduler, n_rank), [])
            took = min((point.seconds for point in points), default=None)
            rows.append(Row(simulated.predict(scheduler, n_rank), took, None if took is None else simulated.efficiency(took, n_rank),
                            any(point.crowded for point in points)))
    return rows


def table(rows, header, seconds_of_one):
    """Lines of text."""
    yield (f"{header['input_path']}, {header['basis']}: {header['n_function']} functions, matrices {header['fock']}, "
           f"tasks {header['grain']}; all Fock builds take {seconds_of_one:.3f} s on one process")
    for scheduler in dict.fromkeys(row.replay.scheduler for row in rows):
        yield ""
        yield f"{scheduler}: replay; measured"
        yield (f"{'processes':>9} {'tasks for':>9} | {'seconds':>9} {'speedup':>9} {'effic.':>6} {'idle %':>6} "
               f"{'comm. %':>7} {'Coul. %':>7} | {'measured':>9} {'effic.':>6} "
               f"{'replay/m.':>9}")
        for row in rows:
            if row.replay.scheduler == scheduler:
                yield line(row)
    if any(row.crowded for row in rows):
        yield "* more processes than cores: this says nothing about hf"


def line(row):
    value = row.values()
    return (f"{value['processes']:9d} {value['tasks_for']:9d} | {value['replay_seconds']:9.4g} "
            f"{value['replay_speedup']:9.2f} {value['replay_efficiency']:6.3f} {100 * value['replay_idle_share']:6.1f} "
            f"{100 * value['replay_communication_share']:7.2f} {100 * value['replay_coulomb_share']:7.1f} | "
            f"{cell(value['measured_seconds'], '.4g', 9)} "
            f"{cell(value['measured_efficiency'], '.3f', 6)} {cell(value['replay_over_measured'], '.3f', 9)}"
            f"{' *' if row.crowded else ''}")


def curves(rows, value, ideal):
    """Of each scheduler the replay and what was measured, in one colour."""
    found = [ideal]
    for colour, scheduler in enumerate(dict.fromkeys(row.replay.scheduler for row in rows)):
        own = [row for row in rows if row.replay.scheduler == scheduler]
        found.append(Curve(f"{scheduler}, replay", [(row.replay.n_rank, value(row, row.replay.seconds)) for row in own],
                           "replay", colour))
        points = [(row.replay.n_rank, value(row, row.measured_seconds), row.crowded) for row in own
                  if row.measured_seconds]
        if points:
            found.append(Curve(f"{scheduler}, measured", points, "measured", colour))
    return found


def draw(folder, rows, title, seconds_of_one):
    """speedup and efficiency as SVG and PNG in `folder`."""
    counts = sorted({row.replay.n_rank for row in rows})

    def speedup(_row, seconds):
        return seconds_of_one / seconds

    def efficiency(row, seconds):
        return seconds_of_one / (row.replay.n_rank * seconds)

    draw_panels(str(folder / "speedup"), title, [Panel("", "Processes", "Speedup of the Fock builds", curves(
        rows, speedup, Curve("ideal", [(n, n) for n in counts], "ideal")), True)])
    draw_panels(str(folder / "efficiency"), title, [Panel("", "Processes", "Efficiency of the Fock builds", curves(
        rows, efficiency, Curve("ideal", [(n, 1.0) for n in counts], "ideal")))])
