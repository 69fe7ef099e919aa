#!/usr/bin/env python3
"""Usage: single_precision.py HF [MOST_FUNCTIONS]

Energies in single precision where that does (--precision auto), stored and computed anew, against those in double
precision throughout, tightly converged: for all reference cases up to so many basis functions, open shells and
nearly dependent basis sets included. They may differ by 1e-9 hartree, and both have to be those of the reference.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "regression"))
import comparison  # noqa: E402 # pylint: disable=wrong-import-position
import groups  # noqa: E402 # pylint: disable=wrong-import-position

FILES = ["energies", "open_shells", "hard", "basis_sets", "ecp", "environments", "variants"]
TOLERANCE = 1e-9  # hartree, of one precision from the other
TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-7", "--max-iterations", "300"]
WAYS = {"stored": [], "direct": ["--memory", "0"]}


def read_cases(most_functions):
    """(name of its file, case), small ones first."""
    found = []
    for name in FILES:
        with open(os.path.join(HERE, "..", "reference", name + ".json"), encoding="utf-8") as file:
            found += [(name, case) for case in json.load(file)["cases"] if case["basis_functions"] <= most_functions]
    return sorted(found, key=lambda entry: entry[1]["basis_functions"])


class Case:
    """A reference case and the folder of its files."""

    def __init__(self, program, case, folder):
        self.program, self.folder, self.case = program, folder, case
        self.input, self.options = groups.Run(case).write(folder, os.path.join(folder, "input.mol"))

    def run(self, *options):
        """(energy, iterations); None: it failed."""
        output = os.path.join(self.folder, "output.json")
        command = [self.program, self.input, "--json", output, *self.options, *TIGHT, *options]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode != 0:
            print(" ".join(command), done.stderr.strip(), sep="\n")
            return None
        with open(output, encoding="utf-8") as file:
            result = json.load(file)
        return result["properties"]["scf_total_energy"], result["properties"]["scf_iterations"]


def compare(one):
    """Lines that say what is wrong, and the largest difference of the precisions."""
    checkpoint = os.path.join(one.folder, "double.h5")
    exact = one.run("--precision", "double", "--checkpoint", checkpoint)
    if exact is None:
        return ["double: not converged"], 0.0
    expected, tolerance = comparison.expected_energy(one.case, exact[0], False)
    wrong = [] if abs(exact[0] - expected) <= max(tolerance, comparison.ENERGY_TOLERANCE) else [
        f"double: {exact[0]:.10f}, expected {expected:.10f}"]
    largest = 0.0
    words = [f"double {exact[0]:.10f} ({exact[1]} iterations)"]
    for way, options in WAYS.items():
        found = one.run(*options)
        if found is not None and abs(found[0] - exact[0]) > TOLERANCE:
            # another solution, or elsewhere in a direction that hardly costs energy: from the same orbitals, then
            words.append(f"{way} ended {found[0] - exact[0]:+.1e} away")
            found = one.run(*options, "--guess", checkpoint)
        if found is None:
            wrong.append(f"{way}: not converged")
            continue
        difference = found[0] - exact[0]
        largest = max(largest, abs(difference))
        words.append(f"{way} {difference:+.1e} ({found[1]})")
        if not abs(difference) <= TOLERANCE:
            wrong.append(f"{way}: {difference:.1e} hartree off")
    print("   ", ", ".join(words))
    return wrong, largest


def main():
    cases = read_cases(int(sys.argv[2]) if len(sys.argv) > 2 else 250)
    found, failed = [], []
    for file, case in cases:
        name = "/".join([file, case["name"], case["method"], case["basis"]])
        print(name, flush=True)
        with tempfile.TemporaryDirectory(prefix="hf-precision-") as folder:
            wrong, largest = compare(Case(sys.argv[1], case, folder))
        found.append((largest, name))
        for line in wrong:
            print("DIFFERS", line)
        if wrong:
            failed.append(name)
        sys.stdout.flush()
    print(f"{len(found)} cases; the largest differences of auto from double, hartree:")
    for largest, name in sorted(found, reverse=True)[:10]:
        print(f"  {largest:.1e} {name}")
    if failed:
        sys.exit("wrong: " + ", ".join(failed))


if __name__ == "__main__":
    main()
