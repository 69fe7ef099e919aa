#!/usr/bin/env python3
"""Optimisations as users meet them: minima of another program, lines and chains of atoms, weak bonds, constraints, also far from the input, scans,
saddle points, files, restarts, what is refused.

Usage: test_optimise.py HF MPIEXEC RANKS REFERENCES
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

REFERENCES = sys.argv.pop()
TEST = ProgramTest.of_arguments()
BOHR = 0.529177210903
HARTREE_IN_EV = 27.211386245988
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
        got, report, errors = TEST.run(["--task", "optimise", *arguments, "--json", self.json])
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


ETHYNE = "H 0.8 0.1 -0.6;C 0 0 0;C 0 0 1.2;H 0.6 -0.2 1.8"
HCN = "C -0.02115 0.93002 0.00000;N 0.65253 0.00000 0.00000;H -0.63138 -0.93002 0.00000"
MINIMUM = "O 0 0 0.15006119;H 0 0.75799586 -0.48558059;H 0 -0.75799586 -0.48558059"  # of water, STO-3G
FORMAMIDE = "C 0.1 0.4 0;O 1.2 0.24 0;N -0.95 -0.5 0;H -0.35 1.4 0;H -1.9 -0.17 0;H -0.78 -1.49 0"
PEROXIDE = "O 0 0 0;O 0 0 1.45;H 0.95 0 -0.2;H -0.9 0.2 1.6"


def constraints(folder):
    report, result = folder.optimise(PEROXIDE, "--constraint", "torsion 3 1 2 4 = 90; distance 1 2 = 1.5; fix 1")
    TEST.check(abs(distance(result, 1, 2) - 1.5) < 1e-6 and math.dist(places(result)[0], [0, 0, 0]) < 1e-6, "constraints hold", places(result))
    path = os.path.join(folder.path, "scan.xyz")
    report, result = folder.optimise(PEROXIDE, "--scan", "distance 1 2 = 1.4 to 1.6 in 3", "--trajectory", path)
    with open(path, encoding="utf-8") as file:
        points = re.findall(r" scan_point=(\d+) ", file.read())
    TEST.check(points == [str(step["scan_point"]) for step in steps(result)] and points[-1] == "3", "points of a trajectory", points)
    scan = result["extras"]["hf"]["optimisation"]["scan"]
    TEST.check([round(point["value"], 6) for point in scan] == [1.4, 1.5, 1.6] and "Scan" in report and
               abs(distance(result, 1, 2) - 1.6) < 1e-6, "scan", scan)
    _, result = folder.optimise("C 0.46569 0.84851 0;O 2.67019 0 0;H -0.80147 -1.25611 0;H -2.33440 0.40760 0", "--saddle", head="units bohr")
    TEST.check(abs(result["properties"]["return_energy"] + 113.0500312) < 2e-6 and len(steps(result)) <= 30, "saddle point of H2CO",
               (result["properties"]["return_energy"], len(steps(result))))


AMMONIA_BORANE = ("B 0 0 -0.93;N 0 0 0.73;H 0 -1.17 -1.24;H -1.013 0.585 -1.24;H 1.013 0.585 -1.24;"
                  "H 0 0.95 1.09;H -0.823 -0.475 1.09;H 0.823 -0.475 1.09")
DIMER = ("O -1.4645 -0.0959 0;H -1.8121 0.7977 0;H -0.5115 0.0213 0;O 1.3871 0.1062 0;"
         "H 1.6840 -0.3772 -0.7567;H 1.6840 -0.3772 0.7567")
BUTANE = ("H -1.781 -1.339 -0.925;H -2.810 -0.316 0.107;H -1.696 -1.493 0.844;C -1.808 -0.768 0.019;H -0.781 0.870 0.998;"
          "H -0.866 1.022 -0.758;C -0.706 0.292 0.058;H 0.782 -0.868 -1.002;H 0.864 -1.024 0.754;C 0.706 -0.292 -0.060;"
          "H 1.698 1.494 -0.841;H 2.810 0.316 -0.104;H 1.780 1.337 0.928;C 1.808 0.768 -0.017")

# start, constraint, energy of another program, hartree, how far from it the end may be; STO-3G. Two molecules 8 angstrom apart turn almost
# freely: Gaussian's criteria, which Cartesian steps meet before the end, leave 8e-5 hartree of that.
CARTESIAN = ("--coordinates", "cartesian")
FAR = ((AMMONIA_BORANE, "distance 1 2 = 3.0", -81.5331501, 1e-6, ()), (AMMONIA_BORANE, "distance 1 2 = 3.0", -81.5331501, 2e-6, CARTESIAN),
       (DIMER, "distance 1 4 = 8.0", -149.93206, 5e-6, ()), (DIMER, "distance 1 4 = 8.0", -149.93206, 1e-4, CARTESIAN),
       (BUTANE, "torsion 4 7 10 14 = 0", -155.4577230, 1e-6, ()), (BUTANE, "dihedral 14 10 7 4 = 0", -155.4577230, 2e-6, CARTESIAN))


def far_constraints(folder):
    """Substituents follow the atoms named."""
    for atoms, constraint, energy, near, options in FAR:
        report, result = folder.optimise(atoms, "--constraint", constraint, *options, basis="STO-3G")
        found = result["properties"]["return_energy"]
        TEST.check(abs(found - energy) < near and "bonds changed" not in report, f"{constraint} {options}", (found, energy))
    report, result = folder.optimise(DIMER, "--scan", "distance 1 4 = 3 to 8 in 3", basis="STO-3G")
    scan = result["extras"]["hf"]["optimisation"]["scan"]
    TEST.check(all(abs(point["energy"] - energy) < 5e-5 for point, energy in zip(scan[1:], (-149.9326, -149.9321), strict=True)),
               "scan of two molecules", scan)


def failing_points(folder):
    """A scan goes on from the last structure that was found; table, JSON and exit code say what failed."""
    report, result = folder.optimise("O -0.03007 -0.19845 0.01714;O -0.00130 -0.18929 1.41221;H 0.86689 0.19023 -0.20032;H -0.78552 0.39751 1.62097",
                                     "--scan", "torsion 3 1 2 4 = 120 to 480 in 3", "--max-steps", "3", basis="STO-3G", code=1)
    scan = result["extras"]["hf"]["optimisation"]["scan"]
    TEST.check([point["converged"] for point in scan] == [True, False, True] and abs(scan[0]["energy"] - scan[2]["energy"]) < 1e-6 and
               all(abs(point["value"] - value) < 1e-5 for point, value in zip(scan, (120, 300, 480), strict=True)) and
               "no structure found at 1 of the 3 points" in report and "no structure at point 2: the steps are used up" in report and
               report.count("not converged\n") == 1, "the middle point of a scan fails", scan)
    report, result = folder.optimise(ETHYNE, "--constraint", "torsion 1 2 3 4", basis="STO-3G", code=1)
    TEST.check("held come into line" in report and not result["extras"]["hf"]["optimisation"]["converged"], "a torsion comes into line", report)
    report, _ = folder.optimise("C 0 0.86 0;C 0.745 -0.43 0;C -0.745 -0.43 0;H 0 1.45 0.91;H 0 1.45 -0.91;H 1.256 -0.725 0.91;"
                                "H 1.256 -0.725 -0.91;H -1.256 -0.725 0.91;H -1.256 -0.725 -0.91", "--constraint", "angle 1 2 3 = 100", basis="STO-3G")
    TEST.check("bonds changed during the optimisation: C1-C3 broken" in report, "a ring is opened", report)
    report, _ = folder.optimise("H 0 0 0;H 0 0 0.9", "--linear-dependence", "0.1", basis="6-31G")
    TEST.check("step 2 removes 1 linearly dependent functions, the step before 0" in report, "a function is removed on the way", report)


def from_a_minimum(folder):
    """A search for a saddle point that begins at a minimum, and one that begins where it should."""
    report, result = folder.optimise(MINIMUM, "--saddle", basis="STO-3G")
    found = result["extras"]["hf"]["optimisation"]
    TEST.check("no eigenvalue of the Hessian is negative at the start" in report and found["start_hessian_negative_eigenvalues"] == 0 and
               "of the updated Hessian, but none at the start" in report and
               f"WARNING: {found['steps'][-1]['updated_hessian_negative_eigenvalues']} negative" in report, "a search that begins at a minimum", found)
    report, result = folder.optimise(HCN, "--saddle")
    found = result["extras"]["hf"]["optimisation"]
    TEST.check(abs(result["properties"]["return_energy"] + 92.2460427) < 2e-6, "saddle point of HCN", result["properties"]["return_energy"])
    TEST.check("Warning: --saddle" not in report and found["start_hessian_negative_eigenvalues"] == 1 and
               "\n1 negative eigenvalue of the updated Hessian;" in report, "a search that begins near its end", report)


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
    TEST.check(len(lines) == 5 * n and all(line == "3" for line in lines[::5]) and f" energy_hartree={steps(result)[-1]['energy']:.10f} " in lines[-4] and
               f" energy={steps(result)[-1]['energy'] * HARTREE_IN_EV:.6f}" in lines[-4] and
               " charge=0 multiplicity=1 " in lines[-4] and " energy_unit=eV " in lines[-4],
               "trajectory", lines[-5:])
    TEST.check(f"\nStructure found after {n} steps, angstrom\n" in report, "report", report)
    report, result = folder.optimise(WATER, "--max-steps", "2", code=1)
    TEST.check("WARNING: no structure found in 2 steps" in report and not result["extras"]["hf"]["optimisation"]["converged"],
               "not enough steps: the last structure is there", report)


def trajectories_of_ions(folder):
    """The file of an optimisation is an input of the same state, with the same ghost atoms."""
    path = os.path.join(folder.path, "ion.xyz")
    for atoms, head, n_electron in (("O 0 0 0;H 0 0 1", "charge -1", 10), ("O 0 0 0;H 0 0 1;@H 0 0 -2", "charge 1\nmultiplicity 3", 8)):
        folder.optimise(atoms, "--trajectory", path, "--max-steps", "1", basis="STO-3G", head=head, code=1)
        report, result = folder.run(path, "--task", "energy", "--basis", "STO-3G", "--checkpoint", "none")
        TEST.check("of the comment was not taken" not in report, f"{head}: a warning about its own file", report)
        molecule, properties = result["molecule"], result["properties"]
        charge, multiplicity = (int(head.split()[i]) if len(head.split()) > i else 1 for i in (1, 3))
        TEST.check((molecule["molecular_charge"], molecule["molecular_multiplicity"]) == (charge, multiplicity) and
                   properties["calcinfo_nalpha"] + properties["calcinfo_nbeta"] == n_electron and len(molecule["symbols"]) == len(atoms.split(";")),
                   f"{head}: read back", molecule)


def restarts(folder):
    kept = os.path.join(folder.path, "kept.h5")
    _, whole = folder.optimise(PEROXIDE)
    folder.run(folder.input, "--max-steps", "3", "--checkpoint", kept, code=1)
    report, rest = folder.run("--restart", kept, "--max-steps", "100")
    both = [[step["energy"] for step in steps(result)] for result in (whole, rest)]
    TEST.check(len(both[0]) == len(both[1]) and all(abs(a - b) < 2e-7 for a, b in zip(*both, strict=True)), "restarted: the same steps", both)
    n = report[report.index("\nOptimisation"):].partition("\nSelf-consistent")[0]
    TEST.check("\n     4 " in n and "\n     3 " not in n, "restarted: none is computed twice", n)
    if TEST.n_rank == 1:
        ended_searches(folder, kept, len(both[1]))
    _, result = folder.run("--restart", kept, "--max-steps", "100", "--constraint", "distance 1 2 = 1.6")
    TEST.check(abs(distance(result, 1, 2) - 1.6) < 1e-6, "restarted with another constraint", places(result))


def ended_searches(folder, kept, n_step):
    """A restart without --task: a search that has ended makes no steps, unless other criteria or constraints are given."""
    path = os.path.join(folder.path, "again.xyz")
    for options, header in (([], False), (["--trajectory", path], False), (["--saddle=no", "--max-force", "4.5e-4"], False), (["--max-force", "1e-5"], True)):
        code, report, errors = TEST.run(["--restart", kept, *options])
        TEST.check(code == 0 and ("\nOptimisation" in report) == header, f"a restart of an ended search with {options}: exit code {code}", errors + report)
        TEST.check(header or f"\nStructure found after {n_step} steps" in report, f"a restart of an ended search with {options}", report)
    TEST.check(f"\nStructure found after {n_step} steps" not in report, "sharper criteria: more steps", report)
    with open(path, encoding="utf-8") as file:
        TEST.check(file.read().count("energy=") == n_step, "the trajectory of an ended search")
    code, report, errors = TEST.run(["--restart", kept, "--constraint", "distance 1 2 = 1.5"])
    TEST.check(code == 0 and "\n     1 " in report[report.index("\nOptimisation"):], "another constraint: another search", report + errors)
    report, whole = folder.optimise("O 0 0 0;O 0 0 2.7401;H 1.7952 0 -0.378;H -1.7007 0.378 3.0236", "--constraint", "distance 1 2 = 2.8", basis="STO-3G",
                                    head="units au")
    other = os.path.join(folder.path, "bohr.h5")
    folder.run(folder.input, "--constraint", "distance 1 2 = 2.8", "--max-steps", "2", "--checkpoint", other, code=1)
    report, rest = folder.run("--restart", other, "--max-steps", "100")
    TEST.check(abs(distance(rest, 1, 2) / BOHR - 2.8) < 1e-5 and abs(energy_of(rest) - energy_of(whole)) < NEAR, "a constraint in bohr after a restart",
               (distance(rest, 1, 2) / BOHR, energy_of(rest), energy_of(whole)))


def energy_of(result):
    return result["properties"]["return_energy"]


def refused(path, options, words):
    code, report, errors = TEST.run([path, *([] if "--task" in options else ["--task", "optimise"]), *options])
    TEST.check(code == 2 and words in errors and errors.count("\n") == 1 and "Self-consistent" not in report, f"{options} is refused", errors)


def shown_on_a_terminal(command):
    """All that a program writes to one."""
    master, slave = os.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave):
        os.close(slave)
        shown = b""
        try:
            while piece := os.read(master, 4096):
                shown += piece
        except OSError:  # the end, on Linux
            pass
    os.close(master)
    return shown.decode(errors="replace")


def progress(folder):
    """A terminal shows which displacement of how many is computed, and which step; before, per cent of each Fock build."""
    with open(folder.input, "w", encoding="utf-8") as file:
        file.write("\n".join(["basis def2-SVP", "geometry", *FORMAMIDE.split(";"), "end", ""]))
    shown = shown_on_a_terminal([TEST.program, folder.input, "--task", "optimise", "--saddle", "--max-steps", "3", "--checkpoint", "none"])
    search = shown[shown.index("Optimisation"):].partition("Self-consistent")[0]
    counted = [int(number) for number in re.findall(r"\r  Optimisation: displacement (\d+) of 36, [\d.]+ (?:s|min|h), about [\d.]+ (?:s|min|h) left ", search)]
    TEST.check(counted and counted == sorted(counted) and counted[-1] <= 36, "displacements are counted", search)
    TEST.check("\r  Optimisation: step " in search and "%" not in search, "steps are counted", search)


def refusals(folder):
    with open(folder.input, "w", encoding="utf-8") as file:
        file.write("\n".join(["basis STO-3G", "geometry", *PEROXIDE.split(";"), "end", ""]))
    both = "the constraints cannot hold together: distance 1 2 is to be 1."
    for options, words in ((["--constraint", "bond 1 2"], "--constraint: 'bond 1 2': unknown kind"), (["--constraint", "fix 7"], "no such atoms"),
                           (["--constraint", "bond 1 2", "--trajectory", "t.xyz"], "hf: --constraint: 'bond 1 2': unknown kind"),
                           (["--scan", "bond 1 2", "--constraint", "fix 1", "--trajectory", "t.xyz"], "hf: --scan: 'bond 1 2'"),
                           (["--scan", "distance 1 2 = 1.0 to 1.0 in 1"], "fewer than 2 values (hold a single one by --constraint)"),
                           (["--constraint", "angle 1 2 3 = 180"], "angle 1 2 3 is to be 180.00 degrees; expected 0.5 to 179.5 degrees"),
                           (["--constraint", "distance 1 2 = 1.0; distance 2 1 = 1.1"], both + "0"),
                           (["--constraint", "fix 1-2; distance 1 2 = 1.3"], both + "3"),
                           (["--constraint", "fix 1-2", "--scan", "distance 1 2 = 1.45 to 1.6 in 2"], "hf: --scan: point 2: " + both + "6"),
                           (["--constraint", "torsion 3 1 2 4", "--scan", "angle 3 1 2 = 100 to 179 in 3"], "point 3: torsion 3 1 2 4 has no value"),
                           (["--scan", "distance 1 2"], "FROM to TO in N"), (["--method", "lmp2"], "no gradients of local MP2"),
                           (["--task", "vibrations,optimise"], "expected it first, as in optimise,vibrations"),
                           (["--task", "optimise,opt"], "has optimise twice"),
                           (["--saddle", "--groups", "9"], f"9 groups of {TEST.n_rank} ranks; expected 1 to")):
        if TEST.n_rank == 1 or "--groups" in options or words == both + "0":  # one of each: found alike by all ranks, and of their number
            refused(folder.input, options, words)
    if TEST.n_rank > 1:
        return
    linear = os.path.join(folder.path, "linear.xyz")
    for atoms, torsion in (("H 0 0 1.7;C 0 0 0.6;C 0 0 -0.6;H 0 0 -1.7", "1 2 3 4"),
                           ("C 0 0 0;C 0 0 1.46;C 0 0 2.65;H 0 0 3.71;H 1.02 0 -0.39;H -0.51 0.883 -0.39;H -0.51 -0.883 -0.39", "1 2 3 5")):
        with open(linear, "w", encoding="utf-8") as file:
            file.write("\n".join([str(atoms.count(";") + 1), "charge=0 multiplicity=1", *atoms.split(";"), ""]))
        for value in ("", " = 60"):
            refused(linear, ["--basis", "STO-3G", "--constraint", f"torsion {torsion}{value}"],
                    f"torsion {torsion} has no value: three of its atoms in succession are in line")


def main():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        for test in (references, shapes, turned, constraints, far_constraints, failing_points, from_a_minimum, fields, files, trajectories_of_ions,
                     restarts, progress, refusals):
            if TEST.n_rank == 1 or test in (files, restarts, refusals):
                test(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
