#!/usr/bin/env python3
"""MP2 as users see it: report, --check, JSON, restart, the same bits, and what is refused.

Usage: test_mp2.py HF MPIEXEC RANKS INPUTS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
check, run = TEST.check, TEST.run
WATER, OXYGEN, URACIL = (os.path.join(sys.argv[4], name + ".mol") for name in ("water", "oxygen", "uracil"))
USUAL = [WATER, "--method", "mp2", "--basis", "6-31G*"]

# (what, arguments, exit code, parts of the message)
REFUSED = [
    ("open shells", [OXYGEN, "--method", "mp2"], 2, ["multiplicity 3", "expected method ump2 (there is no MP2 of rohf)"]),
    ("gradient", USUAL + ["--task", "gradient", "--mp2-algorithm", "pairs"], 2, ["--mp2-algorithm: pairs computes no derivatives", "expected kets or auto"]),
    ("smearing", USUAL + ["--smearing", "0.01"], 2, ["--smearing: MP2 needs whole occupations"]),
    ("a word", USUAL + ["--frozen-core", "some"], 2, ["--frozen-core: frozen core 'some'; expected none, default, or a number"]),
    ("too many", USUAL + ["--frozen-core", "6"], 2, ["frozen core '6'", "up to 4, for the molecule has 5"]),
    ("nothing left", USUAL + ["--frozen-core", "5"], 2, ["--frozen-core: frozen core '5'", "up to 4, for the molecule has 5"]),
    ("all virtual orbitals", USUAL + ["--frozen-virtuals", "14"], 2, ["--frozen-virtuals: 14 frozen", "fewer than the 14"]),
    ("memory", [URACIL, "--method", "mp2", "--memory", "2 MB"], 3, ["MP2 needs at least", "expected --memory"]),
]


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def energies(document):
    return {key: value for key, value in document["properties"].items() if key.startswith("mp2")}


def check_numbers(document, output):
    """The parts add up; the result is the total energy, in the report as well."""
    of, scf = document["properties"], document["properties"]["scf_total_energy"]
    parts = of["mp2_same_spin_correlation_energy"] + of["mp2_opposite_spin_correlation_energy"]
    check(abs(parts - of["mp2_correlation_energy"]) < 1e-14, "the spins do not add up to", of["mp2_correlation_energy"])
    check(abs(scf + parts - of["mp2_total_energy"]) < 1e-12, "not the sum:", of["mp2_total_energy"])
    check(document["return_result"] == of["return_energy"] == of["mp2_total_energy"], "return_result:", document["return_result"])
    check(document["model"]["method"] == "mp2", "model:", document["model"])
    check(document["keywords"]["commutator_tolerance"] == 1e-8, "keywords:", document["keywords"])
    scaled = 1.2 * of["mp2_opposite_spin_correlation_energy"] + of["mp2_same_spin_correlation_energy"] / 3
    check(abs(document["extras"]["hf"]["mp2"]["scs_correlation_energy"] - scaled) < 1e-13, "SCS:", document["extras"]["hf"]["mp2"])
    for line in f"MP2 total energy {of['mp2_total_energy']:.10f}", f"SCS-MP2 total energy {scf + scaled:.10f}":
        check(line in re.sub(" +", " ", output), f"no \"{line}\" in:", output)
    check(output.rstrip().splitlines()[-1].startswith(f"Total energy {of['mp2_total_energy']:.10f} hartree"), "last line:", output[-200:])


def no_pairs(folder):
    """Frozen cores may leave no two electrons: the energy is 0, and a note says why."""
    for atom, charge, options, note in (("Li", 1, [], "frozen core; --frozen-core none"), ("Li", 0, [], "frozen core; --frozen-core none"),
                                        ("H", 0, [], "no two electrons are correlated\n"), ("Li", 1, ["--frozen-core", "none"], None)):
        path, document = os.path.join(folder, "atom.xyz"), os.path.join(folder, "atom.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"1\ncharge={charge} multiplicity={2 if charge == 0 else 1}\n{atom} 0 0 0\n")
        code, output, errors = run([path, "--method", "mp2" if charge else "ump2", "--basis", "6-31G", "--json", document, "--checkpoint", "none", *options])
        check(code == 0 and ("no two electrons" in output) == (note is not None) and (note or "") in output, f"{atom} {charge}: note", output + errors)
        zero = read(document)["properties"]["mp2_correlation_energy"] == 0.0
        check(zero == (note is not None), f"{atom} {charge} {options}: energy", read(document)["properties"])


def main():
    for name, arguments, code, parts in REFUSED if TEST.n_rank == 1 else REFUSED[:1]:
        TEST.expect_one_line(name, run(arguments), code, parts)
    with tempfile.TemporaryDirectory() as folder:
        document, checkpoint = os.path.join(folder, "a.json"), os.path.join(folder, "a.h5")
        code, output, errors = run(USUAL + ["--scs", "--json", document, "--checkpoint", checkpoint])
        check(code == 0, "exit code", errors)
        check_numbers(read(document), output)
        check("4 occupied, 14 virtual" in output and "1 core orbitals (--frozen-core)" in output, "orbitals in:", output)
        code, output, errors = run(["--restart", checkpoint, "--frozen-core", "2", "--frozen-virtuals", "3"])
        check("3 occupied, 11 virtual" in output, "restart:", output + errors)
        check("hartree below the lowest" not in output, "a warning without reason:", output)
        code, output, errors = run(["--restart", checkpoint, "--frozen-core", "4"])
        check("the highest frozen orbital is only" in output, "no warning:", output)
        code, output, errors = run(USUAL + ["--check"])
        check("mp2/6-31G*" in output and "after the SCF" in output, "--check:", output)
        for i, options in enumerate((["--threads", "2"], ["--schedule", "static", "--memory", "1 MB"], ["--checkpoint", checkpoint])):
            code, output, errors = run(USUAL + ["--reproducible", "--json", document] + options)
            check(code == 0, "exit code", errors)
            first = energies(read(document)) if i == 0 else first
            check(energies(read(document)) == first, "other bits:", options)
        if TEST.n_rank == 1:
            no_pairs(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
