#!/usr/bin/env python3
"""Where Open MPI makes no windows, or /dev/shm has no room for them, hf takes another way and says so.

Usage: test_refused_windows.py HF MPIEXEC INPUT
Open MPI's component "pt2pt", the one it takes between hosts over TCP, refuses windows when threads may
call MPI. A small /dev/shm is mounted where that is allowed, in a namespace of its own.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, MPIEXEC, INPUT = sys.argv[1:]
TEST = ProgramTest(HF, MPIEXEC, 2)
ENERGY = "Total energy -76.0267720534 hartree"
STEAL, THREAD = "using schedule steal, since counter: ", "using onesided thread, since rma: "
DISTRIBUTED = ["--fock", "distributed"]

# options, notes that there must be, scheduler and transport in the JSON file
CASES = [
    (["--schedule", "counter"], [STEAL], "steal", None),
    (["--schedule", "counter", "--counter", "array", "--progress-thread"], [STEAL], "steal", None),
    (["--schedule", "steal"], [], "steal", None),
    (DISTRIBUTED + ["--onesided", "rma"], [THREAD], "steal", "thread"),
    (DISTRIBUTED + ["--onesided", "rma", "--schedule", "counter"], [STEAL, THREAD], "steal", "thread"),
    (DISTRIBUTED, [], "steal", "thread"),
]


def expect(name, outcome, json_path, case, reason):
    """The energy is right, and report and JSON file say what was taken instead of what and why."""
    options, notes, scheduler, transport = case
    name = f"{name}, {' '.join(options)}"
    code, report, errors = outcome
    TEST.check(code == 0, f"{name}: exit code {code};", errors)
    TEST.check(ENERGY in report, f"{name}: no energy in:", report)
    warnings = [line for line in report.splitlines() if line.startswith("Warning: ")]
    with open(json_path, encoding="utf-8") as file:
        extras = json.load(file)["extras"]["hf"]
    for note in notes:
        TEST.check(any(note + reason in line for line in warnings), f"{name}: no '{note}' in:", warnings)
        TEST.check(any(note + reason in line for line in extras["warnings"]),
                   f"{name}: no '{note}' in JSON:", extras["warnings"])
    if not notes:
        TEST.check(not any("using " in line for line in warnings), f"{name}: another way:", warnings)
    found = extras["fock"]["scheduler"], extras["fock"].get("onesided_transport")
    TEST.check(found == (scheduler, transport), f"{name}: JSON has", found)


def small_shared_memory(arguments, folder):
    """Runs with 128 KiB in /dev/shm; None where it cannot be mounted."""
    mount = "mount --make-rprivate / && mount -t tmpfs -o size=128k tmpfs /dev/shm"
    if subprocess.run(["unshare", "--mount", "sh", "-c", mount], stdin=subprocess.DEVNULL,
                      capture_output=True, check=False).returncode != 0:
        return None
    # Open MPI's messages between ranks have their memory elsewhere: without room for it Open MPI warns, and its
    # mpiexec often dies in passing the warning on (orte_rml_oob_send_buffer_nb, Open MPI 4.1.4).
    environment = {**os.environ, "OMPI_MCA_btl_vader_backing_directory": folder}
    command = ["unshare", "--mount", "sh", "-c", mount + ' && exec "$@"', "sh", MPIEXEC, "-n", "2", HF]
    done = subprocess.run(command + arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TEST.most_seconds, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "water.json")
        for case in CASES:
            arguments = [INPUT] + case[0] + ["--json", path]
            outcome = TEST.run(arguments, environment={"OMPI_MCA_osc": "pt2pt"})
            expect("osc pt2pt", outcome, path, case, "the MPI library refuses windows here")
            outcome = small_shared_memory(arguments, folder)
            if outcome is None:
                print("no small /dev/shm: namespaces are not allowed here")
            else:
                expect("small /dev/shm", outcome, path, case, "no room for the ")
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
