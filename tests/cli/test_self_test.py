#!/usr/bin/env python3
"""hf --self-test: it runs everything and passes; a wrong reference or none makes it fail with exit code 3.

Usage: test_self_test.py HF MPIEXEC RANKS REFERENCES
"""

import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
REFERENCES = pathlib.Path(sys.argv[4])
check, run = TEST.check, TEST.run


def passes():
    code, output, errors = run(["--self-test"])
    check(code == 0 and errors == "", f"exit code {code}:", output + errors)
    for part in (f"self-test (quick), ranks: {TEST.n_rank}.", "References: ", "\nSelf-test passed: ", "iodine_atom uhf/def2-svp",
                 "methyl rohf/6-31g*", "water rhf/cc-pvdz "):
        check(output.count(part) >= 1, f"no \"{part}\" in:", output)
    for way in ("replicated, ", "distributed, ", ", static, ", ", manager, ", ", counter, ", ", steal, ", ", thread ", ", rma "):
        check(way in output, f"{way} is not tested:", output)


def with_references(folder, energies):
    """Outcome of a test whose only cases are of helium and hydrogen, with these energies."""
    cases = [case for case in json.loads((REFERENCES / "energies.json").read_text(encoding="utf-8"))["cases"]
             if case["name"] in energies]
    for case in cases:
        case["total_energy"] = energies[case["name"]]
    for name, listed in (("energies", cases), ("ecp", [])):
        pathlib.Path(folder, f"{name}.json").write_text(json.dumps({"cases": listed}), encoding="utf-8")
    return run(["--self-test", "quick"], environment={"HF_REFERENCE_PATH": folder})


def fails(folder):
    code, output, errors = with_references(folder, {"helium": -2.8551604772, "hydrogen": -1.116684397})
    check(code == 3, f"wrong reference: exit code {code}, expected 3:", errors)
    helium, hydrogen = [line for line in output.splitlines() if " rhf/" in line]
    check("FAILED" not in helium and hydrogen.endswith("FAILED") and " 1.0e-08 " in hydrogen, "wrong reference:", output)
    check("\nSelf-test FAILED: 1 of 2 energies agree" in output, "wrong reference, verdict:", output)
    code, output, errors = with_references(folder, {})
    check(code == 3 and "Self-test FAILED: 0 of 0" in output, "no cases:", output + errors)
    pathlib.Path(folder, "energies.json").write_text("{", encoding="utf-8")
    TEST.expect_one_line("no JSON", run(["--self-test"], environment={"HF_REFERENCE_PATH": folder}), 3, ["energies.json, line 1: this looks like a JSON file"])
    pathlib.Path(folder, "energies.json").write_text('{"cases": [{"basis_functions": 1}]}', encoding="utf-8")
    TEST.expect_one_line("no case", run(["--self-test"], environment={"HF_REFERENCE_PATH": folder}), 3, ["a case cannot be read"])


def is_used_wrongly():
    TEST.expect_one_line("size", run(["--self-test", "half"]), 2, ["--self-test 'half'", "quick or full"])
    TEST.expect_one_line("file", run(["water.mol", "--self-test"]), 2, ["takes no input file"])
    TEST.expect_one_line("option", run(["--self-test", "--threads", "2"]), 2, ["no other options"])


passes()
with tempfile.TemporaryDirectory() as temporary:
    fails(temporary)
if TEST.n_rank == 1:
    is_used_wrongly()
sys.exit(TEST.report())
