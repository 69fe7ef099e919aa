"""What every thread of every rank did when: the spans of a trace as the pixel columns of a picture, and as a table.

The window of time is cut into columns. Each column of a row has the seconds that went to each part, and is drawn as a
stack with heights in their proportion, so that no time is lost, however many spans fall into one column."""

import array
import math
import pathlib
from typing import NamedTuple

from . import phases, trace
from .failure import Failure
from .lists import numbers
from .plots import MOST_GANTT_HEIGHT, Bar

MOST_ROWS_UNASKED = 64
MOST_ROWS = 1024       # more are thinner than a pixel
MOST_THREADS = 256     # the last one's number stands for all behind it, too
MOST_ALIKE = 1 / 40    # of a row's height: shares that differ by less look alike


class Part(NamedTuple):
    """What time goes to. `heading` is the column of the table it counts for."""
    title: str
    colour: str
    heading: tuple


COMPUTING = ("", "computing")
STORED = ("reading", "stored")
TASKS, BLOCKS, LAST_RANK = (("waiting for", what) for what in ("tasks", "blocks", "last rank"))
MATRICES = ("moving", "matrices")
OTHER = ("other", "phases")
OUTSIDE = ("outside of", "all spans")
HEADINGS = (COMPUTING, STORED, TASKS, BLOCKS, LAST_RANK, MATRICES, OTHER, OUTSIDE)
KNOWN = {
    trace.TASK: Part("Computing tasks", phases.colour(phases.COMPUTING), COMPUTING),
    trace.STORED_TASK: Part("Reading stored integrals", phases.STORED_COLOUR, STORED),
    trace.FIRST_QUARTER: Part("MP2: first quarter", phases.colour(phases.MP2_FIRST), COMPUTING),
    trace.SECOND_QUARTER: Part("MP2: second quarter", phases.colour(phases.MP2_SECOND), COMPUTING),
    phases.MP2_SECOND: Part(phases.MP2_SECOND, phases.colour(phases.MP2_SECOND), COMPUTING),
    phases.MP2_WAITING: Part(phases.MP2_WAITING, phases.colour(phases.MP2_WAITING), LAST_RANK),
    trace.COULOMB_TASK: Part("Coulomb pass", phases.colour(phases.COULOMB_PASS), COMPUTING),
    phases.WAITING_FOR_TASKS: Part("Waiting for tasks", phases.colour(phases.WAITING_FOR_TASKS), TASKS),
    phases.WAITING_FOR_BLOCKS: Part("Waiting for blocks", phases.colour(phases.WAITING_FOR_BLOCKS), BLOCKS),
    phases.WAITING_FOR_LAST_RANK: Part("Waiting for the last rank", phases.colour(phases.WAITING_FOR_LAST_RANK),
                                       LAST_RANK),
    phases.MOVING_MATRICES: Part("Moving matrices", phases.colour(phases.MOVING_MATRICES), MATRICES),
}
NESTED = (trace.PAIR_TASK, trace.COPYING)  # within phases of MP2
REST = Part("Outside of all spans", phases.colour(phases.REST), OUTSIDE)


class Window(NamedTuple):
    """Seconds of the trace's clock. Times are told since `origin`: the start of the run or of the build."""
    origin: float
    begin: float
    end: float

    @property
    def seconds(self):
        return self.end - self.begin

    @property
    def told(self):
        return self.begin - self.origin, self.end - self.origin


def parts_of(header):
    """Parts in the order of stacks from the bottom: work, other phases, waiting; and the part of each kind."""
    kinds = header["kinds"]
    same = {phases.COMPUTING: trace.TASK}
    if trace.COULOMB_TASK in kinds:
        same[phases.COULOMB_PASS] = trace.COULOMB_TASK
    order = [trace.TASK, trace.STORED_TASK, *list(same.values())[1:], phases.MOVING_MATRICES]
    order += [kind for kind in (trace.FIRST_QUARTER, trace.SECOND_QUARTER, phases.MP2_SECOND) if kind in kinds]
    waits = [phases.WAITING_FOR_BLOCKS, phases.WAITING_FOR_TASKS, phases.WAITING_FOR_LAST_RANK]
    waits += [phases.MP2_WAITING] if phases.MP2_WAITING in kinds else []
    same |= dict.fromkeys(NESTED, trace.TASK)
    order += [kind for kind in kinds if kind not in KNOWN and kind not in same] + waits
    parts = [KNOWN.get(kind) or Part(kind, phases.colour(kind), OTHER) for kind in order]
    return parts, [order.index(same.get(kind, kind)) for kind in kinds]


def extent(path, header, build):
    """(first start, last end) of the spans of a build, counted from 0, or with None of all spans."""
    begin, end = math.inf, -math.inf
    for start, _, seconds, number, _, kind in trace.records(path, header):
        if kind < trace.FIRST_SPECIAL and (build is None or number == build):
            begin = min(begin, start)
            end = max(end, start + seconds)
    if not begin < end:
        raise Failure(f"{path}: the trace has no spans of the {'run' if build is None else 'build'}")
    if math.inf in (begin, -begin, end):
        raise Failure(f"{path}: a record of this trace is damaged")
    return begin, end


def find_window(path, header, build, first, last):
    """The window from `first` to `last` seconds (None: to the end) of a build, counted from 1, or of the whole run."""
    n_build = len(header["builds"])
    if build is not None and not 1 <= build <= n_build:
        raise Failure(f"--build: there is no build {build}, expected 1 to {n_build}")
    if not first >= 0.0:
        raise Failure(f"--from: {first:g} is not 0 or more")
    if last is not None and not last > first:
        raise Failure(f"--from {first:g} --to {last:g}: an empty range, expected an end after the start")
    begin, end = extent(path, header, None if build is None else build - 1)
    if first >= end - begin:
        what = "run" if build is None else "build"
        raise Failure(f"--from: {first:g} is after the end of the {what}, which takes {end - begin:.6g} seconds")
    return Window(begin, begin + first, end if last is None else min(end, begin + last))


def find_ranks(header, text):
    """Ranks to draw: those of a list, or as many as there is room for, evenly chosen, from the first to the last."""
    n_rank, n_thread = header["n_rank"], n_thread_row(header)
    if text is None:
        n = min(n_rank, max(1, MOST_ROWS_UNASKED // n_thread))
        return [round(i * (n_rank - 1) / max(1, n - 1)) for i in range(n)]
    ranks = numbers("--ranks", text, 0)
    if ranks[-1] >= n_rank:
        raise Failure(f"--ranks: there is no rank {ranks[-1]}, expected 0 to {n_rank - 1}")
    if len(ranks) * n_thread > MOST_ROWS:
        raise Failure(f"--ranks: {len(ranks)} ranks with {n_thread} threads are {len(ranks) * n_thread} rows, "
                      f"expected {MOST_ROWS} or fewer")
    return ranks


def n_thread_row(header):
    return min(MOST_THREADS, header["n_thread"])


def labels_of(header, ranks):
    """Labels of the rows."""
    n_thread = n_thread_row(header)
    return [f"{rank}.{thread}" if n_thread > 1 else str(rank) for rank in ranks for thread in range(n_thread)]


class Seconds:
    """Where the time of a window went. `of_rank[rank][part]` are the seconds of all threads of a rank;
    `of_row[row][column * n_part + part]` those in each column of the rows drawn."""

    def __init__(self, path, header, window, ranks, n_column):
        self.parts, self.part_of = parts_of(header)
        self.nested = [kind for kind, name in enumerate(header["kinds"]) if name in NESTED]
        self.window = window
        self.n_column = n_column
        self.n_thread = header["n_thread"]
        self.of_rank = [[0.0] * len(self.parts) for _ in range(header["n_rank"])]
        n_thread = n_thread_row(header)
        self.of_row = [array.array("d", bytes(8 * n_column * len(self.parts))) for _ in range(len(ranks) * n_thread)]
        rows = {rank: self.of_row[i * n_thread:(i + 1) * n_thread] for i, rank in enumerate(ranks)}
        try:
            self._read(path, header, rows)
        except IndexError as error:
            raise Failure(f"{path}: a record of this trace is damaged") from error

    def _read(self, path, header, rows):
        begin, end = self.window.begin, self.window.end
        of_rank, cells = self.of_rank[0], rows.get(0)
        for start, task, seconds, _, thread, kind in trace.records(path, header):
            if kind == trace.RANK:
                of_rank, cells = self.of_rank[task], rows.get(task)
            elif kind < trace.FIRST_SPECIAL:
                if kind in self.nested:
                    continue
                part = self.part_of[kind]
                first, last = max(begin, start), min(end, start + seconds)
                if first < last:
                    of_rank[part] += last - first
                    if cells is not None:
                        self._spread(cells[thread], part, first - begin, last - begin)

    def _spread(self, cells, part, first, last):
        """Adds a span to the columns it touches, each with its share of it."""
        n_part, width = len(self.parts), self.window.seconds / self.n_column
        left = min(int(first / width), self.n_column - 1)
        right = min(int(last / width), self.n_column - 1)
        if left == right:
            cells[left * n_part + part] += last - first
            return
        cells[left * n_part + part] += (left + 1) * width - first
        for column in range(left + 1, right):
            cells[column * n_part + part] += width
        cells[right * n_part + part] += last - right * width

    def bars(self):
        """Bars of all rows; their kinds are numbers into self.kinds()."""
        return [bar for row in range(len(self.of_row)) for bar in self._bars_of_row(row)]

    def kinds(self):
        return [(part.title, part.colour) for part in (*self.parts, REST)]

    def _bars_of_row(self, row):
        width = self.window.seconds / self.n_column
        origin = self.window.told[0]
        for left, right, shares in alike(self._shares(row), tolerance(len(self.of_row))):
            below = 0.0
            for kind, share in enumerate(shares):
                if share > 0.0:
                    yield Bar(row, origin + left * width, origin + right * width, below, below + share, kind)
                    below += share

    def _shares(self, row):
        """For each column the share of each part, and of none, which add up to 1. A row that stands for several
        threads can have more than its time."""
        cells, n_part, width = self.of_row[row], len(self.parts), self.window.seconds / self.n_column
        for column in range(self.n_column):
            seconds = cells[column * n_part:(column + 1) * n_part]
            spent = sum(seconds)
            whole = max(width, spent)
            yield [value / whole for value in seconds] + [rest(1.0 - spent / whole)]

    def of_headings(self, rank):
        """Seconds per thread of a rank for each of HEADINGS; they add up to the window."""
        found = dict.fromkeys(HEADINGS, 0.0)
        for part, seconds in zip(self.parts, self.of_rank[rank]):
            found[part.heading] += seconds / self.n_thread
        found[OUTSIDE] = rest(self.window.seconds - sum(found.values()))
        return [found[heading] for heading in HEADINGS]


def rest(value):
    """What is left over, without what rounding leaves; the records have seconds with seven digits."""
    return value if value > 1e-6 else 0.0


def tolerance(n_row):
    """Differences between shares that cannot be seen: half a pixel of rows that are low because they are many."""
    return max(MOST_ALIKE, 0.5 * n_row / MOST_GANTT_HEIGHT)


def alike(columns, within):
    """(first, end, mean shares) of neighbouring columns whose shares differ by less than `within`: one stack instead of
    many. The mean keeps the time of each part as it is."""
    first, reference, sums = 0, None, None
    for i, shares in enumerate(columns):
        if reference is not None and all(abs(a - b) < within for a, b in zip(shares, reference)):
            sums = [a + b for a, b in zip(sums, shares)]
            continue
        if reference is not None:
            yield first, i, [value / (i - first) for value in sums]
        first, reference, sums = i, shares, shares
    if reference is not None:
        yield first, i + 1, [value / (i + 1 - first) for value in sums]


def title_of(header, build, ranks):
    """What is drawn, in one line."""
    n_build, n_rank = len(header["builds"]), header["n_rank"]
    what = "whole run" if build is None else f"Fock build {build} of {n_build}"
    shown = f"; {len(ranks)} of {n_rank} ranks" if len(ranks) < n_rank else ""
    return (f"{pathlib.Path(header['input_path']).stem}, {header['basis']}, {header['fock']}, "
            f"{header['schedule']}: {what}{shown}")


def table(seconds, ranks):
    """Lines of text: a line per rank drawn, and the mean over all ranks."""
    n_rank = len(seconds.of_rank)
    first, last = seconds.window.told
    per = " per thread" if seconds.n_thread > 1 else ""
    yield f"Seconds{per} and share of the {seconds.window.seconds:.6g} s from {first:.6g} s to {last:.6g} s"
    for line in (0, 1):
        yield ("" if line == 0 else "rank").rjust(6) + "".join(f"{heading[line]:>18}" for heading in HEADINGS)
    mean = [0.0] * len(HEADINGS)
    for rank in range(n_rank):
        values = seconds.of_headings(rank)
        mean = [so_far + value / n_rank for so_far, value in zip(mean, values)]
        if rank in ranks:
            yield table_line(rank, values, seconds.window)
    yield table_line("mean", mean, seconds.window)
    if len(ranks) < n_rank:
        yield f"{len(ranks)} of {n_rank} ranks are shown; the mean is that of all."


def table_line(name, values, window):
    return f"{name:>6}" + "".join(f"{value:11.4f} {value / window.seconds:6.1%}" for value in values)
