#!/usr/bin/env python3
"""Between two hosts, Open MPI over TCP: every scheduler, transport and builder gives the same energy, or
says which other was taken and gives the same energy.

Usage: test_energies.py HF MPIEXEC INPUT
Exit code 77 where namespaces are not allowed.
"""

import json
import os
import subprocess
import sys

from two_hosts import KEEPALIVE, TwoHosts, enter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

ENERGY = -76.0267720534
CUT = "mpiexec notices a cut link between them only after 480 s"
# what is asked for -> what may run with a note instead
SCHEDULERS = {"static": "static", "manager": "manager", "counter": "steal", "steal": "steal"}
TRANSPORTS = {"thread": "thread", "rma": "thread"}


def ways():
    """Options, scheduler and transport asked for."""
    for schedule in SCHEDULERS:
        yield ["--fock", "replicated", "--schedule", schedule], schedule, None
        for transport in TRANSPORTS:
            yield (["--fock", "distributed", "--onesided", transport, "--schedule", schedule], schedule,
                   transport)


def run(hosts, program, mpiexec, arguments, ranks_per_host, **more):
    try:
        done = subprocess.run(hosts.command(mpiexec, ranks_per_host) + [program] + arguments,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240,
                              env=hosts.environment(**more), check=False)
    except subprocess.TimeoutExpired:
        return "hangs", "", ""
    return done.returncode, done.stdout, done.stderr


def check_taken(test, name, extras, what, asked, taken, instead):
    """What ran is what was asked for, or what stands in for it, and then a note says so."""
    note = f"using {what} {instead}, since {asked}: "
    noted = any(note in line for line in extras["warnings"])
    test.check(taken == asked or (taken == instead and noted), f"{name}: {what} {taken};",
               extras["warnings"])


def check_run(test, hosts, way, ranks_per_host):
    options, schedule, transport = way
    path = hosts.path("result.json")
    name = f"{ranks_per_host} on each host, {' '.join(options)}"
    code, report, errors = run(hosts, test.program, test.mpiexec, [sys.argv[3], "--json", path] + options,
                               ranks_per_host, **KEEPALIVE)
    test.check(code == 0, f"{name}: exit code {code};", errors)
    if code != 0:
        return
    test.check(f"{2 * ranks_per_host} on 2 hosts" in report, f"{name}: no 2 hosts in:", report)
    test.check(CUT not in report, f"{name}: fears a cut link:", report)
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    extras = result["extras"]["hf"]
    error = abs(result["return_result"] - ENERGY)
    test.check(error < 1e-9, f"{name}: the energy is off by {error}")
    test.check(extras["launch"]["hosts"] == 2, f"{name}: hosts:", extras["launch"])
    check_taken(test, name, extras, "schedule", schedule, extras["fock"]["scheduler"],
                SCHEDULERS[schedule])
    if transport is not None:
        check_taken(test, name, extras, "onesided", transport, extras["fock"]["onesided_transport"],
                    TRANSPORTS[transport])


def main():
    enter()
    test = ProgramTest(sys.argv[1], sys.argv[2], 2)
    with TwoHosts() as hosts:
        for way in ways():
            check_run(test, hosts, way, 1)
        for options in ["--fock", "replicated"], ["--fock", "distributed"]:
            check_run(test, hosts, (options + ["--schedule", "steal"], "steal", None), 2)
        code, report, errors = run(hosts, test.program, test.mpiexec, [sys.argv[3]], 1)
        test.check(code == 0 and "Warning: ranks on 2 hosts: " + CUT in report,
                   "no word of a cut link:", report + errors)
        code, report, errors = run(hosts, test.program, test.mpiexec, [sys.argv[3]], 1,
                                   OMPI_MCA_oob_tcp_keepalive_time="0")
        test.check(code == 0 and "a cut link between them never;" in report,
                   "no word of a cut link that nobody notices:", report + errors)
    return test.report()


if __name__ == "__main__":
    sys.exit(main())
