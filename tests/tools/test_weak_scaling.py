#!/usr/bin/env python3
"""tools/speedup --weak with stand-ins for hf, mpiexec and gnuplot, and its numbers worked out by hand.

Usage: test_weak_scaling.py [unittest options]
"""

import csv
import os
import pathlib
import unittest

import sweeps
import tool_test
import traces


class WeakScaling(tool_test.WithFolder):
    def setUp(self):
        super().setUp()
        sweeps.stand_ins(self.folder)
        traces.write(self.folder / "trace", [traces.row([4.0, 2.0, 1.0, 1.0])], {"Total": 9.0})
        for name in ("small", "large"):
            self.write(f"{name}.mol", f"{name}\n")

    def run_tool(self, *arguments):
        return tool_test.run_tool("speedup", *arguments, "--hf", self.folder / "hf", "--mpiexec", self.folder / "mpiexec", "--runs",
                                  "1", "--schedule", "static", cwd=self.folder, env=dict(os.environ, PATH=str(self.folder)))

    def calls(self):
        return [call.split()[0] for call in (self.folder / "calls").read_text(encoding="utf-8").splitlines()]

    def test_efficiency_is_quartets_per_second_and_process_over_the_first(self):
        """750 quartets in 8 s on one process, and again in 5 s on each of two: 93.75 and 75 in a second. The replay of 4,
        2, 1 and 1 s dealt to two by cost: 4 s."""
        sweeps.sample(self.folder, 2, [5.0, 5.0], "static")
        arguments = ("--weak", "small.mol,large.mol", "--processes", "1,2")
        done = self.run_tool(*arguments, "--latency", "0", "--addition", "0", "--bandwidth", "1e30")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"Weak scaling of the Fock builds, replicated, static; seconds\n")
        self.assertRegex(done.stdout, r"\nsmall +1 +24 +750 +8 \| +8 +0\.0% +8 +8 \| +93\.75 +100\.0% +100\.0%\n")
        self.assertRegex(done.stdout, r"\nlarge +2 +24 +750 +8 \| +5 +0\.0% +4 +\S+ \| +75 +80\.0% +100\.0%\n")
        text = (self.folder / "weak-scaling" / "weak-scaling.csv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual([(row["input"], row["processes"], row["efficiency"]) for row in rows],
                         [("small", "1", "1.0"), ("large", "2", "0.8")])
        self.assertEqual(self.calls(), ["1", "1", "2"])
        self.assertEqual(self.run_tool(*arguments).returncode, 0)
        self.assertEqual(self.calls(), ["1", "1", "2"])

    def test_molecules_that_are_only_replayed_run_on_one_process(self):
        done = self.run_tool("--weak", "alkane", "--size", "3", "--predict", "4", "--memory", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\nalkane-3 +1 ")
        self.assertRegex(done.stdout, r"\nalkane-12 +4 +24 +750 +8 \| +- +- +4(\.0\d+)? +\S+ \| +- +- +50\.")
        self.assertEqual(self.calls(), ["1", "1"])
        text = (self.folder / "weak-alkane" / "molecules" / "alkane-12.mol").read_text(encoding="utf-8")
        self.assertIn("title  alkane 12, C12H26", text)

    def test_flakes_grow_as_the_square_of_their_size(self):
        self.assertEqual(self.run_tool("--weak", "graphene", "--processes", "1,4", "--size", "1").returncode, 0)
        self.assertEqual(sorted(path.name for path in (self.folder / "weak-graphene" / "molecules").iterdir()),
                         ["graphene-1.mol", "graphene-2.mol"])

    def test_measured_only(self):
        done = self.run_tool("--weak", "small.mol,large.mol", "--processes", "1,2", "--measured-only")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["1", "2"])

    def test_no_time_at_all_is_told(self):
        sweeps.sample(self.folder, 1, [0.0], "static")
        done = self.run_tool("--weak", "small.mol", "--processes", "1")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("speedup: small: no shell quartets were computed in a time that can be", done.stderr)

    def test_job_scripts(self):
        done = self.run_tool("--weak", "small.mol,large.mol", "--processes", "1,8", "--measured-only", "--slurm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([pathlib.Path(line).parts[-2:] for line in done.stdout.splitlines()],
                         [("small", "job-p1.sh"), ("large", "job-p8.sh")])

    def test_bad_requests(self):
        (self.folder / "x").mkdir()
        (self.folder / "x" / "small.mol").touch()
        for arguments, message in (
                (("small.mol", "--processes", "1,2"), "speedup: --processes and --predict: 2 numbers for 1 molecules, expected"),
                (("small.mol,x/small.mol", "--processes", "1,2"), "speedup: two molecules are called small"),
                (("none.mol",), "speedup: --weak: none.mol is no file, and none of alkane, water, graphene"),
                (("small.mol", "--size", "3"), "speedup: --size is of alkane, water, graphene"),
                (("water", "--size", "0"), "speedup: --size: 0 found"),
                (("graphene", "--size", "91"), "speedup: graphene 91 is larger than 90"),
                (("water", "--predict", "2", "--measured-only"), "speedup: --measured-only runs every molecule"),
                (("small.mol", "--fock", "x,,"), "small.mol: tools/speedup ended with exit code 2")):
            done = self.run_tool("--weak", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(message, done.stderr.splitlines()[-1])

        done = self.run_tool("small.mol", "--size", "3")
        self.assertEqual((done.returncode, done.stderr), (2, "speedup: --size and --measured-only belong to --weak\n"))


if __name__ == "__main__":
    unittest.main()
