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

    def good(self, *arguments):
        done = self.run_tool(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def calls(self):
        return [call.split()[0] for call in (self.folder / "calls").read_text(encoding="utf-8").splitlines()]

    def test_efficiency_is_quartets_per_second_and_process_over_the_first(self):
        """750 quartets in 8 s on one process, and again in 5 s on each of two: 93.75 and 75 in a second. The replay of 4,
        2, 1 and 1 s dealt to two by cost: 4 s."""
        sweeps.sample(self.folder, 2, [5.0, 5.0], "static")
        arguments = ("--weak", "small.mol,large.mol", "--processes", "1,2")
        output = self.good(*arguments, "--latency", "0", "--addition", "0", "--bandwidth", "1e30")
        self.assertIn("Weak scaling of the Fock builds, replicated, static; seconds\n", output)
        self.assertRegex(output, r"\nsmall +1 +24 +750 +8 \| +8 +8 \| +93\.75 +100\.0% +100\.0%\n")
        self.assertRegex(output, r"\nlarge +2 +24 +750 +8 \| +5 +4 \| +75 +80\.0% +100\.0%\n")
        text = (self.folder / "weak-scaling" / "weak-scaling.csv").read_text(encoding="utf-8")
        self.assertEqual([(row["input"], row["processes"], row["efficiency"]) for row in csv.DictReader(text.splitlines())],
                         [("small", "1", "1.0"), ("large", "2", "0.8")])
        self.good(*arguments)
        self.assertEqual(self.calls(), ["1", "1", "2"])  # what is there is not run again

    def test_molecules_that_are_only_replayed_run_on_one_process(self):
        output = self.good("--weak", "alkane", "--size", "3", "--predict", "4", "--memory", "0")
        self.assertRegex(output, r"\nalkane-12 +4 +24 +750 +8 \| +- +4(\.0\d+)? \| +- +- +50\.")
        self.assertEqual(self.calls(), ["1", "1"])
        text = (self.folder / "weak-alkane" / "molecules" / "alkane-12.mol").read_text(encoding="utf-8")
        self.assertIn("title  alkane 12, C12H26", text)

    def test_measured_only_and_job_scripts(self):
        arguments = ("--weak", "small.mol,large.mol", "--measured-only", "--processes")
        self.good(*arguments, "1,2")
        self.assertEqual(self.calls(), ["1", "2"])
        output = self.good(*arguments, "1,8", "--slurm", "--output", "jobs")
        self.assertEqual([pathlib.Path(line).parts[-2:] for line in output.splitlines()],
                         [("small", "job-p1.sh"), ("large", "job-p8.sh")])

    def test_bad_requests(self):
        (self.folder / "x").mkdir()
        (self.folder / "x" / "small.mol").touch()
        sweeps.sample(self.folder, 1, [0.0], "static")
        for arguments, code, message in (
                (("small.mol",), 3, "speedup: small: no shell quartets were computed in a time that can be"),
                (("small.mol", "--processes", "1,2"), 2, "speedup: --processes and --predict: 2 numbers for 1 molecules, expected"),
                (("small.mol,x/small.mol", "--processes", "1,2"), 2, "speedup: two molecules are called small"),
                (("none.mol",), 2, "speedup: --weak: none.mol is no file, and none of alkane, water, graphene"),
                (("small.mol", "--size", "3"), 2, "speedup: --size is of alkane, water, graphene"),
                (("water", "--size", "0"), 2, "speedup: --size: 0 found"),
                (("graphene", "--size", "91"), 2, "speedup: graphene 91 is larger than 90"),
                (("water", "--predict", "2", "--measured-only"), 2, "speedup: --measured-only runs every molecule"),
                (("small.mol", "--fock", "x,,"), 2, "small.mol: tools/speedup ended with exit code 2")):
            done = self.run_tool("--weak", *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(message, done.stderr.splitlines()[-1])
        done = self.run_tool("small.mol", "--size", "3")
        self.assertEqual((done.returncode, done.stderr), (2, "speedup: --size and --measured-only belong to --weak\n"))


if __name__ == "__main__":
    unittest.main()
