#!/usr/bin/env python3
"""What becomes of output that has nowhere to go: full disks, closed streams, readers that went away. On several ranks for
one kind of lost report, which must end on all of them.

Usage: test_outputs.py HF HF_BENCH MPIEXEC RANKS WATER
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, HF_BENCH, MPIEXEC, RANKS, WATER = sys.argv[1:4] + [int(sys.argv[4]), sys.argv[5]]
LOST = "standard output cannot be written: "
FULL, CLOSED = "> /dev/full", ">&-"
REASON = {FULL: "No space left on device"} | ({CLOSED: "Bad file descriptor"} if RANKS == 1 else {})


def redirected(program, redirection):
    """The program on all ranks, its standard streams redirected by a shell."""
    test = ProgramTest("/bin/sh", MPIEXEC, RANKS)

    def run(arguments, launcher=None, environment=None):
        return test.run(["-c", f'exec "$0" "$@" {redirection}', program] + arguments, launcher, environment)
    return run


TEST = ProgramTest(HF, MPIEXEC, RANKS)
BENCH = ProgramTest(HF_BENCH, MPIEXEC, RANKS)
check, run = TEST.check, TEST.run


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def lost_report(folder):
    """The calculation is not lost with its report: files are there, and every rank ends with 3."""
    path = os.path.join(folder, "lost.json")
    for redirection, reason in REASON.items():
        outcome = redirected(HF, redirection)([WATER, "--json", path])
        TEST.expect_one_line(f"hf {redirection}", outcome, 3, ["hf: " + LOST + reason])
        check(abs(read_json(path)["return_result"] + 76.0267720534) < 1e-9, "lost report: the energy", "")
        os.unlink(path)
        outcome = redirected(HF, redirection)([WATER, "--max-iterations", "2"])
        TEST.expect_one_line(f"not converged {redirection}", outcome, 3, [LOST + reason])
        for arguments in (["--check", WATER], ["--help"], ["--version"])[:1 if RANKS > 1 else 3]:
            TEST.expect_one_line(f"hf {arguments[0]} {redirection}", redirected(HF, redirection)(arguments), 3,
                                 ["hf: " + LOST + reason])
        outcome = redirected(HF, redirection)([WATER, "--charge", "1"])
        TEST.expect_one_line(f"bad input {redirection}", outcome, 2, ["multiplicity"])


def lost_measurements():
    for redirection, reason in REASON.items():
        for arguments in ([["--help"], ["--version"]] if RANKS == 1 else [["counter", "--quick"]]):
            outcome = redirected(HF_BENCH, redirection)(arguments)
            BENCH.expect_one_line(f"hf-bench {arguments} {redirection}", outcome, 3, [LOST + reason])


def closed_streams(folder):
    """No file that is opened becomes a standard stream."""
    path = os.path.join(folder, "closed.json")
    for redirection, code in (("<&- >&- 2>&-", 3), ("<&-", 0), ("2>&-", 0))[:3 if RANKS == 1 else 1]:
        found, output, errors = redirected(HF, redirection)([WATER, "--json", path])
        check(found == code, f"hf {redirection}: exit code {found}, expected {code};", errors)
        check(read_json(path)["success"] is True, f"hf {redirection}: the JSON file", "")
        check(code != 0 or "Total energy" in output, f"hf {redirection}: no report", output)
        os.unlink(path)


def reader_gone(folder):
    """Whoever stops reading the report is told nothing, and the files are written all the same."""
    path = os.path.join(folder, "head.json")
    for arguments, text in (([WATER, "--json", path], "hf 0"), (["--help"], "Usage"), (["--check", WATER], "Input")):
        shell = ProgramTest("/bin/bash", MPIEXEC, 1)
        code, output, errors = shell.run(
            ["-c", '"$0" "$@" | { read -r line; echo "$line"; }; exit ${PIPESTATUS[0]}', HF] + arguments)
        check(code in (0, 141) and errors == "", f"{arguments[0]} | head -1: exit code {code};", errors)
        check(output.startswith(text), f"{arguments[0]} | head -1:", output)
    check(read_json(path)["success"] is True, "| head -1: the JSON file", "")
    dimer = os.path.join(os.path.dirname(WATER), "uracil-dimer.mol")
    code, _, errors = ProgramTest("/bin/bash", MPIEXEC, 1).run(
        ["-c", '"$0" "$@" | true; exit ${PIPESTATUS[0]}', HF, dimer, "--basis", "cc-pVTZ", "--guess", "core"])
    check(code == 141 and errors == "", f"hours for a reader who went: exit code {code}, expected 141;", errors)


def main():
    folder = tempfile.mkdtemp(prefix="hf-outputs-")
    try:
        lost_report(folder)
        lost_measurements()
        closed_streams(folder)
        if RANKS == 1:
            reader_gone(folder)
    finally:
        shutil.rmtree(folder)
    TEST.failures += BENCH.failures
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
