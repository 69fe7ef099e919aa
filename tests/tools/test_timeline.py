"""Timelines of made-up traces whose columns and tables can be worked out by hand, and tools/timeline as people call it."""

import math
import os
import pathlib

import tool_test
import traces

# pylint: disable=wrong-import-order
from lab import phases, timeline, trace  # noqa: E402

TASKS, BLOCKS, LAST = phases.WAITING_FOR_TASKS, phases.WAITING_FOR_BLOCKS, phases.WAITING_FOR_LAST_RANK
# Two builds of two ranks: from 1 to 5 and from 6 to 8 seconds.
FIRST = [(trace.TASK, 0, 0, 1.0, 2.5), (TASKS, 0, -1, 3.5, 0.5), (phases.MOVING_MATRICES, 0, -1, 4.0, 1.0),
         (BLOCKS, 1, -1, 1.0, 1.0), (trace.TASK, 1, 1, 2.0, 1.0), (LAST, 1, -1, 3.0, 0.25)]
SECOND = [(trace.STORED_TASK, 0, 0, 6.0, 1.5), ("Output", 1, -1, 6.0, 2.0)]


class WithTraces(tool_test.WithFolder):
    def seconds(self, builds, n_column, window=None, ranks=None, **header):
        """timeline.Seconds of a trace; `window` is (build, from, to)."""
        path = traces.write(self.folder / "a.trace", builds, **header)
        head = trace.read_header(path)
        found = timeline.find_window(path, head, *(window or (None, 0.0, None)))
        return timeline.Seconds(path, head, found, timeline.find_ranks(head, ranks), n_column)


def heights(seconds):
    """[(row, start, end, title, low, high)]"""
    return [(bar.row, bar.start, bar.end, seconds.kinds()[bar.kind][0], bar.low, bar.high) for bar in seconds.bars()]


class Columns(WithTraces):
    def test_shares_of_columns_worked_out_by_hand(self):
        # Columns of one second. The task reaches over two and a half, the wait takes half of the rest of the third; an
        # eighth each of the last one is another task and moving matrices.
        build = [(trace.TASK, 0, 0, 0.0, 2.5), (TASKS, 0, -1, 2.5, 0.25), (trace.TASK, 0, 1, 3.0, 0.125),
                 (phases.MOVING_MATRICES, 0, -1, 3.875, 0.125)]
        self.assertEqual(heights(self.seconds([build], 4)), [
            (0, 0.0, 2.0, "Computing tasks", 0.0, 1.0),
            (0, 2.0, 3.0, "Computing tasks", 0.0, 0.5), (0, 2.0, 3.0, "Waiting for tasks", 0.5, 0.75),
            (0, 2.0, 3.0, "Outside of all spans", 0.75, 1.0),
            (0, 3.0, 4.0, "Computing tasks", 0.0, 0.125), (0, 3.0, 4.0, "Moving matrices", 0.125, 0.25),
            (0, 3.0, 4.0, "Outside of all spans", 0.25, 1.0)])

    def test_time_is_conserved_whatever_the_columns(self):
        build, start = [], 0.0
        for i in range(3000):  # shares that change along the row, alike for many columns
            for kind, length in ((trace.TASK, 1.0 + 0.2 * math.sin(0.01 * i)), (TASKS, 0.002 * (i % 50))):
                build.append((kind, 0, i if kind == trace.TASK else -1, start, length))
                start += length
        spent = {kind: sum(span[4] for span in build if span[0] == kind) for kind in (trace.TASK, TASKS)}
        for n_column in (1, 7, 100, 870, 20000):
            found = dict.fromkeys((trace.TASK, TASKS), 0.0)
            seconds = self.seconds([build], n_column)
            bars = heights(seconds)
            for _, begin, end, title, low, high in bars:
                if title != "Outside of all spans":
                    found[TASKS if title == "Waiting for tasks" else trace.TASK] += (end - begin) * (high - low)
            for kind, expected in spent.items():
                self.assertAlmostEqual(found[kind] / expected, 1.0, places=5, msg=f"{kind}, {n_column} columns")
            self.assertLess(len(bars), 3 * n_column + 1)


class Selection(WithTraces):
    def titles(self, seconds):
        return {title for _, _, _, title, _, _ in heights(seconds)}

    def test_range_within_a_build_cuts_spans(self):
        seconds = self.seconds([FIRST, SECOND], 1, (1, 2.0, 2.75), n_rank=2)
        self.assertEqual((seconds.window.begin, seconds.window.end, seconds.window.told), (3.0, 3.75, (2.0, 2.75)))
        self.assertEqual(heights(seconds)[0], (0, 2.0, 2.75, "Computing tasks", 0.0, 0.5 / 0.75))
        self.assertEqual(self.titles(seconds), {"Computing tasks", "Waiting for tasks", "Waiting for the last rank",
                                                "Outside of all spans"})

    def test_ranks_are_evenly_chosen_when_there_are_many(self):
        def chosen(n_rank, n_thread):
            return timeline.find_ranks({"n_rank": n_rank, "n_thread": n_thread}, None)
        self.assertEqual(chosen(64, 1), list(range(64)))
        self.assertEqual(chosen(253, 1), list(range(0, 253, 4)))
        self.assertEqual(chosen(1000, 16), [0, 333, 666, 999])
        self.assertEqual(chosen(1000, 100), [0])
        self.assertEqual(chosen(1, 1), [0])

    def test_threads_are_rows_within_ranks(self):
        header = {"n_rank": 3, "n_thread": 2}
        self.assertEqual(timeline.labels_of(header, [0, 2]), ["0.0", "0.1", "2.0", "2.1"])
        self.assertEqual(timeline.labels_of({"n_rank": 3, "n_thread": 1}, [0, 2]), ["0", "2"])
        seconds = self.seconds([FIRST], 1, ranks="1", n_rank=2, n_thread=2)
        self.assertEqual({row for row, _, _, title, _, _ in heights(seconds) if title == "Computing tasks"}, {0})
        self.assertEqual([bar for bar in heights(seconds) if bar[0] == 1],
                         [(1, 0.0, 4.0, "Outside of all spans", 0.0, 1.0)])


class Table(WithTraces):
    def test_numbers_worked_out_by_hand(self):
        seconds = self.seconds([FIRST, SECOND], 3, (1, 0.0, None), "1", n_rank=2)
        lines = list(timeline.table(seconds, [1]))
        self.assertEqual(lines[0], "Seconds and share of the 4 s from 0 s to 4 s")
        self.assertEqual(len(lines), 6)
        # computing, stored, tasks, blocks, last rank, matrices, other, outside
        self.assertEqual(lines[3].split(), "1 1.0000 25.0% 0.0000 0.0% 0.0000 0.0% 1.0000 25.0% 0.2500 6.2% 0.0000 "
                                           "0.0% 0.0000 0.0% 1.7500 43.8%".split())
        self.assertEqual(lines[4].split(), "mean 1.7500 43.8% 0.0000 0.0% 0.2500 6.2% 0.5000 12.5% 0.1250 3.1% 0.5000 "
                                           "12.5% 0.0000 0.0% 0.8750 21.9%".split())
        self.assertEqual(lines[5], "1 of 2 ranks are shown; the mean is that of all.")

    def test_seconds_of_several_threads_are_their_mean(self):
        seconds = self.seconds([FIRST], 1, n_rank=2, n_thread=2)
        self.assertEqual(seconds.of_headings(0), [1.25, 0.0, 0.25, 0.0, 0.0, 0.5, 0.0, 2.0])
        self.assertIn("Seconds per thread", next(timeline.table(seconds, [0])))


class Program(WithTraces):
    def run_tool(self, *arguments, path=None):
        environment = dict(os.environ, **({"PATH": path} if path is not None else {}))
        return tool_test.run_tool("timeline", *arguments, cwd=self.folder, env=environment)

    def made(self, name="run.trace", builds=(FIRST, SECOND), **header):
        return traces.write(self.folder / name, list(builds), **{"n_rank": 2, **header})

    @tool_test.needs_gnuplot
    def test_pictures_with_legend_and_labels(self):
        done = self.run_tool(self.made(n_thread=2), "--build", 1)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Drawn: timeline-run.svg, timeline-run.png", done.stdout)
        svg = (self.folder / "timeline-run.svg").read_text(encoding="utf-8")
        for text in ("Computing tasks", "Waiting for tasks", "Waiting for blocks", "Waiting for the last rank",
                     "Moving matrices", "Outside of all spans", "Rank.thread", "0.0", "1.1", "Fock build 1 of 2",
                     "Time since the start of the Fock build (s)"):
            self.assertIn(text, svg)
        self.assertNotIn("Reading stored integrals", svg)
        self.assertEqual((self.folder / "timeline-run.png").read_bytes()[:4], b"\x89PNG")

    def test_table_is_there_without_gnuplot(self):
        done = self.run_tool(self.made(), path=str(self.folder))
        self.assertEqual(done.returncode, 3)
        self.assertIn("mean", done.stdout)
        self.assertRegex(done.stderr, r"^timeline: there is no gnuplot here.*\n$")

    def test_errors_are_one_line(self):
        path = self.made()
        empty = self.made("empty.trace", [[]])
        cut, damaged = self.folder / "cut.trace", self.folder / "damaged.trace"
        cut.write_bytes(pathlib.Path(path).read_bytes()[:-24])
        damaged.write_bytes(pathlib.Path(path).read_bytes()[:-24] + trace.RECORD.pack(1.0, 0, 1.0, 0, 9, 9))
        endless = self.folder / "endless.trace"
        endless.write_bytes(pathlib.Path(path).read_bytes()[:-24] + trace.RECORD.pack(math.inf, 0, 1.0, 0, 0, 9))
        for arguments, message in (
                (["none.trace"], "none.trace: no trace of hf: .*No such file"),
                ([path, "--build", "3"], "--build: there is no build 3, expected 1 to 2"),
                ([path, "--build", "0"], "--build: there is no build 0, expected 1 to 2"),
                ([path, "--from", "2", "--to", "2"], "--from 2 --to 2: an empty range"),
                ([path, "--to", "nan"], "--from 0 --to nan: an empty range"),
                ([path, "--from", "-1"], "--from: -1 is not 0 or more"),
                ([path, "--from", "7"], "--from: 7 is after the end of the run, which takes 7 seconds"),
                ([path, "--build", "2", "--from", "3"], "3 is after the end of the build, which takes 2 seconds"),
                ([path, "--ranks", "0,2"], "--ranks: there is no rank 2, expected 0 to 1"),
                ([path, "--ranks", "x"], '--ranks: "x" is no number'),
                ([empty], "the trace has no spans of the run"),
                ([empty, "--build", "1"], "the trace has no spans of the build"),
                ([cut], "cut.trace: the trace ends 1 records early"),
                ([damaged], "damaged.trace: a record of this trace is damaged"),
                ([endless], "endless.trace: a record of this trace is damaged")):
            with self.subTest(arguments):
                done = self.run_tool(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, rf"^timeline: .*{message}.*\n$")
                self.assertEqual(done.stderr.count("\n"), 1)
