#!/usr/bin/env python3
"""The worked example of the README is what hf prints: every line of its sections on the molecule, the
basis set and the settings, and the energy to 1e-8 hartree.

Usage: test_example.py HF README INPUT
"""

import re
import subprocess
import sys

SECTIONS = ("Molecule", "Basis set", "Settings")


def lines_of_sections(text):
    lines, inside = [], False
    for line in text.splitlines():
        if line and not line.startswith(" "):
            inside = line in SECTIONS
        if inside and line.strip() and not line.lstrip().startswith("Read from"):
            lines.append(line)
    return lines


def total_energy(text):
    return float(re.search(r"^Total energy (\S+) hartree, converged", text, re.MULTILINE)[1])


def main():
    hf, readme, path = sys.argv[1:]
    with open(readme, encoding="utf-8") as file:
        example = re.search(r"```text\n(.*?)```", file.read(), re.DOTALL)[1]
    real = subprocess.run([hf, path], stdin=subprocess.DEVNULL, check=True, capture_output=True,
                          text=True).stdout
    missing = [line for line in lines_of_sections(example) if line not in real.splitlines()]
    for line in missing:
        print(f"the README shows a line that hf does not print: {line}")
    difference = abs(total_energy(example) - total_energy(real))
    print(f"energies differ by {difference:.1e} hartree")
    return 1 if missing or difference > 1e-8 else 0


if __name__ == "__main__":
    sys.exit(main())
