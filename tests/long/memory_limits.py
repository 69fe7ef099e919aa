#!/usr/bin/env python3
"""200 limits of address space, data and control group, from far too small to enough: every run ends with 0, 1 or 3 and
a message; none hangs, crashes or is killed.

Usage: memory_limits.py HF MPIEXEC INPUTS [NUMBER OF LIMITS]

Before hf can say anything the dynamic loader has to map its libraries: below LOADER_MB of address space or data it may
end with 127 and a message of its own. Groups begin where a process, or with two ranks mpiexec, can be loaded at all.
"""

import collections
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from memory_group import MemoryGroup, reason_not_allowed
from program_test import ProgramTest

HF, MPIEXEC, INPUTS = sys.argv[1:4]
N_LIMIT = int(sys.argv[4]) if len(sys.argv) > 4 else 200
LOADER_MB = 110
HELIUM = "basis STO-3G\ngeometry\nHe 0 0 0\nHe 0 0 2\nend\n"
# from, to in MB, by kind and ranks
RANGES = {("as", 1): (60, 1000), ("as", 2): (60, 1000), ("data", 1): (4, 600), ("data", 2): (4, 600),
          ("group", 1): (8, 500), ("group", 2): (30, 800)}


def molecules(folder):
    helium = os.path.join(folder, "helium.mol")
    with open(helium, "w", encoding="utf-8") as file:
        file.write(HELIUM)
    uracil = [os.path.join(INPUTS, "uracil.mol"), "--max-iterations", "2"]
    return [[helium], [os.path.join(INPUTS, "water.mol"), "--basis", "cc-pVTZ", "--max-iterations", "4"],
            uracil + ["--basis", "6-31G"], uracil + ["--basis", "6-31G", "--memory", "40 MB"],
            [helium, "--threads", "3", "--memory", "0"]]


def one_limit(kind, n_rank, limit_mb, arguments):
    """(exit code, the end of what it says, processes killed)"""
    test = ProgramTest(HF, MPIEXEC, n_rank)
    if kind != "group":
        test.inside = ["prlimit", f"--{kind}={limit_mb}000000", "--core=0"]
        code, output, errors = test.run(arguments)
        return code, output, errors, 0
    with MemoryGroup(limit_mb * 1_000_000, "hf-limits") as group:
        test.prefix = group.command([])
        code, output, errors = test.run(arguments)
        return code, output, errors, group.n_killed()


def what_is_wrong(kind, limit_mb, outcome):
    """A line, or None when it is a good end."""
    code, output, errors, n_killed = outcome
    if n_killed > 0:
        return f"{n_killed} processes were killed"
    if code in (0, 1) and "Total energy " in output:
        return None
    if code == 3 and any(line.startswith("hf: ") for line in errors.splitlines()):
        return None
    if code in (1, 127) and kind != "group" and limit_mb < LOADER_MB and "shared libraries" in errors:
        return None
    return f"exit code {code}; {errors.strip()[:300]!r}"


def limits(kind, n_rank, n):
    low, high = RANGES[kind, n_rank]
    return [round(low * (high / low) ** (i / max(1, n - 1))) for i in range(n)]


def main():
    reason = reason_not_allowed()
    kinds = [key for key in RANGES if key[0] != "group" or reason is None]
    if reason is not None:
        print("left out:", reason)
    codes, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="hf-limits-") as folder:
        inputs = molecules(folder)
        number = 0
        for kind, n_rank in kinds:
            share = N_LIMIT // len(kinds) + (kinds.index((kind, n_rank)) < N_LIMIT % len(kinds))
            for limit_mb in limits(kind, n_rank, share):
                builder = ("replicated", "distributed")[number // len(inputs) % 2]
                arguments = inputs[number % len(inputs)] + ["--fock", builder]
                outcome = one_limit(kind, n_rank, limit_mb, arguments)
                codes[outcome[0]] += 1
                problem = what_is_wrong(kind, limit_mb, outcome)
                if problem is not None:
                    wrong.append(f"{kind} {limit_mb} MB, {n_rank} ranks, {' '.join(arguments)}: {problem}")
                    print("FAILED", wrong[-1], flush=True)
                number += 1
    print(f"{number} limits, {len(wrong)} bad ends; exit codes",
          ", ".join(f"{code}: {n}" for code, n in sorted(codes.items(), key=str)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
