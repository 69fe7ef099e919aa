#!/usr/bin/env python3
"""Groups of ranks that share displacements, and molecules of a job, in replays: made-up seconds whose sums can be worked out by hand.

Usage: test_groups_replay.py [unittest options]
"""

import json
import unittest

import tool_test

# pylint: disable=wrong-import-order
from lab import groups_forecast
from lab.failure import Failure

SECONDS = [3.0, 2.0, 3.0, 2.0, 4.0, 2.0]  # up and down of three coordinates


class Groups(tool_test.WithFolder):
    def written(self, ranks=1):
        result = {"molecule": {"name": "made up"},
                  "extras": {"hf": {"launch": {"ranks": ranks}, "vibrations": {"seconds_before": 2.0, "displacement_seconds": SECONDS,
                                                                               "displacement_fock_builds": [9, 6, 9, 6, 12, 6]}}}}
        self.write("a.json", json.dumps(result))
        return self.folder / "a.json"

    def test_one_group_takes_what_was_measured(self):
        row = groups_forecast.predict(groups_forecast.read(self.written()), 1)
        self.assertEqual(tuple(row), (1, 16.0, 1.0, 1.0, 1.0))

    def test_coordinates_that_do_not_divide_are_two_tasks(self):
        self.assertEqual(groups_forecast.tasks(SECONDS, 2), [5.0, 5.0, 4.0, 4.0])
        self.assertEqual(groups_forecast.tasks(SECONDS, 4), [3.0, 3.0, 3.0, 3.0, 4.0, 4.0])

    def test_who_is_free_takes_the_next(self):
        self.assertEqual(groups_forecast.deal([4.0, 1.0, 2.0, 3.0], 2), 6.0)

    def test_the_line_takes_scatter_away(self):
        run = groups_forecast.Run("made up", 0.0, [4.0, 6.0, 7.0, 7.0], [1, 1, 2, 2])
        self.assertEqual(run.on_line(), [5.0, 5.0, 7.0, 7.0])

    def test_two_groups(self):
        row = groups_forecast.predict(groups_forecast.read(self.written()), 2)
        self.assertEqual(row.seconds, 9.0)
        self.assertAlmostEqual(row.smooth, 16.0 / (2 * 9.0))
        self.assertAlmostEqual(row.serial_start, 18.0 / (2 * 11.0))

    def test_other_files_are_none(self):
        self.write("b.json", "{}")
        self.assertIsNone(groups_forecast.read(self.folder / "b.json"))
        self.assertRaises(Failure, groups_forecast.read, self.written(ranks=2))

    def test_options_of_hf_are_refused(self):
        done = tool_test.run_tool("replay", self.written(), "--basis", "STO-3G")
        self.assertEqual((done.returncode != 0, done.stderr.count("\n")), (True, 1))
        self.assertIn("unknown option --basis", done.stderr)

    def test_the_tool(self):
        done = tool_test.run_tool("replay", self.written(), "--processes", "1,2,100", "--output", self.folder / "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("made up: 6 displacements, 16.0 s on one rank, after 2.0 s", done.stdout)
        self.assertEqual((self.folder / "out/groups.csv").read_text(encoding="utf-8").count("\n"), 3)


class Sets(tool_test.WithFolder):
    def test_molecules_of_a_job_on_simulated_ranks(self):
        """One molecule of 4 s on 2 ranks of which one fifth is not divided, then alone."""
        self.write("set.jsonl", json.dumps({"extras": {"hf": {"seconds": 2.0, "ranks": 2}}}) + "\n")
        done = tool_test.run_tool("replay-set", self.folder / "set.jsonl", "--ranks", 2, "--schedule", "counter,static", "--serial", 0.2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [line.split() for line in done.stdout.splitlines()[2:]]
        self.assertEqual([row[:4] for row in rows], [[name, groups, share, share] for groups, share in (("yes", "0.833"), ("no", "0.500"))
                                                     for name in ("counter", "static")])


if __name__ == "__main__":
    unittest.main()
