"""Local MP2 on many processes: replay, models and measurement side by side, as table, CSV and curves."""

from typing import NamedTuple

from . import cells
from .local_replay import AMPLITUDES, LOCALISATION, TRANSFORMATION, SimulatedLocalMp2, shares
from .mp2_replay import Phases
from .phases import MP2_EXCHANGE, MP2_FIRST, MP2_SECOND, MP2_WAITING, OTHER_COLOUR, colour
from .plots import Curve, Layer, Panel, draw_panels, stacked_bars
from .trace import Trace

STEPS = ("transformation", "fetched", "replicated", "whole")
COLUMNS = ("scheduler", "processes", "set_up_seconds", *(f"{step}_seconds" for step in STEPS),
           *(f"{step}_efficiency" for step in STEPS), "transformation_model_seconds", "replicated_model_seconds",
           "measured_transformation_seconds", "measured_iterations_seconds", "measured_whole_seconds")
LAYERS = ((MP2_FIRST, "first half"), (MP2_SECOND, "other computing"), (MP2_EXCHANGE, "messages"), (MP2_WAITING, "waiting"))


class Measured(NamedTuple):
    """Seconds of a run on several processes."""
    transformation: float
    iterations: float
    whole: float


class Row(NamedTuple):
    """One number of processes under one scheduler; `measured` is None where nothing was."""
    replay: object  # local_replay.LocalPrediction
    efficiency: dict  # of STEPS
    models: tuple  # seconds of transformation, and of iterations with T on every rank
    measured: Measured | None

    def values(self):
        replay = self.replay
        return [replay.scheduler, replay.n_rank, replay.set_up, *seconds_of(replay).values(), *self.efficiency.values(),
                *self.models, *(self.measured or (None, None, None))]


def seconds_of(replay):
    return {"transformation": replay.transformation.total, "fetched": replay.fetched.total,
            "replicated": replay.replicated.total, "whole": replay.whole}


def efficiencies(simulated, replay):
    one, n_worker = seconds_of(simulated.one), replay.n_rank * simulated.n_thread
    return {step: one[step] / (n_worker * seconds) for step, seconds in seconds_of(replay).items()}


def span(batches):
    """Seconds from the first record to the last one."""
    return max(batch.end for batch in batches) - min(batch.begin for batch in batches)


def measured_in(paths):
    """{(scheduler, processes): Measured of least seconds} of traced runs."""
    found = {}
    for path in paths:
        trace = Trace(path)
        if len(trace.batches) > AMPLITUDES:
            key = trace.header["schedule"], trace.n_rank
            took = (span([trace.batches[TRANSFORMATION]]), span(trace.batches[AMPLITUDES:]), span(trace.batches[LOCALISATION:]))
            found[key] = Measured(*map(min, took, found.get(key, took)))
    return found


def make_rows(simulated, schedulers, processes, measured=None):
    """By scheduler, then process count."""
    measured, rows = measured or {}, []
    for scheduler in schedulers:
        for n_rank in sorted({*processes, *(n for name, n in measured if name == scheduler)}):
            replay = simulated.predict(scheduler, n_rank)
            rows.append(Row(replay, efficiencies(simulated, replay), simulated.model_seconds(n_rank),
                            measured.get((scheduler, n_rank))))
    return rows


def table(rows, simulated):
    """Lines of text."""
    one, local = simulated.one, simulated.local
    yield (f"Local MP2: {simulated.recording.header['n_function']} functions, "
           f"{simulated.pairs.n_orbital} orbitals, {len(simulated.pairs.all)} pairs, {local['iterations']} iterations; "
           f"{one.whole:.3f} s on one process: transformation {one.transformation.total:.3f}, iterations "
           f"{one.fetched.total:.3f}")
    for scheduler in dict.fromkeys(row.replay.scheduler for row in rows):
        yield ""
        yield f"{scheduler}; iterations with T fetched, and on every rank (repl.); models: Eqs. 10.7, 10.8"
        yield (f"{'processes':>9} | {'set-up':>8} {'transf.':>8} {'effic.':>6} {'model s':>8} | {'iterat.':>8} {'effic.':>6} | "
               f"{'repl.':>8} {'effic.':>6} {'model s':>8} | {'whole':>8} {'effic.':>6} | {'measured':>8} {'iterat.':>8} {'whole':>8}")
        yield from (line(row) for row in rows if row.replay.scheduler == scheduler)


def line(row):
    replay, efficiency = row.replay, row.efficiency
    measured = " ".join(cells.cell(seconds, ".4g", 8) for seconds in row.measured or (None, None, None))
    return (f"{replay.n_rank:9d} | {replay.set_up:8.4g} {replay.transformation.total:8.4g} {efficiency['transformation']:6.3f} "
            f"{row.models[0]:8.4g} | {replay.fetched.total:8.4g} {efficiency['fetched']:6.3f} | "
            f"{replay.replicated.total:8.4g} {efficiency['replicated']:6.3f} {row.models[1]:8.4g} | "
            f"{replay.whole:8.4g} {efficiency['whole']:6.3f} | {measured}")


def bounds(simulated, replay):
    """Where the time of a number of processes goes, a line for each step."""
    yield f"{replay.n_rank} processes ({replay.scheduler}), percent of each step:"
    for name, phases in (("transformation", replay.transformation), ("iterations, T fetched", replay.fetched),
                         ("iterations, T on every rank", replay.replicated)):
        yield f"  {name}: " + percents(phases)
    busy = shares(simulated.pair_seconds, simulated.pairs.owners(replay.n_rank), replay.n_rank)
    mean = sum(busy) / replay.n_rank
    yield (f"  set-up: {100.0 * replay.set_up / replay.whole:.1f} % of the whole. The rank with most residuals has "
           f"{max(busy) / mean:.3f} of the mean, the largest pair {max(simulated.pair_seconds) / mean:.3f}")


def percents(phases):
    names = ("first half", "other computing", "messages", "waiting")
    return ", ".join(f"{name} {100.0 * seconds / phases.total:.1f}" for name, seconds in zip(names, phases) if seconds > 0.0)


def csv_text(rows):
    return cells.csv_text([row.values() for row in rows], COLUMNS)


def speedup_curves(simulated, replays):
    """Transformation, iterations in both ways and the whole over the number of processes."""
    curves = [Curve("ideal", [(replay.n_rank, replay.n_rank * simulated.n_thread) for replay in replays], "ideal")]
    one = seconds_of(simulated.one)
    for number, (step, title) in enumerate(zip(STEPS, ("transformation", "iterations, T fetched", "iterations, T on every rank",
                                                       "whole"))):
        curves.append(Curve(title, [(replay.n_rank, one[step] / seconds_of(replay)[step]) for replay in replays], "replay",
                            number))
    return curves


def draw(folder, rows, simulated, title):
    """local-mp2-speedup and local-mp2-phases, with the best scheduler of each number of processes, in `folder`."""
    counts = sorted({row.replay.n_rank for row in rows})
    best = [min((row.replay for row in rows if row.replay.n_rank == n), key=lambda replay: replay.whole) for n in counts]
    draw_panels(str(folder / "local-mp2-speedup"), title, [Panel("", "Processes", "Speedup of local MP2",
                                                                 speedup_curves(simulated, best), True)])
    sums = [Phases(0.0, 0.0, 0.0, 0.0).plus(replay.transformation).plus(replay.fetched) for replay in best]
    layers = [Layer(name, [100.0 * phases[i] / replay.whole for phases, replay in zip(sums, best)], colour(phase))
              for i, (phase, name) in enumerate(LAYERS)]
    layers.append(Layer("set-up", [100.0 * replay.set_up / replay.whole for replay in best], OTHER_COLOUR))
    stacked_bars(str(folder / "local-mp2-phases"), title, "Processes", "Share of local MP2 / %", [str(n) for n in counts],
                 layers)


class LocalForecast:
    """What tools/replay prints and writes of a Recording with local MP2."""

    def __init__(self, recording, network, gamma_seconds, n_thread=1):
        self.simulated = SimulatedLocalMp2(recording, network, gamma_seconds, n_thread)
        self.rows = []

    def lines(self, schedulers, processes, measured=()):
        self.rows = make_rows(self.simulated, schedulers, processes, measured_in(measured))
        largest = max((row.replay for row in self.rows), key=lambda replay: (replay.n_rank, -replay.whole))
        return [*table(self.rows, self.simulated), "", *bounds(self.simulated, largest)]

    def write(self, folder, title):
        (folder / "local-mp2.csv").write_text(csv_text(self.rows), encoding="utf-8")
        draw(folder, self.rows, self.simulated, f"{title}, local MP2")
