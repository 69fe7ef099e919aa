#!/usr/bin/env python3
"""tools/weak-scaling with stand-ins for hf, mpiexec and gnuplot, and its numbers worked out by hand.

Usage: test_weak_scaling.py [unittest options]
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import sweeps
import traces

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "weak-scaling"


class WeakScaling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        sweeps.stand_ins(self.folder)
        traces.write(self.folder / "trace", [traces.row([1.0])], {"Total": 5.0})
        for name in ("small", "large"):
            (self.folder / f"{name}.mol").write_text(f"{name}\n", encoding="utf-8")

    def run_tool(self, *arguments):
        command = [sys.executable, str(TOOL), *arguments, "--hf", str(self.folder / "hf"), "--mpiexec",
                   str(self.folder / "mpiexec"), "--runs", "1"]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder,
                              env=dict(os.environ, PATH=str(self.folder)))

    def test_efficiency_is_quartets_per_second_and_process_over_the_first(self):
        """750 quartets in 8 s on one process, and again in 5 s on each of two: 93.75 and 75 in a second."""
        sweeps.sample(self.folder, 2, [5.0, 5.0])
        done = self.run_tool("small.mol", "large.mol", "--processes", "1,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"Weak scaling of the Fock builds, replicated, static\n")
        self.assertRegex(done.stdout, r"\nsmall +1 +24 +750 +8 +0\.0% +93\.75 +100\.0%\n")
        self.assertRegex(done.stdout, r"\nlarge +2 +24 +750 +5 +0\.0% +75 +80\.0%\n")
        text = (self.folder / "weak-scaling" / "weak-scaling.csv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual([(row["input"], row["processes"], row["efficiency"]) for row in rows],
                         [("small", "1", "1.0"), ("large", "2", "0.8")])
        calls = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        self.assertEqual([call.split()[0] for call in calls], ["1", "2"])
        self.assertEqual(self.run_tool("small.mol", "large.mol", "--processes", "1,2").returncode, 0)
        self.assertEqual((self.folder / "calls").read_text(encoding="utf-8").splitlines(), calls)

    def test_no_time_at_all_is_told(self):
        sweeps.sample(self.folder, 1, [0.0])
        done = self.run_tool("small.mol", "--processes", "1")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("weak-scaling: small: no shell quartets were computed in a time that can be", done.stderr)

    def test_job_scripts(self):
        done = self.run_tool("small.mol", "large.mol", "--processes", "1,8", "--slurm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([pathlib.Path(line).parts[-2:] for line in done.stdout.splitlines()],
                         [("small", "job-p1.sh"), ("large", "job-p8.sh")])

    def test_bad_requests(self):
        (self.folder / "x").mkdir()
        (self.folder / "x" / "small.mol").touch()
        for arguments, message in (
                (("small.mol", "--processes", "1,2"), "weak-scaling: --processes: 2 numbers for 1 molecules, expected"),
                (("small.mol", "x/small.mol", "--processes", "1,2"), "weak-scaling: two molecules are called small"),
                (("none.mol", "--processes", "1"), "weak-scaling: none.mol: tools/speedup ended with exit code 2")):
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
