#!/usr/bin/env python3
"""Files .CHRG and .UHF beside an input, as xtb writes them: which are read, which count, what is told.

Usage: test_companions.py HF MPIEXEC RANKS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()

FLUORINE = "2\n{}\nF 0 0 0\nF 0 0 1.4\n"
NATIVE = "basis STO-3G\n{}\ngeometry\nF 0 0 0\nF 0 0 1.4\nend\n"
MOLFILE = "F2\n  test    01010000003D\n\n  2  1  0  0  0  0            999 V2000\n" + \
    "".join(f"    0.0000    0.0000    {z} F   0  0\n" for z in ("0.0000", "1.4000")) + "  1  2  1  0\n{}M  END\n"

# name, input, files beside it, options, charge that counts (None: refused), what is told
CASES = [
    ("none", FLUORINE.format(""), {}, [], 0, ["neither charge nor multiplicity is given"]),
    ("charge", FLUORINE.format(""), {".CHRG": "-2\n"}, [], -2,
     ["charge -2 was taken from the file FOLDER/.CHRG beside it", "no multiplicity is given"]),
    ("both", FLUORINE.format("F2"), {".CHRG": "2", ".UHF": "0\n"}, [], 2,
     ["charge 2 was taken from", "multiplicity 1 was taken from the file FOLDER/.UHF"]),
    ("unpaired", FLUORINE.format(""), {".CHRG": " 0 \n\n", ".UHF": "2\n"}, [], 0,
     ["charge 0 was taken from the file FOLDER/.CHRG", "multiplicity 3 was taken from the file FOLDER/.UHF"]),
    ("unpaired and closed shells", FLUORINE.format(""), {".UHF": "2\n"}, ["--method", "rhf"], None,
     ["FOLDER/.UHF: 18 electrons (charge +0) with multiplicity 3 are an open shell"]),
    ("of this file", FLUORINE.format(""), {".CHRG": "2\n", "f2.CHRG": "-2.0\n"}, [], -2,
     ["charge -2 was taken from the file FOLDER/f2.CHRG", "no multiplicity is given"]),
    ("of another file", FLUORINE.format(""), {"other.CHRG": "2\n"}, [], 0, ["neither charge nor multiplicity"]),
    ("comment wins", FLUORINE.format("charge=0 multiplicity=1"), {".CHRG": "2\n"}, [], 0,
     ["charge 0 is used, not 2 of the file FOLDER/.CHRG beside it"]),
    ("comment agrees", FLUORINE.format("charge=2 mult=1"), {".CHRG": "2\n", ".UHF": "0\n"}, [], 2, []),
    ("command line wins", FLUORINE.format(""), {".CHRG": "2\n", ".UHF": "2\n"},
     ["--charge", "-2", "--multiplicity", "1"], -2,
     ["charge -2 is used, not 2 of the file", "multiplicity 1 is used, not 3 of the file"]),
    ("no number", FLUORINE.format(""), {".CHRG": "two\n"}, [], None,
     ["FOLDER/.CHRG: expected one whole number, the charge; or give --charge"]),
    ("two numbers", FLUORINE.format(""), {".CHRG": "1 2\n"}, [], None, ["expected one whole number"]),
    ("empty", FLUORINE.format(""), {".UHF": ""}, [], None, ["the number of unpaired electrons"]),
    ("negative", FLUORINE.format(""), {".UHF": "-2"}, [], None, ["the number of unpaired electrons"]),
    ("no number needed", FLUORINE.format("0 1"), {".CHRG": "two\n"}, [], 0, ["was taken as charge"]),
    ("a folder", FLUORINE.format(""), {".CHRG/x": ""}, [], 0, ["neither charge nor multiplicity"]),
    ("native", NATIVE.format("charge 0"), {".CHRG": "2\n"}, [], 0, ["charge 0 is used, not 2 of the file"]),
    ("native in a folder of xtb", NATIVE.format(""), {".CHRG": "0\n", ".UHF": "0\n"}, [], 0, []),
    ("molfile", MOLFILE.format(""), {".CHRG": "2\n"}, [], 0, ["charge of the format is used, not 2"]),
    ("molfile that agrees", MOLFILE.format("M  CHG  2   1  -1   2  -1\n"), {".CHRG": "-2\n"}, [], -2, []),
]


def main():
    for name, text, beside, options, charge, told in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "f2.xyz")
            path.write_text(text, encoding="utf-8")
            for file, content in beside.items():
                pathlib.Path(folder, file).parent.mkdir(exist_ok=True)
                pathlib.Path(folder, file).write_text(content, encoding="utf-8")
            code, output, errors = TEST.run([str(path), "--check", "--basis", "STO-3G"] + options)
            TEST.check(code == (0 if charge is not None else 2), f"{name}: exit code {code}:", output + errors)
            TEST.check(charge is None or f"charge {charge:+d}, multiplicity " in output,
                       f"{name}: the charge is not {charge}:", output)
            warnings = [line for line in output.splitlines() if line.startswith(("Warning: ", "Note: "))]
            TEST.check(charge is None or len(warnings) == len(told), f"{name}: {len(warnings)} warnings and notes:", output)
            for part in told:
                TEST.check(part.replace("FOLDER", folder) in output + errors, f"{name}: no \"{part}\" in:",
                           output + errors)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
