#!/usr/bin/env python3
"""--reproducible: the JSON document without what names the run has the same bytes, however the work is divided. One start of MPI
goes through all runs on so many ranks.

Usage: test_reproducible.py HF MANY_RUNS MPIEXEC INPUTS short|long
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

HF, MANY_RUNS, MPIEXEC, INPUTS, SIZE = sys.argv[1:6]

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


def run_all(test, runs, n_rank, folder):
    """Those of the runs that are on so many ranks, by one start of MPI."""
    path = os.path.join(folder, f"runs-{n_rank}")
    with open(path, "w", encoding="utf-8") as file:
        for i, (name, options, ranks, way) in enumerate(runs):
            if ranks == n_rank:
                words = [*options, *way, "--reproducible", "yes", "--json-orbitals", "yes", "--checkpoint", "none",
                         "--json", os.path.join(folder, f"{i}.json")]
                file.write("\t".join([os.path.join(INPUTS, name)] + [word.removeprefix("--") for word in words]) + "\n")
    many = ProgramTest(MANY_RUNS, MPIEXEC, n_rank, most_seconds=600)
    code, output, errors = many.run([path])
    test.check(code == 0, f"on {n_rank}: exit code {code}", output + errors)


def main():
    test = ProgramTest(HF, MPIEXEC, 2, most_seconds=600)
    runs = [(name, options, n_rank, way) for name, options in (SHORT if SIZE == "short" else LONG)
            for i, (n_rank, way) in enumerate(WAYS) if SIZE == "long" or name == SHORT[0][0] or i % 4 != 3]  # 40 in the short test
    n, first = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for n_rank in sorted({ranks for _, _, ranks, _ in runs}):
            run_all(test, runs, n_rank, folder)
        for i, (name, options, n_rank, way) in enumerate(runs):
            path = os.path.join(folder, f"{i}.json")
            what = f"{name} {' '.join(options + way)} on {n_rank}"
            test.check(os.path.exists(path), f"{what}: no result")
            if not os.path.exists(path):
                continue
            found = results(path)
            n += 1
            first.setdefault(name, found)
            test.check(digest(found) == digest(first[name]), f"{what}: another result than on one rank:",
                       "; ".join(differences(first[name], found)[:8]))
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
