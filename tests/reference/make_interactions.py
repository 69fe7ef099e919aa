#!/usr/bin/env python3
"""Energies of interaction and extrapolated energies of Psi4: what those of hf are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_interactions.py basis > tests/reference/interactions.json

Needs the Debian package psi4, which reads hf's own basis-set files here.
"""

import itertools
import os
import sys

import numpy
import psi4

import case_file

WATERS = ["O -1.551007 -0.114520 0.0", "H -1.934259 0.762503 0.0", "H -0.599677 0.040712 0.0",
          "O 1.350625 0.111469 0.0", "H 1.680398 -0.373741 -0.758561", "H 1.680398 -0.373741 0.758561"]
TRIMER = ["O 0.0 1.62 0.05", "H 0.75 1.05 -0.02", "H 0.05 2.20 -0.71",
          "O -1.40 -0.81 0.06", "H -1.28 0.13 0.10", "H -1.95 -1.02 0.81",
          "O 1.41 -0.80 -0.05", "H 0.53 -1.16 -0.03", "H 1.93 -1.18 0.66"]
BENZENE = [f"{s} {r * numpy.cos(a * numpy.pi / 3):.6f} {r * numpy.sin(a * numpy.pi / 3):.6f} 0.0"
           for s, r in (("C", 1.3915), ("H", 2.4715)) for a in range(6)]
AMINO_WATER = [(0, 2, ["N 0.0 0.0 0.0", "H 0.81 0.02 -0.63", "H -0.80 0.0 -0.64"]),
               (0, 1, ["O 0.05 0.10 3.00", "H 0.02 0.08 2.03", "H 0.70 0.40 3.50"])]
# name, method, basis, fragments with charge, multiplicity and atoms in angstrom; gradient too
CASES = [
    ("water_dimer", "hf", "cc-pvdz", [(0, 1, WATERS[:3]), (0, 1, WATERS[3:])], True),
    ("water_dimer", "mp2", "cc-pvdz", [(0, 1, WATERS[:3]), (0, 1, WATERS[3:])], False),
    ("water_trimer", "hf", "6-31g", [(0, 1, TRIMER[i:i + 3]) for i in (0, 3, 6)], True),
    ("benzene_water", "hf", "6-31g*", [(0, 1, BENZENE), (0, 1, ["O 0.0 0.1 3.35", "H 0.02 0.75 2.65", "H -0.03 -0.70 2.75"])], False),
    ("lithium_fluoride_water", "hf", "6-31g*", [(1, 1, ["Li 0.0 0.0 0.0"]), (-1, 1, ["F 0.1 0.0 1.75"]),
                                                (0, 1, ["O 0.0 0.2 -1.95", "H 0.1 1.0 -2.45", "H 0.0 -0.5 -2.60"])], False),
    ("ammonium_chloride", "mp2", "6-31g*", [(1, 1, ["N 0.0 0.0 0.0", "H 0.63 0.59 0.58", "H -0.61 -0.60 0.57", "H -0.60 0.58 -0.61", "H 0.58 -0.59 -0.60"]),
                                            (-1, 1, ["Cl 1.9 1.8 1.75"])], False),
    ("amino_water", "uhf", "cc-pvdz", AMINO_WATER, True),
    ("amino_water", "ump2", "6-31g", AMINO_WATER, False),
]
WATER = ["O 0.0 0.0 0.1173", "H 0.0 0.7572 -0.4692", "H 0.0 -0.7572 -0.4692"]
LIMITS = [("water", "mp2", "cc-pv[dt]z", WATER), ("water", "mp2", "aug-cc-pv[dt]z", WATER), ("water", "mp2", "cc-pv[tq]z", WATER)]


def begin(reference, basis):
    psi4.core.clean()
    psi4.core.clean_options()
    psi4.core.clean_variables()
    psi4.core.be_quiet()
    psi4.set_options({"reference": reference, "scf_type": "pk", "df_scf_guess": False, "ints_tolerance": 1e-15, "e_convergence": 1e-11,
                      "d_convergence": 1e-10, "maxiter": 200, "mp2_type": "conv", "freeze_core": "true", "guess": "sad",
                      "puream": "6-31" not in basis})


def molecule_of(fragments):
    text = "\n--\n".join("\n".join([f"{charge} {multiplicity}", *atoms]) for charge, multiplicity, atoms in fragments)
    return psi4.geometry(text + "\nunits angstrom\nsymmetry c1\nno_com\nno_reorient\n")


def interaction_of(case):
    name, method, basis, fragments, with_gradient = case
    open_shells = method.startswith("u")
    begin("uhf" if open_shells else "rhf", basis)
    molecule = molecule_of(fragments)
    model = ("mp2" if "mp2" in method else "scf") + "/" + basis
    n = len(fragments)
    psi4.energy(model, molecule=molecule, bsse_type=["nocp", "cp"], return_total_data=True)
    result = {"name": name, "method": method, "basis": basis,
              "nocp": round(psi4.variable("NON-COUNTERPOISE CORRECTED INTERACTION ENERGY"), 11),
              "cp": round(psi4.variable("COUNTERPOISE CORRECTED INTERACTION ENERGY"), 11),
              "cp_total": round(psi4.variable("COUNTERPOISE CORRECTED TOTAL ENERGY"), 10),
              "fragments": [{"charge": charge, "multiplicity": multiplicity, "atoms": atoms} for charge, multiplicity, atoms in fragments]}
    for kind in ("NOCP", "CP") if n > 2 else ():
        result[f"{kind.lower()}_through_2_body"] = round(psi4.variable(f"{kind}-CORRECTED 2-BODY INTERACTION ENERGY"), 11)
    for kind in ("nocp", "cp") if with_gradient else ():
        gradient = psi4.gradient(model, molecule=molecule, bsse_type=kind, return_total_data=True)
        result[f"{kind}_gradient"] = [[round(x, 9) for x in row] for row in numpy.array(gradient).tolist()]
    return result


def limit_of(case):
    name, method, basis, atoms = case
    begin("rhf", basis)
    molecule = molecule_of([(0, 1, atoms)])
    total = psi4.energy(psi4.cbs, molecule=molecule, scf_wfn="scf", scf_basis=basis, scf_scheme=psi4.driver.driver_cbs.scf_xtpl_helgaker_2,
                        corl_wfn=method, corl_basis=basis, corl_scheme=psi4.driver.driver_cbs.corl_xtpl_helgaker_2)
    low, high = basis[basis.index("[") + 1:basis.index("]")]
    parts = {}
    for letter in (low, high):
        single = basis.replace(f"[{low}{high}]", letter)
        begin("rhf", basis)
        psi4.energy(f"{method}/{single}", molecule=molecule)
        parts[single] = [round(psi4.variable("SCF TOTAL ENERGY"), 10), round(psi4.variable("MP2 CORRELATION ENERGY"), 10)]
    return {"name": name, "method": method, "basis": basis, "total_energy": round(total, 10), "atoms": atoms, "parts": parts}


def main():
    os.environ["PSIPATH"] = os.path.abspath(sys.argv[1])
    cases = []
    for compute, case in itertools.chain(((interaction_of, case) for case in CASES), ((limit_of, case) for case in LIMITS)):
        print(case[0], case[1], case[2], file=sys.stderr)
        cases.append(compute(case))
    print(case_file.text_of("Interactions and extrapolated energies of make_interactions.py, by Psi4 " + psi4.__version__ +
                            ": bsse_type cp and nocp, exact integrals, frozen core; hartree, hartree/bohr, geometries in angstrom. "
                            "parts: energies of SCF and of correlation in each set.", cases))


main()
