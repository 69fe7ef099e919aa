"""Pictures of what a calculation found beyond its SCF: the infrared spectrum of vibrations, the absorption spectrum of excited
states, the steps of an optimisation, the points of a scan."""

import math
from typing import NamedTuple

from . import plots
from .failure import Failure

HARTREE_IN_EV = 27.211386245988
NEAR = (0.0, 0.15, 0.3, 0.5, 0.8, 1.3, 2.0)  # widths, from a line, where the curve is finer
LEAST_FORCE = 1e-12  # hartree/bohr: a single atom has none
HEIGHT = 700


class Spectrum(NamedTuple):
    """How lines are drawn. `width`: of a line at half of its height; `step`: of the curve; `margin`: beyond the highest line."""
    unit: str
    width: float
    step: float
    margin: float
    x_label: str
    y_label: str
    imaginary: str  # what is not shown
    line: str  # name of the lines
    rises_to_left: bool


INFRARED = Spectrum("1/cm", 10.0, 8.0, 200.0, "Wave number (1/cm)", "Infrared intensity (km/mol)", "imaginary modes", "modes", True)
ABSORPTION = Spectrum("eV", 0.3, 0.05, 1.0, "Energy (eV)", "Oscillator strength", "imaginary states", "excited states", False)


def curve(spectrum, lines, last):
    """[(place, height)] of Lorentzians as high as their lines [(place, height)], from 0 to `last`."""
    half = (spectrum.width / 2) ** 2
    places = {i * spectrum.step for i in range(math.ceil(last / spectrum.step) + 1)}
    places |= {max(0.0, line + sign * away * spectrum.width) for line, _ in lines for away in NEAR for sign in (-1, 1)}
    return [(x, sum(height * half / ((x - line) ** 2 + half) for line, height in lines)) for x in sorted(places)]


def lines_of(calculation):
    """(kind of spectrum, [(place, height)] of the real lines, number of the imaginary ones)."""
    if calculation.vibrations:
        found = calculation.vibrations
        spectrum, every = INFRARED, list(zip(found["frequencies"], found["infrared_intensities"], strict=True))
    else:
        found = calculation.excitations
        states = [state for kind in ("singlets", "states", "triplets") for state in found.get(kind, [])]
        spectrum, every = ABSORPTION, [(state["energy"] * HARTREE_IN_EV, state["oscillator_strength"]) for state in states]
    real = [line for line in every if line[0] > 0.0]
    if not real:
        raise Failure(f"{calculation.path}: there are no lines to draw")
    return spectrum, real, len(every) - len(real)


def draw_spectrum(calculation, path):
    """[files]"""
    spectrum, lines, n_imaginary = lines_of(calculation)
    first, last = 0.0, spectrum.margin + max(place for place, _ in lines)
    if not spectrum.rises_to_left:
        first = max(0.0, min(place for place, _ in lines) - spectrum.margin)
    most = max(height for _, height in lines) or 1.0
    note = f"; {spectrum.imaginary}, not shown: {n_imaginary}" if n_imaginary else ""
    blocks = plots.data_block("curve", curve(spectrum, lines, last)) + plots.data_block("sticks", lines)
    ends = f"{last}:{first}" if spectrum.rises_to_left else f"{first}:{last}"
    body = ["set border lc rgb '#444444'", "set tics nomirror out", plots.page_title(calculation.title, "1,1"),
            f"set xrange [{ends}]", f"set xtics {plots.nice_step(last - first, plots.MOST_TICKS):g}", f"set yrange [0:{1.1 * most}]",
            f"set ytics {plots.nice_step(1.1 * most, plots.MOST_TICKS):g}", f"set xlabel {plots.quoted(spectrum.x_label + note)}",
            f"set ylabel '{spectrum.y_label}'", "set grid lc rgb '#DDDDDD' lt 1 lw 1", "set bmargin at screen 0.17",
            "set key at screen 0.5,0.02 bottom center horizontal Left reverse samplen 2",
            f"plot $curve using 1:2 with lines lc rgb '{plots.COLOURS[0]}' lw 1.5 title 'Lorentzians, {spectrum.width:g} {spectrum.unit} wide', "
            f"$sticks using 1:2 with impulses lc rgb '{plots.COLOURS[1]}' lw 2 title '{spectrum.line}'", "unset multiplot"]
    return plots.render(path, blocks, body, HEIGHT)


def step_panel(name, rows, title, label, colour, more):
    """(blocks, lines) of one quantity at each step."""
    last = rows[-1][0]
    lines = [*more, f"set xrange [0.5:{last + 0.5}]", f"set xtics {max(1, round(plots.nice_step(last, plots.MOST_TICKS)))} out",
             f"set title {plots.quoted(title)}", f"set ylabel {plots.quoted(label)}", "set grid lc rgb '#DDDDDD' lt 1 lw 1",
             "unset key", f"plot ${name} using 1:2 with linespoints lc rgb '{colour}' lw 2 pt 7 ps 0.9"]
    return plots.data_block(name, rows), lines


def points_of(calculation):
    """([(value, energy)] of a scan, number of points without an energy)."""
    points = [(point["value"], point["energy"]) for point in calculation.scan if point["energy"] is not None]
    if not points:
        raise Failure(f"{calculation.path}: there are no points to draw")
    return points, len(calculation.scan) - len(points)


def draw_scan(calculation, path):
    """[files]"""
    points, n_without = points_of(calculation)
    lowest = min(energy for _, energy in points)
    unit = "angstrom" if calculation.scanned.startswith("distance") else "degrees"
    note = f"; points without an energy: {n_without}" if n_without else ""
    curve = plots.Curve("energy", [(value, energy - lowest) for value, energy in points])
    return plots.draw_panels(path, calculation.scan_title, [plots.Panel(
        "", f"{calculation.scanned} ({unit}){note}", f"Energy above {lowest:.8f} hartree (hartree)", [curve], linear=True)])


def draw_steps(calculation, path):
    """[files]"""
    steps = calculation.steps
    if not steps:
        raise Failure(f"{calculation.path}: there are no steps to draw")
    lowest = min(step["energy"] for step in steps)
    energies = [(i + 1, step["energy"] - lowest) for i, step in enumerate(steps)]
    forces = [(i + 1, max(step["max_force"], LEAST_FORCE)) for i, step in enumerate(steps)]
    blocks, body = [], ["set border lc rgb '#444444'", "set tics nomirror out", "set lmargin 14", "set bmargin 4", "set xlabel 'Step'",
                        plots.page_title(calculation.title, "2,1")]
    for more, lines in (step_panel("energies", energies, "Energy above the lowest one", "hartree", plots.COLOURS[0], ["set format y '%g'"]),
                        step_panel("forces", forces, "Largest force", "hartree/bohr", plots.COLOURS[1],
                                   ["set logscale y 10", "set format y '%.0e'"])):
        blocks += more
        body += lines
    return plots.render(path, blocks, [*body, "unset multiplot"], HEIGHT)
