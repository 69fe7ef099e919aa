"""MP2 on many processes: replay, model and measurement side by side, as table, CSV and curves."""

from typing import NamedTuple

from . import cells
from .mp2_replay import SimulatedMp2
from .phases import MP2_EXCHANGE, MP2_FIRST, MP2_SECOND, MP2_WAITING, colour
from .plots import Curve, Layer, Panel, draw_panels, stacked_bars
from .trace import Trace

EQUATIONS = {"p1": "Eq. 9.10", "p2": "Eq. 9.13", "kets": "its words", "pairs": "its words"}
PHASES = (MP2_FIRST, MP2_SECOND, MP2_EXCHANGE, MP2_WAITING)  # in the order of mp2_replay.Phases
COLUMNS = ("scheduler", "processes", "tasks_for", "replay_seconds", "replay_speedup", "replay_efficiency",
           "first_half_seconds", "second_half_seconds", "exchange_seconds", "waiting_seconds", "model_seconds",
           "model_efficiency", "measured_seconds", "measured_efficiency")


class Row(NamedTuple):
    """One number of processes under one scheduler; what was not measured is None."""
    replay: object  # mp2_replay.Mp2Prediction
    model_seconds: float
    model_efficiency: float
    measured_seconds: float | None
    measured_efficiency: float | None

    def values(self):
        replay = self.replay
        return dict(zip(COLUMNS, (replay.scheduler, replay.n_rank, replay.tasks_for, replay.seconds, replay.speedup,
                                  replay.efficiency, *replay.phases, *self[1:])))


def measured_in(paths):
    """{(scheduler, processes): least seconds of all batches} of traced runs."""
    found = {}
    for path in paths:
        trace = Trace(path)
        key = trace.header["schedule"], trace.n_rank
        found[key] = min(found.get(key, float("inf")), sum(batch.seconds for batch in trace.batches))
    return found


def make_rows(simulated, schedulers, processes, measured=None):
    """By scheduler, then process count."""
    measured, rows = measured or {}, []
    for scheduler in schedulers:
        for n_rank in sorted({*processes, *(n for name, n in measured if name == scheduler)}):
            model = simulated.model_seconds(n_rank)
            took = measured.get((scheduler, n_rank))
            rows.append(Row(simulated.predict(scheduler, n_rank), model, simulated.efficiency(model, n_rank), took,
                            None if took is None else simulated.efficiency(took, n_rank)))
    return rows


def table(rows, simulated):
    """Lines of text."""
    sizes = simulated.sizes.model
    yield (f"MP2, algorithm {simulated.algorithm}: {sizes.n_function} functions, {sizes.n_occupied} occupied and "
           f"{sizes.n_virtual} virtual orbitals; {simulated.own_seconds:.3f} s on one process, beside a set-up of "
           f"{simulated.recording.mp2_set_up:.3f} s that is not in the table; model {EQUATIONS[simulated.algorithm]}")
    if simulated.seconds_of_one != simulated.own_seconds:
        yield f"Speedups and efficiencies are relative to {simulated.seconds_of_one:.3f} s on one process"
    for scheduler in dict.fromkeys(row.replay.scheduler for row in rows):
        yield ""
        yield scheduler
        yield (f"{'processes':>9} {'tasks for':>9} | {'seconds':>9} {'speedup':>9} {'effic.':>6} | {'1st half':>8} "
               f"{'2nd half':>8} {'moving':>8} {'waiting':>8} | {'model s':>9} {'effic.':>6} | {'measured':>9} {'effic.':>6}")
        yield from (line(row) for row in rows if row.replay.scheduler == scheduler)


def line(row):
    replay = row.replay
    shares = " ".join(f"{100.0 * seconds / replay.seconds:7.1f}%" for seconds in replay.phases)
    return (f"{replay.n_rank:9d} {replay.tasks_for:9d} | {replay.seconds:9.4g} {replay.speedup:9.2f} "
            f"{replay.efficiency:6.3f} | {shares} | {row.model_seconds:9.4g} {row.model_efficiency:6.3f} | "
            f"{cells.cell(row.measured_seconds, '.4g', 9)} {cells.cell(row.measured_efficiency, '.3f', 6)}")


def csv_text(rows):
    return cells.csv_text([list(row.values().values()) for row in rows], COLUMNS)


def draw(folder, rows, title):
    """mp2-speedup and mp2-phases, these with the best scheduler, in `folder`."""
    counts = sorted({row.replay.n_rank for row in rows})
    curves = [Curve("ideal", [(n, n) for n in counts], "ideal")]
    for number, scheduler in enumerate(dict.fromkeys(row.replay.scheduler for row in rows)):
        own = [row for row in rows if row.replay.scheduler == scheduler]
        curves.append(Curve(f"{scheduler}, replay", [(row.replay.n_rank, row.replay.speedup) for row in own], "replay",
                            number))
    curves.append(Curve("model", [(row.replay.n_rank, row.replay.n_rank * row.model_efficiency) for row in own], "model", 4))
    draw_panels(str(folder / "mp2-speedup"), title, [Panel("", "Processes", "Speedup of MP2", curves, True)])
    best = [min((row.replay for row in rows if row.replay.n_rank == n), key=lambda replay: replay.seconds) for n in counts]
    layers = [Layer(phase, [100.0 * replay.phases[i] / replay.seconds for replay in best], colour(phase))
              for i, phase in enumerate(PHASES)]
    stacked_bars(str(folder / "mp2-phases"), title, "Processes", "Share of MP2 / %", [str(n) for n in counts], layers)


class Forecast:
    """What tools/replay prints and writes of a Recording with MP2."""

    def __init__(self, recording, network, gamma_seconds, n_thread=1, seconds_of_one=None):
        # pylint: disable=too-many-arguments,too-many-positional-arguments
        self.simulated = SimulatedMp2(recording, network, gamma_seconds, n_thread, seconds_of_one)
        self.rows = []

    def lines(self, schedulers, processes, measured=()):
        self.rows = make_rows(self.simulated, schedulers, processes, measured_in(measured))
        return list(table(self.rows, self.simulated))

    def write(self, folder, title):
        (folder / "mp2.csv").write_text(csv_text(self.rows), encoding="utf-8")
        draw(folder, self.rows, f"{title}, MP2 ({self.simulated.algorithm})")
