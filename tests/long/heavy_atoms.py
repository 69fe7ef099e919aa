#!/usr/bin/env python3
"""Usage: heavy_atoms.py HF

Closed shells of all elements that have a core potential in def2-SVP and def2-QZVPP: every one of them converges from
the superposition of atomic densities. (That the numbers are right other tests say, with references.)
"""
import os
import subprocess
import sys
import tempfile

SYMBOLS = """Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At
Rn""".split()
# Charges that leave closed subshells: none in d up to Pd, ten behind it, and s or p as fits.
D_BLOCK = {"Zr": 4, "Nb": 5, "Mo": 6, "Tc": 7, "Ru": 8, "Rh": 9, "Hf": 4, "Ta": 5, "W": 6, "Re": 7, "Os": 8, "Ir": 9}
CHARGES = {"Rb": 1, "Cs": 1, "Sr": 2, "Ba": 2, "Y": 3, "La": 3, "Pd": 0, "Pt": 0, "Ag": 1, "Au": 1, "Cd": 0, "Hg": 0,
           "In": 1, "Tl": 1, "Sn": 2, "Pb": 2, "Sb": 3, "Bi": 3, "Te": -2, "Po": -2, "I": -1, "At": -1, "Xe": 0, "Rn": 0,
           **D_BLOCK}


def run(program, symbol, basis, folder):
    path = os.path.join(folder, symbol + ".xyz")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"1\ncharge={CHARGES[symbol]} multiplicity=1\n{symbol} 0 0 0\n")
    done = subprocess.run([program, path, "--method", "rhf", "--basis", basis], capture_output=True, text=True, check=False)
    last = done.stdout.strip().split("\n")[-1]
    print(f"{symbol:2} {CHARGES[symbol]:+d} {basis:10} {last}")
    return done.returncode == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        failed = [f"{symbol} {basis}" for symbol in SYMBOLS for basis in ("def2-SVP", "def2-QZVPP")
                  if not run(sys.argv[1], symbol, basis, folder)]
    if failed:
        sys.exit("not converged: " + ", ".join(failed))


if __name__ == "__main__":
    main()
