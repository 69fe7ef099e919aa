#!/usr/bin/env python3
"""Frequencies, intensities and thermochemistry of Psi4's analytic Hessians: what hf's are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_vibrations.py basis > tests/reference/vibrations.json

Needs the Debian package psi4, which reads hf's own basis-set files. Geometries are optimised first, to a largest force of about
1e-6 hartree/bohr; a saddle point has the symmetry that it starts with.
"""

import contextlib
import os
import re
import sys

import numpy
import psi4

import case_file

# name, basis, charge, atoms in angstrom, with isotopes as Psi4 writes them
CASES = [
    ("water", "cc-pvdz", 0, ["O 0 0 0.117", "H 0 0.75 -0.47", "H 0 -0.75 -0.47"]),
    ("heavy_water", "6-31g*", 0, ["O 0 0 0.117", "H@2.01410177812 0 0.75 -0.47", "H@2.01410177812 0 -0.75 -0.47"]),
    ("ammonia", "cc-pvdz", 0, ["N 0 0 0.1", "H 0 0.94 -0.27", "H 0.814063879556 -0.47 -0.27", "H -0.814063879556 -0.47 -0.27"]),
    ("planar_ammonia", "6-31g*", 0, ["N 0 0 0", "H 0 1.0 0", "H 0.8660254037844386 -0.5 0", "H -0.8660254037844386 -0.5 0"]),
    ("formaldehyde", "def2-svp", 0, ["C 0 0 -0.53", "O 0 0 0.66", "H 0 0.93 -1.11", "H 0 -0.93 -1.11"]),
    ("hydrogen_cyanide", "6-311g*", 0, ["H 0 0 -1.57", "C 0 0 -0.5", "N 0 0 0.64"]),
    ("carbon_dioxide", "6-31g*", 0, ["C 0 0 0", "O 0 0 1.15", "O 0 0 -1.15"]),
    ("hydrogen_peroxide", "def2-svp", 0, ["O 0 0.69 -0.05", "O 0 -0.69 -0.05", "H 0.8 0.88 0.4", "H -0.8 -0.88 0.4"]),
    ("methane", "cc-pvdz", 0, ["C 0 0 0", "H 0.63 0.63 0.63", "H -0.63 -0.63 0.63", "H 0.63 -0.63 -0.63", "H -0.63 0.63 -0.63"]),
    ("ethene", "sto-3g", 0, ["C 0 0 0.66", "C 0 0 -0.66", "H 0 0.92 1.23", "H 0 -0.92 1.23", "H 0 0.92 -1.23", "H 0 -0.92 -1.23"]),
    ("hydroxide_water", "6-31g*", -1, ["O 0 0 1.25", "H 0.5 0.6 1.8", "H 0 0.1 0.1", "O 0 0 -1.2", "H 0.2 -0.7 -1.7"]),
    ("silane", "6-31g*", 0, ["Si 0 0 0", "H 0.85 0.85 0.85", "H -0.85 -0.85 0.85", "H 0.85 -0.85 -0.85", "H -0.85 0.85 -0.85"]),
]
CARTESIAN = re.compile(r"6-31[+g]")  # d shells of these sets have six functions


def compute(name, basis, charge, atoms):
    psi4.core.clean()
    psi4.core.clean_options()
    psi4.core.be_quiet()
    psi4.set_options({"basis": basis, "scf_type": "pk", "df_scf_guess": False, "ints_tolerance": 1e-14, "e_convergence": 1e-11,
                      "d_convergence": 1e-10, "puream": not CARTESIAN.match(basis), "g_convergence": "gau_verytight", "geom_maxiter": 100})
    molecule = psi4.geometry(f"{charge} 1\n" + "\n".join(atoms))
    psi4.optimize("scf", molecule=molecule)
    _, wave = psi4.frequency("scf", molecule=molecule, return_wfn=True)
    modes = wave.frequency_analysis
    vibrations = [i for i, kind in enumerate(modes["TRV"].data) if kind == "V"]
    frequency = [(modes["omega"].data[i].real - modes["omega"].data[i].imag) for i in vibrations]
    number = {key: wave.molecule().rotational_symmetry_number() for key in ["symmetry_number"]}
    values = psi4.core.variables()
    return {"name": name, "basis": basis, "charge": charge,
            "atoms": [[molecule.symbol(i).capitalize(), round(molecule.mass(i), 8)] for i in range(molecule.natom())],
            "geometry_bohr": numpy.round(numpy.array(molecule.geometry()), 10).tolist(), "total_energy": round(values["CURRENT ENERGY"], 10),
            "frequencies": [round(x, 4) for x in frequency],
            "intensities": [round(float(modes["IR_intensity"].data[i]), 5) for i in vibrations],
            "reduced_masses": [round(float(modes["mu"].data[i]), 6) for i in vibrations],
            "zero_point_energy": round(values["ZPVE"], 9), "enthalpy": round(values["ENTHALPY CORRECTION"], 9),
            "gibbs_energy": round(values["GIBBS FREE ENERGY CORRECTION"], 9), **number}


def main():
    os.environ["PSIPATH"] = os.path.abspath(sys.argv[1])
    cases = []
    for case in CASES:
        try:
            with contextlib.redirect_stdout(sys.stderr):  # Psi4's own messages
                cases.append(compute(*case))
            print(cases[-1]["name"], cases[-1]["frequencies"], cases[-1]["symmetry_number"], file=sys.stderr)
        except Exception as failure:  # Psi4 raises many kinds
            print(f"{case[0]}: left out: {failure}", file=sys.stderr)
    print(case_file.text_of("Vibrations of make_vibrations.py: Psi4's RHF at 298.15 K and 101325 Pa; 1/cm (imaginary ones negative), km/mol, mass "
                            "units, hartree.", cases))


main()
