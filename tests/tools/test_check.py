"""tools/check and tools/run explain themselves and refuse what they do not know, without starting anything; which tests
tools/check runs."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from tool_test import ROOT, WithFolder, executable
import list_tests

TESTS = [{"name": "fock on 2", "suite": ["hf:unit", "hf:fock"]}, {"name": "fock on 4", "suite": ["hf:unit", "hf:fock"]},
         {"name": "memory", "suite": ["hf:unit", "hf:long"]}, {"name": "cli", "suite": ["hf:cli"]},
         {"name": "energy n=3", "suite": ["hf:regression"]}]


def started(tool, *arguments):
    return subprocess.run([str(ROOT / "tools" / tool), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=100)


class Selection(unittest.TestCase):
    def names(self, most_ranks, *suites):
        return list(list_tests.selected(TESTS, most_ranks, suites))

    def test_suites_and_ranks(self):
        self.assertEqual(self.names(8, "unit", "cli"), ["fock on 2", "fock on 4", "cli"])
        self.assertEqual(self.names(3, "fock", "regression"), ["fock on 2", "energy n=3"])
        self.assertEqual(self.names(2, "regression"), [])

    def test_a_suite_without_a_number_of_ranks(self):
        self.assertEqual(self.names(8, "unit-2", "cli"), ["fock on 4", "cli"])
        self.assertEqual(self.names(8, "unit-2", "fock"), ["fock on 2", "fock on 4"])
        self.assertEqual(self.names(8, "unit-2-4"), ["fock on 2", "fock on 4"])
        self.assertEqual(self.names(3, "unit-2-4"), ["fock on 2"])

    def test_the_least_number_of_ranks_in_a_suite(self):
        self.assertEqual(self.names(8, "unit-least", "cli-least"), ["fock on 2", "cli"])
        more = TESTS + [{"name": "fock on 1", "suite": ["hf:once"]}]  # in another suite
        self.assertEqual(list(list_tests.selected(more, 8, ["unit-least"])), ["fock on 2"])
        self.assertEqual(list(list_tests.selected(more, 8, ["unit-2"])), ["fock on 4"])

    def test_long_tests_run_when_asked_for(self):
        self.assertNotIn("memory", self.names(8, "unit"))
        self.assertEqual(self.names(8, "long"), ["memory"])


class Fuzzing(unittest.TestCase):
    """A harness that finds something, or does not run, is said to have failed."""

    def ran(self, script):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "tests" / "fuzz" / "corpus" / "xyz").mkdir(parents=True)
            program = root / "build" / "tests" / "fuzz" / "fuzz_xyz"
            program.parent.mkdir(parents=True)
            executable(program, "#!/bin/sh\n" + script)
            done = subprocess.run([sys.executable, str(ROOT / "tools" / "lib" / "run_fuzzers.py"), name, name + "/build",
                                   "1"], capture_output=True, text=True, check=False, timeout=100)
            return done.returncode, done.stdout.splitlines()

    def test_nothing_found(self):
        code, lines = self.ran("echo 'stat::number_of_executed_units: 12345' >&2\n")
        self.assertEqual((code, lines[0].split()), (0, ["xyz", "12345", "executions"]))
        self.assertRegex(lines[-1], "^1 harnesses, 12345 executions in [0-9]+ s, nothing found$")

    def test_something_found(self):
        code, lines = self.ran("echo 'stat::number_of_executed_units: 7'; echo 'Test unit written to /x/xyz-crash-1'; exit 77\n")
        self.assertEqual((code, lines[0].split()), (1, ["xyz", "7", "executions,", "FAILED:", "/x/xyz-crash-1"]))
        self.assertRegex(lines[-1], "1 failed: xyz$")

    def test_a_program_that_does_nothing(self):
        self.assertEqual(self.ran("exit 0\n")[0], 1)


class Counting(WithFolder):
    MESON = """#!/bin/sh
case $1 in
introspect) INTROSPECT ;;
test) printf 'it failed\\n\\nOk:                 %s   \\nExpected Fail:      %s   \\nFail:               %s   \\nSkipped:            2   \\nTimeout:            %s   \\n' COUNTS; CODE ;;
esac
"""
    TESTS = "echo '[{\"name\": \"fast\", \"suite\": [\"hf:quick\"]}]'"

    def checked(self, counts, code, introspect=TESTS, ninja=""):
        """Exit code, last line and whether standard error has the output, of tools/check with stand-ins for what it starts."""
        shutil.copytree(ROOT / "tools", self.folder / "tools", dirs_exist_ok=True, ignore=shutil.ignore_patterns("lab", "__pycache__"))
        (self.folder / "build" / "meson-logs").mkdir(parents=True, exist_ok=True)
        (self.folder / "build" / "meson-private").mkdir(exist_ok=True)
        executable(self.folder / "meson", self.MESON.replace("COUNTS", counts).replace("CODE", code).replace("INTROSPECT", introspect))
        executable(self.folder / "ninja", f"#!/bin/sh\n{ninja}\n")
        executable(self.folder / "dpkg-query", "#!/bin/sh\nshift 2\nprintf 'installed %s\\n' \"$@\"\n")
        done = subprocess.run([self.folder / "tools" / "check"], env=dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"),
                              capture_output=True, text=True, check=False, timeout=100)
        return done.returncode, done.stdout.splitlines()[-1], "it failed" in done.stderr

    def test_results_of_meson_are_counted(self):
        self.assertEqual(self.checked("5 1 0 0", "exit 0"), (0, "6 passed, 0 failed", False))
        self.assertEqual(self.checked("5 1 2 1", "exit 3"), (1, "6 passed, 3 failed", True))

    def test_tests_that_end_early_are_a_failure(self):
        self.assertEqual(self.checked("5 1 0 0", "exit 1"), (1, "6 passed, 1 failed", True))
        self.assertEqual(self.checked("5 1 0 0", "kill -9 $$"), (1, "6 passed, 1 failed", True))

    def test_no_tests_are_a_failure(self):
        for introspect in ("echo it failed >&2; exit 1", "echo '[]'", "echo '[{\"name\": \"other\", \"suite\": []}]'"):
            self.assertEqual(self.checked("5 1 0 0", "exit 0", introspect)[:2], (1, "0 passed, 1 failed"))
        self.assertEqual(self.checked("0 0 0 0", "exit 0"), (1, "0 passed, 1 failed", True))  # all are skipped

    def test_a_build_that_fails(self):
        self.assertEqual(self.checked("5 1 0 0", "exit 0", ninja="echo it failed; exit 1"), (1, "0 passed, 1 failed", True))


class Packages(unittest.TestCase):
    def test_what_is_missing_is_named(self):
        """dpkg-query ends with 1 where it does not know one of the packages."""
        with tempfile.TemporaryDirectory() as folder:
            query = pathlib.Path(folder, "dpkg-query")
            executable(query, '#!/bin/sh\nprintf "installed gcc\\nconfig-files meson\\n"\nexit 1\n')
            script = ('set -eu; PATH=$2:$PATH; . "$1/tools/lib/setup.sh"; '
                      'missing=$(hf_missing_packages gcc meson libint2-dev); echo "missing: $missing"')
            done = subprocess.run(["sh", "-c", script, "sh", str(ROOT), folder], capture_output=True, text=True,
                                  check=False, timeout=100)
        self.assertEqual((done.returncode, done.stdout), (0, "missing: meson libint2-dev \n"))


class CommandLines(unittest.TestCase):
    def test_help(self):
        for tool in ("check", "fuzz", "run"):
            for option in ("-h", "--help"):
                done = started(tool, option)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith(f"Usage: tools/{tool}"), done.stdout)

    def test_check_refuses_arguments(self):
        for words in (["--fast"], ["unit"], ["-x", "-h"], ["--all", "unit"]):
            done = started("check", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f'tools/check: "{[word for word in words if word != "--all"][0]}" is unknown; it takes --all or nothing\n')

    def test_fuzz_refuses_what_is_no_time(self):
        for words, message in ((["soon"], '"soon" is no number of seconds'), (["-5"], '"-5" is no number of seconds'),
                               (["0"], "expected one number of seconds above 0"),
                               (["5", "6"], "expected one number of seconds above 0")):
            done = started("fuzz", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"tools/fuzz: {message}\n"))

    def test_run_refuses_what_is_no_number_of_processes(self):
        done = started("run", "-n", "two", "water.mol")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, '^tools/run: "two" is no number of processes[^\n]*\n$')
