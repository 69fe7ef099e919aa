#!/usr/bin/env python3
"""Runs the jobs of some groups that are for so many ranks and checks what hf writes, a line each and one for each difference.

One start of MPI goes through all of them (--many-runs); with --hf the program hf is started for each.
Exit code 0: everything agrees; 1: something differs. Which levels, ranks and groups there are: --list, for Meson.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from groups import BY_PROGRAM, GROUPS, level
from program_run import launch


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="what is run at a time: level, ranks, groups")
    parser.add_argument("--mpiexec")
    parser.add_argument("--many-runs", help="program that calls hf_run for every line of a file")
    parser.add_argument("--hf", help="the program hf")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--level", choices=["quick", "usual", "long"], help="those of these tests only")
    parser.add_argument("--wrong", action="store_true",
                        help="with references 0.000001 hartree off: every job must be seen to differ")
    parser.add_argument("--only", default="", help="only jobs whose name contains this")
    parser.add_argument("groups", nargs="*", metavar="group", help=", ".join(GROUPS))
    return parser.parse_args()


def list_tests():
    """A line for each test: groups share one start of MPI, but for the long ones and what the program hf runs."""
    shared = {}
    for name, group in GROUPS.items():
        for job in group():
            of, alone = level(name, job), name in BY_PROGRAM
            shared.setdefault((of, job.ranks, name if alone or of == "long" else ""), {})[name] = None
    for (of, ranks, _), names in sorted(shared.items()):
        print(of, ranks, ",".join(names), sep=";")


def start(command):
    """Whether the command ended well."""
    code = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    if code != 0:
        print("DIFFERS exit code", code, *command)
    return code == 0


def run_all(arguments, runs, folder):
    """Whether everything ended well, and for each run what is in its JSON file; None where there is none."""
    lines, outputs, well = [], [], True
    for i, run in enumerate(runs):
        own = os.path.join(folder, f"{i}-{run.case['name']}")
        os.mkdir(own)
        path, options = run.write(own, os.path.join(own, "input.mol"))
        outputs.append(os.path.join(own, "output.json"))
        options = options + ["--json", outputs[-1]]
        if arguments.hf:
            well &= start([*launch(arguments.mpiexec, arguments.ranks), arguments.hf, path, *options])
        lines.append("\t".join([path] + [word.removeprefix("--") for word in options]))
    if arguments.many_runs:
        path = os.path.join(folder, "runs")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        well = start([arguments.mpiexec, "-n", str(arguments.ranks), arguments.many_runs, path])
    return well, [read_result(output) for output in outputs]


def read_result(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    arguments = parse_arguments()
    if arguments.list:
        list_tests()
        return 0
    jobs = [job for name in arguments.groups for job in GROUPS[name]()
            if job.ranks == arguments.ranks and arguments.level in (None, level(name, job)) and arguments.only in job.name]
    if not jobs:
        sys.exit(f"no such jobs in {arguments.groups}")
    runs = [run for job in jobs for run in job.runs]
    for run in runs if arguments.wrong else []:
        run.case["total_energy"] += 1e-6
    with tempfile.TemporaryDirectory(prefix="hf-regression-") as folder:
        well, results = run_all(arguments, runs, folder)
    n_wrong = 0
    for job in jobs:
        own, results = results[:len(job.runs)], results[len(job.runs):]
        lines = job.check(own)
        print(("DIFFERS " if lines else "agrees  ") + job.name, *lines, sep="\n        ")
        n_wrong += any(line.startswith("total energy") for line in lines) if arguments.wrong else bool(lines)
    print(f"{len(jobs) - n_wrong} of {len(jobs)} jobs agree")
    return 0 if well and n_wrong == (len(jobs) if arguments.wrong else 0) else 1


if __name__ == "__main__":
    sys.exit(main())
