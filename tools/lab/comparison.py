"""What tools/speedup sets beside its measurements: the replay of the reference run's trace."""

from typing import NamedTuple

from . import cells
from .cells import cell
from .prediction import Simulated
from .recording import Recording, RecordingError
from .trace import TraceError

MARK = "*"


class Compared(NamedTuple):
    """The Fock builds of a case on a number of processes, in seconds; `measured` None: not run."""
    case: tuple
    processes: int
    crowded: bool
    measured: float | None
    replay: float
    tasks_for: int             # processes that the replayed tasks were cut for

    @property
    def ratio(self):
        return self.replay / self.measured if self.measured else None


def simulations(folder, references, network, gamma_seconds):
    """({builder: Simulated} from the trace of its reference, lines on those that there are none of)."""
    found, lines = {}, []
    for builder, reference in references.items():
        path = folder.trace_of(reference.case, reference.processes)
        try:
            if path is None:
                raise RecordingError("there is no trace of the reference")
            found[builder] = Simulated(Recording([path]), network, gamma_seconds)
        except (RecordingError, TraceError) as error:
            lines.append(f"{builder.title}: not replayed: {error}")
    return found, lines


def compare(points, simulated, more_processes):
    """Rows of all cases in turn: the points measured, and those that are only predicted."""
    rows = []
    for case in dict.fromkeys(point.case for point in points):
        if case.builder not in simulated:
            continue
        measured = {point.processes: point for point in points if point.case == case}
        for count in sorted({*measured, *more_processes}):
            point = measured.get(count)
            replayed = simulated[case.builder].predict(case.schedule, count)
            rows.append(Compared(case, count, point is not None and point.crowded,
                                 point.fock.seconds if point else None, replayed.seconds,
                                 replayed.tasks_for))
    return rows


def lines(rows):
    """For people."""
    yield "Fock builds: measured, and replayed from the trace of the reference; seconds"
    heads = ("processes", "measured", "replay", "over meas.")
    yield f"{'':28} " + " ".join(f"{head:>10}" for head in heads)
    title = None
    for row in rows:
        name = "" if title == row.case.title else row.case.title
        title = row.case.title
        yield (f"{name:28} {str(row.processes) + (MARK if row.crowded else ''):>10} {cell(row.measured, '.4g'):>10} "
               f"{row.replay:10.4g} {cell(row.ratio, '.3f'):>10}")
    yield "over meas.: the column before it over what was measured; -: not run"
    coarse = [row for row in rows if row.processes > row.tasks_for]
    if coarse:
        last = max(coarse, key=lambda row: row.processes)
        yield (f"Replays are of tasks cut for {last.tasks_for} process{'es' if last.tasks_for > 1 else ''}, as the "
               f"reference had them; on {last.processes} hf cuts smaller ones, which share out better. tools/replay "
               "makes them for each number.")


def record(row):
    return {"fock": row.case.fock, "onesided": row.case.onesided or "", "schedule": row.case.schedule,
            "processes": row.processes, "more_than_cores": int(row.crowded), "measured_seconds": row.measured,
            "replay_seconds": row.replay, "replay_over_measured": row.ratio,
            "replay_tasks_for": row.tasks_for}


def csv_text(rows):
    return cells.csv_text([record(row) for row in rows])
