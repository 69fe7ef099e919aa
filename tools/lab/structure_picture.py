"""Pictures of what a calculation found beyond its SCF: the infrared spectrum of vibrations, the steps of an optimisation, the
points of a scan."""

import math

from . import plots
from .failure import Failure

WIDTH = 10.0  # 1/cm, of a line at half of its height
STEP = 8.0  # 1/cm, of the curve
NEAR = (0.0, 1.5, 3.0, 5.0, 8.0, 13.0, 20.0)  # 1/cm, from a line, where it is finer
MARGIN = 200.0  # 1/cm, beyond the highest frequency
LEAST_FORCE = 1e-12  # hartree/bohr: a single atom has none
HEIGHT = 700


def curve(lines, last):
    """[(1/cm, km/mol)] of Lorentzians as high as their lines [(frequency, intensity)], from 0 to `last`."""
    half = (WIDTH / 2) ** 2
    places = {i * STEP for i in range(math.ceil(last / STEP) + 1)}
    places |= {max(0.0, frequency + sign * away) for frequency, _ in lines for away in NEAR for sign in (-1, 1)}
    return [(x, sum(intensity * half / ((x - frequency) ** 2 + half) for frequency, intensity in lines))
            for x in sorted(places)]


def lines_of(calculation):
    """([(frequency, intensity)] of the real modes, number of the imaginary ones)."""
    found = calculation.vibrations
    every = list(zip(found["frequencies"], found["infrared_intensities"], strict=True))
    real = [line for line in every if line[0] > 0.0]
    if not real:
        raise Failure(f"{calculation.path}: there are no frequencies to draw")
    return real, len(every) - len(real)


def draw_spectrum(calculation, path):
    """[files]"""
    lines, n_imaginary = lines_of(calculation)
    last = MARGIN + max(frequency for frequency, _ in lines)
    most = max(intensity for _, intensity in lines) or 1.0
    note = f"; imaginary modes, not shown: {n_imaginary}" if n_imaginary else ""
    blocks = plots.data_block("curve", curve(lines, last)) + plots.data_block("sticks", lines)
    body = ["set border lc rgb '#444444'", "set tics nomirror out", plots.page_title(calculation.title, "1,1"),
            f"set xrange [{last}:0]", f"set xtics {plots.nice_step(last, plots.MOST_TICKS):g}", f"set yrange [0:{1.1 * most}]",
            f"set ytics {plots.nice_step(1.1 * most, plots.MOST_TICKS):g}", f"set xlabel {plots.quoted('Wave number (1/cm)' + note)}",
            "set ylabel 'Infrared intensity (km/mol)'", "set grid lc rgb '#DDDDDD' lt 1 lw 1", "set bmargin at screen 0.17", "set key at screen 0.5,0.02 bottom center horizontal Left reverse samplen 2",
            f"plot $curve using 1:2 with lines lc rgb '{plots.COLOURS[0]}' lw 1.5 title 'Lorentzians, {WIDTH:g} 1/cm wide', "
            f"$sticks using 1:2 with impulses lc rgb '{plots.COLOURS[1]}' lw 2 title 'modes'", "unset multiplot"]
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
    rows = [(value, energy - lowest) for value, energy in points]
    unit = "angstrom" if calculation.scanned.startswith("distance") else "degrees"
    note = f"; points without an energy: {n_without}" if n_without else ""
    values = [value for value, _ in rows]
    margin = 0.04 * (max(values) - min(values)) or 0.5
    body = ["set border lc rgb '#444444'", "set tics nomirror out", "set grid lc rgb '#DDDDDD' lt 1 lw 1", "unset key",
            plots.page_title(calculation.scan_title, "1,1"), f"set xrange [{min(values) - margin}:{max(values) + margin}]",
            f"set xlabel {plots.quoted(f'{calculation.scanned} ({unit}){note}')}", "set offsets 0,0,graph 0.04,graph 0.04",
            f"set ylabel {plots.quoted(f'Energy above {lowest:.8f} hartree (hartree)')}",
            f"plot $points using 1:2 with linespoints lc rgb '{plots.COLOURS[0]}' lw 2 pt 7 ps 0.9", "unset multiplot"]
    return plots.render(path, plots.data_block("points", rows), body, HEIGHT)


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
