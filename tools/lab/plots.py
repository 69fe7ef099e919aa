"""Plots with gnuplot, each as SVG and as PNG; no display is needed. Knows nothing of hf.

    draw_panels("speedup", "Speedup of water", [
        Panel("", "Processes", "Speedup", [Curve("static", [(1, 1.0), (2, 1.9), (4, 2.2, True)])])])

A point is (x, y), (x, y, mark) or (x, y, mark, low, high): marked points are hollow, and a bar goes from low to high.
What was measured has points, and nothing else has. The x axis is a binary logarithm when x spans more than a factor of
LARGEST_LINEAR_SPAN, on all panels of a picture or on none."""

import math
import shutil
import subprocess
from typing import NamedTuple

from .failure import NO_RESOURCE, Failure

WIDTH, HEIGHT = 1000, 700
LARGEST_LINEAR_SPAN = 8
# Okabe and Ito's colours for colour-blind readers, without the yellow, which is pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = ((7, 6), (5, 4), (9, 8), (13, 12), (11, 10))  # gnuplot's filled and hollow points
DASHES = {"measured": "dt 1", "model": "dt (12,6)", "replay": "dt 1", "ideal": "dt 1", "book": "dt (3,5)"}
WIDTHS = {"measured": 2, "ideal": 1.5, "book": 1.5}
LAYERED = (5, 3.6, 2.4, 1.4)  # widths of simulated curves in turn: where they coincide, those below are seen beside
IDEAL_COLOUR = "#999999"
MARKED = "more processes than cores"  # what hollow points are
MOST_TICKS = 10
MOST_BARS_WITH_GAPS = 64
WIDTH_OF_CHARACTER, WIDTH_OF_KEY_CHARACTER, ROW_HEIGHT, KEY_ROW_HEIGHT = 8, 11, 18, 24  # pixels
GANTT_LEFT, GANTT_COLUMNS, GANTT_TOP = 100, 870, 50  # pixels
MOST_ROW_HEIGHT, MOST_GANTT_HEIGHT = 36, 1160  # pixels


class Curve:
    """`style` is "measured" (the only one with points), "model" (dashed), "replay" (a line), "book" (dotted) or "ideal"
    (thin, grey). Curves that belong together, such as a measurement and its model, share `colour`, a number from 0; None: the next one."""

    def __init__(self, title, points, style="measured", colour=None):
        if style not in DASHES:
            raise ValueError(f"no style {style}")
        self.title = title
        self.points = [(point[0], point[1], bool(point[2]) if len(point) > 2 else False) for point in points]
        self.bars = [(point[0], point[1], *point[3:5]) for point in points if len(point) > 3]
        self.style = style
        self.colour = colour


class Panel(NamedTuple):
    """One set of axes. With `y_like_x` the y axis is logarithmic when the x axis is, and with `linear` that never
    is. A linear y axis ends at `y_most`, and curves that go on leave the picture there."""
    title: str
    x_label: str
    y_label: str
    curves: list
    y_like_x: bool = False
    linear: bool = False
    y_most: float | None = None


class Layer(NamedTuple):
    """A part of every bar of stacked bars; `values` has one number per bar."""
    title: str
    values: list
    colour: str


class Bar(NamedTuple):
    """From `start` to `end` in row number `row`, between the heights `low` and `high` of the row, 0 to 1. Bars of a row
    with the same start are a stack without gaps from 0 to 1, and the next stack begins where one ends."""
    row: int
    start: float
    end: float
    low: float
    high: float
    kind: int   # number into the kinds


def quoted(text):
    """A string of gnuplot."""
    return "'" + " ".join(str(text).split()).replace("'", "''") + "'"


def render(path, blocks, body, height=HEIGHT):
    """[SVG, PNG] of a script that is drawn twice, from data blocks. `path` has no suffix."""
    program = shutil.which("gnuplot")
    if program is None:
        raise Failure("there is no gnuplot here, so there are no plots (Debian package gnuplot-nox)", NO_RESOURCE)
    made, script = [], list(blocks)
    for terminal, font, suffix in (("svg", 15, "svg"), ("pngcairo", 12, "png")):
        made.append(f"{path}.{suffix}")
        script += ["reset", f"set terminal {terminal} noenhanced size {WIDTH},{height} font 'sans-serif,{font}' "
                   "background rgb 'white'", f"set output {quoted(made[-1])}", *body, "unset output"]
    done = subprocess.run([program], input="\n".join(script) + "\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = next((line.strip() for line in done.stderr.splitlines() if "line " in line), "it gave no reason")
        raise Failure(f"{path}: gnuplot failed: {reason}", NO_RESOURCE)
    return made


def nice_step(span, most):
    """The least of 1, 2, 5 times a power of ten that cuts `span` into `most` pieces or fewer."""
    if span <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * most >= span * (1 - 1e-12))


def powers_of_two(least, most, n_most):
    """Ticks of a binary logarithm."""
    first, last = math.floor(math.log2(least) + 1e-9), math.ceil(math.log2(most) - 1e-9)
    return [2.0 ** exponent for exponent in range(first, last + 1, max(1, -(-(last - first + 1) // n_most)))]


def x_axis(values, n_tick, linear=False):
    """(whether it is logarithmic, lines of gnuplot)."""
    least, most = min(values), max(values)
    if not linear and least > 0 and most > LARGEST_LINEAR_SPAN * least:
        ticks = ",".join(f"'{tick:g}' {tick:g}" for tick in powers_of_two(least, most, n_tick))
        return True, ["set logscale x 2", f"set xtics ({ticks})", f"set xrange [{least / 1.15}:{most * 1.15}]"]
    margin = 0.04 * (most - least) or 0.5
    step = nice_step(most - least, n_tick)
    if all(value == int(value) for value in values):
        step = max(1.0, step)
    return False, [f"set xtics {step:g}", f"set xrange [{least - margin}:{most + margin}]"]


def y_axis(values, logarithmic, y_most=None):
    good = [value for value in values if value > 0]
    if logarithmic and good:
        least, most = min(good) / 1.15, max(good) * 1.15
        ticks = ",".join(f"'{tick:g}' {tick:g}" for tick in powers_of_two(least, most, MOST_TICKS))
        return ["set logscale y 2", f"set ytics ({ticks})", f"set yrange [{least}:{most}]"]
    most = y_most or 1.08 * (max(values + [0.0]) or 1.0)
    least = min(values + [0.0])
    return [f"set ytics {nice_step(most - least, MOST_TICKS):g}", f"set yrange [{1.08 * least}:{most}]"]


class Look(NamedTuple):
    """How a curve is drawn: its points and the pattern and width of its line, in gnuplot's words."""
    colour: str
    filled: int
    hollow: int
    line: str


def looks(curves):
    """[Look] of curves; those without a colour of their own take the next."""
    chosen, following, n_of_style = [], 0, {}
    for curve in curves:
        number = curve.colour
        if number is None and curve.style != "ideal":
            number, following = following, following + 1
        colour = IDEAL_COLOUR if number is None else COLOURS[number % len(COLOURS)]
        turn = n_of_style[curve.style] = n_of_style.get(curve.style, -1) + 1
        width = WIDTHS.get(curve.style, LAYERED[turn % len(LAYERED)])
        chosen.append(Look(colour, *SHAPES[(number or 0) % len(SHAPES)], f"{DASHES[curve.style]} lw {width}"))
    return chosen


def data_block(name, rows):
    return [f"${name} << end_of_data", *(" ".join(f"{value:.9g}" for value in row) for row in rows), "end_of_data"]


def curve_plots(name, curve, look):
    """(data blocks, what to plot of them): the line, then its points; below the hollow ones the line is hidden."""
    colour, filled, hollow, line = look
    blocks = data_block(f"{name}_line", [point[:2] for point in curve.points])
    plots = [f"${name}_line using 1:2 with lines lc rgb '{colour}' {line} notitle"]
    if curve.style != "measured":
        return blocks, plots
    if curve.bars:
        blocks += data_block(f"{name}_bars", curve.bars)
        plots.append(f"${name}_bars using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '{colour}' notitle")
    for mark, kinds in ((False, [(filled, colour)]), (True, [(filled, "white"), (hollow, colour)])):
        points = [point[:2] for point in curve.points if point[2] == mark]
        if points:
            blocks += data_block(f"{name}_{int(mark)}", points)
            plots += [f"${name}_{int(mark)} using 1:2 with points pt {kind} ps 1.2 lw 1.5 "
                      f"lc rgb '{point_colour}' notitle" for kind, point_colour in kinds]
    return blocks, plots


def curve_keys(panels, marked):
    """Entries of the legend, each title once; `marked` says what hollow points are, None: there are none."""
    found = {}
    for panel in panels:
        for curve, look in zip(panel.curves, looks(panel.curves)):
            kind = f"linespoints pt {look.filled} ps 1.2" if curve.style == "measured" else "lines"
            found.setdefault(curve.title, f"keyentry with {kind} lc rgb '{look.colour}' {look.line} "
                                          f"title {quoted(curve.title)}")
    keys = list(found.values())
    if marked:
        keys.append(f"keyentry with points pt 6 ps 1.2 lw 1.5 lc rgb '#555555' title {quoted(marked)}")
    return keys


def key_columns(titles):
    """How many columns of such titles fit below a plot."""
    return max(1, min(4, int(WIDTH / (95 + WIDTH_OF_KEY_CHARACTER * max(map(len, titles))))))


def panel_script(panel, name, n_tick, shared):
    """(data blocks, lines of gnuplot) of one set of axes, whose x axis shows the values `shared`."""
    values = [value for curve in panel.curves for value in curve.points]
    if not values:
        raise Failure(f"{panel.title}: there is nothing to draw", NO_RESOURCE)
    logarithmic, axis = x_axis(shared, n_tick, panel.linear)
    heights = [y for _, y, _ in values] + [end for curve in panel.curves for bar in curve.bars for end in bar[2:]]
    axis += y_axis(heights, panel.y_like_x and logarithmic, panel.y_most)
    blocks, plots = [], []
    for i, (curve, look) in enumerate(zip(panel.curves, looks(panel.curves))):
        more_blocks, more_plots = curve_plots(f"{name}_{i}", curve, look)
        blocks += more_blocks
        plots += more_plots
    lines = ["unset logscale", *axis, f"set title {quoted(panel.title)}", f"set xlabel {quoted(panel.x_label)}",
             f"set ylabel {quoted(panel.y_label)}", "plot " + ", ".join(plots)]
    return blocks, lines


def legend_script(keys, n_column):
    """Lines of gnuplot for a legend below all panels: axes that nobody sees, as wide as the picture, since gnuplot
    makes no more columns than the axes are wide."""
    return ["unset logscale", "unset title", "unset xlabel", "unset ylabel", "unset tics", "unset border", "unset grid",
            "set lmargin at screen 0.02", "set rmargin at screen 0.98", "set xrange [0:1]", "set yrange [0:1]",
            f"set key at screen 0.5,{12 / HEIGHT} bottom center horizontal Left reverse maxcols {n_column} samplen 3",
            "plot 2 with lines notitle, " + ", ".join(keys)]


def page_title(title, layout=""):
    """A line of gnuplot for a title above everything, in the middle of the picture and as wide as that at most. A `layout`
    such as "2,1" is that of the axes, which then leave room for the title."""
    points = max(6, min(16, 1150 // max(1, len(title))))
    return f"set multiplot {f'layout {layout} ' if layout else ''}title {quoted(title)} font ',{points}' offset 0,-0.2"


def draw_panels(path, title, panels):
    """Sets of axes side by side below one title, with one legend below them: curves of the same title look alike, so
    those after the first panel have their `colour`, or their place in it. [files]"""
    hollow = MARKED if any(point[2] for panel in panels for curve in panel.curves for point in curve.points) else None
    keys = curve_keys(panels, hollow)
    n_column = key_columns([curve.title for panel in panels for curve in panel.curves] + ([hollow] if hollow else []))
    n_row = -(-len(keys) // n_column)
    bottom = (70 + 24 * n_row) / HEIGHT
    shared = [x for panel in panels for curve in panel.curves for x, _, _ in curve.points]
    blocks = []
    body = ["set grid lc rgb '#DDDDDD' lt 1 lw 1", "set border lc rgb '#444444'", "set tics nomirror",
            "unset key", page_title(title)]
    for i, panel in enumerate(panels):
        left, right = (i + 0.09 * len(panels)) / len(panels), (i + 1) / len(panels) - 0.025
        more_blocks, lines = panel_script(panel, f"panel_{i}", MOST_TICKS if len(panels) == 1 else 7, shared)
        blocks += more_blocks
        body += [f"set lmargin at screen {left}", f"set rmargin at screen {right}",
                 f"set bmargin at screen {bottom}", f"set tmargin at screen {1 - 85 / HEIGHT}", *lines]
    return render(path, blocks, [*body, *legend_script(keys, n_column), "unset multiplot"])


def label_ticks(labels, n_most, direction=1):
    """Ticks at 0, 1, ... (or 0, -1, ...) with as many of the labels as there is room for."""
    step = max(1, int(nice_step(len(labels), n_most)))
    return "(" + ",".join(f"{quoted(label)} {direction * i}" for i, label in enumerate(labels) if i % step == 0) + ")"


def bar_frame(title, x_label, y_label):
    return [page_title(title, "1,1"), f"set xlabel {quoted(x_label)}",
            f"set ylabel {quoted(y_label)}", "set border 3 lc rgb '#444444'", "set tics nomirror out",
            "set style fill solid noborder"]


def stacked_bars(path, title, x_label, y_label, labels, layers):
    """A bar for each label, of Layers from the bottom to the top. [files]"""
    sums, blocks, plots = [0.0] * len(labels), [], []
    for i, layer in enumerate(layers):
        top = [below + value for below, value in zip(sums, layer.values)]
        blocks += data_block(f"layer_{i}", list(zip(range(len(labels)), sums, top)))
        sums = top
    width = 0.4 if len(labels) <= MOST_BARS_WITH_GAPS else 0.5
    for i in reversed(range(len(layers))):  # the legend as the bars are: the highest first
        plots.append(f"$layer_{i} using 1:3:($1-{width}):($1+{width}):2:3 with boxxyerror "
                     f"fc rgb '{layers[i].colour}' title {quoted(layers[i].title)}")
    most = max(sums, default=0.0) or 1.0
    n_label = min(24, int(690 / (WIDTH_OF_CHARACTER * max(len(str(label)) for label in labels) + 16)))
    body = [*bar_frame(title, x_label, y_label), "set grid ytics lc rgb '#DDDDDD' lt 1 lw 1", "set grid front",
            "set key outside right top vertical Left reverse samplen 1.5 spacing 1.3",
            f"set xtics {label_ticks(labels, n_label)}", f"set xrange [-0.7:{len(labels) - 0.3}]",
            f"set ytics {nice_step(most, MOST_TICKS):g}", f"set yrange [0:{1.05 * most}]", "plot " + ", ".join(plots), "unset multiplot"]
    return render(path, blocks, body)


def painted(bars, pixel, pixel_of_row, end):
    """Bars, each a pixel larger: they reach under the next lower one of their stack and under the next stack, which are drawn later.
    Else the background shines through where edges are not at pixels."""
    for bar in sorted(bars, key=lambda bar: (bar.row, bar.start, -bar.high)):
        yield bar._replace(low=max(0.0, bar.low - pixel_of_row), end=min(bar.end + pixel, end))


def gantt(path, title, x_label, y_label, labels, bars, kinds, span, n_row_together=1):
    """Rows of Bars against time from span[0] to span[1], the first row at the top; `kinds` are (title, colour). [files]

    The picture is as high as its rows need, and its axis GANTT_COLUMNS pixels wide. A line is drawn after every
    n_row_together rows when that is more than one."""
    if not bars:
        raise Failure(f"{title}: there is nothing to draw", NO_RESOURCE)
    gap = 0.1 if len(labels) <= MOST_BARS_WITH_GAPS else 0.0
    row_height = max(1, min(MOST_ROW_HEIGHT, MOST_GANTT_HEIGHT // len(labels)))
    colours = [int(colour.removeprefix("#"), 16) for _, colour in kinds]
    block = data_block("bars", [
        (bar.start, bar.end, (1 - gap) * (bar.low - 0.5) - bar.row, (1 - gap) * (bar.high - 0.5) - bar.row,
         colours[bar.kind]) for bar in painted(bars, (span[1] - span[0]) / GANTT_COLUMNS, 1 / row_height, span[1])])
    shown = [kinds[i] for i in sorted({bar.kind for bar in bars})]
    keys = [f"keyentry with boxes fc rgb '{colour}' title {quoted(name)}" for name, colour in shown]
    n_column = max(1, min(4, int(GANTT_COLUMNS / (50 + 9.5 * max(len(name) for name, _ in shown)))))
    bottom = 75 + KEY_ROW_HEIGHT * -(-len(shown) // n_column)
    height = GANTT_TOP + row_height * len(labels) + bottom
    borders = range(n_row_together, len(labels), n_row_together) if n_row_together > 1 else ()
    ticks = label_ticks(labels, max(1, row_height * len(labels) // ROW_HEIGHT), -1)
    body = [*bar_frame(title, x_label, y_label), f"set ytics {ticks}", f"set yrange [{-len(labels) + 0.5}:0.5]",
            f"set xrange [{span[0]:.9g}:{span[1]:.9g}]", f"set xtics {nice_step(span[1] - span[0], MOST_TICKS):g}",
            f"set lmargin at screen {GANTT_LEFT / WIDTH}",
            f"set rmargin at screen {(GANTT_LEFT + GANTT_COLUMNS) / WIDTH}",
            f"set tmargin at screen {1 - GANTT_TOP / height}", f"set bmargin at screen {bottom / height}",
            *(f"set arrow from graph 0, first {0.5 - row} to graph 1, first {0.5 - row} nohead front lc rgb '#444444'"
              for row in borders),
            f"set key at screen 0.5,{8 / height} bottom center horizontal Left reverse maxcols {n_column} "
            "samplen 1.5 width -2",
            "plot " + ", ".join(["$bars using 1:3:1:2:3:4:5 with boxxyerror lc rgb variable notitle", *keys]), "unset multiplot"]
    return render(path, block, body, height)
