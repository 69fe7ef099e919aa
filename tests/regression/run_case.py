#!/usr/bin/env python3
"""Runs hf on one reference case under mpiexec and checks what it writes.

Exit code 0: everything agrees; 1: something differs (each difference on a line of its own).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import geometry

ENERGY_TOLERANCE = 5e-9  # hartree; the references carry ten decimals
REPULSION_TOLERANCE = 2e-9  # hartree
DIPOLE_TOLERANCE = 2e-5  # e bohr; the default convergence leaves some 3e-6
OPEN_SHELL_TOLERANCE = 1e-7  # hartree; near-degenerate orbitals leave more of a commutator in the energy
LISTED_TOLERANCE = 1e-6  # hartree; other solutions are listed with six decimals
MOST_ITERATIONS = 60
LARGEST_GAIN = 0.1  # hartree that a solution nobody knew may lie below the lowest known one
SPIN_TOLERANCE = 1e-6  # of <S^2>, which errs as the orbitals do, not as the energy
TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-8"]  # where <S^2> is compared


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--ranks", default="1")
    parser.add_argument("--hf", required=True)
    parser.add_argument("--reference", required=True, help="JSON file with the cases")
    parser.add_argument("--case", required=True, help="NAME or NAME/METHOD/BASIS of the case")
    parser.add_argument("--form", default="bohr", choices=["bohr", "angstrom", "xyz", "v3000"])
    parser.add_argument("--moved", action="store_true", help="turn and shift the molecule first")
    parser.add_argument("--inputs", help="folder of the files that cases name as their input")
    parser.add_argument("options", nargs="*", help="options of hf, after --")
    return parser.parse_args()


def find_case(path, name):
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    found = [case for case in cases
             if name in (case["name"], "/".join([case["name"], case["method"], case["basis"]]))]
    if len(found) != 1:
        sys.exit(f"{path}: {len(found)} cases are called {name}, expected 1")
    return found[0]


def is_contaminated(case):
    """Whether <S^2> is to be compared and is not that of a pure spin anyway."""
    return case["method"] == "uhf" and "s_squared" in case


def input_path_and_options(arguments, case, folder):
    if "input" in case:
        return os.path.join(arguments.inputs, case["input"]), case["options"]
    text, options = geometry.write_input(case, arguments.form, arguments.moved, folder)
    path = os.path.join(folder, "input.mol")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path, options


def run(arguments, case, folder):
    """Exit code of hf and the parsed JSON file, None when there is none."""
    path, options = input_path_and_options(arguments, case, folder)
    output = os.path.join(folder, "output.json")
    command = [arguments.mpiexec, "-n", arguments.ranks, arguments.hf, path, "--json", output]
    command += options + (TIGHT if is_contaminated(case) else []) + arguments.options
    print(" ".join(command), flush=True)
    code = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    if not os.path.exists(output):
        return code, None
    with open(output, encoding="utf-8") as file:
        return code, json.load(file)


def expected_energy(case, energy, follow):
    """(energy that this one is to be compared with, tolerance). Where several solutions are known each will
    do, and a lower one as well; of those above the lowest none will when hf follows instabilities."""
    if "other_solutions" not in case:
        tolerance = ENERGY_TOLERANCE if case["method"] == "rhf" else OPEN_SHELL_TOLERANCE
        return case["total_energy"], tolerance
    if 0 < case["total_energy"] - energy < LARGEST_GAIN:
        return energy, 0
    solutions = [(case["total_energy"], case.get("energy_tolerance", OPEN_SHELL_TOLERANCE))]
    if not follow:
        solutions += [(other, LISTED_TOLERANCE) for other in case["other_solutions"]]
    return min(solutions, key=lambda solution: abs(energy - solution[0]) / solution[1])


def spin_differences(case, result, compare):
    """<S^2> is given for the solution with the lowest energy."""
    properties, scf = result["properties"], result["extras"]["hf"]["scf"]
    lowest = abs(properties["scf_total_energy"] - case["total_energy"]) <= OPEN_SHELL_TOLERANCE
    if "s_squared" in case and lowest:
        compare("<S^2>", scf["spin_squared"], case["s_squared"], SPIN_TOLERANCE)


def effort_differences(case, result, follow):
    """Lines about iterations and stability."""
    iterations = result["properties"]["scf_iterations"]
    if not follow:
        most = case.get("most_iterations", MOST_ITERATIONS)
        return [] if iterations <= most else [f"{iterations} iterations, expected at most {most}"]
    if result["extras"]["hf"]["stability"]["internal"]["stable"] is not True:
        return ["the solution is unstable although instabilities were followed"]
    return []


def differences(case, ranks, code, result, moved=False, follow=False):
    """Lines that say what differs; none when all agrees."""
    found = []

    def compare(what, value, expected, tolerance):
        if not abs(value - expected) <= tolerance:
            found.append(f"{what}: {value!r}, expected {expected!r} within {tolerance}")

    compare("exit code", code, 0, 0)
    if result is None:
        return found + ["no JSON file was written"]
    if "properties" not in result:
        return found + [f"no properties: {result['error']}"]
    properties = result["properties"]
    launch = result["extras"]["hf"]["launch"]
    if result["success"] is not True:
        found.append(f"success: {result['success']}, expected true ({result['error']})")
    compare("ranks", launch["ranks"], int(ranks), 0)
    compare("basis functions", properties["calcinfo_nbasis"], case["basis_functions"], 0)
    compare("nuclear repulsion", properties["nuclear_repulsion_energy"],
            case["nuclear_repulsion_energy"], REPULSION_TOLERANCE)
    energy, tolerance = expected_energy(case, properties["scf_total_energy"], follow)
    compare("total energy", properties["scf_total_energy"], energy, tolerance)
    spin_differences(case, result, compare)
    found += effort_differences(case, result, follow)
    compare("return result", result["return_result"], properties["scf_total_energy"], 0)
    terms = result["extras"]["hf"].get("energy_parts", {}).get("terms", [])
    outside = sum(term["nuclei"] for term in terms if term["name"] != "nuclei")
    parts = (properties["nuclear_repulsion_energy"] + outside
             + properties["scf_one_electron_energy"] + properties["scf_two_electron_energy"])
    compare("sum of the parts", parts, properties["scf_total_energy"], 1e-9)
    if terms:
        compare("sum of the terms", sum(term["electrons"] for term in terms),
                properties["scf_one_electron_energy"], 1e-9)
    if "dipole" in case and not moved:
        for axis, moment in zip("xyz", case["dipole"]):
            compare("dipole moment " + axis,
                    properties["scf_dipole_moment"]["xyz".index(axis)], moment, DIPOLE_TOLERANCE)
    return found


def main():
    arguments = parse_arguments()
    case = find_case(arguments.reference, arguments.case)
    with tempfile.TemporaryDirectory(prefix="hf-regression-") as folder:
        code, result = run(arguments, case, folder)
    found = differences(case, arguments.ranks, code, result, arguments.moved, "follow" in arguments.options)
    for line in found:
        print("DIFFERS", line)
    if result is not None and "properties" in result:
        error = result["properties"]["scf_total_energy"] - case["total_energy"]
        print(f"total energy minus reference: {error:.2e} hartree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
