#!/usr/bin/env python3
"""Stability analysis: eigenvalues against those of another program, and the solutions it leads to.

A case is NAME/METHOD, its eigenvalues those of the solution of lowest energy that is known. hf follows
instabilities, ends there or lower, and where it ends there it has the same eigenvalues.
"""

import json
import os
import sys
import tempfile

import program_run
from program_test import ProgramTest

ENERGY_TOLERANCE = 1e-7  # hartree
EIGENVALUE_TOLERANCE = 1e-5  # hartree; the references carry six decimals
TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-7"]


def parse_arguments():
    parser = program_run.parser(__doc__)
    parser.add_argument("--reference", required=True, action="append", help="JSON file with cases")
    parser.add_argument("--case", required=True, action="append", help="NAME/METHOD")
    return parser.parse_args()


def find_case(paths, name):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for case in json.load(file)["cases"]:
                if f"{case['name']}/{case['method']}" == name:
                    return case
    sys.exit(f"no case is called {name}")


def write_input(case, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"method {case['method']}\nbasis {case['basis']}\ncharge {case['charge']}\n"
                   f"multiplicity {case['multiplicity']}\nunits bohr\ngeometry\n")
        file.write("\n".join(case["geometry_bohr"]) + "\nend\n")


def compare(test, name, found, expected, only_some):
    """Eigenvalues of one kind: the lowest ones, or `only_some` of them: the other program keeps to
    symmetry, so that those it gives may lie beyond those found."""
    for i, value in enumerate(expected[:len(found)]):
        if only_some and value > found[-1] + EIGENVALUE_TOLERANCE:
            continue
        nearest = min(found, key=lambda x: abs(x - value)) if only_some else found[i]
        test.check(abs(nearest - value) < EIGENVALUE_TOLERANCE,
                   f"{name}: eigenvalues {found}, expected {value}")


def check_case(test, case, options):
    name = f"{case['name']}/{case['method']}"
    with tempfile.TemporaryDirectory() as folder:
        path, result = os.path.join(folder, "case.in"), os.path.join(folder, "result.json")
        write_input(case, path)
        code, output, errors = test.run([path, "--stability", "follow", "--json", result, *TIGHT,
                                         *options])
        test.check(code == 0, f"{name}: exit code {code}", errors)
        if code != 0:
            return
        with open(result, encoding="utf-8") as file:
            found = json.load(file)
    stability = found["extras"]["hf"]["stability"]
    higher = found["return_result"] - case["total_energy"]
    test.check(higher < ENERGY_TOLERANCE, f"{name}: {higher} hartree above the lowest known solution")
    test.check(stability["internal"]["stable"], f"{name}: ends where it is not stable")
    test.check(stability["energies"][-1] == found["return_result"], f"{name}: another energy")
    test.check(sorted(stability["energies"], reverse=True) == stability["energies"],
               f"{name}: goes up: {stability['energies']}")
    if higher < -ENERGY_TOLERANCE or "stability_eigenvalues" not in case:
        return
    expected = case["stability_eigenvalues"]
    inside = stability["internal"]["eigenvalues"]
    compare(test, name, inside, expected.get("rhf_to_rhf_singlet", []), False)
    compare(test, name, inside, expected.get("uhf_to_uhf", []), True)
    if "rhf_to_uhf_triplet" in expected:
        outside = stability["external"]
        compare(test, name, outside["eigenvalues"], expected["rhf_to_uhf_triplet"], False)
        test.check(outside["stable"] == (expected["rhf_to_uhf_triplet"][0] > 0.0),
                   f"{name}: stable towards UHF is {outside['stable']}")
        test.check(outside["stable"] or "run --method uhf --stability follow" in output,
                   f"{name}: no advice in", output)


def main():
    arguments = parse_arguments()
    test = ProgramTest(arguments.hf, arguments.mpiexec, arguments.ranks, 300)
    for name in arguments.case:
        check_case(test, find_case(arguments.reference, name), arguments.options)
    return test.report()


if __name__ == "__main__":
    sys.exit(main())
