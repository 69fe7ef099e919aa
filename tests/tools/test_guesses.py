#!/usr/bin/env python3
"""tools/bench-guesses with a stand-in for hf: builds, what does not converge, other solutions, sums and messages; and
tools/make-atomic-potentials for the atoms whose energies are published.

Usage: test_guesses.py [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
# Leaves the file "INPUT-GUESS.json" as its results.
HF = """#!/bin/sh
for word in "$@"; do
    case $previous in
    --guess) guess=$word;; --json) json=$word;;
    esac
    previous=$word
done
[ "$previous" = --check ] && exit 0
cp "${1%.mol}-$guess.json" "$json"
"""


class BenchGuesses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        program = self.folder / "hf"
        program.write_text(HF, encoding="utf-8")
        program.chmod(0o755)

    def sample(self, name, guess, iterations, energy, converged=True):
        (self.folder / f"{name}.mol").touch()
        results = {"properties": {"scf_iterations": iterations, "scf_total_energy": energy, "calcinfo_nbasis": 24},
                   "success": converged}
        if not converged:
            results = {"input_data": {}, "extras": {"unconverged": {"properties": results["properties"]}},
                       "success": False}
        (self.folder / f"{name}-{guess}.json").write_text(json.dumps(results), encoding="utf-8")

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, str(TOOLS / "bench-guesses"), "--hf", str(self.folder / "hf"),
                               "--guesses", "sad,sap", *arguments], capture_output=True, text=True, check=False,
                              cwd=self.folder)

    def test_builds_median_and_sum(self):
        for name, sad, sap in (("one", 9, 8), ("two", 12, 10), ("three", 7, 9)):
            self.sample(name, "sad", sad, -76.0)
            self.sample(name, "sap", sap, -76.0)
        done = self.run_tool("one.mol", "two.mol", "three.mol")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "|  | functions | `sad` | `sap` |", "| --- | ---: | ---: | ---: |", "| one | 24 | 9 | 8 |",
            "| two | 24 | 12 | 10 |", "| three | 24 | 7 | 9 |", "| median |  | 9 | 9 |", "| all |  | 28 | 27 |"])

    def test_other_solutions_and_no_convergence(self):
        self.sample("one", "sad", 9, -76.0)
        self.sample("one", "sap", 8, -75.9)
        self.sample("two", "sad", 100, -76.2, converged=False)
        self.sample("two", "sap", 11, -76.0)
        done = self.run_tool("one.mol", "two.mol")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| one | 24 | 9 | 8* |\n| two | 24 | - | 11 |\n| median |  | 54.5 | 9.5 |\n| all |  | 109 | 19 |",
                      done.stdout)

    def test_messages(self):
        done = self.run_tool("none.mol")
        self.assertEqual((done.returncode, done.stderr), (2, "bench-guesses: none.mol: no such input file\n"))
        done = self.run_tool("--ranks", "0")
        self.assertEqual((done.returncode, done.stderr), (2, "bench-guesses: --ranks: 0 found, expected 1 or more\n"))
        self.sample("one", "sad", 9, -76.0)
        done = self.run_tool("one.mol")
        self.assertEqual(done.returncode, 3, done.stderr)


class AtomicPotentials(unittest.TestCase):
    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, str(TOOLS / "make-atomic-potentials"), *arguments],
                              capture_output=True, text=True, check=False)

    def test_energies_are_those_published_and_rows_those_of_the_table(self):
        done = self.run_tool("--elements", "2-2", "--check")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("energy        -2.7236", done.stderr)
        done = self.run_tool("--elements", "8-8")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = (TOOLS.parent / "src" / "scf" / "atomic_potentials.c").read_text(encoding="utf-8")
        rows = done.stdout[done.stdout.index("HF_ATOMIC_POTENTIAL_TERMS] = {\n") + 31:].split("};")[0]
        self.assertIn(rows.strip(), table)


if __name__ == "__main__":
    unittest.main()
