"""tools/bench-options with a stand-in for hf: builds, seconds, runs that do not converge, other solutions, the order of
runs, and messages; and tools/make-atomic-potentials for the atoms whose energies are published."""

import json
import re
import unittest

import tool_test


class BenchOptions(tool_test.WithFolder):
    def setUp(self):
        super().setUp()
        tool_test.stand_in(self.folder / "hf", "${1%.mol}-$guess.json")

    def sample(self, name, guess, iterations, energy, converged=True, trials=0):
        (self.folder / f"{name}.mol").touch()
        results = {"properties": {"scf_iterations": iterations, "scf_total_energy": energy, "calcinfo_nbasis": 24},
                   "extras": {"hf": {"fock": {"hessian_products": trials, "trial_builds": 0}}}, "success": converged}
        if not converged:
            results = {"input_data": {}, "extras": {**results.pop("extras"), "unconverged": results}, "success": False}
        (self.folder / f"{name}-{guess}.json").write_text(json.dumps(results), encoding="utf-8")

    def run_tool(self, *arguments):
        return tool_test.run_tool("bench-options", "--hf", self.folder / "hf", "--option", "guess=sad,sap", *arguments,
                                  cwd=self.folder)

    def rows(self, *arguments):
        """The table; the seconds, which differ from run to run, are "T"."""
        done = self.run_tool(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.sub(r"[0-9]+[.][0-9]{2} s", "T", done.stdout).splitlines()

    def test_builds_seconds_median_and_sum(self):
        for name, sad, sap in (("one", 9, 8), ("two", 12, 10), ("three", 7, 9)):
            self.sample(name, "sad", sad, -76.0)
            self.sample(name, "sap", sap, -76.0, trials=3 if name == "two" else 0)
        self.assertEqual(self.rows("one.mol", "two.mol", "three.mol", "--charge", "0"), [
            "|  | functions | `sad` | `sap` |", "| --- | ---: | ---: | ---: |", "| one | 24 | 9, T | 8, T |",
            "| two | 24 | 12, T | 10+3, T |", "| three | 24 | 7, T | 9, T |", "| median |  | 9 | 9 |",
            "| all |  | 28, T | 27, T |"])

    def test_other_solutions_and_no_convergence(self):
        self.sample("one", "sad", 9, -76.0)
        self.sample("one", "sap", 8, -75.9)
        self.sample("two", "sad", 100, -76.2, converged=False)
        self.sample("two", "sap", 11, -76.0)
        self.assertEqual(self.rows("one.mol", "two.mol")[2:], [
            "| one | 24 | 9, T | 8*, T |", "| two | 24 | - | 11, T |", "| median |  | 54.5 | 9.5 |",
            "| all |  | 109, T | 19, T |"])

    def test_runs_take_turns_and_each_round_begins_with_another_value(self):
        self.sample("one", "sad", 9, -76.0)
        self.sample("one", "sap", 8, -76.0)
        self.rows("one.mol", "--runs", "3")
        self.assertEqual(re.findall("--guess ([a-z]+)", (self.folder / "calls").read_text(encoding="utf-8")),
                         ["sad", "sap", "sap", "sad", "sad", "sap"])

    def test_messages(self):
        self.sample("one", "sad", 9, -76.0)
        for arguments, code, message in (
                (["none.mol"], 2, "none.mol: no such input file"),
                (["--ranks", "0"], 2, "--ranks: 0 found, expected 1 or more"),
                (["--runs", "0"], 2, "--runs: 0 found, expected 1 or more"),
                (["--option", "guess"], 2, "--option: 'guess' found, expected NAME=VALUE,VALUE..."),
                (["--option", "guess=sad,"], 2, "--option: 'guess=sad,' found, expected NAME=VALUE,VALUE...")):
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stderr), (code, f"bench-options: {message}\n"))
        self.assertEqual(self.run_tool("one.mol").returncode, 3)  # no results of guess sap


class AtomicPotentials(unittest.TestCase):
    def test_energies_are_those_published(self):
        done = tool_test.run_tool("make-atomic-potentials", "--elements", "2-2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("energy        -2.7236", done.stderr)
