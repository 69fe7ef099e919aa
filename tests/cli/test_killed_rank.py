#!/usr/bin/env python3
"""A rank that is killed in the middle of a Fock build ends the whole job with an error, soon, and
leaves no process behind.

Usage: test_killed_rank.py HF MPIEXEC RANKS INPUT OPTION...
"""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from marked_job import MarkedJob, lines_until, processor_seconds

HF, MPIEXEC, RANKS, INPUT, *OPTIONS = sys.argv[1:]
MOST_SECONDS = 100
BUILD_SECONDS = 1.5  # of a processor: after them the guess is made and a rank is in the build
# A build of this takes minutes.
LONG = ["--basis", "cc-pVTZ", "--guess", "core", "--screening", "1e-14"]


def main():
    marked = MarkedJob(HF, MPIEXEC, RANKS)
    with marked.start([INPUT] + LONG + OPTIONS) as job:
        _, seen = lines_until(job, "  Iter")
        victim = marked.ranks_alive().get(int(RANKS) - 1)
        begin = processor_seconds(victim) if victim is not None else 0.0
        while victim is not None and job.poll() is None and processor_seconds(victim) < begin + BUILD_SECONDS:
            time.sleep(0.05)
        if victim is None or job.poll() is not None:
            sys.exit("the job is not in a Fock build:\n" + seen)
        killed = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        end = marked.end_of(job, MOST_SECONDS)
        if end is None:
            sys.exit(f"the job goes on {MOST_SECONDS} s after a rank was killed")
        output = end[0] + end[1]
        took = time.monotonic() - killed
    left = marked.left_behind()
    if job.returncode == 0 or left or "Total energy" in output:
        sys.exit(f"exit code {job.returncode}, processes left behind: {left}\n{output}")
    print(f"the job ended {took:.1f} s after a rank was killed, exit code {job.returncode}")


if __name__ == "__main__":
    main()
