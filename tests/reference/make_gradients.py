#!/usr/bin/env python3
"""Analytic Hartree-Fock gradients of Psi4 and NWChem: what hf's are compared with.

    export PYTHONPATH=/usr/lib/x86_64-linux-gnu
    /usr/bin/python3 tests/reference/make_gradients.py basis > tests/reference/gradients.json

Needs the Debian packages psi4 and nwchem. Both read hf's own basis-set files. A gradient is stored when the programs agree
to 1e-8 hartree/bohr and 1e-9 hartree; of a core potential Psi4 has no derivatives, and the gradient is that of NWChem alone.
"""

import os
import re
import subprocess
import sys
import tempfile

import numpy
import psi4

import case_file

# name, method, basis, charge, multiplicity, atoms in bohr
CASES = [
    ("amino", "uhf", "cc-pvtz", 0, 2, ["N 0.01889726 0.03779452 0.18897261", "H 0 1.56847268 -1.03934937", "H 0.03779452 -1.49288364 -1.09604115"]),
    ("ammonia", "rhf", "cc-pvdz", 0, 1, ["N 0 0 0.25", "H 0.1 1.80 -0.50", "H 1.50 -0.90 -0.52", "H -1.56 -0.88 -0.49"]),
    ("methyl", "uhf", "6-31g*", 0, 2, ["C 0 0 0.1", "H 0 2.05 0", "H 1.8 -1.0 0.1", "H -1.75 -1.05 -0.1"]),
    ("formaldehyde", "rhf", "aug-cc-pvdz", 0, 1, ["C 0 0 -1.0", "O 0.05 0 1.30", "H 0 1.75 -2.15", "H 0.03 -1.80 -2.10"]),
    ("hydroxyl", "rohf", "cc-pvtz", 0, 2, ["O 0 0 0.1", "H 0.2 0.1 1.95"]),
    ("oxygen", "rohf", "cc-pvdz", 0, 3, ["O 0 0 0", "O 0.1 0.2 2.35"]),
    ("hydrogen_peroxide", "rhf", "6-311g*", 0, 1, ["O 0 0 1.3", "O 0.1 0 -1.4", "H 0 1.7 1.8", "H 1.6 -0.5 -1.9"]),
    ("silylene", "rhf", "cc-pvtz", 0, 1, ["Si 0 0 0.1", "H 0 2.1 -1.9", "H 0.1 -2.0 -2.0"]),
    ("hydrogen_sulfide", "rhf", "def2-tzvp", 0, 1, ["S 0 0 0.2", "H 0 1.85 -1.6", "H 0.1 -1.80 -1.65"]),
    ("water", "rhf", "cc-pvqz", 0, 1, ["O 0 0 0.2", "H 0 1.5 -0.9", "H 0.1 -1.4 -1.0"]),
    ("lithium_hydride", "rhf", "aug-cc-pvtz", 0, 1, ["Li 0 0 0", "H 0.1 -0.2 3.1"]),
    ("copper_hydride", "rhf", "def2-svp", 0, 1, ["Cu 0 0 0", "H 0.1 0.2 2.9"]),
    ("scandium_fluoride", "rhf", "def2-svp", 0, 1, ["Sc 0 0 0", "F 0.2 0.1 3.4"]),
    ("manganese_hydride", "uhf", "def2-svp", 0, 7, ["Mn 0 0 0", "H 0.1 0.2 3.4"]),
    ("boron_fluoride", "rhf", "def2-qzvp", 0, 1, ["B 0 0 0", "F 0.3 0.1 2.4"]),
    ("silver_hydride", "rhf", "def2-svp", 0, 1, ["Ag 0 0 0", "H 0.1 0.2 3.0"]),
    ("iodomethyl", "uhf", "def2-svp", 0, 2, ["C 0 0 0", "I 0.1 0 4.0", "H 1.8 0.3 -0.8", "H -1.7 0.2 -0.9"]),
    ("tin_hydride", "rhf", "def2-tzvp", 0, 1, ["Sn 0 0 0", "H 0 2.3 2.4", "H 0.2 -2.4 2.3"]),
    ("ethene", "rhf", "6-31++g**", 0, 1, ["C 0 0 1.25", "C 0.1 0 -1.3", "H 0 1.75 2.3", "H 0 -1.7 2.4", "H 0.2 1.8 -2.3", "H -0.1 -1.7 -2.35"]),
    ("methylene", "rohf", "6-311++g**", 0, 3, ["C 0 0 0.2", "H 0 1.9 -0.6", "H 0.1 -1.8 -0.7"]),
    ("fluoride_water", "rhf", "6-31+g*", -1, 1, ["F 0 0 4.6", "O 0 0.1 0", "H 0 0.3 1.9", "H 0 1.75 -0.55"]),
]
CARTESIAN = re.compile(r"6-31[+g]")  # d shells of these sets have six functions


def shells_of(folder, basis, symbol):
    """Blocks of a Gaussian-94 file of an element: shells, and the core potential."""
    name = basis.replace("+", "p").replace("*", "s")
    with open(os.path.join(folder, name + ".gbs"), encoding="utf-8") as file:
        blocks = file.read().split("****")
    own = [block.strip().split("\n") for block in blocks]
    return [lines for lines in own if lines and lines[0].split()[:1] and lines[0].split()[0].lower() == symbol.lower()]


def nwchem_basis(folder, basis, symbols):
    shells, cores = [], []
    for symbol in sorted(set(symbols)):
        for lines in shells_of(folder, basis, symbol):
            i = 1
            while i < len(lines) and re.match(r"[A-Za-z]+\s+\d", lines[i]):
                kind, n = lines[i].split()[:2]
                shells.append(f"{symbol} {kind}")
                shells += [line.replace("D", "E") for line in lines[i + 1:i + 1 + int(n)]]
                i += 1 + int(n)
    with open(os.path.join(folder, basis.replace("+", "p").replace("*", "s") + ".gbs"), encoding="utf-8") as file:
        text = file.read()
    for symbol in sorted(set(symbols)):
        found = re.search(rf"^{symbol}-ECP\s+(\d+)\s+(\d+)\s*\n((?:.*\n)*?)(?=^[A-Z][A-Za-z]?-ECP|^[A-Z][a-z]? |^\*|\Z)", text, re.M | re.I)
        if not found:
            continue
        cores.append(f"{symbol} nelec {found.group(2)}")
        lines = [line for line in found.group(3).split("\n") if line.strip()]
        i, part = 0, 0
        while i < len(lines) and re.search(r"potential", lines[i], re.I):
            n = int(lines[i + 1])
            cores.append(f"{symbol} {'ul' if part == 0 else 'spdfgh'[part - 1]}")
            cores += lines[i + 2:i + 2 + n]
            i, part = i + 2 + n, part + 1
    return shells, cores


def run_nwchem(folder, case, tasks):
    """(output, gradient or None, are there core potentials) of a case (name, basis, charge, atoms) and what follows its basis."""
    name, basis, charge, atoms = case
    kind = "cartesian" if CARTESIAN.match(basis) else "spherical"
    shells, cores = nwchem_basis(folder, basis, [atom.split()[0] for atom in atoms])
    text = [f"start {name}", f"charge {charge}", "geometry units bohr noautosym nocenter noautoz", *atoms, "end",
            f"basis {kind} noprint", *shells, "end", *(["ecp", *cores, "end"] if cores else []), *tasks]
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "input.nw")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
        output = subprocess.run(["nwchem", path], cwd=place, capture_output=True, text=True, check=False,
                                env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")).stdout
    table = re.search(r"ENERGY GRADIENTS\s*\n\s*\n[^\n]*\n[^\n]*\n((?: +\d+ [^\n]*\n)+)", output)
    gradient = table and [[float(x) for x in line.split()[5:8]] for line in table.group(1).strip().split("\n")]
    return output, gradient, bool(cores)


def scf_of_nwchem(method, multiplicity):
    return ["scf", method, f"nopen {multiplicity - 1}", "thresh 1e-9", "tol2e 1e-15", "maxiter 200", "direct", "end", "set lindep:n_dep 0"]


def of_nwchem(folder, case):
    name, method, basis, charge, multiplicity, atoms = case
    output, gradient, core = run_nwchem(folder, (name, basis, charge, atoms),
                                        [*scf_of_nwchem(method, multiplicity), "task scf gradient"])
    energy = re.findall(r"Total SCF energy =\s+(\S+)", output)
    if not energy or not gradient:
        sys.exit(f"{name}: NWChem says\n{output[-3000:]}")
    return float(energy[-1]), gradient, core


def of_psi4(case, gradient):
    name, method, basis, charge, multiplicity, atoms = case
    psi4.core.clean()
    psi4.core.clean_options()
    psi4.core.be_quiet()
    molecule = psi4.geometry(f"{charge} {multiplicity}\n" + "\n".join(atoms) + "\nunits bohr\nsymmetry c1\nno_com\nno_reorient\n")
    psi4.set_options({"basis": basis, "reference": method, "scf_type": "pk", "df_scf_guess": False, "ints_tolerance": 1e-15,
                      "e_convergence": 1e-11, "d_convergence": 1e-9, "maxiter": 300, "puream": not CARTESIAN.match(basis), "guess": "sad"})
    result, wave = (psi4.gradient if gradient else psi4.energy)("scf", molecule=molecule, return_wfn=True)
    described = {"basis_functions": wave.basisset().nbf(), "nuclear_repulsion_energy": round(molecule.nuclear_repulsion_energy(), 10),
                 "total_energy": round(wave.energy(), 10)}
    return described, numpy.array(result).tolist() if gradient else None


def main():
    folder = os.path.abspath(sys.argv[1])
    os.environ["PSIPATH"] = folder
    cases = []
    for case in CASES:
        energy, gradient, core = of_nwchem(folder, case)
        try:
            described, other = of_psi4(case, not core)
        except psi4.SCFConvergenceError:
            print(f"{case[0]}: left out, Psi4 does not converge", file=sys.stderr)
            continue
        other_energy = described["total_energy"]
        difference = abs(numpy.array(gradient) - other).max() if other else None
        print(case[0], energy, energy - other_energy, difference, file=sys.stderr)
        if abs(energy - other_energy) > 1e-8 or (other and difference > 2e-6):
            print(f"{case[0]}: left out, the programs differ", file=sys.stderr)
            continue
        cases.append(dict(zip(("name", "method", "basis", "charge", "multiplicity", "geometry_bohr"), case),
                          **described, gradient=[[round(x, 9) for x in row] for row in other or gradient],
                          programs=["psi4", "nwchem"] if other else ["nwchem"]))
    print(case_file.text_of("Gradients of make_gradients.py, hartree/bohr: those of Psi4, or of NWChem (six digits) where that is the "
                            "only one.", cases))


if __name__ == "__main__":
    main()
