#!/usr/bin/env python3
"""--reproducible: the JSON document without what names the run has the same bytes, however the work is divided.

Usage: test_reproducible.py HF MPIEXEC INPUTS short|long
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import hashlib
import itertools
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, MPIEXEC, INPUTS, SIZE = sys.argv[1:5]

# What a document says of how, where and in what time it was computed (docs/guide.md): settings that may differ,
# and sections.
OF_THE_RUN = {"fock", "schedule", "counter", "progress_thread", "onesided", "accumulate", "grain", "tasks_for", "threads",
              "memory", "memory_bytes"}
SECTIONS = {"launch", "warnings", "timings_seconds", "memory_bytes", "memory_expected_bytes"}
OF_THE_BUILD = {"imbalance", "tasks", "scheduler", "onesided_transport", "density_blocks", "sums_sent",
                "busy_seconds_last_build"}

# (input, options): a closed shell with d functions, a radical, a core potential; those of the short test first
SHORT = [("water.mol", ["--basis", "6-31G*"]),
         ("oxygen.mol", ["--basis", "6-31G", "--multiplicity", "3"]),
         ("silver_hydride.mol", ["--basis", "def2-SVP"])]
LONG = [("uracil.mol", ["--basis", "6-31G"]),
        ("oxygen.mol", ["--basis", "cc-pVTZ", "--multiplicity", "3"]),
        ("water-dimer.mol", ["--basis", "cc-pVDZ"])]

# (ranks, options): all that divides the work
WAYS = [(1, []), (2, []), (3, ["--threads", "2"]), (4, ["--schedule", "counter"]), (5, ["--schedule", "manager"]),
        (6, ["--schedule", "static"]), (1, ["--threads", "3"]), (2, ["--fock", "distributed"]),
        (1, ["--fock", "distributed", "--threads", "2"]),
        (3, ["--fock", "distributed", "--onesided", "rma", "--accumulate", "caller"]),
        (4, ["--fock", "distributed", "--onesided", "thread", "--schedule", "static"]),
        (6, ["--fock", "distributed", "--schedule", "counter", "--counter", "array"]),
        (2, ["--grain", "shell-pair", "--memory", "10 MB"]), (3, ["--grain", "shell-quartet", "--memory", "0"]),
        (2, ["--fock", "distributed", "--grain", "shell-quartet", "--threads", "3"]),
        (1, ["--tasks-for", "64", "--precision", "auto", "--memory", "1 GB"])]


def results(path):
    """The document without what is of the run."""
    with open(path, encoding="utf-8") as file:
        root = json.load(file, parse_float=str)
    hf = root["extras"]["hf"]
    for settings in (root["keywords"], hf["settings"]):
        for key in OF_THE_RUN:
            settings.pop(key, None)
    for key in SECTIONS:
        hf.pop(key, None)
    for key in OF_THE_BUILD:
        hf["fock"].pop(key, None)
    for iteration in hf["iterations"]:
        iteration.pop("seconds")
    return root


def digest(document):
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def differences(one, other, path=""):
    """Where two documents differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(itertools.chain.from_iterable(
            differences(one.get(key), other.get(key), f"{path}.{key}") for key in sorted(one.keys() | other.keys())))
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return list(itertools.chain.from_iterable(
            differences(x, y, f"{path}[{i}]") for i, (x, y) in enumerate(zip(one, other))))
    return [] if one == other else [f"{path}: {str(one)[:40]} and {str(other)[:40]}"]


def main():
    test = ProgramTest(HF, MPIEXEC, 1, most_seconds=600)
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        for name, options in SHORT if SIZE == "short" else LONG:
            first = None
            for i, (n_rank, way) in enumerate(WAYS):
                if SIZE == "short" and name != SHORT[0][0] and i % 4 == 3:
                    continue  # 40 combinations
                test.n_rank = n_rank
                what = f"{name} {' '.join(options + way)} on {n_rank}"
                code, _, errors = test.run([os.path.join(INPUTS, name), "--reproducible", "--json", path,
                                            "--json-orbitals", *options, *way])
                test.check(code == 0, f"{what}: exit code {code}:", errors)
                if code != 0:
                    continue
                found = results(path)
                n += 1
                first = first or found
                test.check(digest(found) == digest(first), f"{what}: another result than on one rank:",
                           "; ".join(differences(first, found)[:8]))
        test.n_rank = 2
        for way in ("engine", "multipoles"):
            test.expect_one_line(f"--coulomb {way}",
                                 test.run([os.path.join(INPUTS, "water.mol"), "--reproducible", "--coulomb", way]), 2,
                                 ["--coulomb", "reproducible sums are made with coulomb exact only"])
    test.check(n >= 40, f"{n} combinations, expected 40 at least")
    for failure in test.failures:
        print(failure)
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
