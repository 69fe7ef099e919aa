#!/usr/bin/env python3
"""Trials of hf --each with sets of small molecules.

    killed   ended with SIGKILL at random moments and started again on other numbers of ranks: nothing that is finished is
             computed again, the set becomes complete, and no record comes twice
    faults   a fifth of the records has faults: the others have results as without them, each fault is a record that says
             why, and the exit code shows it
    alone    with --reproducible, each result has the bits of a run alone
    memory   ten times as many molecules need no more memory

Usage: many_molecules.py HF MPIEXEC TRIAL MOLECULES [KILLS]         the seed is printed; HF_SEED repeats it
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from process_tree import kill  # noqa: E402 # pylint: disable=wrong-import-position

ENVIRONMENT = dict(os.environ, OMPI_MCA_orte_execute_quiet="1")
SEED = int(os.environ.get("HF_SEED") or random.SystemRandom().randrange(10**6))
FAR = [(2.0 * i, 0.0, 0.0) for i in range(60)]  # helium atoms: no memory for MP2 of 900 functions
FAULTS = [("3\n\nO 0 0 0\nH 0 0\n", "input_error", ""), ("2\n\nH 0 0 0\nQq 0 0 1\n", "input_error", "Qq"),
          ("2\ncharge=0 multiplicity=2\nH 0 0 0\nH 0 0 0.7\n", "input_error", "multiplicity"),
          ('{"schema_name": "qcschema_input", "molecule": }\n', "input_error", ""),
          ({"keywords": {"max_iterations": 1}}, "convergence_error", ""),
          ({"model": {"method": "mp2", "basis": "cc-pV5Z"}, "keywords": {"memory": "40 MB"}, "atoms": [("He", *place) for place in FAR]},
           "resource_error", "memory")]


class Trial:
    """The program, and what was found to be wrong with it."""

    def __init__(self, hf, mpiexec, n_molecule, n_kill):
        self.hf, self.mpiexec, self.n_molecule, self.n_kill = os.path.abspath(hf), mpiexec, n_molecule, n_kill
        self.noise = random.Random(SEED)
        self.n_wrong = 0

    def check(self, holds, what):
        if not holds:
            self.n_wrong += 1
            print(f"FAILED {what}", flush=True)

    def command(self, n_rank, *arguments):
        return [*([self.mpiexec, "-n", str(n_rank)] if n_rank > 1 else []), self.hf, *map(str, arguments)]

    def run(self, n_rank, *arguments):
        return subprocess.run(self.command(n_rank, *arguments), capture_output=True, text=True, env=ENVIRONMENT, check=False)

    def water(self):
        """Atoms of a molecule."""
        return [(symbol, *(x + self.noise.gauss(0, 0.02) for x in place))
                for symbol, place in (("O", (0, 0, 0.117)), ("H", (0, 0.757, -0.469)), ("H", (0, -0.757, -0.469)))]

    @staticmethod
    def frame(rows):
        """Of XYZ."""
        return f"{len(rows)}\n\n" + "".join(f"{s} {x:.6f} {y:.6f} {z:.6f}\n" for s, x, y, z in rows)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def results(text):
    """Of lines."""
    return [json.loads(line) for line in text.splitlines()]


def record_of(line):
    return line["extras"]["hf"]["record"]


def physics(line):
    """What is the same whoever computes a molecule."""
    return {key: line.get(key) for key in ("success", "return_result", "properties", "molecule", "error")}


def qcschema(rows, change=None):
    """A QCSchema input on one line."""
    change = dict(change or {})
    rows = change.pop("atoms", rows)
    document = {"schema_name": "qcschema_input", "schema_version": 1, "driver": "gradient", "model": {"method": "hf", "basis": "STO-3G"}, "keywords": {},
                "molecule": {"symbols": [row[0] for row in rows], "geometry": [x / 0.529177210903 for row in rows for x in row[1:]]}}
    if change.get("model", {}).get("method") == "mp2":
        document["driver"] = "energy"
    return json.dumps(document | change) + "\n"


def killed(trial):
    """Starts again until nothing is left, after the last kill on one more number of ranks."""
    pathlib.Path("set.xyz").write_text("".join(trial.frame(trial.water()) for _ in range(trial.n_molecule)), encoding="utf-8")
    path, before, n_killed, n_rank = pathlib.Path("killed.jsonl"), "", 0, 1
    job = ["--each", "set.xyz", "--basis", "3-21G", "--reproducible"]
    arguments = [*job, "--json", path, "--xyz", "out.xyz"]
    expected = trial.run(1, *job, "--json", "whole.jsonl")
    whole = {record_of(line): physics(line) for line in results(read("whole.jsonl"))}
    seconds = float(re.search(r"Time +(\S+) s", expected.stdout).group(1))
    while n_killed < trial.n_kill:
        process = subprocess.Popen(trial.command(n_rank, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   env=ENVIRONMENT)
        try:
            process.wait(timeout=trial.noise.uniform(0.1, 0.5 + 2.0 * seconds / trial.n_kill))
            trial.check(process.returncode == 0, f"exit code {process.returncode}")
            if process.returncode != 0:
                return
            path.unlink()  # it is complete: from the beginning
            before = ""
        except subprocess.TimeoutExpired:
            kill(process)
            n_killed += 1
        after = read(path) if path.exists() else ""
        trial.check(after.startswith(before), f"kill {n_killed}: finished lines have changed")
        print(f"kill {n_killed}: {n_rank} ranks, {before.count(chr(10))} results, then {after.count(chr(10))}, and {len(after) - after.rfind(chr(10)) - 1} "
              "bytes of a line", flush=True)
        before = after[:after.rfind("\n") + 1]
        n_rank = trial.noise.choice([n for n in (1, 2, 3) if n != n_rank])
    last = trial.run(n_rank, *arguments)
    after = read(path)
    found = {record_of(line): physics(line) for line in results(after)}
    n_before = before.count("\n")
    trial.check(last.returncode == 0, f"last run: exit code {last.returncode}: {last.stderr}")
    trial.check(after.startswith(before), "last run: finished lines have changed")
    trial.check(f" {trial.n_molecule - n_before} computed" in last.stdout, f"last run: {n_before} were finished: {last.stdout}")
    trial.check(len(found) == after.count("\n") == trial.n_molecule, f"{len(found)} records on {after.count(chr(10))} lines")
    trial.check(found == whole, "results differ from those of an undisturbed run")
    trial.check(read("out.xyz").count("energy=") == trial.n_molecule, "out.xyz: frames")


def faults(trial):
    """JSON lines and frames of XYZ; each fifth one has a fault."""
    inputs, good, bad = {"set.jsonl": [], "set.xyz": []}, {"set.jsonl": [], "set.xyz": []}, {}
    for i in range(trial.n_molecule):
        rows, is_fault = trial.water(), i % 5 == 4
        fault, *kind = FAULTS[i // 5 % len(FAULTS)]
        is_json = isinstance(fault, dict) or fault[0] == "{" if is_fault else i % 2 == 0
        path = "set.jsonl" if is_json else "set.xyz"
        text = qcschema(rows) if is_json else trial.frame(rows)
        if is_fault:
            bad[f"{path}, record {len(inputs[path]) + 1}"] = kind
            text = qcschema(rows, fault) if isinstance(fault, dict) else fault
        else:
            good[path].append(text)
        inputs[path].append(text)
    for path, lines in inputs.items():
        pathlib.Path(path).write_text("".join(lines), encoding="utf-8")
        pathlib.Path("good." + path).write_text("".join(good[path]), encoding="utf-8")
    options = ["--basis", "STO-3G", "--task", "gradient", "--reproducible"]
    without = trial.run(2, "--each", "good.set.jsonl", "good.set.xyz", *options, "--json", "good.out.jsonl")
    outcome = trial.run(2, "--each", "set.jsonl", "set.xyz", *options, "--json", "out.jsonl")
    trial.check(without.returncode == 0 and outcome.returncode == 1, f"exit codes {without.returncode}, {outcome.returncode}: {outcome.stderr}")
    found = {record_of(line): line for line in results(read("out.jsonl"))}
    expected = sorted(json.dumps(physics(line)) for line in results(read("good.out.jsonl")))
    n_good = sum(map(len, good.values()))
    trial.check(len(found) == n_good + len(bad), f"{len(found)} records")
    trial.check(sorted(json.dumps(physics(line)) for name, line in found.items() if name not in bad) == expected, "good results are not those without faults")
    for name, (kind, word) in bad.items():
        error = found.get(name, {}).get("error") or {}
        trial.check(found.get(name, {}).get("success") is False and error.get("error_type") == kind and word in error.get("error_message", ""),
                    f"{name}: expected {kind} with '{word}': {error}")
    print(f"{n_good} good results, {len(bad)} faults")


def alone(trial):
    """Two ranks, which also share molecules, beside a process for each molecule."""
    frames = subprocess.run([pathlib.Path(__file__).resolve().parents[2] / "tools" / "make-set", str(trial.n_molecule), "1", "3"], capture_output=True,
                            text=True, check=True).stdout
    pathlib.Path("set.xyz").write_text(frames, encoding="utf-8")
    options = ["--basis", "6-31G*", "--task", "gradient", "--reproducible"]
    outcome = trial.run(2, "--each", "set.xyz", *options, "--json", "set.jsonl")
    trial.check(outcome.returncode == 0, f"exit code {outcome.returncode}: {outcome.stderr}")
    found = {record_of(line): physics(line) for line in results(read("set.jsonl"))}
    lines = frames.splitlines(keepends=True)
    n_same, begin = 0, 0
    for number in range(1, trial.n_molecule + 1):
        end = begin + int(lines[begin]) + 2
        pathlib.Path("one.xyz").write_text("".join(lines[begin:end]), encoding="utf-8")
        begin = end
        trial.run(1, "one.xyz", *options, "--json", "one.json")
        n_same += found.get(f"set.xyz, record {number}") == physics(json.loads(read("one.json")))
    trial.check(n_same == trial.n_molecule, f"{n_same} of {trial.n_molecule} results have the bits of a run alone")
    print(f"{n_same} results have the bits of a run alone")


def memory(trial):
    """Largest resident memory of jobs of a tenth, and of all molecules."""
    most = []
    for n in (trial.n_molecule // 10, trial.n_molecule):
        pathlib.Path("set.xyz").write_text("".join(f"2\n\nH 0 0 0\nH 0 0 {0.7 + trial.noise.uniform(0, 0.1):.6f}\n" for _ in range(n)), encoding="utf-8")
        process = subprocess.Popen(trial.command(1, "--each", "set.xyz", "--basis", "STO-3G", "--json", f"{n}.jsonl"), stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        trial.check(process.returncode == 0, f"{n} molecules: exit code {process.returncode}")
        most.append(usage.ru_maxrss / 1024.0)
        print(f"{n} molecules: {most[-1]:.2f} MB", flush=True)
    trial.check(most[1] < most[0] + 1.0, f"memory grows from {most[0]:.2f} to {most[1]:.2f} MB")


def main():
    hf, mpiexec, name, n_molecule = sys.argv[1:5]
    trial = Trial(hf, mpiexec, int(n_molecule), int(sys.argv[5]) if len(sys.argv) > 5 else 20)
    print(f"seed {SEED}", flush=True)
    began, home = time.monotonic(), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"killed": killed, "faults": faults, "alone": alone, "memory": memory}[name](trial)
        os.chdir(home)
    print(f"{name}: {trial.n_wrong} checks failed; {time.monotonic() - began:.0f} s")
    return 1 if trial.n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
