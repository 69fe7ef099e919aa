#!/usr/bin/env python3
"""Gradients and dipole moments of MP2 energies by Psi4 and NWChem: what hf's are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_mp2_gradients.py basis > tests/reference/mp2_gradients_more.json

Needs the Debian packages psi4 and nwchem. Both read hf's own basis-set files. All electrons: analytic gradients of Psi4, confirmed with
NWChem to 2e-6. Frozen cores: analytic gradients of NWChem, which have six digits. Core potentials and point charges: Psi4 has
energies alone, and the gradient is five-point central differences of them. Dipole moments are such differences by a field.
Occupations of natural orbitals, of each spin if there are two, are those of NWChem, which have four digits; with frozen cores NWChem
shows 2.0000 for each core orbital, as if its natural orbitals did not mix them with the others, and they are left out.
"""

import os
import re
import sys

import numpy
import psi4

import case_file
import make_gradients

# name, method, basis, charge, multiplicity, frozen core, atoms in bohr, point charges (q, x, y, z) in bohr
CASES = [
    ("fluoride_water", "mp2", "6-31+g*", -1, 1, "none", ["F 0 0 4.6", "O 0 0.1 0", "H 0 0.3 1.9", "H 0 1.75 -0.55"], []),
    ("fluoride_water", "mp2", "6-31+g*", -1, 1, "default", ["F 0 0 4.6", "O 0 0.1 0", "H 0 0.3 1.9", "H 0 1.75 -0.55"], []),
    ("lithium_hydride", "mp2", "aug-cc-pvdz", 0, 1, "none", ["Li 0 0 0", "H 0.1 -0.2 3.1"], []),
    ("water", "mp2", "cc-pvtz", 0, 1, "none", ["O 0 0 0.2", "H 0 1.5 -0.9", "H 0.1 -1.4 -1.0"], []),
    ("oxonium", "mp2", "cc-pvdz", 1, 1, "none", ["O 0 0 0.1", "H 1.8 0.1 -0.4", "H -0.9 1.6 -0.5", "H -0.9 -1.5 -0.45"], []),
    ("hydrogen_sulfide", "mp2", "def2-tzvp", 0, 1, "default", ["S 0 0 0.2", "H 0 1.85 -1.6", "H 0.1 -1.80 -1.65"], []),
    ("manganese_hydride", "ump2", "def2-svp", 0, 7, "none", ["Mn 0 0 0", "H 0.1 0.2 3.4"], []),
    ("hydroxyl", "ump2", "cc-pvtz", 0, 2, "none", ["O 0 0 0.1", "H 0.2 0.1 1.95"], []),
    ("methylene", "ump2", "6-311++g**", 0, 3, "none", ["C 0 0 0.2", "H 0 1.9 -0.6", "H 0.1 -1.8 -0.7"], []),
    ("superoxide", "ump2", "aug-cc-pvdz", -1, 2, "none", ["O 0 0 0", "O 0.1 0.2 2.55"], []),
    ("methylene", "ump2", "6-311++g**", 0, 3, "default", ["C 0 0 0.2", "H 0 1.9 -0.6", "H 0.1 -1.8 -0.7"], []),
    ("silver_hydride", "mp2", "def2-svp", 0, 1, "none", ["Ag 0 0 0", "H 0.1 0.2 3.0"], []),
    ("water_charges", "mp2", "6-31g*", 0, 1, "none", ["O 0 0 0.2", "H 0 1.5 -0.9", "H 0.1 -1.4 -1.0"],
     [[0.7, 0.0, 4.0, 0.5], [-0.4, 3.0, -2.0, 1.0]]),
]
STEP = 5e-3  # bohr
GRADIENTS_DIFFER = 2e-6


def five_points(energy, step=STEP):
    near, far = (energy(length) - energy(-length) for length in (step, 2 * step))
    return (8 * near - far) / (12 * step)


def moved(rows, i, x, length):
    """The rows with coordinate x, counted from the last three numbers, of row i moved."""
    words = [str(row).split() if isinstance(row, str) else list(row) for row in rows]
    words[i][1 + x] = float(words[i][1 + x]) + length
    return [" ".join(map(str, row)) for row in words] if isinstance(rows[0], str) else words


def prepare_psi4(case, atoms, charges, field):
    _, method, basis, charge, multiplicity, frozen = case[:6]
    psi4.core.clean()
    psi4.core.clean_options()
    psi4.core.be_quiet()
    molecule = psi4.geometry(f"{charge} {multiplicity}\n" + "\n".join(atoms) + "\nunits bohr\nsymmetry c1\nno_com\nno_reorient\n")
    psi4.set_options({"basis": basis, "reference": "uhf" if method == "ump2" else "rhf", "scf_type": "pk", "mp2_type": "conv",
                      "freeze_core": frozen == "default", "df_scf_guess": False, "ints_tolerance": 1e-15, "e_convergence": 1e-12,
                      "d_convergence": 1e-10, "r_convergence": 1e-9, "maxiter": 300, "guess": "sad",
                      "puream": not make_gradients.CARTESIAN.match(basis)})
    if any(field):
        psi4.set_options({"perturb_h": True, "perturb_with": "dipole", "perturb_dipole": field})
    outside = psi4.core.ExternalPotential()
    for q, *place in charges:
        outside.addCharge(q, *place)
    psi4.core.set_global_option_python("EXTERN", outside if charges else None)
    return molecule


def energy_of_psi4(case, atoms=None, charges=None, field=(0.0, 0.0, 0.0)):
    molecule = prepare_psi4(case, atoms or case[6], charges or case[7], list(field))
    psi4.energy("mp2", molecule=molecule)
    return psi4.variable("MP2 TOTAL ENERGY")


def dipole_of(case):
    """Slope of the energy by a field."""
    return [round(five_points(lambda length, x=x: energy_of_psi4(case, field=[length * (y == x) for y in range(3)]), 2e-3), 8) for x in range(3)]


def differences(rows, energy):
    """d energy(rows) / d each coordinate."""
    return [[five_points(lambda length, i=i, x=x: energy(moved(rows, i, x, length))) for x in range(3)] for i in range(len(rows))]


def of_psi4(case, core):
    """(energy, gradient of atoms, gradient of charges, how)."""
    atoms, charges = case[6:]
    if not core and not charges and case[5] == "none":
        gradient = psi4.gradient("mp2", molecule=prepare_psi4(case, atoms, charges, [0.0] * 3))
        return psi4.variable("MP2 TOTAL ENERGY"), numpy.array(gradient).tolist(), None, "psi4, analytic"
    energy = energy_of_psi4(case)
    if case[5] == "default":
        return energy, None, None, None
    gradient = differences(atoms, lambda rows: energy_of_psi4(case, atoms=rows))
    on_charges = differences(charges, lambda rows: energy_of_psi4(case, charges=rows)) if charges else None
    return energy, gradient, on_charges, "psi4, differences of energies"


def of_nwchem(folder, case):
    name, method, basis, charge, multiplicity, frozen, atoms, _ = case
    output, gradient, core = make_gradients.run_nwchem(
        folder, (name, basis, charge, atoms),
        [*make_gradients.scf_of_nwchem("uhf" if method == "ump2" else "rhf", multiplicity),
         "mp2", *(["freeze atomic"] if frozen == "default" else []), "tight", "end", "task mp2 gradient"])
    energy = re.findall(r"Total MP2 energy\s+(\S+)", output)
    if not energy or not gradient:
        print(f"{name}: NWChem says\n{output[-1500:]}", file=sys.stderr)
        return None, None, None, core
    natural = re.findall(r"natural orbital occupation numbers\s+1\s*\n((?: +\d+ +-?\d\.\d+\n)+)", output)
    return float(energy[-1]), gradient, [[float(word) for word in spin.split()[1::2]] for spin in natural], core


def compute(folder, case):
    other_energy, other, natural, core = of_nwchem(folder, case) if not case[7] else (None, None, None, False)
    energy, gradient, on_charges, how = of_psi4(case, core)
    programs = [how] if how else []
    difference = abs(numpy.array(gradient) - other).max() if gradient and other else None
    print(case[0], case[5], energy, other_energy and energy - other_energy, difference, file=sys.stderr, flush=True)
    if other is not None:
        programs.append("nwchem, analytic")
        if abs(energy - other_energy) > 1e-8 or (gradient and difference > GRADIENTS_DIFFER):
            print(f"{case[0]}: left out, the programs differ", file=sys.stderr)
            return None
    if not programs:
        return None
    described = dict(zip(("name", "method", "basis", "charge", "multiplicity", "frozen_core", "geometry_bohr"), case))
    described["cartesian"] = bool(make_gradients.CARTESIAN.match(case[2]))
    described["total_energy"] = round(energy, 10)
    described["gradient"] = numpy.round(gradient or other, 9).tolist()
    if case[7]:
        described["point_charges"] = case[7]
        described["gradient_of_charges"] = numpy.round(on_charges, 9).tolist()
    else:
        described["dipole"] = dipole_of(case)
    if natural and case[5] == "none":
        described["natural_occupations"] = natural
    return {**described, "programs": programs}


def main():
    folder = os.path.abspath(sys.argv[1])
    os.environ["PSIPATH"] = folder
    cases = [compute(folder, case) for case in CASES]
    print(case_file.text_of("Gradients and dipole moments of make_mp2_gradients.py, hartree/bohr and e bohr.",
                            [case for case in cases if case]))


if __name__ == "__main__":
    main()
