#!/usr/bin/env python3
"""Charges fitted to the electrostatic potential of Psi4: what those of --potential-charges are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_potential_charges.py basis > tests/reference/potential_charges.json

Needs the Debian package psi4, which reads hf's own basis-set files and gives the potential. The points and the fits are made here,
in NumPy, from what the papers say of them.
"""

import contextlib
import os
import sys

import numpy
import psi4

import case_file
import make_mp2_gradients

BOHR = 0.529177210903
MERZ_KOLLMAN = {"H": 1.2, "C": 1.5, "N": 1.5, "O": 1.4}
CHELPG = {"H": 1.45, "C": 1.5, "N": 1.7, "O": 1.7}
# name, method, basis, charge, multiplicity, frozen, atoms in bohr; groups of RESP's second stage, carbon first
CASES = [
    (("water", "mp2", "6-31g*", 0, 1, "none", ["O 0 0 0.22", "H 0 1.43 -0.89", "H 0.2 -1.43 -0.89"]), []),
    (("methanol", "mp2", "6-31g*", 0, 1, "none",
      ["C -1.3 -0.04 0", "O 1.38 0.23 0", "H -2.0 1.9 0.1", "H -2.0 -1.0 1.7", "H -2.0 -1.0 -1.7", "H 2.1 -1.5 0.1"]), [[0, 2, 3, 4]]),
    (("methylammonium", "mp2", "6-31g", 1, 1, "none",
      ["C 0 0 -1.4", "N 0 0 1.45", "H 1.95 0 -2.1", "H -0.97 1.69 -2.1", "H -0.97 -1.69 -2.1", "H 0.97 1.5 2.1", "H 0.9 -1.55 2.15",
       "H -1.8 0 2.1"]), [[0, 2, 3, 4]]),
    (("amino", "ump2", "cc-pvdz", 0, 2, "none", ["N 0 0 0.19", "H 0 1.57 -1.04", "H 0 -1.50 -1.09"]), []),
]


def sphere(centre, radius):
    """One point for each square angstrom on circles of latitude, angstrom."""
    equator = int((numpy.pi * int(4 * numpy.pi * radius**2))**0.5)
    points = []
    for i in range(equator // 2 + 1):
        polar = numpy.pi * i / (equator // 2)
        n = max(1, int(equator * numpy.sin(polar) + 1e-9))
        round_ = 2 * numpy.pi * numpy.arange(n) / n
        points += [centre + radius * numpy.array([numpy.sin(polar) * numpy.cos(t), numpy.sin(polar) * numpy.sin(t), numpy.cos(polar)])
                   for t in round_]
    return points


def merz_kollman(symbols, place):
    points = []
    for scale in (1.4, 1.6, 1.8, 2.0):
        for a, centre in enumerate(place):
            for point in sphere(centre, scale * MERZ_KOLLMAN[symbols[a]]):
                if all(numpy.linalg.norm(point - place[b]) > scale * MERZ_KOLLMAN[symbols[b]] for b in range(len(place)) if b != a):
                    points.append(point)
    return numpy.array(points)


def chelpg(symbols, place):
    low, high = place.min(axis=0), place.max(axis=0)
    axes = []
    for least, most in zip(low, high):
        n = int(numpy.ceil((most - least + 5.6) / 0.3)) + 1
        axes.append((least + most) / 2 + 0.3 * (numpy.arange(n) - (n - 1) / 2))
    points = numpy.array(numpy.meshgrid(*axes, indexing="ij")).reshape(3, -1).T
    distance = numpy.linalg.norm(points[:, None] - place[None], axis=2)
    outside = (distance > numpy.array([CHELPG[s] for s in symbols])).all(axis=1)
    return points[outside & (distance.min(axis=1) <= 2.8)]


def restrained(square, side, total, gather, fixed, weight, heavy):
    """Least squares with the sum of charges, for unknowns that each are the charge of one atom or of several."""
    count, charges = gather.sum(axis=0), numpy.zeros(gather.shape[1])
    left = numpy.zeros((len(count) + 1,) * 2)
    right = numpy.append(gather.T @ (side - square @ fixed), total - fixed.sum())
    for _ in range(500):
        left[:-1, :-1] = gather.T @ square @ gather + numpy.diag(weight * heavy / numpy.sqrt(charges**2 + 0.01))
        left[:-1, -1] = left[-1, :-1] = count
        charges = numpy.linalg.solve(left, right)[:-1]
    return fixed + gather @ charges


def fit(symbols, place, points, potential, total, groups):
    inverse = BOHR / numpy.linalg.norm(points[:, None] - place[None], axis=2)
    square, side = inverse.T @ inverse, inverse.T @ potential
    every, none = numpy.eye(len(symbols)), numpy.zeros(len(symbols))
    heavy = numpy.array([float(s != "H") for s in symbols])
    plain = restrained(square, side, total, every, none, 0.0, heavy)
    resp = restrained(square, side, total, every, none, 0.0005, heavy)
    if groups:
        unknown = [atoms for group in groups for atoms in ([group[0]], group[1:])]
        gather = numpy.array([[float(a in atoms) for atoms in unknown] for a in range(len(symbols))])
        resp = restrained(square, side, total, gather, resp * (1 - gather.sum(axis=1)), 0.001, numpy.array([1.0, 0.0] * len(groups)))
    return plain, resp


def compute(case, groups):
    name, method, basis, charge, multiplicity, _, atoms = case
    molecule = make_mp2_gradients.prepare_psi4(case, atoms, [], [0.0] * 3)
    _, wave = psi4.energy("scf", molecule=molecule, return_wfn=True)
    symbols, place = [a.split()[0] for a in atoms], numpy.array([[float(x) for x in a.split()[1:]] for a in atoms]) * BOHR
    described = {"name": name, "method": "uhf" if method == "ump2" else "rhf", "basis": basis, "charge": charge,
                 "multiplicity": multiplicity, "geometry_bohr": atoms}
    for kind, points in (("mk", merz_kollman(symbols, place)), ("chelpg", chelpg(symbols, place))):
        numpy.savetxt("grid.dat", points / BOHR, fmt="%20.14f")  # in units of the geometry
        psi4.oeprop(wave, "GRID_ESP")
        potential = numpy.loadtxt("grid_esp.dat")
        os.remove("grid.dat")
        os.remove("grid_esp.dat")
        plain, resp = fit(symbols, place, points, potential, charge, groups)
        described["points_" + kind], described[kind] = len(points), [round(q, 7) for q in plain]
        if kind == "mk":
            described["resp"] = [round(q, 7) for q in resp]
    return described


def main():
    os.environ["PSIPATH"] = os.path.abspath(sys.argv[1])
    with contextlib.redirect_stdout(sys.stderr):  # Psi4's own messages
        cases = [compute(*case) for case in CASES]
    print(case_file.text_of("Charges by NumPy from Psi4's potential on points of make_potential_charges.py; bohr, e.", cases))


if __name__ == "__main__":
    main()
