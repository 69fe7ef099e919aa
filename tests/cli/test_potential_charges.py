#!/usr/bin/env python3
"""Charges fitted to the electrostatic potential: against fits in NumPy to Psi4's potential, on any number of ranks.

Usage: test_potential_charges.py HF MPIEXEC RANKS REFERENCES
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
TOLERANCE = 1e-6  # e


def run(folder, case, *options, launcher=None):
    """Charges by hf, and the report."""
    path, out = os.path.join(folder, "input.mol"), os.path.join(folder, "out.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("units bohr\ngeometry\n" + "\n".join(case["geometry_bohr"]) + "\nend\n")
    given = [part for key in ("basis", "charge", "multiplicity") for part in ("--" + key, str(case[key]))]
    code, report, errors = TEST.run([path, *given, "--json", out, "--checkpoint", "none", "--commutator-tolerance", "1e-8", *options], launcher)
    TEST.check(code == 0, f"{case['name']} {options}: exit code {code}", errors)
    with open(out, encoding="utf-8") as file:
        return json.load(file)["extras"]["hf"]["potential_charges"], report


def against_psi4(folder, case):
    for kind in ("mk", "chelpg", "resp"):
        found, report = run(folder, case, "--potential-charges", kind)
        off = max(abs(a - b) for a, b in zip(found["charges"], case[kind], strict=True))
        TEST.check(off < TOLERANCE, f"{case['name']} {kind}: off by {off:.1e}", found)
        TEST.check(kind == "resp" or found["points"] == case["points_" + kind], f"{case['name']} {kind}: points", found)
        TEST.check(abs(sum(found["charges"]) - case["charge"]) < 1e-9, f"{case['name']} {kind}: sum of charges", found)
        TEST.check(f"{found['charges'][0]:12.6f}" in report and "0.00" in report, "report", report)


def of_mp2(folder, case):
    scf, _ = run(folder, case, "--potential-charges", "mk")
    relaxed, report = run(folder, case, "--potential-charges", "mk", "--method", "mp2", "--task", "gradient")
    TEST.check(relaxed["density"] == "MP2 relaxed" and "relaxed density of MP2" in report, "says its density", report)
    moved = max(abs(a - b) for a, b in zip(relaxed["charges"], scf["charges"], strict=True))
    TEST.check(0.005 < moved < 0.1, f"charges of MP2 differ by {moved}", relaxed)


def main():
    with open(os.path.join(sys.argv[4], "potential_charges.json"), encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            against_psi4(folder, case)
        of_mp2(folder, cases[0])
        ghost = {**cases[0], "geometry_bohr": [*cases[0]["geometry_bohr"], "@H 0 0 30"]}
        found, _ = run(folder, ghost, "--potential-charges", "mk")
        TEST.check(found["charges"][3] == 0.0 and found["points"] == cases[0]["points_mk"], "ghosts have no charge", found)
        bits = [run(folder, cases[0], "--reproducible", "--potential-charges", "resp", launcher=many)[0] for many in (False, True)]
        TEST.check(bits[0] == bits[1], "the same bits on any ranks", bits)
        on_point = [step * 0.3 / 0.529177210903 for step in (0.5, 0.5, 6.5)]
        helium = {"name": "helium", "basis": "STO-3G", "charge": 0, "multiplicity": 1, "geometry_bohr": ["He 0 0 0", "@H {} {} {}".format(*on_point)]}
        found, _ = run(folder, helium, "--potential-charges", "chelpg")
        TEST.check(abs(found["charges"][0]) < 1e-12 and found["deviation"] < 1e-3, "a ghost at a point", found)
        outcome = TEST.run(["-", "--basis", "def2-SVP", "--charge", "1", "--potential-charges", "chelpg"], standard_input="1\n\nRb 0 0 0\n")
        TEST.expect_one_line("no points", outcome, 2, ["--potential-charges: no point"])
    for failure in TEST.failures:
        print(failure)
    return 1 if TEST.failures else 0


if __name__ == "__main__":
    sys.exit(main())
