#!/usr/bin/env python3
"""Runs hf as people run it: help, good input, and every mistake that must end in one clear line. What the number of ranks
cannot change is tested on one. On more: every mistake up to where hf would compute, and one run of each kind.

Usage: test_cli.py HF MPIEXEC RANKS INPUTS MANY_COMMANDS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, MPIEXEC, RANKS, INPUTS, MANY_COMMANDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:6]
TEST = ProgramTest(HF, MPIEXEC, RANKS)
check, run = TEST.check, TEST.run
LAUNCHERS = (False, True) if RANKS == 1 else (True,)  # what needs no MPI is also run without mpiexec

WATER = """title water
basis STO-3G
units bohr
geometry
  O   0.0   0.0          0.22166487
  H   0.0   1.43090062  -0.88665950
  H   0.0  -1.43090062  -0.88665950
end
"""

MDL = """water
  test    01010000003D

  3  2  0  0  0  0            999 V2000
    0.0000    0.0000    0.1173 O   0  0
    0.0000    0.7572   -0.4692 H   0  0
    0.0000   -0.7572   -0.4692 H   0  0
  1  2  1  0
  1  3  1  0
M  END
"""

# name, content of the file (None: not written), options, what the line on standard error must contain
BAD_INPUT = [
    ("unknown key", WATER.replace("basis", "bais"), [], ["line 2", "'bais'", "did you mean basis"]),
    ("missing geometry", "title water\n", [], ["there is no geometry", "expected"]),
    ("geometry without end", WATER.replace("end\n", ""), [], ["line 4", "has no end"]),
    ("unknown element", WATER.replace("  O ", "  Ox"), [], ["line 5", "unknown element 'Ox'"]),
    ("element absent from the basis", WATER.replace("  O ", "  Rn"), [], ["Rn", "STO-3G"]),
    ("unknown basis", WATER, ["--basis", "cc-pVDX"], ["cc-pVDX", "cc-pVDZ"]),
    ("basis for an atom that is not there", WATER, ["--basis", "4=STO-3G"], ["--basis", "1 to 3"]),
    ("atoms on top of each other", WATER.replace("-1.43090062", " 1.43090062"), [],
     ["line 7", "on top of each other"]),
    ("odd electrons with multiplicity 1", WATER, ["--charge", "1", "--multiplicity", "1"],
     ["--multiplicity", "9 electrons (charge +1)", "multiplicity 1", "an even multiplicity, 2 or 4"]),
    ("open shell", WATER, ["--charge=1", "--multiplicity=2", "--method", "rhf"],
     ["--multiplicity", "open shell", "method rhf needs multiplicity 1, uhf and rohf take any"]),
    ("triplet", WATER, ["--multiplicity=3", "--method", "rhf"],
     ["--multiplicity", "open shell", "uhf and rohf take any\n"]),
    ("radical of a molfile", MDL.replace("  3  2  0", "  2  1  0", 1).replace(
        "    0.0000   -0.7572   -0.4692 H   0  0\n", "").replace("  1  3  1  0\n", "M  RAD  1   1   2\n"),
     ["--method", "rhf"], ["9 electrons (charge +0) with multiplicity 2", "no charge was given", "--charge 1 or --charge -1"]),
    ("impossible multiplicity", WATER + "multiplicity 13\n", [], ["line 9", "multiplicity 13"]),
    ("not a number", WATER.replace("0.22166487", "0.22l66487"), [],
     ["line 5", "'0.22l66487'", "not a number"]),
    ("not a whole number", WATER + "charge half\n", [], ["line 9", "'half'", "whole number"]),
    ("absurd coordinate", WATER.replace("0.22166487", "1e30"), [], ["line 5", "out of range"]),
    ("absurd charge", WATER + "charge 99\n", [], ["line 9", "no electrons"]),
    ("overflow", WATER.replace("0.22166487", "1e999"), [], ["line 5", "out of range"]),
    ("memory without a unit", WATER, ["--memory", "500"], ["--memory: memory '500'", "500 MB", "auto"]),
    ("hexadecimal memory", WATER, ["--memory", "0x10 MB"], ["--memory: memory '0x10 MB'", "500 MB"]),
    ("infinite memory", WATER + "memory inf MB\n", [], ["line 9", "memory 'inf MB'", "500 MB"]),
    ("memory that is no number", WATER, ["--memory", "nan"], ["--memory: memory 'nan'"]),
    ("rubbish behind memory", WATER, ["--memory", "5 MB!"], ["--memory: memory '5 MB!'"]),
    ("hexadecimal count", WATER, ["--threads", "0x1"], ["--threads", "'0x1'", "whole number"]),
    ("hexadecimal number", WATER, ["--screening", "0x1p-40"], ["--screening", "'0x1p-40'", "not a number"]),
    ("infinite number", WATER, ["--energy-tolerance", "inf"], ["--energy-tolerance", "'inf'", "not a number"]),
    ("a key twice", WATER + "charge 0\ncharge 0\n", [], ["line 10", "charge was given before", "line 9"]),
    ("a basis set twice", WATER + "basis cc-pVDZ\n", [],
     ["line 9", "'cc-pVDZ'", "'STO-3G' before", "line 2", "expected one of them"]),
    ("the basis set of an element twice", WATER + "basis O 6-31G\nbasis o STO-3G\n", [],
     ["line 10", "'o STO-3G'", "'O 6-31G' before", "line 9"]),
    ("the basis set of an atom twice", WATER + "basis 2 6-31G\nbasis 2 6-31G\n", [], ["line 10", "line 9"]),
    ("no threads", WATER, ["--threads", "0"], ["--threads", "1 to 1024"]),
    ("absurd tolerance", WATER, ["--energy-tolerance", "7"], ["--energy-tolerance", "expected"]),
    ("empty file", "", [], ["empty"]),
    ("byte order mark alone", "\ufeff", [], ["empty"]),
    ("binary file", "\x7fELF\x00\x01", [], ["not a text file"]),
    ("truncated MDL file", MDL[:MDL.index("    0.0000   -0.7572")], [],
     ["line 6", "the file ends here", "3 atoms"]),
    ("MDL file without its end", MDL.replace("M  END\n", ""), [], ["line 9", "M  END"]),
    ("flat MDL file", MDL.replace("3D", "2D").replace("0.1173", "0.0000").replace(
        "-0.4692", " 0.0000"), [], ["drawing", "--force"]),
    ("short XYZ file", "3\n\nO 0 0 0\n", [], ["line 3", "the file ends here"]),
    ("DALTON file", "BASIS\ncc-pVDZ\n", [], ["DALTON"]),
    ("mol2 file", "@<TRIPOS>MOLECULE\n", [], ["mol2"]),
    ("JSON file", "{}\n", [], ["JSON"]),
    ("some other text", "Dear all,\n", [], ["line 1", "neither"]),
    ("no such file", None, [], ["no such file"]),
    ("directory", "DIRECTORY", [], ["is a directory"]),
    ("unwritable JSON path", WATER, ["--json", "/no/such/folder/out.json"],
     ["/no/such/folder/out.json"]),
    ("orbitals that there are not", WATER, ["--orbitals", "some"], ["unknown orbitals 'some'", "gap, all"]),
    ("JSON path is a directory", WATER, ["--json", "/"], ["/"]),
    ("unwritable trace", WATER, ["--trace", "/no/such/folder/out.trace"],
     ["/no/such/folder/out.trace", "the trace cannot be written"]),
    ("trace without a name", WATER, ["--trace="], ["--trace"]),
    ("tasks for too many", WATER, ["--tasks-for", "1e9"], ["--tasks-for", "whole number"]),
    ("time limit with 99 seconds", WATER, ["--time-limit", "1:99"], ["--time-limit: time limit '1:99'", "D-HH:MM:SS"]),
    ("time limit of nothing", WATER, ["--time-limit", "0"], ["more than 0"]),
    ("time limit of 24 hours and a day", WATER + "time_limit 1-24\n", [], ["line 9", "'1-24'"]),
    ("guess that there is not", WATER, ["--guess", "sod"], ["unknown guess 'sod'", "did you mean sad", "or a file"]),
    ("mixing for closed shells", WATER, ["--guess-mix"], ["--guess-mix", "with method uhf only", "the method is rhf"]),
    ("maximum overlap and rohf", WATER + "max_overlap\n", ["--method", "rohf"],
     ["line 9", "maximum overlap is not possible with method rohf", "use uhf"]),
    ("maximum overlap and newton", WATER, ["--max-overlap", "--converger", "newton"],
     ["--max-overlap", "is not possible with converger newton or adiis"]),
    ("maximum overlap and stability", WATER, ["--max-overlap", "--stability", "follow"],
     ["--max-overlap", "is not possible with stability follow"]),
    ("maximum overlap and smearing", WATER, ["--max-overlap", "--smearing", "0.01"],
     ["--max-overlap", "is not possible with fractional occupations"]),
    ("level shift and newton", WATER, ["--level-shift", "0.5", "--converger", "newton"],
     ["--level-shift", "is not possible with converger newton", "use auto, diis or damping"]),
    ("smearing without a number", WATER, ["--smearing", "hot"], ["--smearing", "'hot'"]),
    ("smearing too hot", WATER, ["--smearing", "0.5"], ["--smearing", "0.2"]),
    ("smearing and rohf", WATER + "smearing 0.01\n", ["--method", "rohf"],
     ["line 9", "(smearing) are not possible with method rohf", "use uhf"]),
    ("smearing and newton", WATER, ["--smearing", "0.01", "--converger", "newton"],
     ["--smearing", "are not possible with converger newton or adiis", "use auto, diis or damping"]),
    ("smearing and adiis", WATER, ["--smearing", "0.01", "--converger", "adiis"], ["are not possible with converger newton or adiis"]),
    ("smearing and stability", WATER, ["--smearing", "0.01", "--stability", "follow"],
     ["--smearing", "are not possible with a stability analysis"]),
    ("smearing and a level shift", WATER, ["--smearing", "0.01", "--level-shift", "1"],
     ["--smearing", "are not possible with a level shift"]),
    ("guess from no file", WATER, ["--guess", "./none.h5"], ["./none.h5", "no such checkpoint"]),
    ("guess from no checkpoint", WATER, ["--guess", os.path.abspath(__file__)], ["not a checkpoint of hf"]),
    ("unknown option", WATER, ["--bassis", "STO-3G"], ["--bassis", "did you mean --basis"]),
    ("option without its value", WATER, ["--basis"], ["--basis needs a value"]),
    ("unknown choice", WATER, ["--schedule", "statik"], ["'statik'", "did you mean static"]),
    ("unknown transport", WATER, ["--onesided", "thred"], ["'thred'", "did you mean thread"]),
    ("unknown strategy", WATER + "accumulate anyone\n", [], ["line 9", "'anyone'", "accumulate"]),
    ("no effect, in a file", WATER + "max_steps 7\n", [], ["line 9: max_steps has no effect without task optimise"]),
    ("no effect, in QCSchema", json.dumps({"schema_name": "qcschema_input", "schema_version": 1, "driver": "gradient",
                                           "model": {"method": "hf", "basis": "STO-3G"}, "keywords": {"temperature": 300},
                                           "molecule": {"symbols": ["He"], "geometry": [0, 0, 0]}}), [],
     ["temperature has no effect without task vibrations"]),
    ("no effect with the task of the command line", WATER + "task vibrations\ntemperature 300\n", ["--task", "energy"],
     ["line 10: temperature has no effect without task vibrations"]),
    ("method that hf lacks", WATER, ["--method", "ccsd"], ["--method", "unknown method 'ccsd'; expected one of", "rohf"]),
    *((f"functional {name}", WATER, ["--method", name], [f"unknown method '{name}'; hf has no density functionals; expected one of hf, rhf"])
      for name in ("b3lyp", "PBE0", "UB3LYP-D3(BJ)", "m06-2x", "wB97X-D", "r2SCAN-3c", "CAM-B3LYP", "bp86", "LDA", "HSE06", "DFT")),
    ("functional in QCSchema", json.dumps({"schema_name": "qcschema_input", "schema_version": 1, "driver": "energy",
                                           "model": {"method": "b3lyp", "basis": "STO-3G"},
                                           "molecule": {"symbols": ["He"], "geometry": [0, 0, 0]}}), [], ["hf has no density functionals"]),
    ("two files", WATER, ["another.mol"], ["more than one input file"]),
    ("field of two numbers", WATER, ["--field", "0,0.01"], ["--field", "2 numbers", "X,Y,Z"]),
    ("field that is no number", WATER + "field 0 0 weak\n", [], ["line 9", "'weak'", "not a number"]),
    ("charges without end", WATER + "point_charges\n1 0 0 5\n", [], ["line 9", "have no end"]),
    ("charge on a nucleus", WATER + "point_charges\n1 0 0 0.22\nend\n", [],
     ["line 10", "sits on the nucleus of atom 1 (O)"]),
    ("many molecules in a file", "each\n" + WATER, [], ["line 1", "only the command line of hf"]),
    ("no file of charges", WATER, ["--point-charges-file", "/no/such"], ["/no/such", "no such file"]),
]

# option, value (None: a flag), other options, what it belongs to or does not go with: every line of the table that says so
MISPLACED = [
    *((option, value, ["--task", "gradient"], "without task optimise")
      for option, value in (("max-steps", "7"), ("constraint", "fix 1"), ("scan", "distance 1 2 = 1.0 to 2.0 in 2"), ("saddle", None),
                            ("coordinates", "cartesian"), ("max-force", "1e-3"), ("rms-force", "1e-3"), ("max-displacement", "1e-3"),
                            ("rms-displacement", "1e-3"), ("trajectory", "a.xyz"))),
    *((option, value, ["--task", "optimise"], "without task vibrations")
      for option, value in (("temperature", "300"), ("pressure", "1e5"), ("symmetry-number", "2"), ("frequency-scale", "0.9"))),
    ("groups", "1", ["--task", "optimise"], "without task vibrations or saddle"),
    ("groups", "1", ["--task", "optimise", "--saddle=no"], "without task vibrations or saddle"),
    ("frozen-core", "none", [], "without method mp2, lmp2, ump2, localise or fcidump"),
    ("scs", None, ["--method", "rhf"], "without method mp2, lmp2 or ump2"),
    *((option, value, ["--method", "mp2"], "without method lmp2")
      for option, value in (("domains", "full"), ("domain-completeness", "0.1"), ("correction-bonds", "2"), ("correction-distance", "5"),
                            ("strong-distance", "1"), ("pair-distance", "9"),
                            ("local-screening", "1e-8"), ("replicate-amplitudes", None))),
    *((option, value, ["--method", "lmp2", "--domains", "full"], "with domains full")
      for option, value in (("domain-completeness", "0.1"), ("correction-bonds", "2"), ("correction-distance", "5"))),
    ("correction-distance", "5", ["--method", "lmp2", "--correction-bonds", "0"], "with correction_bonds 0"),
    ("domain-completeness", "0.1", ["--method", "lmp2", "--domains", "./scan.json"], "with domains FILE"),
    ("mp2-algorithm", "auto", ["--method", "lmp2"], "without method mp2 or ump2"),
    ("frozen-virtuals", "2", ["--method", "lmp2"], "without method mp2, ump2 or fcidump"),
    ("fcidump", "file", ["--method", "lmp2"], "with method lmp2"),
    *((option, value, [], "without fcidump") for option, value in (("fcidump-dialect", "psi4"), ("fcidump-threshold", "0"))),
    ("onesided", "rma", [], "without method mp2, lmp2, ump2 or fock distributed"),
    ("onesided-test", "1", ["--fock", "replicated"], "without method mp2, lmp2, ump2 or fock distributed"),
    ("accumulate", "caller", ["--method", "lmp2"], "without method mp2, ump2 or fock distributed"),
    ("counter", "array", [], "without schedule counter"), ("progress-thread", None, ["--schedule", "steal"], "without schedule counter"),
    ("diis-size", "4", ["--converger", "newton"], "with converger newton"), ("diis-size", "4", ["--converger", "damping"], "with converger damping"),
    ("checkpoint-interval", "1", ["--checkpoint", "none"], "with checkpoint none"),
    ("json-orbitals", None, [], "without json"), ("trexio-integrals", None, [], "without trexio"),
    ("cube-spacing", "1", [], "without cube"), ("cube-margin", "1", [], "without cube"),
    *((option, value, [], "without excitations")
      for option, value in (("excitation-method", "cis"), ("excitation-spins", "both"), ("nto", "1"))),
    *((option, value, [], "without polarisability") for option, value in (("frequencies", "0.1"), ("c6", None), ("hyperpolarisability", None))),
    ("serve-remote", None, [], "without serve"),
    *((option, value, [], "without each") for option, value in (("xyz", "a.xyz"), ("csv", "a.csv"), ("retry-failed", None))),
    *((option, value, [], "without fragments") for option, value in
      (("fragment-charges", "0"), ("fragment-multiplicities", "1"), ("counterpoise", None), ("many-body", "2"))),
    ("fragment-distance", "5", ["--fragments", "1,2-3"], "without many_body"),
    *((option, value, ["--serve", "unix:no"], "with serve") for option, value in (("fragments", "auto"), ("extrapolation", "neese"))),
    ("xyz-units", "hartree", ["--each"], "without xyz"), ("each", None, ["--serve", "unix:no"], "with serve"),
    *((option, value, ["--each", "--task", "optimise"], "with each")
      for option, value in (("record", "1"), ("restart", "a.h5"), ("checkpoint", "none"), ("trajectory", "a.xyz"), ("molden", "a.molden"))),
    *((option, value, ["--serve", "unix:no"], "with serve")
      for option, value in (("json", "a.json"), ("molden", "a.molden"), ("trexio", "a.h5"), ("wfn", "a.wfn"), ("wfx", "a.wfx"), ("cube", "density"), ("trace", "a.trace"), ("localise", "pm"),
                            ("stability", "check"), ("properties", "all"), ("polarisability", None), ("orbitals", "all"),
                            ("potential-charges", "mk"), ("excitations", "3"),
                            ("checkpoint-interval", "1"))),
]
BAD_INPUT += [(f"{option} {what}", WATER, [*others, f"--{option}" if value is None else f"--{option}={value}"],
               [f"--{option}: {option.replace('-', '_')} {'has no effect' if what.startswith('without') else 'cannot be combined'} {what}"])
              for option, value, others, what in MISPLACED]


def expect_one_line(name, outcome, code, parts):
    TEST.expect_one_line(name, outcome, code, parts)
    check("Total energy" not in outcome[1], f"{name}: an energy was computed")


# name, content, options, the error, the warnings that go before it
WARNED = [
    ("missing hydrogens and parity", "water\n\n\n  2  1  0  0  0  0            999 V2000\n"
     "    0.0000    0.0000    0.1173 O   0  0\n    0.0000    0.7572   -0.4692 H   0  0\n  1  2  1  0\nM  END\n",
     ["--force", "--method", "rhf"], "open shell",
     ["room for 1 more hydrogen", "no multiplicity is given: 2 is assumed"]),
    ("the first molecule and a name", MDL + "$$$$\n" + MDL, ["--basis", "no-such-set"], "no-such-set",
     ["the first of 2 molecules was read"]),
    ("comment and atom", "3\na dication\nO 0 0 0\nH 0 0.76 0.59\nH 0 zero 0.59\n", [], "line 5: y 'zero'",
     ["'dication' of the comment was not taken"]),
    ("assumed and basis", "1\n\nH 0 0 0\n", ["--basis", "no-such-set"], "no-such-set",
     ["neither charge nor multiplicity is given"]),
    ("a closed shell and basis", "1\n\nHe 0 0 0\n", ["--basis", "no-such-set"], "no-such-set", []),
    ("native", WATER.replace("units bohr", "units angstrom"), ["--charge", "1", "--multiplicity", "1"], "9 electrons",
     ["are they bohr?"]),
]


def write(folder, content, name="input.mol"):
    path = os.path.join(folder, name)
    if content == "DIRECTORY":
        os.makedirs(path, exist_ok=True)
    elif content is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    return path


# These are whole runs, one for each step that ends a run; the others share one start of the program.
WHOLE_RUNS = {"unknown option", "no such file", "unknown key", "triplet", "unknown basis", "unwritable JSON path",
              "unwritable trace"}


def bad_input(folder):
    together = []
    for number, (name, content, options, parts) in enumerate(BAD_INPUT):
        arguments = [write(folder, content, f"{number}.mol")] + options
        if name in WHOLE_RUNS:
            expect_one_line(name, run(arguments), 2, parts)
        else:
            together.append((name, arguments, parts))
    bad_input_together(folder, together)
    if RANKS == 1:
        expect_one_line("no file", run([]), 2, ["no input file"])
    for name, content, options, error, warnings in WARNED if RANKS == 1 else WARNED[:1]:
        outcome = run([write(folder, content, "warned.mol")] + options)
        expect_one_line(name, outcome, 2, [error])
        found = [line for line in outcome[2].splitlines() if line.startswith("hf: warning: ")]
        check(len(found) == len(warnings) and all(part in line for part, line in zip(warnings, found)),
              f"{name}: warnings before the error:", outcome[2])


def bad_input_together(folder, cases):
    """Every rank comes to the same message, up to where hf would compute."""
    path = write(folder, "".join("\t".join(arguments) + "\n" for _, arguments, _ in cases), "commands")
    done = ProgramTest(MANY_COMMANDS, MPIEXEC, RANKS).run([path])
    lines = done[1].splitlines()
    check(done[0] == 0 and len(lines) == len(cases), f"{len(cases)} command lines, {len(lines)} outcomes:", done[2])
    for (name, _, parts), line in zip(cases, lines):
        code, _, message = line.partition("\t")
        check(code == "2", f"{name}: exit code {code}, expected 2:", message)
        for part in parts:
            check(part in message + "\n", f"{name}: no \"{part}\" in:", message)


def help_version_and_check(folder):
    path = write(folder, WATER)
    for launcher in LAUNCHERS:
        for option, part in (("--help", "--basis"), ("-h", "Usage"), ("--version", "hf "),
                             ("-V", "Libint")):
            code, output, errors = run([option], launcher)
            check(code == 0 and part in output and errors == "", f"{option}:", output + errors)
            once = output.count("Usage: hf") + output.count("Libint: ")
            check(once == 1, f"{option} was printed {once} times", "")
        code, output, errors = run(["--check", path, "--basis", "cc-pVDZ"], launcher)
        for part in ("24 functions", "10 electrons", "MB per rank", "MB on each node", "rhf/cc-pVDZ"):
            check(part in output, f"--check: no \"{part}\" in:", output + errors)
        check(code == 0 and errors == "" and "Total energy" not in output, "--check:", errors)


def pages_of_help():
    """One screen of everyday options, all options, one of them."""
    everyday, everything, one = (run(["--help", *topic])[1] for topic in ([], ["all"], ["schedule"]))
    of_some = {entry.split()[0] for entry in everything.split("\n  --")[1:] if re.search(r"(Only|Not) with ", entry)}
    check(of_some == {option for option, *_ in MISPLACED}, "options without an effect that are not tested:",
          str(of_some.symmetric_difference({option for option, *_ in MISPLACED})))
    check(len(everyday.splitlines()) <= 45, f"--help: {len(everyday.splitlines())} lines, expected 45 at most")
    for text in (everyday, everything, one):
        for line in text.splitlines():
            check(len(line) <= 80, f"--help: a line of {len(line)} characters:", line)
    shown, known = (re.findall(r"^  (--[a-z-]+)", text, re.M) for text in (everyday, everything))
    check(20 <= len(shown) <= 26 and set(shown) < set(known), f"--help shows {len(shown)} of {len(known)} options")
    check({"--task", "--constraint", "--frozen-core", "--trajectory"} < set(shown), "--help:", everyday)
    check("Computes Hartree-Fock and MP2 energies" in everyday and "vibrations. FILE" in everyday, "what --help begins with:", everyday)
    for heading in ("Molecule:", "Method:", "Convergence:", "Parallel:", "Output:", "Instead of computing:"):
        check(f"\n{heading}\n" in everyday and f"\n{heading}\n" in everything, f"--help: no group {heading}", everyday)
    check("\nLaboratory" in everything and "Laboratory" not in everyday, "--help: the laboratory", everyday)
    check("steal: equal shares" in one and "steal: equal shares" in everything and "--threads" not in one,
          "--help schedule:", one)
    for words in (["--help", "scedule"], ["--help=scedule"]):
        expect_one_line("--help of an unknown option", run(words), 2, ["did you mean --schedule"])


def good_runs(folder):
    path, output_path = write(folder, WATER), os.path.join(folder, "out.json")
    for launcher in LAUNCHERS:
        code, output, errors = run(["--json=" + output_path, path], launcher)
        check(code == 0 and "-74.96302" in output, "water:", output + errors)
        with open(output_path, encoding="utf-8") as file:
            check(json.load(file)["success"] is True, "water: JSON tells no success")

    code, output, errors = run([path, "--max-iterations", "2", "--json", output_path])
    check(code == 1, f"not converged: exit code {code}, expected 1:", errors)
    with open(output_path, encoding="utf-8") as file:
        check(json.load(file)["success"] is False, "not converged: JSON tells success")
    check(output.count("  Advice: ") == 2 and "--restart" in output and "--converger newton" in output,
          "not converged: two lines of advice", output)
    without = run([path, "--max-iterations", "2", "--checkpoint", "none"])[1]
    check(without.count("  Advice: ") == 2 and "--restart" not in without, "advice without a checkpoint", without)
    second = run([path, "--max-iterations", "3", "--multiplicity", "3", "--method", "uhf", "--stability", "follow",
                  "--checkpoint", "none"])[1]
    check(second.count("  Advice: ") == 2 and "--converger newton" not in second, "advice behind second-order steps", second)
    kept = [name for name in os.listdir(folder) if name.endswith(".hf.h5")]
    check(len(kept) == 1, f"not converged: one checkpoint, not {kept}")
    code, output, errors = run(["--restart", os.path.join(folder, kept[0]), "--max-iterations", "100"])
    check(code == 0 and "-74.96302" in output, "restart of what did not converge:", output + errors)


def choices_of_basis_sets(folder):
    path = write(folder, WATER)
    for name, content in (("a.xyz", "1\n\nHe 0 0 0\n"), ("b.mol", MDL)):
        code, output, errors = run([write(folder, content, name)])
        check(code == 0 and "RHF/def2-SVP is the default" in output, f"{name}:", output + errors)
    code, output, errors = run([os.path.join(folder, "a.xyz"), "--basis", "sto-3g"])
    check(code == 0 and "is the default" not in output, "basis given:", output + errors)

    mixed = ["--basis", "sto3g", "--basis", "O=6-31g(d,p)", "--basis=2=cc-pvdz", "--check"]
    code, output, errors = run([path] + mixed)
    check("23 functions" not in output and "21 functions" in output, "mixed basis:", output + errors)

    several = WATER + "basis O cc-pvdz\n"
    for options, part in ((["--basis", "3-21g"], "13 functions"), (["--basis", "H=3-21g"], "18 func"),
                          ([], "16 functions"), (["--basis", "1=3-21g"], "11 functions")):
        code, output, errors = run([write(folder, several, "several.mol"), "--check"] + options)
        check(code == 0 and part in output, f"basis {options}:", output + errors)

    for options in ([], ["--basis", "N=cc-pvdz"]):
        absent = WATER + ("basis N cc-pvdz\n" if not options else "")
        code, output, errors = run([write(folder, absent, "absent.mol"), "--check"] + options)
        check(code == 0 and "basis cc-pvdz is for N, of which the molecule has none" in output,
              "basis of an element that is not there:", output + errors)

    twice = ["--check", path, "--schedule", "static", "--basis", "3-21g", "--basis", "O=6-31g", "--threads=1",
             "--schedule=steal", "--threads", "1", "--basis", "sto-3g", "--basis", "O=6-31g*"]
    code, output, errors = run(twice)
    for part in ("scheduler steal", "--schedule: 'static' was given before; the last one, 'steal', counts",
                 "--basis: '3-21g' was given before for the same atoms; the last one, 'sto-3g', counts",
                 "--basis: 'O=6-31g' was given before", "Basis         mixed: 17 functions"):
        check(code == 0 and part in output, f"given twice, no \"{part}\" in:", output + errors)
    check("--threads" not in output, "the same given twice:", output)

    close = WATER.replace("units bohr", "units angstrom").replace("0.22166487", "0.22")
    code, output, errors = run([write(folder, close, "far.mol"), "--check"])
    check(code == 0 and "are they bohr?" in output, "units:", output + errors)


def list_of_basis_sets(folder):
    """The table, one set, and names that there are not; printed once, without MPI."""
    for launcher in LAUNCHERS:
        code, output, errors = run(["--list-basis"], launcher)
        for part in ("Literature\n", "6-31G*           H-Kr               mixed      W. J. Hehre et al., J. Chem. Phys. 56, "
                     "2257 (1972) and 6 more\n", "pcseg-1          H-Kr               spherical  F. Jensen, J. Chem. "
                     "Theory Comput. 10, 1074 (2014)\n", "Basis Set Exchange"):
            check(code == 0 and errors == "" and output.count(part) == 1, f"--list-basis, not one \"{part}\" in:", output)
    if RANKS > 1:
        return
    for option in (["--list-basis", "CC-PV(t+D)z"], ["--list-basis=cc-pV(T+d)Z"], ["--list-basis", "cc-pvt+dz"]):
        code, output, errors = run(option)
        for part in ("cc-pV(T+d)Z\n", "a tight d function on Al-Ar", "H-Ar Ca-Kr", "Al-Ar: T. H. Dunning, K. A. Peterson",
                     "  O        4s3p2d1f          10s5p2d1f                30\n",
                     "  S        5s4p3d1f          15s9p3d1f                39\n"):
            check(code == 0 and part in output, f"{option}, no \"{part}\" in:", output + errors)
    code, output, errors = run(["--list-basis", "def2-svp"])
    check("  I        4s4p2d            10s7p6d                  26    28\n" in output, "core of 28:", output)
    check("H-La Hf-Rn" in output and "\n  Ce       needs an effective core potential (28 electrons), which the file lacks\n"
          in output, "core potential that is lacking:", output)
    check("  Cl       4s3p1d            10s7p1d                  18\n" in output, "def2-SVP:", output)
    expect_one_line("--list-basis of an unknown set", run(["--list-basis", "cc-pvtx"]), 2, ["the nearest are cc-pVTZ, "])
    own = write(folder, "! name: own\nspherical\n****\nH 0\nS 1 1.0\n 1.0 1.0\n****\n", "own.gbs")
    code, output, errors = run(["--list-basis", own])
    check(code == 0 and "  H        1s                1s                        1\n" in output, "own set:", output + errors)
    broken = write(folder, "****\nH 0\nS x 1.0\n", "broken.gbs")
    expect_one_line("--list-basis of a broken file", run(["--list-basis", broken]), 2, ["broken.gbs, line 3", "number of primitives"])
    code, output, errors = run([write(folder, "1\n\nHe 0 0 0\n", "he.xyz"), "--basis", "6-31++G"])
    for part in ("no functions for He", "sets that have He: 3-21G", "Basis Set Exchange, as gaussian94, --basis FILE"):
        check(code == 2 and part in errors, f"element that a set lacks, no \"{part}\" in:", errors)


def standard_input(folder):
    """The path - is standard input, which rank 0 has."""
    code, output, errors = run(["-", "--basis", "sto-3g"], standard_input=MDL + "$$$$\n" + MDL + "$$$$\n")
    for part in ("standard input (MDL V2000 format)", "first of 2 molecules", "Total energy"):
        check(code == 0 and part in output, f"standard input, no \"{part}\":", output + errors)
    for name, content, options, parts in (
            ("standard input with a mistake", WATER.replace("  O ", "  Ox"), [], ["standard input, line 5", "'Ox'"]),
            ("standard input that is empty", "", [], ["standard input", "empty"]),
            ("standard input of few records", MDL, ["--record", "2"], ["--record", "standard input holds 1"]),
            ("standard input twice", WATER, ["-"], ["more than one input file"]))[:4 if RANKS == 1 else 1]:
        expect_one_line(name, run(["-"] + options, standard_input=content), 2, parts)
    if RANKS > 1:
        return
    path = write(folder, MDL + "$$$$\n" + MDL.replace("water", "heavier water") + "$$$$\n", "two.sdf")
    code, output, errors = run([path, "--check", "--record=2", "--method", "HF", "--units", "Ang"])
    check(code == 0 and "heavier water" in output and "rhf/" in output and "first of" not in output, "record 2:",
          output + errors)
    code, output, errors = run([write(folder, WATER.replace("units bohr", "units A.U.")), "--method", "RHF"])
    check(code == 0 and "-74.96302" in output, "atomic units:", output + errors)


def examples():
    for path in sorted(path for path in pathlib.Path(INPUTS).rglob("*") if path.is_file()):
        code, output, errors = run(["--check", str(path)])
        check(code == 0 and "Title" in output and errors == "", f"{path}:", output + errors)


def foreign_launcher(folder):
    """A launcher that MPI does not know leaves processes that are each alone; each reports how it ends."""
    path = write(folder, WATER)
    if RANKS > 1:  # MPI joins processes that have calculations of their own: only that of rank 0 would be computed
        shell = ProgramTest("sh", MPIEXEC, RANKS, most_seconds=60)
        outcome = shell.run(["-c", f"'{HF}' '{path}' --basis $(test ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} = 0 && echo STO-3G || echo 6-31G)"])
        expect_one_line("a task farm that MPI joins", outcome, 2, ["the command line differs from rank to rank"])
        return
    farm = {"SLURM_STEP_NUM_TASKS": "3", "SLURM_LOCALID": "1", "SLURM_PROCID": "1"}
    launches = [farm, {**farm, "SLURM_LOCALID": "0", "SLURM_PROCID": "0"}, {**farm, "PMI_SIZE": "3"}]
    if b"libmpi.so" not in open(HF, "rb").read():  # Open MPI would believe it
        launches += [{"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": rank} for rank in "01"]
    for launch in launches:
        sizes = [name for name in launch if name.endswith(("SIZE", "TASKS"))]
        expect_one_line(f"foreign launcher, {launch}", run([path], False, launch), 2, ["started 3 processes", "in each process unset", *sizes])
    # a task farm: what the line advises
    alone = {name: value for name, value in farm.items() if name != "SLURM_STEP_NUM_TASKS"}
    code, output, errors = run([path, "--basis", "STO-3G"], False, alone)
    check(code == 0 and "Total energy" in output, "task farm:", output + errors)
    expect_one_line("task farm, bad input", run([path, "--basis", "nonsense"], False, alone), 2, ["unknown basis set"])
    for environment in (farm, alone):  # without MPI
        code, output, errors = run(["--list-basis", "STO-3G"], False, environment)
        check(code == 0 and "STO-3G" in output, f"task farm, --list-basis, {environment}:", output + errors)
        code, _, errors = run(["--show", path], False, environment)
        check(code == 2 and len(TEST.lines_of_program(errors)) == 1, f"task farm, --show, {environment}:", errors)
    code, output, _ = run([path, "--check"], False, {"SLURM_NTASKS": "3"})
    check(code == 0 and "batch job has 3 tasks" in output, "unused tasks:", output)


def signals(folder):
    """A run that would last for hours ends with the code of the signal, and tells why."""
    path, output_path = os.path.join(INPUTS, "uracil-dimer.mol"), os.path.join(folder, "signal.json")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with subprocess.Popen([HF, path, "--basis", "cc-pVTZ", "--guess", "core",
                               "--json", output_path],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                if line.startswith("  Iter"):
                    break
            time.sleep(1.0)
            process.send_signal(number)
            try:
                _, errors = process.communicate(timeout=TEST.most_seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                check(False, f"signal {number}: hf does not end")
                continue
        lines = TEST.lines_of_program(errors)
        check(process.returncode == code and len(lines) == 1,
              f"signal {number}: exit code {process.returncode}, expected {code};", errors)
        with open(output_path, encoding="utf-8") as file:
            check(json.load(file)["success"] is False, f"signal {number}: JSON tells success")
        os.unlink(output_path)


def time_limit(folder):
    """A run that would last for hours ends when its time is up."""
    path, output_path = os.path.join(INPUTS, "uracil-dimer.mol"), os.path.join(folder, "limit.json")
    begin = time.monotonic()
    code, output, errors = run([path, "--basis", "cc-pVTZ", "--guess", "core", "--memory", "0",
                                "--time-limit", "0:02", "--json", output_path])
    took = time.monotonic() - begin
    check(code == 1 and took >= 2.0, f"time limit: exit code {code}, expected 1, after {took:.1f} s;", errors)
    check("the time limit of 0:02 is up: not converged after 0 iterations" in errors, "time limit:", errors)
    check("ENDED EARLY: the time limit" in output, "time limit: no reason in the report", output)
    with open(output_path, encoding="utf-8") as file:
        check(json.load(file)["error"]["error_type"] == "time_limit", "time limit: JSON")


def main():
    folder = tempfile.mkdtemp(prefix="hf-cli-")
    try:
        bad_input(folder)
        help_version_and_check(folder)
        good_runs(folder)
        standard_input(folder)
        list_of_basis_sets(folder)
        foreign_launcher(folder)
        if RANKS == 1:
            pages_of_help()
            choices_of_basis_sets(folder)
            examples()
            signals(folder)
            time_limit(folder)
    finally:
        shutil.rmtree(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())
