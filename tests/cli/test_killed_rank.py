#!/usr/bin/env python3
"""A rank that is killed in the middle of a Fock build ends the whole job with an error, soon, and
leaves no process behind.

Usage: test_killed_rank.py HF MPIEXEC RANKS INPUT OPTION...
"""

import os
import signal
import subprocess
import sys
import time
import uuid

HF, MPIEXEC, RANKS, INPUT, *OPTIONS = sys.argv[1:]
MOST_SECONDS = 30
MARK = "HF_TEST_MARK=" + uuid.uuid4().hex
# A build of this takes minutes.
LONG = ["--basis", "cc-pVTZ", "--guess", "core", "--screening", "1e-14"]


def ranks_alive():
    """Process and rank number of every process of this job that runs hf."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = file.read().decode(errors="replace").split("\0")
            program = os.readlink(f"/proc/{name}/exe")
        except OSError:
            continue  # not a process, not ours, or gone
        if MARK not in variables or os.path.realpath(program) != os.path.realpath(HF):
            continue
        rank = [int(text.split("=")[1]) for text in variables
                if text.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK="))]
        found.append((int(name), rank[0] if rank else -1))
    return found


def main():
    name, value = MARK.split("=")
    with subprocess.Popen([MPIEXEC, "-n", RANKS, HF, INPUT] + LONG + OPTIONS, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, **{name: value})) as job:
        seen = []
        for line in job.stdout:
            seen.append(line)
            if line.startswith("  Iter"):
                break
        time.sleep(2.0)  # the guess is made by then
        victims = [process for process, rank in ranks_alive() if rank == int(RANKS) - 1]
        if len(victims) != 1 or job.poll() is not None:
            sys.exit("the job is not in a Fock build:\n" + "".join(seen))
        killed = time.monotonic()
        os.kill(victims[0], signal.SIGKILL)
        try:
            output, _ = job.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            sys.exit(f"the job goes on {MOST_SECONDS} s after a rank was killed")
        took = time.monotonic() - killed
    time.sleep(1.0)
    left = ranks_alive()
    for process, _ in left:
        os.kill(process, signal.SIGKILL)
    if job.returncode == 0 or left or "Total energy" in output:
        sys.exit(f"exit code {job.returncode}, processes left behind: {left}\n{output}")
    print(f"the job ended {took:.1f} s after a rank was killed, exit code {job.returncode}")


if __name__ == "__main__":
    main()
