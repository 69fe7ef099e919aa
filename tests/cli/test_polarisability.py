#!/usr/bin/env python3
"""Polarisabilities: against Psi4's coupled-perturbed equations, against central differences of dipole moments in fields,
on any number of ranks; what is refused.

Usage: test_polarisability.py HF MPIEXEC RANKS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
WATER = "units bohr\ngeometry\nO 0 0 0.2\nH 0 1.4 -0.9\nH 0.1 -1.5 -0.8\nend\n"
FORMALDEHYDE = "units bohr\ngeometry\nC 0 0 0\nO 0.1 0.2 2.27\nH 1.75 0 -1.1\nH -1.75 0.1 -1.1\nend\n"
OXYGEN = "units bohr\ngeometry\nO 0 0 0\nO 0 0 2.3\nend\n"
# Psi4 1.3.2, properties("scf", properties=["DIPOLE_POLARIZABILITIES"]), scf_type pk: xx, yy, zz, xy, xz, yz in bohr^3
PSI4 = ((WATER, "cc-pVDZ", (3.04941743840684, 6.824042419170106, 4.842304132278205,
                            -0.1362712800510972, -0.08255716817547389, -0.0038486310058392383)),
        (FORMALDEHYDE, "6-31G*", (12.885861278974174, 6.650751827214627, 18.07534236728752,
                                  -0.14437511255493335, 0.3670921492818844, 0.750621015210954)))
STEP = 5e-4  # hartree/bohr/e; the error of differences is of its square


class Folder:
    def __init__(self, path):
        self.path, self.json = path, os.path.join(path, "out.json")

    def run(self, text, *options):
        """(report, results) of a run that is to end well."""
        path = os.path.join(self.path, "input.mol")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        code, report, errors = TEST.run([path, "--checkpoint", "none", "--json", self.json, *options])
        TEST.check(code == 0, f"{options}: exit code {code}", errors)
        with open(self.json, encoding="utf-8") as file:
            return report, json.load(file)

    def tensor(self, text, *options):
        report, result = self.run(text, "--polarisability", *options)
        found = result["extras"]["hf"]["polarisability"]
        TEST.check("\nPolarisability (static, Hartree-Fock), bohr^3\n" in report, "report", report)
        TEST.check(found["converged"] and 0 < found["hessian_products"] < 40, f"{options}: equations", found)
        return found["tensor"]

    def differences(self, text, *options):
        columns = []
        for axis in range(3):
            ends = []
            for sign in (1, -1):
                field = [sign * STEP if x == axis else 0.0 for x in range(3)]
                _, result = self.run(text, "--commutator-tolerance", "1e-8", "--field", " ".join(map(str, field)), *options)
                ends.append(result["properties"]["scf_dipole_moment"])
            columns.append([(a - b) / (2 * STEP) for a, b in zip(*ends, strict=True)])
        return sum(columns, [])


def differ(one, other):
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def against_psi4(folder):
    for text, basis, expected in PSI4:
        found = folder.tensor(text, "--basis", basis)
        off = differ([found[k] for k in (0, 4, 8, 1, 2, 5)], expected)
        TEST.check(off < 2e-6, f"{basis}: off by {off:.1e}", found)
        TEST.check(differ(found, [found[3 * (k % 3) + k // 3] for k in range(9)]) == 0.0, "symmetric", found)


def against_differences(folder):
    for method, text in (("uhf", WATER), ("rohf", WATER)):
        options = ["--basis", "6-31G", "--charge", "1", "--multiplicity", "2", "--method", method]
        off = differ(folder.tensor(text, *options), folder.differences(text, *options))
        TEST.check(off < 4e-5, f"{method}: off by {off:.1e} from differences")
    one = folder.tensor(OXYGEN, "--basis", "6-31G", "--multiplicity", "3")
    other = folder.tensor(OXYGEN, "--basis", "6-31G", "--multiplicity", "3", "--fock", "distributed", "--threads", "2")
    TEST.check(differ(one, other) < 1e-6, "builders and threads change nothing", (one, other))
    hydrogen = "geometry\nH 0 0 0\nend\n"  # beta has no electrons
    found = folder.tensor(hydrogen, "--basis", "cc-pVDZ", "--multiplicity", "2")
    TEST.check(found[0] > 0.1 and abs(found[0] - found[8]) < 1e-7, "an atom", found)


def refused(folder):
    path = os.path.join(folder.path, "input.mol")
    TEST.expect_one_line("smearing", TEST.run([path, "--polarisability", "--smearing", "0.01"]), 2,
                         ["--polarisability", "expected smearing 0"])


def main():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        against_psi4(folder)
        against_differences(folder)
        refused(folder)
    for failure in TEST.failures:
        print(failure)
    return 1 if TEST.failures else 0


if __name__ == "__main__":
    sys.exit(main())
