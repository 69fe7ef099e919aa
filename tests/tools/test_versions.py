"""tools/bench-versions with stand-ins for hf and meson: order of the runs, ratios, energies, what is built from which
commit, that nothing is left behind, and its messages and exit codes."""

import itertools
import json
import math
import os
import pathlib
import shutil
import subprocess
import unittest

import sweeps
import tool_test

# pylint: disable=wrong-import-order
from lab import alternation, versions
from lab.alternation import Measured
from lab.failure import Failure

# Makes a program of what the source folder has.
MESON = """#!/bin/sh
case $1 in
setup) mkdir -p "$2" && echo "$3" >"$2/source";;
compile) cp "$(cat "$3/source")/program" "$3/hf" || { echo "no program"; exit 1; };;
esac
"""


def measured(whole, energy=-76.0):
    return Measured(whole, whole, 0.5 * whole, energy, 10)


class Pairs(unittest.TestCase):
    def test_the_first_of_a_pair_changes(self):
        order, numbers = [], itertools.count()
        found = alternation.in_turn(("old", "new"), 3, lambda version: order.append(version) or version)
        self.assertEqual(order, ["old", "new", "new", "old", "old", "new"])
        self.assertEqual(found, [["old", "new"]] * 3)
        self.assertEqual(alternation.in_turn(("same", "same"), 1, lambda _: next(numbers)), [[0, 1]])

    def test_ratios_are_those_of_neighbours(self):
        found = [(measured(1.0), measured(1.1)), (measured(2.0), measured(2.4)), (measured(4.0), measured(4.0))]
        ratio = alternation.ratio(found, "whole")
        for value, expected in zip(ratio, (1.1, 1.0, 1.2, 1.1)):
            self.assertAlmostEqual(value, expected)
        self.assertEqual(alternation.medians(found, "whole"), (2.0, 2.4))
        self.assertAlmostEqual(alternation.medians(found, "fock_build")[0], 0.1)


class InFolder(tool_test.WithFolder):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()


class Commits(InFolder):
    """A repository of two commits, the file `program` in each."""

    def setUp(self):
        super().setUp()
        if shutil.which("git") is None:
            self.skipTest("there is no git")
        self.source = self.folder / "source"
        self.source.mkdir()
        self.git("init", "--quiet")
        for text in ("first", "second"):
            self.write("source/program", text)
            self.git("add", "program")
            self.git("-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "-m", text)
        self.write("source/program", "changed")
        tool_test.executable(self.folder / "meson", MESON)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{self.folder}:{path}"
        self.addCleanup(os.environ.__setitem__, "PATH", path)

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.source), *arguments], check=True, stdin=subprocess.DEVNULL)

    def made(self, name):
        target = self.folder / "temporary" / "side"
        target.mkdir()
        version = versions.make(self.source, name, target, lambda text: None)
        text = pathlib.Path(version.hf).read_text(encoding="utf-8")
        shutil.rmtree(target)
        return text

    def test_each_version_is_built_from_its_own_source(self):
        self.assertEqual([self.made("HEAD~1"), self.made("HEAD"), self.made(".")], ["first", "second", "changed"])

    def test_the_end_of_a_failed_build_is_told(self):
        (self.source / "program").unlink()
        with self.assertRaisesRegex(Failure, r"^\. cannot be built: .*meson compile ended with exit code 1\n(.*\n)?no program") as caught:
            self.made(".")
        self.assertEqual(caught.exception.exit_code, 3)


class Tool(InFolder):
    def setUp(self):
        super().setUp()
        for name, computing, energy in (("old", 4.0, -76.0), ("new", 5.0, -76.0 + 3e-12)):
            tool_test.stand_in(self.folder / name, "$here/$name.json")
            self.result(name, computing, energy)
        tool_test.executable(self.folder / "mpiexec", sweeps.MPIEXEC)
        self.write("water.mol", "water\n")
        self.write("uracil.mol", "uracil\n")

    def result(self, name, computing, energy):
        self.write(f"{name}.json", json.dumps(sweeps.output(1, [computing], energy=energy, iterations=10)))

    def bench(self, *arguments):
        environment = dict(os.environ, TMPDIR=str(self.temporary))
        return tool_test.run_tool("bench-versions", *arguments, "--mpiexec", self.folder / "mpiexec", cwd=self.folder,
                                  env=environment)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def bad(self, message, *arguments, code=2):
        done = self.bench(*arguments)
        self.assertRegex(done.stderr.removesuffix("\n"), f"^bench-versions: {message}[^\n]*$")
        self.assertEqual(done.returncode, code)
        self.assertEqual((self.calls(), os.listdir(self.temporary)), ([], []))

    def test_tables_and_file_of_two_inputs(self):
        done = self.bench("./old", "./new", "water.mol", "uracil.mol", "--runs", "2", "--memory", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[1] for line in self.calls()], ["old", "new", "new", "old"] * 2)
        self.assertRegex(self.calls()[4], r"^1 old \S+/uracil.mol --memory 0 --json ")
        self.assertIn("water.mol --memory 0: 1 process, 2 runs of each\n", done.stdout)
        self.assertRegex(done.stdout, r"\nFock builds +4 +5 +1.250 +1.250 to 1.250 +1.250\n"
                                      r"  per build +0.4 +0.5 +1.250 ")
        self.assertIn("energy -76.0000000000 hartree, new - old 3.0e-12; iterations 10 and 10\n", done.stdout)
        self.assertRegex(done.stdout, r"\nlargest energy difference 3.0e-12 hartree \(.*\), 2 cases\n$")
        self.assertEqual(os.listdir(self.temporary), [])

    def test_energies_of_the_reference_set(self):
        self.result("new", 5.0, -76.0 + 2e-11)
        done = self.bench("./old", "./new", "--energies")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"\nwater/rhf/cc-pvdz +-76.000000000000 +-75.999999999980 +2.0e-11\n")
        self.assertRegex(done.stdout, r"\nlargest energy difference 2.0e-11 hartree \(\S+/rhf/\S+\), \d+ cases\n$")
        self.assertEqual(len(self.calls()) % 2, 0)
        self.assertEqual(self.bench("./old", "./new", "--energies", "--tolerance", "1e-10").returncode, 0)

    def test_an_energy_that_is_no_number_is_not_within_the_tolerance(self):
        self.result("new", 5.0, math.nan)
        done = self.bench("./old", "./new", "--energies", "water.mol")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("largest energy difference nan hartree (water.mol), 1 case\n", done.stdout)

    def test_wrong_command_lines_are_one_line(self):
        self.bad("the following arguments are required: OLD, NEW", )
        self.bad("the following arguments are required: NEW", "./old")
        self.bad("there is no INPUT", "./old", "./new")
        self.bad("nosuch.mol: no such input file", "./old", "./new", "nosuch.mol")
        self.bad("there is no INPUT", "./old", "./new", "--memory", "0", "water.mol")
        self.bad("--runs: 0 found, expected 1 or more", "./old", "./new", "water.mol", "--runs", "0")
        self.bad("--ranks: 0 found, expected 1 or more", "./old", "./new", "water.mol", "--ranks", "0")
        self.bad("--tolerance: -1.0 found, expected 0 or more", "./old", "./new", "water.mol", "--tolerance=-1")
        self.bad("argument --runs: invalid int value: 'x'", "./old", "./new", "water.mol", "--runs", "x")
        self.bad('"nosuch" is no commit of ', "nosuch", "./new", "water.mol")

    def test_what_hf_refuses_is_told_before_the_first_run(self):
        self.write("refused", "echo 'hf: water.mol: no geometry' >&2; exit 2\n")
        self.bad("hf: water.mol: no geometry", "./old", "./new", "water.mol")

    def test_a_run_without_results_is_told(self):
        self.write("new.json", "{}")
        done = self.bench("./old", "./new", "water.mol")
        self.assertRegex(done.stderr, r"(?m)^bench-versions: ./new, water.mol: hf left no results$")
        self.assertEqual((done.returncode, os.listdir(self.temporary)), (3, []))
