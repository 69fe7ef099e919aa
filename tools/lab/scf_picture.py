"""A picture of one calculation from its JSON file: convergence, orbital energies, seconds by phase."""

import json
import math
from typing import NamedTuple

from . import phases, plots, qcschema
from .failure import Failure

HARTREE_IN_EV = 27.211386245988
BELOW, ABOVE = 0.9, 0.6  # hartree below the highest occupied orbital and above the lowest virtual one that are drawn
LEAST_DRAWN = 1e-14  # hartree; smaller changes are round-off
OCCUPIED, PARTLY, VIRTUAL = plots.COLOURS[0], plots.COLOURS[1], "#888888"
LEVELS = ((OCCUPIED, "occupied"), (PARTLY, "singly or partly occupied"), (VIRTUAL, "virtual"))
LEFT, SPLIT, RIGHT = 0.085, 0.60, 0.975  # of the width
HEIGHT = 900


class Level(NamedTuple):
    """An orbital: column 0 or 1, its energy, and a colour of LEVELS."""
    column: int
    energy: float
    colour: str


class Calculation:
    """What a JSON file of hf has of one run; raises Failure when it is none."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, encoding="utf-8") as file:
                result = qcschema.load(file.read())
            hf = result["extras"]["hf"]
            self.iterations = hf["iterations"]
            self.scf = hf["scf"]
            self.seconds = [(phase["phase"], phase["max"]) for phase in hf["timings_seconds"]]
            self.vibrations, self.excitations = hf.get("vibrations"), hf.get("excitations")
            self.steps = hf.get("optimisation", {}).get("steps")
            self.scan = hf.get("optimisation", {}).get("scan")
            self.scanned = (hf.get("settings", {}).get("scan") or "").split("=")[0].strip()  # "distance 1 2"
            self.energy = result["properties"]["scf_total_energy"]
            self.title = self.make_title(result)
        except UnicodeDecodeError as error:
            raise Failure(f"{path}: no JSON file") from error
        except json.JSONDecodeError as error:
            raise Failure(f"{path}, line {error.lineno}: no JSON file") from error
        except ValueError as error:
            raise Failure(f"{path}: the run failed: {error}") from error
        except (KeyError, TypeError) as error:
            raise Failure(f"{path}: not a file of hf --json, or of a run without results") from error

    def make_title(self, result):
        name = qcschema.name_of(result["molecule"])
        end = "" if self.scf["converged"] else ", NOT CONVERGED"
        self.subject = f"{name}: {result['model']['method'].upper()}/{result['model']['basis']}"
        return f"{self.subject}, {self.energy:.8f} hartree{end}"

    @property
    def scan_title(self):
        return f"{self.subject}, scan of {self.scanned}, {len(self.scan)} points"

    def sets(self):
        """[(name, energies, occupations, electrons of a full orbital)]: of both spins, or of each."""
        scf = self.scf
        both = (scf["orbital_energies"], scf["orbital_occupations"])
        if "orbital_energies_beta" not in scf:
            return [("", *both, 2.0)]
        return [("alpha", *both, 1.0), ("beta", scf["orbital_energies_beta"], scf["orbital_occupations_beta"], 1.0)]

    def edges(self, energies, occupations):
        """(highest with electrons, lowest without), None where there is none."""
        filled = [energy for energy, n in zip(energies, occupations) if n > 1e-6]
        empty = [energy for energy, n in zip(energies, occupations) if n <= 1e-6]
        return max(filled, default=None), min(empty, default=None)


def levels_of(calculation):
    """[Level] of all orbitals."""
    return [Level(column, energy, OCCUPIED if n >= full - 1e-6 else PARTLY if n > 1e-6 else VIRTUAL)
            for column, (_, energies, occupations, full) in enumerate(calculation.sets())
            for energy, n in zip(energies, occupations)]


def window_of(calculation):
    """(lowest, highest) energy that is drawn."""
    edges = [calculation.edges(energies, occupations) for _, energies, occupations, _ in calculation.sets()]
    known = [edge for pair in edges for edge in pair if edge is not None]
    if not known:
        raise Failure(f"{calculation.path}: there are no orbitals to draw")
    return min(known) - BELOW, max(known) + ABOVE


def apart(levels, least):
    """[(level, place, number)] of levels in one column: those nearer than `least` are side by side."""
    rows = []
    for level in sorted(levels, key=lambda one: one.energy):
        if rows and level.energy - rows[-1][0].energy < least:
            rows[-1].append(level)
        else:
            rows.append([level])
    return [(level, i, len(row)) for row in rows for i, level in enumerate(row)]


def convergence(calculation):
    """(blocks, lines) of the upper left: changes of the energy and commutators, logarithmic."""
    changes = [(row["number"], abs(row["energy_change"])) for row in calculation.iterations[1:]
               if row["energy_change"] is not None and abs(row["energy_change"]) > LEAST_DRAWN]
    commutators = [(row["number"], row["commutator"]) for row in calculation.iterations if row["commutator"]]
    if not changes and not commutators:
        raise Failure(f"{calculation.path}: there are no iterations to draw")
    last = max(number for number, _ in changes + commutators)
    values = [value for _, value in changes + commutators]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
    plots_of = []
    blocks = []
    for name, rows, title, colour, point in (("changes", changes, "|change of the energy| (hartree)", plots.COLOURS[0], 7),
                                             ("commutators", commutators, "largest element of FDS-SDF", plots.COLOURS[1], 5)):
        if rows:
            blocks += plots.data_block(name, rows)
            plots_of.append(f"${name} using 1:2 with linespoints lc rgb '{colour}' lw 2 pt {point} ps 0.9 title {plots.quoted(title)}")
    lines = ["set logscale y 10", f"set yrange [1e{low}:1e{max(high, low + 1)}]", "set format y '%.0e'",
             f"set xrange [0.5:{last + 0.5}]", f"set xtics {max(1, round(plots.nice_step(last, plots.MOST_TICKS)))} out", "set ytics autofreq",
             "set title 'Convergence'", "set xlabel 'Iteration'", "set ylabel ''", "set grid lc rgb '#DDDDDD' lt 1 lw 1",
             f"set key at screen {(LEFT + SPLIT - 0.06) / 2},0.487 bottom center vertical Left reverse samplen 2", "plot " + ", ".join(plots_of)]
    return blocks, lines


def gap_label(column, edges):
    """Lines of gnuplot for an arrow over the gap with its size beside it; a set without one has none."""
    highest, lowest = edges
    if highest is None or lowest is None or lowest <= highest:
        return []
    x = column + 0.5
    lines = (f"gap {lowest - highest:.4f} hartree", f"{HARTREE_IN_EV * (lowest - highest):.2f} eV")
    arrow = f"set arrow from {x},{highest} to {x},{lowest} heads size screen 0.008,20 lc rgb '#444444' back"
    return [arrow, *(f"set label {plots.quoted(line)} at {x},{(highest + lowest) / 2} offset 0,{offset} center "
                     "font ',10' front boxed" for line, offset in zip(lines, (0.55, -0.55)))]


def orbitals(calculation):
    """(blocks, lines) of the right: levels near the gap, a column for each set of orbitals."""
    low, high = window_of(calculation)
    blocks, plots_of, lines = [], [], []
    levels = levels_of(calculation)
    shown = [level for level in levels if low <= level.energy <= high]
    n_column = len(calculation.sets())
    for colour, title in LEVELS:
        rows = []
        for column in range(n_column):
            for level, i, n in apart([one for one in shown if one.column == column], (high - low) / 250):
                width = 0.8 / n
                if level.colour == colour:
                    rows.append((column + 0.1 + i * width + (0.02 if n > 1 else 0), level.energy, width - (0.04 if n > 1 else 0)))
        if rows:
            name = f"levels_{len(plots_of)}"
            blocks += plots.data_block(name, rows)
            plots_of.append(f"${name} using 1:2:3:(0) with vectors nohead lw 2.5 lc rgb '{colour}' title {plots.quoted(title)}")
    for column, (_, energies, occupations, _) in enumerate(calculation.sets()):
        lines += gap_label(column, calculation.edges(energies, occupations))
    below = sum(level.energy < low for level in levels)
    above = sum(level.energy > high for level in levels)
    ticks = ",".join(f"{plots.quoted(name)} {column + 0.5}" for column, (name, *_) in enumerate(calculation.sets()))
    lines += ["unset logscale", f"set xrange [0:{n_column}]", f"set xtics ({ticks}) scale 0",
              f"set ytics {plots.nice_step(high - low, plots.MOST_TICKS):g}", "set format y '%g'",
              f"set yrange [{low}:{high}]", "set style textbox opaque noborder fillcolor rgb 'white'",
              "set title 'Orbital energies near the gap'",
              f"set xlabel '{below} lower and {above} higher ones are not shown' font ',10'", "set ylabel 'hartree'", "unset grid", "set grid ytics lc rgb '#EEEEEE' lt 1 lw 1",
              "set key below center horizontal samplen 2", "plot " + ", ".join(plots_of), "unset label", "unset arrow"]
    return blocks, lines


def told(seconds):
    return f"{seconds:.3f} s" if seconds >= 0.0005 else "less than 0.001 s"


def timings(calculation):
    """(blocks, lines) of the lower left: a bar for each phase, on the slowest rank."""
    found = [(name, seconds) for name, seconds in calculation.seconds if name != phases.TOTAL and seconds > 0]
    total = dict(calculation.seconds).get(phases.TOTAL, 0.0)
    if not found:
        raise Failure(f"{calculation.path}: there are no timings to draw")
    found.sort(key=lambda phase: phase[1])
    most = max(seconds for _, seconds in found)
    blocks, plots_of = [], []
    for i, (name, seconds) in enumerate(found):
        blocks += plots.data_block(f"phase_{i}", [(0, i, 0, seconds, i - 0.36, i + 0.36)])
        plots_of.append(f"$phase_{i} using 1:2:3:4:5:6 with boxxyerror fc rgb '{phases.colour(name)}' "
                        "fs solid border rgb '#444444' notitle")
    ticks = ",".join(f"{plots.quoted(name)} {i}" for i, (name, _) in enumerate(found))
    labels = [f"set label {plots.quoted(told(seconds))} at {seconds},{i} offset 0.6,0 left font ',9'"
              for i, (_, seconds) in enumerate(found)]
    lines = ["unset logscale", *labels, f"set xrange [0:{1.25 * most}]", f"set xtics {plots.nice_step(1.25 * most, 6):g} scale 1",
             f"set yrange [-0.6:{len(found) - 0.4}]", f"set ytics ({ticks}) scale 0 font ',9'",
             f"set title {plots.quoted(f'Seconds by phase, slowest rank; {told(total)} in all')}", "set xlabel 'Seconds'",
             "set ylabel ''", "unset grid", "unset key", "plot " + ", ".join(plots_of), "unset label"]
    return blocks, lines


def frame(left, right, bottom, top):
    return [f"set lmargin at screen {left}", f"set rmargin at screen {right}", f"set bmargin at screen {bottom}",
            f"set tmargin at screen {top}"]


def draw(calculation, path):
    """[files]"""
    blocks, body = [], ["set border lc rgb '#444444'", "set tics nomirror out",
                        plots.page_title(calculation.title)]
    for place, (more, lines) in ((frame(LEFT, SPLIT - 0.06, 0.63, 0.90), convergence(calculation)),
                                 (frame(LEFT + 0.14, SPLIT - 0.06, 0.09, 0.41), timings(calculation)),
                                 (frame(SPLIT + 0.05, RIGHT, 0.13, 0.90), orbitals(calculation))):
        blocks += more
        body += [*place, *lines]
    return plots.render(path, blocks, [*body, "unset multiplot"], HEIGHT)
