#!/usr/bin/env python3
"""Exact relations of local MP2: with all pairs and full domains it is canonical MP2, and with the default
settings neither a rotation nor another order of the atoms changes its energy.

Usage: test_local_mp2_exact.py HF MPIEXEC RANKS INPUTS short|long
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import pathlib
import random
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
sys.path[:0] = [TESTS, os.path.join(TESTS, "regression")]
import geometry
from program_test import ProgramTest

TEST = ProgramTest.of_arguments(most_seconds=300)
SCF = ["--commutator-tolerance", "1e-9"]
FULL = ["--method", "lmp2", "--domains", "full", "--pair-distance", "1e6", "--local-screening", "1e-16",
        "--energy-tolerance", "1e-12", *SCF]
MP2 = ["--method", "mp2", "--screening", "1e-14", *SCF]
# Names in tests/reference/mp2.json; the first ones are also of the short tests.
CANONICAL = ["water_with_charges", "ethyne", "magnesium_hydride", "ammonium", "cyanide", "hydrogen_bromide", "hydrogen_chain",
             "hydrogen_chloride", "neon", "sodium_fluoride", "water_with_ghosts"]
N_SHORT = 3
# (input, basis set, options): of the short tests, and of the long ones
INVARIANT = {"short": [("water-dimer", "6-31+G*", []), ("benzene", "STO-3G", [])],
             "long": [("benzene", "6-31G*", []), ("benzene", "6-31G*", ["--localise", "boys"]), ("benzene", "6-31G*", ["--domains", "tight"]),
                      ("water-dimer", "aug-cc-pVDZ", []), ("ethane", "6-31++G**", []), ("ethane", "cc-pVDZ", []), ("uracil", "6-31G", []),
                      ("ethane", "cc-pVDZ", ["--localise", "boys"])]}


def energy_of(folder, arguments):
    """Total energy, or None and a failed check."""
    document = folder / "out.json"
    code, _, errors = TEST.run([*arguments, "--json", str(document)])
    TEST.check(code == 0, f"{' '.join(arguments)}: exit code {code}", errors)
    return json.loads(document.read_text(encoding="utf-8"))["return_result"] if code == 0 else float("nan")


def compare(what, energy, other, most):
    print(f"{what}: {energy:.10f}, difference {other - energy:.1e}", flush=True)
    TEST.check(abs(other - energy) < most, f"{what}: the energy differs by {other - energy:.1e}, expected {most:.0e} at most")


def canonical(folder, names):
    cases = json.loads(pathlib.Path(TESTS, "reference", "mp2.json").read_text(encoding="utf-8"))["cases"]
    for case in (case for case in cases if case["name"] in names and case["method"] == "mp2"):
        molecule = folder / "molecule.mol"
        text, options = geometry.write_input(case, "bohr", False, str(folder))
        molecule.write_text(text, encoding="utf-8")
        energy = [energy_of(folder, [str(molecule), *options, *method]) for method in (MP2, FULL)]
        compare(f"full domains of {case['name']}/{case['basis']}", *energy, 1e-9)


def read_geometry(path):
    """Atoms of a native input, as geometry.py has them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line.split()]
    begin = next(k for k, line in enumerate(words) if line[0] == "geometry") + 1
    end = next(k for k in range(begin, len(words)) if words[k][0] == "end")
    bohr = ["units", "bohr"] in words
    atoms = [(word[0], [float(x) / (1 if bohr else geometry.BOHR_IN_ANGSTROM) for x in word[1:4]]) for word in words[begin:end]]
    charge = next((int(line[1]) for line in words if line[0] == "charge"), 0)
    return atoms, charge


def invariant(folder, inputs, cases):
    for name, basis, options in cases:
        atoms, charge = read_geometry(inputs / (name + ".mol"))
        case = {"name": name, "method": "lmp2", "basis": basis, "charge": charge, "multiplicity": 1}
        shuffled = list(atoms)
        random.Random(7).shuffle(shuffled)
        energy = []
        for number, places in enumerate((atoms, geometry.move(atoms), shuffled)):
            molecule = folder / f"{name}-{number}.mol"
            molecule.write_text(geometry.native(case, places, "bohr"), encoding="utf-8")
            energy.append(energy_of(folder, [str(molecule), *options]))
        for number, what in (1, "moved"), (2, "renumbered"):
            compare(" ".join([what, f"{name}/{basis}", *options]), energy[0], energy[number], 1e-8)


def main():
    inputs, size = pathlib.Path(sys.argv[4]), sys.argv[5]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        canonical(folder, CANONICAL[:N_SHORT] if size == "short" else CANONICAL[N_SHORT:])
        invariant(folder, inputs, INVARIANT[size])
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
