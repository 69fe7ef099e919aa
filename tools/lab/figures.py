"""What tools/speedup draws: speedup and efficiency against processes, and the phases of each case."""

from . import phases, plots
from .cells import of_processes
from .sweep import short_titles

PERCENT = 100.0


def subject(points):
    """"water, cc-pVDZ", and the builder where all points have the same."""
    first = points[0].results[0]
    builders = {point.case.builder for point in points}
    builder = f", {points[0].case.builder.title}" if len(builders) == 1 else ""
    return f"{first.molecule}, {first.basis}{builder}"


def curves(points, part, value):
    """One for each case, with bars from the slowest to the fastest run; crowded points are marked."""
    titles = short_titles([point.case for point in points])

    def drawn(point):
        quantity = getattr(point, part)
        height = value(quantity)
        if len(point.results) == 1 or quantity.least <= 0:
            return point.processes, height, point.crowded
        return (point.processes, height, point.crowded, height * quantity.seconds / quantity.most,
                height * quantity.seconds / quantity.least)  # it goes as one over the time
    return [plots.Curve(title, [drawn(point) for point in points if point.case == case])
            for case, title in titles.items()]


def over(references):
    """What speedups are relative to: ", over static on 1 process"."""
    found = {f"{reference.case.schedule} on {of_processes(reference.processes)}" for reference in references.values()}
    return f", over {found.pop()}" if len(found) == 1 else ", over the reference of each builder"


def ideal(points, value):
    counts = [point.processes for point in points]
    return plots.Curve("ideal", [(count, value(count)) for count in (min(counts), max(counts))], "ideal")


def draw_scaling(path, what, points, references):
    """Speedup or efficiency of the Fock builds and of the whole SCF, side by side."""
    efficiency = what == "efficiency"
    label = f"{'Efficiency / %' if efficiency else 'Speedup'}{over(references)}"

    def panel(title, part):
        measured = curves(points, part, lambda quantity: PERCENT * quantity.efficiency if efficiency else quantity.speedup)
        return plots.Panel(title, "Processes", label, [*measured, ideal(points, lambda n: PERCENT if efficiency else n)], not efficiency)
    return plots.draw_panels(path, f"{'Parallel efficiency' if efficiency else 'Speedup'}: {subject(points)}",
                             [panel("Fock builds", "fock"), panel("Whole SCF", "scf")])


def layers(bars):
    """Layers for bars that are {phase: seconds} each: the phases that any of them spent time in."""
    names = dict.fromkeys([*phases.COLOURS, *(name for bar in bars for name in bar)])
    return [plots.Layer(name, [max(0.0, bar.get(name, 0.0)) for bar in bars], phases.colour(name))
            for name in names if any(bar.get(name, 0.0) > 0 for bar in bars)]


def draw_phases(path, points):
    """Of one case: means over the ranks of every point."""
    labels = [f"{point.processes}{'*' if point.crowded else ''}" for point in points]
    label = "Processes (*: more than cores)" if any(point.crowded for point in points) else "Processes"
    return plots.stacked_bars(path, f"Time per phase: {subject(points)}, {points[0].case.schedule}", label, "Seconds, mean over the ranks",
                              labels, layers([point.phase_seconds for point in points]))


def draw_all(folder, points, references):
    """All figures, into a folder. [files]"""
    made = [file for what in ("speedup", "efficiency") for file in draw_scaling(folder / what, what, points, references)]
    cases = list(dict.fromkeys(point.case for point in points))
    for case in cases:
        of_case = [point for point in points if point.case == case]
        name = "phases" if len(cases) == 1 else f"phases-{case.name}"
        made += draw_phases(folder / name, of_case)
    return made
