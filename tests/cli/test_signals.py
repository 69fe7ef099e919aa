#!/usr/bin/env python3
"""Signals end a calculation within a second, whoever gets them: all ranks, one of them, or mpiexec.

Usage: test_signals.py HF MPIEXEC RANKS INPUT TRIALS [OPTION...]

Moments are drawn at random over set-up, guess and the first Fock builds, which last minutes and have
tasks of many seconds.
"""

import os
import random
import signal
import subprocess
import sys
import time
import uuid

HF, MPIEXEC, RANKS, INPUT, TRIALS, *OPTIONS = sys.argv[1:]
# Most of a second: hf learns of an end in 0.1 s, the rest is leaving MPI and mpiexec. Other tests and
# other programs may hold the cores, so that the test allows more.
MOST_SECONDS = float(os.environ.get("HF_TEST_LATENCY", "10"))
MARK = uuid.uuid4().hex
LONG = ["--basis", "cc-pVQZ", "--guess", "core", "--screening", "1e-14", "--memory", "0"]


def ranks_alive():
    """Process by rank number of this job."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = file.read().decode(errors="replace").split("\0")
            program = os.readlink(f"/proc/{name}/exe")
        except OSError:
            continue  # not a process, not ours, or gone
        if "HF_TEST_MARK=" + MARK not in variables or os.path.realpath(program) != os.path.realpath(HF):
            continue
        rank = [int(text.split("=")[1]) for text in variables
                if text.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK="))]
        found[rank[0] if rank else 0] = int(name)
    return found


def start():
    command = [HF, INPUT] + LONG + OPTIONS
    if int(RANKS) > 1:
        command = [MPIEXEC, "-n", RANKS] + command
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, HF_TEST_MARK=MARK, OMPI_MCA_orte_execute_quiet="1"))


def wait_for_begin(job):
    """The report begins when signals are caught."""
    for line in job.stdout:
        if "Hartree-Fock" in line or "Title" in line or "Input" in line:
            return


def trial(number, target, delay):
    """What was wrong, or None; prints the latency."""
    with start() as job:
        wait_for_begin(job)
        time.sleep(delay)
        ranks = ranks_alive()
        if len(ranks) != int(RANKS) or job.poll() is not None:
            job.kill()
            return f"{len(ranks)} ranks are there"
        sent = time.monotonic()
        if target == "mpiexec":
            job.send_signal(number)
        else:
            for rank in ranks if target == "all" else [target]:
                os.kill(ranks[rank], number)
        try:
            _, errors = job.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            for process in ranks_alive().values():
                os.kill(process, signal.SIGKILL)
            job.kill()
            return "hf does not end"
        took = time.monotonic() - sent
    expected = 128 + number
    what = f"{signal.Signals(number).name} to {target} after {delay:.2f} s: {took:.2f} s, exit code {job.returncode}"
    print(what, flush=True)
    lines = [line for line in errors.splitlines() if line.startswith("hf: ")]
    if job.returncode != expected:
        return f"{what}; expected {expected}: {errors}"
    if len(lines) != 1 or "interrupted" not in lines[0]:
        return f"{what}: {errors}"
    if took > MOST_SECONDS:
        return f"{what}: too long"
    return None


def main():
    random.seed(14)
    targets = ["all"] if int(RANKS) == 1 else ["all", 0, int(RANKS) - 1]
    failures = []
    for k in range(int(TRIALS)):
        number = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)[k % 3]
        failures.append(trial(number, targets[k % len(targets)] if k < 3 else random.choice(targets),
                              random.choice((0.0, 0.2, 1.0, 3.0)) * random.random() + 0.3 * (k % 2)))
    failures = [text for text in failures if text]
    for text in failures:
        print("FAILED", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
