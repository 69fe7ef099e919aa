#!/usr/bin/env python3
"""Which settings may change at a restart, and what follows. Each line of the table says whether the run continues, starts
anew from the kept orbitals, or is refused. Its energy is that of a new run with the new settings, of a finished run and,
where occupations or the history of steps matter, of a stopped one.

Usage: test_restart_settings.py HF MPIEXEC RANKS
"""

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
check = TEST.check
WATER = """basis 6-31G
units bohr
energy_tolerance 1e-10
commutator_tolerance 1e-7
geometry
  O 0 0 0.22166487
  H 0 1.43090062 -0.88665950
  H 0 -1.43090062 -0.88665950
end
"""
CATION = WATER + "method uhf\ncharge 1\nmultiplicity 2\n"
CONTINUES, ANEW, REFUSED = "continues", "starts anew", "is refused"
# molecule, setting, old value, new value, what happens; values "yes" and "no" are of flags
TABLE = [
    (WATER, "smearing", "0", "0.05", ANEW),
    (WATER, "smearing", "0.05", "0.1", ANEW),
    (WATER, "smearing", "0.1", "0.02", ANEW),
    (WATER, "smearing", "0.05", "0", ANEW),
    (WATER, "smearing", "0.05", "5e-2", CONTINUES),
    (CATION, "smearing", "0", "0.05", ANEW),
    (CATION, "smearing", "0.05", "0.1", ANEW),
    (CATION, "smearing", "0.1", "0", ANEW),
    (WATER, "energy_tolerance", "1e-4", "1e-12", CONTINUES),
    (WATER, "commutator_tolerance", "1e-2", "1e-8", CONTINUES),
    (WATER, "screening", "1e-6", "1e-13", CONTINUES),
    (WATER, "screening", "1e-13", "1e-11", CONTINUES),
    (WATER, "precision", "auto", "double", CONTINUES),
    (WATER, "precision", "double", "auto", CONTINUES),
    (WATER, "coulomb", "exact", "engine", CONTINUES),
    (WATER, "coulomb", "multipoles", "exact", CONTINUES),
    (WATER, "reproducible", "no", "yes", CONTINUES),
    (WATER, "fock", "replicated", "distributed", CONTINUES),
    (WATER, "level_shift", "0", "0.3", CONTINUES),
    (WATER, "level_shift", "0.3", "0", CONTINUES),
    (WATER, "converger", "diis", "newton", CONTINUES),
    (WATER, "converger", "newton", "damping", CONTINUES),
    (CATION, "converger", "damping", "adiis", CONTINUES),
    (WATER, "diis_size", "8", "0", CONTINUES),
    (WATER, "diis_size", "0", "8", CONTINUES),
    (WATER, "linear_dependence", "0.1", "1e-6", CONTINUES),
    (WATER, "linear_dependence", "1e-6", "0.1", REFUSED),
    (CATION, "stability", "none", "follow", CONTINUES),
    (CATION, "max_overlap", "no", "yes", CONTINUES),
    (CATION, "max_overlap", "yes", "no", ANEW),
    (CATION, "guess_mix", "no", "yes", REFUSED),
    (CATION, "guess_mix", "yes", "no", REFUSED),
    (CATION, "method", "uhf", "rohf", REFUSED),
    (WATER, "method", "rhf", "uhf", REFUSED),
]
NAMES = {WATER: "water", CATION: "cation"}


def results(text):
    """Total energy and, with fractional occupations, the free energy."""
    return [float(value) for value in re.findall(r"^  (?:Total|Free) energy .*?(-\d+\.\d+) hartree", text, re.M)]


def option(key, value):
    return [f"--{key.replace('_', '-')}={value}"]


class Runs:
    """Runs from the beginning and their checkpoints, each computed once."""

    def __init__(self, folder):
        self.folder, self.made = folder, {}

    def run(self, molecule, options, most_iterations=None):
        """Output and checkpoint."""
        key = (molecule, *options, most_iterations)
        if key not in self.made:
            source, kept = self.folder / f"{NAMES[molecule]}.hfin", str(self.folder / f"{len(self.made)}.h5")
            source.write_text(molecule)
            limit = ["--max-iterations", str(most_iterations)] if most_iterations else []
            code, text, errors = TEST.run([str(source), *options, *limit, "--checkpoint", kept])
            check(code == (1 if most_iterations else 0), f"{NAMES[molecule]} {options} {limit}:", text + errors)
            self.made[key] = (text, kept)
        return self.made[key]


def follow(runs, line):
    """Runs with the old value are restarted with the new one."""
    molecule, key, old, new, expected = line
    history = expected == ANEW or key in ("linear_dependence", "converger", "diis_size")
    for most_iterations in (None, 3) if history else (None,):
        kept, mine = runs.run(molecule, option(key, old), most_iterations)[1], str(runs.folder / "mine.h5")
        shutil.copy(kept, mine)
        outcome = TEST.run(["--restart", mine, "--max-iterations", "100", *option(key, new)])
        code, text, errors = outcome
        name = f"{NAMES[molecule]}, {key} {old} to {new}, {'stopped' if most_iterations else 'finished'}:"
        if expected == REFUSED:
            TEST.expect_one_line(name, outcome, 2, [])
            continue
        anew = "orbitals of the checkpoint, then occupied in another way" in text
        check("Initial guess          orbitals of the checkpoint" in text, name, "the report does not name its start")
        check(anew == (expected == ANEW), f"{name} it {ANEW if anew else CONTINUES}")
        found, fresh = results(text), results(runs.run(molecule, option(key, new))[0])
        check(code == 0 and len(found) == len(fresh) > 0 and max(abs(a - b) for a, b in zip(found, fresh)) < 1e-8,
              f"{name} {found} instead of {fresh}", errors)


def keep_to_excited(runs):
    """An excited cation, with a hole in its second orbital of beta, stays one with max_overlap, also after a stop, and is left
    without."""
    try:
        import h5py  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("without h5py: no excited cation")
        return
    text, ground = runs.run(CATION, [])
    excited, stopped = str(runs.folder / "excited.h5"), str(runs.folder / "stopped.h5")
    shutil.copy(ground, excited)
    with h5py.File(excited, "r+") as file:
        coefficients = file["orbitals/beta/coefficients"]
        values = coefficients[...]
        values[:, [1, 4]] = values[:, [4, 1]]
        coefficients[...] = values
    source = str(runs.folder / "cation.hfin")
    begin = [source, "--guess", excited, "--max-overlap", "--checkpoint", stopped]
    code, _, errors = TEST.run([*begin, "--max-iterations", "3"])
    check(code == 1, "an excited cation, stopped", errors)
    for options, expected in [([], -74.7125220087), (["--max-overlap=no"], results(text)[0])]:
        code, text, errors = TEST.run(["--restart", stopped, "--max-iterations", "100", *options])
        check(code == 0 and abs(results(text)[0] - expected) < 1e-8, f"excited cation {options}:", text + errors)


def task(runs):
    """A restart goes on with the tasks of the stopped run and their settings, unless other tasks are given."""
    result, kept = runs.folder / "task.json", str(runs.folder / "task.h5")
    water = runs.folder / "water.hfin"
    water.write_text(WATER.replace("6-31G", "STO-3G"))

    def run(code, *arguments):
        result.unlink(missing_ok=True)
        found, text, errors = TEST.run([*arguments, "--json", str(result)])
        check(found == code, f"{arguments}: exit code {found}, expected {code}:", errors)
        return text, json.loads(result.read_text())
    for tasks, driver in (("gradient", "gradient"), ("vibrations", "hessian"), ("opt,freq", "hessian"), ("properties", "properties")):
        ways = ["--task", tasks, *(["--temperature", "350"] if driver == "hessian" else [])]
        _, whole = run(0, str(water), *ways, "--checkpoint", "none")
        run(1, str(water), *ways, "--checkpoint", kept, "--max-iterations", "2")
        shown = TEST.run(["--show", kept], launcher=False)[1]
        check(f"{'task':20} {whole['extras']['hf']['settings'].get('task')}\n" in shown, f"--show, task {tasks}:", shown)
        text, found = run(0, "--restart", kept, "--max-iterations", "100")
        check(found["driver"] == driver == whole["driver"] and same(whole["return_result"], found["return_result"]), f"restart of task {tasks}", text)
        check(driver != "hessian" or "Thermochemistry at 350 K" in text, f"restart of task {tasks}: temperature", text)
        text, found = run(0, "--restart", kept, "--task", "energy")
        check(found["driver"] == "energy" and "\nVibrations" not in text, f"restart of task {tasks} with another task")
    endless = [str(water), "--converger", "diis", "--diis-size", "0", "--level-shift", "1000", "--max-iterations", "1000000"]
    outcome = TEST.run([*endless, "--task", "hessian", "--time-limit", "0:01", "--checkpoint", kept])
    TEST.expect_one_line("hint of a task", outcome, 1, [f"to continue: hf --restart {kept} --task vibrations"])


def same(one, other):
    """Numbers of a result, in the object of task properties, too."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other))
    return one == other or (isinstance(one, float) and abs(one - other) < 2e-5)


def main():
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(pathlib.Path(name))
        for line in TABLE:
            follow(runs, line)
        keep_to_excited(runs)
        task(runs)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
