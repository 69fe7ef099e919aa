#!/usr/bin/env python3
"""Runs hf on a reference case and compares all properties in its JSON file with those of another program.

Exit code 0: everything agrees; 1: something differs (each difference on a line of its own).
"""

import argparse
import sys
import tempfile

import run_case

TOLERANCE = 1e-6  # of everything but orbital energies of virtual orbitals, which are far from the gap
PRINTED = 6e-8  # half of the last digit of the references
TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-8"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--ranks", default="1")
    parser.add_argument("--hf", required=True)
    parser.add_argument("--reference", required=True, help="JSON file with the cases")
    parser.add_argument("--case", required=True)
    parser.add_argument("options", nargs="*", help="options of hf, after --")
    parsed = parser.parse_args()
    parsed.form, parsed.moved, parsed.inputs = "bohr", False, None
    parsed.options = TIGHT + parsed.options
    return parsed


def bond_matrix(bonds, kind, n_atom):
    matrix = [[0.0] * n_atom for _ in range(n_atom)]
    for bond in bonds:
        a, b = bond["atoms"]
        matrix[a][b] = matrix[b][a] = bond[kind]
    return matrix


def flat(value):
    return [number for part in value for number in flat(part)] if isinstance(value, list) else [value]


def found_properties(result, n_atom):
    """What the JSON file has, under the names of the references."""
    extras = result["extras"]["hf"]
    found = dict(extras["properties"])
    for name, kind in (("mayer_bond_orders", "mayer"), ("wiberg_loewdin_bond_orders", "wiberg_loewdin")):
        found[name] = bond_matrix(found["bond_orders"], kind, n_atom)
    found["orbital_energies_alpha"] = extras["scf"]["orbital_energies"]
    found["orbital_energies_beta"] = extras["scf"].get("orbital_energies_beta")
    return found


def differences(case, result):
    """Lines that say what differs; none when all agrees."""
    lines = run_case.differences(case, result["extras"]["hf"]["launch"]["ranks"], 0, result)
    found = found_properties(result, len(case["geometry_bohr"]))
    for name, expected in case["properties"].items():
        if name in ("order_of_moments", "mayer_bond_orders_total_density_only"):
            continue
        pairs = list(zip(flat(found[name]), flat(expected), strict=True))
        worst = max(abs(a - b) for a, b in pairs)
        print(f"{name}: {len(pairs)} numbers, off by {worst:.1e} at most")
        if not worst <= TOLERANCE + PRINTED:
            lines.append(f"{name}: off by {worst:.1e}")
    if abs(found["electrons"] - found["electrons_expected"]) > 1e-8:
        lines.append(f"{found['electrons']} electrons, expected {found['electrons_expected']}")
    second = result["properties"]["scf_quadrupole_moment"]
    if [second[i] for i in (0, 1, 2, 4, 5, 8)] != found["second_moments"]:
        lines.append("scf_quadrupole_moment is not the second moments")
    return lines


def main():
    arguments = parse_arguments()
    case = run_case.find_case(arguments.reference, arguments.case)
    with tempfile.TemporaryDirectory(prefix="hf-properties-") as folder:
        code, result = run_case.run(arguments, case, folder)
    lines = differences(case, result) if code == 0 else [f"exit code {code}"]
    for line in lines:
        print("DIFFERS", line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
