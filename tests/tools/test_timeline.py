#!/usr/bin/env python3
"""tools/timeline from made-up traces: columns and tables conserve the time of the spans, windows and ranks are those
asked for, pictures have their legend, and what is wrong is one line.

Usage: test_timeline.py [unittest options]
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import traces

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "timeline"
# pylint: disable=wrong-import-position,wrong-import-order
from scaling import timeline  # noqa: E402
from scaling.failure import Failure  # noqa: E402
from scaling.trace import read_header  # noqa: E402

WAITING = "Fock: waiting for the last rank"
# Two ranks, two builds of 4 s each: in the first one rank 1 waits a quarter, in the second one both read for 1 s.
BUILDS = [
    [("task", 0, 0, 0.0, 2.0), ("task", 0, 1, 2.0, 2.0), ("task", 1, 2, 0.0, 3.0), (WAITING, 1, -1, 3.0, 1.0)],
    [("stored task", 0, 0, 6.0, 1.0), ("task", 0, 0, 7.0, 3.0), ("stored task", 1, 1, 6.0, 1.0),
     ("task", 1, 1, 7.0, 3.0)],
]


class WithTrace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = traces.write(self.folder / "two.trace", BUILDS, n_rank=2)
        self.header = read_header(self.path)

    def seconds(self, build=None, first=0.0, last=None, ranks=None, n_column=8):
        window = timeline.find_window(self.path, self.header, build, first, last)
        chosen = timeline.find_ranks(self.header, ranks)
        return timeline.Seconds(self.path, self.header, window, chosen, n_column)


class Times(WithTrace):
    def test_whole_run(self):
        found = self.seconds()
        self.assertEqual(found.window.told, (0.0, 10.0))
        by_heading = dict(zip(timeline.HEADINGS, found.of_headings(1)))
        self.assertEqual(by_heading[timeline.COMPUTING], 6.0)
        self.assertEqual(by_heading[timeline.STORED], 1.0)
        self.assertEqual(by_heading[timeline.LAST_RANK], 1.0)
        self.assertEqual(by_heading[timeline.OUTSIDE], 2.0)  # between the builds

    def test_one_build_has_a_clock_of_its_own(self):
        found = self.seconds(build=2)
        self.assertEqual(found.window.told, (0.0, 4.0))
        self.assertEqual(found.of_headings(0)[:2], [3.0, 1.0])

    def test_a_window_cuts_spans(self):
        found = self.seconds(first=2.5, last=3.5)
        self.assertEqual(found.of_headings(1)[0], 0.5)
        self.assertEqual(found.of_headings(1)[4], 0.5)
        self.assertEqual(sum(found.of_headings(1)), 1.0)

    def test_columns_have_all_of_the_time_however_wide_they_are(self):
        for n_column in (1, 3, 8, 1000):
            found = self.seconds(n_column=n_column)
            self.assertAlmostEqual(sum(found.of_row[0]), 8.0)
            self.assertAlmostEqual(sum(found.of_row[1]), 8.0)

    def test_a_column_is_a_stack_in_proportion(self):
        """One column for the 4 s of the first build: rank 1 computes three quarters of it."""
        bars = [bar for bar in self.seconds(build=1, n_column=1).bars() if bar.row == 1]
        self.assertEqual([(bar.low, bar.high) for bar in bars], [(0.0, 0.75), (0.75, 1.0)])

    def test_bars_cover_their_row(self):
        for n_column in (1, 7, 100):
            area = sum((bar.end - bar.start) * (bar.high - bar.low) for bar in self.seconds(n_column=n_column).bars())
            self.assertAlmostEqual(area, 2 * 10.0, places=6)

    def test_alike_columns_are_one_bar(self):
        bars = [bar for bar in self.seconds(build=1, n_column=100).bars() if bar.row == 0]
        self.assertEqual([(bar.start, bar.end) for bar in bars], [(0.0, 4.0)])

    def test_many_spans_in_one_column(self):
        """Ten thousand spans of 0.1 ms, every other one waiting."""
        spans = [(("task", WAITING)[i % 2], 0, i // 2 if i % 2 == 0 else -1, 1e-4 * i, 1e-4) for i in range(10000)]
        self.path = traces.write(self.folder / "many.trace", [spans])
        self.header = read_header(self.path)
        found = self.seconds(n_column=10)
        for shares in found._shares(0):  # pylint: disable=protected-access
            self.assertAlmostEqual(max(shares), 0.5, places=3)
        self.assertAlmostEqual(found.of_headings(0)[0], 0.5, places=6)


class Choices(WithTrace):
    def test_ranks(self):
        self.assertEqual(timeline.find_ranks({"n_rank": 5, "n_thread": 1}, None), [0, 1, 2, 3, 4])
        self.assertEqual(timeline.find_ranks({"n_rank": 5, "n_thread": 1}, "1-2,4"), [1, 2, 4])
        chosen = timeline.find_ranks({"n_rank": 1000, "n_thread": 1}, None)
        self.assertEqual((len(chosen), chosen[0], chosen[-1]), (64, 0, 999))
        self.assertEqual(len(timeline.find_ranks({"n_rank": 1000, "n_thread": 4}, None)), 16)

    def test_labels(self):
        self.assertEqual(timeline.labels_of({"n_thread": 1}, [0, 7]), ["0", "7"])
        self.assertEqual(timeline.labels_of({"n_thread": 2}, [3]), ["3.0", "3.1"])

    def test_what_cannot_be_chosen(self):
        for part, call in (
                ("--build: there is no build 3, expected 1 to 2", lambda: self.seconds(build=3)),
                ("--from: -1 is not 0 or more", lambda: self.seconds(first=-1.0)),
                ("an empty range", lambda: self.seconds(first=2.0, last=1.0)),
                ("--from: 11 is after the end of the run, which takes 10 seconds", lambda: self.seconds(first=11.0)),
                ("--ranks: there is no rank 2, expected 0 to 1", lambda: self.seconds(ranks="1-2")),
                ("--ranks: \"x\" is no number", lambda: self.seconds(ranks="x")),
                ("1025 rows, expected 1024", lambda: timeline.find_ranks({"n_rank": 2000, "n_thread": 1}, "0-1024"))):
            with self.assertRaisesRegex(Failure, part):
                call()


class Tool(WithTrace):
    def timeline(self, *arguments):
        done = subprocess.run([sys.executable, str(TOOL), *map(str, arguments)], capture_output=True, text=True,
                              check=False, cwd=self.folder, timeout=60)
        return done.returncode, done.stdout, done.stderr

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not here")
    def test_picture_and_table(self):
        code, output, errors = self.timeline(self.path)
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("molecule, tiny, replicated matrices, schedule static: whole run", output)
        self.assertRegex(output, r"\n +1 +6\.0000 +60\.0% +1\.0000 +10\.0% ")
        self.assertRegex(output, r"\n +mean +6\.5000 +65\.0% ")
        text = (self.folder / "timeline-two.svg").read_text(encoding="utf-8")
        for part in ("computing tasks", "reading stored integrals", "waiting for the last rank", "Rank",
                     "Time since the start of the run (s)"):
            self.assertIn(part, text)
        self.assertTrue((self.folder / "timeline-two.png").exists())

    def test_errors(self):
        (self.folder / "bad").write_text("{}\n", encoding="utf-8")
        for part, *arguments in (("no trace of hf", self.folder / "bad"), ("no trace of hf", self.folder / "none"),
                                 ("there is no build 9", self.path, "--build", "9")):
            code, output, errors = self.timeline(*arguments)
            self.assertEqual((code, output, errors.count("\n")), (2, "", 1), errors)
            self.assertIn(part, errors)


if __name__ == "__main__":
    unittest.main()
