#!/usr/bin/env python3
"""A link that is cut in the middle of a run ends all processes on both hosts within 30 s, with the settings
of mpiexec that hf recommends.

Usage: test_cut_link.py HF MPIEXEC INPUT OPTION...
Exit code 77 where namespaces are not allowed.
"""

import os
import subprocess
import sys
import time

from two_hosts import KEEPALIVE, TwoHosts, enter

MOST_SECONDS = 30.0
NAMES = ("hf", "orted", "mpiexec.openmpi", "mpiexec", "orterun", "mpirun")


def processes():
    """Names of the processes of the run, on both hosts; the namespace has no others."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/comm", encoding="ascii") as file:
                command = file.read().strip()
            with open(f"/proc/{name}/stat", encoding="ascii") as file:
                dead = file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            continue  # not a process, or gone
        if command in NAMES and not dead:
            found.append(command)
    return sorted(found)


def run(hosts, program, mpiexec, arguments):
    """Cuts the link two seconds after the iterations began; seconds until all is over."""
    command = hosts.command(mpiexec, 2) + [program] + arguments
    # A build of this takes minutes.
    command += ["--basis", "cc-pVTZ", "--memory", "0", "--guess", "core", "--screening", "1e-14"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env=hosts.environment(**KEEPALIVE)) as job:
        seen = []
        for line in job.stdout:
            seen.append(line)
            if line.startswith("  Iter"):
                break
        time.sleep(2.0)
        before = processes()
        if job.poll() is not None or before.count("hf") != 4 or "orted" not in before:
            sys.exit(f"the job is not in a Fock build: {before}\n" + "".join(seen))
        hosts.cut()
        start = time.monotonic()
        while processes() and time.monotonic() - start < MOST_SECONDS:
            time.sleep(0.2)
            job.poll()
        took, left = time.monotonic() - start, processes()
        if left:
            sys.exit(f"{took:.1f} s after the link was cut there are still {left}")
        output, _ = job.communicate()
    if job.returncode == 0 or "Total energy" in output:
        sys.exit(f"exit code {job.returncode}\n{output}")
    return took, job.returncode


def main():
    enter()
    program, mpiexec, *arguments = sys.argv[1:]
    with TwoHosts() as hosts:
        took, code = run(hosts, program, mpiexec, arguments)
    print(f"all processes ended {took:.1f} s after the link was cut, exit code {code}")


if __name__ == "__main__":
    main()
