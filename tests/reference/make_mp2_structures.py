#!/usr/bin/env python3
"""Structures, harmonic frequencies and dipole moments of MP2 by Psi4: what hf's are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_mp2_structures.py basis > tests/reference/mp2_structures.json

Needs the Debian package psi4, which reads hf's own basis-set files. All electrons are correlated, without density fitting. Minima
are found to a largest force of about 1e-6 hartree/bohr; frequencies are five-point differences of gradients there, dipole moments
five-point differences of energies by a field. The saddle point has the symmetry that it starts with; each structure of the scan is
optimised with its distance frozen.
"""

import contextlib
import os
import sys

import numpy
import psi4

import case_file
import make_mp2_gradients

NONE = [0.0, 0.0, 0.0]
# name, method, basis, charge, multiplicity, whether frequencies are computed, atoms in bohr
CASES = [
    ("water", "mp2", "cc-pvdz", 0, 1, True, ["O 0 0 0.22", "H 0 1.43 -0.89", "H 0 -1.43 -0.89"]),
    ("ammonia", "mp2", "6-31g*", 0, 1, True, ["N 0 0 0.2", "H 0 1.78 -0.51", "H 1.53 -0.89 -0.51", "H -1.53 -0.89 -0.51"]),
    ("hydrogen_fluoride", "mp2", "6-31++g**", 0, 1, False, ["F 0 0 0.1", "H 0 0 -1.65"]),
    ("formaldehyde", "mp2", "6-31g*", 0, 1, True, ["C 0 0 -1.0", "O 0 0 1.3", "H 0 1.78 -2.11", "H 0 -1.78 -2.11"]),
    ("hydrogen_cyanide", "mp2", "cc-pvdz", 0, 1, True, ["H 0 0 -3.05", "C 0 0 -1.0", "N 0 0 1.2"]),
    ("hydrogen_sulfide", "mp2", "6-31g*", 0, 1, False, ["S 0 0 0.2", "H 0 1.85 -1.6", "H 0.1 -1.80 -1.65"]),
    ("hydrogen_peroxide", "mp2", "6-31g*", 0, 1, False, ["O 0 1.38 -0.1", "O 0 -1.38 -0.1", "H 1.5 1.7 0.8", "H -1.5 -1.7 0.8"]),
    ("fluoromethane", "mp2", "6-31g", 0, 1, False, ["C 0 0 -1.2", "F 0 0 1.45", "H 1.95 0 -1.9", "H -0.97 1.69 -1.9", "H -0.97 -1.69 -1.9"]),
    ("amino", "ump2", "cc-pvdz", 0, 2, True, ["N 0 0 0.19", "H 0 1.57 -1.04", "H 0 -1.50 -1.09"]),
    ("hydroxyl", "ump2", "aug-cc-pvdz", 0, 2, False, ["O 0 0 0.1", "H 0 0 1.95"]),
]

SADDLE = ("planar_ammonia", "mp2", "6-31g*", 0, 1, False, ["N 0 0 0", "H 0 1.9 0", "H 1.6454 -0.95 0", "H -1.6454 -0.95 0"])
SCAN = ("water_stretched", "mp2", "6-31g*", 0, 1, False, ["O 0 0 0", "H 0 0 {}", "H 0 1.75 -0.45"])
DISTANCES = [0.9, 1.0, 1.1]  # angstrom
BOHR = 0.529177210903


def prepare(case, atoms):
    name, method, basis, charge, multiplicity, _, _ = case
    molecule = make_mp2_gradients.prepare_psi4((name, method, basis, charge, multiplicity, "none"), atoms, [], NONE)
    psi4.set_options({"g_convergence": "gau_verytight", "geom_maxiter": 100, "points": 5})
    return molecule


def compute(case):
    name, method, basis, charge, multiplicity, vibrates, atoms = case
    molecule = prepare(case, atoms)
    energy = psi4.optimize("mp2", molecule=molecule)
    place = numpy.array(molecule.geometry())
    found = [f"{atom.split()[0]} " + " ".join(f"{x:.10f}" for x in row) for atom, row in zip(atoms, place)]
    described = {"name": name, "method": method, "basis": basis, "charge": charge, "multiplicity": multiplicity,
                 "cartesian": bool(make_mp2_gradients.make_gradients.CARTESIAN.match(basis)), "total_energy": round(energy, 10),
                 "start_bohr": atoms, "geometry_bohr": found}
    described["dipole"] = make_mp2_gradients.dipole_of((name, method, basis, charge, multiplicity, "none", found, []))
    if vibrates:
        _, wave = psi4.frequency("mp2", molecule=prepare(case, found), dertype=1, return_wfn=True)
        modes = wave.frequency_analysis
        described["frequencies"] = [round(modes["omega"].data[i].real - modes["omega"].data[i].imag, 4)
                                    for i, kind in enumerate(modes["TRV"].data) if kind == "V"]
    return described


def scan():
    *settings, atoms = SCAN
    energies = []
    for distance in DISTANCES:
        molecule = prepare(SCAN, [atom.format(f"{distance / BOHR:.12f}") for atom in atoms])
        psi4.set_options({"frozen_distance": "1 2"})
        energies.append(round(psi4.optimize("mp2", molecule=molecule), 10))
    return {**dict(zip(("name", "method", "basis", "charge", "multiplicity"), settings)), "cartesian": True,
            "start_bohr": [atom.format(f"{DISTANCES[0] / BOHR:.12f}") for atom in atoms],
            "scan": f"distance 1 2 = {DISTANCES[0] / BOHR:.12f} to {DISTANCES[-1] / BOHR:.12f} in {len(DISTANCES)}",
            "energies": energies}


def main():
    os.environ["PSIPATH"] = os.path.abspath(sys.argv[1])
    cases = []
    for case in CASES:
        with contextlib.redirect_stdout(sys.stderr):  # Psi4's own messages
            cases.append(compute(case))
        print(cases[-1], file=sys.stderr, flush=True)
    with contextlib.redirect_stdout(sys.stderr):
        cases += [{**compute(SADDLE), "saddle": True}, scan()]
    print(case_file.text_of("Minima, dipole moments and frequencies of make_mp2_structures.py: Psi4's MP2 without density fitting; bohr, hartree, "
                            "e bohr, 1/cm.", cases))


if __name__ == "__main__":
    main()
