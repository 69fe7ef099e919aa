"""Weak scaling: larger molecules on more processes. What follows from the sweeps of tools/speedup, one for each
molecule on its number of processes.

The work of a Fock build does not grow as the molecule does: screening leaves out ever more. Time alone would thus say
little, and processes are compared by the shell quartets that each computes in a second."""

import csv
import io
import json
from typing import NamedTuple

from .failure import NO_RESOURCE, Failure
from .plots import Curve, draw

COLUMNS = ("case", "input", "processes", "functions", "quartets", "fock_seconds", "fock_seconds_min",
           "fock_seconds_max", "scf_seconds", "quartets_per_second_and_process", "efficiency", "more_than_cores")


class Row(NamedTuple):
    """A case with one molecule. `rate` are quartets per second and process of the Fock builds; `efficiency` is it over
    that of the first molecule."""
    case: str
    input: str
    processes: int
    n_function: int
    quartets: float
    seconds: float
    least: float
    most: float
    scf_seconds: float
    rate: float
    efficiency: float
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


def make_rows(sweeps):
    """Rows by case, then molecule, from [(input, contents of results.json)]."""
    points = [(name, point) for name, sweep in sweeps for point in sweep["points"]]
    rows = []
    for case in dict.fromkeys(title_of(point) for _, point in points):
        first = None
        for name, point in points:
            if title_of(point) != case:
                continue
            run = point["repetitions"][0]
            if point["fock_seconds_min"] <= 0 or run["quartets_computed"] <= 0:
                raise Failure(f"{name}: no shell quartets were computed in a time that can be measured; --memory 0 and "
                              "a larger molecule help", NO_RESOURCE)
            rate = run["quartets_computed"] / (point["processes"] * point["fock_seconds"])
            first = first or rate
            rows.append(Row(case, name, point["processes"], run["n_function"], run["quartets_computed"],
                            point["fock_seconds"], point["fock_seconds_min"], point["fock_seconds_max"],
                            point["scf_seconds"], rate, rate / first, bool(point["more_than_cores"])))
    return rows


def lines(rows):
    """For people."""
    width = max(len("molecule"), *(len(row.input) for row in rows))
    for case in dict.fromkeys(row.case for row in rows):
        yield f"Weak scaling of the Fock builds, {case}"
        yield (f"{'molecule':<{width}} {'processes':>10} {'functions':>9} {'quartets':>10} {'wall s':>9} {'spread':>7} "
               f"{'quartets/s/process':>18} {'efficiency':>10}")
        for row in rows:
            if row.case == case:
                spread = (row.most - row.least) / row.seconds if row.seconds > 0 else 0.0
                yield (f"{row.input:<{width}} {row.processes:9d}{'*' if row.crowded else ' '} {row.n_function:9d} "
                       f"{row.quartets:10.3g} {row.seconds:9.4g} {spread:7.1%} {row.rate:18.4g} {row.efficiency:10.1%}")
        yield ""
    yield ("quartets: shell quartets computed in all Fock builds; efficiency: quartets per second and process, over those "
           "of the first molecule. Larger molecules may have cheaper or dearer quartets.")
    if any(row.crowded for row in rows):
        yield "* more processes (times threads) than cores on a node: these times say little."


def csv_text(rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([*row[:-1], int(row.crowded)] for row in rows)
    return text.getvalue()


def draw_efficiency(path, rows):
    """[files]"""
    curves = [Curve(case, [(row.processes, 100 * row.efficiency, row.crowded, 100 * row.efficiency * row.seconds / row.most,
                            100 * row.efficiency * row.seconds / row.least) for row in rows if row.case == case])
              for case in dict.fromkeys(row.case for row in rows)]
    ends = [min(row.processes for row in rows), max(row.processes for row in rows)]
    return draw(str(path), "Weak scaling of the Fock builds", "Processes, molecules grow with them",
                "Quartets per second and process / % of the first", [*curves, Curve("ideal", [(n, 100.0) for n in ends],
                                                                                    "ideal")])
