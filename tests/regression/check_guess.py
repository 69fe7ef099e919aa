#!/usr/bin/env python3
"""Begins calculations with orbitals of other ones: up a ladder of basis sets, and from fragments.

Every energy must be that from atoms, and no start may take more Fock builds than atoms do. Exit code 0: so it is; 1: it
is not (each difference on a line of its own).
"""

import os
import sys
import tempfile

import program_run

TOLERANCE = 1e-8  # hartree
TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-6"]
LADDER = ["STO-3G", "cc-pVDZ", "cc-pVTZ"]

WATER = """O -1.551007 -0.114520 0.000000
H -1.934259 0.762503 0.000000
H -0.599677 0.040712 0.000000
"""
OTHER_WATER = """O 1.350625 0.111469 0.000000
H 1.680398 -0.373741 -0.758561
H 1.680398 -0.373741 0.758561
"""
AMINO = """N -1.551007 -0.114520 0.000000
H -1.934259 0.762503 0.000000
H -0.599677 0.040712 0.000000
"""
# name: (method of the whole, charge, multiplicity, [(method, charge, multiplicity, atoms) of a fragment])
FRAGMENTS = {
    "two waters": ("rhf", 0, 1, [("rhf", 0, 1, WATER), ("rhf", 0, 1, OTHER_WATER)]),
    "amino radical and water, uhf": ("uhf", 0, 2, [("uhf", 0, 2, AMINO), ("rhf", 0, 1, OTHER_WATER)]),
    "amino radical and water, rohf": ("rohf", 0, 2, [("uhf", 0, 2, AMINO), ("rhf", 0, 1, OTHER_WATER)]),
    "two amino radicals and a cation": ("uhf", 1, 3, [("uhf", 0, 2, AMINO), ("rohf", 0, 2, OTHER_WATER.replace("O", "N")),
                                                      ("rhf", 1, 1, "Li 5.0 3.0 0.0\n")]),
}


def parse_arguments():
    parser = program_run.parser(__doc__)
    parser.add_argument("--case", action="append", choices=["ladder", *FRAGMENTS], help="may be repeated (default: all)")
    return parser.parse_args()


class Runs:
    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.found = arguments, folder, []

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, method, charge, multiplicity, atoms):
        """The path of an input file."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(f"method {method}\ncharge {charge}\nmultiplicity {multiplicity}\ngeometry\n{atoms}end\n")
        return self.path(name)

    def run(self, what, source, options):
        """(energy, Fock builds) of a run."""
        properties = program_run.result_of(self.arguments, self.path("output.json"), source, *TIGHT, *options)["properties"]
        print(f"{what}: {properties['scf_total_energy']:.10f} hartree, {properties['scf_iterations']} Fock builds")
        return properties["scf_total_energy"], properties["scf_iterations"]

    def compare(self, what, source, guess, options):
        energy, n_build = self.run(what + ", from atoms", source, [*options, "--checkpoint", "none"])
        other, n_other = self.run(what + ", from " + guess[0], source,
                                  [*options, "--guess", guess[1], "--checkpoint", self.path("last.h5")])
        if abs(other - energy) > TOLERANCE:
            self.found.append(f"{what}: {other:.10f} hartree from {guess[0]}, {energy:.10f} from atoms")
        if n_other > n_build:
            self.found.append(f"{what}: {n_other} Fock builds from {guess[0]}, {n_build} from atoms")

    def climb(self):
        source = self.write("water.mol", "rhf", 0, 1, WATER)
        last = self.path("last.h5")
        self.run(LADDER[0], source, ["--basis", LADDER[0], "--checkpoint", last])
        for lower, upper in zip(LADDER, LADDER[1:]):
            os.rename(last, self.path("lower.h5"))
            self.compare(upper, source, (lower, self.path("lower.h5")), ["--basis", upper])

    def join(self, name):
        method, charge, multiplicity, fragments = FRAGMENTS[name]
        kept = []
        for number, fragment in enumerate(fragments):
            kept.append(self.path(f"{number}.h5"))
            self.run(f"fragment {number + 1} of {name}", self.write(f"{number}.mol", *fragment),
                     ["--basis", "6-31G", "--checkpoint", kept[-1]])
        source = self.write("whole.mol", method, charge, multiplicity, "".join(atoms for *_, atoms in fragments))
        for basis in ("6-31G", "cc-pVDZ"):
            self.compare(f"{name} in {basis}", source, ("fragments", ",".join(kept)), ["--basis", basis])


def main():
    with tempfile.TemporaryDirectory(prefix="hf-guess-") as folder:
        arguments = parse_arguments()
        runs = Runs(arguments, folder)
        for name in arguments.case or ["ladder", *FRAGMENTS]:
            if name == "ladder":
                runs.climb()
            else:
                runs.join(name)
    print("\n".join(runs.found))
    return 1 if runs.found else 0


if __name__ == "__main__":
    sys.exit(main())
