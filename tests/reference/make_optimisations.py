#!/usr/bin/env python3
"""Minima that Psi4's optimiser finds, and the steps that it takes: what hf's are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_optimisations.py basis > tests/reference/optimisations.json

Needs the Debian package psi4, which reads hf's own basis-set files. Steps are structures whose energy and gradient were computed
until Gaussian's criteria held; from there the minimum is found more closely, for its energy. Starts are those of inputs/ and of other references.
"""

import contextlib
import os
import re
import sys

import psi4

import case_file

# name, method, basis, charge, multiplicity, units, atoms
CASES = [
    ("ammonia", "rhf", "6-31g*", 0, 1, "bohr",
     ["N 0 0 0.20786987", "H 0 1.77634256 -0.51022605", "H 1.53067816 -0.88817128 -0.51022605", "H -1.53067816 -0.88817128 -0.51022605"]),
    ("hydrogen_peroxide_nearby", "rhf", "cc-pvdz", 0, 1, "bohr",
     ["O 0 0 0", "O 0 0 2.68341110", "H 1.78080627 0 -0.34615367", "H -0.75260125 1.61395859 3.02956477"]),
    ("phosphino", "uhf", "6-31g**", 0, 2, "bohr", ["P 0 0 0.18897261", "H 0 1.92752065 -1.66295899", "H 0 -1.92752065 -1.66295899"]),
    ("stretched_hydrogen", "rhf", "6-31g*", 0, 1, "angstrom", ["H 0 0 0", "H 0 0 2.2"]),
    ("oxygen", "uhf", "cc-pvdz", 0, 3, "angstrom", ["O 0 0 0", "O 0 0 1.2075"]),
    ("formaldehyde", "rhf", "6-31g*", 0, 1, "angstrom", ["C 0 0 0", "O 0 0 1.205", "H 0 0.943208 -0.587095", "H 0 -0.943208 -0.587095"]),
    ("methanol", "rhf", "cc-pvdz", 0, 1, "angstrom",
     ["C 0 0 0", "O 0 0 1.425", "H 0.896166 0 1.724853", "H -1.028675 0 -0.372375", "H 0.514338 -0.890859 -0.372375",
      "H 0.514338 0.890859 -0.372375"]),
    ("ammonium", "rhf", "cc-pvdz", 1, 1, "angstrom",
     ["N 0 0 0", "H 0.5895 0.5895 0.5895", "H 0.5895 -0.5895 -0.5895", "H -0.5895 0.5895 -0.5895", "H -0.5895 -0.5895 0.5895"]),
    ("water_dimer", "rhf", "6-31g*", 0, 1, "angstrom",
     ["O -1.551007 -0.114520 0", "H -1.934259 0.762503 0", "H -0.599677 0.040712 0", "O 1.350625 0.111469 0",
      "H 1.680398 -0.373741 -0.758561", "H 1.680398 -0.373741 0.758561"]),
    ("glycine", "rhf", "6-31g*", 0, 1, "angstrom",
     ["N -0.621956 1.309836 0", "C 0 0 0", "C 1.52 0 0", "O 2.226085 0.982621 0", "O 2.018442 -1.265368 0", "H 2.983976 -1.172398 0",
      "H -0.350524 -0.554473 0.870513", "H -0.350524 -0.554473 -0.870513", "H -0.332190 1.829832 0.818100", "H -0.332190 1.829832 -0.818100"]),
    ("uracil", "rhf", "sto-3g", 0, 1, "bohr",
     ["O 4.38327644 1.61416626 -0.02044684", "C 2.34216435 0.51939123 -0.01785791", "C 2.21045044 -2.26848393 -0.03102930",
      "C -0.05680517 -3.37433276 -0.00275900", "N -2.21897311 -1.96291522 0.02581366", "C -2.24212225 0.62504581 0.01844373",
      "O -4.21834114 1.83460281 0.02768449", "N 0.07766774 1.75995863 -0.00020787", "H 3.97237439 -3.30326016 -0.05965865",
      "H -0.28258964 -5.41262916 -0.00413850", "H -3.93835932 -2.80803853 0.04660065", "H 0.11568903 3.66332858 0.00600933"]),
    ("hydrogen_peroxide", "rhf", "6-31g*", 0, 1, "bohr", ["O 0 0 1.3", "O 0.1 0 -1.4", "H 0 1.7 1.8", "H 1.6 -0.5 -1.9"]),
    ("methyl", "uhf", "6-31g*", 0, 2, "bohr", ["C 0 0 0.1", "H 0 2.05 0", "H 1.8 -1.0 0.1", "H -1.75 -1.05 -0.1"]),
    ("chloromethane", "rhf", "6-31g*", 0, 1, "bohr",
     ["C 0 0 -2.11649326", "Cl 0.05669178 0 1.24721924", "H 1.94641791 0.03779452 -2.77789740", "H -0.98265759 1.70075351 -2.74010288",
      "H -0.94486306 -1.66295899 -2.83458919"]),
    ("silane_fluoride", "rhf", "6-31g*", 0, 1, "bohr",
     ["Si 0 0 0.03779452", "F 0.03779452 0.05669178 3.04245906", "H 2.64561658 0 -0.90706854", "H -1.32280829 2.30546587 -0.88817128",
      "H -1.36060281 -2.22987683 -0.98265759"]),
    ("vinyl", "uhf", "cc-pvdz", 0, 2, "bohr",
     ["C 0 0 0", "C 0.03779452 0 2.47554122", "H 0 1.75744530 -1.07714389", "H 0.07558905 -1.73854804 -1.09604115",
      "H -0.05669178 1.36060281 3.96842486"]),
    ("fluoride_water", "rhf", "6-31g*", -1, 1, "bohr", ["F 0 0 4.6", "O 0 0.1 0", "H 0 0.3 1.9", "H 0 1.75 -0.55"]),
    ("ethene", "rhf", "cc-pvdz", 0, 1, "bohr",
     ["C 0 0 1.25", "C 0.1 0 -1.3", "H 0 1.75 2.3", "H 0 -1.7 2.4", "H 0.2 1.8 -2.3", "H -0.1 -1.7 -2.35"]),
    ("allyl", "uhf", "6-31g*", 0, 2, "bohr",
     ["C 0 0 0", "H 0 -2.05980148 0", "C 2.32233423 1.21925273 0", "H 2.38644059 3.25914988 0", "H 4.04743267 0.12869077 0",
      "C -2.32233423 1.21925273 0", "H -4.03785016 0.11367816 0", "H -2.40423938 3.25851278 0"]),
    ("dimethyl_nitroxide", "uhf", "6-31g*", 0, 2, "bohr",
     ["N 0 0 0", "O 0 0 2.39995218", "C 2.44144954 0 -1.24398068", "C -2.35825917 -0.63189364 -1.24398068",
      "H 3.89045386 -0.33764119 0.16681049", "H 2.45371314 -1.48949536 -2.65295192", "H 2.71921210 1.82713655 -2.13188089",
      "H -3.67050189 -1.33305990 0.16681049", "H -3.09945493 1.06109451 -2.13188089", "H -1.98459513 -2.07380973 -2.65295192"]),
    ("urea", "rhf", "6-31g*", 0, 1, "bohr",
     ["C 0 0 0.26456166", "O 0 0 2.57002753", "N 0 2.17318504 -1.15273294", "N 0 -2.17318504 -1.15273294", "H 0.18897261 3.77945225 -0.18897261",
      "H -0.18897261 2.26767135 -3.02356180", "H -0.18897261 -3.77945225 -0.18897261", "H 0.18897261 -2.26767135 -3.02356180"]),
    ("ethyne", "rhf", "6-31g*", 0, 1, "bohr", ["C 0 0 1.13383568", "C 0 0 -1.13383568", "H 0 0 3.14072482", "H 0 0 -3.14072482"]),
    ("water_cation", "uhf", "6-31g*", 1, 2, "bohr", ["O 0 0 0.22166487", "H 0 1.43090062 -0.88665950", "H 0 -1.43090062 -0.88665950"]),
]
CARTESIAN = re.compile(r"(6-31|3-21|sto)")  # d shells of these sets have six functions


def optimise(name, method, basis, charge, multiplicity, units, atoms, **options):
    """A case of the file: steps to Gaussian's criteria, and the energy there."""
    psi4.core.clean()
    psi4.core.clean_options()
    molecule = psi4.geometry(f"{charge} {multiplicity}\n" + "\n".join(atoms) + f"\nunits {units}\nsymmetry c1\n")
    psi4.set_options({"basis": basis, "reference": method, "scf_type": "pk", "df_scf_guess": False, "ints_tolerance": 1e-13, "e_convergence": 1e-10,
                      "d_convergence": 1e-8, "maxiter": 300, "puream": not CARTESIAN.match(basis), "g_convergence": "gau", "geom_maxiter": 100, **options})
    with contextlib.redirect_stdout(sys.stderr):  # Psi4's own messages
        energy, history = psi4.optimize("scf", molecule=molecule, return_history=True)
    return {"name": name, "method": method, "basis": basis, "cartesian": bool(CARTESIAN.match(basis)), "charge": charge, "multiplicity": multiplicity,
            "units": units, "start_geometry": atoms, "steps": len(history["energy"]), "found_energy": round(energy, 10)}, molecule


def minimum(case):
    found, molecule = optimise(*case)
    psi4.core.clean()
    psi4.set_options({"g_convergence": "gau_tight"})
    with contextlib.redirect_stdout(sys.stderr):
        found["total_energy"] = round(psi4.optimize("scf", molecule=molecule), 10)
    return found


def main():
    os.environ["PSIPATH"] = os.path.abspath(sys.argv[1])
    psi4.core.be_quiet()
    cases = []
    for case in CASES:
        try:
            cases.append(minimum(case))
            print(cases[-1]["name"], cases[-1]["steps"], cases[-1]["total_energy"], file=sys.stderr)
        except Exception as failure:  # Psi4 raises many kinds
            print(f"{case[0]}: left out: {failure}", file=sys.stderr)
    print(case_file.text_of("Minima of make_optimisations.py: Psi4's, hartree; steps: structures computed from the start to Gaussian's criteria, "
                            "where found_energy is the energy.", cases))


if __name__ == "__main__":
    main()
