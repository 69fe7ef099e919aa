#!/usr/bin/env python3
"""Optimisations as users meet them: minima of another program, lines and chains of atoms, weak bonds, constraints, scans, a saddle point, files,
restarts, what is refused.

Usage: test_optimise.py HF MPIEXEC RANKS REFERENCES
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

REFERENCES = sys.argv.pop()
TEST = ProgramTest.of_arguments()
BOHR = 0.529177210903
NEAR = 1e-6  # hartree: a minimum is not above the other program's by more
MOST_BUILDS = 8  # for a step, on average


class Folder:
    def __init__(self, path):
        self.path, self.json, self.input = path, os.path.join(path, "out.json"), os.path.join(path, "input.mol")

    def optimise(self, atoms, *options, basis="3-21G", code=0, head=""):
        """(report, result) of a run."""
        lines = atoms.split(";") if isinstance(atoms, str) else atoms
        with open(self.input, "w", encoding="utf-8") as file:
            file.write("\n".join([f"basis {basis}", head, "geometry", *lines, "end", ""]))
        return self.run(self.input, *options, "--checkpoint", "none", code=code)

    def run(self, *arguments, code=0):
        if os.path.exists(self.json):
            os.remove(self.json)
        got, report, errors = TEST.run([*arguments, "--task", "optimise", "--json", self.json])
        TEST.check(got == code, f"optimise {arguments}: exit code {got}, not {code}", errors)
        if not os.path.exists(self.json):
            return report, None
        with open(self.json, encoding="utf-8") as file:
            return report, json.load(file)


def steps(result):
    return result["extras"]["hf"]["optimisation"]["steps"]


def places(result):
    flat = result["molecule"]["geometry"]
    return [flat[i:i + 3] for i in range(0, len(flat), 3)]


def distance(result, i, j):
    return math.dist(places(result)[i - 1], places(result)[j - 1]) * BOHR


def references(folder):
    """Small molecules: no minimum above the other program's, and no more steps in all."""
    with open(REFERENCES, encoding="utf-8") as file:
        cases = [case for case in json.load(file)["cases"] if len(case["start_geometry"]) < 8]
    taken = {}
    for case in cases:
        head = (f"method {case['method']}\ncharge {case['charge']}\nmultiplicity {case['multiplicity']}\nunits {case['units']}\n"
                f"functions {'cartesian' if case['cartesian'] else 'spherical'}")
        _, result = folder.optimise(case["start_geometry"], basis=case["basis"], head=head)
        energy = result["properties"]["return_energy"]
        TEST.check(energy < case["total_energy"] + NEAR, f"{case['name']}: {energy}, {case['total_energy']} of the reference", "")
        builds = [step["fock_builds"] for step in steps(result)[1:]]
        TEST.check(sum(builds) <= MOST_BUILDS * len(builds), f"{case['name']}: builds of a step", builds)
        taken[case["name"]] = (len(steps(result)), case["steps"])
    TEST.check(sum(ours for ours, _ in taken.values()) <= sum(other for _, other in taken.values()), "steps in all", taken)


# start, energy of the minimum, most steps
SHAPES = {"ethyne": ("H 0.8 0.1 -0.9;C 0 0 0;C 0 0 1.2;H 0.6 -0.2 2.0", -76.3959557, 14),
          "carbon dioxide": ("C 0 0 0;O 0.8 0 1.0;O 0.7 0 -1.0", -186.5612574, 12),
          "hydrogen cyanide": ("H 0.9 0 -0.6;C 0 0 0;N 0 0 1.2", -92.3540841, 11),
          "formaldehyde, not flat": ("O 0 0 0;C 0 0 1.25;H 0.95 0.05 1.8;H -0.95 0.02 1.8", -113.2218199, 10),
          "water dimer": ("O -1.55 -0.11 0;H -1.93 0.76 0;H -0.6 0.04 0;O 1.35 0.11 0;H 1.68 -0.37 -0.76;H 1.68 -0.37 0.76", -151.1894035, 14),
          "helium atoms": ("He 0 0 0;He 0 0 2.6", -5.67136, 14)}


def shapes(folder):
    for name, (atoms, energy, most) in SHAPES.items():
        _, result = folder.optimise(atoms)
        TEST.check(abs(result["properties"]["return_energy"] - energy) < 2e-6 and len(steps(result)) <= most, name,
                   (result["properties"]["return_energy"], len(steps(result))))
    _, result = folder.optimise("Ne 0 0 0")
    TEST.check(len(steps(result)) == 1 and result["extras"]["hf"]["optimisation"]["converged"], "an atom alone", steps(result))


WATER = ["O 0 0 0.1", "H 0 0.8 -0.5", "H 0 -0.75 -0.45"]


def turned(folder):
    """The same from a start that is turned; where it lies does not matter."""
    c, s = math.cos(0.7), math.sin(0.7)
    rows = [line.split() for line in WATER]
    other = [f"{a} {c * float(y) - s * float(x) + 3} {s * float(y) + c * float(x)} {float(z) - 2}" for a, x, y, z in rows]
    results = [folder.optimise(atoms)[1] for atoms in (WATER, other)]
    found = [[step["energy"] for step in steps(result)] for result in results]
    TEST.check(len(found[0]) == len(found[1]) and all(abs(a - b) < 1e-7 for a, b in zip(*found, strict=True)), "turned", found)
    TEST.check(results[0]["driver"] == "gradient" and len(results[0]["return_result"]) == 9 and
               max(map(abs, results[0]["return_result"])) < 4.5e-4, "the result is the gradient of the minimum", results[0]["return_result"])


PEROXIDE = "O 0 0 0;O 0 0 1.45;H 0.95 0 -0.2;H -0.9 0.2 1.6"


def constraints(folder):
    report, result = folder.optimise(PEROXIDE, "--constraint", "torsion 3 1 2 4 = 90; distance 1 2 = 1.5; fix 1")
    TEST.check(abs(distance(result, 1, 2) - 1.5) < 1e-6 and math.dist(places(result)[0], [0, 0, 0]) < 1e-6, "constraints hold", places(result))
    report, result = folder.optimise(PEROXIDE, "--scan", "distance 1 2 = 1.4 to 1.6 in 3")
    scan = result["extras"]["hf"]["optimisation"]["scan"]
    TEST.check([round(point["value"], 6) for point in scan] == [1.4, 1.5, 1.6] and "Scan" in report and
               abs(distance(result, 1, 2) - 1.6) < 1e-6, "scan", scan)
    _, result = folder.optimise("C -0.02115 0.93002 0.00000;N 0.65253 0.00000 0.00000;H -0.63138 -0.93002 0.00000", "--saddle")
    TEST.check(abs(result["properties"]["return_energy"] + 92.2460427) < 2e-6, "saddle point of HCN", result["properties"]["return_energy"])
    _, result = folder.optimise("C 0.46569 0.84851 0;O 2.67019 0 0;H -0.80147 -1.25611 0;H -2.33440 0.40760 0", "--saddle", head="units bohr")
    TEST.check(abs(result["properties"]["return_energy"] + 113.0500312) < 2e-6 and len(steps(result)) <= 30, "saddle point of H2CO",
               (result["properties"]["return_energy"], len(steps(result))))


def fields(folder):
    charges = os.path.join(folder.path, "charges.xyz")
    with open(charges, "w", encoding="utf-8") as file:
        file.write("1\nunits=bohr\n0.3 0 0 7\n")
    report, result = folder.optimise(WATER, "--point-charges-file", charges)
    TEST.check(result["extras"]["hf"]["environment"]["point_charges"] == [[0.3, 0, 0, 7]] and
               max(map(abs, result["return_result"])) < 4.5e-4, "a charge stays, water finds its place", report)


def files(folder):
    path = os.path.join(folder.path, "path.xyz")
    report, result = folder.optimise(WATER, "--trajectory", path)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    n = len(steps(result))
    TEST.check(len(lines) == 5 * n and all(line == "3" for line in lines[::5]) and f"energy={steps(result)[-1]['energy']:.10f}" in lines[-4],
               "trajectory", lines[-5:])
    TEST.check(f"\nStructure found after {n} steps, angstrom\n" in report, "report", report)
    report, result = folder.optimise(WATER, "--max-steps", "2", code=1)
    TEST.check("WARNING: no structure found in 2 steps" in report and not result["extras"]["hf"]["optimisation"]["converged"],
               "not enough steps: the last structure is there", report)


def restarts(folder):
    kept = os.path.join(folder.path, "kept.h5")
    _, whole = folder.optimise(PEROXIDE)
    folder.run(folder.input, "--max-steps", "3", "--checkpoint", kept, code=1)
    report, rest = folder.run("--restart", kept, "--max-steps", "100")
    both = [[step["energy"] for step in steps(result)] for result in (whole, rest)]
    TEST.check(len(both[0]) == len(both[1]) and all(abs(a - b) < 2e-7 for a, b in zip(*both, strict=True)), "restarted: the same steps", both)
    n = report[report.index("\nOptimisation"):].partition("\nSelf-consistent")[0]
    TEST.check("\n     4 " in n and "\n     3 " not in n, "restarted: none is computed twice", n)


def refusals(folder):
    for options, words in ((["--constraint", "bond 1 2"], "unknown kind"), (["--constraint", "fix 7"], "no such atoms"),
                           (["--scan", "distance 1 2"], "FROM to TO in N"), (["--method", "mp2"], "no gradients of MP2"),
                           (["--gradient", "numerical"], "analytic gradients"),
                           (["--saddle", "--groups", "9"], f"9 groups of {TEST.n_rank} ranks; expected 1 to")):
        code, report, errors = TEST.run([folder.input, "--task", "optimise", *options])
        TEST.check(code == 2 and words in errors and errors.count("\n") == 1 and "Self-consistent" not in report, f"{options} is refused", errors)


def main():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        for test in (references, shapes, turned, constraints, fields, files, restarts, refusals):
            if TEST.n_rank == 1 or test in (turned, files, restarts, refusals):
                test(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
