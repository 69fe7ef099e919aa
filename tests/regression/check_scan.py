#!/usr/bin/env python3
"""Runs hf at the distances of a scan, each by itself, and checks that the energies make a curve without a jump.

Every energy must be that of the reference, of another known solution there, or lower; the difference to the
reference, which is smooth, may not jump from one distance to the next. Exit code 0: so it is; 1: it is not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import geometry

TOLERANCE = 1e-6  # hartree
LARGEST_JUMP = 2e-3  # hartree between neighbours: different orientations of the atoms' open shells differ by less
MOST_ITERATIONS = 60


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hf", required=True)
    parser.add_argument("--reference", required=True, help="JSON file with the scans")
    parser.add_argument("--scan", required=True, help="NAME/METHOD of the scan")
    parser.add_argument("options", nargs="*", help="options of hf, after --")
    return parser.parse_args()


def find_scan(path, name):
    with open(path, encoding="utf-8") as file:
        scans = json.load(file)["scans"]
    found = [scan for scan in scans if name == scan["name"] + "/" + scan["method"]]
    if len(found) != 1:
        sys.exit(f"{path}: {len(found)} scans are called {name}, expected 1")
    return found[0]


def run(arguments, scan, distance, folder):
    """(energy or None, iterations)"""
    case = {"name": scan["name"], "method": scan["method"], "basis": scan["basis"], "charge": 0, "multiplicity": 1}
    atoms = [(scan["atoms"][0], [0.0, 0.0, 0.0]),
             (scan["atoms"][1], [0.0, 0.0, distance / geometry.BOHR_IN_ANGSTROM])]
    path, output = os.path.join(folder, "input.mol"), os.path.join(folder, "output.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(geometry.native(case, atoms, "bohr"))
    command = [arguments.hf, path, "--json", output] + arguments.options
    code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False).returncode
    if code != 0:
        return None, 0
    with open(output, encoding="utf-8") as file:
        properties = json.load(file)["properties"]
    return properties["scf_total_energy"], properties["scf_iterations"]


def differences(scan, energies):
    """Lines that say where the curve is not what it should be."""
    found, before = [], 0.0
    for i, energy in enumerate(energies):
        where = f"{scan['distances_angstrom'][i]} angstrom"
        if energy is None:
            found.append(f"{where}: not converged")
            continue
        off = energy - scan["energies"][i]
        known = [scan["energies"][i]] + scan["other_solutions"][i]
        if not (off < TOLERANCE or min(abs(energy - other) for other in known) < TOLERANCE):
            found.append(f"{where}: {energy:.9f}, expected one of {known}")
        if abs(off - before) > LARGEST_JUMP:
            found.append(f"{where}: off the curve by {off:.6f} hartree, {before:.6f} at the distance before")
        before = off
    return found


def main():
    arguments = parse_arguments()
    scan = find_scan(arguments.reference, arguments.scan)
    energies = []
    found = []
    with tempfile.TemporaryDirectory(prefix="hf-scan-") as folder:
        for distance in scan["distances_angstrom"]:
            energy, iterations = run(arguments, scan, distance, folder)
            energies.append(energy)
            print(distance, energy, iterations, flush=True)
            if iterations > MOST_ITERATIONS and "follow" not in arguments.options:
                found.append(f"{distance} angstrom: {iterations} iterations, expected at most {MOST_ITERATIONS}")
    found += differences(scan, energies)
    for line in found:
        print("DIFFERS", line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
