#!/usr/bin/env python3
"""What goes wrong during MP2 and local MP2: signals, the time limit, a killed rank, full disks, too little memory. Nothing hangs, the
SCF is not lost, and energies that were found are printed.

Usage: test_mp2_failures.py HF MPIEXEC RANKS INPUTS ALGORITHM
ALGORITHM is one of --mp2-algorithm, or lmp2: that method.
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from marked_job import MarkedJob, lines_until
from program_test import ProgramTest

HF, MPIEXEC, RANKS, INPUTS, ALGORITHM = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
TEST = ProgramTest(HF, MPIEXEC, RANKS)
check, run = TEST.check, TEST.run
MARKED = MarkedJob(HF, MPIEXEC, RANKS)
MOST_SECONDS = 60  # from the signal to the end; several ranks on a core take turns
LOCAL = ALGORITHM == "lmp2"
MP2 = ["--method", "lmp2", "--domains", "tight"] if LOCAL else ["--method", "mp2", "--mp2-algorithm", ALGORITHM]
NAME, NEED = ("local MP2", "local MP2 needs about") if LOCAL else ("MP2", "MP2 needs at least")
MUCH = ["--memory", "2 GB" if LOCAL else "500 MB"]
WATER = [os.path.join(os.path.abspath(INPUTS), "water.mol"), *MP2, "--basis", "6-31G*"]
URACIL = [os.path.join(INPUTS, "uracil.mol"), *MP2, "--basis", "6-31G", "--frozen-core", "none"]  # MP2 takes 6 CPU s


def wait_for_mp2(job):
    """The report names the checkpoint of the SCF just before MP2."""
    found, seen = lines_until(job, "Checkpoint")
    check(found, "MP2 was not reached:", seen)
    return found


def end_of(job):
    """Standard output and error; a job that does not end is killed."""
    end = MARKED.end_of(job, MOST_SECONDS)
    check(end is not None, f"hf does not end in {MOST_SECONDS} s")
    return end or job.communicate()


def least_memory():
    """Too little for one batch is refused before the SCF, with what is enough; a megabyte less is not."""
    outcome = run(URACIL + ["--memory", "1 MB"])
    TEST.expect_one_line("1 MB", outcome, 3, [NEED, "may take 1 MB"])
    check("Iter" not in outcome[1], "refused after the SCF:", outcome[1])
    megabytes = int(re.search(r"expected --memory '(\d+) MB' or more", outcome[2])[1])
    TEST.expect_one_line("a megabyte less", run(URACIL + ["--memory", f"{megabytes - 1} MB"]), 3, [NEED])
    return ["--memory", f"{megabytes} MB"]


def energy_of(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    return document["return_result"], document


def signals(folder, little):
    """The checkpoint of the SCF is there; a restart repeats one iteration and goes on with MP2, also after the death of a rank."""
    state, output = folder / "state.h5", folder / "out.json"
    energies = []
    for number, target in ((signal.SIGTERM, "all"), (signal.SIGINT, 0), (signal.SIGTERM, RANKS - 1)):
        first = not state.exists()
        arguments = [*URACIL, "--checkpoint", str(state)] if first else ["--restart", str(state)]
        if RANKS > 1 and target == 0:
            killed_rank(arguments, little)
        with MARKED.start([*arguments, *little, "--json", str(output)]) as job:
            if not wait_for_mp2(job):
                return
            time.sleep(0.5 * random.random())
            ranks = MARKED.ranks_alive()
            for rank in ranks if target == "all" else [target]:
                os.kill(ranks[rank], number)
            sent = time.monotonic()
            _, errors = end_of(job)
            print(f"{signal.Signals(number).name} to {target}: {time.monotonic() - sent:.2f} s, exit code {job.returncode}")
        TEST.expect_one_line(signal.Signals(number).name, (job.returncode, "", errors), 128 + number,
                             [f"interrupted by signal {int(number)}: converged after", f"but not computed: {NAME}",
                              f"to continue: hf --restart {state}"])
        error = json.loads(output.read_text(encoding="utf-8"))["error"]
        check(error["error_type"] == "interrupted", "JSON file:", error)
    outcome = run(["--restart", str(state), *little, "--time-limit", "00:00:01"])
    TEST.expect_one_line("time limit", outcome, 1, ["the time limit of 00:00:01 is up", "to continue: hf --restart"])
    for arguments in ["--restart", str(state)], URACIL:
        code, report, errors = run([*arguments, "--json", str(output), *MUCH])
        check(code == 0, "exit code", errors)
        energy, document = energy_of(output)
        energies.append(energy)
        if arguments != URACIL:
            lines = re.findall(r"^ +\d+ +-\d+\.\d{10} ", report, re.M)
            check(len(lines) == 1, f"{len(lines)} iterations of a restart, expected 1:", report)
            check("MP2 total energy" in report, "report of a restart", report)
            check(document["keywords"]["commutator_tolerance"] == 1e-8, "tolerance of a restart:", document["keywords"])
    check(abs(energies[0] - energies[1]) < 1e-8, "energy after a restart:", energies)


def from_rhf(folder):
    """A checkpoint of RHF, whose tolerance is looser: MP2 adds the iterations that it needs."""
    state, output = folder / "rhf.h5", folder / "out.json"
    code, _, errors = run([WATER[0], "--basis", "6-31G*", "--method", "rhf", "--checkpoint", str(state)])
    check(code == 0, "RHF:", errors)
    energies = []
    for arguments in [*MP2, "--restart", str(state)], WATER:
        code, _, errors = run([*arguments, "--json", str(output)])
        check(code == 0, "exit code", errors)
        energies.append(energy_of(output)[0])
    check(abs(energies[0] - energies[1]) < 1e-9, "MP2 after a checkpoint of RHF:", energies)


def killed_rank(arguments, little):
    """The job ends soon, with no process left."""
    with MARKED.start([*arguments, *little]) as job:
        if not wait_for_mp2(job):
            return
        time.sleep(0.5 * random.random())
        os.kill(MARKED.ranks_alive()[RANKS - 1], signal.SIGKILL)
        killed = time.monotonic()
        output, _ = end_of(job)
        print(f"rank {RANKS - 1} killed: {time.monotonic() - killed:.2f} s, exit code {job.returncode}")
    check(job.returncode != 0 and "Total energy" not in output, f"killed rank: exit code {job.returncode}", output)
    left = MARKED.left_behind()
    check(not left, "processes left behind:", left)


def files(folder):
    """The energy is printed whatever becomes of files."""
    outcome = run([*WATER, "--json", "/dev/full"])
    TEST.expect_one_line("--json /dev/full", outcome, 3, ["/dev/full: the JSON file cannot be written: No space left on device"])
    check("MP2 total energy" in outcome[1], "--json /dev/full: no energy in", outcome[1])
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        print("left out: a full disk; mount namespaces are not allowed here")
        return
    mount = folder / "disk"
    mount.mkdir()
    script = ('mount -t tmpfs -o size=64k none "$1" && cd "$1" && head -c 60000 /dev/zero > filled; shift; exec "$@"')
    TEST.prefix = ["unshare", "-m", "/bin/sh", "-c", script, "sh", str(mount)]
    code, report, errors = run([*WATER, "--checkpoint", "state.h5", "--json", "out.json"])
    TEST.prefix = []
    check(code == 3 and "out.json: the JSON file cannot be written: No space left on device" in errors,
          f"full disk: exit code {code};", errors)
    check("MP2 total energy" in report and "state.h5" in report, "full disk: report", report)


def main():
    random.seed(RANKS)
    little = least_memory()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        signals(folder, little)
        from_rhf(folder)
        files(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
