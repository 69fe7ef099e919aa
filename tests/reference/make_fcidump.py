#!/usr/bin/env python3
"""Energies of the SCF, MP2 and full CI by Psi4, with which tests/cli/test_fcidump.py compares what it computes from FCIDUMP files.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_fcidump.py > tests/reference/fcidump.json

Needs the Debian package psi4. Full CI of open shells begins with ROHF orbitals; of all orbitals it is also that of UHF.
"""

import case_file
import psi4

WATER = ["O 0 0 0.22166487", "H 0 1.43090062 -0.88665950", "H 0 -1.43090062 -0.88665950"]
AMINO = ["N 0 0 0.2", "H 0 1.5 -0.9", "H 0.1 -1.5 -1.0"]
# name, method, basis, charge, multiplicity, frozen core, frozen virtual orbitals, atoms in bohr
CASES = [("hydrogen_four", "rhf", "6-31G", 0, 1, 0, 0, ["H 0 0 0", "H 0 0 1.7", "H 2.1 0 0", "H 2.1 0.4 1.9"]),
         ("hydride", "rhf", "cc-pVDZ", 1, 1, 0, 0, ["He 0 0 0", "H 0 0 1.46"]),
         ("water", "rhf", "STO-3G", 0, 1, 1, 0, WATER),
         ("water_window", "rhf", "6-31G", 0, 1, 1, 6, WATER),
         ("amino", "rohf", "STO-3G", 0, 2, 1, 0, AMINO),
         ("amino_all", "uhf", "STO-3G", 0, 2, 0, 0, AMINO),
         ("amino_core", "uhf", "STO-3G", 0, 2, 1, 0, AMINO)]
NAMES = ("name", "method", "basis", "charge", "multiplicity", "frozen_core", "frozen_virtuals", "geometry_bohr")


def energy(case, method, reference):
    psi4.core.clean()
    psi4.core.clean_options()
    psi4.core.be_quiet()
    molecule = psi4.geometry("\n".join([f"{case[3]} {case[4]}", *case[7], "units bohr", "symmetry c1", "no_reorient", "no_com"]))
    psi4.set_options({"basis": case[2], "reference": reference, "scf_type": "pk", "mp2_type": "conv", "ints_tolerance": 1e-15,
                      "num_frozen_docc": case[5], "frozen_uocc": [case[6]], "puream": case[2].startswith("cc"),
                      "e_convergence": 1e-11, "d_convergence": 1e-10, "r_convergence": 1e-8})
    return psi4.energy(method, molecule=molecule)


def described(case):
    result = {**dict(zip(NAMES, case)), "scf": energy(case, "scf", case[1])}
    if case[1] != "rohf" and case[6] == 0:  # Psi4 cannot freeze virtual orbitals in MP2
        result["mp2"] = energy(case, "mp2", case[1])
    if case[1] != "uhf" or case[5] + case[6] == 0:
        result["fci"] = energy(case, "fci", "rohf" if case[1] == "uhf" else case[1])
    return result


print(case_file.text_of("Total energies in hartree by Psi4 1.3.2, all written by tests/reference/make_fcidump.py.", list(map(described, CASES))))
