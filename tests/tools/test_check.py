#!/usr/bin/env python3
"""tools/check and tools/run explain themselves and refuse what they do not know, without starting anything; which tests
tools/check runs.

Usage: test_check.py [unittest options]
"""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "lib"))
import list_tests  # noqa: E402 # pylint: disable=wrong-import-position

TESTS = [{"name": "fock on 2", "suite": ["hf:unit", "hf:fock"]}, {"name": "fock on 4", "suite": ["hf:unit", "hf:fock"]},
         {"name": "memory", "suite": ["hf:unit", "hf:long"]}, {"name": "cli", "suite": ["hf:cli"]},
         {"name": "energy n=3", "suite": ["hf:regression"]}]


def started(tool, *arguments):
    return subprocess.run([str(ROOT / "tools" / tool), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=20)


class Selection(unittest.TestCase):
    def names(self, most_ranks, *suites):
        return list(list_tests.selected(TESTS, most_ranks, suites))

    def test_suites_and_ranks(self):
        self.assertEqual(self.names(8, "unit", "cli"), ["fock on 2", "fock on 4", "cli"])
        self.assertEqual(self.names(3, "fock", "regression"), ["fock on 2", "energy n=3"])
        self.assertEqual(self.names(2, "regression"), [])

    def test_long_tests_run_when_asked_for(self):
        self.assertNotIn("memory", self.names(8, "unit"))
        self.assertEqual(self.names(8, "long"), ["memory"])


class CommandLines(unittest.TestCase):
    def test_help(self):
        for tool in ("check", "run", "bench-integrals"):
            for option in ("-h", "--help"):
                done = started(tool, option)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith(f"Usage: tools/{tool}"), done.stdout)

    def test_check_refuses_arguments(self):
        for words in (["--fast"], ["unit"], ["-x", "-h"]):
            done = started("check", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f'tools/check: "{words[0]}" is unknown; it takes no arguments but -h\n')

    def test_run_refuses_what_is_no_number_of_processes(self):
        done = started("run", "-n", "two", "water.mol")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, '^tools/run: "two" is no number of processes[^\n]*\n$')


if __name__ == "__main__":
    unittest.main()
