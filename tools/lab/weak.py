"""Weak scaling: larger molecules on more processes. What follows from the sweeps of tools/speedup, one for each
molecule on its number of processes and on one, which is replayed.

The work of a Fock build does not grow as the molecule does: screening leaves out ever more. Time alone would thus say
little, and processes are compared by the shell quartets that each computes in a second."""

import json
from typing import NamedTuple

from . import cells
from .cells import cell
from .failure import NO_RESOURCE, Failure
from .plots import Curve, draw

COLUMNS = ("case", "input", "processes", "functions", "quartets", "one_process_seconds", "fock_seconds",
           "fock_seconds_min", "fock_seconds_max", "replay_seconds", "model_seconds", "scf_seconds",
           "quartets_per_second_and_process", "efficiency", "replay_efficiency", "more_than_cores")


class Row(NamedTuple):
    """A case with one molecule; None: not run, or not replayed. `rate` are quartets per second and process of the Fock
    builds; `efficiency` is it over that of the first molecule, and `replay_efficiency` likewise from replays."""
    case: str
    input: str
    processes: int
    n_function: int
    quartets: float
    alone: float | None
    seconds: float | None
    least: float | None
    most: float | None
    replay: float | None
    model: float | None
    scf_seconds: float | None
    rate: float | None
    efficiency: float | None
    replay_efficiency: float | None
    crowded: bool


def read_sweep(path):
    """results.json of a sweep."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"{path}: no results of tools/speedup: {error}", NO_RESOURCE) from error


def title_of(point):
    builder = f"{point['fock']} ({point['onesided']})" if point["onesided"] else point["fock"]
    return f"{builder}, {point['schedule']}"


def over(rate, first):
    return rate / first if rate is not None and first is not None else None


def make_row(case, name, processes, sweep, first):
    """Of one case; `first` is the row of the smallest molecule, None for that one."""
    points = {point["processes"]: point for point in sweep["points"] if title_of(point) == case}
    compared = next((row for row in sweep.get("comparison", []) if title_of(row) == case and row["processes"] == processes),
                    {})
    any_point = next(iter(points.values()))
    run = any_point["repetitions"][0]
    if any(point["fock_seconds_min"] <= 0 for point in points.values()) or run["quartets_computed"] <= 0:
        raise Failure(f"{name}: no shell quartets were computed in a time that can be measured; --memory 0 and "
                      "a larger molecule help", NO_RESOURCE)
    point, replay = points.get(processes, {}), compared.get("replay_seconds")
    rate = run["quartets_computed"] / (processes * point["fock_seconds"]) if point else None
    replayed = run["quartets_computed"] / (processes * replay) if replay else None
    return Row(case, name, processes, run["n_function"], run["quartets_computed"],
               points[1]["fock_seconds"] if 1 in points else None, point.get("fock_seconds"),
               point.get("fock_seconds_min"), point.get("fock_seconds_max"), replay, compared.get("model_seconds"),
               point.get("scf_seconds"), rate, over(rate, first.rate if first else rate),
               over(replayed, first.quartets / (first.processes * first.replay) if first and first.replay else replayed),
               bool(point.get("more_than_cores", False)))


def make_rows(sweeps):
    """Rows by case, then molecule, from [(name, processes, contents of results.json)]."""
    rows = []
    for case in dict.fromkeys(title_of(point) for _, _, sweep in sweeps for point in sweep["points"]):
        first = None
        for name, processes, sweep in sweeps:
            rows.append(make_row(case, name, processes, sweep, first))
            first = first or rows[-1]
    return rows


def lines(rows):
    """For people."""
    width = max(len("molecule"), *(len(row.input) for row in rows))
    for case in dict.fromkeys(row.case for row in rows):
        yield f"Weak scaling of the Fock builds, {case}; seconds"
        yield (f"{'molecule':<{width}} {'processes':>10} {'functions':>9} {'quartets':>10} {'on one':>9} | {'wall':>9} "
               f"{'spread':>7} {'replay':>9} {'model':>9} | {'quartets/s/process':>18} {'efficiency':>10} {'replay':>7}")
        for row in rows:
            if row.case == case:
                spread = (row.most - row.least) / row.seconds if row.seconds else None
                yield (f"{row.input:<{width}} {row.processes:9d}{'*' if row.crowded else ' '} {row.n_function:9d} "
                       f"{row.quartets:10.3g} {cell(row.alone, '.4g', 9)} | {cell(row.seconds, '.4g', 9)} "
                       f"{cell(spread, '.1%', 7)} {cell(row.replay, '.4g', 9)} {cell(row.model, '.4g', 9)} | "
                       f"{cell(row.rate, '.4g', 18)} {cell(row.efficiency, '.1%', 10)} "
                       f"{cell(row.replay_efficiency, '.1%', 7)}")
        yield ""
    yield ("quartets: shell quartets computed in all Fock builds; efficiency: quartets per second and process, over those "
           "of the first molecule, measured and replayed. Larger molecules may have cheaper or dearer quartets.")
    if any(row.crowded for row in rows):
        yield "* more processes (times threads) than cores on a node: these times say little."


def csv_text(rows):
    return cells.csv_text([[*row[:-1], int(row.crowded)] for row in rows], COLUMNS)


def curves(rows, x, values):
    """Of each case what `values` gives of a row: (style, name, value)."""
    found = []
    for colour, case in enumerate(dict.fromkeys(row.case for row in rows)):
        own = [row for row in rows if row.case == case]
        for style, name, value in values:
            points = [(x(row), value(row), row.crowded and style == "measured") for row in own if value(row) is not None]
            if points:
                found.append(Curve(f"{case}, {name}", points, style, colour))
    return found


def draw_all(folder, rows):
    """Times of the Fock builds against processes and against size, and efficiency. [files]"""
    times = (("measured", "measured", lambda row: row.seconds), ("replay", "replay", lambda row: row.replay),
             ("model", "model", lambda row: row.model))
    efficiencies = (("measured", "measured", lambda row: row.efficiency and 100.0 * row.efficiency),
                    ("replay", "replay", lambda row: row.replay_efficiency and 100.0 * row.replay_efficiency))
    title = "Weak scaling of the Fock builds"
    made = draw(str(folder / "weak-times"), title, "Processes, molecules grow with them", "Seconds",
                curves(rows, lambda row: row.processes, times), True)
    made += draw(str(folder / "weak-sizes"), title, "Functions, processes grow with them", "Seconds",
                 curves(rows, lambda row: row.n_function, times), True)
    ends = [min(row.processes for row in rows), max(row.processes for row in rows)]
    return made + draw(str(folder / "weak-efficiency"), title, "Processes, molecules grow with them",
                       "Quartets per second and process / % of the first", [
                           *curves(rows, lambda row: row.processes, efficiencies),
                           Curve("ideal", [(n, 100.0) for n in ends], "ideal")])
